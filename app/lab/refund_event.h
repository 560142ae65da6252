// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fencepost::app {

// What the cashier writes into an event of a refund, and the mailer expects in it.
constexpr const char* eventSource = "fencepost-lab";
constexpr const char* refundSucceeded = "refund.succeeded";

// What the payload of an event says of it; empty: nothing.
struct EventPayload {
    std::string id;
    std::string source;
    std::string type;
    std::string refundId;
};
// None: it cannot be read.
[[nodiscard]] std::optional<EventPayload> readEvent(std::string_view payload);

} // namespace fencepost::app

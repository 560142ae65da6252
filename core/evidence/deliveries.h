// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/exchange/playbook_csv.h"
#include "core/messaging/dead_letter.h"

namespace fencepost {

// What the deliveries of one event, in the order of time, say of its message in the inbox. Their consumer, payload and
// the reasons of what failed are not told.
class Deliveries {
public:
    explicit Deliveries(const exchange::InboxRow& first);

    [[nodiscard]] bool takes(const exchange::InboxRow& row) const;
    void add(const exchange::InboxRow& row);

    [[nodiscard]] const InboxMessage& message() const { return m_message; }
    // None: it is not dead.
    [[nodiscard]] std::optional<DeadLetter> letter() const;

private:
    void fail(Time at);

    InboxMessage m_message;
    Time m_diedAt;
    int m_deaths = 0;
};

} // namespace fencepost

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "app/lab/work.h"

namespace fencepost::app {

// The members of a request's body. What is no JSON was refused before, what is no object has none.
class MoneyRequest {
public:
    explicit MoneyRequest(const HttpRequest& request);

    // What is wrong with the members that every such request has; none: nothing.
    [[nodiscard]] std::optional<Handled> refused() const;
    [[nodiscard]] std::optional<std::int64_t> amount() const;
    [[nodiscard]] std::optional<std::string> text(const char* name) const;

private:
    [[nodiscard]] bool isReferenceGood() const;
    [[nodiscard]] const nlohmann::json* find(const char* name) const;

    nlohmann::json m_body;
};

[[nodiscard]] bool isCurrency(const std::string& text);

} // namespace fencepost::app

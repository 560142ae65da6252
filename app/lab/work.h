// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/service/settlement.h"

namespace fencepost::app {

// What a piece of work came to: an answer with the business object's id, or a refusal that leaves nothing behind.
struct Work {
    Handled handled;
    std::optional<std::string> ref; // none: refused
};

[[nodiscard]] Handled refusal(std::string_view code, int status, std::string detail);
// What was written was rolled back, or is recognised by its effect when the same request comes again. A value that the
// database cannot hold is not there the next time either.
[[nodiscard]] Handled tryLater(const Error& error);

} // namespace fencepost::app

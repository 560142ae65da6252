// SPDX-License-Identifier: Apache-2.0
#include "core/client_journal.h"

namespace fencepost {

std::string_view wordOf(CallState state) noexcept
{
    switch (state) {
    case CallState::Open:
        return "open";
    case CallState::Confirmed:
        return "confirmed";
    case CallState::Unknown:
        return "unknown";
    }
    return "";
}

std::optional<CallState> callStateOf(std::string_view word) noexcept
{
    for (const auto state : { CallState::Open, CallState::Confirmed, CallState::Unknown })
        if (wordOf(state) == word)
            return state;
    return std::nullopt;
}

} // namespace fencepost

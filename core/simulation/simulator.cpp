// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/simulator.h"

#include <algorithm>

namespace fencepost::simulation {

namespace {

struct RuleWord {
    std::string_view rule;
    std::string_view meaning;
};

constexpr std::array rules = {
    RuleWord{ "I1", "at most one owner may finalize per fence" },
    RuleWord{ "I2", "the fence of a record only rises" },
    RuleWord{ "I3", "a record at its end does not change" },
    RuleWord{ "I4", "a stored response stays the same, and answers nobody but whom it was made for" },
    RuleWord{ "I5", "a replay runs no handler" },
    RuleWord{ "I6", "no request is refused for ever without a hold that somebody sees" },
    RuleWord{ "I7", "an effect happens at most once" },
    RuleWord{ "I8", "a mismatch does not change the record" },
    RuleWord{ "I9", "the row of an effect is unique" },
};

std::string textOf(Throw what)
{
    const auto number = static_cast<int>(what);
    const auto crash = static_cast<int>(Throw::Crash);
    const auto pause = static_cast<int>(Throw::Pause);
    if (number >= crash && number < pause)
        return "crash.p" + std::to_string(number - crash);
    if (number >= pause && number < pause + 32)
        return "pause.p" + std::to_string(number - pause);
    switch (what) {
    case Throw::DoubleClick:
        return "client.double_click";
    case Throw::Payload:
        return "client.other_payload";
    case Throw::LostThere:
        return "network.loss of a request";
    case Throw::LostBack:
        return "network.loss of an answer";
    case Throw::DuplicatedThere:
        return "network.duplicates";
    case Throw::ServiceError:
        return "service.errors";
    case Throw::ServiceDeclined:
        return "service.declines";
    case Throw::VendorLost:
        return "vendor.loss";
    case Throw::VendorError:
        return "vendor.errors";
    case Throw::EventLost:
        return "events.loss";
    case Throw::EventDuplicated:
        return "events.duplicates";
    case Throw::EventAckLost:
        return "events.ack_loss";
    case Throw::EventError:
        return "events.errors";
    case Throw::EventPoison:
        return "events.poison";
    default:
        return "throw " + std::to_string(number);
    }
}

} // namespace

std::string_view meaningOfRule(std::string_view rule) noexcept
{
    const auto* found =
        std::find_if(rules.begin(), rules.end(), [&](const RuleWord& word) { return word.rule == rule; });
    return found == rules.end() ? std::string_view() : found->meaning;
}

std::string Schedule::text() const
{
    std::string text;
    for (const auto request : requests)
        text += "request " + std::to_string(request) + "\n";
    for (const auto fault : faults)
        text += "faults[" + std::to_string(fault) + "]\n";
    for (const auto& strike : strikes)
        text += textOf(strike.what) + " strikes " + std::to_string(strike.who) + ", time " + std::to_string(strike.turn)
            + "\n";
    return text;
}

} // namespace fencepost::simulation

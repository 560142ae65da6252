// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/simulator.h"
#include "core/simulation/world_things.h"

namespace fencepost::simulation {

namespace {

std::string numbered(const char* name, std::uint64_t number)
{
    return name + (" " + std::to_string(number));
}

std::string ofRequest(const std::string& what, std::uint64_t request)
{
    return what + " of request " + std::to_string(request);
}

// Attempts belong to a call of a client; its first call is not worth a word.
std::string attemptOf(const Strike& strike)
{
    const auto call = strike.who & ((std::uint64_t(1) << callBits) - 1);
    auto text = numbered("attempt", strike.turn);
    if (call > 1)
        text += " of call " + std::to_string(call);
    return ofRequest(text, strike.who >> callBits);
}

std::string executionOf(const Strike& strike)
{
    return ofRequest(numbered("execution", strike.turn + 1), strike.who);
}

// An event is named by the effect that wrote it.
std::string namedEvent(const Strike& strike)
{
    const auto effect = strike.who & ((std::uint64_t(1) << effectBits) - 1);
    return ofRequest(
        "the event" + (effect > 1 ? " of effect " + std::to_string(effect) : std::string()), strike.who >> effectBits);
}

std::string deliveryOf(const Strike& strike)
{
    return numbered("delivery", strike.turn) + " of " + namedEvent(strike);
}

std::string vendorCall(std::uint64_t number, std::uint64_t request)
{
    return ofRequest(numbered("call", number) + " to the vendor,", request);
}

std::string textOfPoint(int point, const Strike& strike)
{
    const auto name = "crash.p" + std::to_string(point) + " strikes ";
    if (point >= firstEventPoint && point <= lastEventPoint)
        return name + deliveryOf(strike);
    if (point == dyingClient)
        return name + numbered("call", strike.who & ((std::uint64_t(1) << callBits) - 1)) + " of request "
            + std::to_string(strike.who >> callBits);
    if (point != hiddenResend)
        return name + executionOf(strike);
    return name + (strike.turn >= hiddenTurns ? vendorCall(strike.turn - hiddenTurns, strike.who) : attemptOf(strike));
}

std::string textOf(const Strike& strike)
{
    const auto number = static_cast<int>(strike.what);
    const auto crash = static_cast<int>(Throw::Crash);
    const auto pause = static_cast<int>(Throw::Pause);
    const auto behind = static_cast<int>(Throw::EventWay);
    if (number >= crash && number < pause)
        return textOfPoint(number - crash, strike);
    if (number >= pause && number < behind)
        return "pause.p" + std::to_string(number - pause) + " strikes " + executionOf(strike);
    switch (strike.what) {
    case Throw::DoubleClick:
        return "client.double_click strikes request " + std::to_string(strike.who);
    case Throw::Payload:
        return "client.other_payload strikes the second click of request " + std::to_string(strike.who);
    case Throw::LostThere:
        return "network.loss strikes " + attemptOf(strike) + ", on its way there";
    case Throw::LostBack:
        return "network.loss strikes the answer to " + attemptOf(strike);
    case Throw::DuplicatedThere:
        return "network.duplicates strikes " + attemptOf(strike);
    case Throw::ServiceError:
        return "service.errors strikes " + executionOf(strike);
    case Throw::ServiceDeclined:
        return "service.declines strikes request " + std::to_string(strike.who);
    case Throw::VendorLost:
        return std::string("vendor.loss strikes ") + (strike.turn % 2 == 0 ? "" : "the answer to ")
            + vendorCall(strike.turn / 2, strike.who);
    case Throw::VendorError:
        return "vendor.errors strikes " + vendorCall(strike.turn, strike.who);
    case Throw::EventLost:
        return "events.loss strikes " + deliveryOf(strike);
    case Throw::EventDuplicated:
        return "events.duplicates strikes " + deliveryOf(strike);
    case Throw::EventAckLost:
        return "events.ack_loss strikes the acknowledgement of " + deliveryOf(strike);
    case Throw::EventError:
        return "events.errors strikes " + deliveryOf(strike);
    case Throw::EventPoison:
        return "events.poison strikes " + namedEvent(strike);
    default:
        return "throw " + std::to_string(number) + " strikes " + executionOf(strike);
    }
}

std::string textOf(std::size_t place, const Fault& fault)
{
    return "faults[" + std::to_string(place) + "]: " + std::string(wordOf(fault.kind)) + " from "
        + Spread(fault.from).text() + " for " + Spread(fault.length).text();
}

} // namespace

std::vector<std::string> linesOf(const Schedule& schedule, const Scenario& scenario)
{
    std::vector<std::string> lines;
    for (const auto request : schedule.requests)
        lines.push_back("request " + std::to_string(request));
    for (const auto fault : schedule.faults)
        lines.push_back(textOf(fault, scenario.faults[fault]));
    for (const auto& strike : schedule.strikes)
        lines.push_back(textOf(strike));
    return lines;
}

} // namespace fencepost::simulation

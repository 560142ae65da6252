// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/demo/story.h"

namespace fencepost::app {

namespace {

using namespace std::chrono_literals;

struct Share {
    RequestKind kind;
    int of; // a hundred
};

constexpr std::array shares = { Share{ RequestKind::Payment, 42 }, Share{ RequestKind::Refund, 16 },
    Share{ RequestKind::Payout, 8 }, Share{ RequestKind::Void, 6 }, Share{ RequestKind::Quote, 12 },
    Share{ RequestKind::Customer, 6 }, Share{ RequestKind::Webhook, 10 } };

RequestKind anyKind(Random& random)
{
    auto dice = static_cast<int>(random.below(100));
    for (const auto& share : shares) {
        if (dice < share.of)
            return share.kind;
        dice -= share.of;
    }
    return RequestKind::Payment;
}

Duration within(Duration span, Random& random)
{
    return Duration(random.below(static_cast<std::uint64_t>(span.count())));
}

std::shared_ptr<Call> callOf(Request request)
{
    auto call = std::make_shared<Call>();
    call->request = std::move(request);
    return call;
}

void sendAt(Service& service, Agenda& agenda, Time at, std::shared_ptr<Call> call)
{
    agenda.at(at, [&service, call = std::move(call)] { return service.send(call); });
}

// One client's request, and what its network and its programmers add to it.
void arrive(Service& service, Agenda& agenda, Random& random, Time at, RequestKind kind)
{
    const auto call = callOf(makeRequest(kind, at, random));
    call->returns = random.below(4) == 0 ? 0 : 1;
    const auto dice = random.below(100);
    sendAt(service, agenda, at, call);
    // The network delivers it twice.
    if (dice < 7)
        sendAt(service, agenda, at + 3ms + within(60ms, random), callOf(call->request));
    // A client that lost its answer asks again, minutes or hours later.
    else if (dice < 14)
        sendAt(service, agenda, at + 2min + within(5h, random), callOf(call->request));
    // A client that keeps one key for a whole basket changes the amount under it.
    else if (dice < 18)
        for (std::uint64_t i = 0; i <= random.below(4); ++i)
            sendAt(service, agenda, at + 20s + within(40min, random), callOf(withAnotherAmount(call->request, random)));
}

// Calls that no story may miss: what hangs in the outage, and what still runs at the end or lost its worker before.
void arriveForCertain(Service& service, Agenda& agenda, Random& random, Time end)
{
    struct Certain {
        RequestKind kind;
        Fate fate;
        Duration before; // the end
        Duration spread;
        int count;
    };
    constexpr std::array certain = {
        Certain{ RequestKind::Payout, Fate::Ambiguous, 4h + 50min, 30min, 6 },
        Certain{ RequestKind::Payout, Fate::Sleeps, 4h + 37min, 40s, 3 },
        Certain{ RequestKind::Refund, Fate::CrashesLate, 4h + 25min, 8min, 5 },
        Certain{ RequestKind::Payment, Fate::Transient, 70min, 60min, 4 },
        Certain{ RequestKind::Payment, Fate::Crashes, 38min, 6min, 4 },
        Certain{ RequestKind::Refund, Fate::CrashesLate, 36min, 4min, 3 },
        Certain{ RequestKind::Payout, Fate::CrashesLate, 33min, 2min, 2 },
        Certain{ RequestKind::Payment, Fate::Crashes, 4min, 2min, 2 },
        Certain{ RequestKind::Settlement, Fate::Slow, 4min, 1min, 1 },
        Certain{ RequestKind::Payout, Fate::Slow, 50s, 20s, 3 },
        Certain{ RequestKind::Payment, Fate::Slow, 9s, 5s, 5 },
        Certain{ RequestKind::Refund, Fate::Slow, 7s, 5s, 3 },
    };
    for (const auto& entry : certain)
        for (int i = 0; i < entry.count; ++i) {
            const auto at = end - entry.before + within(entry.spread, random);
            const auto call = callOf(makeRequest(entry.kind, at, random));
            call->fate = entry.fate;
            // Its client is gone too.
            if (entry.fate == Fate::Crashes || entry.fate == Fate::CrashesLate || entry.fate == Fate::Transient) {
                call->patience = 1;
                call->returns = 0;
            }
            sendAt(service, agenda, at, call);
        }
}

} // namespace

Weather forecast(Time now, Time end)
{
    if (now >= end - 5h && now < end - 4h - 15min)
        return Weather::Outage;
    if (now >= end - 42min && now < end - 30min)
        return Weather::Deployment;
    return Weather::Fair;
}

void writeStory(Service& service, Agenda& agenda, Random& random, Time end)
{
    const auto begin = end - demoSpan;
    // More in the daytime: of two draws, the one nearer to noon.
    for (int i = 0; i < 330; ++i) {
        const auto noon = [](Duration at) { return std::chrono::abs(at % Duration(24h) - Duration(12h)); };
        const auto one = within(demoSpan - 10min, random);
        const auto other = within(demoSpan - 10min, random);
        arrive(service, agenda, random, begin + (noon(one) < noon(other) ? one : other), anyKind(random));
    }
    // In an outage everybody tries more often, with new keys where the old ones were refused.
    for (int i = 0; i < 70; ++i)
        arrive(service, agenda, random, end - 5h + within(45min, random), anyKind(random));
    for (int i = 0; i < 14; ++i)
        arrive(service, agenda, random, end - 42min + within(12min, random), anyKind(random));
    for (Duration at = 2h; at < demoSpan; at += 6h)
        sendAt(service, agenda, begin + at, callOf(makeRequest(RequestKind::Settlement, begin + at, random)));
    arriveForCertain(service, agenda, random, end);
}

} // namespace fencepost::app

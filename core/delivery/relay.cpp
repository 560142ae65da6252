// SPDX-License-Identifier: Apache-2.0
#include "core/delivery/relay.h"

#include <algorithm>
#include <deque>
#include <set>

#include <QEventLoop>
#include <QTimer>

#include "core/ids.h"

namespace fencepost::delivery {

namespace {

constexpr auto lookEvery = std::chrono::milliseconds(200); // at the signal to stop and at the leases
constexpr auto lastSecond = std::chrono::seconds(1);
constexpr auto awayFor = std::chrono::seconds(3); // a destination that was not tried, or does not answer
constexpr auto slowAfter = std::chrono::seconds(1); // something is on its way to it, and nothing of it ends
constexpr std::size_t mostPerPlace = 16; // deliveries for each place, those to slow destinations included
constexpr auto claimAgain = std::chrono::seconds(1); // while something is on its way
constexpr Duration longestAsked = std::chrono::hours(24);

RelayTotals operator-(RelayTotals all, const RelayTotals& before)
{
    for (const auto member : { &RelayTotals::sent, &RelayTotals::failed, &RelayTotals::dead, &RelayTotals::postponed,
             &RelayTotals::lost, &RelayTotals::disabled })
        all.*member -= before.*member;
    return all;
}

} // namespace

struct Relay::Private {
    // What is on its way to one destination.
    struct Lane {
        int busy = 0;
        bool answers = true; // false: the last that ended got no answer, and until one does it has one at a time
        Time progress; // when one last ended, or the first began
    };

    Private(store::Connection& connection, store::StoreClock clock, const TargetParts& given, RelayOptions chosen)
        : parts(given)
        , options(std::move(chosen))
        , storeClock(clock)
        , outbox(std::in_place, connection, clock)
        , owner{ uuid4(given.random) }
    {
        QObject::connect(&look, &QTimer::timeout, &loop, &QEventLoop::quit);
    }

    struct Ended {
        Parcel parcel;
        DeliveryResult result;
    };

    const std::string& destinationOf(const OutboxMessage& message) const
    {
        return options.to.empty() ? message.event.destination : options.to;
    }

    Target* targetOf(const std::string& destination)
    {
        const auto* kind = targetKindOf(schemeOf(destination));
        if (kind == nullptr)
            return nullptr;
        auto& target = targets[kind];
        if (!target) {
            target = kind->create(parts, options.target);
            if (options.around)
                target = options.around(std::move(target));
        }
        return target.get();
    }

    [[nodiscard]] int held() const { return static_cast<int>(waiting.size() + onTheirWay.size() + ended.size()); }

    [[nodiscard]] bool isSlow(const Lane& lane) const
    {
        return lane.busy > 0 && parts.steady.now() - lane.progress > slowAfter;
    }

    // On their way to destinations that answer, or were asked just now. One that hangs has no place: it would take that
    // of all others.
    [[nodiscard]] int places() const
    {
        int taken = 0;
        for (const auto& [destination, lane] : lanes)
            if (!isSlow(lane))
                taken += lane.busy;
        return taken;
    }

    [[nodiscard]] bool isFull() const
    {
        return places() >= options.concurrency
            || onTheirWay.size() >= mostPerPlace * static_cast<std::size_t>(options.concurrency);
    }

    [[nodiscard]] bool hasRoom(const Lane& lane) const
    {
        return lane.busy < (lane.answers ? options.perDestination : 1);
    }

    Status claim(const std::function<void(const Relayed&)>& report)
    {
        const int room = options.batch - static_cast<int>(waiting.size() + ended.size()) - places();
        if (stopping || dry || room <= 0)
            return {};
        bool died = false;
        auto claimed = outbox->claim({ .owner = owner,
                                         .lease = options.lease,
                                         .batch = room,
                                         .schemes = targetSchemes(),
                                         .maxAttempts = options.schedule.attempts,
                                         .deadHead = options.deadHead },
            [&](const OutboxMessage& message) {
                died = true;
                ++totals.dead;
                const auto& last = message.attempts.back();
                report({ message, Delivered::NotTried, message.state, last.code, last.error });
            });
        if (!claimed)
            return claimed.error();
        // A claim that met nothing but what nobody can send tells nothing of the rest.
        dry = claimed->empty() && !died;
        claimedAt = parts.steady.now();
        // What lapsed under us while this program stood still is on its way all the same.
        for (auto& message : *claimed)
            if (onTheirWay.count(message.seq) == 0)
                waiting.push_back(std::move(message));
        return {};
    }

    // The first that waits whose destination has room.
    Status begin()
    {
        for (auto next = waiting.begin(); next != waiting.end();) {
            if (isFull())
                return {};
            auto& lane = lanes[destinationOf(*next)];
            if (!hasRoom(lane)) {
                ++next;
                continue;
            }
            auto payload = outbox->payload(next->seq);
            if (!payload && payload.error().failure == Failure::NotFound) {
                // Somebody has deleted it.
                ++totals.lost;
                next = waiting.erase(next);
                continue;
            }
            if (!payload)
                return payload.error();
            if (lane.busy++ == 0)
                lane.progress = parts.steady.now();
            auto parcel = std::make_shared<Parcel>(Parcel{ std::move(*next), std::move(*payload), {} });
            parcel->destination = destinationOf(parcel->message);
            next = waiting.erase(next);
            onTheirWay.insert(parcel->message.seq);
            // Whoever wrote the row by other means was not told.
            if (auto why = whyMalformed(parcel->message.event)) {
                end(*parcel, { Delivered::Failed, "request", std::move(*why), {}, false });
                continue;
            }
            auto* target = targetOf(parcel->destination);
            if (target == nullptr) {
                end(*parcel, { Delivered::Failed, "target", "there is no target for this destination", {}, false });
                continue;
            }
            target->deliver(*parcel, [this, parcel](const DeliveryResult& result) {
                end(*parcel, result);
                loop.quit();
            });
        }
        return {};
    }

    void end(Parcel& parcel, const DeliveryResult& result)
    {
        onTheirWay.erase(parcel.message.seq);
        auto& lane = lanes[parcel.destination];
        --lane.busy;
        lane.answers = result.delivered != Delivered::NotTried && result.code != "timeout";
        lane.progress = parts.steady.now();
        // The places are counted for each message: only what is on its way, or was silent, is worth remembering.
        if (lane.busy == 0 && lane.answers)
            lanes.erase(parcel.destination);
        ended.push_back({ std::move(parcel), result });
    }

    // Gives all that waits for this destination back, to be due again later.
    Status postpone(const std::string& destination, Duration delay)
    {
        std::vector<std::int64_t> seqs;
        std::erase_if(waiting, [&](const OutboxMessage& message) {
            const bool same = destinationOf(message) == destination;
            if (same)
                seqs.push_back(message.seq);
            return same;
        });
        if (seqs.empty())
            return {};
        const auto back = outbox->postpone(seqs, owner, delay);
        if (!back)
            return back.error();
        totals.postponed += static_cast<std::int64_t>(back->size());
        return {};
    }

    // One that hangs must not fill what is claimed.
    Status makeRoom()
    {
        std::set<std::string> slow;
        for (const auto& message : waiting)
            if (const auto& lane = lanes[destinationOf(message)]; isSlow(lane) && !hasRoom(lane))
                slow.insert(destinationOf(message));
        for (const auto& destination : slow)
            if (auto status = postpone(destination, awayFor); !status)
                return status;
        return {};
    }

    // What ended together is marked together. What is marked is forgotten at once, so that none of it is marked again
    // behind an error.
    Status settle(const std::function<void(const Relayed&)>& report)
    {
        // Whoever waited for the head of a key may be due now; so may what was added while something hangs.
        if (!ended.empty() || parts.steady.now() - claimedAt > claimAgain)
            dry = false;
        const auto isAccepted = [](const Ended& each) { return each.result.delivered == Delivered::Accepted; };
        std::vector<std::int64_t> accepted;
        for (const auto& each : ended)
            if (isAccepted(each))
                accepted.push_back(each.parcel.message.seq);
        if (!accepted.empty()) {
            const auto marked = outbox->sent(accepted, owner);
            if (!marked)
                return marked.error();
            for (const auto& each : ended) {
                if (!isAccepted(each))
                    continue;
                const auto& message = each.parcel.message;
                const bool mine = std::binary_search(marked->begin(), marked->end(), message.seq);
                ++(mine ? totals.sent : totals.lost);
                if (mine)
                    report({ message, each.result.delivered, OutboxState::Sent, each.result.code, {} });
            }
            std::erase_if(ended, isAccepted);
        }
        while (!ended.empty()) {
            if (auto status = settleOne(ended.front().parcel, ended.front().result, report); !status)
                return status;
            ended.pop_front();
        }
        return {};
    }

    Status settleOne(
        const Parcel& parcel, const DeliveryResult& result, const std::function<void(const Relayed&)>& report)
    {
        const auto seq = parcel.message.seq;
        const auto asked = result.asked ? std::optional(std::min(*result.asked, longestAsked)) : std::nullopt;
        if (result.delivered == Delivered::NotTried) {
            const auto delay = std::max<Duration>(asked.value_or(awayFor), awayFor);
            if (auto status = postpone(parcel.destination, delay); !status)
                return status;
            const auto back = outbox->postpone({ seq }, owner, delay);
            if (!back)
                return back.error();
            ++totals.postponed;
            report({ parcel.message, result.delivered, OutboxState::Pending, result.code, result.error });
            return {};
        }
        // Where everything goes to one address, it is not the destination that answered.
        const bool gone = result.delivered == Delivered::Gone && options.to.empty();
        if (gone) {
            const auto disabled = outbox->disable(parcel.destination, options.by, result.error);
            if (!disabled)
                return disabled.error();
            totals.disabled += *disabled ? 1 : 0;
            // They wait until it is enabled.
            if (auto status = postpone(parcel.destination, Duration(0)); !status)
                return status;
        }
        const auto after = outbox->undelivered(seq, owner,
            { .code = result.code,
                .error = result.error,
                .retryable = result.retryable && !gone,
                .delay = retry::delayAfter(options.schedule, parcel.message.attempt, asked, parts.random) },
            options.schedule.attempts);
        if (!after)
            return after.error();
        if (!*after) {
            ++totals.lost;
            return {};
        }
        ++((*after)->state == OutboxState::Dead ? totals.dead : totals.failed);
        report({ **after, result.delivered, (*after)->state, result.code, result.error });
        return {};
    }

    // All that is claimed and not ended, in time before somebody else may take it.
    Status renew()
    {
        const auto now = parts.steady.now();
        if (now < renewAt || held() == 0)
            return {};
        renewAt = now + options.lease / 3;
        std::vector<std::int64_t> seqs(onTheirWay.begin(), onTheirWay.end());
        for (const auto& message : waiting)
            seqs.push_back(message.seq);
        const auto renewed = outbox->renew(seqs, owner, options.lease);
        if (!renewed)
            return renewed.error();
        // Somebody else took it while this program stood still: to begin it would break the order of its key.
        std::erase_if(waiting, [&](const OutboxMessage& message) {
            return !std::binary_search(renewed->begin(), renewed->end(), message.seq);
        });
        return {};
    }

    Status giveBack()
    {
        std::vector<std::int64_t> seqs;
        for (const auto& message : std::exchange(waiting, {}))
            seqs.push_back(message.seq);
        if (seqs.empty())
            return {};
        const auto back = outbox->release(seqs, owner);
        return back ? Status() : Status(back.error());
    }

    void wait()
    {
        look.start(lookEvery);
        loop.exec();
        look.stop();
        // What ends at the same time is marked at the same time.
        loop.processEvents();
    }

    QEventLoop loop; // before everything that has a timer: a thread of the standard library has none without it
    QTimer look;
    const TargetParts parts;
    const RelayOptions options;
    const store::StoreClock storeClock;
    std::optional<store::Outbox> outbox;
    const Owner owner;
    std::map<const TargetKind*, std::unique_ptr<Target>> targets;
    std::deque<OutboxMessage> waiting; // claimed and not begun
    std::set<std::int64_t> onTheirWay;
    std::deque<Ended> ended;
    RelayTotals totals; // of all passes
    std::map<std::string, Lane> lanes;
    Time claimedAt{};
    Time renewAt{};
    bool dry = false; // the last claim found nothing
    bool stopping = false;
};

Relay::Relay(store::Connection& connection, store::StoreClock clock, const TargetParts& parts, RelayOptions options)
    : d(std::make_unique<Private>(connection, clock, parts, std::move(options)))
{
}

Relay::~Relay() = default;

Result<RelayTotals> Relay::pass(const std::function<void(const Relayed&)>& report, const std::function<bool()>& stop)
{
    if (d->options.batch < 1 || d->options.concurrency < 1 || d->options.perDestination < 1)
        return invalid("A relay sends at least one message at a time");
    const auto before = d->totals;
    std::optional<Time> stopAt;
    // Before anything is claimed: what was accepted during an outage would be claimed and sent once more.
    if (const auto settled = d->settle(report); !settled)
        return settled.error();
    d->dry = false;
    d->stopping = false;
    // What an error has left here may be somebody else's by now.
    d->renewAt = d->held() > 0 ? Time() : d->parts.steady.now() + d->options.lease / 3;
    while (true) {
        if (!d->stopping && stop()) {
            d->stopping = true;
            stopAt = d->parts.steady.now() + lastSecond;
            if (const auto back = d->giveBack(); !back)
                return back.error();
        }
        if (const auto renewed = d->renew(); !renewed)
            return renewed.error();
        if (const auto claimed = d->claim(report); !claimed)
            return claimed.error();
        if (const auto begun = d->begin(); !begun)
            return begun.error();
        if (const auto room = d->makeRoom(); !room)
            return room.error();
        if (d->ended.empty() && d->onTheirWay.empty()) {
            if (d->dry || d->stopping)
                return d->totals - before;
            continue;
        }
        if (d->ended.empty())
            d->wait();
        if (const auto settled = d->settle(report); !settled)
            return settled.error();
        if (stopAt && d->parts.steady.now() >= *stopAt)
            return d->totals - before;
    }
}

const RelayTotals& Relay::totals() const
{
    return d->totals;
}

void Relay::use(store::Connection& connection)
{
    d->outbox.emplace(connection, d->storeClock);
}

} // namespace fencepost::delivery

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/demo/deliveries.h"

#include <array>

#include "app/demo/requests.h"
#include "app/demo/story.h"
#include "core/protocol/fingerprint.h"

namespace fencepost::app {

namespace {

using namespace std::chrono_literals;

constexpr auto lease = 30s;
constexpr int maxAttempts = 5;

// How often its handler fails before it works.
struct Handling {
    int failures = 0;
    bool dies = false; // the first handler never comes back
};

struct Event {
    Delivery delivery;
    Handling handling;
};

class Handler {
public:
    Handler(store::Inbox& inbox, Agenda& agenda, Random& random)
        : m_inbox(inbox)
        , m_agenda(agenda)
        , m_random(random)
    {
    }

    Status accept(const std::shared_ptr<Event>& event)
    {
        const auto accepted = m_inbox.accept(event->delivery);
        return accepted ? Status() : Status(accepted.error());
    }

    Status deliver(const std::shared_ptr<Event>& event)
    {
        const Owner owner{ uuid4(m_random) };
        const auto received = m_inbox.receive(event->delivery, { owner, lease, maxAttempts });
        if (!received)
            return received.error();
        if (received->reception != Reception::Process)
            return {};
        if (event->handling.dies) {
            event->handling.dies = false;
            again(event, lease + 15s);
            return {};
        }
        m_agenda.in(200ms + Duration(m_random.below(900'000)), [this, event, owner] { return finish(event, owner); });
        return {};
    }

private:
    Status finish(const std::shared_ptr<Event>& event, const Owner& owner)
    {
        if (event->handling.failures-- > 0) {
            const auto delay = 30s * (1 << m_random.below(4));
            const auto failed = m_inbox.fail(
                event->delivery, owner, { "handler", "the ledger did not answer", true, delay }, maxAttempts);
            if (!failed)
                return failed.error();
            again(event, delay + 1s);
            return {};
        }
        const auto settled = m_inbox.settle(event->delivery.id, owner, "ok");
        return settled ? Status() : Status(settled.error());
    }

    void again(const std::shared_ptr<Event>& event, Duration delay)
    {
        m_agenda.in(delay, [this, event] { return deliver(event); });
    }

    store::Inbox& m_inbox;
    Agenda& m_agenda;
    Random& m_random;
};

constexpr std::array types = { "charge.succeeded", "charge.succeeded", "refund.succeeded", "payout.paid" };

std::shared_ptr<Event> makeEvent(Random& random)
{
    auto event = std::make_shared<Event>();
    const std::string type = types[random.below(types.size())];
    const auto id = token("evt_", 16, random);
    auto& delivery = event->delivery;
    delivery.id = { random.below(4) == 0 ? "analytics" : "ledger", "stripe", id };
    delivery.type = type;
    delivery.payload = R"({"id":")" + id + R"(","type":")" + type + "\"}";
    delivery.payloadHash = payloadDigest(*delivery.payload);
    delivery.dedupeKey = delivery.id.consumer + ":" + type + ":" + token("ch_", 14, random);
    delivery.correlationId = token("req_", 16, random);
    return event;
}

} // namespace

void writeDeliveries(store::Inbox& inbox, Agenda& agenda, Random& random, Time end)
{
    const auto handler = std::make_shared<Handler>(inbox, agenda, random);
    const auto deliverAt = [&](Time at, const std::shared_ptr<Event>& event) {
        agenda.at(at, [handler, event] { return handler->accept(event); });
        agenda.at(at + 20ms, [handler, event] { return handler->deliver(event); });
    };
    for (int i = 0; i < 90; ++i) {
        const auto at = end - demoSpan + Duration(random.below(static_cast<std::uint64_t>(Duration(demoSpan).count())));
        const auto event = makeEvent(random);
        const auto dice = random.below(100);
        const bool outage = forecast(at, end) == Weather::Outage;
        event->handling.failures = dice < 3 ? maxAttempts
            : dice < 12 || outage           ? 1 + static_cast<int>(random.below(3))
                                            : 0;
        event->handling.dies = dice >= 12 && dice < 16;
        deliverAt(at, event);
        // At least once means sometimes twice.
        if (dice >= 70)
            for (std::uint64_t again = 0; again <= random.below(3); ++again)
                deliverAt(at + 1s + Duration(random.below(3'600'000'000)), event);
    }
    // At the end one is failing, one is being handled, and some have just arrived.
    const auto failing = makeEvent(random);
    failing->handling.failures = 3;
    deliverAt(end - 20s, failing);
    const auto running = makeEvent(random);
    running->handling.dies = true;
    deliverAt(end - 10s, running);
    for (int i = 1; i <= 4; ++i) {
        const auto waiting = makeEvent(random);
        agenda.at(end - i * 2s, [handler, waiting] { return handler->accept(waiting); });
    }
}

} // namespace fencepost::app

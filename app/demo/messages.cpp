// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/demo/messages.h"

#include <map>

#include "app/demo/requests.h"
#include "app/demo/story.h"
#include "core/protocol/fingerprint.h"

namespace fencepost::app {

namespace {

using namespace std::chrono_literals;

constexpr auto source = "/payments";
constexpr auto relayLease = 30s;
// Its consumer books in batches: what it has begun stays with it for long.
constexpr auto bookingLease = 15min;
constexpr int maxSendings = 4;
constexpr int maxHandlings = 5;

// What becomes of an event on its way.
enum class Ending {
    Arrives,
    Refused, // nobody listens there, until the partner is back
    Closed, // nobody knows that host any more
    Broken, // the endpoint fails, nobody knows how far it came
    AnswerLost, // the consumer processed it, and nobody heard of it
    StillBooked, // the consumer has begun, and the relay has given up waiting
};

class Courier {
public:
    Courier(store::Outbox& outbox, store::Inbox& inbox, Agenda& agenda, Random& random, Time partnerListens)
        : m_outbox(outbox)
        , m_inbox(inbox)
        , m_agenda(agenda)
        , m_random(random)
        , m_partnerListens(partnerListens)
    {
    }

    Status add(const OutboxEvent& event, Ending ending)
    {
        m_endings[event.eventId] = ending;
        if (const auto added = m_outbox.add(event); !added)
            return added.error();
        passIn(1s);
        return {};
    }

    Status pass()
    {
        const Owner relay{ uuid4(m_random) };
        const auto claimed = m_outbox.claim(
            { .owner = relay, .lease = relayLease, .batch = 20, .schemes = { "https" }, .maxAttempts = maxSendings });
        if (!claimed)
            return claimed.error();
        for (const auto& message : *claimed)
            if (auto status = send(message, relay); !status)
                return status;
        return {};
    }

private:
    void passIn(Duration delay)
    {
        m_agenda.in(delay, [this] { return pass(); });
    }

    Status send(const OutboxMessage& message, const Owner& relay)
    {
        switch (m_endings[message.event.eventId]) {
        case Ending::Arrives:
            return arrived(message, relay);
        case Ending::Refused:
            if (m_agenda.now() >= m_partnerListens && !isStillRefused(message.event.eventId))
                return arrived(message, relay);
            return failed(message, relay, "connection", "Connection refused");
        case Ending::Closed:
            return failed(message, relay, "connection", "Host search.internal not found");
        case Ending::Broken:
            return failed(message, relay, "500", "the endpoint answered 500");
        case Ending::AnswerLost:
            if (auto status = book(message, true); !status)
                return status;
            return failed(message, relay, "timeout", "the endpoint did not answer within 20s");
        case Ending::StillBooked:
            if (message.attempt < maxSendings)
                return failed(message, relay, "connection", "Connection refused");
            if (auto status = book(message, false); !status)
                return status;
            return failed(message, relay, "timeout", "the endpoint did not answer within 20s");
        }
        return {};
    }

    // One of those that come back: a replay seldom mends everything.
    bool isStillRefused(const std::string& eventId)
    {
        constexpr std::size_t lucky = 6;
        if (m_refused.size() <= lucky)
            m_refused.try_emplace(eventId, m_refused.size() == lucky);
        const auto found = m_refused.find(eventId);
        return found != m_refused.end() && found->second;
    }

    Status arrived(const OutboxMessage& message, const Owner& relay)
    {
        const auto sent = m_outbox.sent({ message.seq }, relay);
        // The next of its key is due now.
        if (sent && message.event.orderingKey)
            passIn(1s);
        return sent ? Status() : Status(sent.error());
    }

    Status failed(const OutboxMessage& message, const Owner& relay, const char* code, const char* error)
    {
        const auto delay = 20s * (1 << message.attempt);
        const auto after = m_outbox.undelivered(message.seq, relay, { code, error, true, delay }, maxSendings);
        if (!after)
            return after.error();
        if (*after && (*after)->state == OutboxState::Pending)
            passIn(delay + 1s);
        return {};
    }

    // At the consumer, which keeps its inbox in the same database.
    Status book(const OutboxMessage& message, bool toTheEnd)
    {
        auto payload = m_outbox.payload(message.seq);
        if (!payload)
            return payload.error();
        Delivery delivery;
        delivery.id = { "ledger", source, message.event.eventId };
        delivery.type = message.event.type;
        delivery.destination = message.event.destination;
        delivery.payloadHash = payloadDigest(*payload);
        delivery.payload = std::move(*payload);
        delivery.correlationId = message.event.correlationId;
        const Owner handler{ uuid4(m_random) };
        const auto received = m_inbox.receive(delivery, { handler, bookingLease, maxHandlings });
        if (!received)
            return received.error();
        if (!toTheEnd || received->reception != Reception::Process)
            return {};
        const auto settled = m_inbox.settle(delivery.id, handler, "booked");
        return settled ? Status() : Status(settled.error());
    }

    store::Outbox& m_outbox;
    store::Inbox& m_inbox;
    Agenda& m_agenda;
    Random& m_random;
    Time m_partnerListens;
    std::map<std::string, Ending> m_endings;
    std::map<std::string, bool> m_refused; // the first who came back: whether the partner refuses it still
};

constexpr auto refundTakes = 2s;

OutboxEvent makeEvent(Random& random, const char* destination)
{
    OutboxEvent event;
    event.eventId = token("evt_", 16, random);
    event.destination = destination;
    event.source = source;
    event.type = "refund.succeeded";
    event.aggregateType = "refund";
    event.aggregateId = token("rf_", 14, random);
    event.correlationId = token("req_", 16, random);
    event.payload = R"({"id":")" + event.eventId + R"(","refund_id":")" + event.aggregateId + R"(","amount":)"
        + std::to_string(100 + random.below(90'000)) + R"(,"currency":"usd"})";
    event.headers = { { "content-type", "application/json" } };
    return event;
}

struct Stream {
    Ending ending;
    const char* destination;
    int events;
};

constexpr auto ledger = "https://ledger.internal/events";
constexpr auto partner = "https://hooks.partner.example/refunds";
constexpr auto index = "https://search.internal/refunds";
constexpr auto mail = "https://mail.internal/receipts";

// A consumer that gives events up, and one event that comes again with another amount.
Status giveUp(store::Inbox& inbox, Agenda& agenda, const std::shared_ptr<Delivery>& delivery, int handling)
{
    const Owner handler{ "7d9f6d2e-0000-4000-8000-00000000000" + std::to_string(handling) };
    const auto received = inbox.receive(*delivery, { handler, relayLease, maxHandlings });
    if (!received)
        return received.error();
    if (received->reception != Reception::Process)
        return {};
    const auto failed = inbox.fail(*delivery, handler,
        { "handler", "no template for the receipt " + delivery->id.eventId, true, 60s }, maxHandlings);
    if (!failed)
        return failed.error();
    if (handling < maxHandlings)
        agenda.in(61s, [&inbox, &agenda, delivery, handling] { return giveUp(inbox, agenda, delivery, handling + 1); });
    return {};
}

std::shared_ptr<Delivery> makeDelivery(Random& random)
{
    auto delivery = std::make_shared<Delivery>();
    const auto event = makeEvent(random, mail);
    delivery->id = { "mail", source, event.eventId };
    delivery->type = event.type;
    delivery->destination = mail;
    delivery->payload = event.payload;
    delivery->payloadHash = payloadDigest(event.payload);
    delivery->correlationId = event.correlationId;
    return delivery;
}

} // namespace

std::function<Status()> writeMessages(
    Service& service, store::Outbox& outbox, store::Inbox& inbox, Agenda& agenda, Random& random, Time end)
{
    const auto courier = std::make_shared<Courier>(outbox, inbox, agenda, random, end - partnerIsBack);
    // The refund comes first, under a key of its own.
    const auto sendAt = [&](Time at, OutboxEvent event, Ending ending) {
        const auto call = std::make_shared<Call>();
        call->request = makeRequest(RequestKind::Refund, at - refundTakes, random);
        call->fate = Fate::Succeeds;
        event.record = call->request.id;
        event.correlationId = call->request.correlationId;
        agenda.at(at - refundTakes, [&service, call] { return service.send(call); });
        agenda.at(at, [courier, event, ending] { return courier->add(event, ending); });
    };
    const auto sometime = [&](Duration before) {
        return end - demoSpan + Duration(random.below(static_cast<std::uint64_t>((demoSpan - before).count())));
    };
    for (const auto& stream : { Stream{ Ending::Arrives, ledger, 30 }, Stream{ Ending::Arrives, partner, 10 },
             Stream{ Ending::Refused, partner, 9 }, Stream{ Ending::Closed, index, 11 },
             Stream{ Ending::Broken, mail, 6 }, Stream{ Ending::AnswerLost, ledger, 4 } })
        for (int i = 0; i < stream.events; ++i)
            sendAt(sometime(1h), makeEvent(random, stream.destination), stream.ending);
    // What the consumer is at when the history ends: the last attempt is a moment old.
    constexpr auto threeDelays = 20s * (2 + 4 + 8) + 4s;
    for (int i = 0; i < 2; ++i)
        sendAt(end - threeDelays - 20s - i * 7s, makeEvent(random, ledger), Ending::StillBooked);
    // One key whose head is dead, so that what came after it waits.
    auto head = makeEvent(random, mail);
    head.orderingKey = head.aggregateId;
    sendAt(end - 3h, head, Ending::Broken);
    for (int i = 1; i <= 3; ++i) {
        auto behind = makeEvent(random, mail);
        behind.orderingKey = head.orderingKey;
        behind.aggregateId = head.aggregateId;
        sendAt(end - 3h + i * 10min, behind, Ending::Arrives);
    }
    for (int i = 0; i < 5; ++i) {
        const auto delivery = makeDelivery(random);
        agenda.at(sometime(1h), [&inbox, &agenda, delivery] { return giveUp(inbox, agenda, delivery, 1); });
    }
    for (int i = 0; i < 2; ++i) {
        const auto first = makeDelivery(random);
        const auto second = std::make_shared<Delivery>(*first);
        second->payload->insert(1, R"("resent":true,)");
        second->payloadHash = payloadDigest(*second->payload);
        const auto at = sometime(1h);
        agenda.at(at, [&inbox, first] {
            const auto accepted = inbox.accept(*first);
            return accepted ? Status() : Status(accepted.error());
        });
        agenda.at(at + 5min, [&inbox, second] {
            const auto accepted = inbox.accept(*second);
            return accepted ? Status() : Status(accepted.error());
        });
    }
    // On their way when the history ends.
    for (int i = 1; i <= 3; ++i)
        sendAt(end - i * 100ms, makeEvent(random, ledger), Ending::Arrives);
    return [courier] { return courier->pass(); };
}

} // namespace fencepost::app

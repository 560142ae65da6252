// SPDX-License-Identifier: Apache-2.0
#include "core/delivery/event_consumer.h"

#include <algorithm>

#include "core/ids.h"

namespace fencepost::delivery {

namespace {

constexpr Duration shortestDelay = std::chrono::milliseconds(100); // the inbox's clock and the broker's are two

// Of what is at work: the lease in the inbox, and the broker's patience.
class Keeper {
public:
    Keeper(Source& source, store::Inbox& inbox, const Clock& steady, InboxId id, Owner owner, Duration lease)
        : m_source(source)
        , m_inbox(inbox)
        , m_steady(steady)
        , m_id(std::move(id))
        , m_owner(std::move(owner))
        , m_lease(lease)
        , m_triedAt(steady.now())
        , m_renewedAt(m_triedAt)
    {
    }

    // A store that cannot be reached is asked again until the lease is over.
    bool keep()
    {
        const auto now = m_steady.now();
        if (m_lost || now - m_triedAt < m_lease / 3)
            return !m_lost;
        m_triedAt = now;
        const auto renewed = m_inbox.renew(m_id, m_owner, m_lease);
        m_lost = renewed ? !*renewed : now - m_renewedAt >= m_lease;
        if (renewed && *renewed)
            m_renewedAt = now;
        // Where the broker does not hear it, it delivers once more, and the inbox knows that it is at work.
        if (!m_lost)
            static_cast<void>(m_source.extend());
        return !m_lost;
    }

private:
    Source& m_source;
    store::Inbox& m_inbox;
    const Clock& m_steady;
    const InboxId m_id;
    const Owner m_owner;
    const Duration m_lease;
    Time m_triedAt;
    Time m_renewedAt;
    bool m_lost = false;
};

} // namespace

EventConsumer::EventConsumer(
    Source& source, store::Inbox& inbox, const Clock& steady, Random& random, ConsumerOptions options)
    : m_source(source)
    , m_inbox(inbox)
    , m_steady(steady)
    , m_random(random)
    , m_options(std::move(options))
{
}

Result<std::optional<Consumed>> EventConsumer::handleNext(
    Duration patience, const Handler& handler, const InboxEffect& effect)
{
    auto delivery = m_source.next(patience);
    if (!delivery)
        return delivery.error();
    if (!*delivery)
        return std::optional<Consumed>();
    Consumed consumed;
    consumed.delivery = std::move(**delivery);
    auto handled = handle(std::move(consumed), handler, effect);
    if (!handled)
        return handled.error();
    return std::optional(std::move(*handled));
}

Result<Consumed> EventConsumer::handle(Consumed consumed, const Handler& handler, const InboxEffect& effect)
{
    const Owner owner{ uuid4(m_random) };
    const auto received = m_inbox.receive(consumed.delivery, { owner, m_options.lease, m_options.maxAttempts });
    if (!received)
        return received.error();
    consumed.reason = received->reason;
    consumed.message = received->message;
    if (received->reception != Reception::Process) {
        consumed.outcome = wordOf(received->reception);
        if (isAcknowledged(received->reception))
            acknowledge(consumed);
        else
            static_cast<void>(m_source.deliverAgain(std::max(received->wait, shortestDelay)));
        return consumed;
    }
    Keeper keeper(m_source, m_inbox, m_steady, consumed.delivery.id, owner, m_options.lease);
    consumed.failure = handler(
        { consumed.delivery, received->message ? received->message->attempt : 1, [&keeper] { return keeper.keep(); } });
    return consumed.failure ? fail(std::move(consumed), owner) : settle(std::move(consumed), owner, effect);
}

Result<Consumed> EventConsumer::settle(Consumed consumed, const Owner& owner, const InboxEffect& effect)
{
    const auto settled = m_inbox.settle(consumed.delivery.id, owner, "ok",
        effect ? store::Inbox::Effect([&] { return effect(consumed.delivery); }) : nullptr);
    if (!settled)
        return settled.error();
    switch (*settled) {
    case InboxSettlement::Applied:
        consumed.outcome = "processed";
        break;
    case InboxSettlement::Overtaken:
        consumed.outcome = wordOf(Reception::Overtaken);
        consumed.reason = "a later version was applied while it was handled";
        break;
    case InboxSettlement::Lost:
        consumed.outcome = "lost";
        consumed.reason = "its lease ended while it was handled: it is somebody else's now";
        static_cast<void>(m_source.deliverAgain(m_options.lease));
        return consumed;
    }
    acknowledge(consumed);
    return consumed;
}

Result<Consumed> EventConsumer::fail(Consumed consumed, const Owner& owner)
{
    auto& failure = *consumed.failure;
    const int attempt = consumed.message ? consumed.message->attempt : 1;
    failure.delay = retry::delayAfter(m_options.schedule, attempt, {}, m_random);
    const auto after = m_inbox.fail(consumed.delivery, owner, failure, m_options.maxAttempts);
    if (!after)
        return after.error();
    if (after->settlement != InboxSettlement::Applied || !after->message) {
        consumed.outcome = "lost";
        consumed.reason = "its lease ended while it was handled: it is somebody else's now";
        static_cast<void>(m_source.deliverAgain(m_options.lease));
        return consumed;
    }
    consumed.message = after->message;
    consumed.reason = failure.error;
    const bool dead = after->message->state == InboxState::Dead;
    consumed.outcome = dead ? "dead" : "failed";
    if (dead)
        acknowledge(consumed);
    else
        static_cast<void>(m_source.deliverAgain(std::max(failure.delay, shortestDelay)));
    return consumed;
}

void EventConsumer::acknowledge(Consumed& consumed)
{
    consumed.acknowledged = m_source.acknowledge().has_value();
}

} // namespace fencepost::delivery

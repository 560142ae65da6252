// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/mailer.h"

#include <variant>

#include "app/lab/refund_event.h"

namespace fencepost::app {

namespace {

using delivery::Consumed;

constexpr auto askAgain = std::chrono::seconds(1); // where the inbox could not be asked

// A source with what befalls the receptions of its events.
class FaultySource final : public delivery::Source {
public:
    FaultySource(delivery::Source& source, Faults& faults, const std::vector<FaultSpec>& own)
        : m_source(source)
        , m_faults(faults)
        , m_own(own)
    {
    }

    [[nodiscard]] const FaultsOfRequest& drawn() const { return m_drawn; }

    Result<std::optional<Delivery>> next(Duration patience) override
    {
        auto next = m_source.next(patience);
        if (next && *next)
            m_drawn = m_faults.draw(m_own, 1, Bearer::Reception);
        return next;
    }
    Status acknowledge() override
    {
        m_drawn.reach(Point::P16);
        return m_source.acknowledge();
    }
    Status deliverAgain(Duration delay) override { return m_source.deliverAgain(delay); }
    Status extend() override { return m_source.extend(); }

private:
    delivery::Source& m_source;
    Faults& m_faults;
    const std::vector<FaultSpec>& m_own;
    FaultsOfRequest m_drawn;
};

// The refund that an event tells of, none for an event of another kind; or why that cannot be said.
std::variant<std::optional<std::string>, HandlingFailure> refundOf(const Delivery& delivery)
{
    const auto event = readEvent(delivery.payload.value_or(""));
    const auto& type = event && !event->type.empty() ? event->type : delivery.type;
    // Of no kind at all it may be anything, and be what somebody waits for.
    if (!type.empty() && type != refundSucceeded)
        return std::nullopt;
    // It does not know that a payload that it cannot read is as bad the next time, as few handlers do: the number of
    // attempts finds out what is poison.
    if (!event || event->type.empty() || event->refundId.empty())
        return HandlingFailure{ "payload", "the payload cannot be read", true, {} };
    // A signature is of the payload, not of the attributes around it: under another name it would be another event.
    if (event->id != delivery.id.eventId || event->source != delivery.id.source)
        return HandlingFailure{ "attributes", "the event is not the one that its payload tells of", false, {} };
    return event->refundId;
}

} // namespace

Mailer::Mailer(Parts parts)
    : m_parts(std::move(parts))
    , m_books(m_parts.connection)
    , m_inbox(m_parts.connection, {})
{
}

Result<std::optional<Consumed>> Mailer::handleNext(
    delivery::Source& source, Duration patience, const std::vector<FaultSpec>& own)
{
    FaultySource faulty(source, m_parts.faults, own);
    delivery::EventConsumer consumer(faulty, m_inbox, m_steady, m_random, m_parts.consumer);
    std::optional<std::string> refund;
    const auto handler = [&](const delivery::Handling& handling) -> std::optional<HandlingFailure> {
        faulty.drawn().reach(Point::P15);
        auto read = refundOf(handling.delivery);
        if (auto* failure = std::get_if<HandlingFailure>(&read))
            return std::move(*failure);
        refund = std::get<std::optional<std::string>>(std::move(read));
        return {};
    };
    const auto notify = [&](const Delivery& delivery) {
        return refund ? m_books.add(Notice{ 0, delivery.id.consumer, delivery.id.eventId, *refund, m_clock.now() })
                      : Status();
    };
    auto consumed = consumer.handleNext(patience, handler, notify);
    if (!consumed)
        static_cast<void>(source.deliverAgain(askAgain));
    else if (*consumed && (*consumed)->outcome == wordOf(Reception::Done))
        m_parts.metrics.add(
            telemetry::Counter::InboxDuplicates, { { telemetry::Label::Consumer, (*consumed)->delivery.id.consumer } });
    return consumed;
}

} // namespace fencepost::app

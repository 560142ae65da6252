// SPDX-License-Identifier: Apache-2.0
#include "core/store/inbox.h"

#include "core/in_quotes.h"
#include "core/store/in_transaction.h"
#include "core/store/judge.h"
#include "core/store/message_row.h"
#include "core/store/purge.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

// Each time somebody else was faster, and then what is there decides.
constexpr int arrivalReruns = 5;

Status check(const Delivery& delivery)
{
    if (delivery.payloadHash.size() != 32)
        return invalid("A payload's hash has 32 octets", toHex(delivery.payloadHash));
    for (const auto& [name, text] : { std::pair("consumer", &delivery.id.consumer),
             std::pair("source", &delivery.id.source), std::pair("event_id", &delivery.id.eventId) }) {
        if (text->empty())
            return invalid("A delivery names its consumer, its source and its event", name);
        if (!isUtf8(*text) || text->find('\0') != std::string::npos)
            return invalid("The names of a delivery are text", std::string(name) + " " + inQuotes(*text));
    }
    return {};
}

Status check(const Delivery& delivery, const InboxArrival& arrival)
{
    if (!isUuid(arrival.owner.uuid))
        return invalid("An owner is a UUID", arrival.owner.uuid);
    if (arrival.lease <= Duration(0) || arrival.maxAttempts < 1)
        return invalid("An event is handled for longer than nothing, and at least once");
    return check(delivery);
}

Parameters& addHead(Parameters& parameters, const InboxId& id, const std::string& subject)
{
    return parameters.text("consumer", id.consumer).text("source", id.source).text("subject", subject);
}

bool isRuleBroken(const Error& error)
{
    return error.failure == Failure::Conflict && (error.code == "23505" || error.code == "2067");
}

} // namespace

Inbox::Inbox(Connection& connection, StoreClock clock)
    : m_connection(connection)
    , m_clock(clock)
{
}

Result<Time> Inbox::now()
{
    return instantOf(m_connection, boundTime(m_connection, m_clock));
}

Result<Received> Inbox::judged(const std::function<Judged()>& once)
{
    for (int run = 0;; ++run) {
        auto received = inTransaction(m_connection, once);
        // The effect of two events is one: whoever came second finds the first when it asks again.
        if (!received && !(isRuleBroken(received.error()) && run < arrivalReruns))
            return received.error();
        if (received && *received)
            return std::move(**received);
        if (run >= arrivalReruns)
            return Error{ Failure::Unavailable, "Others were faster again and again", {} };
    }
}

Result<Received> Inbox::accept(const Delivery& delivery)
{
    if (const auto checked = check(delivery); !checked)
        return checked.error();
    return judged([&] { return acceptOnce(delivery); });
}

Result<Received> Inbox::receive(const Delivery& delivery, const InboxArrival& arrival)
{
    if (const auto checked = check(delivery, arrival); !checked)
        return checked.error();
    return judged([&] { return receiveOnce(delivery, arrival); });
}

Inbox::Judged Inbox::acceptOnce(const Delivery& delivery)
{
    auto message = findInbox(m_connection, delivery.id, true);
    if (!message)
        return message.error();
    const auto at = now();
    if (!at)
        return at.error();
    return carryOut({ *message, {}, {} }, delivery, decideAccepted(*message, delivery, *at), *at);
}

Inbox::Judged Inbox::receiveOnce(const Delivery& delivery, const InboxArrival& arrival)
{
    InboxView view;
    auto message = findInbox(m_connection, delivery.id, true);
    if (!message)
        return message.error();
    view.message = std::move(*message);
    // What the first delivery said about itself counts, as it is what the row says.
    const auto& dedupeKey = view.message ? view.message->dedupeKey : delivery.dedupeKey;
    const auto subject = view.message ? view.message->subject : historyOf(delivery);
    if (dedupeKey) {
        auto same = findSameEffect(m_connection, delivery.id, *dedupeKey);
        if (!same)
            return same.error();
        view.sameEffect = std::move(*same);
    }
    const auto latest = head(delivery.id, subject, false);
    if (!latest)
        return latest.error();
    view.head = *latest;
    // Behind the locks, so that a lease that ended while this waited for them has ended.
    const auto at = now();
    if (!at)
        return at.error();
    return carryOut(view, delivery, decideArrival(view, delivery, arrival, *at), *at);
}

Inbox::Judged Inbox::carryOut(const InboxView& view, const Delivery& delivery, InboxDecision decision, Time now)
{
    if (decision.lapsed)
        if (const auto put = putInbox(m_connection, *decision.lapsed); !put)
            return put.error();
    if (decision.message && view.message) {
        if (const auto put = putInbox(m_connection, *decision.message); !put)
            return put.error();
    } else if (decision.message) {
        const auto inserted = insertInbox(m_connection, *decision.message);
        if (!inserted)
            return inserted.error();
        if (!*inserted)
            return std::optional<Received>();
    }
    const bool died = decision.reception == Reception::Dead && decision.message
        && (!view.message || view.message->state != InboxState::Dead);
    if (died)
        if (const auto added = addDeadLetter(m_connection, deadLetterOf(*decision.message, delivery, now)); !added)
            return added.error();
    if (decision.reception == Reception::Conflict)
        if (const auto added = addDeadLetter(m_connection, conflictLetterOf(*view.message, delivery, now)); !added)
            return added.error();
    auto message = decision.message ? std::move(decision.message) : view.message;
    if (decision.reception == Reception::Conflict)
        message.reset();
    return std::optional(Received{ decision.reception, std::move(decision.reason), decision.wait, std::move(message) });
}

Result<std::optional<std::int64_t>> Inbox::head(
    const InboxId& id, const std::optional<std::string>& subject, bool locked)
{
    std::optional<std::int64_t> version;
    if (!subject)
        return version;
    Parameters parameters;
    addHead(parameters, id, *subject);
    // Nothing can be locked that is not there.
    if (locked)
        if (const auto made = m_connection.native().run(sql::inbox_head_make, parameters); !made)
            return made.error();
    const auto found = m_connection.native().run(locked ? sql::inbox_head_locked : sql::inbox_head, parameters,
        [&](const NativeRow& row) { version = row.optionalInteger(0); });
    if (!found)
        return found.error();
    return version;
}

Result<InboxSettlement> Inbox::settle(
    const InboxId& id, const Owner& owner, const std::string& result, const Effect& effect)
{
    return inTransaction(m_connection, [&]() -> Result<InboxSettlement> {
        InboxView view;
        auto message = findInbox(m_connection, id, true);
        if (!message)
            return message.error();
        view.message = std::move(*message);
        const bool versioned = view.message && view.message->subject && view.message->version;
        if (versioned) {
            const auto latest = head(id, view.message->subject, true);
            if (!latest)
                return latest.error();
            view.head = *latest;
        }
        const auto at = now();
        if (!at)
            return at.error();
        const auto settled = decideProcessed(view, owner, result, *at);
        // The locks are held until the commit, so what was decided holds for the effect as well.
        if (settled.settlement == InboxSettlement::Applied && effect)
            if (const auto done = effect(); !done)
                return done.error();
        if (settled.message)
            if (const auto put = putInbox(m_connection, *settled.message); !put)
                return put.error();
        if (settled.settlement == InboxSettlement::Applied && versioned) {
            Parameters parameters;
            addHead(parameters, id, *view.message->subject).integer("version", view.message->version);
            if (const auto set = m_connection.native().run(sql::inbox_head_set, parameters); !set)
                return set.error();
        }
        return settled.settlement;
    });
}

Result<InboxSettled> Inbox::fail(
    const Delivery& delivery, const Owner& owner, const HandlingFailure& failure, int maxAttempts)
{
    return inTransaction(m_connection, [&]() -> Result<InboxSettled> {
        const auto message = findInbox(m_connection, delivery.id, true);
        if (!message)
            return message.error();
        const auto at = now();
        if (!at)
            return at.error();
        auto settled = decideFailed(*message, owner, failure, maxAttempts, *at);
        if (!settled.message)
            return settled;
        if (const auto put = putInbox(m_connection, *settled.message); !put)
            return put.error();
        if (settled.message->state == InboxState::Dead)
            if (const auto added = addDeadLetter(m_connection, deadLetterOf(*settled.message, delivery, *at)); !added)
                return added.error();
        return settled;
    });
}

Result<bool> Inbox::renew(const InboxId& id, const Owner& owner, Duration lease)
{
    Parameters parameters;
    addInboxId(parameters, id)
        .text("owner", owner.uuid)
        .integer("lease", lease.count())
        .time("now", boundTime(m_connection, m_clock));
    return inTransaction(m_connection, [&]() -> Result<bool> {
        const auto done = m_connection.native().run(sql::inbox_renew, parameters);
        if (!done)
            return done.error();
        return *done > 0;
    });
}

Result<std::optional<InboxMessage>> Inbox::find(const InboxId& id)
{
    return findInbox(m_connection, id, false);
}

Result<int> Inbox::purge(Duration retention, int batch)
{
    return purgeBy(m_connection, m_clock, { &sql::inbox_purge, &sql::inbox_purge_given_up }, retention, batch);
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#include "core/store/outbox.h"

#include <algorithm>

#include "core/in_quotes.h"
#include "core/messaging/dead_letter.h"
#include "core/protocol/ascii.h"
#include "core/store/in_transaction.h"
#include "core/store/judge.h"
#include "core/store/message_row.h"
#include "core/store/purge.h"
#include "core/store/read_rows.h"
#include "core/store/record_row.h"
#include "core/store/schema.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

// A list as the dialect reads one from a text: a JSON array, an array literal.
std::string listOf(Dialect dialect, const std::vector<std::string>& elements)
{
    const bool sqlite = dialect == Dialect::Sqlite;
    std::string text(1, sqlite ? '[' : '{');
    for (const auto& element : elements)
        text += (text.size() == 1 ? "" : ",") + element;
    return text + (sqlite ? ']' : '}');
}

std::string listOf(Dialect dialect, const std::vector<std::int64_t>& seqs)
{
    std::vector<std::string> elements;
    elements.reserve(seqs.size());
    for (const auto seq : seqs)
        elements.push_back(std::to_string(seq));
    return listOf(dialect, elements);
}

// A scheme is a token, so that nothing in it has to be escaped.
std::string schemesOf(Dialect dialect, const std::vector<std::string>& schemes)
{
    std::vector<std::string> quoted;
    for (const auto& scheme : schemes)
        quoted.push_back('"' + scheme + '"');
    return listOf(dialect, quoted);
}

Status checkOwned(const Owner& owner)
{
    return isUuid(owner.uuid) ? Status() : invalid("An owner is a UUID", owner.uuid);
}

Status check(const OutboxClaim& claim)
{
    if (const auto owned = checkOwned(claim.owner); !owned)
        return owned;
    if (claim.lease <= Duration(0) || claim.batch < 1 || claim.maxAttempts < 1)
        return invalid("A claim is for longer than nothing, of at least one message and one attempt");
    for (const auto& scheme : claim.schemes)
        if (!isToken(scheme) || scheme.find('\'') != std::string::npos)
            return invalid("That is no scheme of a destination", inQuotes(scheme));
    return {};
}

} // namespace

Outbox::Outbox(Connection& connection, StoreClock clock)
    : m_connection(connection)
    , m_clock(clock)
{
}

std::optional<Time> Outbox::bound() const
{
    return boundTime(m_connection, m_clock);
}

Result<OutboxAdded> Outbox::add(const OutboxEvent& event)
{
    if (const auto why = whyUnsendable(event))
        return invalid(*why, inQuotes(event.eventId));
    return inTransaction(m_connection, [&]() -> Result<OutboxAdded> {
        const auto seq = insertOutbox(m_connection, event, bound());
        if (!seq)
            return seq.error();
        if (*seq)
            return OutboxAdded{ **seq, false };
        OutboxAdded added{ 0, true };
        bool same = false;
        const auto found = m_connection.native().run(sql::outbox_payload_of_event,
            Parameters().text("event_id", event.eventId).text("destination", event.destination),
            [&](const NativeRow& row) {
                added.seq = row.integer(0);
                same = row.octets(1) == event.payload;
            });
        if (!found)
            return found.error();
        if (!same)
            return invalid("The event's id stands for another payload at this destination", inQuotes(event.eventId));
        return added;
    });
}

Status Outbox::settled(const OutboxMessage& message, Time now)
{
    if (const auto put = putOutbox(m_connection, message); !put)
        return put;
    if (message.state != OutboxState::Dead)
        return {};
    auto payload = outboxPayload(m_connection, message.seq);
    if (!payload)
        return payload.error();
    return addDeadLetter(m_connection, deadLetterOf(message, std::move(*payload), now));
}

Result<std::vector<OutboxMessage>> Outbox::settleLapsed(const OutboxClaim& claim)
{
    using Messages = std::vector<OutboxMessage>;
    const auto schemes = schemesOf(m_connection.dialect(), claim.schemes);
    return inTransaction(m_connection, [&]() -> Result<Messages> {
        Messages dead;
        const auto lapsed = readOutbox(m_connection, sql::outbox_lapsed,
            Parameters().text("schemes", schemes).integer("batch", claim.batch).time("now", bound()));
        if (!lapsed)
            return lapsed.error();
        if (lapsed->empty())
            return dead;
        const auto now = instantOf(m_connection, bound());
        if (!now)
            return now.error();
        for (const auto& message : *lapsed) {
            const auto after = whyUnreadable(message) ? std::optional(decideUnreadable(message, *now))
                                                      : decideLapsed(message, claim.maxAttempts, *now);
            if (!after)
                continue;
            if (const auto done = settled(*after, *now); !done)
                return done.error();
            if (after->state == OutboxState::Dead)
                dead.push_back(*after);
        }
        return dead;
    });
}

// What was claimed and cannot be read leaves the claim and is answered.
Result<std::vector<OutboxMessage>> Outbox::buryUnreadable(std::vector<OutboxMessage>& claimed)
{
    std::vector<OutboxMessage> dead;
    const auto first = std::stable_partition(claimed.begin(), claimed.end(),
        [](const OutboxMessage& message) { return !whyUnreadable(message).has_value(); });
    if (first == claimed.end())
        return dead;
    const auto now = instantOf(m_connection, bound());
    if (!now)
        return now.error();
    for (auto message = first; message != claimed.end(); ++message) {
        dead.push_back(decideUnreadable(*message, *now));
        if (const auto done = settled(dead.back(), *now); !done)
            return done.error();
    }
    claimed.erase(first, claimed.end());
    return dead;
}

// Whether a claim by time alone would walk past many messages of destinations that want nothing.
Result<bool> Outbox::owesTheDisabled()
{
    constexpr std::int64_t enough = 500;
    if (!m_indexed.value_or(false))
        return false;
    std::int64_t owed = 0;
    const auto counted =
        m_connection.native().run(sql::outbox_owed, Parameters().integer("enough", enough).time("now", bound()),
            [&](const NativeRow& row) { owed = row.integer(0); });
    return counted ? Result<bool>(owed >= enough) : Result<bool>(counted.error());
}

Result<std::vector<OutboxMessage>> Outbox::take(const OutboxClaim& claim)
{
    const auto around = owesTheDisabled();
    if (!around)
        return around.error();
    const auto schemes = schemesOf(m_connection.dialect(), claim.schemes);
    return readOutbox(m_connection, *around ? sql::outbox_claim_around : sql::outbox_claim,
        Parameters()
            .text("owner", claim.owner.uuid)
            .integer("lease", claim.lease.count())
            .text("schemes", schemes)
            .boolean("block", claim.deadHead == DeadHead::BlockKey)
            .integer("batch", claim.batch)
            .time("now", bound()),
        *around ? Planned::Anew : Planned::Once);
}

Result<std::vector<OutboxMessage>> Outbox::claim(const OutboxClaim& claim, const Died& died)
{
    if (const auto checked = check(claim); !checked)
        return checked.error();
    const auto tell = [&](const std::vector<OutboxMessage>& dead) {
        if (died)
            std::for_each(dead.begin(), dead.end(), died);
    };
    const auto lapsed = settleLapsed(claim);
    if (!lapsed)
        return lapsed.error();
    tell(*lapsed);
    // Not in a transaction of the caller's, which a refusal would end.
    if (!m_indexed && !m_connection.inTransaction()) {
        const auto status = schemaStatus(m_connection);
        m_indexed = status && status->version.value_or(0) >= schemaOfDueByDestination;
    }
    std::vector<OutboxMessage> unreadable;
    auto claimed = inTransaction(m_connection, [&]() -> Result<std::vector<OutboxMessage>> {
        auto taken = take(claim);
        if (!taken)
            return taken.error();
        auto dead = buryUnreadable(*taken);
        if (!dead)
            return dead.error();
        unreadable = std::move(*dead);
        return std::move(*taken);
    });
    if (!claimed)
        return claimed;
    tell(unreadable);
    std::sort(
        claimed->begin(), claimed->end(), [](const OutboxMessage& a, const OutboxMessage& b) { return a.seq < b.seq; });
    return claimed;
}

Result<Bytes> Outbox::payload(std::int64_t seq)
{
    return outboxPayload(m_connection, seq);
}

Result<std::vector<std::int64_t>> Outbox::changeMine(
    const NamedSql& sql, const std::vector<std::int64_t>& seqs, const Owner& owner, std::optional<Duration> lease)
{
    if (const auto checked = checkOwned(owner); !checked)
        return checked.error();
    const auto list = listOf(m_connection.dialect(), seqs);
    Parameters parameters;
    parameters.text("seqs", list).text("owner", owner.uuid).time("now", bound());
    if (lease)
        parameters.integer("lease", lease->count());
    return inTransaction(m_connection, [&]() -> Result<std::vector<std::int64_t>> {
        std::vector<std::int64_t> changed;
        const auto done = m_connection.native().run(
            sql, parameters, [&](const NativeRow& row) { changed.push_back(row.integer(0)); });
        if (!done)
            return done.error();
        std::sort(changed.begin(), changed.end());
        return changed;
    });
}

Result<std::vector<std::int64_t>> Outbox::sent(const std::vector<std::int64_t>& seqs, const Owner& owner)
{
    return changeMine(sql::outbox_sent, seqs, owner, {});
}

Result<std::vector<std::int64_t>> Outbox::renew(
    const std::vector<std::int64_t>& seqs, const Owner& owner, Duration lease)
{
    return changeMine(sql::outbox_renew, seqs, owner, lease);
}

Result<std::vector<std::int64_t>> Outbox::release(const std::vector<std::int64_t>& seqs, const Owner& owner)
{
    return changeMine(sql::outbox_release, seqs, owner, {});
}

Result<std::vector<std::int64_t>> Outbox::postpone(
    const std::vector<std::int64_t>& seqs, const Owner& owner, Duration delay)
{
    return changeMine(sql::outbox_postpone, seqs, owner, delay);
}

Result<bool> Outbox::disable(const std::string& destination, const std::string& by, const std::string& because)
{
    return inTransaction(m_connection, [&]() -> Result<bool> {
        const auto disabled = m_connection.native().run(sql::outbox_disable,
            Parameters().text("destination", destination).text("by", by).text("because", because).time("now", bound()));
        return disabled ? Result<bool>(*disabled > 0) : Result<bool>(disabled.error());
    });
}

Result<bool> Outbox::enable(const std::string& destination)
{
    return inTransaction(m_connection, [&]() -> Result<bool> {
        const auto enabled =
            m_connection.native().run(sql::outbox_enable, Parameters().text("destination", destination));
        return enabled ? Result<bool>(*enabled > 0) : Result<bool>(enabled.error());
    });
}

Result<std::vector<DisabledDestination>> Outbox::disabled()
{
    std::vector<DisabledDestination> all;
    const auto read = m_connection.native().run(sql::outbox_disabled, Parameters(), [&](const NativeRow& row) {
        all.push_back({ row.text(0), row.time(1), row.text(2), row.text(3) });
    });
    if (!read)
        return read.error();
    return all;
}

Result<std::optional<OutboxMessage>> Outbox::undelivered(
    std::int64_t seq, const Owner& owner, const DeliveryFailure& failure, int maxAttempts)
{
    return inTransaction(m_connection, [&]() -> Result<std::optional<OutboxMessage>> {
        const auto found = firstOf(readOutbox(m_connection, sql::outbox_find_locked, Parameters().integer("seq", seq)));
        if (!found)
            return found.error();
        if (!*found)
            return std::optional<OutboxMessage>();
        const auto now = instantOf(m_connection, bound());
        if (!now)
            return now.error();
        auto after = decideUndelivered(**found, owner, failure, maxAttempts, *now);
        if (after)
            if (const auto done = settled(*after, *now); !done)
                return done.error();
        return after;
    });
}

Result<std::optional<OutboxMessage>> Outbox::find(std::int64_t seq)
{
    return firstOf(readOutbox(m_connection, sql::outbox_find, Parameters().integer("seq", seq)));
}

Result<std::vector<OutboxMessage>> Outbox::ofRecord(const RecordId& record)
{
    Parameters parameters;
    addKey(parameters, record);
    return readOutbox(m_connection, sql::outbox_of_record, parameters);
}

Result<Outbox::Unserved> Outbox::unservedBy(const NamedSql& sql, const Parameters& parameters)
{
    Unserved unserved;
    const auto read = m_connection.native().run(sql, parameters, [&](const NativeRow& row) {
        unserved.messages = row.integer(0);
        unserved.destination = row.optionalText(1).value_or("");
    });
    if (!read)
        return read.error();
    return unserved;
}

Result<Outbox::Unserved> Outbox::unserved(const std::vector<std::string>& schemes)
{
    const auto text = schemesOf(m_connection.dialect(), schemes);
    return unservedBy(sql::outbox_unserved, Parameters().text("schemes", text).time("now", bound()));
}

Result<Outbox::Unserved> Outbox::owedToDisabled()
{
    return unservedBy(sql::outbox_owed_disabled, Parameters());
}

Result<int> Outbox::purge(Duration retention, int batch)
{
    return purgeBy(m_connection, m_clock, { &sql::outbox_purge, &sql::outbox_purge_discarded }, retention, batch);
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#include "core/store/dead_letters.h"

#include "core/messaging/letter_group_limit.h"
#include "core/protocol/fingerprint.h"
#include "core/store/in_transaction.h"
#include "core/store/judge.h"
#include "core/store/message_row.h"
#include "core/store/purge.h"
#include "core/store/read_rows.h"
#include "core/store/statements.h"

namespace fencepost::store {

DeadLetters::DeadLetters(Connection& connection, StoreClock clock)
    : m_connection(connection)
    , m_clock(clock)
{
}

Result<LetterDecision> DeadLetters::redrive(const std::string& id, const LetterDemand& demand)
{
    return decided(id, demand, decideRedrive);
}

Result<LetterDecision> DeadLetters::discard(const std::string& id, const LetterDemand& demand)
{
    return decided(id, demand, decideDiscard);
}

Result<LetterDecision> DeadLetters::edit(const std::string& id, const LetterDemand& demand, const LetterEdit& edit)
{
    Status read;
    auto decision = decided(id, demand, [&](const LetterView& view, const LetterDemand& asked, Time now) {
        auto made = decideEdit(view, asked, edit, now);
        if (made.outcome != LetterOutcome::Changed)
            return made;
        std::string known;
        const auto digest = payloadDigest(edit.payload);
        const auto ran = m_connection.native().run(sql::event_known,
            Parameters()
                .text("event_id", edit.eventId)
                .text("destination", made.event->destination)
                .octets("payload", edit.payload)
                .octets("payload_hash", digest),
            [&](const NativeRow& row) { known = row.text(0); });
        if (!ran)
            read = ran.error();
        if (!ran || !known.empty()) {
            made = LetterDecision();
            made.outcome = LetterOutcome::Conflicts;
            made.reason = "its copy's id " + edit.eventId + " is known already: " + known;
        }
        return made;
    });
    return read ? std::move(decision) : Result<LetterDecision>(read.error());
}

Result<LetterDecision> DeadLetters::restore(const std::string& id, const LetterDemand& demand)
{
    return decided(
        id, demand, [](const LetterView& view, const LetterDemand& asked, Time) { return decideRestore(view, asked); });
}

// The message comes before its letter, as it does where one dies: two that lock in different orders wait for each
// other.
Result<LetterView> DeadLetters::viewOf(const std::string& id)
{
    LetterView view;
    const auto seen = findDeadLetter(m_connection, id, false);
    if (!seen)
        return seen.error();
    if (!*seen)
        return view;
    const DeadLetter& letter = **seen;
    if (letter.kind == DeadLetterKind::Inbox) {
        auto message = findInbox(m_connection, { letter.consumer, letter.source, letter.eventId }, true);
        if (!message)
            return message.error();
        view.inbox = std::move(*message);
    }
    if (!letter.destination.empty() && letter.kind != DeadLetterKind::Conflict) {
        auto message = firstOf(readOutbox(m_connection, sql::outbox_find_event_locked,
            Parameters().text("event_id", letter.eventId).text("destination", letter.destination)));
        if (!message)
            return message.error();
        view.takenByAnother = *message && (*message)->event.source != letter.source;
        if (!view.takenByAnother)
            view.outbox = std::move(*message);
    }
    auto locked = findDeadLetter(m_connection, id, true);
    if (!locked)
        return locked.error();
    view.letter = std::move(*locked);
    return view;
}

Status DeadLetters::enqueue(const std::string& id, const LetterDecision& decision)
{
    auto event = *decision.event;
    if (!decision.ownPayload) {
        auto kept = payload(id);
        if (!kept)
            return kept.error();
        event.payload = std::move(*kept).value_or(Bytes());
    }
    const auto seq = insertOutbox(m_connection, event, boundTime(m_connection, m_clock));
    if (!seq)
        return seq.error();
    if (!*seq)
        return Error{ Failure::Conflict, "The event was put into the outbox meanwhile", {} };
    return {};
}

Result<LetterDecision> DeadLetters::decided(const std::string& id, const LetterDemand& demand, const Decide& decide)
{
    return inTransaction(m_connection, [&]() -> Result<LetterDecision> {
        const auto view = viewOf(id);
        if (!view)
            return view.error();
        const auto now = instantOf(m_connection, boundTime(m_connection, m_clock));
        if (!now)
            return now.error();
        auto decision = decide(*view, demand, *now);
        if (decision.outcome != LetterOutcome::Changed)
            return decision;
        if (decision.inbox)
            if (const auto put = putInbox(m_connection, *decision.inbox); !put)
                return put.error();
        if (decision.outbox)
            if (const auto put = putOutbox(m_connection, *decision.outbox); !put)
                return put.error();
        if (decision.event)
            if (const auto put = enqueue(id, decision); !put)
                return put.error();
        if (const auto put = putDeadLetter(m_connection, *decision.letter); !put)
            return put.error();
        return decision;
    });
}

Result<std::optional<DeadLetter>> DeadLetters::find(const std::string& id)
{
    return findDeadLetter(m_connection, id, false);
}

Result<std::optional<Bytes>> DeadLetters::payload(const std::string& id)
{
    std::optional<Bytes> payload;
    bool found = false;
    const auto read =
        m_connection.native().run(sql::dead_letter_payload, Parameters().text("id", id), [&](const NativeRow& row) {
            found = true;
            payload = row.optionalText(0);
        });
    if (!read)
        return read.error();
    if (!found)
        return Error{ Failure::NotFound, "There is no such dead letter", id };
    return payload;
}

Result<int> DeadLetters::purge(Duration retention, int batch)
{
    return purgeBy(m_connection, m_clock, { &sql::dead_letter_purge }, retention, batch);
}

Result<std::vector<LetterGroup>> groupsOf(Connection& connection, Time now)
{
    std::vector<LetterGroup> groups;
    const auto read = connection.native().run(sql::dead_letter_groups,
        Parameters().time("since", now - std::chrono::hours(1)).integer("most", mostLetterGroups),
        [&](const NativeRow& row) {
            int at = 0;
            LetterGroup group;
            group.fingerprint = row.text(at++);
            group.pattern = row.text(at++);
            group.code = row.text(at++);
            for (auto* count : { &group.dead, &group.again, &group.all, &group.lastHour })
                *count = row.integer(at++);
            group.firstAt = row.time(at++);
            group.lastAt = row.time(at++);
            group.example = row.text(at++);
            group.replayedAt = row.optionalTime(at++);
            group.sinceReplay = row.integer(at);
            groups.push_back(std::move(group));
        });
    if (!read)
        return read.error();
    return groups;
}

Result<std::map<std::string, std::int64_t>> deadLetterDepths(Connection& connection)
{
    std::map<std::string, std::int64_t> depths;
    const auto read = connection.native().run(
        sql::dead_letter_depths, {}, [&](const NativeRow& row) { depths.emplace(row.text(0), row.integer(1)); });
    if (!read)
        return read.error();
    return depths;
}

} // namespace fencepost::store

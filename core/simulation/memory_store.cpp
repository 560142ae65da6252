// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/memory_store.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/store_input.h"

namespace fencepost::simulation {

namespace {

const std::string reaper = "reaper";
constexpr std::size_t ownPlaces = 8; // of mismatches
constexpr std::size_t fencedPlaces = 7;

} // namespace

std::size_t MemoryStore::HashOfId::operator()(const RecordId& id) const
{
    const std::hash<std::string_view> hash;
    constexpr std::size_t factor = 1099511628211U;
    return hash(id.key) * factor ^ hash(id.scope);
}

MemoryStore::MemoryStore(const Clock& clock, bool keepsJournal)
    : m_clock(clock)
    , m_keepsJournal(keepsJournal)
{
}

MemoryStore::~MemoryStore() = default;

void MemoryStore::forgetAll()
{
    m_records.clear();
    m_refused.clear();
    m_journal.clear();
}

void MemoryStore::loseAll()
{
    forgetAll();
    m_lastFence = 0;
}

void MemoryStore::put(const RecordId& id, std::optional<Record> record)
{
    if (record) {
        m_records.insert_or_assign(id, std::move(record));
        return;
    }
    m_records.erase(id);
    if (!m_refused.empty())
        m_refused.erase(id);
}

void MemoryStore::enter(JournalEntry entry)
{
    if (!m_keepsJournal)
        return;
    entry.seq = ++m_lastSeq;
    m_journal.push_back(std::move(entry));
}

void MemoryStore::write(const Rows::iterator& found, const RecordId& id, const Decision& decision)
{
    const auto& after = decision.record;
    const bool isNew = found == m_records.end();
    const bool anew = !isNew && isTerminal(found->second->status) && decision.outcome == fencepost::Outcome::Execute;
    if (anew || !after)
        m_refused.erase(id);
    if (!after) {
        m_records.erase(id);
        return;
    }
    m_lastFence = std::max(m_lastFence, after->fence.value);
    if (isNew)
        m_records.emplace(id, after);
    else
        found->second = after;
}

MemoryStore::Judged MemoryStore::judge(Trigger trigger, const std::string& actor, const Completing& complete)
{
    static const std::optional<Record> absent;
    const auto found = m_records.find(trigger.id);
    const auto& before = found == m_records.end() ? absent : found->second;
    Judged judged{ {}, m_clock.now() };
    trigger.nextFence = { std::max(m_lastFence, before ? before->fence.value : 0) + 1 };
    auto& decision = judged.decision;
    decision = decide(before, trigger, judged.now);
    if (!decision.writes)
        return judged;
    if (complete && decision.record)
        complete(*decision.record, before);
    if (decision.journalled && m_keepsJournal) {
        const auto& last = decision.record ? *decision.record : *before;
        enter({ 0, last.id, std::string(wordOf(decision.from)), std::string(wordOf(decision.to)),
            std::string(wordOf(trigger.event)), last.fence, last.attempt, last.owner.uuid, actor, decision.reason,
            judged.now });
    }
    write(found, trigger.id, decision);
    return judged;
}

bool MemoryStore::note(Conflict conflict, bool withOutcome)
{
    auto& both = m_refused[conflict.id];
    const bool fenced = conflict.kind == "fenced";
    auto& refused = fenced ? both.fenced : both.mismatches;
    const auto same = std::find_if(refused.own.begin(), refused.own.end(),
        [&](const Conflict& known) { return known.presentedHash == conflict.presentedHash; });
    const auto countAgain = [&](Conflict& known) {
        ++known.count;
        known.lastAt = conflict.lastAt;
    };
    // What matters most of a fenced owner is that he came with an outcome: that is journalled once as well.
    const bool firstOutcome = withOutcome && refused.finalized.insert(conflict.presentedHash).second;
    if (same != refused.own.end()) {
        countAgain(*same);
        return firstOutcome;
    }
    conflict.count = 1;
    conflict.firstAt = conflict.lastAt;
    if (refused.own.size() < (fenced ? fencedPlaces : ownPlaces)) {
        refused.own.push_back(std::move(conflict));
        return true;
    }
    if (refused.others) {
        countAgain(*refused.others);
        return false;
    }
    conflict.presentedHash.clear();
    refused.others = std::move(conflict);
    return true;
}

Result<Reserved> MemoryStore::reserve(const Reservation& reservation)
{
    if (const auto checked = check(reservation); !checked)
        return checked.error();
    auto judged = judge(triggerOf(reservation), reservation.owner.uuid,
        [&](Record& after, const std::optional<Record>& before) { keepRequest(after, before, reservation); });
    auto& decision = judged.decision;
    if (decision.outcome == fencepost::Outcome::Mismatch) {
        const auto& record = *decision.record;
        const std::string state(wordOf(decision.from));
        if (note({ reservation.id, reservation.requestHash, "mismatch", reservation.principal, 0, {}, judged.now },
                false))
            enter({ 0, reservation.id, state, state, "mismatch", record.fence, record.attempt, record.owner.uuid,
                reservation.principal.empty() ? reservation.owner.uuid : reservation.principal, decision.reason,
                judged.now });
    }
    return Reserved{ decision.outcome, std::move(decision.record), judged.now };
}

Result<std::optional<Reserved>> MemoryStore::replay(const Reservation& reservation)
{
    if (const auto checked = check(reservation); !checked)
        return checked.error();
    const auto found = m_records.find(reservation.id);
    if (found == m_records.end())
        return std::optional<Reserved>();
    auto decision = decide(found->second, triggerOf(reservation), m_clock.now());
    if (decision.outcome != fencepost::Outcome::Replay || decision.writes)
        return std::optional<Reserved>();
    return std::optional(Reserved{ fencepost::Outcome::Replay, std::move(decision.record), m_clock.now() });
}

Result<Applied> MemoryStore::judgeAlone(const Trigger& trigger)
{
    auto judged = judge(trigger, trigger.actor);
    auto& decision = judged.decision;
    return Applied{ decision.outcome, std::move(decision.reason), std::move(decision.record), judged.now };
}

Result<Applied> MemoryStore::change(const Trigger& trigger, const Claim& claim)
{
    if (const auto checked = check(claim); !checked)
        return checked.error();
    auto judged = judge(trigger, claim.owner.uuid);
    auto& decision = judged.decision;
    const auto found = m_records.find(claim.id);
    if (decision.outcome == fencepost::Outcome::LostOwnership && found != m_records.end()) {
        const auto& before = *found->second;
        const std::string state(wordOf(shownState(before, judged.now)));
        auto presented = sha256(claim.owner.uuid + ":" + std::to_string(claim.fence.value));
        if (note({ claim.id, std::move(presented), "fenced", claim.owner.uuid, 0, {}, judged.now },
                trigger.event == Event::Finalize))
            enter({ 0, claim.id, state, state, "fenced", claim.fence, before.attempt, claim.owner.uuid,
                claim.owner.uuid, std::string(wordOf(trigger.event)) + ": " + decision.reason, judged.now });
    }
    return Applied{ decision.outcome, std::move(decision.reason), std::move(decision.record), judged.now };
}

Result<Applied> MemoryStore::renew(const Claim& claim, Duration lease)
{
    if (lease <= Duration(0))
        return Error{ Failure::Invalid, "A lease must last longer than nothing", {} };
    if (const auto checked = checkSpan(lease); !checked)
        return checked.error();
    auto trigger = triggerOf(Event::Renew, claim);
    trigger.lease = lease;
    return change(trigger, claim);
}

Result<Applied> MemoryStore::advance(
    const Claim& claim, const std::string& recoveryPoint, const std::optional<std::string>& data)
{
    if (isBlank(recoveryPoint))
        return Error{ Failure::Invalid, "A recovery point needs a name", {} };
    if (data && !nlohmann::json::accept(*data))
        return Error{ Failure::Invalid, "What is kept of a phase is JSON", {} };
    auto trigger = triggerOf(Event::Advance, claim);
    trigger.recoveryPoint = recoveryPoint;
    trigger.recoveryData = data;
    return change(trigger, claim);
}

Result<Applied> MemoryStore::finalize(const Claim& claim, const Completion& completion)
{
    if (const auto checked = checkSpan(completion.ttl); !checked)
        return checked.error();
    return change(triggerOf(Event::Finalize, claim, completion), claim);
}

Result<Applied> MemoryStore::fail(const Claim& claim, const Failing& failing)
{
    for (const auto& span : { failing.completion.ttl, std::optional(failing.retryAfter) })
        if (const auto checked = checkSpan(span); !checked)
            return checked.error();
    auto trigger = triggerOf(Event::Fail, claim, failing.completion);
    trigger.retryable = failing.retryable;
    trigger.retryAfter = failing.retryAfter;
    return change(trigger, claim);
}

Result<Applied> MemoryStore::hold(const Claim& claim, const std::string& reason)
{
    auto trigger = triggerOf(Event::Hold, claim);
    trigger.reason = reason.empty() ? std::string("outcome_unknown") : reason;
    return change(trigger, claim);
}

Result<Applied> MemoryStore::reconcile(
    const RecordId& id, Fence seen, Evidence evidence, const Completion& completion, const std::string& actor)
{
    return judgeAlone(triggerOf(id, seen, evidence, completion, actor));
}

Result<Applied> MemoryStore::intervene(const Intervention& intervention)
{
    if (const auto checked = check(intervention); !checked)
        return checked.error();
    return judgeAlone(intervention.trigger);
}

std::vector<RecordId> MemoryStore::settled(Duration grace, const std::function<bool(const Record&)>& also) const
{
    const auto now = m_clock.now();
    std::vector<std::pair<Time, RecordId>> found;
    for (const auto& [id, row] : m_records)
        if (const auto& record = *row;
            record.expiresAt <= now - grace && !record.hold && isTerminal(record.status) && also(record))
            found.emplace_back(record.expiresAt, id);
    std::sort(found.begin(), found.end());
    std::vector<RecordId> ids;
    for (auto& [at, id] : found)
        ids.push_back(std::move(id));
    return ids;
}

void MemoryStore::reapOrphans(const ReapRequest& request, Reaped& reaped)
{
    std::vector<std::pair<Time, RecordId>> orphans;
    for (const auto& [id, row] : m_records)
        if (!isTerminal(row->status) && !row->hold)
            orphans.emplace_back(row->expiresAt, id);
    std::sort(orphans.begin(), orphans.end());
    for (const auto& [at, id] : orphans) {
        const auto judged =
            judge({ .event = Event::ReapOrphan, .id = id, .actor = reaper, .grace = *request.orphanGrace }, reaper);
        if (judged.decision.writes)
            ++(judged.decision.record ? reaped.held : reaped.orphans);
    }
}

Result<Reaped> MemoryStore::reap(const ReapRequest& request)
{
    if (const auto checked = check(request); !checked)
        return checked.error();
    Reaped reaped;
    const auto now = m_clock.now();
    const auto reapAll = [&](const std::vector<RecordId>& ids, std::int64_t& total) {
        for (const auto& id : ids) {
            const Trigger trigger{
                .event = Event::Reap, .id = id, .actor = reaper, .tombstone = request.tombstone, .grace = request.grace
            };
            total += judge(trigger, reaper).decision.writes ? 1 : 0;
        }
    };
    if (request.tombstone)
        reapAll(settled(request.grace, [](const Record& record) { return !record.tombstoneUntil; }), reaped.tombstoned);
    reapAll(settled(request.grace,
                [&](const Record& record) {
                    return record.tombstoneUntil ? *record.tombstoneUntil <= now : !request.tombstone;
                }),
        reaped.deleted);
    if (request.orphanGrace)
        reapOrphans(request, reaped);
    if (!request.journalRetention)
        return reaped;
    const auto isOver = [&](const JournalEntry& entry) {
        return entry.at <= now - *request.journalRetention && !m_records.contains(entry.id);
    };
    // The last that says that a record went shows how far the journal was purged.
    const auto kept = std::find_if(m_journal.rbegin(), m_journal.rend(),
        [&](const JournalEntry& entry) { return entry.toState == wordOf(State::Absent) && isOver(entry); });
    const auto* keep = kept != m_journal.rend() ? &*kept : nullptr;
    const auto before = m_journal.size();
    std::vector<JournalEntry> rest;
    for (auto& entry : m_journal)
        if (&entry == keep || !isOver(entry))
            rest.push_back(std::move(entry));
    m_journal = std::move(rest);
    reaped.transitions = std::int64_t(before - m_journal.size());
    return reaped;
}

Result<std::vector<Result<Reserved>>> MemoryStore::reserveAll(const std::vector<Reservation>& reservations)
{
    std::vector<Result<Reserved>> results;
    for (const auto& reservation : reservations)
        results.push_back(reserve(reservation));
    return results;
}

Result<std::vector<Result<Applied>>> MemoryStore::finalizeAll(
    const std::vector<std::pair<Claim, Completion>>& completions)
{
    std::vector<Result<Applied>> results;
    for (const auto& [claim, completion] : completions)
        results.push_back(finalize(claim, completion));
    return results;
}

Result<std::optional<Record>> MemoryStore::find(const RecordId& id)
{
    const auto found = m_records.find(id);
    return found == m_records.end() ? std::optional<Record>() : found->second;
}

MemoryStore::Judgement MemoryStore::judge(Trigger&& trigger)
{
    const auto [row, isNew] = m_records.try_emplace(trigger.id);
    auto& record = row->second;
    trigger.nextFence = { std::max(m_lastFence, record ? record->fence.value : 0) + 1 };
    const auto decision = decideInPlace(record, trigger, m_clock.now());
    if (!record) {
        m_records.erase(row);
        return { decision.outcome, nullptr };
    }
    m_lastFence = std::max(m_lastFence, record->fence.value);
    return { decision.outcome, &*record };
}

const Record* MemoryStore::look(const RecordId& id) const
{
    const auto found = m_records.find(id);
    return found == m_records.end() ? nullptr : &*found->second;
}

Result<std::vector<JournalEntry>> MemoryStore::journal(const RecordId& id)
{
    std::vector<JournalEntry> entries;
    for (const auto& entry : m_journal)
        if (entry.id == id)
            entries.push_back(entry);
    return entries;
}

Result<KeyLives> MemoryStore::livesOf(const RecordId& id)
{
    LivesOfJournal lives;
    for (const auto& entry : m_journal)
        if (entry.id == id)
            lives.add(entry.event, entry.toState, entry.attempt, entry.fence);
    return std::move(lives).lives();
}

Result<std::vector<Conflict>> MemoryStore::conflicts(const RecordId& id)
{
    std::vector<Conflict> all;
    const auto found = m_refused.find(id);
    if (found == m_refused.end())
        return all;
    for (const auto* refused : { &found->second.mismatches, &found->second.fenced }) {
        all.insert(all.end(), refused->own.begin(), refused->own.end());
        if (refused->others)
            all.push_back(*refused->others);
    }
    std::stable_sort(all.begin(), all.end(),
        [](const Conflict& left, const Conflict& right) { return left.firstAt < right.firstAt; });
    return all;
}

std::size_t MemoryStore::conflictCount() const
{
    std::size_t count = 0;
    for (const auto& [id, both] : m_refused)
        for (const auto* refused : { &both.mismatches, &both.fenced })
            count += refused->own.size() + (refused->others ? 1 : 0);
    return count;
}

} // namespace fencepost::simulation

// SPDX-License-Identifier: Apache-2.0
#include "core/store/invariant_reads.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/store/expression_sql.h"
#include "core/store/judge.h"
#include "core/store/letter_verdicts.h"
#include "core/store/record_calls.h"
#include "core/store/record_row.h"
#include "core/store/snapshot_seal.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

using Rows = std::vector<BrokenRow>;

constexpr auto clocksDiffer = std::chrono::minutes(5);
constexpr auto day = std::chrono::hours(24);

// The statement of a rule, and the instants that it compares with.
struct RuleSql {
    std::string_view invariant;
    const NamedSql& sql;
    std::string_view instant = {}; // its name; empty: it compares with none
    Duration fromNow{};
    bool tellsMended = false; // its seventh column says which row the operation is about, if any; not of what is left
};

constexpr std::array ruleTable = {
    RuleSql{ "lapsed_lease", sql::broken_lapsed_lease, "now" },
    RuleSql{ "no_response", sql::broken_no_response, "now" },
    RuleSql{ "shared_result", sql::broken_shared_result },
    RuleSql{ "attempts_over", sql::broken_attempts_over, {}, {}, true },
    RuleSql{ "forgotten_too_soon", sql::broken_forgotten_too_soon },
    RuleSql{ "fence_went_back", sql::broken_fence_went_back, {}, {}, true },
    RuleSql{ "fence_unknown", sql::broken_fence_unknown },
    RuleSql{ "lease_too_long", sql::broken_lease_too_long, "tomorrow", day },
    RuleSql{ "from_the_future", sql::broken_from_the_future, "soon", clocksDiffer },
    RuleSql{ "held_too_long", sql::broken_held_too_long, "yesterday", -day },
    RuleSql{ "failed_though_done", sql::broken_failed_though_done },
    RuleSql{ "orphaned_call", sql::broken_orphaned_call },
    RuleSql{ "orphaned_effect", sql::broken_orphaned_effect },
    RuleSql{ "processing_lapsed", sql::broken_processing_lapsed, "now" },
    RuleSql{ "no_result", sql::broken_no_result },
    RuleSql{ "version_gap", sql::broken_version_gap },
    RuleSql{ "dead_without_letter", sql::broken_dead_without_letter },
    RuleSql{ "key_unknown", sql::broken_key_unknown },
    RuleSql{ "sending_lapsed", sql::broken_sending_lapsed, "now" },
    RuleSql{ "dead_outbox_without_letter", sql::broken_dead_outbox_without_letter },
    RuleSql{ "blocks_its_key", sql::broken_blocks_its_key, {}, {}, true },
    RuleSql{ "already_processed", sql::broken_already_processed },
    RuleSql{ "key_succeeded", sql::broken_key_succeeded },
    RuleSql{ "already_sent", sql::broken_already_sent },
};

// How many rows a rule would have to be told more of, and what nobody tells.
struct Unjudged {
    std::string_view invariant;
    const NamedSql& sql;
    std::string_view because;
};

constexpr std::string_view noJournal = "the journal, which alone tells a record that was reaped from one that was "
                                       "never there, does not reach back to them";

constexpr std::array unjudgedTable = {
    Unjudged{ "lapsed_lease", sql::unjudged_lapsed_lease, "no lease is told of them, as of what was made of a log" },
    Unjudged{
        "no_result", sql::unjudged_no_result, "they were made of a log, which tells of a result at most what it is" },
    Unjudged{ "no_response", sql::unjudged_no_response, "they were made of a log, which tells no answers" },
    Unjudged{ "held_too_long", sql::unjudged_held_too_long, "when they were changed last is hidden in this snapshot" },
    Unjudged{ "orphaned_call", sql::unjudged_orphaned_call, noJournal },
    Unjudged{ "orphaned_effect", sql::unjudged_orphaned_effect, noJournal },
    Unjudged{ "version_gap", sql::unjudged_version_gap,
        "a version between may have been processed, and forgotten with the retention of the inbox" },
    Unjudged{ "key_unknown", sql::unjudged_key_unknown, noJournal },
};

// As the tables' own identities are told, so that filters find them again.
std::string identityPart(const NativeRow& row, int place, Dialect dialect)
{
    static const CatalogColumn text{ .name = {}, .type = "text", .typeClass = TypeClass::Text };
    return exactForm(row, place, dialect, text).value_or(std::string());
}

// key, three parts of the identity, of messages and letters one, an instant, words; of what is left of a row that is
// gone, a seventh that tells it from what else is left of the row, and where nothing tells which it was, only itself.
BrokenRow brokenFrom(const NativeRow& row, const Invariant& invariant, Dialect dialect)
{
    const bool isOne =
        invariant.kind == Kind::Outbox || invariant.kind == Kind::DeadLetter || (!invariant.viewed && row.isNull(6));
    BrokenRow broken;
    broken.key = row.shown(0).value_or("");
    for (int part = 1; part <= 3; ++part)
        if (!isOne || part == 1 || !row.octets(part).empty())
            broken.identity.push_back(identityPart(row, part, dialect));
    if (!invariant.viewed && !row.isNull(6))
        broken.identity.push_back(row.shown(6).value_or(""));
    broken.at = row.optionalTime(4);
    broken.detail = row.shown(5).value_or("");
    return broken;
}

// Of the row itself it says "yes", of another table's which it is.
std::vector<std::string> mendedBy(
    const NativeRow& row, const Invariant& invariant, const BrokenRow& broken, bool isTold, Dialect dialect)
{
    if (!isTold)
        return broken.identity;
    if (row.isNull(6))
        return {};
    return invariant.mendedIn ? std::vector{ identityPart(row, 6, dialect) } : broken.identity;
}

Status readRule(TimedReads& reads, const Invariant& invariant, const NamedSql& sql, Parameters parameters, Rows& rows,
    bool tellsMended = false)
{
    const auto dialect = reads.connection().dialect();
    parameters.integer("most", static_cast<std::int64_t>(countedBroken) + 1);
    const auto read = reads.ask(invariant.id, sql, parameters, [&](const NativeRow& row) {
        auto broken = brokenFrom(row, invariant, dialect);
        broken.mendedBy = mendedBy(row, invariant, broken, tellsMended, dialect);
        rows.push_back(std::move(broken));
    });
    // A table beside the one that was asked for, which an older schema does not have or a role may not read.
    if (read || (read.error().failure != Failure::Denied && read.error().failure != Failure::Unsupported))
        return read;
    rows.clear();
    reads.leaveOut(std::string(invariant.id) + " could not be read: " + read.error().message);
    return {};
}

// The kinds of transitions are few, and only those that no rule allows are looked for.
Status readImpossible(TimedReads& reads, const Invariant& invariant, Rows& rows)
{
    std::vector<Flow> found;
    const auto asked = reads.ask(invariant.id, sql::transitions_newest, Parameters(), [&](const NativeRow& row) {
        Flow flow{ row.text(0), row.text(1), row.text(2) };
        judge(Kind::Idempotency, flow);
        if (flow.nature == FlowNature::Illegal)
            found.push_back(std::move(flow));
    });
    if (!asked)
        return asked;
    for (const auto& flow : found)
        if (const auto read = readRule(reads, invariant, sql::broken_impossible_transition,
                Parameters().text("from_state", flow.from).text("to_state", flow.to).text("event", flow.event), rows);
            !read)
            return read;
    return {};
}

// An event may have several consumers, of which one has processed it: the verdict knows whether the letter is of that
// one.
Status keepSucceeded(TimedReads& reads, const DecidingClock& now, Rows& rows)
{
    std::vector<std::string> ids;
    for (const auto& row : rows)
        ids.push_back(storedText(row.identity.front()));
    const auto verdicts = judgeLetters(reads.connection(), ids, now);
    if (!verdicts)
        return verdicts.error();
    std::erase_if(rows, [&](const BrokenRow& row) {
        const auto found = verdicts->find(storedText(row.identity.front()));
        return found == verdicts->end() || found->second.verdict != ReplayVerdict::Succeeded;
    });
    return {};
}

// A key may have been another request's before.
Status keepOwn(TimedReads& reads, const DecidingClock& now, Rows& rows)
{
    std::vector<CallsSought> sought;
    for (const auto& row : rows) {
        const auto id = recordIdOf(row.identity);
        const auto record = id ? findRecord(reads.connection(), *id, false) : Result<std::optional<Record>>(id.error());
        if (!record)
            return record.error();
        // Gone since: nothing is its own.
        const auto& found = *record;
        sought.push_back(found ? CallsSought{ found->id, found->requestHash, found->startedAt, found->attempt }
                               : CallsSought{ *id, Bytes(), Time::max(), 1 });
    }
    const auto calls = callsOf(reads.connection(), sought, now);
    if (!calls)
        return calls.error();
    Rows own;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& done = (*calls)[i].done;
        if (done.empty())
            continue;
        rows[i].detail += (rows[i].detail.empty() ? "" : ", ") + done;
        own.push_back(std::move(rows[i]));
    }
    rows = std::move(own);
    return {};
}

// Without the counter every fence were one that was never drawn.
Result<bool> mayReadCounter(TimedReads& reads, const Invariant& invariant)
{
    bool may = true;
    if (reads.connection().dialect() == Dialect::Sqlite)
        return may;
    const auto asked = reads.ask(
        invariant.id, sql::may_read_fences, Parameters(), [&](const NativeRow& row) { may = row.integer(0) != 0; });
    if (!asked)
        return asked.error();
    if (!may)
        reads.leaveOut(std::string(invariant.id) + " could not be read: this role may not read the counter of fences");
    return may;
}

std::string unjudgedWords(std::string_view invariant, std::size_t rows, std::string_view because)
{
    return std::string(invariant) + " cannot be judged of " + (rows >= countedBroken ? "at least " : "")
        + std::to_string(std::min(rows, countedBroken)) + (rows == 1 ? " row: " : " rows: ") + std::string(because);
}

// In a copy of some rows, what another row would have to tell may have been left out, and behind the end of a log
// nobody knows what happened.
std::string whyUnknown(std::string_view invariant, const SnapshotManifest& copy)
{
    if (invariant == "version_gap" && !copy.filter.empty())
        return "this snapshot has only what its filter found, and the versions between may not be among that";
    if (invariant == "held_too_long" && !copy.imported.empty())
        return "what became of them behind the end of the log is not known";
    return {};
}

Status keepKnown(TimedReads& reads, std::string_view invariant, Rows& rows, std::vector<std::string>& unjudged)
{
    const auto copy =
        rows.empty() ? Result<std::optional<SnapshotManifest>>(std::nullopt) : manifestOf(reads.connection());
    if (!copy)
        return copy.error();
    if (const auto why = *copy ? whyUnknown(invariant, **copy) : std::string(); !why.empty()) {
        unjudged.push_back(unjudgedWords(invariant, rows.size(), why));
        rows.clear();
    }
    return {};
}

// What no rule can tell is said, instead of passed.
Status nameUnjudged(TimedReads& reads, const Invariant& invariant, std::vector<std::string>& into)
{
    const auto rule = std::find_if(unjudgedTable.begin(), unjudgedTable.end(),
        [&](const Unjudged& each) { return each.invariant == invariant.id; });
    if (rule == unjudgedTable.end())
        return {};
    std::int64_t rows = 0;
    const auto asked =
        reads.ask(invariant.id, rule->sql, Parameters().integer("most", static_cast<std::int64_t>(countedBroken)),
            [&](const NativeRow& row) { rows = row.integer(0); });
    if (asked && rows > 0)
        into.push_back(unjudgedWords(invariant.id, static_cast<std::size_t>(rows), rule->because));
    return asked;
}

Status readInvariant(TimedReads& reads, const Invariant& invariant, const DecidingClock& now, Rows& rows,
    std::vector<std::string>& unjudged)
{
    const std::string_view id = invariant.id;
    if (id == "impossible_transition")
        return readImpossible(reads, invariant, rows);
    if (id == "fence_unknown")
        if (const auto may = mayReadCounter(reads, invariant); !may || !*may)
            return may ? Status() : Status(may.error());
    const auto rule =
        std::find_if(ruleTable.begin(), ruleTable.end(), [&](const RuleSql& each) { return each.invariant == id; });
    Parameters parameters;
    if (!rule->instant.empty())
        parameters.time(rule->instant, reads.basis().now + rule->fromNow);
    const auto missing = reads.basis().unread.size();
    if (const auto read = readRule(reads, invariant, rule->sql, parameters, rows, rule->tellsMended); !read)
        return read;
    if (id == "already_processed" || id == "key_succeeded")
        return keepSucceeded(reads, now, rows);
    if (id == "failed_though_done")
        return keepOwn(reads, now, rows);
    if (id == "version_gap" || id == "held_too_long")
        if (const auto kept = keepKnown(reads, id, rows, unjudged); !kept)
            return kept;
    return reads.basis().unread.size() == missing ? nameUnjudged(reads, invariant, unjudged) : Status();
}

Violation violationOf(const Invariant& invariant, Rows rows)
{
    Violation violation;
    violation.invariant = &invariant;
    violation.more = rows.size() > countedBroken;
    // For each of several reasons it was found once.
    std::set<std::vector<std::string>> identities;
    std::erase_if(rows, [&](const BrokenRow& row) { return !identities.insert(row.identity).second; });
    violation.count = static_cast<std::int64_t>(std::min(rows.size(), countedBroken));
    rows.resize(std::min(rows.size(), shownBroken));
    violation.filter = filterOf(invariant, rows);
    violation.shown = *invariant.filter != '\0' ? violation.count : static_cast<std::int64_t>(rows.size());
    violation.rows = std::move(rows);
    return violation;
}

} // namespace

Result<Violations> brokenRows(TimedReads& reads, Kind kind, std::string_view only, const DecidingClock& now)
{
    Violations found;
    for (const auto& invariant : invariants()) {
        if (invariant.kind != kind || (!only.empty() && only != invariant.id))
            continue;
        Rows rows;
        if (const auto read = readInvariant(reads, invariant, now, rows, found.unjudged); !read)
            return read.error();
        if (!rows.empty())
            found.violations.push_back(violationOf(invariant, std::move(rows)));
    }
    found.basis = reads.basis();
    return found;
}

} // namespace fencepost::store

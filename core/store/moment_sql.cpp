// SPDX-License-Identifier: Apache-2.0
#include "core/store/moment_sql.h"

#include <algorithm>
#include <initializer_list>
#include <map>

#include "core/messaging/dead_letter.h"

namespace fencepost::store {

namespace {

// As core/store/journal_range.cpp does it, but within the statement: entries are written in the order of time but for a
// little, so that a range of time is a range of their numbers.
constexpr std::int64_t journalReadWhole = 100'000;
constexpr Duration outOfOrder = std::chrono::minutes(5);

using MomentColumns = std::map<Field, std::string>; // what each field of a moment is in the query

std::string boundInstant(ExpressionSql& sql, Time at)
{
    const auto micros = sql.bindInteger(microsOf(at));
    return sql.dialect() == Dialect::Sqlite ? micros
                                            : "(timestamptz 'epoch' + " + micros + " * interval '1 microsecond')";
}

std::string boundValue(ExpressionSql& sql, const FilterValue& value)
{
    if (const auto* number = std::get_if<std::int64_t>(&value.typed))
        return sql.bindInteger(*number);
    if (const auto* span = std::get_if<Duration>(&value.typed))
        return sql.bindInteger(span->count());
    if (const auto* at = std::get_if<Time>(&value.typed))
        return boundInstant(sql, *at);
    return sql.bindText(value.text);
}

std::string testOf(ExpressionSql& sql, const std::string& column, const Filter& test)
{
    if (test.values.empty())
        return sql.fail(Failure::Invalid, "A test of the filter has no value");
    if (test.comparison != Comparison::In)
        return column + ' ' + (test.comparison == Comparison::NotEqual ? "<>" : std::string(wordOf(test.comparison)))
            + ' ' + boundValue(sql, test.values.front());
    std::string list;
    for (const auto& value : test.values)
        list += (list.empty() ? "" : ", ") + boundValue(sql, value);
    return column + " IN (" + list + ")";
}

bool isEvent(const Filter& test)
{
    return test.field == Field::Event;
}

// All tests but that of the event, where `event` is known already.
std::string testsOf(ExpressionSql& sql, const Filter& had, const MomentColumns& columns, bool event)
{
    std::string text;
    for (const auto& test : had.children) {
        if (!event && isEvent(*test))
            continue;
        const auto column = columns.find(test->field);
        if (column == columns.end())
            return sql.fail(Failure::Invalid,
                "The table " + sql.bound().binding.name + " does not tell \"" + std::string(wordOf(test->field))
                    + "\" of such a moment");
        text += " AND " + testOf(sql, column->second, *test);
    }
    return text;
}

// The number of the first entry that is not before `at`, found by halves; of a journal that is small enough to be read
// whole, its begin or its end.
std::string firstEntryFrom(ExpressionSql& sql, const std::string& journal, Time at, bool end)
{
    const auto middle =
        "(SELECT e.seq FROM " + journal + " AS e WHERE e.seq >= (p.low + p.high) / 2 ORDER BY e.seq LIMIT 1)";
    const auto isBefore = "(SELECT e.at FROM " + journal
        + " AS e WHERE e.seq >= (p.low + p.high) / 2 ORDER BY e.seq LIMIT 1) < " + boundInstant(sql, at);
    const std::string small = "s.last - s.first < " + std::to_string(journalReadWhole);
    // Each of its ends by itself: SQLite takes but one of them from the index at a time.
    const auto ends =
        "(SELECT (SELECT min(seq) FROM " + journal + ") AS first, (SELECT max(seq) FROM " + journal + ") AS last) AS s";
    return "(WITH RECURSIVE place(low, high) AS (SELECT "
        + (end ? "CASE WHEN " + small + " THEN s.last + 1 ELSE s.first END, s.last + 1"
               : "s.first, CASE WHEN " + small + " THEN s.first ELSE s.last + 1 END")
        + " FROM " + ends + " UNION ALL SELECT CASE WHEN " + isBefore + " THEN " + middle
        + " + 1 ELSE p.low END, CASE WHEN " + isBefore
        + " THEN p.high ELSE (p.low + p.high) / 2 END FROM place AS p WHERE p.low < p.high) SELECT max(low) FROM "
          "place)";
}

// Since when, and until when, a moment can be that all of these tests are true of.
struct Bounds {
    std::optional<Time> since;
    std::optional<Time> until;
};

Bounds boundsOf(const Filter& had)
{
    Bounds bounds;
    for (const auto& test : had.children) {
        const auto* at = test->field == Field::At && !test->values.empty()
            ? std::get_if<Time>(&test->values.front().typed)
            : nullptr;
        if (at == nullptr || test->comparison == Comparison::In || test->comparison == Comparison::NotEqual)
            continue;
        if (test->comparison != Comparison::Less && test->comparison != Comparison::LessEqual)
            bounds.since = std::max(bounds.since.value_or(*at), *at);
        if (test->comparison != Comparison::Greater && test->comparison != Comparison::GreaterEqual)
            bounds.until = std::min(bounds.until.value_or(*at), *at);
    }
    return bounds;
}

// How long after the last entry of that kind before this one of the same key, in microseconds; NULL: there is none.
// A clock that was set back makes no negative span.
std::string spanSince(const ExpressionSql& sql, const std::string& journal, const std::string& condition)
{
    const std::string span = sql.dialect() == Dialect::Sqlite
        ? "max(j.at - p.at, 0)"
        : "greatest(CAST(extract(epoch FROM j.at - p.at) * 1000000 AS bigint), 0)";
    return "(SELECT " + span + " FROM " + journal
        + " AS p WHERE p.scope = j.scope AND p.operation_type = j.operation_type AND p.idempotency_key = "
          "j.idempotency_key AND p.seq < j.seq AND "
        + condition + " ORDER BY p.seq DESC LIMIT 1)";
}

// Tests of when something was that is only known to have gone on between two instants.
std::string overlapOf(ExpressionSql& sql, const Filter& had, const std::string& first, const std::string& last)
{
    std::string text;
    for (const auto& test : had.children) {
        if (test->field != Field::At)
            continue;
        const bool before = test->comparison == Comparison::Less || test->comparison == Comparison::LessEqual;
        text += " AND " + testOf(sql, before ? first : last, *test);
    }
    return text;
}

bool tellsOnly(const Filter& had, std::initializer_list<Field> fields)
{
    return std::all_of(had.children.begin(), had.children.end(),
        [&](const FilterPtr& test) { return std::find(fields.begin(), fields.end(), test->field) != fields.end(); });
}

bool isOnly(const Filter& had, std::string_view event)
{
    return std::any_of(had.children.begin(), had.children.end(), [&](const FilterPtr& test) {
        return isEvent(*test) && test->comparison == Comparison::Equal && test->values.size() == 1
            && test->values.front().text == event;
    });
}

// A request that is refused again is only counted: when it was first and last, and not in which state it found the
// record. Flows say that of the last time (repeated_mismatches.sql).
std::string repeatedMismatch(ExpressionSql& sql, const Filter& had, const std::string& journal)
{
    const auto& table = sql.bound().conflicts;
    if (!table || !isOnly(had, "mismatch") || !tellsOnly(had, { Field::Event, Field::From, Field::To, Field::At }))
        return {};
    const auto state = "coalesce((SELECT e.to_state FROM " + journal
        + " AS e WHERE e.scope = c.scope AND e.operation_type = c.operation_type AND e.idempotency_key = "
          "c.idempotency_key AND e.at <= c.last_at ORDER BY e.seq DESC LIMIT 1), 'UNKNOWN')";
    std::string text = " UNION ALL SELECT c.scope, c.operation_type, c.idempotency_key FROM " + qualified(*table)
        + " AS c WHERE c.kind = 'mismatch' AND c.count > 1" + overlapOf(sql, had, "c.first_at", "c.last_at");
    for (const auto& test : had.children)
        if (test->field == Field::From || test->field == Field::To)
            text += " AND " + testOf(sql, state, *test);
    return text;
}

std::string momentOfRecord(ExpressionSql& sql, const Filter& had)
{
    const auto& table = sql.bound().journal;
    if (!table)
        return sql.fail(Failure::Denied,
            "The journal beside " + sql.bound().binding.name + " cannot be read, and only it tells what its rows had");
    const auto journal = qualified(*table);
    const MomentColumns columns{ { Field::Event, "j.event" }, { Field::From, "j.from_state" },
        { Field::To, "j.to_state" }, { Field::Attempt, "j.attempt" }, { Field::At, "j.at" },
        { Field::Delay, spanSince(sql, journal, "p.event = 'fail'") },
        { Field::Took, spanSince(sql, journal, "p.event = 'reserve' AND p.attempt = 1") } };
    const auto bounds = boundsOf(had);
    std::string range;
    if (bounds.since)
        range += " AND j.seq >= " + firstEntryFrom(sql, journal, *bounds.since - outOfOrder, false);
    if (bounds.until)
        range += " AND j.seq < " + firstEntryFrom(sql, journal, *bounds.until + outOfOrder, true);
    return "(t.scope, t.operation_type, t.idempotency_key) IN (SELECT j.scope, j.operation_type, j.idempotency_key "
           "FROM "
        + journal + " AS j WHERE 1 = 1" + range + testsOf(sql, had, columns, true) + repeatedMismatch(sql, had, journal)
        + ")";
}

// The failed attempts of the row that is called so, as a table: place, number, at. A list that nobody can read has
// none.
std::string failedAttempts(const ExpressionSql& sql, const std::string& row = "t")
{
    const auto attempts = row + ".attempts";
    if (sql.dialect() == Dialect::Sqlite) {
        const std::string at = "json_extract(a.value, '$.at')";
        return "SELECT CAST(a.key AS INTEGER) AS place, json_extract(a.value, '$.attempt') AS number, "
               "CAST(strftime('%s', "
            + at + ") AS INTEGER) * 1000000 + CASE WHEN substr(" + at + ", 20, 1) = '.' THEN CAST(substr(rtrim(substr("
            + at
            + ", 21, 6), 'Zz') || '000000', 1, 6) AS INTEGER) ELSE 0 END AS at FROM json_each(CASE WHEN "
              "json_valid("
            + attempts + ") THEN " + attempts + " ELSE '[]' END) AS a WHERE a.type = 'object'";
    }
    // No cast to JSON: it would fail of a text that is none.
    constexpr const char* object = R"sql('\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\}')sql";
    constexpr const char* number = R"sql('"attempt"\s*:\s*(\d{1,9})')sql";
    constexpr const char* at = R"sql('"at"\s*:\s*"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"')sql";
    return std::string("SELECT a.place, CAST(substring(a.entry[1] FROM ") + number
        + ") AS integer) AS number, CAST(substring(a.entry[1] FROM " + at
        + ") AS timestamptz) AS at FROM regexp_matches(" + attempts + ", " + object
        + ", 'g') WITH ORDINALITY AS a(entry, place)";
}

// A row that did not fail at last was tried once more than it failed.
std::string successfulAttempt(Kind kind)
{
    constexpr const char* behind = "1000000000";
    const std::string columns = std::string(" UNION ALL SELECT ") + behind + ", t.attempt, ";
    if (kind == Kind::Outbox)
        return columns + "t.sent_at WHERE t.status = 'SENT' AND t.sent_at IS NOT NULL";
    if (kind == Kind::Inbox)
        return columns + "t.processed_at WHERE t.status = 'PROCESSED' AND t.processed_at IS NOT NULL";
    return {};
}

// As flow_reads.cpp has it: a row that was redriven counts its attempts anew, and what failed last may have been the
// death before.
std::string lastMerelyFailed(Kind kind)
{
    if (kind == Kind::DeadLetter)
        return "1 = 0";
    return "(t.status <> 'DEAD' AND CASE WHEN t.status IN ('PENDING', 'RECEIVED') THEN m.number <= t.attempt WHEN "
           "t.attempt = 0 THEN 1 = 1 WHEN t.status = 'FAILED' THEN m.number <= t.attempt ELSE m.number < t.attempt "
           "END)";
}

std::string momentOfAttempt(ExpressionSql& sql, const Filter& had, bool failed)
{
    const auto kind = sql.bound().binding.kind;
    const std::string span = sql.dialect() == Dialect::Sqlite
        ? "max(m.at - m.earlier, 0)"
        : "greatest(CAST(extract(epoch FROM m.at - m.earlier) * 1000000 AS bigint), 0)";
    // A redrive begins another life, in which they are numbered anew.
    const auto delay = "CASE WHEN m.number > m.earlier_number THEN " + span + " END";
    const MomentColumns columns{ { Field::Attempt, "m.number" }, { Field::At, "m.at" }, { Field::Delay, delay } };
    std::string text = "EXISTS (SELECT 1 FROM (SELECT number, at, lag(number) OVER w AS earlier_number, lag(at) OVER w "
                       "AS earlier, lead(number) OVER w AS later_number FROM ("
        + failedAttempts(sql) + (failed ? std::string() : successfulAttempt(kind))
        + ") AS l WINDOW w AS (ORDER BY place)) AS m WHERE m.at IS NOT NULL";
    // The last of a life that ended in death was no mere failure.
    if (failed)
        text += " AND CASE WHEN m.later_number IS NULL THEN " + lastMerelyFailed(kind)
            + " ELSE m.later_number > m.number END";
    return text + testsOf(sql, had, columns, false) + ")";
}

std::string siblingOf(const ExpressionSql& sql, const char* name)
{
    CatalogTable table;
    table.schema = sql.bound().table.schema;
    table.name = name;
    return qualified(table);
}

// When a letter of that name died: of its last death it says so itself, of those before its attempts do. Another
// payload under a used id is no attempt: there the first and the last time are known.
std::string deathsOf(ExpressionSql& sql, const Filter& had, const std::string& letter)
{
    if (!tellsOnly(had, { Field::Event, Field::At }))
        return testsOf(sql, had, { { Field::At, letter + ".dead_at" } }, false);
    const auto last = testsOf(sql, had, { { Field::At, letter + ".dead_at" } }, false);
    const auto earlier = testsOf(sql, had, { { Field::At, "m.at" } }, false);
    return overlapOf(sql, had, letter + ".first_at", letter + ".dead_at") + " AND (" + letter
        + ".kind = 'conflict' OR (1 = 1" + last + ") OR (" + letter
        + ".deaths > 1 AND EXISTS (SELECT 1 FROM (SELECT number, at, lead(number) OVER (ORDER BY place) AS "
          "later_number "
          "FROM ("
        + failedAttempts(sql, letter) + ") AS l) AS m WHERE m.at IS NOT NULL AND m.later_number <= m.number" + earlier
        + ")))";
}

// The dead letters of a message: those that its own death left, and of the inbox those of other payloads under its id.
std::string lettersOf(const ExpressionSql& sql, bool died, bool conflict)
{
    const bool outbox = sql.bound().binding.kind == Kind::Outbox;
    std::string kinds;
    for (const auto& [wanted, kind] : { std::pair(died, outbox ? DeadLetterKind::Outbox : DeadLetterKind::Inbox),
             std::pair(conflict && !outbox, DeadLetterKind::Conflict) })
        if (wanted)
            kinds += (kinds.empty() ? "'" : ", '") + std::string(wordOf(kind)) + "'";
    return "EXISTS (SELECT 1 FROM " + siblingOf(sql, "dead_letters") + " AS d WHERE d.event_id = t.event_id AND "
        + (outbox ? "d.destination = t.destination" : "d.consumer = t.consumer AND d.source = t.source")
        + " AND d.kind IN (" + kinds + ")";
}

struct MessageEvent {
    Kind kind;
    std::string_view event;
    const char* at;
    const char* condition; // beside the instant
};

constexpr MessageEvent messageEvents[] = {
    { Kind::Inbox, "receive", "t.received_at", "" },
    { Kind::Inbox, "process", "t.processed_at", "t.status = 'PROCESSED' AND " },
    { Kind::Outbox, "write", "t.created_at", "" },
    { Kind::Outbox, "send", "t.sent_at", "t.status = 'SENT' AND " },
    { Kind::DeadLetter, "redrive", "t.settled_at", "t.state = 'REDRIVEN' AND " },
    { Kind::DeadLetter, "discard", "t.settled_at", "t.state = 'DISCARDED' AND " },
};

std::string momentOfMessage(ExpressionSql& sql, const Filter& had)
{
    const auto kind = sql.bound().binding.kind;
    const auto named = std::find_if(had.children.begin(), had.children.end(), [](const FilterPtr& test) {
        return isEvent(*test) && test->comparison == Comparison::Equal && test->values.size() == 1;
    });
    if (named == had.children.end())
        return sql.fail(Failure::Invalid,
            "Of the rows of " + sql.bound().binding.name + " one event has to be named: had(event = …)");
    const auto& event = (*named)->values.front().text;
    for (const auto& each : messageEvents)
        if (each.kind == kind && each.event == event)
            return "(" + std::string(each.condition) + each.at + " IS NOT NULL"
                + testsOf(sql, had, { { Field::At, each.at } }, false) + ")";
    if (event == "attempt" || (event == "fail" && kind != Kind::DeadLetter))
        return momentOfAttempt(sql, had, event == "fail");
    const bool dies = event == "die" || (event == "conflict" && kind == Kind::Inbox);
    if (kind == Kind::DeadLetter && event == "die")
        return "(1 = 1" + deathsOf(sql, had, "t") + ")";
    if (dies && kind != Kind::DeadLetter)
        return lettersOf(sql, event == "die", event == "conflict") + deathsOf(sql, had, "d") + ")";
    if ((event == "redrive" || event == "discard") && kind != Kind::DeadLetter)
        return lettersOf(sql, true, true) + " AND d.state = '"
            + std::string(wordOf(event == "redrive" ? DeadLetterState::Redriven : DeadLetterState::Discarded)) + "'"
            + testsOf(sql, had, { { Field::At, "d.settled_at" } }, false) + ")";
    return sql.fail(
        Failure::Invalid, "The rows of " + sql.bound().binding.name + " never have the event \"" + event + "\"");
}

} // namespace

std::string momentCondition(ExpressionSql& sql, const Filter& had)
{
    const auto& bound = sql.bound();
    if (!bound.profile->native)
        return sql.fail(Failure::Invalid,
            "The table " + bound.binding.name + " tells only what its rows are now, not what they had");
    switch (bound.binding.kind) {
    case Kind::Idempotency:
        return momentOfRecord(sql, had);
    case Kind::Inbox:
    case Kind::Outbox:
    case Kind::DeadLetter:
        return momentOfMessage(sql, had);
    case Kind::Job:
    case Kind::Lock:
        break;
    }
    return sql.fail(Failure::Invalid, "The table " + bound.binding.name + " tells nothing of what its rows had");
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#include "core/store/flow_reads.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/messaging/dead_letter.h"
#include "core/messaging/delivery_attempt.h"
#include "core/messaging/inbox.h"
#include "core/messaging/outbox.h"
#include "core/query/filter.h"
#include "core/store/journal_range.h"
#include "core/store/statements.h"
#include "core/store/tally_sql.h"

namespace fencepost::store {

namespace {

// Histories of attempts are read one by one; more than these take longer than anybody waits.
constexpr std::int64_t readHistories = 200'000;

Parameters of(const TimeRange& range)
{
    return Parameters().time("from", range.from).time("until", range.until);
}

// Gathers what is counted by one statement: count, first, last.
class FlowCount {
public:
    FlowCount(TimedReads& reads, std::vector<Flow>& flows)
        : m_reads(reads)
        , m_flows(flows)
    {
    }

    Status count(const FlowEdge& edge, const NamedSql& sql)
    {
        return m_reads.ask(nameOf(edge), sql, of(m_reads.range()), [&](const NativeRow& row) { add(edge, row, 0); });
    }
    void add(const FlowEdge& edge, const NativeRow& row, int column)
    {
        if (row.integer(column) > 0)
            m_flows.push_back({ std::string(edge.from), std::string(edge.to), std::string(edge.event),
                row.integer(column), row.time(column + 1), row.time(column + 2) });
    }

private:
    static std::string nameOf(const FlowEdge& edge)
    {
        return std::string(edge.from) + " to " + std::string(edge.to) + " (" + std::string(edge.event) + ")";
    }

    TimedReads& m_reads;
    std::vector<Flow>& m_flows;
};

const FlowEdge& edgeOf(Kind kind, std::string_view event)
{
    const auto edges = flowEdges(kind);
    return *std::find_if(edges.begin(), edges.end(), [&](const FlowEdge& edge) { return edge.event == event; });
}

// Whether the last attempt that failed ended a life that was redriven since: of what was tried after it, none failed. A
// row counts its attempts anew in each life; 0: it was not tried in this one, or nobody says.
bool isOfEarlierLife(int lastFailed, std::int64_t attempt, std::string_view status)
{
    if (status == wordOf(OutboxState::Pending) || status == wordOf(InboxState::Received))
        return lastFailed > attempt;
    if (status == wordOf(InboxState::Failed))
        return attempt > 0 && lastFailed > attempt;
    return attempt > 0 && lastFailed >= attempt;
}

bool endsLife(const std::vector<DeliveryAttempt>& attempts, std::size_t at)
{
    return at + 1 < attempts.size() && attempts[at + 1].number <= attempts[at].number;
}

// Attempts that failed and were not the last of their life. A message and its dead letter tell of the same ones; which
// one a row died of the letter knows best.
class Failures {
public:
    explicit Failures(const TimeRange& range)
        : m_range(range)
    {
    }

    void addMessage(const NativeRow& row)
    {
        const auto attempts = readFrom(row);
        for (std::size_t i = 0; i < attempts.size(); ++i) {
            const bool last = i + 1 == attempts.size();
            if (!endsLife(attempts, i) && !(last && isOfEarlierLife(attempts[i].number, row.integer(3), row.octets(4))))
                note(row, attempts[i]);
        }
    }
    void addLetter(const NativeRow& row)
    {
        const auto attempts = readFrom(row);
        for (std::size_t i = 0; i < attempts.size(); ++i) {
            if (i + 1 == attempts.size())
                m_deadly.insert(nameOf(row, attempts[i]));
            else if (!endsLife(attempts, i))
                note(row, attempts[i]);
        }
    }

    [[nodiscard]] std::optional<Flow> flow(const FlowEdge& edge) const
    {
        Flow flow{ std::string(edge.from), std::string(edge.to), std::string(edge.event), 0, Time::max(), Time::min() };
        for (const auto& [name, at] : m_failed) {
            if (m_deadly.count(name) > 0)
                continue;
            ++flow.count;
            flow.firstAt = std::min(flow.firstAt, at);
            flow.lastAt = std::max(flow.lastAt, at);
        }
        return flow.count == 0 ? std::nullopt : std::optional(std::move(flow));
    }
    [[nodiscard]] std::int64_t read() const { return m_read; }

private:
    std::vector<DeliveryAttempt> readFrom(const NativeRow& row)
    {
        ++m_read;
        auto attempts = parseAttempts(row.octets(2));
        return attempts ? std::move(*attempts) : std::vector<DeliveryAttempt>();
    }
    static std::string nameOf(const NativeRow& row, const DeliveryAttempt& attempt)
    {
        return row.text(0) + '\n' + row.text(1) + '\n' + std::to_string(microsOf(attempt.at));
    }
    void note(const NativeRow& row, const DeliveryAttempt& attempt)
    {
        if (attempt.at >= m_range.from && attempt.at < m_range.until)
            m_failed.emplace(nameOf(row, attempt), attempt.at);
    }

    TimeRange m_range;
    std::map<std::string, Time> m_failed;
    std::set<std::string> m_deadly;
    std::int64_t m_read = 0;
};

Result<Failures> failuresOf(TimedReads& reads, Kind kind)
{
    Failures failures(reads.range());
    const auto died = std::string(wordOf(kind == Kind::Inbox ? DeadLetterKind::Inbox : DeadLetterKind::Outbox));
    const auto since = reads.range().from - longestSchedule;
    auto parameters = of(reads.range()).integer("most", readHistories);
    if (kind == Kind::Inbox)
        parameters.time("since", since);
    const auto& messages = kind == Kind::Inbox ? sql::attempts_of_inbox : sql::attempts_of_outbox;
    if (const auto asked =
            reads.ask("failed attempts", messages, parameters, [&](const NativeRow& row) { failures.addMessage(row); });
        !asked)
        return asked.error();
    const auto ofMessages = failures.read();
    if (const auto asked = reads.ask("failed attempts of dead letters", sql::attempts_of_letters,
            of(reads.range()).integer("most", readHistories).text("kind", died),
            [&](const NativeRow& row) { failures.addLetter(row); });
        !asked)
        return asked.error();
    if (ofMessages == readHistories || failures.read() - ofMessages == readHistories)
        reads.leaveOut("failed attempts are at least so many: the first " + std::to_string(readHistories)
            + " histories were read");
    return failures;
}

Status countFailures(TimedReads& reads, Kind kind, std::vector<Flow>& flows)
{
    const auto failures = failuresOf(reads, kind);
    if (!failures)
        return failures.error();
    if (auto flow = failures->flow(edgeOf(kind, "fail")))
        flows.push_back(std::move(*flow));
    return {};
}

std::string_view eventOfDeath(Kind table, std::string_view kind)
{
    const auto died = deadLetterKindOf(kind);
    if (table == Kind::DeadLetter)
        return "die";
    if (table == Kind::Outbox)
        return died == DeadLetterKind::Outbox ? "die" : "";
    return died == DeadLetterKind::Inbox ? "die" : died == DeadLetterKind::Conflict ? "conflict" : "";
}

std::string_view eventOfSettlement(Kind table, std::string_view kind, std::string_view state)
{
    if (eventOfDeath(table, kind).empty())
        return "";
    return state == wordOf(DeadLetterState::Redriven) ? "redrive" : "discard";
}

void noteFlow(std::vector<Flow>& flows, const FlowEdge& edge, const ArrivalCount& arrivals, Time first, Time last)
{
    if (arrivals.count > 0)
        flows.push_back({ std::string(edge.from), std::string(edge.to), std::string(edge.event), arrivals.count, first,
            last, FlowNature::Expected, {}, arrivals.estimated });
}

Conflict refusals(const NativeRow& row)
{
    Conflict conflict;
    conflict.count = row.integer(0);
    conflict.firstAt = row.time(1);
    conflict.lastAt = row.time(2);
    return conflict;
}

// As far as it is known: only the last one's instant is.
Time firstRepeat(const Conflict& conflict, const TimeRange& range)
{
    const bool only = repeatsWithin(conflict, range.from, range.until).count <= 1;
    return only && conflict.lastAt < range.until ? conflict.lastAt : std::max(conflict.firstAt, range.from);
}

Time lastRepeat(const Conflict& conflict, const TimeRange& range)
{
    return std::min(conflict.lastAt, range.until);
}

// A letter tells when it died last. What it died of before stands among its attempts.
Status countEarlierDeaths(TimedReads& reads, Kind kind, std::vector<Flow>& flows)
{
    const auto& range = reads.range();
    std::int64_t read = 0;
    const auto asked = reads.ask(
        "earlier deaths", sql::earlier_lives, of(range).integer("most", readHistories), [&](const NativeRow& row) {
            ++read;
            const auto event = eventOfDeath(kind, row.octets(0));
            const auto attempts = parseAttempts(row.octets(1));
            if (event.empty() || !attempts)
                return;
            for (std::size_t i = 0; i < attempts->size(); ++i) {
                const auto at = (*attempts)[i].at;
                if (endsLife(*attempts, i) && at >= range.from && at < range.until)
                    noteFlow(flows, edgeOf(kind, event), { 1, false }, at, at);
            }
        });
    if (asked && read == readHistories)
        reads.leaveOut("earlier deaths are at least so many: the first " + std::to_string(readHistories)
            + " letters that died again were read");
    return asked;
}

Status countConflicting(TimedReads& reads, Kind kind, std::vector<Flow>& flows)
{
    const auto event = eventOfDeath(kind, wordOf(DeadLetterKind::Conflict));
    if (event.empty())
        return {};
    const auto& range = reads.range();
    return reads.ask("conflicts", sql::flows_conflicting, of(range), [&](const NativeRow& row) {
        const auto conflict = refusals(row);
        const bool begun = conflict.firstAt >= range.from;
        noteFlow(flows, edgeOf(kind, event), arrivalsWithin(conflict, range.from, range.until),
            begun ? conflict.firstAt : firstRepeat(conflict, range), lastRepeat(conflict, range));
    });
}

Status countDeaths(TimedReads& reads, Kind kind, std::vector<Flow>& flows)
{
    FlowCount counter(reads, flows);
    const auto range = of(reads.range());
    auto status = reads.ask("deaths", sql::flows_died, range, [&](const NativeRow& row) {
        if (const auto event = eventOfDeath(kind, row.octets(0)); !event.empty())
            counter.add(edgeOf(kind, event), row, 1);
    });
    if (status)
        status = countEarlierDeaths(reads, kind, flows);
    if (status)
        status = countConflicting(reads, kind, flows);
    if (!status)
        return status;
    return reads.ask("redriven and discarded ones", sql::flows_settled, range, [&](const NativeRow& row) {
        if (const auto event = eventOfSettlement(kind, row.octets(0), row.octets(1)); !event.empty())
            counter.add(edgeOf(kind, event), row, 2);
    });
}

// Dead letters of several kinds are one flow of their table.
std::vector<Flow> merged(const std::vector<Flow>& flows)
{
    std::vector<Flow> all;
    for (const auto& flow : flows) {
        const auto same = std::find_if(all.begin(), all.end(), [&](const Flow& other) {
            return other.from == flow.from && other.to == flow.to && other.event == flow.event;
        });
        if (same == all.end()) {
            all.push_back(flow);
            continue;
        }
        same->count += flow.count;
        same->firstAt = std::min(same->firstAt, flow.firstAt);
        same->lastAt = std::max(same->lastAt, flow.lastAt);
        same->estimated = same->estimated || flow.estimated;
    }
    return all;
}

// Refused once more with what was refused before.
Status countRepeats(TimedReads& reads, std::vector<Flow>& flows)
{
    const auto& range = reads.range();
    return reads.ask("repeated conflicts", sql::repeated_mismatches, of(range), [&](const NativeRow& row) {
        const auto conflict = refusals(row);
        const auto state = row.optionalText(3).value_or("UNKNOWN");
        noteFlow(flows, { state, state, "mismatch", FlowNature::Suspicious, "" },
            repeatsWithin(conflict, range.from, range.until), firstRepeat(conflict, range),
            lastRepeat(conflict, range));
    });
}

} // namespace

Result<std::vector<Flow>> recordFlows(TimedReads& reads, bool conflicts)
{
    const auto stretch = journalRange(reads.connection(), reads.range());
    if (!stretch)
        return stretch.error();
    std::vector<Flow> flows;
    const auto asked = reads.ask("the journal", sql::flows_of_records,
        of(reads.range()).integer("first", stretch->first).integer("last", stretch->last), [&](const NativeRow& row) {
            flows.push_back({ row.text(0), row.text(1), row.text(2), row.integer(3), row.time(4), row.time(5) });
        });
    if (!asked)
        return asked.error();
    if (!conflicts) {
        reads.leaveOut(
            "who was refused again with the same request is counted in idempotency_conflicts, which cannot be "
            "read");
        return flows;
    }
    if (const auto repeated = countRepeats(reads, flows); !repeated)
        return repeated.error();
    return merged(flows);
}

Result<std::vector<Flow>> messageFlows(TimedReads& reads, Kind kind)
{
    std::vector<Flow> flows;
    FlowCount counter(reads, flows);
    Status status;
    if (kind == Kind::Inbox) {
        status = counter.count(edgeOf(kind, "receive"), sql::flows_received);
        if (status)
            status = counter.count(edgeOf(kind, "process"), sql::flows_processed);
    } else if (kind == Kind::Outbox) {
        status = counter.count(edgeOf(kind, "write"), sql::flows_written);
        if (status)
            status = counter.count(edgeOf(kind, "send"), sql::flows_sent);
    }
    if (status && kind != Kind::DeadLetter)
        status = countFailures(reads, kind, flows);
    if (status)
        status = countDeaths(reads, kind, flows);
    if (!status)
        return status.error();
    return merged(flows);
}

Result<std::vector<Flow>> arrivalFlows(TimedReads& reads, const BoundProfile& bound, const DecidingClock& now)
{
    const auto& range = reads.range();
    const auto filter =
        parseFilter("created >= " + formatInstant(range.from) + " and created < " + formatInstant(range.until));
    if (!filter)
        return filter.error();
    const auto text = compileTally(bound, *filter, now, {});
    if (!text)
        return text.error();
    std::vector<Flow> flows;
    const auto asked = reads.ask("what arrived", *text, [&](const NativeRow& row) {
        if (!row.isNull(0))
            flows.push_back({ "ABSENT", row.text(0), "create", row.integer(1), range.from, range.until });
    });
    if (!asked)
        return asked.error();
    return flows;
}

} // namespace fencepost::store

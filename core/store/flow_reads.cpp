// SPDX-License-Identifier: Apache-2.0
#include "core/store/flow_reads.h"

#include <algorithm>
#include <set>

#include "core/messaging/dead_letter.h"
#include "core/messaging/delivery_attempt.h"
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

// Attempts that failed and were not the last of their life. A message and its dead letter tell of the same ones.
class Failures {
public:
    explicit Failures(const TimeRange& range)
        : m_range(range)
    {
    }

    void add(const NativeRow& row, bool letter)
    {
        ++m_read;
        const auto attempts = parseAttempts(row.octets(2));
        if (!attempts)
            return;
        for (std::size_t i = 0; i < attempts->size(); ++i) {
            const auto& attempt = (*attempts)[i];
            const bool over = i + 1 == attempts->size() ? letter : (*attempts)[i + 1].number <= attempt.number;
            if (over || attempt.at < m_range.from || attempt.at >= m_range.until)
                continue;
            m_known.insert(row.text(0) + '\n' + row.text(1) + '\n' + std::to_string(microsOf(attempt.at)));
            m_first = std::min(m_first, attempt.at);
            m_last = std::max(m_last, attempt.at);
        }
    }

    [[nodiscard]] std::optional<Flow> flow(const FlowEdge& edge) const
    {
        if (m_known.empty())
            return {};
        return Flow{ std::string(edge.from), std::string(edge.to), std::string(edge.event),
            static_cast<std::int64_t>(m_known.size()), m_first, m_last };
    }
    [[nodiscard]] std::int64_t read() const { return m_read; }

private:
    TimeRange m_range;
    std::set<std::string> m_known;
    Time m_first = Time::max();
    Time m_last = Time::min();
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
            reads.ask("failed attempts", messages, parameters, [&](const NativeRow& row) { failures.add(row, false); });
        !asked)
        return asked.error();
    const auto ofMessages = failures.read();
    if (const auto asked = reads.ask("failed attempts of dead letters", sql::attempts_of_letters,
            of(reads.range()).integer("most", readHistories).text("kind", died),
            [&](const NativeRow& row) { failures.add(row, true); });
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

Status countDeaths(TimedReads& reads, Kind kind, std::vector<Flow>& flows)
{
    FlowCount counter(reads, flows);
    const auto range = of(reads.range());
    const auto died = reads.ask("deaths", sql::flows_died, range, [&](const NativeRow& row) {
        if (const auto event = eventOfDeath(kind, row.octets(0)); !event.empty())
            counter.add(edgeOf(kind, event), row, 1);
    });
    if (!died)
        return died;
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
    }
    return all;
}

} // namespace

Result<std::vector<Flow>> recordFlows(TimedReads& reads)
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
    return flows;
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
        flows.push_back({ "ABSENT", row.text(0), "create", row.integer(1), range.from, range.until });
    });
    if (!asked)
        return asked.error();
    return flows;
}

} // namespace fencepost::store

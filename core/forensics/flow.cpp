// SPDX-License-Identifier: Apache-2.0
#include "core/forensics/flow.h"

#include <algorithm>
#include <array>

#include "core/protocol/shown_step.h"
#include "core/query/moment.h"

namespace fencepost {

namespace {

using enum FlowNature;

struct Judgement {
    FlowNature nature;
    std::string_view why;
};

// What a journal tells of a record beyond its states. Empty: any.
struct EventJudgement {
    std::string_view event;
    std::string_view from;
    std::string_view to;
    Judgement judgement;
};

constexpr std::array eventJudgements = {
    EventJudgement{ "mismatch", "", "", { Suspicious, "another request came under a used key" } },
    EventJudgement{ "fenced", "", "", { Suspicious, "a worker wrote that owned the record no more" } },
    EventJudgement{ "reserve", "IN_PROGRESS", "IN_PROGRESS",
        { Suspicious, "taken over: the worker before did not finish within its lease" } },
    EventJudgement{ "reserve", "IN_PROGRESS", "HELD", { Suspicious, "held: nobody knows what its worker did" } },
    EventJudgement{ "reserve", "FAILED_RETRYABLE", "FAILED_FINAL", { Suspicious, "its attempts were spent" } },
    EventJudgement{ "hold", "", "HELD", { Suspicious, "held: its worker could not tell what it did" } },
    EventJudgement{ "reap_orphan", "", "", { Suspicious, "nobody came back for it" } },
    EventJudgement{ "reconcile", "", "HELD", { Suspicious, "held: the vendor does not know either" } },
    EventJudgement{ "unexpire", "", "", { Intervened, "an operator took an expiry back" } },
    EventJudgement{ "reopen", "", "", { Intervened, "an operator took a decision back" } },
};

constexpr std::string_view operatorPrefix = "operator_";

constexpr std::array inboxEdges = {
    FlowEdge{ "ABSENT", "RECEIVED", "receive", Expected, "" },
    FlowEdge{ "PROCESSING", "PROCESSED", "process", Expected, "" },
    FlowEdge{ "PROCESSING", "FAILED", "fail", Suspicious, "its handler failed" },
    FlowEdge{ "PROCESSING", "DEAD", "die", Suspicious, "its attempts were spent, or its handler refused it for good" },
    FlowEdge{ "ABSENT", "DEAD", "conflict", Suspicious, "an event came under a used id with another payload" },
    FlowEdge{ "DEAD", "RECEIVED", "redrive", Intervened, "an operator sent it again" },
    FlowEdge{ "DEAD", "DEAD", "discard", Intervened, "an operator gave it up" },
};

constexpr std::array outboxEdges = {
    FlowEdge{ "ABSENT", "PENDING", "write", Expected, "" },
    FlowEdge{ "SENDING", "SENT", "send", Expected, "" },
    FlowEdge{ "SENDING", "PENDING", "fail", Suspicious, "its target did not take it" },
    FlowEdge{ "SENDING", "DEAD", "die", Suspicious, "its attempts were spent, or its target refused it for good" },
    FlowEdge{ "DEAD", "PENDING", "redrive", Intervened, "an operator sent it again" },
    FlowEdge{ "DEAD", "DEAD", "discard", Intervened, "an operator gave it up" },
};

constexpr std::array letterEdges = {
    FlowEdge{ "ABSENT", "DEAD", "die", Suspicious, "it was given up" },
    FlowEdge{ "DEAD", "REDRIVEN", "redrive", Intervened, "an operator sent it again" },
    FlowEdge{ "DEAD", "DISCARDED", "discard", Intervened, "an operator gave it up" },
};

bool isKnown(const Flow& flow)
{
    const auto from = stateOf(flow.from);
    const auto to = stateOf(flow.to);
    if (!from || !to)
        return false;
    // What an imported log does not tell breaks no rule.
    if (*from == State::Unknown || *to == State::Unknown)
        return true;
    if (isArrival(flow.event))
        return *from == *to;
    const auto event = eventOf(flow.event);
    return event ? leads(*event, *from, *to) : flow.event == "unknown" && leads(*from, *to);
}

void judgeRecord(Flow& flow)
{
    const auto found = std::find_if(eventJudgements.begin(), eventJudgements.end(), [&](const EventJudgement& each) {
        return each.event == flow.event && (each.from.empty() || each.from == flow.from)
            && (each.to.empty() || each.to == flow.to);
    });
    if (!isKnown(flow)) {
        flow.nature = Illegal;
        flow.why = "no rule of the protocol leads there";
    } else if (found != eventJudgements.end()) {
        flow.nature = found->judgement.nature;
        flow.why = found->judgement.why;
    } else if (flow.event.starts_with(operatorPrefix)) {
        flow.nature = Intervened;
        flow.why = "an operator did it";
    }
}

} // namespace

std::string_view wordOf(FlowNature nature) noexcept
{
    switch (nature) {
    case Expected:
        return "expected";
    case Intervened:
        return "intervened";
    case Suspicious:
        return "suspicious";
    case Illegal:
        return "illegal";
    }
    return "illegal";
}

std::span<const FlowEdge> flowEdges(Kind kind) noexcept
{
    switch (kind) {
    case Kind::Inbox:
        return inboxEdges;
    case Kind::Outbox:
        return outboxEdges;
    case Kind::DeadLetter:
        return letterEdges;
    case Kind::Idempotency:
    case Kind::Job:
    case Kind::Lock:
        return {};
    }
    return {};
}

void judge(Kind kind, Flow& flow)
{
    if (kind == Kind::Idempotency) {
        judgeRecord(flow);
        return;
    }
    const auto edges = flowEdges(kind);
    const auto found = std::find_if(edges.begin(), edges.end(),
        [&](const FlowEdge& edge) { return edge.from == flow.from && edge.to == flow.to && edge.event == flow.event; });
    if (found == edges.end())
        return;
    flow.nature = found->nature;
    flow.why = found->why;
}

std::string filterOf(Kind kind, bool native, const std::vector<Flow>& flows, Time since, Time until)
{
    std::vector<std::string> terms;
    for (const auto& flow : flows) {
        Moment moment;
        moment.event = flow.event;
        moment.since = since;
        moment.until = until;
        if (kind == Kind::Idempotency) {
            moment.from = flow.from;
            moment.to = flow.to;
        }
        terms.push_back(native ? filterOf(moment)
                               : equalTerm(Field::State, flow.to) + " and created >= " + formatInstant(since)
                    + " and created < " + formatInstant(until));
    }
    std::string text;
    for (const auto& term : terms)
        text += (text.empty() ? "" : " or ") + (native || terms.size() == 1 ? term : "(" + term + ")");
    return text;
}

} // namespace fencepost

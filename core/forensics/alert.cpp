// SPDX-License-Identifier: Apache-2.0
#include "core/forensics/alert.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/forensics.h"

namespace fencepost {

namespace {

constexpr std::array measures{
    AlertMeasure{ "stuck", AlertUnit::Rows, false, "rows that nobody works on any more", "stuck > 10" },
    AlertMeasure{ "oldest_lease", AlertUnit::Span, false, "since the first lease lapsed that is still in progress",
        "oldest_lease > 5m" },
    AlertMeasure{ "dead_letters", AlertUnit::Rows, true, "dead letters that came", "dead_letters > 20 in 5m" },
    AlertMeasure{
        "conflicts", AlertUnit::Rows, true, "requests and events refused under a used key", "conflicts > 10 in 5m" },
    AlertMeasure{ "retries", AlertUnit::Part, true, "attempts again for each first one", "retries > 20% in 5m" },
    AlertMeasure{
        "outbox_lag", AlertUnit::Span, false, "since the message was due that waits longest", "outbox_lag > 1m" },
};

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Error wrong(std::string_view rule, const std::string& what)
{
    return { Failure::Invalid, what, std::string(rule), {},
        "As in: stuck > 10, oldest_lease > 5m, dead_letters > 20 in 5m" };
}

std::string allMeasures()
{
    std::string all;
    for (const auto& measure : measures)
        all += (all.empty() ? "" : ", ") + std::string(measure.id);
    return all;
}

std::optional<double> numberOf(std::string_view text)
{
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
        return {};
    return value;
}

double secondsOf(Duration duration)
{
    return std::chrono::duration<double>(duration).count();
}

Result<double> thresholdOf(const AlertMeasure& measure, std::string_view rule, std::string_view text)
{
    if (measure.unit == AlertUnit::Span) {
        const auto span = parseDuration(text);
        if (!span || *span < Duration::zero())
            return wrong(rule, std::string(measure.id) + " is compared with a length of time, as 5m");
        return secondsOf(*span);
    }
    const bool part = measure.unit == AlertUnit::Part;
    if (part != text.ends_with('%'))
        return wrong(rule,
            part ? std::string(measure.id) + " is compared with a percentage, as 20%"
                 : std::string(measure.id) + " is compared with a number of rows");
    const auto value = numberOf(part ? trimmed(text.substr(0, text.size() - 1)) : text);
    if (!value)
        return wrong(rule, "\"" + std::string(text) + "\" is no number that is 0 or more");
    return part ? *value / 100 : *value;
}

std::string shortest(double value)
{
    std::array<char, 32> buffer{};
    const auto [end, problem] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
    return problem == std::errc() ? std::string(buffer.data(), end) : std::to_string(value);
}

// What could be anything but is the same for each: 0.20000000000000001 % is nobody's threshold.
double rounded(double value, double steps)
{
    return std::round(value * steps) / steps;
}

std::string spanInWords(double seconds)
{
    return formatDuration(Duration(static_cast<std::int64_t>(seconds * 1e6)));
}

// Whole, where formatDuration leaves out what is small beside the rest.
std::string spanAsWord(Duration span)
{
    constexpr std::array<std::pair<const char*, std::int64_t>, 6> units{ { { "d", 86'400'000'000 },
        { "h", 3'600'000'000 }, { "m", 60'000'000 }, { "s", 1'000'000 }, { "ms", 1'000 }, { "us", 1 } } };
    std::string text;
    auto left = span.count();
    for (const auto& [unit, length] : units) {
        if (left >= length)
            text += std::to_string(left / length) + unit;
        left %= length;
    }
    return text.empty() ? "0s" : text;
}

bool isOf(const AlertRule& rule, std::string_view id)
{
    return id == rule.measure->id;
}

std::vector<Kind> kindsOf(const AlertRule& rule)
{
    if (isOf(rule, "stuck"))
        return { Kind::Idempotency, Kind::Inbox, Kind::Job, Kind::Lock };
    if (isOf(rule, "oldest_lease"))
        return { Kind::Idempotency, Kind::Inbox };
    if (isOf(rule, "dead_letters"))
        return { Kind::DeadLetter };
    if (isOf(rule, "conflicts"))
        return { Kind::Idempotency, Kind::Inbox };
    if (isOf(rule, "retries"))
        return { Kind::Idempotency };
    return { Kind::Outbox };
}

// The readings of all tables as one.
struct Gathered {
    AlertReading reading;
    AlertFlows flows;
    double most = 0;

    void add(const AlertMeasure& measure, const std::string& binding, double value)
    {
        if (measure.unit == AlertUnit::Rows)
            reading.value += value;
        else
            reading.value = std::max(reading.value, value);
        if (value > most) {
            most = value;
            reading.binding = binding;
        }
    }
};

Status addCounts(Inspector& inspector, const AlertRule& rule, const Binding& binding, Duration budget, Gathered& into)
{
    if (isOf(rule, "stuck") ? !binding.tellsStuck : binding.fromLogs)
        return Error{ Failure::Unsupported, "This table does not tell when a row is stuck", {}, {} };
    const auto counts = inspector.counts(binding, nullptr, budget);
    if (!counts)
        return counts.error();
    if (isOf(rule, "stuck")) {
        into.add(*rule.measure, binding.name, static_cast<double>(counts->stuck.value));
        into.reading.exact = into.reading.exact && counts->stuck.exactness == Exactness::Exact;
    } else if (counts->oldestLease && *counts->oldestLease < counts->now) {
        into.add(*rule.measure, binding.name, secondsOf(counts->now - *counts->oldestLease));
    }
    return {};
}

Status addFlows(Inspector& inspector, const AlertRule& rule, const Binding& binding, Duration budget, Gathered& into)
{
    RangeRequest range;
    range.last = rule.within;
    range.budget = budget;
    const auto found = inspector.forensics()->flows(binding, range);
    if (!found)
        return found.error();
    const auto flows = alertFlowsOf(rule, binding.kind, found->flows);
    if (!isOf(rule, "retries"))
        into.add(*rule.measure, binding.name, static_cast<double>(flows.counted));
    into.flows.first += flows.first;
    into.flows.again += flows.again;
    if (flows.again > 0)
        into.reading.binding = binding.name;
    into.reading.estimated = into.reading.estimated || flows.estimated;
    into.reading.exact = into.reading.exact && found->basis.unread.empty();
    return {};
}

Status addLag(Inspector& inspector, const AlertRule& rule, const Binding& binding, Gathered& into)
{
    const auto backlog = inspector.outboxBacklog(binding);
    if (!backlog)
        return backlog.error();
    into.add(*rule.measure, binding.name, secondsOf(backlog->lag()));
    return {};
}

Status addTable(Inspector& inspector, const AlertRule& rule, const Binding& binding, Duration budget, Gathered& into)
{
    if (isOf(rule, "outbox_lag"))
        return addLag(inspector, rule, binding, into);
    if (rule.measure->within)
        return inspector.forensics() != nullptr
            ? addFlows(inspector, rule, binding, budget, into)
            : Status(Error{ Failure::Unsupported, "This database keeps no journal", {}, {} });
    return addCounts(inspector, rule, binding, budget, into);
}

} // namespace

std::span<const AlertMeasure> alertMeasures() noexcept
{
    return measures;
}

Result<AlertRule> parseAlertRule(std::string_view text)
{
    const auto sign = text.find('>');
    if (sign == std::string_view::npos)
        return wrong(text, "A rule is a measure, \">\" and what it may not be over");
    const auto name = trimmed(text.substr(0, sign));
    const auto found =
        std::find_if(measures.begin(), measures.end(), [&](const AlertMeasure& measure) { return name == measure.id; });
    if (found == measures.end())
        return wrong(text, "There is no measure \"" + std::string(name) + "\": there are " + allMeasures());
    AlertRule rule;
    rule.measure = &*found;
    auto rest = trimmed(text.substr(sign + 1));
    if (const auto in = rest.find(" in "); in != std::string_view::npos) {
        if (!found->within)
            return wrong(text, std::string(found->id) + " is what it is now: it has no \"in\"");
        const auto within = parseDuration(trimmed(rest.substr(in + 4)));
        constexpr auto shortestStretch = std::chrono::seconds(1);
        constexpr auto longestStretch = std::chrono::hours(24) * 7;
        if (!within || *within < shortestStretch || *within > longestStretch)
            return wrong(text, "What stands behind \"in\" is a length of time from 1s to 7d, as 5m");
        rule.within = *within;
        rest = trimmed(rest.substr(0, in));
    }
    const auto above = thresholdOf(*found, text, rest);
    if (!above)
        return above.error();
    rule.above = *above;
    return rule;
}

std::string textOf(const AlertRule& rule)
{
    std::string value;
    switch (rule.measure->unit) {
    case AlertUnit::Rows:
        value = shortest(rule.above);
        break;
    case AlertUnit::Span:
        value = spanAsWord(Duration(std::llround(rule.above * 1e6)));
        break;
    case AlertUnit::Part:
        value = shortest(rounded(rule.above * 100, 1e6)) + "%";
        break;
    }
    return std::string(rule.measure->id) + " > " + value
        + (rule.measure->within ? " in " + spanAsWord(rule.within) : std::string());
}

std::string alertValueInWords(const AlertMeasure& measure, double value)
{
    switch (measure.unit) {
    case AlertUnit::Rows:
        return shortest(value);
    case AlertUnit::Span:
        return spanInWords(value);
    case AlertUnit::Part:
        return shortest(rounded(value * 100, 10)) + " %";
    }
    return {};
}

AlertFlows alertFlowsOf(const AlertRule& rule, Kind kind, const std::vector<Flow>& flows)
{
    AlertFlows sums;
    for (const auto& flow : flows) {
        // Where a log does not tell from where an execution came, nothing was before it.
        const bool came = flow.from == "ABSENT" || flow.from == "EXPIRED" || flow.from == "UNKNOWN";
        const bool died = kind == Kind::DeadLetter && flow.event == "die";
        const bool refused = flow.event == "mismatch" || (kind == Kind::Inbox && flow.event == "conflict");
        if ((died && isOf(rule, "dead_letters")) || (refused && isOf(rule, "conflicts"))) {
            sums.counted += flow.count;
            sums.estimated = sums.estimated || flow.estimated;
        } else if (kind == Kind::Idempotency && flow.event == "reserve" && flow.to == "IN_PROGRESS") {
            (came ? sums.first : sums.again) += flow.count;
        }
    }
    return sums;
}

Result<AlertReading> readAlert(Inspector& inspector, const AlertRule& rule, Duration budget)
{
    const auto bindings = inspector.bindings();
    if (!bindings)
        return bindings.error();
    const auto kinds = kindsOf(rule);
    Gathered gathered;
    bool read = false;
    for (const auto& binding : *bindings) {
        if (std::find(kinds.begin(), kinds.end(), binding.kind) == kinds.end())
            continue;
        const auto added = addTable(inspector, rule, binding, budget, gathered);
        // A table that keeps no such thing does not make the others silent.
        if (!added && added.error().failure == Failure::Unsupported)
            continue;
        if (!added)
            return added.error();
        read = true;
    }
    if (!read)
        return Error{ Failure::Unsupported, std::string("No table here tells of ") + rule.measure->id, textOf(rule) };
    auto& reading = gathered.reading;
    if (isOf(rule, "retries"))
        reading.value = static_cast<double>(gathered.flows.again)
            / static_cast<double>(std::max<std::int64_t>(gathered.flows.first, 1));
    return reading;
}

AlertWatch::AlertWatch(std::vector<AlertRule> rules)
{
    for (auto& rule : rules)
        m_states.push_back({ rule, {}, false, {}, {} });
}

std::vector<AlertChange> AlertWatch::look(Inspector& inspector, Duration budget)
{
    std::vector<AlertChange> changes;
    const auto info = inspector.info();
    for (auto& state : m_states) {
        const auto reading = info ? readAlert(inspector, state.rule, budget) : Result<AlertReading>(info.error());
        if (!reading) {
            state.error = reading.error();
            continue;
        }
        state.error.reset();
        state.reading = *reading;
        const bool fires = reading->value > state.rule.above;
        // What was not counted whole may be over it all the same.
        if (fires == state.firing || (!fires && !reading->exact))
            continue;
        const auto before = state.since;
        state.firing = fires;
        state.since = fires ? std::optional(info->now) : std::nullopt;
        changes.push_back({ state, info->now, before ? std::optional<Duration>(info->now - *before) : std::nullopt });
    }
    return changes;
}

bool AlertWatch::firing() const
{
    return std::any_of(m_states.begin(), m_states.end(), [](const AlertState& state) { return state.firing; });
}

std::string alertInWords(const AlertChange& change)
{
    const auto& [rule, reading, firing, since, error] = change.state;
    auto words = textOf(rule) + ": ";
    if (reading)
        words += std::string(!reading->exact  ? "at least "
                         : reading->estimated ? "about "
                                              : "")
            + alertValueInWords(*rule.measure, reading->value) + " " + rule.measure->title;
    if (reading && !reading->binding.empty())
        words += ", most in " + reading->binding;
    if (!firing && change.lasted)
        words += ", over after " + formatDuration(*change.lasted);
    return words;
}

} // namespace fencepost

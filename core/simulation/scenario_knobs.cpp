// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/scenario_knobs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

namespace fencepost::simulation {

namespace {

constexpr std::int64_t every = 1'000'000; // chance
constexpr std::int64_t oneDay = 24 * 3'600 * every;
constexpr std::size_t mostSwept = 1'000;

// Digits behind a point, as many as `places` at most, without a floating point number in between.
std::optional<std::int64_t> decimalOf(std::string_view text, int places)
{
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || value < 0 || text.empty() || text[0] == '-')
        return std::nullopt;
    std::int64_t scale = 1;
    for (int i = 0; i < places; ++i)
        scale *= 10;
    if (value > INT64_MAX / scale - 1)
        return std::nullopt;
    value *= scale;
    if (read.ptr == end)
        return value;
    if (*read.ptr != '.' || end - read.ptr < 2 || end - read.ptr - 1 > places)
        return std::nullopt;
    for (const auto* digit = read.ptr + 1; digit != end; ++digit) {
        if (*digit < '0' || *digit > '9')
            return std::nullopt;
        scale /= 10;
        value += (*digit - '0') * scale;
    }
    return value;
}

std::string decimalText(std::int64_t value, int places)
{
    std::int64_t scale = 1;
    for (int i = 0; i < places; ++i)
        scale *= 10;
    auto text = std::to_string(value / scale);
    if (value % scale == 0)
        return text;
    auto digits = std::to_string(scale + value % scale).substr(1);
    while (digits.back() == '0')
        digits.pop_back();
    return text + "." + digits;
}

constexpr int ratePlaces = 3;
constexpr int chancePlaces = 4; // of a percent

std::optional<std::int64_t> chanceOf(std::string_view text)
{
    if (text == "0")
        return 0;
    if (text.empty() || text.back() != '%')
        return std::nullopt;
    text.remove_suffix(1);
    return decimalOf(text, chancePlaces);
}

std::vector<std::string_view> wordsOf(std::string_view words)
{
    std::vector<std::string_view> all;
    while (!words.empty()) {
        const auto blank = words.find(' ');
        all.push_back(words.substr(0, blank));
        if (blank == std::string_view::npos)
            break;
        words.remove_prefix(blank + 1);
    }
    return all;
}

std::string joined(std::string_view words)
{
    std::string text;
    for (const auto word : wordsOf(words))
        text += (text.empty() ? "" : ", ") + std::string(word);
    return text;
}

std::string_view unitExample(KnobForm form)
{
    switch (form) {
    case KnobForm::Count:
        return "a whole number";
    case KnobForm::Rate:
        return "a number a second";
    case KnobForm::Chance:
        return "a percentage, as in 0.5%";
    case KnobForm::Length:
        return "a length of time with its unit, as in 30s";
    case KnobForm::Spread:
        return "a length of time or a spread of them, as in exponential(50ms)";
    case KnobForm::Flag:
        return "true or false";
    case KnobForm::Word:
        return "a word";
    }
    return {};
}

std::string written(KnobForm form, std::int64_t value)
{
    switch (form) {
    case KnobForm::Rate:
        return decimalText(value, ratePlaces);
    case KnobForm::Chance:
        return decimalText(value, chancePlaces) + "%";
    case KnobForm::Length:
    case KnobForm::Spread:
        return Spread(Duration(value)).text();
    default:
        return std::to_string(value);
    }
}

// In the form's own unit.
std::optional<std::int64_t> numberOf(KnobForm form, std::string_view text)
{
    switch (form) {
    case KnobForm::Count:
        return decimalOf(text, 0);
    case KnobForm::Rate:
        return decimalOf(text, ratePlaces);
    case KnobForm::Chance:
        return chanceOf(text);
    case KnobForm::Length: {
        const auto length = text == "0" ? Result<Duration>(Duration(0)) : parseDuration(text);
        return length ? std::optional(length->count()) : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

Error refused(std::string_view path, std::string_view value, const std::string& what)
{
    return invalid(std::string(path) + ": \"" + std::string(value) + "\" is " + what);
}

// A number of the form within the bounds.
Result<std::int64_t> bounded(
    std::string_view path, KnobForm form, std::int64_t least, std::int64_t most, std::string_view value)
{
    const auto number = numberOf(form, value);
    if (!number)
        return refused(path, value, "not " + std::string(unitExample(form)));
    if (*number < least || *number > most)
        return refused(path, value, "not between " + written(form, least) + " and " + written(form, most));
    return *number;
}

Result<int> wordAt(std::string_view path, std::string_view words, std::string_view value)
{
    const auto all = wordsOf(words);
    const auto found = std::find(all.begin(), all.end(), value);
    if (found == all.end())
        return refused(path, value, "none of " + joined(words));
    return static_cast<int>(found - all.begin());
}

Result<bool> flagOf(std::string_view path, std::string_view value)
{
    if (value != "true" && value != "false")
        return refused(path, value, "neither true nor false");
    return value == "true";
}

// Of a fault, besides its kind.
struct FaultMember {
    std::string_view name;
    KnobForm form;
    std::int64_t least;
    std::int64_t most;
    void (*take)(Fault& fault, std::int64_t value);
};
constexpr std::array faultMembers = {
    FaultMember{
        "from", KnobForm::Length, 0, 400 * oneDay, [](Fault& it, std::int64_t to) { it.from = Duration(to); } },
    FaultMember{
        "for", KnobForm::Length, 0, 400 * oneDay, [](Fault& it, std::int64_t to) { it.length = Duration(to); } },
    FaultMember{ "share", KnobForm::Chance, 0, every, [](Fault& it, std::int64_t to) { it.share = to; } },
    FaultMember{ "factor", KnobForm::Count, 1, 100'000, [](Fault& it, std::int64_t to) { it.factor = to; } },
    FaultMember{ "node", KnobForm::Count, 1, 1'000, [](Fault& it, std::int64_t to) { it.node = to - 1; } },
    FaultMember{ "forward", KnobForm::Length, 0, 400 * oneDay,
        [](Fault& it, std::int64_t to) {
            it.step = Duration(to);
            it.back = false;
        } },
    FaultMember{ "back", KnobForm::Length, 0, 400 * oneDay,
        [](Fault& it, std::int64_t to) {
            it.step = Duration(to);
            it.back = true;
        } },
    FaultMember{
        "retry_after", KnobForm::Length, 0, oneDay, [](Fault& it, std::int64_t to) { it.retryAfter = Duration(to); } },
};
constexpr std::string_view faultWords =
    "outage silence brownout node_crash partition throttle clock_step store_outage vendor_outage consumer_outage";

} // namespace

std::string_view wordOf(FaultKind kind) noexcept
{
    auto words = faultWords;
    for (auto left = static_cast<int>(kind); left > 0; --left)
        words.remove_prefix(words.find(' ') + 1);
    return words.substr(0, words.find(' '));
}

std::string shownValue(const ScenarioKnob& knob, const Scenario& scenario)
{
    // Nothing is written through the place.
    const auto place = knob.place(const_cast<Scenario&>(scenario)); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    if (const auto* const* number = std::get_if<std::int64_t*>(&place))
        return written(knob.form, **number);
    if (const auto* const* word = std::get_if<int*>(&place))
        return std::string(wordsOf(knob.words)[static_cast<std::size_t>(**word)]);
    if (const auto* const* flag = std::get_if<bool*>(&place))
        return **flag ? "true" : "false";
    if (const auto* const* length = std::get_if<Duration*>(&place))
        return written(knob.form, (*length)->count());
    return std::get<Spread*>(place)->text();
}

Status turn(const ScenarioKnob& knob, Scenario& scenario, std::string_view value)
{
    const auto place = knob.place(scenario);
    if (auto* const* word = std::get_if<int*>(&place)) {
        const auto index = wordAt(knob.path, knob.words, value);
        if (!index)
            return index.error();
        **word = *index;
        return {};
    }
    if (auto* const* flag = std::get_if<bool*>(&place)) {
        const auto said = flagOf(knob.path, value);
        if (!said)
            return said.error();
        **flag = *said;
        return {};
    }
    if (auto* const* spread = std::get_if<Spread*>(&place)) {
        auto parsed = Spread::parse(value);
        if (!parsed)
            return invalid(std::string(knob.path) + ": " + parsed.error().message);
        **spread = std::move(*parsed);
        return {};
    }
    const auto number = bounded(knob.path, knob.form, knob.least, knob.most, value);
    if (!number)
        return number.error();
    if (auto* const* length = std::get_if<Duration*>(&place))
        **length = Duration(*number);
    else
        *std::get<std::int64_t*>(place) = *number;
    return {};
}

Result<std::vector<std::string>> sweptValues(const ScenarioKnob& knob, std::string_view range)
{
    std::vector<std::string> values;
    if (knob.form == KnobForm::Word || knob.form == KnobForm::Flag) {
        // Words have no order: they are named one after the other.
        Scenario probe;
        auto left = range;
        for (;;) {
            const auto comma = left.find(',');
            const auto value = left.substr(0, comma);
            if (const auto turned = turn(knob, probe, value); !turned)
                return turned.error();
            values.emplace_back(value);
            if (comma == std::string_view::npos)
                return values;
            left.remove_prefix(comma + 1);
        }
    }
    const auto dots = range.find("..");
    if (dots == std::string_view::npos) {
        Scenario probe;
        // A member of a list has no place of its own.
        if (!knob.place) {
            if (const auto number = bounded(knob.path, knob.form, knob.least, knob.most, range); !number)
                return number.error();
        } else if (const auto turned = turn(knob, probe, range); !turned) {
            return turned.error();
        }
        values.emplace_back(range);
        return values;
    }
    const auto colon = range.find(':', dots);
    if (colon == std::string_view::npos)
        return refused(knob.path, range, "no range: it is written as first..last:step");
    // A spread is swept by its even lengths.
    const auto form = knob.form == KnobForm::Spread ? KnobForm::Length : knob.form;
    const auto first = bounded(knob.path, form, knob.least, knob.most, range.substr(0, dots));
    if (!first)
        return first.error();
    const auto last = bounded(knob.path, form, knob.least, knob.most, range.substr(dots + 2, colon - dots - 2));
    if (!last)
        return last.error();
    const auto step = bounded(knob.path, form, 1, INT64_MAX, range.substr(colon + 1));
    if (!step)
        return step.error();
    if (*last < *first)
        return refused(knob.path, range, "no range: its last value lies before its first");
    if (static_cast<std::size_t>((*last - *first) / *step) >= mostSwept)
        return refused(knob.path, range, "a range of more than " + std::to_string(mostSwept) + " values");
    for (auto value = *first; value <= *last; value += *step)
        values.push_back(written(form, value));
    return values;
}

Status turnPhase(Phase& phase, std::string_view member, std::string_view value)
{
    const bool rate = member == "rate";
    if (!rate && member != "from" && member != "until")
        return invalid("a phase of the load has from, until and rate; not \"" + std::string(member) + "\"");
    const auto number = rate ? bounded(member, KnobForm::Rate, 0, every * 1000, value)
                             : bounded(member, KnobForm::Length, 0, 400 * oneDay, value);
    if (!number)
        return number.error();
    if (rate)
        phase.rate = *number;
    else
        (member == "from" ? phase.from : phase.until) = Duration(*number);
    return {};
}

std::optional<ScenarioKnob> knobOfMember(std::string_view path)
{
    const auto dot = path.find("].");
    if (dot == std::string_view::npos)
        return std::nullopt;
    const auto member = path.substr(dot + 2);
    if (path.starts_with("phases[") && (member == "from" || member == "until"))
        return ScenarioKnob{ .path = path, .form = KnobForm::Length, .most = 400 * oneDay };
    if (path.starts_with("phases[") && member == "rate")
        return ScenarioKnob{ .path = path, .form = KnobForm::Rate, .most = every * 1000 };
    for (const auto& known : faultMembers)
        if (path.starts_with("faults[") && known.name == member)
            return ScenarioKnob{ .path = path, .form = known.form, .least = known.least, .most = known.most };
    return std::nullopt;
}

Status turnFault(Fault& fault, std::string_view member, std::string_view value)
{
    if (member == "kind") {
        const auto kind = wordAt(member, faultWords, value);
        if (!kind)
            return kind.error();
        fault.kind = static_cast<FaultKind>(*kind);
        return {};
    }
    for (const auto& known : faultMembers) {
        if (known.name != member)
            continue;
        const auto number = bounded(member, known.form, known.least, known.most, value);
        if (!number)
            return number.error();
        known.take(fault, *number);
        return {};
    }
    return invalid("a fault has kind, from, for, share, factor, node, forward, back and retry_after; not \""
        + std::string(member) + "\"");
}

} // namespace fencepost::simulation

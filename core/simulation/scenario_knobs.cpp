// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/scenario_knobs.h"

#include <vector>

#include "core/simulation/knob_values.h"

namespace fencepost::simulation {

namespace {

constexpr std::size_t mostSwept = 1'000;

} // namespace

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
        if (parsed->longest() > Duration(knob.most))
            return refused(knob.path, value, "longer than " + written(knob.form, knob.most));
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

} // namespace fencepost::simulation

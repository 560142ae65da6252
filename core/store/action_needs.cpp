// SPDX-License-Identifier: Apache-2.0
#include "core/store/action_needs.h"

#include <algorithm>
#include <set>

#include "core/in_quotes.h"

namespace fencepost::store {

namespace {

using profile::Expression;

constexpr auto effectCheckedNeed = "confirm_effect_checked";
constexpr auto effectChecked = "effect_checked"; // what says it; the operation release asks for it by itself
constexpr auto exportNeed = "export";
constexpr auto exportedTo = "exported_to";

bool has(const profile::Action& action, std::string_view need)
{
    return std::find(action.needs.begin(), action.needs.end(), need) != action.needs.end();
}

void collect(const Expression& expression, std::set<std::string>& into)
{
    if (expression.op == Expression::Op::Param)
        into.insert(expression.name);
    for (const auto& argument : expression.arguments)
        collect(*argument, into);
}

std::set<std::string> namedBy(const profile::Profile& profile, const profile::Action& action)
{
    std::set<std::string> names;
    for (const auto& step : action.steps) {
        for (const auto& condition : { step.when, step.which })
            if (condition)
                collect(*condition, names);
        for (const auto& [column, value] : step.set)
            collect(*value, names);
    }
    if (needsStuck(action) && profile.stuck)
        collect(*profile.stuck, names);
    return names;
}

std::string standardOf(const profile::Scalar& value)
{
    if (const auto* number = std::get_if<std::int64_t>(&value))
        return std::to_string(*number);
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? *text : std::string();
}

} // namespace

bool needsStuck(const profile::Action& action)
{
    return has(action, "stuck");
}

bool namesAsked(const profile::Profile& profile, const profile::Expression& condition,
    const std::map<std::string, std::string>& said)
{
    std::set<std::string> names;
    collect(condition, names);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return !said.contains(name) && std::holds_alternative<std::monostate>(profile.params.at(name).standard);
    });
}

std::string whyNotNeeded(const profile::Profile& profile, const profile::Action& action)
{
    if (needsStuck(action) && !profile.stuck)
        return "its profile allows it for stuck rows only and does not say which rows are stuck";
    return {};
}

std::vector<ActionParameter> parametersOf(const profile::Profile& profile, const profile::Action& action)
{
    std::vector<ActionParameter> result;
    for (const auto& name : namedBy(profile, action)) {
        const auto& parameter = profile.params.at(name);
        const bool made = !parameter.generate.empty();
        ActionParameter asked{ name, parameter.type, made ? std::string() : standardOf(parameter.standard),
            parameter.label.empty() ? name : parameter.label, false };
        asked.required = asked.standard.empty() && !made;
        result.push_back(std::move(asked));
    }
    if (has(action, effectCheckedNeed))
        result.push_back({ effectChecked, "text", {}, "How it was checked that the effect did not happen", true });
    if (has(action, exportNeed))
        result.push_back({ exportedTo, "text", {}, "Where the row was exported to, before it is gone", true });
    return result;
}

Status checkNeeds(const profile::Profile& profile, const profile::Action& action,
    const std::map<std::string, std::string>& parameters)
{
    if (has(action, effectCheckedNeed) && !parameters.contains(effectChecked))
        return Error{ Failure::Invalid,
            "The profile of this table allows it only where somebody has checked that the effect did not happen", {},
            {}, "Say how it was checked (--effect-checked)" };
    for (const auto& parameter : parametersOf(profile, action))
        if (parameter.required && !parameters.contains(parameter.name))
            return Error{ Failure::Invalid, "The action asks for " + inQuotes(parameter.name) + ": " + parameter.label,
                {}, {}, "Say it (--param " + parameter.name + "=…)" };
    return {};
}

} // namespace fencepost::store

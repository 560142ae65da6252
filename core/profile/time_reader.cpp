// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "core/profile/chosen_values.h"
#include "core/profile/expression_reader.h"
#include "core/time.h"

namespace fencepost::profile {

using Op = Expression::Op;

namespace {

void checkInstant(const Node& node)
{
    const auto word = node.isArray() ? node.json()[0].get<std::string>() : std::string();
    if (node.failed() || word == "col" || word == "old" || word == "now" || word == "add_s" || word == "add_interval")
        return;
    if (word == "from")
        return checkInstant(node.at(3));
    if (word == "case") {
        for (std::size_t i = 0; i < node.at(1).size(); ++i)
            if (!node.at(1).at(i).at(1).json().is_null())
                checkInstant(node.at(1).at(i).at(1));
        if (node.size() > 2 && !node.at(2).json().is_null())
            checkInstant(node.at(2));
        return;
    }
    if (word != "coalesce" && word != "greatest") {
        node.refuse(
            "an instant: a column, [\"now\"], or case, coalesce, greatest, from, add_s or add_interval of such");
        return;
    }
    for (std::size_t i = 1; i < node.size(); ++i)
        checkInstant(node.at(i));
}

// Systems keep the rules of time zones in one file for each.
bool hasZoneFile(std::string_view zone)
{
    std::ifstream file(std::filesystem::path("/usr/share/zoneinfo") / std::string(zone), std::ios::binary);
    std::string start(4, '\0');
    return file.read(start.data(), 4) && start == "TZif";
}

} // namespace

ExpressionPtr readInstant(const Node& node, const ExpressionScope& scope)
{
    auto value = readValue(node, scope);
    if (!node.failed())
        checkInstant(node);
    return value;
}

bool isOfInstants(const Expression& value)
{
    if (value.op == Op::Now || value.op == Op::AddSeconds || value.op == Op::AddInterval)
        return true;
    const auto values = chosenValues(value);
    return std::any_of(values.begin(), values.end(), [](const ExpressionPtr& one) { return isOfInstants(*one); });
}

void checkCompared(const Node& node, const Expression& comparison)
{
    const auto& arguments = comparison.arguments;
    const auto isNamed = [](const ExpressionPtr& argument) {
        return argument->op == Op::Now && !argument->name.empty();
    };
    const auto isSo = [](const ExpressionPtr& argument) { return isOfInstants(*argument); };
    if (std::any_of(arguments.begin(), arguments.end(), isNamed)
        || std::none_of(arguments.begin(), arguments.end(), isSo))
        return;
    for (std::size_t i = 1; i < node.size() && !node.failed(); ++i)
        checkInstant(node.at(i));
}

ExpressionPtr readAssigned(const Node& node, const ExpressionScope& scope)
{
    auto value = readValue(node, scope);
    if (!node.failed() && isOfInstants(*value))
        checkInstant(node);
    return value;
}

bool isIsoDuration(std::string_view text)
{
    return !text.empty() && text.front() == 'P' && parseDuration(text).has_value();
}

ExpressionPtr readDuration(const Node& node, const ExpressionScope& scope)
{
    auto span = readValue(node, scope);
    if (node.failed())
        return span;
    if (span->op == Op::Param) {
        if (scope.profile->params.at(span->name).type != "duration")
            node.refuse("a parameter of type duration");
    } else if (span->op != Op::Literal || !std::holds_alternative<std::string>(span->literal)
        || !isIsoDuration(std::get<std::string>(span->literal))) {
        node.refuse("a duration like \"PT5M\" or [\"param\", name]");
    }
    return span;
}

bool isTimeEncoding(std::string_view text)
{
    constexpr std::array<std::string_view, 6> words = { "tz", "epoch_s", "epoch_ms", "epoch_us", "iso", "isoZ" };
    if (std::find(words.begin(), words.end(), text) != words.end())
        return true;
    if (text.substr(0, 6) != "naive:" || text.size() < 7 || text.size() > 64)
        return false;
    return std::all_of(text.begin() + 6, text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '_'
            || c == '+' || c == '-';
    });
}

bool hasKnownZone(std::string_view encoding)
{
    constexpr std::string_view naive = "naive:";
    if (encoding.substr(0, naive.size()) != naive || encoding == appLocalTime)
        return true;
    const auto zone = encoding.substr(naive.size());
    return zone == "UTC" || (zone.front() != '/' && hasZoneFile(zone)) || !hasZoneFile("Europe/Berlin");
}

} // namespace fencepost::profile

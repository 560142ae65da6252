// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/expectation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace fencepost::simulation {

namespace {

// No measure is so large that this many of it are more than a number can say.
constexpr std::int64_t mostFactor = 100'000;

constexpr std::array<std::string_view, 6> comparisons = { "<=", ">=", "!=", "=", "<", ">" };

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

std::optional<std::int64_t> numberOf(std::string_view text)
{
    std::int64_t value = 0;
    const auto* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end && !text.empty() ? std::optional(value) : std::nullopt;
}

bool looksLikeNumber(std::string_view text)
{
    return text.front() == '-' || text.front() == '.' || (text.front() >= '0' && text.front() <= '9');
}

std::string variantNames(const Scenario& scenario)
{
    std::string names;
    for (const auto& variant : scenario.variants)
        names += (names.empty() ? "" : ", ") + variant.name;
    return names;
}

// Whether it names one of the variants, where there are some, and none where there are none.
Status checkVariant(const std::string& measure, const std::string& variant, const Scenario& scenario)
{
    const auto& variants = scenario.variants;
    if (variants.empty() && !variant.empty())
        return invalid("\"" + variant + "\" is no variant: the scenario has none, so a measure stands alone");
    if (!variants.empty() && variant.empty())
        return invalid("\"" + measure + "\" does not say of which variant, as in \"" + variants.front().name + ":"
            + measure + "\"");
    const auto named = [&](const Variant& one) { return one.name == variant; };
    if (!variants.empty() && std::none_of(variants.begin(), variants.end(), named))
        return invalid("\"" + variant + "\" is none of the scenario's variants: " + variantNames(scenario));
    return {};
}

// `side`: "before" or "behind" the comparison.
Result<ExpectedTerm> termOf(std::string_view text, std::string_view side, const Scenario& scenario)
{
    ExpectedTerm term;
    if (text.empty())
        return invalid("nothing stands " + std::string(side) + " its comparison: a measure or a whole number does");
    if (const auto number = numberOf(text)) {
        term.factor = *number;
        return term;
    }
    if (const auto times = text.find('*'); times != std::string_view::npos) {
        const auto factor = numberOf(trimmed(text.substr(0, times)));
        if (!factor)
            return invalid("\"" + std::string(text) + "\" has no whole number before its *");
        if (*factor < -mostFactor || *factor > mostFactor)
            return invalid("\"" + std::string(text) + "\" has a factor beyond " + std::to_string(mostFactor));
        term.factor = *factor;
        text = trimmed(text.substr(times + 1));
        if (text.empty())
            return invalid("no measure stands behind its *");
    }
    if (looksLikeNumber(text))
        return invalid("\"" + std::string(text)
            + "\" is no whole number: a share is compared in parts of a million (99% is 990000), a factor in "
              "thousandths (1.05 is 1050), a length in microseconds (1s is 1000000)");
    if (const auto colon = text.find(':'); colon != std::string_view::npos) {
        term.variant = trimmed(text.substr(0, colon));
        text = trimmed(text.substr(colon + 1));
    }
    term.measure = findMeasure(text);
    if (!term.measure)
        return invalid("\"" + std::string(text) + "\" is no measure; `fencepostctl simulate knobs` lists them");
    if (const auto named = checkVariant(std::string(text), term.variant, scenario); !named)
        return named.error();
    return term;
}

} // namespace

Result<Expectation> parseExpectation(std::string_view text, const Scenario& scenario)
{
    for (const auto comparison : comparisons) {
        const auto place = text.find(comparison);
        if (place == std::string_view::npos)
            continue;
        auto left = termOf(trimmed(text.substr(0, place)), "before", scenario);
        if (!left)
            return left.error();
        auto right = termOf(trimmed(text.substr(place + comparison.size())), "behind", scenario);
        if (!right)
            return right.error();
        return Expectation{ std::string(text), std::move(*left), std::string(comparison), std::move(*right) };
    }
    return invalid("\"" + std::string(text) + "\" compares nothing: it needs one of = != < <= > >=");
}

bool holds(std::int64_t left, std::string_view comparison, std::int64_t right)
{
    if (comparison == "=")
        return left == right;
    if (comparison == "!=")
        return left != right;
    if (comparison == "<")
        return left < right;
    if (comparison == "<=")
        return left <= right;
    return comparison == ">" ? left > right : left >= right;
}

} // namespace fencepost::simulation

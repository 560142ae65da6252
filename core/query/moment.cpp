// SPDX-License-Identifier: Apache-2.0
#include "core/query/moment.h"

namespace fencepost {

namespace {

FilterPtr testOf(Field field, Comparison comparison, std::string text)
{
    Filter test;
    test.op = Filter::Op::Test;
    test.field = field;
    test.comparison = comparison;
    test.values.push_back({ std::move(text), {} });
    return std::make_shared<const Filter>(std::move(test));
}

// Exact, unlike what people are told.
std::string spanText(Duration span)
{
    constexpr std::int64_t inMillisecond = 1'000;
    return span.count() % inMillisecond == 0 ? std::to_string(span.count() / inMillisecond) + "ms"
                                             : std::to_string(span.count()) + "us";
}

void addSpan(Filter& had, Field field, const std::optional<SpanRange>& span)
{
    if (!span)
        return;
    had.children.push_back(testOf(field, Comparison::GreaterEqual, spanText(span->from)));
    had.children.push_back(testOf(field, Comparison::Less, spanText(span->until)));
}

} // namespace

std::string filterOf(const Moment& moment)
{
    Filter had;
    had.op = Filter::Op::Had;
    for (const auto& [field, word] : { std::pair(Field::Event, &moment.event), std::pair(Field::From, &moment.from),
             std::pair(Field::To, &moment.to) })
        if (!word->empty())
            had.children.push_back(testOf(field, Comparison::Equal, *word));
    if (moment.attempt)
        had.children.push_back(testOf(Field::Attempt, Comparison::Equal, std::to_string(*moment.attempt)));
    if (moment.leastAttempt)
        had.children.push_back(testOf(Field::Attempt, Comparison::GreaterEqual, std::to_string(*moment.leastAttempt)));
    had.children.push_back(testOf(Field::At, Comparison::GreaterEqual, formatInstant(moment.since)));
    had.children.push_back(testOf(Field::At, Comparison::Less, formatInstant(moment.until)));
    addSpan(had, Field::Delay, moment.delay);
    addSpan(had, Field::Took, moment.took);
    return formatFilter(std::make_shared<const Filter>(std::move(had)));
}

std::string equalTerm(Field field, const std::string& text)
{
    return formatFilter(testOf(field, Comparison::Equal, text));
}

} // namespace fencepost

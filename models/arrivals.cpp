// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/arrivals.h"

#include <algorithm>

#include "models/stretch_counter.h"

namespace fencepost::models {

namespace {

constexpr Duration stretchBudget = std::chrono::milliseconds(100);
constexpr Duration wholeBudget = std::chrono::seconds(3);

// The end of the stretch that `now` is in, counted from the epoch: stretches stand still between two counts.
Time endOfStretch(Time now, Duration width)
{
    const auto since = microsOf(now);
    return timeFromMicros((since / width.count() + 1) * width.count());
}

} // namespace

bool Arrivals::isEstimate() const
{
    return std::any_of(hours.begin(), hours.end(),
        [](const ArrivalHour& hour) { return hour.counts.total.exactness == Exactness::Estimate; });
}

Result<Arrivals> countArrivals(
    Inspector& inspector, const Binding& binding, const ArrivalsRequest& request, const Arrivals& before)
{
    Arrivals arrivals = before;
    if (before.hours.empty()) {
        const auto info = inspector.info();
        if (!info)
            return info.error();
        arrivals = { .width = request.width, .end = endOfStretch(info->now, request.width), .wanted = request.count };
    }
    const Duration spent = arrivals.cost;
    StretchCounter counter(inspector, binding, request.filter, stretchBudget, arrivals.countable);
    arrivals.whole = false;
    while (!arrivals.whole && arrivals.cost - spent < request.slice) {
        const Time from = arrivals.end - request.width * std::int64_t(arrivals.hours.size() + 1);
        const auto counts = counter.count(from, from + request.width);
        if (!counts)
            return counts.error();
        // Not even a slice in time: the older ones would be no different.
        if (!*counts) {
            arrivals.whole = true;
            break;
        }
        arrivals.cost += (*counts)->cost.time;
        arrivals.hours.insert(arrivals.hours.begin(), { from, **counts });
        arrivals.whole = int(arrivals.hours.size()) >= request.count || arrivals.cost > wholeBudget;
    }
    arrivals.countable = counter.countable();
    if (arrivals.hours.empty())
        arrivals.skipped = QStringLiteral("Counting this table by its arrivals takes too long, so it was not done.");
    return arrivals;
}

FilterPtr createdWithin(const FilterPtr& filter, Time from, Time until)
{
    const auto test = [](Comparison comparison, Time bound) {
        auto created = std::make_shared<Filter>();
        created->op = Filter::Op::Test;
        created->field = Field::Created;
        created->comparison = comparison;
        created->values = { { formatInstant(bound), bound } };
        return created;
    };
    auto all = std::make_shared<Filter>();
    all->op = Filter::Op::And;
    all->children = { test(Comparison::GreaterEqual, from), test(Comparison::Less, until) };
    if (filter)
        all->children.push_back(filter);
    return all;
}

bool hasCreated(const Binding& binding)
{
    return std::any_of(binding.fields.begin(), binding.fields.end(),
        [](const std::string& field) { return field == "created" || field == "created_at"; });
}

} // namespace fencepost::models

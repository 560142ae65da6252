// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/arrivals.h"

#include <algorithm>

namespace fencepost::models {

namespace {

constexpr Duration stretchBudget = std::chrono::milliseconds(100);
constexpr Duration wholeBudget = std::chrono::seconds(3);

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

// The end of the stretch that `now` is in, counted from the epoch: stretches stand still between two counts.
Time endOfStretch(Time now, Duration width)
{
    const auto since = microsOf(now);
    return timeFromMicros((since / width.count() + 1) * width.count());
}

} // namespace

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
    arrivals.whole = false;
    while (!arrivals.whole && arrivals.cost - spent < request.slice) {
        const Time from = arrivals.end - request.width * std::int64_t(arrivals.hours.size() + 1);
        const auto counts =
            inspector.counts(binding, createdWithin(request.filter, from, from + request.width), stretchBudget);
        if (!counts)
            return counts.error();
        arrivals.cost += counts->cost.time;
        // Too many for the budget of one stretch: the older ones would be no different. Rows that this role is not
        // shown are no reason to stop.
        const bool ended =
            binding.mayHideRows ? counts->cost.time < stretchBudget : counts->total.exactness == Exactness::Exact;
        if (!ended) {
            arrivals.whole = true;
            break;
        }
        arrivals.hours.insert(arrivals.hours.begin(), { from, *counts });
        arrivals.whole = int(arrivals.hours.size()) >= request.count || arrivals.cost > wholeBudget;
    }
    if (arrivals.hours.empty())
        arrivals.skipped = QStringLiteral("Counting this table by its arrivals takes too long, so it was not done.");
    return arrivals;
}

bool hasCreated(const Binding& binding)
{
    return std::any_of(binding.fields.begin(), binding.fields.end(),
        [](const std::string& field) { return field == "created" || field == "created_at"; });
}

} // namespace fencepost::models

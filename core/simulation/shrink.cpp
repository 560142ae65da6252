// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/shrink.h"

#include <algorithm>

namespace fencepost::simulation {

namespace {

// Zeller and Hildebrandt's ddmin: parts are left out, of half the list at first, of single entries in the end.
class Shrinking {
public:
    Shrinking(const Scenario& scenario, std::string rule, const ShrinkOptions& options)
        : m_scenario(scenario)
        , m_rule(std::move(rule))
        , m_options(options)
    {
    }

    bool violates(const Schedule& schedule)
    {
        if (m_runs >= m_options.mostRuns || (m_options.goesOn && !m_options.goesOn())) {
            m_isOver = true;
            return false;
        }
        ++m_runs;
        return violationOf(run(schedule, false)).has_value();
    }

    Outcome run(const Schedule& schedule, bool traces) const
    {
        RunOptions options;
        options.only = &schedule;
        options.stopsAtViolation = true;
        options.tracesAll = traces;
        options.mostSteps = m_options.mostSteps;
        return simulate(m_scenario, options);
    }

    std::optional<Violation> violationOf(const Outcome& outcome) const
    {
        for (const auto& violation : outcome.violations)
            if (violation.rule == m_rule)
                return violation;
        return std::nullopt;
    }

    template <typename Item> void reduce(Schedule& schedule, std::vector<Item> Schedule::*list)
    {
        std::size_t parts = 2;
        while (!m_isOver && !(schedule.*list).empty()) {
            const auto whole = schedule.*list;
            const auto size = (whole.size() + parts - 1) / parts;
            bool smaller = false;
            for (std::size_t from = 0; from < whole.size() && !smaller && !m_isOver; from += size) {
                auto candidate = schedule;
                auto& left = candidate.*list;
                const auto begin = left.begin() + static_cast<std::ptrdiff_t>(from);
                left.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, whole.size() - from)));
                if (violates(candidate)) {
                    schedule = std::move(candidate);
                    smaller = true;
                }
            }
            if (smaller)
                parts = std::max<std::size_t>(parts - 1, 2);
            else if (size <= 1)
                return;
            else
                parts = std::min(parts * 2, whole.size());
        }
    }

    [[nodiscard]] int runs() const { return m_runs; }
    [[nodiscard]] bool isOver() const { return m_isOver; }

private:
    const Scenario& m_scenario;
    std::string m_rule;
    const ShrinkOptions& m_options;
    int m_runs = 0;
    bool m_isOver = false;
};

std::size_t sizeOf(const Schedule& schedule)
{
    return schedule.requests.size() + schedule.strikes.size() + schedule.faults.size();
}

} // namespace

std::optional<Shrunk> shrink(const Scenario& scenario, const Outcome& happened, const ShrinkOptions& options)
{
    if (happened.violations.empty())
        return std::nullopt;
    const auto& first = happened.violations.front();
    Shrinking shrinking(scenario, first.rule, options);
    auto schedule = happened.happened;
    if (!shrinking.violates(schedule))
        return std::nullopt;
    // Mostly it takes nobody but the one whose rule was broken.
    auto alone = schedule;
    alone.requests = { first.request };
    if (first.request != 0 && shrinking.violates(alone))
        schedule = std::move(alone);
    // What one list has lost may be what kept an entry of another one.
    for (auto before = sizeOf(schedule) + 1; sizeOf(schedule) < before && !shrinking.isOver();) {
        before = sizeOf(schedule);
        shrinking.reduce(schedule, &Schedule::requests);
        shrinking.reduce(schedule, &Schedule::strikes);
        shrinking.reduce(schedule, &Schedule::faults);
    }
    Shrunk shrunk;
    shrunk.outcome = shrinking.run(schedule, true);
    const auto violation = shrinking.violationOf(shrunk.outcome);
    if (!violation)
        return std::nullopt;
    shrunk.violation = *violation;
    shrunk.schedule = std::move(schedule);
    shrunk.runs = shrinking.runs();
    shrunk.complete = !shrinking.isOver();
    return shrunk;
}

} // namespace fencepost::simulation

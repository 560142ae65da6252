// SPDX-License-Identifier: Apache-2.0
#include "core/operations/replay_run.h"

#include <utility>

namespace fencepost::operation {

namespace {

constexpr auto planTheRest = "Make a new plan of what is left";

// Stages that are being made are not made again: what a look at them told would never have been.
Status keepsStages(const OperationRun& run, const ReplaySettings& settings)
{
    const auto known = parseReplay(run.settings);
    if (!known || (known->ramp == settings.ramp && known->brake == settings.brake))
        return {};
    return Error{ Failure::Conflict,
        "The run is carried out elsewhere, by " + run.actor + ", with other stages or another brake", {}, {},
        "Look on without --ramp and --brake, or pause it there first" };
}

RunPhase phaseOf(ReplayOrder order)
{
    return order == ReplayOrder::Stop ? RunPhase::Stopped
        : order == ReplayOrder::Pause ? RunPhase::Paused
                                      : RunPhase::Running;
}

} // namespace

ReplayRun::ReplayRun(RunJournal& journal, const Plan& plan, std::string actor, std::string runner)
    : m_journal(journal)
    , m_plan(plan)
    , m_actor(std::move(actor))
    , m_runner(std::move(runner))
{
}

Status ReplayRun::begin(const ReplaySettings* settings)
{
    if (settings != nullptr)
        if (auto checked = checkReplay(*settings); !checked)
            return checked;
    const auto run = entryWith(settings != nullptr ? *settings : ReplaySettings());
    const auto there = m_journal.begin(run);
    if (!there)
        return there.error();
    if (there->phase == RunPhase::Stopped)
        return Error{ Failure::Conflict, "The run was stopped for good: " + there->because, {}, {}, planTheRest };
    // The stages of what is over are told as they were.
    if (there->phase == RunPhase::Done)
        settings = nullptr;
    if (settings != nullptr && isElsewhere(*there))
        if (const auto same = keepsStages(*there, *settings); !same)
            return same;
    if (settings != nullptr && there->settings != run.settings)
        if (const auto set = m_journal.setSettings(m_plan.requestId, run.settings); !set)
            return set.error();
    if (there->phase == RunPhase::Paused)
        if (const auto entered = enter(RunPhase::Running, {}); !entered)
            return entered.error();
    auto known = parseReplay(settings != nullptr ? run.settings : there->settings);
    if (!known)
        return known.error();
    m_settings = std::move(*known);
    return {};
}

OperationRun ReplayRun::entryWith(const ReplaySettings& settings) const
{
    OperationRun run;
    run.requestId = m_plan.requestId;
    run.verb = m_plan.verb;
    run.binding = m_plan.binding;
    run.plan = formatPlan(m_plan);
    run.settings = formatReplay(settings);
    run.actor = m_actor;
    run.reason = m_plan.reason;
    run.total = static_cast<std::int64_t>(m_plan.items.size());
    return run;
}

bool ReplayRun::isElsewhere(const OperationRun& run) const
{
    return !run.isOver() && !run.runner.empty() && run.runner != m_runner && run.beatAt
        && run.now - *run.beatAt < runnerIsGoneAfter;
}

Status ReplayRun::setRate(double rate)
{
    if (rate == m_settings.rate)
        return {};
    m_settings.rate = rate;
    const auto set = m_journal.setSettings(m_plan.requestId, formatReplay(m_settings));
    return set ? Status() : Status(set.error());
}

Result<bool> ReplayRun::claim()
{
    auto mine = m_journal.claim(m_plan.requestId, m_runner);
    if (mine)
        m_isMine = *mine;
    return mine;
}

Status ReplayRun::keep()
{
    const auto mine = claim();
    if (!mine)
        return mine.error();
    if (!*mine)
        return Error{ Failure::Conflict, "Another one has taken the run over: this one was away for too long", {} };
    return {};
}

void ReplayRun::release()
{
    if (m_isMine)
        (void)m_journal.release(m_plan.requestId, m_runner);
}

Result<RunStanding> ReplayRun::standing()
{
    auto run = m_journal.standing(m_plan.requestId);
    if (!run)
        return run.error();
    if (!*run)
        return Error{ Failure::NotFound, "The run is gone from its journal", {} };
    return std::move(**run);
}

void ReplayRun::take(const RunStanding& standing)
{
    // It was left like that by whoever was looked on at: that is not undone here.
    m_braked = standing.phase == RunPhase::Paused;
    m_because.clear();
    m_elsewhere.clear();
}

void ReplayRun::watch(const RunStanding& standing)
{
    m_phase = standing.phase;
    m_elsewhere = standing.actor;
    m_because = "it is carried out elsewhere, by " + standing.actor;
}

Result<bool> ReplayRun::enter(RunPhase phase, const std::string& because)
{
    return m_journal.enter(m_plan.requestId, phase, because);
}

Status ReplayRun::passOn(ReplayOrder order)
{
    if (order != ReplayOrder::Stop && order != ReplayOrder::Pause)
        return {};
    const auto entered = enter(phaseOf(order), "by " + m_actor);
    return entered ? Status() : Status(entered.error());
}

Result<bool> ReplayRun::obey(ReplayOrder order)
{
    if (order == ReplayOrder::Leave) {
        m_left = true;
        const auto because = "left by " + m_actor;
        const auto entered = enter(RunPhase::Paused, because);
        if (!entered)
            return entered.error();
        if (*entered) {
            m_phase = RunPhase::Paused;
            m_because = because;
        }
        return false;
    }
    const auto before = std::exchange(m_asked, order);
    const bool paused = order == ReplayOrder::Pause && m_phase == RunPhase::Paused;
    if (order == before || paused)
        return true;
    const auto phase = phaseOf(order);
    const auto entered = enter(phase, phase == RunPhase::Running ? std::string() : "by " + m_actor);
    return entered ? Result<bool>(true) : Result<bool>(entered.error());
}

Result<bool> ReplayRun::look()
{
    const auto run = standing();
    if (!run)
        return run.error();
    if (run->settings != m_settingsRead) {
        m_settingsRead = run->settings;
        if (const auto changed = parseReplay(m_settingsRead))
            m_settings.rate = changed->rate;
    }
    const bool resumed = m_phase == RunPhase::Paused && run->phase == RunPhase::Running;
    if (resumed)
        m_braked = false;
    m_phase = run->phase;
    m_because = run->because;
    return resumed;
}

Status ReplayRun::pause(const std::string& because)
{
    if (const auto entered = enter(RunPhase::Paused, because); !entered)
        return entered.error();
    m_braked = true;
    m_phase = RunPhase::Paused;
    m_because = because;
    return {};
}

Status ReplayRun::finish(const std::string& because)
{
    const auto entered = enter(RunPhase::Done, because);
    if (!entered)
        return entered.error();
    if (!*entered) {
        if (const auto run = standing())
            m_phase = run->phase;
        return {};
    }
    m_phase = RunPhase::Done;
    m_because = because;
    return {};
}

Error ReplayRun::whyNotDone() const
{
    const auto stands =
        "The run is " + std::string(wordOf(m_phase)) + (m_because.empty() ? "." : ": " + m_because + '.');
    return { Failure::Cancelled, m_left ? "The run was left: it can be taken up again." : stands, {}, {},
        m_phase == RunPhase::Stopped ? planTheRest : "" };
}

} // namespace fencepost::operation

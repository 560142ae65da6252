// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/operations/replay.h"

namespace fencepost::operation {

// The run of a replay in its journal, as one who carries it out or looks on keeps it: who has it, where it stands, what
// it was ordered to do. What it tells is what was read last.
class ReplayRun {
public:
    ReplayRun(RunJournal& journal, const Plan& plan, std::string actor, std::string runner);

    // Puts it into the journal, or takes it up as it is; settings of null are those it has. Conflict: it was stopped
    // for good, or somebody else carries it out with other stages.
    Status begin(const ReplaySettings* settings);
    // Another rate is the run's from now on.
    Status setRate(double rate);

    // False: another one has it.
    Result<bool> claim();
    // A sign of life. Conflict: another one has it now.
    Status keep();
    void release();
    Result<RunStanding> standing();

    // It was claimed while it stood like that.
    void take(const RunStanding& standing);
    // Another one carries it out.
    void watch(const RunStanding& standing);
    // An order to whoever carries it out.
    Status passOn(ReplayOrder order);

    // Of the one who carries it out. False: it is left.
    Result<bool> obey(ReplayOrder order);
    // Reads where it stands and its rate. True: it was resumed since.
    Result<bool> look();
    // By itself. It rests until it is resumed.
    Status pause(const std::string& because);
    Status finish(const std::string& because);

    [[nodiscard]] const ReplaySettings& settings() const { return m_settings; }
    [[nodiscard]] RunPhase phase() const { return m_phase; }
    [[nodiscard]] const std::string& because() const { return m_because; }
    [[nodiscard]] const std::string& elsewhere() const { return m_elsewhere; } // who carries it out; empty: we do
    [[nodiscard]] bool isMine() const { return m_isMine; }
    [[nodiscard]] bool rests() const { return m_braked && m_phase == RunPhase::Paused; }
    // Why there are rows that had no turn, where no error ended it.
    [[nodiscard]] Error whyNotDone() const;

private:
    [[nodiscard]] OperationRun entryWith(const ReplaySettings& settings) const;
    [[nodiscard]] bool isElsewhere(const OperationRun& run) const;
    Result<bool> enter(RunPhase phase, const std::string& because);

    RunJournal& m_journal;
    const Plan& m_plan;
    const std::string m_actor;
    const std::string m_runner; // UUID of this one
    ReplaySettings m_settings;
    std::string m_settingsRead;
    ReplayOrder m_asked = ReplayOrder::Go;
    RunPhase m_phase = RunPhase::Running;
    std::string m_because;
    std::string m_elsewhere;
    bool m_isMine = false;
    bool m_braked = false;
    bool m_left = false;
};

} // namespace fencepost::operation

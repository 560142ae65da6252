// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <QFutureWatcher>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include "core/operations/replay.h"
#include "models/plan_folder.h"
#include "models/store_thread.h"

namespace fencepost::models {

enum class RunState { Ready, Running, Paused, Stopping, Finished };

// How a replay begins where nobody says otherwise: a few first, then more, each stage verified.
[[nodiscard]] ReplaySettings usualReplay();

// Carries out one confirmed plan on the write thread, row by row; a replay stage by stage, with a journal. Pause and
// stop take effect between two rows; a row that keeps the database busy is interrupted. Whatever happens, the report
// adds up to the plan's size.
class Run : public QObject {
    Q_OBJECT

public:
    // `actor` (user@host) carries it out. `folder` keeps plan and report on the disk; null: they are not kept.
    Run(StoreThread& writes, Plan plan, std::string actor, std::shared_ptr<const PlanFolder> folder,
        QObject* parent = nullptr);
    ~Run() override; // stops; a replay is left so that it can be taken up again

    // Refused, and nothing is changed, where the plan cannot be kept.
    Status start();
    void pause();
    void resume();
    void stop();
    // Rows per second at most, before the start or while it runs; none: as fast as the database answers. A replay that
    // goes on keeps its own until this is called.
    void setPace(std::optional<double> rowsPerSecond);

    // Before the start; none: those that its run has. Of a plan that is no replay nothing.
    void setReplay(std::optional<ReplaySettings> settings) { m_settings = std::move(settings); }

    [[nodiscard]] RunState state() const { return m_state; }
    [[nodiscard]] const Plan& plan() const { return m_plan; }
    // So far, with the rest as not run; the whole once it has finished.
    [[nodiscard]] const RunReport& report() const { return m_report; }
    // Of a replay also what was done before it was taken up, and by others.
    [[nodiscard]] std::size_t done() const;
    [[nodiscard]] RunReport soFar() const; // the same in numbers, without the rows themselves
    [[nodiscard]] std::size_t total() const { return m_plan.items.size(); }
    [[nodiscard]] std::optional<double> pace() const { return m_pace; }
    // Of a replay: its stages and why it is paused; none: nothing is known yet.
    [[nodiscard]] const std::optional<ReplayProgress>& replay() const { return m_replay; }
    // Since the pace was set; of a replay lately.
    [[nodiscard]] double rowsPerSecond() const;
    [[nodiscard]] std::optional<Duration> timeLeft() const; // none: not known yet

Q_SIGNALS:
    void stateChanged(fencepost::models::RunState state);
    void progressed(); // at most ten times a second
    void itemsDone(const std::vector<fencepost::ItemReport>& items);
    void finished(const fencepost::RunReport& report);
    // The report could not be written; the rows are changed and audited all the same.
    void keepingFailed(const fencepost::Error& error);

private:
    struct Control;

    [[nodiscard]] bool isStagedNow() const { return m_replay && !m_replay->stages.empty(); }
    void drain();
    void followReplay(const ReplayProgress& progress);
    void conclude();
    void enter(RunState state);
    void add(const std::vector<ItemReport>& items);

    QPointer<StoreThread> m_writes;
    const Plan m_plan;
    const std::string m_actor;
    std::shared_ptr<const PlanFolder> m_folder;
    std::shared_ptr<Control> m_control; // shared with the job, which may outlive this
    QFutureWatcher<Result<RunReport>> m_watcher;
    QTimer m_ticks;
    QTimer m_patience;
    RunState m_state = RunState::Ready;
    RunReport m_report;
    std::optional<double> m_pace;
    std::optional<ReplaySettings> m_settings = usualReplay();
    std::optional<ReplayProgress> m_replay;
    bool m_pausedInJournal = false;
    std::size_t m_doneBefore = 0; // when the pace was set
    Duration m_worked{};
    std::chrono::steady_clock::time_point m_since;
};

} // namespace fencepost::models

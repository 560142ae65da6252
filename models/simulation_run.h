// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <QObject>

#include "core/simulation/report.h"
#include "core/simulation/sweep.h"

namespace fencepost::models {

// How far a run is.
struct SimulationProgress {
    int done = 0; // worlds, or points of a sweep
    int of = 0;
    simulation::Progress world; // of the one that is lived through
    double part = 0; // of that one that is behind it, as far as its load says; below 1
};

// Lives through worlds on a thread of its own, one run at a time: another one stops the one before. What was stopped
// answers nothing.
class SimulationRun final : public QObject {
    Q_OBJECT

public:
    explicit SimulationRun(QObject* parent = nullptr);
    ~SimulationRun() override; // waits for the step in hand

    // Each world to its end, past what it violates.
    void simulate(simulation::Report report);
    // What is asked for has its scenario, its axes and what it is called; its points are what comes of it.
    void sweep(simulation::Sweep asked);
    // The life of one request.
    void trace(simulation::Scenario scenario, std::uint64_t request);
    void stop();
    [[nodiscard]] bool isRunning() const { return m_work != nullptr; }

Q_SIGNALS:
    void started();
    void progressed(const fencepost::models::SimulationProgress& progress);
    void simulated(const std::shared_ptr<const fencepost::simulation::Report>& report);
    void swept(const std::shared_ptr<const fencepost::simulation::Sweep>& sweep);
    void traced(const std::shared_ptr<const fencepost::simulation::Outcome>& outcome);
    void failed(const fencepost::Error& error);
    void ended(); // also where it was stopped

private:
    class Work;
    using Job = std::function<std::function<void()>(Work& work)>;

    // The job answers what is to be done with its result in the receiver's thread.
    void start(Job job);
    void end();

    std::shared_ptr<Work> m_work; // with the thread
    std::thread m_thread;
};

} // namespace fencepost::models

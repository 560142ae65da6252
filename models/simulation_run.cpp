// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/simulation_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace fencepost::models {

namespace {

constexpr auto betweenWords = std::chrono::milliseconds(100);

// When the last request comes, as far as that is known before.
Duration loadOf(const simulation::Scenario& world)
{
    constexpr std::int64_t thousand = 1'000;
    if (world.recording)
        return world.recording->requests.empty() ? Duration(0) : world.recording->requests.back().at;
    const auto& load = world.load;
    if (load.requests == 0 || load.rate == 0)
        return load.duration;
    const Duration all = std::chrono::seconds(load.requests * thousand / load.rate + 1);
    return std::min(load.duration, all);
}

// What comes behind the last request is short, mostly.
double behindIt(const simulation::Scenario& world, const simulation::Progress& at)
{
    constexpr double almost = 0.99;
    const auto load = loadOf(world);
    return load > Duration(0) ? std::clamp(double(at.at.count()) / double(load.count()), 0.0, almost) : 0.0;
}

} // namespace

// What the thread and its starter share.
class SimulationRun::Work {
public:
    explicit Work(std::function<void(const SimulationProgress&)> tell)
        : m_tell(std::move(tell))
    {
    }

    void stop() { m_stopped = true; }
    // Tells how far it is now and then; whether it goes on.
    bool goesOn(const SimulationProgress& progress)
    {
        const auto now = std::chrono::steady_clock::now();
        if (now - m_last > betweenWords) {
            m_last = now;
            m_tell(progress);
        }
        return !m_stopped;
    }

private:
    std::function<void(const SimulationProgress&)> m_tell;
    std::atomic<bool> m_stopped = false;
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

SimulationRun::SimulationRun(QObject* parent)
    : QObject(parent)
{
}

SimulationRun::~SimulationRun()
{
    end();
}

void SimulationRun::end()
{
    if (m_work)
        m_work->stop();
    if (m_thread.joinable())
        m_thread.join();
    m_work.reset();
}

void SimulationRun::stop()
{
    if (!m_work)
        return;
    end();
    Q_EMIT ended();
}

void SimulationRun::start(Job job)
{
    end();
    // This outlives the thread, and takes its words on its own.
    m_work = std::make_shared<Work>([this](const SimulationProgress& progress) {
        QMetaObject::invokeMethod(
            this,
            [this, progress] {
                if (m_work)
                    Q_EMIT progressed(progress);
            },
            Qt::QueuedConnection);
    });
    m_thread = std::thread([this, work = m_work, job = std::move(job)] {
        auto answer = job(*work);
        QMetaObject::invokeMethod(
            this,
            [this, work, answer = std::move(answer)] {
                if (work != m_work)
                    return;
                end();
                answer();
                Q_EMIT ended();
            },
            Qt::QueuedConnection);
    });
    Q_EMIT started();
}

void SimulationRun::simulate(simulation::Report report)
{
    start([this, report = std::move(report)](Work& work) mutable -> std::function<void()> {
        const auto of = static_cast<int>(report.worlds.size());
        for (int place = 0; place < of; ++place) {
            simulation::RunOptions options;
            options.keepsLogs = true;
            auto& world = report.worlds[std::size_t(place)];
            options.goesOn = [&](const simulation::Progress& at) {
                return work.goesOn({ place, of, at, behindIt(world.scenario, at) });
            };
            world.outcome = simulation::simulate(world.scenario, options);
            // What it demonstrates needs no search for how it comes about.
            if (!world.outcome.violations.empty() && !world.scenario.violates && !world.outcome.stopped)
                world.found = searchViolation(world.scenario, 1, [&](const simulation::SearchProgress& at) {
                    return work.goesOn({ place, of, at.world, behindIt(world.scenario, at.world) });
                }).found;
        }
        report.expectations = simulation::judge(report.scenario, report.worlds);
        report.commands = simulation::commandsToTheEnd(std::move(report.commands), report.worlds);
        auto whole = std::make_shared<const simulation::Report>(std::move(report));
        return [this, whole] { Q_EMIT simulated(whole); };
    });
}

void SimulationRun::sweep(simulation::Sweep asked)
{
    start([this, asked = std::move(asked)](Work& work) -> std::function<void()> {
        auto swept = simulation::sweep(asked.scenario, asked.axes, [&](const simulation::SweepProgress& at) {
            return work.goesOn(
                { static_cast<int>(at.done), static_cast<int>(at.of), at.world, behindIt(asked.scenario, at.world) });
        });
        if (!swept)
            return [this, error = swept.error()] { Q_EMIT failed(error); };
        swept->variant = asked.variant;
        swept->command = asked.command;
        auto whole = std::make_shared<const simulation::Sweep>(std::move(*swept));
        return [this, whole] { Q_EMIT this->swept(whole); };
    });
}

void SimulationRun::trace(simulation::Scenario scenario, std::uint64_t request)
{
    start([this, scenario = std::move(scenario), request](Work& work) -> std::function<void()> {
        simulation::RunOptions options;
        options.traced = request;
        options.goesOn = [&](const simulation::Progress& at) {
            return work.goesOn({ 0, 1, at, behindIt(scenario, at) });
        };
        auto outcome = std::make_shared<const simulation::Outcome>(simulation::simulate(scenario, options));
        return [this, outcome] { Q_EMIT traced(outcome); };
    });
}

} // namespace fencepost::models

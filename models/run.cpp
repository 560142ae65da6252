// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/run.h"

#include <functional>
#include <map>
#include <utility>

#include "core/retry/steady_clock.h"

namespace fencepost::models {

// What the window and the write thread tell each other.
struct Run::Control {
    std::mutex mutex;
    std::condition_variable changed;
    bool pause = false;
    bool stop = false;
    std::optional<double> pace; // rows per second
    bool chosen = false; // the pace, since it was last told to a replay
    std::chrono::steady_clock::time_point due; // when the pace allows the next row
    std::vector<ItemReport> fresh;
    bool leave = false; // the window is gone
    std::optional<ReplayProgress> replay;
    std::function<void(Duration)> idled = {}; // told by the job, of its thread

    // What is waited for here costs the database nothing.
    void tellIdle(std::chrono::steady_clock::time_point since) const
    {
        if (idled)
            idled(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - since));
    }
    ReplayOrder order()
    {
        const std::lock_guard lock(mutex);
        return leave ? ReplayOrder::Leave : stop ? ReplayOrder::Stop : pause ? ReplayOrder::Pause : ReplayOrder::Go;
    }
    // Whoever gives an order is answered at once.
    void sleep(Duration length)
    {
        const auto since = std::chrono::steady_clock::now();
        {
            std::unique_lock lock(mutex);
            changed.wait_for(lock, length);
        }
        tellIdle(since);
    }
    ReplayHooks hooks()
    {
        ReplayHooks made;
        made.order = [this] { return order(); };
        made.sleep = [this](Duration length) { sleep(length); };
        made.rate = [this] {
            const std::lock_guard lock(mutex);
            return std::exchange(chosen, false) ? std::optional<double>(pace.value_or(0)) : std::nullopt;
        };
        made.itemDone = [this](const ItemReport& item) {
            const std::lock_guard lock(mutex);
            fresh.push_back(item);
        };
        made.progressed = [this](const ReplayProgress& progress) {
            const std::lock_guard lock(mutex);
            replay = progress;
        };
        made.waitsWhenBraked = true;
        return made;
    }
    bool isChosen()
    {
        const std::lock_guard lock(mutex);
        return chosen;
    }
    std::optional<ReplayProgress> takeReplay()
    {
        const std::lock_guard lock(mutex);
        return std::exchange(replay, std::nullopt);
    }

    // Waits while paused and for the pace; false: stop.
    bool mayGoOn()
    {
        const auto since = std::chrono::steady_clock::now();
        const bool goes = waitForTurn();
        tellIdle(since);
        return goes;
    }
    bool waitForTurn()
    {
        std::unique_lock lock(mutex);
        while (!stop) {
            const auto now = std::chrono::steady_clock::now();
            if (pause) {
                changed.wait(lock);
            } else if (pace && now < due) {
                changed.wait_until(lock, due);
            } else {
                takeTurn(now);
                break;
            }
        }
        return !stop;
    }
    // Rows that came late are caught up with, but what a pause missed is not.
    void takeTurn(std::chrono::steady_clock::time_point now)
    {
        constexpr auto catchUp = std::chrono::milliseconds(500);
        if (pace)
            due = std::max(due, now - catchUp)
                + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                    std::chrono::duration<double>(1 / *pace));
    }
    bool took(const ItemReport& item, bool last)
    {
        {
            const std::lock_guard lock(mutex);
            fresh.push_back(item);
        }
        return last || mayGoOn();
    }
    void setPace(std::optional<double> rowsPerSecond)
    {
        {
            const std::lock_guard lock(mutex);
            pace = rowsPerSecond;
            chosen = true;
            due = std::chrono::steady_clock::now();
        }
        changed.notify_all();
    }
    void set(bool newPause, bool newStop)
    {
        {
            const std::lock_guard lock(mutex);
            pause = newPause;
            stop = stop || newStop;
        }
        changed.notify_all();
    }
    std::vector<ItemReport> takeFresh()
    {
        const std::lock_guard lock(mutex);
        return std::exchange(fresh, {});
    }
};

namespace {

// A stop is acknowledged within a second: a row that takes longer than this is interrupted.
constexpr std::chrono::milliseconds patience{ 600 };
constexpr std::chrono::milliseconds progressInterval{ 100 };

Error stoppedError()
{
    return { Failure::Cancelled, "The run was stopped.", {} };
}

// No row had its turn. Where the run was stopped for good, the report must not say how to go on with it.
Result<RunReport> refusedBy(const Error& error, const Plan& plan, RunJournal* journal)
{
    const auto run = journal ? journal->standing(plan.requestId) : Result<std::optional<RunStanding>>(std::nullopt);
    if (!run || !*run || (**run).phase != RunPhase::Stopped)
        return error;
    return RunReport{ .requestId = plan.requestId,
        .notRun = static_cast<std::int64_t>(plan.items.size()),
        .stoppedBy = error,
        .forGood = true };
}

Result<RunReport> carryOutReplay(Backend& backend, const Plan& plan, const std::string& actor,
    std::optional<ReplaySettings> settings, const ReplayHooks& hooks)
{
    const retry::SteadyClock steady;
    SystemRandom random;
    auto* journal = backend.inspector().runs();
    // A run that was killed before it had begun has none of its own.
    if (journal && !settings)
        if (const auto standing = journal->standing(plan.requestId); standing && !*standing)
            settings = usualReplay();
    auto done = runReplay(backend.inspector(), plan, actor, settings ? &*settings : nullptr, hooks, steady, random);
    if (!done)
        return refusedBy(done.error(), plan, journal);
    // What became of a row that was put back belongs to its line of the report.
    std::map<int, ReplayFate> fates;
    for (std::size_t i = 0; i < plan.items.size(); ++i)
        fates.emplace(plan.items[i].number, done->fates[i]);
    for (auto& item : done->report.items)
        if (item.outcome.result == ItemResult::Changed || item.outcome.result == ItemResult::AlreadyDone)
            item.outcome.reason = wordOf(fates.at(item.item));
    return std::move(done->report);
}

} // namespace

Run::Run(StoreThread& writes, Plan plan, std::string actor, std::shared_ptr<const PlanFolder> folder, QObject* parent)
    : QObject(parent)
    , m_writes(&writes)
    , m_plan(std::move(plan))
    , m_actor(std::move(actor))
    , m_folder(std::move(folder))
    , m_control(std::make_shared<Control>())
{
    m_report.requestId = m_plan.requestId;
    m_report.notRun = static_cast<std::int64_t>(m_plan.items.size());
    m_ticks.setInterval(progressInterval);
    m_patience.setSingleShot(true);
    m_patience.setInterval(patience);
    connect(&m_ticks, &QTimer::timeout, this, [this] { drain(); });
    connect(&m_patience, &QTimer::timeout, this, [this] {
        if (m_writes)
            m_writes->cancelRunning();
    });
    connect(&m_watcher, &QFutureWatcherBase::finished, this, [this] { conclude(); });
}

Run::~Run()
{
    {
        const std::lock_guard lock(m_control->mutex);
        m_control->leave = true;
    }
    m_control->set(false, true);
}

ReplaySettings usualReplay()
{
    constexpr double brake = 0.05;
    ReplaySettings settings;
    settings.ramp = { 1, 5, 25, 100 };
    settings.brake = brake;
    return settings;
}

Status Run::start()
{
    if (m_state != RunState::Ready || !m_writes)
        return Error{ Failure::Conflict, "The run has begun already.", {} };
    if (m_folder) {
        if (const auto begun = m_folder->begin(m_plan); !begun)
            return begun.error();
    }
    if (m_settings)
        m_settings->rate = m_pace.value_or(0);
    m_since = std::chrono::steady_clock::now();
    // The thread outlives its job.
    m_control->idled = [thread = m_writes.data()](Duration length) { thread->idled(length); };
    enter(RunState::Running);
    m_ticks.start();
    m_watcher.setFuture(m_writes->run([control = m_control, plan = m_plan, actor = m_actor, settings = m_settings](
                                          Backend& backend) -> Result<RunReport> {
        if (isStaged(plan))
            return carryOutReplay(backend, plan, actor, settings, control->hooks());
        if (!control->mayGoOn())
            return stoppedError();
        return applyPlan(
            backend.inspector(), plan, actor, [&](const ItemReport& item, std::size_t done, std::size_t total) {
                return control->took(item, done == total);
            });
    }));
    return {};
}

void Run::pause()
{
    if (m_state != RunState::Running)
        return;
    m_worked += std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - m_since);
    m_control->set(true, false);
    enter(RunState::Paused);
}

void Run::resume()
{
    if (m_state != RunState::Paused)
        return;
    m_since = std::chrono::steady_clock::now();
    m_control->set(false, false);
    enter(RunState::Running);
}

void Run::stop()
{
    if (m_state != RunState::Running && m_state != RunState::Paused)
        return;
    enter(RunState::Stopping);
    m_control->set(false, true);
    m_patience.start();
}

void Run::setPace(std::optional<double> rowsPerSecond)
{
    m_pace = rowsPerSecond && *rowsPerSecond > 0 ? rowsPerSecond : std::nullopt;
    m_doneBefore = done();
    m_worked = {};
    m_since = std::chrono::steady_clock::now();
    m_control->setPace(m_pace);
    Q_EMIT progressed();
}

std::size_t Run::done() const
{
    return isStagedNow() ? static_cast<std::size_t>(m_replay->all().done()) : m_report.items.size();
}

RunReport Run::soFar() const
{
    RunReport report;
    if (isStagedNow()) {
        const auto all = m_replay->all();
        report.changed = all.changed;
        report.skipped = all.skipped;
        report.failed = all.failed;
    } else {
        report.changed = m_report.changed;
        report.alreadyDone = m_report.alreadyDone;
        report.skipped = m_report.skipped;
        report.failed = m_report.failed;
    }
    return report;
}

double Run::rowsPerSecond() const
{
    if (isStagedNow())
        return m_replay->perSecond;
    auto worked = m_worked;
    if (m_state == RunState::Running)
        worked += std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - m_since);
    return worked.count() > 0 ? static_cast<double>(done() - m_doneBefore) * 1e6 / static_cast<double>(worked.count())
                              : 0;
}

std::optional<Duration> Run::timeLeft() const
{
    if (isStagedNow())
        return m_replay->timeLeft;
    auto rate = rowsPerSecond();
    // Right after it was chosen the pace is all that is known.
    if (m_pace && (rate <= 0 || rate > *m_pace || done() - m_doneBefore < 3))
        rate = *m_pace;
    if (rate <= 0)
        return std::nullopt;
    return Duration(static_cast<std::int64_t>(static_cast<double>(total() - done()) / rate * 1e6));
}

void Run::drain()
{
    const auto items = m_control->takeFresh();
    const auto replay = m_control->takeReplay();
    if (replay)
        followReplay(*replay);
    if (items.empty() && !replay)
        return;
    add(items);
    if (!items.empty())
        Q_EMIT itemsDone(items);
    Q_EMIT progressed();
}

// A brake, the rate, and orders that others give, stand in the journal: the window says what is so.
void Run::followReplay(const ReplayProgress& progress)
{
    m_replay = progress;
    if (m_state == RunState::Running && progress.phase == RunPhase::Paused)
        pause();
    else if (m_state == RunState::Paused && progress.phase == RunPhase::Running && m_pausedInJournal)
        resume();
    m_pausedInJournal = progress.phase == RunPhase::Paused;
    if (!m_control->isChosen())
        m_pace = progress.rate > 0 ? std::optional(progress.rate) : std::nullopt;
}

void Run::add(const std::vector<ItemReport>& items)
{
    for (const auto& item : items) {
        switch (item.outcome.result) {
        case ItemResult::Changed:
            ++m_report.changed;
            break;
        case ItemResult::AlreadyDone:
            ++m_report.alreadyDone;
            break;
        case ItemResult::Skipped:
            ++m_report.skipped;
            break;
        case ItemResult::Failed:
            ++m_report.failed;
            break;
        }
        --m_report.notRun;
        m_report.items.push_back(item);
    }
}

void Run::conclude()
{
    m_ticks.stop();
    m_patience.stop();
    drain();
    const bool answered = !m_watcher.isCanceled() && m_watcher.future().resultCount() > 0;
    if (!answered) {
        m_report.stoppedBy = stoppedError();
    } else if (const auto answer = m_watcher.result(); answer) {
        // The last item of an interrupted run reaches the report without passing through the progress.
        const std::vector<ItemReport> unseen(
            answer->items.begin() + static_cast<std::ptrdiff_t>(m_report.items.size()), answer->items.end());
        if (!unseen.empty()) {
            add(unseen);
            Q_EMIT itemsDone(unseen);
        }
        m_report = *answer;
    } else
        m_report.stoppedBy = answer.error();
    if (m_folder) {
        if (const auto kept = m_folder->finish(m_report); !kept)
            Q_EMIT keepingFailed(kept.error());
    }
    enter(RunState::Finished);
    Q_EMIT progressed();
    Q_EMIT finished(m_report);
}

void Run::enter(RunState state)
{
    m_state = state;
    Q_EMIT stateChanged(state);
}

} // namespace fencepost::models

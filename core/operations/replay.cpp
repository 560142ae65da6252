// SPDX-License-Identifier: Apache-2.0
#include "core/operations/replay.h"

#include <algorithm>
#include <utility>

#include "core/ids.h"
#include "core/operations/carry_out.h"
#include "core/operations/every.h"
#include "core/operations/replay_report.h"
#include "core/operations/replay_run.h"
#include "core/operations/replay_work.h"
#include "core/retry/token_bucket.h"

namespace fencepost {

namespace {

using operation::Every;

// A pause, a stop and a new rate are answered well within a second.
constexpr Duration lookEvery = std::chrono::milliseconds(200);
constexpr Duration askEvery = std::chrono::milliseconds(500);
constexpr Duration beatEvery = std::chrono::milliseconds(500);
// What was done is known by the audit: the journal may be that much behind it, and costs no commit for each row.
constexpr Duration putEvery = std::chrono::milliseconds(100);
constexpr int pauseAttempts = 3;

// Takes a run up when its turn comes and goes through its stages: when the next row is put back, when a stage is over,
// and what ends it.
class Replay {
public:
    Replay(const operation::ReplayTask& task, std::string runner)
        : m_plan(task.plan)
        , m_hooks(task.hooks)
        , m_steady(task.steady)
        , m_run(task.journal, task.plan, task.actor, std::move(runner))
        , m_work(task)
        , m_bucket(0, task.steady.now())
    {
    }

    Result<ReplayReport> carryOut(const ReplaySettings* settings)
    {
        if (auto begun = m_run.begin(settings); !begun)
            return begun.error();
        if (auto begun = m_work.begin(m_run.settings()); !begun)
            return begun.error();
        const auto done = waitForTurn();
        auto status = done ? Status() : Status(done.error());
        if (done && *done)
            status = run();
        // What stands in the way of the run stands in the way of this too.
        if (auto entered = m_work.enterItems(); !entered && status)
            status = entered;
        m_run.release();
        if (!status)
            m_brokenBy = status.error();
        tell();
        return report();
    }

private:
    // While another one carries it out, this one looks on. False: it is over, or the operator leaves.
    Result<bool> waitForTurn()
    {
        while (true) {
            const auto mine = m_run.claim();
            if (!mine)
                return mine.error();
            const auto standing = m_run.standing();
            if (!standing)
                return standing.error();
            if (auto known = m_work.recall(); !known)
                return known.error();
            // Whoever carries it out asks again before the first row, and pauses where the table does not answer.
            if (auto asked = m_work.askFates(); !asked && asked.error().failure != Failure::Unavailable)
                return asked.error();
            if (*mine) {
                m_run.take(*standing);
                return true;
            }
            m_stage = stages().current();
            m_run.watch(*standing);
            if (isOver(m_run.phase()))
                return false;
            const auto asked = order();
            if (asked == ReplayOrder::Leave)
                return false;
            if (auto passed = m_run.passOn(asked); !passed)
                return passed.error();
            tell();
            m_hooks.sleep(askEvery);
        }
    }

    Status run()
    {
        m_stage = 0;
        if (const auto asked = m_work.askFates(); !asked)
            if (const auto left = leftPaused(asked.error()); !left)
                return left;
        m_work.forgive();
        while (true) {
            const auto goes = look();
            if (!goes) {
                if (const auto left = leftPaused(goes.error()); !left)
                    return left;
                continue;
            }
            if (!*goes)
                return {};
            if (m_run.phase() == RunPhase::Paused) {
                m_hooks.sleep(lookEvery);
                continue;
            }
            const auto more = nextPiece();
            if (!more) {
                if (const auto left = leftPaused(more.error()); !left)
                    return left;
                continue;
            }
            if (!*more)
                return finish();
        }
    }

    // Orders from here and from elsewhere. False: leave it.
    Result<bool> look()
    {
        const auto now = m_steady.now();
        if (!m_looks.isDue(now))
            return true;
        if (auto entered = m_work.enterItems(); !entered)
            return entered.error();
        if (const auto rate = m_hooks.rate ? m_hooks.rate() : std::nullopt)
            if (auto set = m_run.setRate(*rate); !set)
                return set.error();
        if (const auto obeyed = m_run.obey(order()); !obeyed || !*obeyed)
            return obeyed;
        if (m_beats.isDue(now))
            if (auto kept = m_run.keep(); !kept)
                return kept.error();
        const auto resumed = m_run.look();
        if (!resumed)
            return resumed.error();
        m_bucket.setRate(m_run.settings().rate, now);
        if (*resumed)
            if (auto known = resume(now); !known)
                return known.error();
        if (m_tells.isDue(now))
            tell();
        return !isOver(m_run.phase()) && (!m_run.rests() || m_hooks.waitsWhenBraked);
    }

    // Who resumes a run knows what failed in it.
    Status resume(Time now)
    {
        if (auto asked = m_work.askFates(); !asked)
            return asked;
        m_work.forgive();
        m_stageOver.reset();
        m_bucket = retry::TokenBucket(m_run.settings().rate, now);
        return {};
    }

    // One row, or one look at the outcomes. False: there is nothing left to do.
    Result<bool> nextPiece()
    {
        while (m_stage < stages().stages() && m_at >= stages().endOf(m_stage)) {
            const auto over = isStageOver();
            if (!over)
                return over.error();
            if (!*over)
                return true;
            if (isLast(m_stage))
                return false;
            ++m_stage;
            m_stageOver.reset();
        }
        if (m_at >= stages().rows())
            return false;
        if (stages().isPutBack(m_at)) {
            ++m_at;
            return true;
        }
        const auto wait = m_bucket.take(m_steady.now());
        if (wait > Duration::zero()) {
            m_hooks.sleep(std::min(wait, lookEvery));
            return true;
        }
        const auto done = putNextBack();
        return done ? Result<bool>(true) : Result<bool>(done.error());
    }

    Status putNextBack()
    {
        if (auto put = m_work.putBack(m_at); !put)
            return put;
        ++m_at;
        if (m_puts.isDue(m_steady.now()) || m_at == stages().endOf(m_stage))
            if (auto entered = m_work.enterItems(); !entered)
                return entered;
        if (!m_asks.isDue(m_steady.now()))
            return {};
        if (auto asked = m_work.askSomeFates(); !asked)
            return asked;
        return brake(false);
    }

    // All of its rows are out: their outcomes are waited for.
    Result<bool> isStageOver()
    {
        if (!stages().asks())
            return true;
        const auto now = m_steady.now();
        if (!m_stageOver)
            m_stageOver = now;
        if (m_asks.isDue(now)) {
            if (auto asked = m_work.askFates(); !asked)
                return asked.error();
            const auto pending = stages().reports()[m_stage].pending;
            if (auto braked = brake(pending == 0); !braked)
                return braked.error();
            const bool paused = m_run.phase() == RunPhase::Paused;
            if (!paused && pending == 0)
                return true;
            const auto patience = m_run.settings().patience;
            if (!paused && now - *m_stageOver > patience) {
                if (isLast(m_stage))
                    return true;
                const auto failing = stages().reports()[m_stage].failing;
                const auto rested =
                    pause(std::to_string(pending) + " of the stage are still pending after " + formatDuration(patience)
                        + (failing > 0 ? ", the attempts of " + std::to_string(failing) + " of them have failed"
                                       : std::string(": does a relay run, and a consumer?")));
                return rested ? Result<bool>(false) : Result<bool>(rested.error());
            }
        }
        m_hooks.sleep(lookEvery);
        return false;
    }

    Status brake(bool stageIsOver)
    {
        if (m_run.phase() != RunPhase::Running)
            return {};
        if (const auto why = m_work.whyBrake(m_stage, stageIsOver))
            return pause(*why);
        return {};
    }

    Status pause(const std::string& because)
    {
        if (auto paused = m_run.pause(because); !paused)
            return paused;
        m_looks.soon();
        m_tells.soon();
        return {};
    }

    // A lock that another one holds, or a server that is away for a moment: the run says why it rests, if it can.
    Status leftPaused(const Error& error)
    {
        if (error.failure != Failure::Unavailable)
            return error;
        for (int attempt = 0; attempt < pauseAttempts; ++attempt) {
            if (pause("the database did not answer: " + error.message))
                return {};
            m_hooks.sleep(lookEvery);
        }
        return error;
    }

    Status finish()
    {
        const auto pending = m_work.sum().pending;
        return m_run.finish(pending > 0 ? std::to_string(pending) + " were still pending after "
                    + formatDuration(m_run.settings().patience) + ", what became of them is told later"
                                        : std::string());
    }

    void tell()
    {
        m_progress.phase = m_run.phase();
        m_progress.because = m_brokenBy ? m_brokenBy->message : m_run.because();
        m_progress.runner = m_run.elsewhere();
        m_progress.stage = m_stage;
        m_progress.stages = stages().reports();
        m_progress.verified = stages().asks();
        m_progress.rate = m_run.settings().rate;
        m_progress.perSecond = m_work.perSecond();
        m_progress.timeLeft = timeLeft();
        if (m_hooks.progressed)
            m_hooks.progressed(m_progress);
    }

    [[nodiscard]] std::optional<Duration> timeLeft() const
    {
        const bool asChosen = m_run.isMine() && m_progress.rate > 0 && m_work.brake().hasJustBegun();
        // A rate that was lowered is not yet seen in what was done lately.
        double rate = asChosen ? m_progress.rate : m_progress.perSecond;
        if (m_progress.rate > 0)
            rate = std::min(rate, m_progress.rate);
        if (rate <= 0 || m_progress.phase != RunPhase::Running)
            return std::nullopt;
        const auto left = static_cast<double>(stages().rows()) - static_cast<double>(m_progress.all().done());
        constexpr double micros = 1e6;
        return Duration(static_cast<std::int64_t>(left / rate * micros));
    }

    [[nodiscard]] ReplayReport report() const
    {
        ReplayReport result{ operation::reportOf(m_plan, stages()), stages().fates(), m_progress };
        result.report.stoppedBy = m_brokenBy;
        if (result.report.notRun > 0 && !m_brokenBy) {
            result.report.stoppedBy = m_run.whyNotDone();
            result.report.forGood = m_run.phase() == RunPhase::Stopped;
        }
        return result;
    }

    [[nodiscard]] const ReplayStages& stages() const { return m_work.stages(); }
    [[nodiscard]] bool isLast(std::size_t stage) const { return stage + 1 == stages().stages(); }
    [[nodiscard]] ReplayOrder order() const { return m_hooks.order ? m_hooks.order() : ReplayOrder::Go; }

    const Plan& m_plan;
    const ReplayHooks& m_hooks;
    const Clock& m_steady;
    operation::ReplayRun m_run;
    operation::ReplayWork m_work;
    retry::TokenBucket m_bucket;
    std::size_t m_stage = 0;
    std::size_t m_at = 0; // the next row
    std::optional<Time> m_stageOver; // since when its outcomes are waited for
    Every m_looks{ lookEvery };
    Every m_asks{ askEvery };
    Every m_beats{ beatEvery };
    Every m_tells{ lookEvery };
    Every m_puts{ putEvery };
    std::optional<Error> m_brokenBy;
    ReplayProgress m_progress;
};

Result<ReplayReport> runAtOnce(
    Inspector& inspector, const Plan& plan, const std::string& actor, const ReplayHooks& hooks)
{
    ReplayReport result;
    auto report = applyPlan(inspector, plan, actor, [&](const ItemReport& item, std::size_t, std::size_t) {
        if (hooks.itemDone)
            hooks.itemDone(item);
        return !hooks.order || hooks.order() == ReplayOrder::Go;
    });
    if (!report)
        return report.error();
    result.report = std::move(*report);
    result.fates.assign(plan.items.size(), ReplayFate::Pending);
    result.progress.phase = result.report.stoppedBy ? RunPhase::Stopped : RunPhase::Done;
    if (result.report.stoppedBy)
        result.progress.because = result.report.stoppedBy->message;
    if (hooks.progressed)
        hooks.progressed(result.progress);
    return result;
}

} // namespace

bool isStaged(const Plan& plan)
{
    return isReplay(plan.verb) && plan.profile.rfind("fencepost.", 0) == 0;
}

Result<ReplayReport> runReplay(Inspector& inspector, const Plan& plan, const std::string& actor,
    const ReplaySettings* settings, const ReplayHooks& hooks, const Clock& steady, Random& random)
{
    if (!isStaged(plan))
        return runAtOnce(inspector, plan, actor, hooks);
    const auto journal = journalOf(inspector);
    if (!journal)
        return journal.error();
    const auto binding = operation::targetOf(inspector, plan);
    if (!binding)
        return binding.error();
    return Replay({ inspector, **journal, plan, *binding, actor, hooks, steady }, uuid4(random)).carryOut(settings);
}

} // namespace fencepost

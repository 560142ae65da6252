// SPDX-License-Identifier: Apache-2.0
#include "core/operations/replay.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error_report.h"
#include "core/ids.h"
#include "core/operations/carry_out.h"
#include "core/operations/strict_json.h"
#include "core/retry/rolling_counts.h"
#include "core/retry/token_bucket.h"
#include "core/without_credentials.h"

namespace fencepost {

namespace {

// A pause, a stop and a new rate are answered well within a second.
constexpr Duration lookEvery = std::chrono::milliseconds(200);
constexpr Duration askEvery = std::chrono::milliseconds(500);
constexpr Duration beatEvery = std::chrono::milliseconds(500);
// What was done is known by the audit: the journal may be that much behind it, and costs no commit for each row.
constexpr Duration putEvery = std::chrono::milliseconds(100);
constexpr std::size_t askedBetween = 500; // rows whose outcome is asked for while others are put back
constexpr auto everyRow = std::numeric_limits<std::size_t>::max();
// Of a stage that is not over: less tells nothing.
constexpr std::int64_t fewestOutcomes = 20;
constexpr std::int64_t averagedOver = 20;
constexpr int slowFor = 3; // times the limit: a change that is slow by itself says nothing of the database
constexpr int pauseAttempts = 3;
constexpr auto planTheRest = "Make a new plan of what is left";

// Something that is due every so often.
class Every {
public:
    explicit Every(Duration length)
        : m_length(length)
    {
    }
    bool isDue(Time now)
    {
        if (m_last && now - *m_last < m_length)
            return false;
        m_last = now;
        return true;
    }
    void soon() { m_last.reset(); }

private:
    Duration m_length;
    std::optional<Time> m_last;
};

class Replay {
public:
    Replay(Inspector& inspector, RunJournal& journal, const Plan& plan, std::string actor, const ReplayHooks& hooks,
        const Clock& steady, Random& random)
        : m_inspector(inspector)
        , m_journal(journal)
        , m_plan(plan)
        , m_actor(std::move(actor))
        , m_hooks(hooks)
        , m_steady(steady)
        , m_runner(uuid4(random))
        , m_bucket(0, steady.now())
    {
        m_result.report.requestId = plan.requestId;
    }

    Result<ReplayReport> carryOut(const ReplaySettings* settings)
    {
        auto binding = operation::targetOf(m_inspector, m_plan);
        if (!binding)
            return binding.error();
        m_binding = std::move(*binding);
        if (auto begun = begin(settings); !begun)
            return begun.error();
        const auto done = waitForTurn();
        auto status = done ? Status() : Status(done.error());
        if (done && *done)
            status = run();
        // What stands in the way of the run stands in the way of this too.
        if (auto put = putItems(); !put && status)
            status = put;
        if (m_isMine)
            (void)m_journal.release(m_plan.requestId, m_runner);
        if (!status)
            stop(status.error());
        tell();
        fillReport();
        return m_result;
    }

private:
    Status begin(const ReplaySettings* settings)
    {
        if (settings != nullptr)
            if (auto checked = checkReplay(*settings); !checked)
                return checked;
        OperationRun run;
        run.requestId = m_plan.requestId;
        run.verb = m_plan.verb;
        run.binding = m_plan.binding;
        run.plan = formatPlan(m_plan);
        run.settings = formatReplay(settings != nullptr ? *settings : ReplaySettings());
        run.actor = m_actor;
        run.reason = m_plan.reason;
        run.total = static_cast<std::int64_t>(m_plan.items.size());
        auto there = m_journal.begin(run);
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
            if (const auto entered = m_journal.enter(m_plan.requestId, RunPhase::Running, {}); !entered)
                return entered.error();
        auto known = parseReplay(settings != nullptr ? run.settings : there->settings);
        if (!known)
            return known.error();
        m_settings = std::move(*known);
        m_stages = ReplayStages(m_plan, m_settings.ramp, !m_settings.ramp.empty());
        return m_stages.recall(m_journal);
    }

    [[nodiscard]] bool isElsewhere(const OperationRun& run) const
    {
        return !run.isOver() && !run.runner.empty() && run.runner != m_runner && run.beatAt
            && run.now - *run.beatAt < runnerIsGoneAfter;
    }

    // Stages that are being made are not made again: what a look at them told would never have been.
    [[nodiscard]] static Status keepsStages(const OperationRun& run, const ReplaySettings& settings)
    {
        const auto known = parseReplay(run.settings);
        if (!known || (known->ramp == settings.ramp && known->brake == settings.brake))
            return {};
        return Error{ Failure::Conflict,
            "The run is carried out elsewhere, by " + run.actor + ", with other stages or another brake", {}, {},
            "Look on without --ramp and --brake, or pause it there first" };
    }

    // What whoever carries it out has done meanwhile.
    Status recall()
    {
        const auto before = m_stages.sum().done();
        if (auto recalled = m_stages.recall(m_journal); !recalled)
            return recalled;
        m_paces.add(m_steady.now(), 0, m_stages.sum().done() - before);
        return askFates(true);
    }

    // While another one carries it out, this one looks on. False: it is over, or the operator leaves.
    Result<bool> waitForTurn()
    {
        while (true) {
            auto mine = m_journal.claim(m_plan.requestId, m_runner);
            if (!mine)
                return mine.error();
            m_isMine = *mine;
            const auto run = standing();
            if (!run)
                return run.error();
            if (auto known = recall(); !known)
                return known.error();
            m_stage = m_stages.current();
            if (m_isMine) {
                // It was left like that by whoever was looked on at: that is not undone here.
                m_braked = run->phase == RunPhase::Paused;
                m_stage = 0;
                return true;
            }
            m_result.progress.phase = run->phase;
            m_result.progress.runner = run->actor;
            m_result.progress.because = "it is carried out elsewhere, by " + run->actor;
            if (isOver(run->phase))
                return false;
            if (const auto asked = order(); asked == ReplayOrder::Leave)
                return false;
            else if (asked == ReplayOrder::Stop || asked == ReplayOrder::Pause)
                if (auto entered = m_journal.enter(m_plan.requestId,
                        asked == ReplayOrder::Stop ? RunPhase::Stopped : RunPhase::Paused, "by " + m_actor);
                    !entered)
                    return entered.error();
            tell();
            m_hooks.sleep(askEvery);
        }
    }

    Status run()
    {
        m_result.progress.because.clear();
        m_result.progress.runner.clear();
        if (const auto asked = askFates(true); !asked)
            return asked;
        // What failed before somebody decided to go on is no reason to stop again.
        m_forgiven = sum();
        while (true) {
            const auto goes = look();
            if (!goes) {
                if (const auto left = leftPaused(goes.error()); !left)
                    return left;
                continue;
            }
            if (!*goes)
                return {};
            if (m_result.progress.phase == RunPhase::Paused) {
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
        if (auto put = putItems(); !put)
            return put.error();
        if (auto paced = takeRate(); !paced)
            return paced.error();
        if (const auto obeyed = obey(order()); !obeyed || !*obeyed)
            return obeyed;
        if (m_beats.isDue(now)) {
            const auto mine = m_journal.claim(m_plan.requestId, m_runner);
            if (!mine)
                return mine.error();
            m_isMine = *mine;
            if (!m_isMine)
                return Error{ Failure::Conflict, "Another one has taken the run over: this one was away for too long",
                    {} };
        }
        const auto run = standing();
        if (!run)
            return run.error();
        if (run->settings != m_settingsRead) {
            m_settingsRead = run->settings;
            if (const auto changed = parseReplay(m_settingsRead))
                m_settings.rate = changed->rate;
        }
        m_bucket.setRate(m_settings.rate, now);
        if (m_result.progress.phase == RunPhase::Paused && run->phase == RunPhase::Running)
            resumed(now);
        m_result.progress.phase = run->phase;
        m_result.progress.because = run->because;
        if (m_tells.isDue(now))
            tell();
        if (isOver(run->phase))
            return false;
        return !(m_braked && m_result.progress.phase == RunPhase::Paused && !m_hooks.waitsWhenBraked);
    }

    Status takeRate()
    {
        const auto rate = m_hooks.rate ? m_hooks.rate() : std::nullopt;
        if (!rate || *rate == m_settings.rate)
            return {};
        m_settings.rate = *rate;
        const auto set = m_journal.setSettings(m_plan.requestId, formatReplay(m_settings));
        return set ? Status() : Status(set.error());
    }

    Result<bool> obey(ReplayOrder asked)
    {
        if (asked == ReplayOrder::Leave) {
            m_left = true;
            const auto because = "left by " + m_actor;
            const auto entered = m_journal.enter(m_plan.requestId, RunPhase::Paused, because);
            if (!entered)
                return entered.error();
            if (*entered) {
                m_result.progress.phase = RunPhase::Paused;
                m_result.progress.because = because;
            }
            return false;
        }
        const auto before = std::exchange(m_asked, asked);
        const bool paused = asked == ReplayOrder::Pause && m_result.progress.phase == RunPhase::Paused;
        if (asked == before || paused)
            return true;
        const auto phase = asked == ReplayOrder::Stop ? RunPhase::Stopped
            : asked == ReplayOrder::Pause             ? RunPhase::Paused
                                                      : RunPhase::Running;
        const auto entered =
            m_journal.enter(m_plan.requestId, phase, phase == RunPhase::Running ? std::string() : "by " + m_actor);
        return entered ? Result<bool>(true) : Result<bool>(entered.error());
    }

    // Who resumes a run knows what failed in it.
    void resumed(Time now)
    {
        m_braked = false;
        m_forgiven = sum();
        m_stageOver.reset();
        m_slowTook = {};
        m_slowCount = 0;
        m_bucket = retry::TokenBucket(m_settings.rate, now);
    }

    // One row, or one look at the outcomes. False: there is nothing left to do.
    Result<bool> nextPiece()
    {
        while (m_stage < m_stages.stages() && m_at >= m_stages.endOf(m_stage)) {
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
        if (m_at >= m_stages.rows())
            return false;
        if (m_stages.isPutBack(m_at)) {
            ++m_at;
            return true;
        }
        const auto wait = m_bucket.take(m_steady.now());
        if (wait > Duration::zero()) {
            m_hooks.sleep(std::min(wait, lookEvery));
            return true;
        }
        if (auto put = putBack(m_at); !put)
            return put.error();
        ++m_at;
        if (m_puts.isDue(m_steady.now()) || m_at == m_stages.endOf(m_stage))
            if (auto put = putItems(); !put)
                return put.error();
        if (!m_asks.isDue(m_steady.now()))
            return true;
        if (auto asked = askFates(false); !asked)
            return asked.error();
        return brake(false) ? Result<bool>(true) : Result<bool>(*m_broken);
    }

    Status putBack(std::size_t place)
    {
        const auto& item = m_plan.items[place];
        const auto begun = m_steady.now();
        auto outcome = m_inspector.apply(m_binding, operation::changeOf(m_plan, item, m_actor));
        const auto took = m_steady.now() - begun;
        if (!outcome && operation::endsTheRun(outcome.error()))
            return outcome.error();
        auto done = outcome ? *outcome : operation::failed(outcome.error());
        operation::admitHidden(m_binding, done);
        const std::string word(wordOf(done.result));
        m_stages.note(place, ReplayStages::Told{ word, done.reason, true });
        m_unput.push_back({ item.number, operation::canonical(item.identity), word, done.reason });
        m_paces.add(m_steady.now(), 0);
        m_slowTook += took;
        ++m_slowCount;
        if (m_hooks.itemDone)
            m_hooks.itemDone({ item.number, item.key, std::move(done) });
        return {};
    }

    // Before anybody waits, or looks at how far it came.
    Status putItems()
    {
        if (m_unput.empty())
            return {};
        const auto begun = m_steady.now();
        auto put = m_journal.put(m_plan.requestId, m_unput);
        m_slowTook += m_steady.now() - begun;
        if (put)
            m_unput.clear();
        return put;
    }

    // All of its rows are out: their outcomes are waited for.
    Result<bool> isStageOver()
    {
        if (!m_stages.asks())
            return true;
        const auto now = m_steady.now();
        if (!m_stageOver)
            m_stageOver = now;
        if (m_asks.isDue(now)) {
            if (auto asked = askFates(true); !asked)
                return asked.error();
            const auto& stage = m_stages.reports()[m_stage];
            const bool paused = !brake(stage.pending == 0) || m_result.progress.phase == RunPhase::Paused;
            if (m_broken)
                return *m_broken;
            if (!paused && stage.pending == 0)
                return true;
            if (!paused && now - *m_stageOver > m_settings.patience) {
                if (isLast(m_stage))
                    return true;
                return pause(std::to_string(stage.pending) + " of the stage are still pending after "
                           + formatDuration(m_settings.patience) + ": does a relay run, and a consumer?")
                    ? Result<bool>(false)
                    : Result<bool>(*m_broken);
            }
        }
        m_hooks.sleep(lookEvery);
        return false;
    }

    // False: the pause could not be written, see m_broken.
    bool brake(bool stageIsOver)
    {
        if (m_result.progress.phase != RunPhase::Running)
            return true;
        if (m_throttled)
            return pause("the target asks for fewer (429): lower the rate");
        if (m_settings.slowest > Duration::zero() && m_slowCount > 0) {
            const auto average = m_slowTook / m_slowCount;
            const bool slow = average > m_settings.slowest && m_slowTook >= m_settings.slowest * slowFor;
            if (slow || m_slowCount >= averagedOver) {
                m_slowTook = {};
                m_slowCount = 0;
            }
            if (slow)
                return pause("the database takes " + formatDuration(average) + " for a change");
        }
        if (m_settings.brake <= 0)
            return true;
        const auto all = sum();
        const auto failures = all.deadAgain + all.failed - m_forgiven.deadAgain - m_forgiven.failed;
        const auto outcomes = failures + all.succeeded - m_forgiven.succeeded;
        if (failures <= 0 || (!stageIsOver && outcomes < fewestOutcomes))
            return true;
        if (static_cast<double>(failures) <= m_settings.brake * static_cast<double>(outcomes))
            return true;
        return pause(
            std::to_string(failures) + " of " + std::to_string(outcomes) + " failed, more than the brake allows");
    }

    bool pause(const std::string& because)
    {
        const auto entered = m_journal.enter(m_plan.requestId, RunPhase::Paused, because);
        if (!entered) {
            m_broken = entered.error();
            return false;
        }
        m_braked = true;
        m_result.progress.phase = RunPhase::Paused;
        m_result.progress.because = because;
        m_looks.soon();
        m_tells.soon();
        return true;
    }

    // A lock that another one holds, or a server that is away for a moment: the run says why it rests, if it can.
    Status leftPaused(const Error& error)
    {
        if (error.failure != Failure::Unavailable)
            return error;
        for (int attempt = 0; attempt < pauseAttempts; ++attempt) {
            if (pause("the database did not answer: " + error.message)) {
                m_broken.reset();
                return {};
            }
            m_hooks.sleep(lookEvery);
        }
        m_broken.reset();
        return error;
    }

    // Of those that are not known yet; `all`: in one go, else of the oldest.
    Status askFates(bool all)
    {
        if (!m_stages.asks())
            return {};
        const auto throttled = m_stages.askFates(m_journal, all ? everyRow : askedBetween);
        if (!throttled)
            return throttled.error();
        m_throttled = *throttled;
        return {};
    }

    Status finish()
    {
        const auto pending = sum().pending;
        const auto because = pending > 0 ? std::to_string(pending) + " were still pending after "
                + formatDuration(m_settings.patience) + ", what became of them is told later"
                                         : std::string();
        const auto entered = m_journal.enter(m_plan.requestId, RunPhase::Done, because);
        if (!entered)
            return entered.error();
        if (!*entered) {
            if (const auto run = standing())
                m_result.progress.phase = run->phase;
            return {};
        }
        m_result.progress.phase = RunPhase::Done;
        m_result.progress.because = because;
        return {};
    }

    void stop(const Error& error)
    {
        m_result.report.stoppedBy = error;
        m_result.progress.because = error.message;
    }

    [[nodiscard]] StageReport sum() const { return m_stages.sum(); }
    [[nodiscard]] bool isLast(std::size_t stage) const { return stage + 1 == m_stages.stages(); }

    Result<RunStanding> standing()
    {
        auto run = m_journal.standing(m_plan.requestId);
        if (!run)
            return run.error();
        if (!*run)
            return Error{ Failure::NotFound, "The run is gone from its journal", {} };
        return std::move(**run);
    }

    void tell()
    {
        auto& progress = m_result.progress;
        progress.stage = m_stage;
        progress.stages = m_stages.reports();
        progress.verified = m_stages.asks();
        progress.rate = m_settings.rate;
        constexpr std::size_t seconds = 5;
        progress.perSecond = static_cast<double>(m_paces.sum(m_steady.now(), 0)) / static_cast<double>(seconds);
        const auto left = static_cast<double>(m_stages.rows()) - static_cast<double>(progress.all().done());
        const double rate = m_isMine && m_settings.rate > 0 && m_slowCount < 3 ? m_settings.rate : progress.perSecond;
        constexpr double micros = 1e6;
        progress.timeLeft = rate > 0 && progress.phase == RunPhase::Running
            ? std::optional(Duration(static_cast<std::int64_t>(left / rate * micros)))
            : std::nullopt;
        if (m_hooks.progressed)
            m_hooks.progressed(progress);
    }

    void fillReport()
    {
        m_result.fates = m_stages.fates();
        auto& report = m_result.report;
        for (std::size_t i = 0; i < m_stages.rows(); ++i) {
            const auto& told = m_stages.told(i);
            if (told.outcome.empty()) {
                ++report.notRun;
                continue;
            }
            ItemOutcome outcome{ ItemResult::Failed, told.detail, {}, {} };
            for (const auto result :
                { ItemResult::Changed, ItemResult::AlreadyDone, ItemResult::Skipped, ItemResult::Failed })
                if (told.outcome == wordOf(result))
                    outcome.result = result;
            if (outcome.result == ItemResult::Changed && !told.here)
                outcome.result = ItemResult::AlreadyDone;
            operation::count(report, outcome.result);
            report.items.push_back({ m_plan.items[i].number, m_plan.items[i].key, std::move(outcome) });
        }
        if (report.notRun == 0 || report.stoppedBy)
            return;
        report.forGood = m_result.progress.phase == RunPhase::Stopped;
        report.stoppedBy = Error{ Failure::Cancelled,
            m_left ? "The run was left: it can be taken up again."
                   : "The run is " + std::string(wordOf(m_result.progress.phase))
                    + (m_result.progress.because.empty() ? "." : ": " + m_result.progress.because + '.'),
            {}, {}, report.forGood ? planTheRest : "" };
    }

    [[nodiscard]] ReplayOrder order() const { return m_hooks.order ? m_hooks.order() : ReplayOrder::Go; }

    Inspector& m_inspector;
    RunJournal& m_journal;
    const Plan& m_plan;
    const std::string m_actor;
    const ReplayHooks& m_hooks;
    const Clock& m_steady;
    const std::string m_runner;
    Binding m_binding;
    ReplaySettings m_settings;
    std::string m_settingsRead;
    retry::TokenBucket m_bucket;
    ReplayStages m_stages;
    std::vector<RunItem> m_unput; // done, and not in the journal yet
    std::size_t m_stage = 0;
    std::size_t m_at = 0; // the next item
    std::optional<Time> m_stageOver; // since when its outcomes are waited for
    StageReport m_forgiven;
    Every m_looks{ lookEvery };
    Every m_asks{ askEvery };
    Every m_beats{ beatEvery };
    Every m_tells{ lookEvery };
    Every m_puts{ putEvery };
    retry::RollingCounts<1> m_paces{ std::chrono::seconds(1), 5 };
    Duration m_slowTook{};
    std::int64_t m_slowCount = 0;
    ReplayOrder m_asked = ReplayOrder::Go;
    bool m_isMine = false;
    bool m_braked = false;
    bool m_throttled = false;
    bool m_left = false;
    std::optional<Error> m_broken;
    ReplayReport m_result;
};

} // namespace

namespace {

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

std::string stopInWords(const Plan& plan, const RunReport& report)
{
    auto words = sentence(report.stoppedBy->message);
    if (!report.stoppedBy->detail.empty())
        words += " (" + report.stoppedBy->detail + ')';
    words += report.notRun > 0 ? " What the report tells as changed is changed; the rest was not begun."
        : report.failed > 0    ? " What the report tells as changed is changed, and nothing else is."
                               : " Every row was done; what became of them was not looked at to the end.";
    if (!report.stoppedBy->next.empty())
        words += ' ' + sentence(report.stoppedBy->next);
    if (report.forGood)
        return withoutCredentials(words);
    words += isStaged(plan)
        ? " Take the run up where it was left, on the page Replays or with: fencepostctl --db … runs "
          "resume "
            + plan.requestId
        : " Run the same plan again to finish it: rows that were changed are not changed twice.";
    return withoutCredentials(words);
}

Result<ReplayReport> runReplay(Inspector& inspector, const Plan& plan, const std::string& actor,
    const ReplaySettings* settings, const ReplayHooks& hooks, const Clock& steady, Random& random)
{
    if (!isStaged(plan))
        return runAtOnce(inspector, plan, actor, hooks);
    const auto journal = journalOf(inspector);
    if (!journal)
        return journal.error();
    return Replay(inspector, **journal, plan, actor, hooks, steady, random).carryOut(settings);
}

Result<ReplayStages> stagesOf(const OperationRun& run)
{
    // A plan is an object; what stands for one in a redacted copy is a word.
    if (!run.plan.starts_with('{'))
        return Error{ Failure::Unsupported,
            "The plan of this run was hidden when the snapshot was taken, so its stages are not known", {}, {},
            "What the run did to each row stands in the audit." };
    const auto plan = parsePlan(run.plan);
    if (!plan)
        return plan.error();
    const auto settings = parseReplay(run.settings);
    if (!settings)
        return settings.error();
    return ReplayStages(*plan, settings->ramp, true);
}

ReplayProgress progressOf(const OperationRun& run, const ReplayStages& stages)
{
    ReplayProgress progress;
    progress.phase = run.phase;
    progress.because = run.because;
    progress.stage = stages.current();
    progress.stages = stages.reports();
    progress.verified = stages.asks();
    return progress;
}

Result<RunJournal*> journalOf(Inspector& inspector)
{
    if (auto* journal = inspector.runs())
        return journal;
    return Error{ Failure::Unsupported, "This database keeps no journal of runs", {} };
}

Result<bool> setRate(RunJournal& journal, const std::string& requestId, double rate)
{
    const auto run = journal.standing(requestId);
    if (!run)
        return run.error();
    if (!*run)
        return Error{ Failure::NotFound, "There is no run " + requestId, {} };
    auto settings = parseReplay((*run)->settings);
    if (!settings)
        return settings.error();
    settings->rate = rate;
    if (const auto checked = checkReplay(*settings); !checked)
        return checked.error();
    return journal.setSettings(requestId, formatReplay(*settings));
}

} // namespace fencepost

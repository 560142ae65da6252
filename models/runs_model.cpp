// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/runs_model.h"

#include "models/instant_text.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

constexpr int mostRuns = 1'000;

template <std::string OperationRun::*member> QString text(const OperationRun& run, const Display&)
{
    return visibleText(run.*member);
}

template <std::int64_t OperationRun::*member> QString number(const OperationRun& run, const Display&)
{
    return QString::number(run.*member);
}

template <std::int64_t OperationRun::*member> QVariant numberKey(const OperationRun& run)
{
    return QVariant::fromValue<qlonglong>(run.*member);
}

QString stateFull(const OperationRun& run, const Display&)
{
    if (run.phase != RunPhase::Running)
        return visibleText(run.because);
    return isAlive(run) ? QStringLiteral("Somebody carries it out at the moment.")
                        : QStringLiteral("Nobody carries it out: it can be taken up where it was left.");
}

QString becauseText(const OperationRun& run, const Display&)
{
    return becauseOf(run);
}

QString startedFull(const OperationRun& run, const Display& display)
{
    return wholeInstant(run.startedAt, display);
}

constexpr Column<OperationRun> runColumns[] = {
    { .id = "state",
        .title = "State",
        .text = [](const OperationRun& run, const Display&) { return visibleText(std::string(wordOf(run.phase))); },
        .width = 13,
        .full = stateFull },
    { .id = "done",
        .title = "Done",
        .text =
            [](const OperationRun& run, const Display&) {
                return QStringLiteral("%1 of %2").arg(run.changed + run.skipped + run.failed).arg(run.total);
            },
        .sortKey =
            [](const OperationRun& run) {
                return QVariant::fromValue<qlonglong>(run.changed + run.skipped + run.failed);
            },
        .alignment = Alignment::Right,
        .width = 20 },
    { .id = "skipped",
        .title = "Skipped",
        .text = number<&OperationRun::skipped>,
        .sortKey = numberKey<&OperationRun::skipped>,
        .alignment = Alignment::Right,
        .width = 8 },
    { .id = "failed",
        .title = "Failed",
        .text = number<&OperationRun::failed>,
        .sortKey = numberKey<&OperationRun::failed>,
        .alignment = Alignment::Right,
        .width = 8 },
    { .id = "started",
        .title = "Started",
        .text = [](const OperationRun& run, const Display& display) { return display.zone.format(run.startedAt); },
        .sortKey = [](const OperationRun& run) { return QVariant::fromValue<qlonglong>(microsOf(run.startedAt)); },
        .instant = Precision::Milliseconds,
        .full = startedFull },
    { .id = "actor", .title = "By", .text = text<&OperationRun::actor>, .middleElision = true, .width = 16 },
    { .id = "reason", .title = "Reason", .text = text<&OperationRun::reason>, .width = 26 },
    { .id = "because", .title = "Because", .text = becauseText, .width = 26, .grows = true },
    { .id = "run",
        .title = "Run",
        .text = text<&OperationRun::requestId>,
        .monospace = true,
        .middleElision = true,
        .width = 16,
        .shown = false },
};

} // namespace

bool isAlive(const OperationRun& run)
{
    return !run.isOver() && !run.runner.empty() && run.beatAt && run.now - *run.beatAt < runnerIsGoneAfter;
}

QString becauseOf(const OperationRun& run)
{
    return run.phase == RunPhase::Running && !isAlive(run) ? QStringLiteral("nobody carries it out")
                                                           : visibleText(run.because);
}

RunsModel::RunsModel(StoreThread& thread, QObject* parent)
    : ListModel(
        runColumns, [](const OperationRun& run) { return Identity{ run.requestId }; }, parent)
    , m_thread(&thread)
{
}

void RunsModel::reload()
{
    if (!m_thread)
        return;
    m_load.start(
        *m_thread,
        [](Backend& backend) -> Result<std::vector<OperationRun>> {
            auto* journal = backend.inspector().runs();
            if (journal == nullptr)
                return std::vector<OperationRun>();
            auto runs = journal->list(mostRuns);
            // A database without Fencepost's own tables has had no run.
            if (!runs && runs.error().failure == Failure::Unsupported)
                return std::vector<OperationRun>();
            return runs;
        },
        [this](const Result<std::vector<OperationRun>>& answer) {
            if (!answer)
                return setError(answer.error());
            setRows(*answer, answer->empty() ? Time() : answer->front().now);
        });
    Q_EMIT statusChanged();
}

QVariant RunsModel::mark(const OperationRun& run, int role) const
{
    if (role == StateRole)
        return QString::fromStdString(std::string(wordOf(run.phase)));
    return ListModel::mark(run, role);
}

} // namespace fencepost::models

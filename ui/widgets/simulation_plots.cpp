// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/simulation_plots.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <QCoreApplication>
#include <QLocale>

#include "ui/words.h"

namespace fencepost::ui {

namespace {

using namespace simulation;

constexpr double micros = 1'000'000;
constexpr std::size_t mostCells = 60;

QString plotWord(const char* text)
{
    return QCoreApplication::translate("SimulationPlots", text);
}

// Of a step that is not a rate, or of one that is, a second.
PlotLine lineOf(const Series& series, std::int64_t SeriesStep::*member, bool isRate)
{
    PlotLine line;
    const double width = double(series.width().count()) / micros;
    for (std::size_t i = 0; i < series.steps().size(); ++i) {
        const auto value = double(series.steps()[i].*member);
        line.points.emplace_back(double(i) * width, isRate ? value / width : value);
    }
    return line;
}

bool isFlat(const std::vector<PlotLine>& lines)
{
    return std::all_of(lines.begin(), lines.end(), [](const PlotLine& line) {
        return std::all_of(line.points.begin(), line.points.end(), [](const QPointF& at) { return at.y() == 0; });
    });
}

std::vector<PlotLine> linesOf(const Report& report, std::int64_t SeriesStep::*member, bool isRate)
{
    std::vector<PlotLine> lines;
    for (std::size_t place = 0; place < report.worlds.size(); ++place) {
        auto line = lineOf(report.worlds[place].outcome.series, member, isRate);
        line.name = worldNameOf(report.worlds[place]);
        line.role = roleOfWorld(place);
        lines.push_back(std::move(line));
    }
    return lines;
}

QString shown(const MeasureKind& kind, std::int64_t value)
{
    return measureText(kind.unit, value);
}

struct Shown {
    Measure measure;
    const char* word; // under the bar, behind the world's name; empty: the name alone
    Role role;
};

// A bar for each world and measure, the worlds side by side.
RetryPlot barsOf(const Report& report, std::initializer_list<Shown> measures)
{
    RetryPlot made;
    for (std::size_t place = 0; place < report.worlds.size(); ++place) {
        const auto& world = report.worlds[place];
        std::size_t inGroup = 0;
        for (const auto& one : measures) {
            const auto& kind = measureKinds()[std::size_t(one.measure)];
            const auto value = world.outcome[one.measure];
            PlotBar bar;
            bar.label = measures.size() == 1 ? worldNameOf(world) : plotWord(one.word);
            // The name of a world once, below the middle of its bars.
            if (measures.size() > 1 && report.worlds.size() > 1 && inGroup++ == (measures.size() - 1) / 2)
                bar.label += QLatin1Char('\n') + worldNameOf(world);
            bar.words = QStringLiteral("%1: %2 %3 (%4)")
                            .arg(worldNameOf(world), text(kind.name), shown(kind, value), text(kind.meaning));
            bar.parts = { { measures.size() == 1 ? roleOfWorld(place) : one.role, double(value) } };
            made.plot.bars.push_back(std::move(bar));
        }
    }
    return made;
}

QString listOf(const Report& report, Measure measure)
{
    QStringList parts;
    const auto& kind = measureKinds()[std::size_t(measure)];
    for (const auto& world : report.worlds) {
        const auto value = shown(kind, world.outcome[measure]);
        parts += report.worlds.size() == 1 ? value : worldNameOf(world) + QLatin1Char(' ') + value;
    }
    return parts.join(QStringLiteral(", "));
}

std::function<QString(double)> scaleOf(MeasureUnit unit)
{
    return [unit](double value) { return measureText(unit, std::int64_t(value)); };
}

RetryPlot comparedBars(const Report& report, const std::vector<ComparedStep>& steps, bool observed)
{
    RetryPlot made;
    for (const auto& step : steps) {
        const auto label = QString::fromStdString(step.step);
        if (observed) {
            PlotBar bar;
            bar.label = label;
            bar.words = plotWord("%1: observed %2").arg(label, numberText(step.observed));
            bar.parts = { { Role::Muted, double(step.observed) } };
            made.plot.bars.push_back(std::move(bar));
        }
        for (std::size_t place = 0; place < step.predicted.size(); ++place) {
            PlotBar bar;
            bar.label = observed || place > 0 ? QString() : label;
            bar.words =
                plotWord("%1: %2 %3").arg(label, worldNameOf(report.worlds[place]), numberText(step.predicted[place]));
            bar.parts = { { roleOfWorld(place), double(step.predicted[place]) } };
            made.plot.bars.push_back(std::move(bar));
        }
    }
    return made;
}

QString legendOf(const Report& report, bool observed)
{
    QStringList names;
    if (observed)
        names += plotWord("observed");
    for (const auto& world : report.worlds)
        names += worldNameOf(world);
    return names.join(QStringLiteral(" · "));
}

} // namespace

QString measureText(MeasureUnit unit, std::int64_t value)
{
    return unit == MeasureUnit::Count ? numberText(value) : QString::fromStdString(shownMeasure(unit, value));
}

QString worldNameOf(const ReportedWorld& world)
{
    return world.variant.empty() ? plotWord("outcome") : text(world.variant);
}

QString worldWords(const Scenario& scenario, const std::string& variant)
{
    auto words = text(scenario.title.empty() ? scenario.name : scenario.title);
    if (!variant.empty())
        words += QStringLiteral(", ") + text(variant);
    return words + plotWord(", seed %1").arg(scenario.seed);
}

Role roleOfWorld(std::size_t place)
{
    constexpr std::array roles = { Role::Accent, Role::FailedRetryable, Role::Succeeded, Role::Held };
    return roles[place % roles.size()];
}

LinePlot simulatedLoad(const ReportedWorld& world)
{
    const auto& series = world.outcome.series;
    auto first = lineOf(series, &SeriesStep::offered, true);
    first.name = plotWord("first attempts");
    auto all = lineOf(series, &SeriesStep::retried, true);
    for (std::size_t i = 0; i < all.points.size(); ++i)
        all.points[i].ry() += first.points[i].y();
    all.name = plotWord("with retries");
    all.role = Role::FailedRetryable;
    auto capacity = lineOf(series, &SeriesStep::capacity, true);
    capacity.name = plotWord("capacity");
    capacity.role = Role::Muted;
    capacity.dashed = true;
    LinePlot made;
    double over = 0;
    for (std::size_t i = 0; i < all.points.size(); ++i)
        over += all.points[i].y() > capacity.points[i].y() ? double(series.width().count()) / micros : 0;
    made.title = over > 0
        ? plotWord("%1: more than it can take for %2 s").arg(worldNameOf(world)).arg(over, 0, 'f', over < 10 ? 1 : 0)
        : plotWord("%1: never more than it can take").arg(worldNameOf(world));
    made.caption = plotWord("Attempts a second against what the nodes can finish");
    made.lines = { std::move(capacity), std::move(all), std::move(first) };
    return made;
}

LinePlot simulatedRetries(const Report& report)
{
    LinePlot made{ plotWord("Retries: %1").arg(listOf(report, Measure::Retries)), plotWord("Retries a second"),
        linesOf(report, &SeriesStep::retried, true), {} };
    if (isFlat(made.lines))
        made = { plotWord("Retries"), {}, {}, plotWord("Nothing was tried again") };
    return made;
}

LinePlot simulatedBreakers(const Report& report)
{
    LinePlot made{ plotWord("Breakers opened: %1").arg(listOf(report, Measure::BreakerOpened)),
        plotWord("Breakers that are not closed"), linesOf(report, &SeriesStep::openBreakers, false), {} };
    if (isFlat(made.lines))
        made = { plotWord("Circuit breakers"), {}, {}, plotWord("No breaker opened") };
    return made;
}

LinePlot simulatedBudgets(const Report& report)
{
    LinePlot made{ plotWord("Stopped by an empty budget: %1").arg(listOf(report, Measure::BudgetRefusals)),
        plotWord("Retries that the budgets would still allow"), linesOf(report, &SeriesStep::budget, false), {} };
    if (!isFlat(made.lines))
        return made;
    const auto& worlds = report.worlds;
    const bool recorded = std::all_of(
        worlds.begin(), worlds.end(), [](const ReportedWorld& world) { return comesAsRecorded(world.scenario); });
    return { plotWord("Retry budgets"), {}, {},
        recorded ? plotWord("Retries came as they were recorded: no budget was asked")
                 : plotWord("No client had a budget") };
}

RetryPlot simulatedAmplification(const Report& report)
{
    auto made = barsOf(report, { { Measure::Amplification, "", Role::Accent } });
    made.title = plotWord("Amplification: %1").arg(listOf(report, Measure::Amplification));
    made.caption = plotWord("Attempts for each call; the line is 1.2");
    made.plot.value = scaleOf(MeasureUnit::Factor);
    constexpr double budget = 1'200;
    made.plot.line = budget;
    made.plot.lineWords = plotWord("a budget of a fifth");
    return made;
}

RetryPlot simulatedSuccess(const Report& report)
{
    auto made = barsOf(report, { { Measure::SuccessRate, "", Role::Succeeded } });
    made.title = plotWord("Success: %1").arg(listOf(report, Measure::SuccessRate));
    made.caption = plotWord("Calls that ended well");
    made.plot.value = scaleOf(MeasureUnit::Share);
    return made;
}

RetryPlot simulatedLatency(const Report& report)
{
    auto made = barsOf(report,
        { { Measure::LatencyP50, "p50", Role::Succeeded }, { Measure::LatencyP95, "p95", Role::Accent },
            { Measure::LatencyP99, "p99", Role::FailedRetryable } });
    made.title = plotWord("95 % done within %1").arg(listOf(report, Measure::LatencyP95));
    made.caption = plotWord("Of calls that ended well, their retries included: p50 · p95 · p99");
    made.plot.value = scaleOf(MeasureUnit::Length);
    return made;
}

RetryPlot simulatedDuplicates(const Report& report)
{
    auto made = barsOf(report,
        { { Measure::DuplicateEffects, "effects", Role::FailedFinal },
            { Measure::DoubledEvents, "events", Role::FailedFinal }, { Measure::LostEffects, "lost", Role::Warning } });
    const auto none = std::all_of(report.worlds.begin(), report.worlds.end(), [](const ReportedWorld& world) {
        return world.outcome[Measure::DuplicateEffects] + world.outcome[Measure::DoubledEvents]
            + world.outcome[Measure::LostEffects]
            == 0;
    });
    made.title = none ? plotWord("Nothing happened twice, and nothing was lost")
                      : plotWord("Done more than once: %1").arg(listOf(report, Measure::DuplicateEffects));
    made.caption = plotWord("Effects and events beyond the first: the number that must be zero");
    if (none) {
        made.none = plotWord("Every effect happened once");
        made.plot.bars.clear();
    }
    return made;
}

RetryPlot simulatedStuck(const Report& report)
{
    auto made = barsOf(report,
        { { Measure::Stuck, "stuck", Role::InProgress }, { Measure::Held, "held", Role::Held },
            { Measure::Takeovers, "taken", Role::Accent } });
    made.title = plotWord("Stuck at the end: %1").arg(listOf(report, Measure::Stuck));
    made.caption = plotWord("Requests nobody works on · held for a person · taken over");
    return made;
}

RetryPlot simulatedConflicts(const Report& report)
{
    auto made = barsOf(report,
        { { Measure::Conflicts, "mismatch", Role::FailedFinal },
            { Measure::InFlightAnswers, "in flight", Role::InProgress },
            { Measure::Replays, "replayed", Role::Succeeded }, { Measure::Fenced, "fenced", Role::Held } });
    made.title = plotWord("Conflicts: %1").arg(listOf(report, Measure::Conflicts));
    made.caption =
        plotWord("Attempts by what their key met: another payload · a running request · an answer · a newer owner");
    return made;
}

RetryPlot simulatedAttempts(const Report& report)
{
    const auto compared = comparedOf(report.worlds);
    auto made = comparedBars(report, compared.attempts, compared.observed);
    made.title = compared.observed ? plotWord("Attempts, observed and predicted")
                                   : plotWord("Calls by their number of attempts");
    made.caption = legendOf(report, compared.observed);
    made.none = plotWord("Nothing was tried");
    return made;
}

RetryPlot simulatedDelays(const Report& report)
{
    const auto compared = comparedOf(report.worlds);
    auto made = comparedBars(report, compared.delays, compared.observed);
    made.title =
        compared.observed ? plotWord("Delays, observed and predicted") : plotWord("How long was waited before a retry");
    made.caption = legendOf(report, compared.observed);
    made.none = plotWord("Nothing was tried again");
    return made;
}

RetryPlot sweptPlot(const Sweep& sweep, const MeasureKind& measure)
{
    RetryPlot made;
    QString outer;
    std::int64_t least = INT64_MAX;
    std::int64_t most = INT64_MIN;
    for (const auto& point : sweep.points) {
        const auto value = point[measureOf(measure)];
        least = std::min(least, value);
        most = std::max(most, value);
        QStringList values;
        for (const auto& one : point.values)
            values += QString::fromStdString(one);
        PlotBar bar;
        // The value of the first axis once, where it begins.
        bar.label = values.back();
        if (values.size() > 1 && (made.plot.bars.empty() || values.front() != outer))
            bar.label += QLatin1Char('\n') + values.front();
        outer = values.front();
        bar.words = QStringLiteral("%1: %2").arg(values.join(QStringLiteral(", ")), shown(measure, value));
        bar.parts = { { point[Measure::Violations] > 0 ? Role::FailedFinal : Role::Accent, double(value) } };
        made.plot.bars.push_back(std::move(bar));
    }
    made.plot.value = scaleOf(measure.unit);
    made.none = plotWord("Nothing was swept yet");
    if (sweep.points.empty())
        return made;
    made.title = QStringLiteral("%1: %2").arg(text(measure.name),
        least == most ? shown(measure, least) : plotWord("%1 to %2").arg(shown(measure, least), shown(measure, most)));
    made.caption = text(measure.meaning) + plotWord("; red: an invariant was violated");
    QStringList axes;
    for (const auto& axis : sweep.axes)
        axes.prepend(text(axis.path));
    made.caption += plotWord("; below the bars: ") + axes.join(plotWord(", and under it "));
    if (sweep.points.size() > mostCells) {
        made.plot.bars.clear();
        made.none = plotWord("More points than bars: the table has them all");
    }
    return made;
}

QString csvOf(const LinePlot& plot)
{
    QString csv = QStringLiteral("line,second,value\n");
    for (const auto& line : plot.lines)
        for (const auto& point : line.points)
            csv += QStringLiteral("%1,%2,%3\n").arg(line.name).arg(point.x()).arg(point.y());
    return csv;
}

} // namespace fencepost::ui

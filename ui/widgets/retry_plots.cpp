// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/retry_plots.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <QCoreApplication>

#include "core/query/moment.h"
#include "models/visible_text.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

QString tr(const char* words)
{
    return QCoreApplication::translate("RetryPlots", words);
}

// Steps of less than a second have names of their own.
QString spanText(Duration span)
{
    constexpr auto tenth = std::chrono::milliseconds(100);
    if (span >= std::chrono::seconds(1) && span < std::chrono::seconds(10))
        return QStringLiteral("%1s").arg(double(span / tenth) / 10);
    return models::durationText(span);
}

QString percentText(double part)
{
    return QStringLiteral("%1 %").arg(std::round(part * 1000) / 10);
}

// Without what is so rare beside it that nobody would see the rest: a row of a thousand attempts is one bar more.
constexpr int mostAttempts = 24;
// What is no count, in a table that holds such, is a bar of its own.
constexpr int noAttempts = -1;

int barOf(int attempts)
{
    return std::clamp(attempts, noAttempts, mostAttempts);
}

QString barLabel(int bar)
{
    if (bar == noAttempts)
        return QStringLiteral("<0");
    return bar == mostAttempts ? QStringLiteral("≥%1").arg(bar) : QString::number(bar);
}

QString attemptsText(int bar)
{
    if (bar == noAttempts)
        return tr("fewer than 0 attempts");
    return bar == 1 ? tr("1 attempt") : tr("%1 attempts").arg(bar);
}

QString barCondition(int bar)
{
    if (bar == noAttempts)
        return QStringLiteral("attempts < 0");
    return QStringLiteral("attempts %1 %2")
        .arg(bar == mostAttempts ? QStringLiteral(">=") : QStringLiteral("="))
        .arg(bar);
}

QString createdWithin(const Retries& retries)
{
    const auto& range = retries.basis.range;
    return QStringLiteral("created >= %1 and created < %2")
        .arg(text(formatInstant(range.from)), text(formatInstant(range.until)));
}

// Each bar's filter, and that of several that were brushed, is of what their steps hold.
Plot histogramOf(const std::vector<SpanHistogram::Step>& steps, const std::function<QString(const SpanRange&)>& filter)
{
    Plot plot;
    for (const auto& step : steps)
        plot.bars.push_back({ spanText(step.from),
            tr("%1 from %2 to %3").arg(numberText(step.count), spanText(step.from), spanText(step.until)),
            { { Role::Accent, double(step.count) } }, step.count > 0 ? filter({ step.from, step.until }) : QString() });
    plot.brushed = [steps, filter](int first, int last) {
        return filter({ steps[std::size_t(first)].from, steps[std::size_t(last)].until });
    };
    return plot;
}

Moment momentWithin(const Retries& retries, const char* event)
{
    Moment moment;
    moment.event = event;
    moment.since = retries.basis.range.from;
    moment.until = retries.basis.range.until;
    return moment;
}

Moment successWithin(const Retries& retries)
{
    auto moment = momentWithin(retries, "finalize");
    moment.to = wordOf(State::Succeeded);
    return moment;
}

// Of records their journal tells, of messages and dead letters the list of their attempts.
QString delaysFilter(const Retries& retries, const AttemptDelays& delays, Kind kind, const SpanRange& span)
{
    const bool record = kind == Kind::Idempotency;
    auto moment = momentWithin(retries, record ? "reserve" : "attempt");
    if (record) {
        moment.from = wordOf(State::FailedRetryable);
        moment.to = wordOf(State::InProgress);
    }
    moment.attempt = delays.attempt;
    moment.delay = span;
    const auto whose = kind == Kind::Idempotency ? Field::Operation : kind == Kind::Inbox ? Field::Scope : Field::Queue;
    return QString::fromStdString(equalTerm(whose, delays.operation) + " and " + filterOf(moment));
}

// Every attempt that began within this time, the first ones and the others.
QString begunFilter(Time from, Time until)
{
    Moment moment;
    moment.event = "reserve";
    moment.to = wordOf(State::InProgress);
    moment.leastAttempt = 1;
    moment.since = from;
    moment.until = until;
    return QString::fromStdString(filterOf(moment));
}

// Where an instant of time stands among steps that grow.
double placeOf(const std::vector<SpanHistogram::Step>& steps, Duration span)
{
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (span < steps[i].from)
            return double(i);
        if (span < steps[i].until)
            return double(i)
                + double((span - steps[i].from).count()) / double((steps[i].until - steps[i].from).count());
    }
    return double(steps.size());
}

// With its date where the range is longer than a day.
QString timeText(const models::Zone& zone, Time time, Duration range)
{
    const auto instant = zone.format(time, models::Precision::Seconds);
    const auto clock = instant.section(QLatin1Char('T'), 1).left(5);
    return range > std::chrono::hours(24) ? instant.mid(5, 5) + QLatin1Char(' ') + clock : clock;
}

// "↑ rows → attempts"
QString axesOf(const QString& upwards, const QString& across)
{
    return QStringLiteral("↑ %1   → %2").arg(upwards, across);
}

} // namespace

RetryPlot attemptsPlot(const Retries& retries)
{
    RetryPlot made{ tr("Attempts by state"), tr("Rows that were created in this time, as they are now"), {},
        tr("No row was created in this time") };
    std::map<int, std::vector<const AttemptCount*>> byAttempts;
    std::set<std::string> states;
    std::int64_t all = 0;
    std::int64_t once = 0;
    for (const auto& each : retries.attempts) {
        byAttempts[barOf(each.attempts)].push_back(&each);
        states.insert(each.state);
        all += each.count;
        once += each.attempts <= 1 ? each.count : 0;
    }
    if (byAttempts.empty())
        return made;
    for (int attempts = byAttempts.begin()->first; attempts <= byAttempts.rbegin()->first; ++attempts) {
        PlotBar bar{ barLabel(attempts), {}, {},
            QStringLiteral("%1 and %2").arg(barCondition(attempts), createdWithin(retries)) };
        QStringList words{ attemptsText(attempts) };
        for (const auto* each : byAttempts[attempts]) {
            const auto look = stateLook(each->state);
            bar.parts.emplace_back(look.role, double(each->count));
            words += QStringLiteral("%1 %2").arg(numberText(each->count), look.word);
        }
        bar.words = words.join(QStringLiteral(" · "));
        made.plot.bars.push_back(std::move(bar));
    }
    made.plot.states.assign(states.begin(), states.end());
    made.plot.axes = axesOf(tr("rows"), tr("attempts"));
    made.title = tr("%1 of %2 rows were tried again").arg(numberText(all - once), numberText(all));
    return made;
}

RetryPlot delaysPlot(const Retries& retries, const AttemptDelays* delays, Kind kind)
{
    const bool again = std::any_of(
        retries.attempts.begin(), retries.attempts.end(), [](const AttemptCount& each) { return each.attempts > 1; });
    RetryPlot made{ tr("Delays between attempts"), {}, {},
        again ? tr("No delay before an attempt is known in this time") : tr("Nothing was tried again in this time") };
    if (delays == nullptr)
        return made;
    const auto& promised = delays->promised;
    const auto steps = promised ? delays->delays.steps(promised->least, promised->most) : delays->delays.steps();
    made.ofAttempts = true;
    made.plot = histogramOf(steps,
        [retries, each = *delays, kind](const SpanRange& span) { return delaysFilter(retries, each, kind, span); });
    made.plot.axes = axesOf(tr("attempts"), tr("delay"));
    const auto whose = tr("Before attempt %1 of %2").arg(delays->attempt).arg(models::visibleText(delays->operation));
    made.title = tr("Half of the delays within %1, 95 % within %2")
                     .arg(spanText(delays->delays.quantile(0.5)), spanText(delays->delays.quantile(0.95)));
    if (!promised) {
        made.caption = tr("%1; choose a policy above to see what it promises").arg(whose);
        return made;
    }
    made.plot.band = { placeOf(steps, promised->least), placeOf(steps, promised->most) };
    made.plot.bandWords = tr("promised %1 to %2").arg(spanText(promised->least), spanText(promised->most));
    made.caption = delays->early + delays->late == 0
        ? tr("%1: all %2 as the policy promises").arg(whose, numberText(delays->delays.count()))
        : tr("%1: %2 earlier and %3 later than the policy promises, of %4")
              .arg(whose, numberText(delays->early), numberText(delays->late), numberText(delays->delays.count()));
    return made;
}

RetryPlot timeToSuccessPlot(const Retries& retries)
{
    RetryPlot made{ tr("Time to success"), tr("From the first reservation of a life"), {},
        tr("Nothing succeeded in this time") };
    if (retries.timeToSuccess.count() == 0)
        return made;
    made.plot = histogramOf(retries.timeToSuccess.steps(), [moment = successWithin(retries)](const SpanRange& span) {
        auto taken = moment;
        taken.took = span;
        return QString::fromStdString(filterOf(taken));
    });
    made.plot.axes = axesOf(tr("records"), tr("time to success"));
    made.title = tr("Half of %1 succeeded within %2, 95 % within %3")
                     .arg(numberText(retries.timeToSuccess.count()), spanText(retries.timeToSuccess.quantile(0.5)),
                         spanText(retries.timeToSuccess.quantile(0.95)));
    return made;
}

RetryPlot successAfterPlot(const Retries& retries)
{
    RetryPlot made{ tr("Success after so many attempts"), tr("What succeeded in this time"), {},
        tr("Nothing succeeded in this time") };
    std::int64_t all = 0;
    std::map<int, std::int64_t> counts;
    for (const auto& each : retries.successAfter) {
        counts[barOf(each.attempts)] += each.count;
        all += each.count;
    }
    if (all == 0)
        return made;
    for (int attempts = counts.begin()->first; attempts <= counts.rbegin()->first; ++attempts) {
        auto moment = successWithin(retries);
        (attempts == mostAttempts ? moment.leastAttempt : moment.attempt) = attempts;
        made.plot.bars.push_back({ barLabel(attempts),
            tr("%1 after %2").arg(numberText(counts[attempts]), attemptsText(attempts)),
            { { Role::Succeeded, double(counts[attempts]) } },
            counts[attempts] > 0 && attempts != noAttempts ? QString::fromStdString(filterOf(moment)) : QString() });
    }
    made.plot.states = { "SUCCEEDED" };
    made.plot.axes = axesOf(tr("records"), tr("attempts"));
    const auto first = counts.count(1) == 0 ? 0 : counts.at(1);
    made.title =
        tr("%1 of %2 succeeded at the first attempt").arg(percentText(double(first) / double(all)), numberText(all));
    return made;
}

RetryPlot amplificationPlot(const Retries& retries, const models::Zone& zone)
{
    RetryPlot made{ tr("Retries over time"), {}, {}, tr("This table does not tell when its attempts began") };
    if (retries.rates.empty())
        return made;
    std::int64_t first = 0;
    std::int64_t again = 0;
    int over = 0;
    for (const auto& rate : retries.rates) {
        const double part = double(rate.again) / double(std::max<std::int64_t>(rate.first, 1));
        const bool isOver = part > retryBudget;
        over += isOver ? 1 : 0;
        first += rate.first;
        again += rate.again;
        made.plot.bars.push_back({ timeText(zone, rate.from, retries.rateWidth * std::int64_t(retries.rates.size())),
            tr("From %1: %2 first attempts, %3 again (%4)")
                .arg(zone.format(rate.from, models::Precision::Seconds), numberText(rate.first), numberText(rate.again),
                    percentText(part)),
            { { isOver ? Role::Warning : Role::Accent, std::min(part, 3.0) } },
            rate.first + rate.again > 0
                ? begunFilter(rate.from, std::min(rate.from + retries.rateWidth, retries.basis.range.until))
                : QString() });
    }
    made.ofAttempts = true;
    made.plot.brushed = [rates = retries.rates, width = retries.rateWidth, until = retries.basis.range.until](
                            int from, int to) {
        return begunFilter(rates[std::size_t(from)].from, std::min(rates[std::size_t(to)].from + width, until));
    };
    made.plot.axes = axesOf(tr("retries of first attempts"), tr("time, %1").arg(zone.name()));
    made.plot.line = retryBudget;
    made.plot.lineWords = tr("budget %1").arg(percentText(retryBudget));
    made.plot.value = [](double value) { return QStringLiteral("%1 %").arg(std::round(value * 100)); };
    if (first + again == 0) {
        made.none = tr("Nothing was tried in this time");
        made.plot.bars.clear();
        return made;
    }
    made.title = tr("%1 retries for %2 first attempts: %3")
                     .arg(numberText(again), numberText(first),
                         percentText(double(again) / double(std::max<std::int64_t>(first, 1))));
    made.caption = over == 0 ? tr("Within the budget all the time, per %1").arg(spanText(retries.rateWidth))
                             : tr("Over the budget in %1 of %2 stretches of %3")
                                   .arg(over)
                                   .arg(retries.rates.size())
                                   .arg(spanText(retries.rateWidth));
    return made;
}

RetryPlot arrivalsPlot(const Retries& retries, const models::Zone& zone)
{
    RetryPlot made{ tr("Arrivals around an outage"), {}, {}, tr("Nothing failed in this time") };
    if (retries.arrivals.empty())
        return made;
    const auto& range = retries.arrivalsRange;
    const auto count =
        static_cast<std::size_t>(std::clamp<std::int64_t>((range.until - range.from) / arrivalWidth, 1, 1'200));
    std::vector<std::int64_t> counts(count);
    std::int64_t most = 0;
    std::int64_t all = 0;
    for (const auto& arrival : retries.arrivals) {
        const auto at = (arrival.from - range.from) / arrivalWidth;
        if (at < 0 || at >= static_cast<std::int64_t>(count))
            continue;
        counts[std::size_t(at)] += arrival.count;
        most = std::max(most, counts[std::size_t(at)]);
        all += arrival.count;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto from = range.from + arrivalWidth * std::int64_t(i);
        const auto whole = zone.format(from, models::Precision::Milliseconds).section(QLatin1Char('T'), 1);
        const bool second = i % 50 == 0;
        made.plot.bars.push_back({ second ? whole.left(8) : QString(), tr("%1 at %2").arg(numberText(counts[i]), whole),
            { { Role::Accent, double(counts[i]) } },
            counts[i] > 0 ? begunFilter(from, std::min(from + arrivalWidth, range.until)) : QString() });
    }
    made.ofAttempts = true;
    made.plot.axes = axesOf(tr("attempts within 100 ms"), tr("time, %1").arg(zone.name()));
    made.plot.brushed = [range](int from, int to) {
        return begunFilter(
            range.from + arrivalWidth * from, std::min(range.from + arrivalWidth * (to + 1), range.until));
    };
    made.title = tr("%1 attempts, at most %2 within 100 ms").arg(numberText(all), numberText(most));
    if (retries.peak)
        made.caption =
            tr("Around %1, when the most failed").arg(zone.format(*retries.peak, models::Precision::Seconds));
    return made;
}

QString csvOf(const Plot& plot)
{
    QString csv = QStringLiteral("bar,value\n");
    for (const auto& bar : plot.bars) {
        double value = 0;
        for (const auto& [role, part] : bar.parts)
            value += part;
        auto words = bar.words;
        words.replace(QLatin1Char('"'), QStringLiteral("\"\""));
        csv += QStringLiteral("\"%1\",%2\n").arg(words).arg(value);
    }
    return csv;
}

} // namespace fencepost::ui

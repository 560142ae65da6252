// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/state_path.h"

#include <algorithm>

#include <QCoreApplication>

#include "core/exchange/csv.h"
#include "core/protocol/transition.h"
#include "models/visible_text.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int longestActor = 18;

// Arrivals that were refused move nothing; the timeline shows them.
bool moves(const JournalEntry& entry)
{
    return entry.event != "mismatch" && entry.event != "fenced";
}

// Bridges what the journal does not say: expiry by the clock, or a change that nobody journalled.
void bridge(StatePath& path, State from, State to, const std::optional<Time>& at)
{
    if (from == to)
        return;
    const bool expiry = to == State::Expired && from != State::Absent;
    append(path,
        { .from = std::string(wordOf(from)),
            .to = std::string(wordOf(to)),
            .event = expiry ? "expiry" : std::string(notRecorded),
            .at = expiry ? at : std::nullopt,
            .legal = expiry });
}

QString numbersOf(const std::vector<std::size_t>& steps)
{
    QStringList numbers;
    for (const auto step : steps)
        numbers += QString::number(step + 1);
    if (numbers.size() > 4)
        numbers = { numbers.at(0), numbers.at(1), QStringLiteral("…"), numbers.constLast() };
    return numbers.join(QStringLiteral(", "));
}

QString ownerText(const PathStep& step)
{
    return models::visibleLine(lastSix(step.owner));
}

QString sinceText(const PathStep& step)
{
    const auto length = text(formatDuration(*step.since));
    return step.sinceWhat.isEmpty() ? pathWord("after %1").arg(length)
                                    : pathWord("%1 after %2").arg(length, step.sinceWhat);
}

// What happened, in a word or two.
QString deedOf(const StatePath& path, const PathStep& step)
{
    if (step.event == "expiry")
        return pathWord("time passed");
    if (step.event == notRecorded)
        return path.kind == Kind::Idempotency ? pathWord("not journalled") : pathWord("not recorded");
    if (step.attempt > 0)
        return pathWord("attempt %1").arg(step.attempt);
    return models::visibleText(step.event);
}

// Where a journal tells each step, one without its time is the journal's first. A message's row has no journal.
QString timeOf(const StatePath& path, const PathStep& step)
{
    if (step.since)
        return sinceText(step);
    if (step.inferred)
        return pathWord("inferred, time not recorded");
    const bool told = step.at || path.kind == Kind::Idempotency || step.event == notRecorded;
    return told ? QString() : pathWord("time not recorded");
}

} // namespace

QString pathWord(const char* text)
{
    return QCoreApplication::translate("StateDiagram", text);
}

void append(StatePath& path, PathStep step)
{
    const auto known = std::find_if(
        path.steps.rbegin(), path.steps.rend(), [](const PathStep& other) { return other.at.has_value(); });
    if (known != path.steps.rend() && step.at && !step.since) {
        step.since = *step.at - *known->at;
        if (known != path.steps.rbegin())
            step.sinceWhat = pathWord("step %1").arg(path.steps.rend() - known);
    }
    path.steps.push_back(std::move(step));
}

StatePath pathOf(std::vector<JournalEntry> journal, const ShownRecord& shown)
{
    std::sort(journal.begin(), journal.end(), [](const auto& a, const auto& b) { return a.seq < b.seq; });
    StatePath path;
    path.current = wordOf(shown.state);
    path.stuck = shown.stuck;
    path.journalled = shown.journalled;
    if (!shown.journalled)
        path.remarks = { pathWord("This table keeps no journal, so only the present state is known.") };
    else if (journal.empty())
        path.remarks = { pathWord("The journal has no entry of this record any more.") };
    std::optional<State> last;
    for (const auto& entry : journal) {
        const auto from = stateOf(entry.fromState).value_or(State::Unknown);
        const auto to = stateOf(entry.toState).value_or(State::Unknown);
        if (!moves(entry))
            continue;
        if (last)
            bridge(path, *last, from, std::nullopt);
        append(path,
            { .from = std::string(wordOf(from)),
                .to = std::string(wordOf(to)),
                .event = entry.event,
                .attempt = entry.attempt,
                .owner = entry.owner,
                .actor = entry.actor,
                .reason = entry.reason,
                .at = entry.at,
                .legal = isLegal(from, to),
                .seq = entry.seq });
        last = to;
    }
    if (last)
        bridge(path, *last, shown.state, shown.expiresAt);
    return path;
}

std::string formatPath(const StatePath& path)
{
    if (path.steps.empty())
        return path.current;
    std::string text = path.steps.front().from;
    for (const auto& step : path.steps) {
        text += step.legal ? " > " : " !> ";
        text += step.to;
    }
    return text;
}

QString labelOf(const StatePath& path, const std::vector<std::size_t>& steps)
{
    const auto& last = path.steps[steps.back()];
    QStringList first{ numbersOf(steps), deedOf(path, last) };
    if (last.times > 1)
        first += pathWord("%1 times").arg(numberText(last.times));
    if (!last.owner.empty())
        first += ownerText(last);
    else if (path.kind != Kind::Idempotency && !last.actor.empty())
        first += elidedId(models::visibleText(last.actor), longestActor);
    QStringList lines{ first.join(QStringLiteral(" · ")) };
    if (const auto time = timeOf(path, last); !time.isEmpty())
        lines += time;
    return lines.join(u'\n');
}

QString describe(const PathStep& step)
{
    auto words =
        pathWord("%1 to %2 by %3")
            .arg(models::visibleText(step.from), models::visibleText(step.to), models::visibleText(step.event));
    if (step.times > 1)
        words += pathWord(", %1 times").arg(numberText(step.times));
    if (step.attempt > 0)
        words += pathWord(", attempt %1").arg(step.attempt);
    if (!step.owner.empty())
        words += pathWord(", owner %1").arg(ownerText(step));
    else if (!step.actor.empty())
        words += pathWord(", by %1").arg(models::visibleText(step.actor));
    if (step.since)
        words += QStringLiteral(", ") + sinceText(step);
    if (step.inferred)
        words += pathWord(", which is not recorded, but follows from what came after it");
    if (!step.legal)
        words += pathWord(", which the state machine does not allow");
    return words;
}

QString describe(const StatePath& path)
{
    QStringList sentences{ pathWord("The record is %1.").arg(models::visibleText(path.current)) };
    sentences += path.remarks;
    for (std::size_t i = 0; i < path.steps.size(); ++i)
        sentences += pathWord("Step %1: %2.").arg(i + 1).arg(describe(path.steps[i]));
    return sentences.join(u' ');
}

QString csvOf(const StatePath& path)
{
    using exchange::csvLine;
    constexpr auto safe = exchange::CsvStyle::SpreadsheetSafe;
    std::string csv = csvLine({ "step", "from", "to", "event", "attempt", "owner", "at", "times", "legal" }, safe);
    for (std::size_t i = 0; i < path.steps.size(); ++i) {
        const auto& step = path.steps[i];
        csv +=
            csvLine({ std::to_string(i + 1), step.from, step.to, step.event,
                        step.attempt > 0 ? std::to_string(step.attempt) : std::string(),
                        step.owner.empty() ? step.actor : step.owner, step.at ? formatInstant(*step.at) : std::string(),
                        std::to_string(step.times), step.legal ? "yes" : "no" },
                safe);
    }
    return text(csv);
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/state_path.h"

#include <algorithm>

#include <QCoreApplication>

#include "core/exchange/csv.h"
#include "core/forensics/flow.h"
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

// By its event too: from a state to another only some of them lead.
bool isLegal(const JournalEntry& entry)
{
    Flow flow{ entry.fromState, entry.toState, entry.event };
    judge(Kind::Idempotency, flow);
    return flow.nature != FlowNature::Illegal;
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

// The first ones and the last one, where all of them would be too many.
QString shortened(QStringList words, const QString& between)
{
    if (words.size() > 4)
        words = { words.at(0), words.at(1), QStringLiteral("…"), words.constLast() };
    return words.join(between);
}

QString numbersOf(const std::vector<std::size_t>& steps)
{
    QStringList numbers;
    for (const auto step : steps)
        numbers += QString::number(step + 1);
    return shortened(numbers, QStringLiteral(", "));
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

bool isAttempt(const PathStep& step)
{
    return step.attempt > 0 && step.event != "expiry" && step.event != notRecorded;
}

// What happened, in a word or two.
QString deedOf(const StatePath& path, const PathStep& step)
{
    if (step.event == "expiry")
        return pathWord("time passed");
    if (step.event == notRecorded)
        return path.kind == Kind::Idempotency ? pathWord("not journalled") : pathWord("not recorded");
    return isAttempt(step) ? pathWord("attempt %1").arg(step.attempt) : models::visibleText(step.event);
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

// "attempts 1–3, 5", each named once.
QString attemptsOf(std::vector<int> attempts)
{
    std::sort(attempts.begin(), attempts.end());
    attempts.erase(std::unique(attempts.begin(), attempts.end()), attempts.end());
    if (attempts.size() == 1)
        return pathWord("attempt %1").arg(attempts.front());
    QStringList runs;
    for (std::size_t first = 0; first < attempts.size();) {
        auto last = first;
        while (last + 1 < attempts.size() && attempts[last + 1] == attempts[last] + 1)
            ++last;
        runs += first == last ? QString::number(attempts[first])
                              : QStringLiteral("%1–%2").arg(attempts[first]).arg(attempts[last]);
        first = last + 1;
    }
    return pathWord("attempts %1").arg(shortened(runs, QStringLiteral(", ")));
}

// What happened at all of the steps that share an edge.
QString deedsOf(const StatePath& path, const std::vector<std::size_t>& steps)
{
    std::vector<int> attempts;
    QStringList deeds;
    for (const auto at : steps) {
        const auto& step = path.steps[at];
        if (isAttempt(step))
            attempts.push_back(step.attempt);
        else
            deeds += deedOf(path, step);
    }
    deeds.removeDuplicates();
    if (!attempts.empty())
        deeds.prepend(attemptsOf(std::move(attempts)));
    return shortened(deeds, QStringLiteral(" · "));
}

QString whoOf(const StatePath& path, const PathStep& step)
{
    if (!step.owner.empty())
        return ownerText(step);
    return path.kind == Kind::Idempotency || step.actor.empty()
        ? QString()
        : elidedId(models::visibleText(step.actor), longestActor);
}

// Everybody who did it, each named once.
QStringList peopleOf(const StatePath& path, const std::vector<std::size_t>& steps)
{
    constexpr qsizetype most = 9;
    QStringList people;
    bool unknown = false;
    for (const auto at : steps) {
        const auto who = whoOf(path, path.steps[at]);
        unknown = unknown || (who.isEmpty() && isAttempt(path.steps[at]));
        if (!who.isEmpty())
            people += who;
    }
    people.removeDuplicates();
    if (unknown && !people.isEmpty())
        people += pathWord("unknown");
    if (const auto rest = people.size() - most; rest > 0)
        people = people.mid(0, most) << pathWord("%1 more").arg(rest);
    return people;
}

// In lines that are not wider than the others.
QStringList inLines(const QString& begin, const QStringList& words)
{
    constexpr qsizetype widest = 26;
    QStringList lines{ begin + words.front() };
    for (const auto& word : words.mid(1)) {
        if (lines.back().size() + word.size() + 2 > widest)
            lines += word;
        else
            lines.back() += QStringLiteral(", ") + word;
    }
    return lines;
}

// When each of them happened; the last one where they are told in different ways.
QString timesOf(const StatePath& path, const std::vector<std::size_t>& steps)
{
    constexpr std::size_t listed = 3;
    QStringList spans;
    QStringList texts;
    std::vector<Duration> lengths;
    for (const auto at : steps) {
        const auto& step = path.steps[at];
        texts += timeOf(path, step);
        if (step.since && step.sinceWhat.isEmpty()) {
            lengths.push_back(*step.since);
            spans += text(formatDuration(*step.since));
        }
    }
    texts.removeDuplicates();
    if (texts.size() == 1)
        return texts.front();
    if (lengths.size() < steps.size()) {
        const auto last = timeOf(path, path.steps[steps.back()]);
        return last.isEmpty() ? last : pathWord("the last %1").arg(last);
    }
    if (lengths.size() <= listed)
        return pathWord("after %1").arg(spans.join(QStringLiteral(", ")));
    const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
    return pathWord("after %1 to %2").arg(text(formatDuration(*least)), text(formatDuration(*most)));
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
    path.current = shown.word.empty() ? std::string(wordOf(shown.state)) : shown.word;
    path.native = shown.word.empty();
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
                .legal = isLegal(entry),
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
    QStringList first{ numbersOf(steps), deedsOf(path, steps) };
    std::int64_t times = 0;
    for (const auto step : steps)
        times += path.steps[step].times;
    if (times > static_cast<std::int64_t>(steps.size()))
        first += pathWord("%1 times").arg(numberText(times));
    const auto people = peopleOf(path, steps);
    if (people.size() == 1)
        first += people.front();
    QStringList lines{ first.join(QStringLiteral(" · ")) };
    if (people.size() > 1) {
        const bool owners =
            std::any_of(steps.begin(), steps.end(), [&](std::size_t step) { return !path.steps[step].owner.empty(); });
        lines += inLines(owners ? pathWord("owners ") : pathWord("by "), people);
    }
    if (const auto time = timesOf(path, steps); !time.isEmpty())
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

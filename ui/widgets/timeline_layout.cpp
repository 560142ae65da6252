// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/timeline_layout.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

#include "core/forensics/conflict.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

std::string timelineWord(const char* text)
{
    return QCoreApplication::translate("Timeline", text).toStdString();
}

std::string joined(const std::vector<std::string>& parts)
{
    std::string text;
    for (const auto& part : parts) {
        if (part.empty())
            continue;
        if (!text.empty())
            text += " · ";
        text += part;
    }
    return text;
}

bool isOperators(const JournalEntry& entry)
{
    return entry.event.starts_with("operator_") || entry.event == "unexpire" || entry.event == "reopen";
}

Mark markOf(const JournalEntry& entry)
{
    Mark mark;
    const bool refused = entry.event == "mismatch" || entry.event == "fenced";
    mark.kind = refused ? MarkKind::Refusal : isOperators(entry) ? MarkKind::Operator : MarkKind::Change;
    mark.at = entry.at;
    mark.state = stateOf(entry.toState);
    mark.seq = entry.seq;
    mark.title = entry.event;
    std::replace(mark.title.begin(), mark.title.end(), '_', ' ');
    if (!refused && entry.fromState != entry.toState)
        mark.title += " → " + entry.toState;
    const auto attempt = entry.attempt > 0 ? timelineWord("attempt ") + std::to_string(entry.attempt) : std::string();
    const auto fence =
        entry.fence.value > 0 ? timelineWord("fence ") + std::to_string(entry.fence.value) : std::string();
    const auto actor = entry.actor == entry.owner ? std::string() : entry.actor;
    mark.text = joined({ attempt, entry.owner.empty() ? std::string() : lastSix(entry.owner).toStdString(), fence,
        actor, entry.reason });
    return mark;
}

Mark markOf(const Conflict& conflict)
{
    Mark mark;
    mark.kind = MarkKind::Refusal;
    mark.at = conflict.lastAt;
    const bool overflow = conflict.presentedHash.empty();
    mark.title =
        conflict.kind == "fenced" ? timelineWord("refused: fenced owner") : timelineWord("refused: other payload");
    const auto hash = overflow ? timelineWord("further hashes")
                               : timelineWord("hash ") + shownHash(conflict.presentedHash).substr(0, 12);
    mark.text = joined({ hash, std::to_string(conflict.count) + "×", conflict.principal });
    return mark;
}

Mark markOf(const AuditEntry& entry)
{
    Mark mark;
    mark.kind = MarkKind::Operator;
    mark.at = entry.at;
    mark.title = entry.verb + " · " + entry.outcome;
    mark.text = joined({ entry.actor, entry.reason, entry.detail });
    return mark;
}

void addInstant(std::vector<Mark>& marks, const std::optional<Time>& at, const char* title, Time now)
{
    if (!at)
        return;
    Mark mark;
    mark.kind = MarkKind::Instant;
    mark.at = *at;
    mark.title = timelineWord(title);
    mark.future = *at > now;
    marks.push_back(std::move(mark));
}

constexpr double top = 22;
constexpr double spread = 48; // what time adds at most, doubled
constexpr double gapHeight = 40;

double distance(Duration between, Duration idle, double closest)
{
    const double share =
        std::log1p(double(between.count())) / std::log1p(double(std::max<std::int64_t>(idle.count(), 1)));
    return closest + spread * std::clamp(share * share * share, 0.0, 1.0) * 0.5;
}

} // namespace

std::vector<Mark> marksOf(const RowDetails& details, const std::vector<AuditEntry>& audit)
{
    std::vector<Mark> marks;
    for (const auto& entry : details.journal)
        marks.push_back(markOf(entry));
    for (const auto& conflict : details.conflicts)
        marks.push_back(markOf(conflict));
    for (const auto& entry : audit)
        marks.push_back(markOf(entry));
    const auto& row = details.row;
    if (details.journal.empty()) {
        addInstant(marks, row.createdAt, "created", details.now);
        addInstant(marks, row.startedAt, "attempt started", details.now);
        addInstant(marks, row.finishedAt, "finished", details.now);
    }
    addInstant(marks, row.nextAttemptAt, "may run again", details.now);
    if (row.state == wordOf(State::InProgress) || row.stuck)
        addInstant(marks, row.leaseUntil, "lease ends", details.now);
    addInstant(marks, row.expiresAt, "retention ends", details.now);
    std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    return marks;
}

Duration idleThreshold(const std::vector<Mark>& marks)
{
    std::vector<Duration> distances;
    for (std::size_t i = 1; i < marks.size(); ++i)
        distances.push_back(marks[i].at - marks[i - 1].at);
    if (distances.empty())
        return std::chrono::minutes(1);
    const auto middle = distances.begin() + std::ptrdiff_t(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return std::max<Duration>(*middle * 10, std::chrono::minutes(1));
}

TimelineLayout layOut(const std::vector<Mark>& marks, Duration idle, double closest)
{
    TimelineLayout layout;
    double y = top;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (i > 0) {
            const auto between = marks[i].at - marks[i - 1].at;
            if (between > idle) {
                y += closest;
                layout.gaps.push_back({ y - 2, between });
                y += gapHeight;
            } else {
                y += distance(between, idle, closest);
            }
        }
        layout.marks.push_back({ i, y });
    }
    layout.height = marks.empty() ? 0 : y + top + 10 + closest - twoLines;
    return layout;
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/incident_timeline.h"

#include <algorithm>

#include "core/redaction.h"
#include "models/happenings.h"
#include "models/markdown_cell.h"
#include "models/visible_text.h"
#include "models/zone.h"

namespace fencepost::models {

namespace {

constexpr std::int64_t storyRead = 256 * 1024; // octets of payloads, which hold the failed attempts

QString safe(const std::string& words)
{
    auto line = fencepost::withoutSecrets(words);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return markdownCell(visibleText(line));
}

QString utc(Time at, Precision precision = Precision::Milliseconds)
{
    return Zone::utc().format(at, precision);
}

struct Line {
    Time at;
    QString what;
    QString about;
    QString words;
};

// A key alone may be that of several rows, and an id of its own tells people little.
QString nameOf(const Identity& identity, const std::string& key)
{
    if (identity.size() < 2)
        return safe(key.empty() && !identity.empty() ? identity.back() : key);
    QStringList parts;
    for (const auto& part : identity)
        parts += safe(part);
    return parts.join(QStringLiteral(" · "));
}

QString nameOf(const IncidentTimeline& timeline, const Happening& happening)
{
    for (const auto& pinned : timeline.pinned)
        if (pinned.bookmark.binding == happening.binding && pinned.bookmark.identity == happening.identity)
            return nameOf(pinned.bookmark.identity, pinned.bookmark.key);
    return nameOf(happening.identity, {});
}

std::vector<Line> linesOf(const IncidentTimeline& timeline)
{
    std::vector<Line> lines;
    const auto within = [&](Time at) { return at >= timeline.from && at <= timeline.until; };
    for (const auto& note : timeline.notes)
        if (within(note.at))
            lines.push_back({ note.at,
                note.ofAlert ? QStringLiteral("alert") : QStringLiteral("note by ") + safe(note.actor.toStdString()),
                safe(note.key.toStdString()), safe(note.text.toStdString()) });
    for (const auto& happening : timeline.happenings) {
        if (!within(happening.at))
            continue;
        const auto key = nameOf(timeline, happening);
        const auto about = safe(happening.binding) + (key.isEmpty() ? QString() : QStringLiteral(" · ")) + key;
        lines.push_back({ happening.at, safe(happening.what), about, safe(happening.detail) });
    }
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.at < b.at; });
    return lines;
}

void addStory(
    Inspector& inspector, const std::vector<Binding>& bindings, const Bookmark& bookmark, IncidentTimeline& timeline)
{
    PinnedRecord pinned{ bookmark, std::nullopt };
    const auto binding = std::find_if(
        bindings.begin(), bindings.end(), [&](const Binding& candidate) { return candidate.name == bookmark.binding; });
    if (binding != bindings.end()) {
        const auto details = inspector.details(*binding, bookmark.identity, storyRead);
        if (!details)
            timeline.unread.push_back(bookmark.key + " in " + bookmark.binding + ": " + details.error().message);
        else if (*details) {
            pinned.row = (*details)->row;
            auto story = happeningsOf({ 0, binding->name, binding->kind, (*details)->row, {} }, **details);
            timeline.happenings.insert(timeline.happenings.end(), story.begin(), story.end());
        }
    }
    timeline.pinned.push_back(std::move(pinned));
}

} // namespace

IncidentTimeline gathered(Inspector& inspector, IncidentTimeline begun)
{
    auto timeline = std::move(begun);
    const auto bookmarks = std::exchange(timeline.pinned, {});
    const auto bindings = inspector.bindings();
    if (!bindings)
        timeline.unread.push_back("the tables: " + bindings.error().message);
    for (const auto& pinned : bookmarks)
        addStory(inspector, bindings ? *bindings : std::vector<Binding>(), pinned.bookmark, timeline);
    const auto read = forEachEntry(
        {}, [&](const AuditRequest& page) { return inspector.audit(page); },
        [&](const AuditEntry& entry) {
            if (entry.at >= timeline.from && entry.at <= timeline.until)
                timeline.happenings.push_back(happeningOf(0, entry));
        });
    if (!read)
        timeline.unread.push_back("the audit: " + read.error().message);
    return timeline;
}

QString markdownOf(const IncidentTimeline& timeline)
{
    auto text = QStringLiteral("# %1\n\n%2, from %3 to %4. All times are UTC.\n\n")
                    .arg(safe(timeline.connection.toStdString()), safe(timeline.location.toStdString()),
                        utc(timeline.from, Precision::Seconds), utc(timeline.until, Precision::Seconds));
    for (const auto& unread : timeline.unread)
        text += QStringLiteral("Not read: %1.\n\n").arg(safe(unread));
    text += QStringLiteral("| time | what | about | in words |\n|---|---|---|---|\n");
    for (const auto& line : linesOf(timeline))
        text += QStringLiteral("| %1 | %2 | %3 | %4 |\n").arg(utc(line.at), line.what, line.about, line.words);
    if (timeline.pinned.empty())
        return text;
    text += QStringLiteral("\n## Pinned records\n\n| table | record | state now |\n|---|---|---|\n");
    for (const auto& [bookmark, row] : timeline.pinned)
        text += QStringLiteral("| %1 | %2 | %3 |\n")
                    .arg(safe(bookmark.binding), nameOf(bookmark.identity, bookmark.key),
                        row ? safe(row->state) : QStringLiteral("not there"));
    return text;
}

} // namespace fencepost::models

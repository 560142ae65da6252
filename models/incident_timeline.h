// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/inspector.h"
#include "models/bookmarks.h"
#include "models/notebook.h"
#include "models/trail.h"

namespace fencepost::models {

// A pinned record as it is now.
struct PinnedRecord {
    Bookmark bookmark;
    std::optional<Row> row; // none: it is not there any more, or cannot be read
};

// What a connection's notebook holds of a span of time.
struct IncidentTimeline {
    QString connection; // its name
    QString location;
    Time from;
    Time until;
    QList<Note> notes;
    std::vector<PinnedRecord> pinned;
    std::vector<Happening> happenings; // of pinned records, and every operation
    std::vector<std::string> unread; // what could not be read, in words
};

// Adds what the database knows: the pinned records with their past, and what operators did. On the inspector's thread.
[[nodiscard]] IncidentTimeline gathered(Inspector& inspector, IncidentTimeline begun);
// One table in the order of time, in UTC, and one of the pinned records. Nothing that a table holds ends a cell,
// becomes a link or HTML, and secrets are hidden.
[[nodiscard]] QString markdownOf(const IncidentTimeline& timeline);

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include "core/store.h"

namespace fencepost::ui {

// One change of state of one record, oldest first.
struct PathStep {
    State from = State::Absent;
    State to = State::Absent;
    std::string event; // the journal's word; "expiry": time passed; "unrecorded": changed without a journal row
    int attempt = 0; // 0: unknown
    std::string owner; // whole; drawn as its last six
    std::string actor;
    std::string reason;
    std::optional<Time> at;
    std::optional<Duration> since; // the step before; none: the first, or unknown
    bool legal = true; // some row of the state machine leads there
    std::optional<std::int64_t> seq; // of the journal; none: not journalled
};

struct StatePath {
    std::vector<PathStep> steps;
    State current = State::Absent;
    bool journalled = true; // false: the table keeps no journal, so only the present state is known
};

struct ShownRecord {
    State state = State::Absent; // as the row reads now
    std::optional<Time> expiresAt;
    bool journalled = true;
};

// The path that a journal tells, gaps included: a record that expired by itself, or was changed behind the protocol.
[[nodiscard]] StatePath pathOf(std::vector<JournalEntry> journal, const ShownRecord& shown);
// "ABSENT > IN_PROGRESS > SUCCEEDED"; an illegal step is written "!>".
[[nodiscard]] std::string formatPath(const StatePath& path);

struct DiagramNode {
    State state = State::Absent;
    QRectF box;
    bool visited = false;
    bool current = false;
};

enum class EdgeKind {
    Possible, // legal, not taken
    Taken,
    Illegal, // taken, and no row of the state machine allows it
};

struct DiagramEdge {
    State from = State::Absent;
    State to = State::Absent;
    EdgeKind kind = EdgeKind::Possible;
    QPainterPath line;
    QPointF tip; // where the arrow head points
    double angle = 0; // of the arrow head, radians
    std::vector<std::size_t> steps; // of the path
    QString label; // two lines
    QRectF labelBox;
};

// The state machine with one record's path on it, in logical pixels. Time runs from top to bottom.
struct Diagram {
    QSizeF size;
    std::vector<DiagramNode> nodes;
    std::vector<DiagramEdge> edges; // possible ones first, so that the path is drawn over them
};

// The size of a label of several lines in the font it will be drawn in.
using MeasureText = std::function<QSizeF(const QString&)>;

// As wide as there is room for, within these limits.
constexpr double narrowestDiagram = 340;
constexpr double widestDiagram = 540;
[[nodiscard]] Diagram layOut(const StatePath& path, double width, const MeasureText& measure);
// The label of an edge: which steps, attempt and owner, and the time since the step before.
[[nodiscard]] QString labelOf(const StatePath& path, const std::vector<std::size_t>& steps);
// One sentence per step, for assistive technology and the tooltip.
[[nodiscard]] QString describe(const PathStep& step);
[[nodiscard]] QString describe(const StatePath& path);

} // namespace fencepost::ui

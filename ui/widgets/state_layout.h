// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <QLineF>
#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include "ui/widgets/state_path.h"

namespace fencepost::ui {

struct DiagramNode {
    std::string state;
    QRectF box;
    bool visited = false;
    bool current = false;
    bool stuck = false;
};

enum class EdgeKind {
    Possible, // legal, not taken
    Taken,
    Illegal, // taken, and no row of the state machine allows it
};

struct DiagramEdge {
    std::string from;
    std::string to;
    EdgeKind kind = EdgeKind::Possible;
    QPainterPath line;
    QPointF tip; // where the arrow head points
    double angle = 0; // of the arrow head, radians
    std::vector<std::size_t> steps; // of the path
    QString label; // some lines
    QRectF labelBox;
    QLineF leader; // from a label to its line; null: it lies on it
};

// The state machine of one kind with one row's path on it, in logical pixels. Time runs from top to bottom.
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

} // namespace fencepost::ui

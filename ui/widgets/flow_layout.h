// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include "core/forensics/flow.h"
#include "ui/widgets/state_layout.h"

namespace fencepost::ui {

struct FlowNode {
    std::string state;
    QRectF box;
    bool met = false; // something came or went
};

// All flows from one state to another. Without one: the machine has such an edge, and nothing moved along it.
struct FlowArc {
    std::string from;
    std::string to;
    std::vector<std::size_t> flows; // of the list
    std::int64_t count = 0;
    FlowNature nature = FlowNature::Expected; // the worst of them
    QPainterPath line;
    QPointF tip; // where the arrow head points
    double angle = 0; // of the arrow head, radians
    QString label; // two lines; empty: none moved
    QRectF labelBox;
};

// The whole machine of a table with what moved, in logical pixels. What is not of the machine stands below it.
struct FlowPicture {
    QSizeF size;
    std::vector<FlowNode> nodes;
    std::vector<FlowArc> arcs; // those that nothing moved along first, so that the others are drawn over them
};

[[nodiscard]] FlowPicture layOutFlows(Kind kind, const std::vector<Flow>& flows, const MeasureText& measure);
// As it stands there, where nobody knows it: two such states are two.
[[nodiscard]] QString stateWordOf(const std::string& state);
// For assistive technology and the tooltip: one line.
[[nodiscard]] QString describe(const Flow& flow);

} // namespace fencepost::ui

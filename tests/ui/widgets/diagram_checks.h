// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

#include <gtest/gtest.h>

#include "core/forensics/row_machine.h"
#include "ui/widgets/state_layout.h"

namespace fencepost::ui {

inline QSizeF measureRoughly(const QString& text)
{
    double width = 0;
    const auto lines = text.split(u'\n');
    for (const auto& line : lines)
        width = std::max(width, 6.2 * double(line.size()));
    return { width, 15.0 * double(lines.size()) };
}

// Whether the label lies on its line, or is led to it.
inline bool isJoined(const DiagramEdge& edge)
{
    const auto reaches = [&](const QRectF& box) {
        for (int point = 0; point <= 100; ++point)
            if (box.contains(edge.line.pointAtPercent(point / 100.0)))
                return true;
        return false;
    };
    return edge.leader.isNull() ? reaches(edge.labelBox)
                                : reaches(QRectF(edge.leader.p2() - QPointF(3, 3), QSizeF(6, 6)));
}

// That no label lies on the line of another edge that was taken.
inline void expectOwnLines(const Diagram& diagram)
{
    for (const auto& edge : diagram.edges)
        for (const auto& other : diagram.edges) {
            if (&edge == &other || edge.label.isEmpty() || other.kind == EdgeKind::Possible)
                continue;
            for (int point = 0; point <= 32; ++point)
                EXPECT_FALSE(edge.labelBox.contains(other.line.pointAtPercent(point / 32.0)))
                    << edge.label.toStdString() << " on " << other.from << " to " << other.to;
        }
}

// Every line on the canvas, and no label on a state or on another label.
inline void expectCleanLabels(const Diagram& diagram)
{
    std::vector<QRectF> taken;
    for (const auto& node : diagram.nodes)
        taken.push_back(node.box);
    const QRectF canvas(QPointF(), diagram.size);
    for (const auto& edge : diagram.edges) {
        const auto extent = edge.line.boundingRect();
        EXPECT_TRUE(canvas.contains(extent.topLeft()) && canvas.contains(extent.bottomRight()))
            << edge.from << " to " << edge.to;
        if (edge.kind == EdgeKind::Possible)
            continue;
        EXPECT_TRUE(canvas.contains(edge.labelBox)) << edge.label.toStdString();
        EXPECT_TRUE(isJoined(edge)) << edge.label.toStdString();
        for (const auto& other : taken)
            EXPECT_FALSE(edge.labelBox.intersects(other)) << edge.label.toStdString();
        taken.push_back(edge.labelBox);
    }
}

// Draws the path in every width: each step once, what was not taken only where it is legal, one state as the present.
inline void expectDrawn(const StatePath& path)
{
    for (const double width : { 100.0, narrowestDiagram, 400.0, 460.0, widestDiagram, 2000.0 }) {
        SCOPED_TRACE(width);
        const auto diagram = layOut(path, width, measureRoughly);
        EXPECT_EQ(diagram.size.width(), std::clamp(width, narrowestDiagram, widestDiagram));
        std::size_t drawn = 0;
        for (const auto& edge : diagram.edges) {
            drawn += edge.steps.size();
            EXPECT_TRUE(edge.kind != EdgeKind::Possible || isLegal(path.kind, edge.from, edge.to))
                << edge.from << " to " << edge.to;
            for (const auto step : edge.steps)
                EXPECT_EQ(path.steps[step].legal, edge.kind == EdgeKind::Taken) << step;
        }
        EXPECT_EQ(drawn, path.steps.size());
        EXPECT_EQ(
            std::count_if(diagram.nodes.begin(), diagram.nodes.end(), [](const auto& node) { return node.current; }),
            1);
        expectCleanLabels(diagram);
    }
}

} // namespace fencepost::ui

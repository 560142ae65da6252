// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "ui/widgets/drawing.h"
#include "ui/widgets/flow_layout.h"

namespace fencepost::ui {

// The state machine of a table with how often its rows took each edge. Left and Right walk along the edges that
// something moved along, Enter or a click opens the rows of one.
class FlowDiagram final : public Drawing {
    Q_OBJECT
public:
    explicit FlowDiagram(const Theme& theme, QWidget* parent = nullptr);

    void setFlows(Kind kind, std::vector<Flow> flows);
    [[nodiscard]] const std::vector<Flow>& flows() const { return m_flows; }
    [[nodiscard]] const FlowPicture& picture() const { return m_picture; }
    void setDimmed(bool dimmed);

    // Where an edge's label is, in this widget; for tests and for the tour.
    [[nodiscard]] QPointF placeOf(const FlowArc& arc) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    // Every flow of an edge.
    void chosen(const std::vector<fencepost::Flow>& flows);

protected:
    [[nodiscard]] QSizeF drawingSize() const override { return m_picture.size; }
    void draw(QPainter& painter) const override;
    [[nodiscard]] double scale() const override;
    [[nodiscard]] QString tipAt(const QPointF& position) const override;
    void layOutAgain() override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void open(std::size_t arc);
    void walk(int by);
    void setCurrent(std::optional<std::size_t> arc);
    [[nodiscard]] std::optional<std::size_t> arcAt(const QPointF& position) const;
    void drawArc(QPainter& painter, const FlowArc& arc, bool current) const;
    void drawLabel(QPainter& painter, const FlowArc& arc, bool current) const;
    void drawNode(QPainter& painter, const FlowNode& node) const;
    [[nodiscard]] QColor colourOf(const FlowArc& arc, bool current) const;

    Kind m_kind = Kind::Idempotency;
    std::vector<Flow> m_flows;
    FlowPicture m_picture;
    std::int64_t m_most = 0;
    std::optional<std::size_t> m_current; // under the pointer, or reached by the keys
    bool m_dimmed = false;
};

} // namespace fencepost::ui

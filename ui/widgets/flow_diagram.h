// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QWidget>

#include "core/result.h"
#include "ui/widgets/flow_layout.h"

namespace fencepost::ui {

class Theme;

// The state machine of a table with how often its rows took each edge. Left and Right walk along the edges that
// something moved along, Enter or a click opens the rows of one. Zoomed with Ctrl and the wheel.
class FlowDiagram final : public QWidget {
    Q_OBJECT
public:
    explicit FlowDiagram(const Theme& theme, QWidget* parent = nullptr);

    void setFlows(Kind kind, std::vector<Flow> flows);
    [[nodiscard]] const std::vector<Flow>& flows() const { return m_flows; }
    [[nodiscard]] const FlowPicture& picture() const { return m_picture; }
    void setDimmed(bool dimmed);

    // 1: as wide as there is room for.
    [[nodiscard]] double zoom() const { return m_zoom; }
    void setZoom(double zoom);
    // Where an edge's label is, in this widget; for tests and for the tour.
    [[nodiscard]] QPointF placeOf(const FlowArc& arc) const;

    // A drawing for a report: SVG or PNG, by the name's end. An error is Invalid or Full, and no file is left then.
    [[nodiscard]] Status save(const QString& path, const QString& title) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    // Every flow of an edge.
    void chosen(const std::vector<fencepost::Flow>& flows);
    void zoomChanged(double zoom);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void layOutAgain();
    void open(std::size_t arc);
    void walk(int by);
    void setCurrent(std::optional<std::size_t> arc);
    [[nodiscard]] double scale() const;
    [[nodiscard]] QPointF origin() const;
    [[nodiscard]] std::optional<std::size_t> arcAt(const QPointF& position) const;
    void draw(QPainter& painter) const;
    void drawArc(QPainter& painter, const FlowArc& arc, bool current) const;
    void drawLabel(QPainter& painter, const FlowArc& arc, bool current) const;
    void drawNode(QPainter& painter, const FlowNode& node) const;
    [[nodiscard]] QColor colourOf(const FlowArc& arc, bool current) const;

    const Theme& m_theme;
    Kind m_kind = Kind::Idempotency;
    std::vector<Flow> m_flows;
    FlowPicture m_picture;
    std::int64_t m_most = 0;
    double m_zoom = 1;
    std::optional<std::size_t> m_current; // under the pointer, or reached by the keys
    bool m_dimmed = false;
};

} // namespace fencepost::ui

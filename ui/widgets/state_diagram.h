// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "ui/widgets/drawing.h"
#include "ui/widgets/state_layout.h"

namespace fencepost::ui {

// The state machine of one row with the path it took. Left and Right walk along the path, Enter or a click opens
// the step.
class StateDiagram final : public Drawing {
    Q_OBJECT
public:
    explicit StateDiagram(const Theme& theme, QWidget* parent = nullptr);

    void setPath(StatePath path);
    [[nodiscard]] const StatePath& path() const { return m_path; }
    [[nodiscard]] const Diagram& diagram() const { return m_diagram; }
    [[nodiscard]] std::optional<std::size_t> currentStep() const { return m_step; }
    // Where a step's label is, in this widget.
    [[nodiscard]] QPointF placeOf(std::size_t step) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

Q_SIGNALS:
    void stepActivated(std::size_t step);
    void stepChanged(std::size_t step);

protected:
    [[nodiscard]] QSizeF drawingSize() const override { return m_diagram.size; }
    void draw(QPainter& painter) const override;
    [[nodiscard]] double scale() const override;
    [[nodiscard]] QPointF origin() const override;
    [[nodiscard]] QString tipAt(const QPointF& position) const override;
    void layOutAgain() override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    void choose(std::size_t step);
    [[nodiscard]] double room() const;
    [[nodiscard]] const DiagramEdge* edgeAt(const QPointF& position) const;
    [[nodiscard]] static bool isOf(const DiagramEdge& edge, std::size_t step);
    [[nodiscard]] bool isChosen(const DiagramEdge& edge) const;
    void paintEdge(QPainter& painter, const DiagramEdge& edge) const;
    void paintLabel(QPainter& painter, const DiagramEdge& edge) const;
    void paintNode(QPainter& painter, const DiagramNode& node) const;

    StatePath m_path;
    Diagram m_diagram;
    std::optional<std::size_t> m_step;
};

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QWidget>

#include "core/inspector.h"

class QLabel;

namespace fencepost::ui {

class ChartMenu;
class DrawingTools;
class StateDiagram;
class Theme;
struct PathStep;

// The path of one row through the machine of its kind, with what is not recorded of it, its zoom and its files.
class PathCard final : public QWidget {
    Q_OBJECT
public:
    PathCard(const Theme& theme, QWidget* parent);

    void show(const Binding& binding, const RowDetails& details, const std::vector<AuditEntry>& audit);
    using QWidget::show;
    [[nodiscard]] StateDiagram& diagram() const { return *m_diagram; }
    [[nodiscard]] DrawingTools& tools() const { return *m_tools; }
    // Of a file: which row it is of.
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString remarks() const;

Q_SIGNALS:
    void stepActivated(const fencepost::ui::PathStep& step);

private:
    StateDiagram* m_diagram;
    DrawingTools* m_tools;
    ChartMenu* m_menu;
    QLabel* m_remarks;
    QString m_row; // names it, its secrets hidden
};

} // namespace fencepost::ui

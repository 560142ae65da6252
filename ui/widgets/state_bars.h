// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QWidget>

#include "core/inspector.h"

namespace fencepost::ui {

class Theme;

// One bar per state with its count, on a common scale; pressing one opens the rows of that state. States with no rows
// keep their place, so that nothing jumps when the first arrives.
class StateBars : public QWidget {
    Q_OBJECT
public:
    StateBars(const Theme& theme, QWidget* parent);

    void setCounts(const Counts& counts, const std::vector<std::string>& order);
    void setDimmed(bool dimmed);
    [[nodiscard]] QString csv() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return { 320, sizeHint().height() }; }

Q_SIGNALS:
    void chosen(const QString& state);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Bar {
        std::string state;
        Count count;
    };

    [[nodiscard]] int barAt(const QPoint& point) const;
    void setCurrent(int bar);
    void paintBar(QPainter& painter, const QRect& place, const Bar& bar, std::int64_t most) const;

    const Theme& m_theme;
    std::vector<Bar> m_bars;
    Count m_total;
    int m_current = -1;
    bool m_dimmed = false;
};

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include <QAbstractScrollArea>

#include "ui/widgets/timeline_layout.h"

namespace fencepost::ui {

class Theme;

// What happened to one record, top to bottom, with idle gaps compressed. Paints only what is visible.
class Timeline final : public QAbstractScrollArea {
    Q_OBJECT
public:
    using FormatTime = std::function<QString(Time)>;

    Timeline(const Theme& theme, FormatTime formatTime, QWidget* parent = nullptr);

    void setMarks(std::vector<Mark> marks);
    void setFormat(FormatTime formatTime);
    [[nodiscard]] const std::vector<Mark>& marks() const { return m_marks; }
    [[nodiscard]] const TimelineLayout& placed() const { return m_layout; }
    // Scrolls to the journal's row and marks it.
    void show(std::int64_t seq);
    [[nodiscard]] int heightOfAll() const { return int(m_layout.height); }
    void choose(std::size_t mark);

Q_SIGNALS:
    void chosen(std::size_t mark); // by mouse or key

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void arrange();
    void place();
    void measure();
    [[nodiscard]] std::optional<std::size_t> markAt(double y) const;
    [[nodiscard]] QString describe(const Mark& mark) const;
    void paintMark(QPainter& painter, const Mark& mark, double y, bool chosen) const;
    void paintGap(QPainter& painter, const Gap& gap, double y) const;
    void paintAxis(QPainter& painter, double scrolled) const;

    const Theme& m_theme;
    FormatTime m_formatTime;
    std::vector<Mark> m_marks;
    TimelineLayout m_layout;
    int m_widest = 0; // of a title with its instant beside it
    bool m_stacked = false; // the instants below the titles
    std::optional<std::size_t> m_chosen;
};

} // namespace fencepost::ui

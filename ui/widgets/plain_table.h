// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QTableWidget>

namespace fencepost::ui {

class Theme;

// A short table of texts, for lists that fit a panel: attempts, audit entries, samples of a plan. Cells are data and
// are painted as plain text.
class PlainTable final : public QTableWidget {
    Q_OBJECT
public:
    struct Heading {
        QString title;
        int width = 100; // pixels; 0: takes what is left
        bool monospace = false;
        bool state = false; // drawn as icon, word and colour
        bool wrap = false; // whole sentences: the row is as tall as they need
        bool number = false; // aligned by its last digit
    };

    PlainTable(const Theme& theme, std::vector<Heading> headings, QWidget* parent = nullptr);

    void setLines(const std::vector<QStringList>& lines);
    // What it says instead of rows.
    void setEmptyText(const QString& words);
    [[nodiscard]] QString cell(int row, int column) const;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void copyIdentifier(int row, int column);
    void fitRows();
    void fitColumns();
    [[nodiscard]] int widthOf(const Heading& heading) const;

    const Theme& m_theme;
    std::vector<Heading> m_headings;
    QString m_emptyText;
};

} // namespace fencepost::ui

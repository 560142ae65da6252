// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include <QWidget>

class QToolButton;

namespace fencepost::ui {

class Commands;
class Theme;

// The list of pages on the left: icon and word, or the icons alone.
class Rail : public QWidget {
    Q_OBJECT
public:
    Rail(const Theme& theme, const Commands& commands, QWidget* parent);

    void setCurrent(std::string_view page);
    void setCollapsed(bool collapsed);
    // A narrow window shows the icons alone, whatever was chosen for a wide one.
    void setNarrow(bool tight);
    [[nodiscard]] bool isCollapsed() const { return m_collapsed; }

Q_SIGNALS:
    void chosen(const QString& page);
    void collapsedChanged(bool collapsed);

private:
    struct Item {
        QString page;
        QString title;
        QToolButton* button;
    };

    void arrange();
    QToolButton* makeButton(const QIcon& icon, const QString& title);

    std::vector<Item> m_items;
    QToolButton* m_collapse;
    bool m_collapsed = false;
    bool m_narrow = false;
};

} // namespace fencepost::ui

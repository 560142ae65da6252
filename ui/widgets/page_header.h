// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace fencepost::ui {

class Theme;

// The top of a page: its title, one line about what is shown, and what acts on the whole page on the right.
class PageHeader : public QWidget {
    Q_OBJECT
public:
    PageHeader(const Theme& theme, const QString& title, QWidget* parent);

    void setSubtitle(const QString& subtitle);
    void addRight(QWidget* widget);

private:
    QLabel* m_subtitle;
    QHBoxLayout* m_right;
};

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>

#include "ui/theme.h"

namespace fencepost::ui {

// One key figure on a card: what it is, the figure, one line about it. Pressing it opens the rows behind the figure.
class FigureTile : public QAbstractButton {
    Q_OBJECT
public:
    FigureTile(const Theme& theme, const char* icon, const QString& caption, QWidget* parent);

    void setFigure(const QString& figure, const QString& note, Role role = Role::Text);
    void setDimmed(bool dimmed);
    [[nodiscard]] QString figure() const { return m_figure; }
    [[nodiscard]] QSize sizeHint() const override { return { 188, 104 }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return { 148, 104 }; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    const Theme& m_theme;
    const char* m_icon;
    QString m_figure;
    QString m_note;
    Role m_role = Role::Text;
    bool m_dimmed = false;
};

} // namespace fencepost::ui

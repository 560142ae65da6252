// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace fencepost::ui {

class Theme;

// A value on one line, elided in the middle where it does not fit. The tooltip shows it whole, a click, Enter or
// Ctrl+C copies it whole.
class ElidedLabel final : public QWidget {
    Q_OBJECT
public:
    ElidedLabel(const Theme& theme, bool monospace, QWidget* parent = nullptr);

    void setText(const QString& text);
    [[nodiscard]] QString text() const { return m_text; }
    void setFont(const QFont& font);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void copied();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void copy();

    const Theme& m_theme;
    QString m_text;
    QString m_shown; // with escapes for what draws nothing
    bool m_copied = false;
    bool m_hovered = false;
};

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QTimer>
#include <QWidget>

#include "core/inspector.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace fencepost::ui {

class Theme;

// One payload of a record. Its values are masked until somebody asks to see them; the owner of the view writes that
// into the audit and only then reveals. What was revealed is masked again after a minute.
class PayloadView final : public QWidget {
    Q_OBJECT
public:
    explicit PayloadView(const Theme& theme, QWidget* parent = nullptr);

    void setPayload(const Payload& payload);
    [[nodiscard]] const Payload& payload() const { return m_payload; }
    void reveal();
    void mask();
    [[nodiscard]] bool revealed() const { return m_revealed; }
    [[nodiscard]] QString shownText() const;
    [[nodiscard]] QString caption() const;

Q_SIGNALS:
    void revealAsked(const QString& name);

private:
    void showText();

    const Theme& m_theme;
    Payload m_payload;
    QLabel* m_name;
    QLabel* m_caption;
    QPushButton* m_reveal;
    QPlainTextEdit* m_text;
    QTimer m_timer;
    bool m_revealed = false;
};

} // namespace fencepost::ui

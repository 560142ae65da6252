// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>
#include <vector>

#include <QTimer>
#include <QWidget>

#include "core/inspector.h"
#include "core/redaction.h"

class QLabel;
class QPlainTextEdit;
class QMenu;
class QToolButton;

namespace fencepost::ui {

class Theme;

// One payload of a record. Secrets and personal data in it are hidden until somebody asks to see one; the owner of the
// view writes that into the audit and only then reveals. What was revealed is hidden again after a minute.
class PayloadView final : public QWidget {
    Q_OBJECT
public:
    explicit PayloadView(const Theme& theme, QWidget* parent = nullptr);

    void setPayload(const Payload& payload);
    [[nodiscard]] const Payload& payload() const { return m_payload; }
    // The pointer of one hidden member, or `everything`.
    void reveal(const QString& pointer);
    void hideAgain();
    [[nodiscard]] const std::vector<std::string>& hidden() const { return m_hidden; }
    static inline const QString everything = QStringLiteral("*");
    [[nodiscard]] QString shownText() const;
    [[nodiscard]] QString caption() const;

Q_SIGNALS:
    void revealAsked(const QString& name, const QString& pointer);

private:
    void showText();
    void fillMenu();

    const Theme& m_theme;
    Payload m_payload;
    QLabel* m_name;
    QLabel* m_caption;
    QToolButton* m_reveal;
    QMenu* m_menu;
    QPlainTextEdit* m_text;
    QTimer m_timer;
    Redactor m_redactor;
    std::vector<std::string> m_hidden; // pointers
    std::set<std::string> m_revealed;
    bool m_all = false;
};

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include <QFrame>
#include <QString>

#include "core/result.h"

class QLabel;
class QPushButton;

namespace fencepost::ui {

class Theme;

// What went wrong, inline next to the thing: what was tried, what happened, what was changed, what to do next. Hidden
// while there is nothing to say; it never covers data.
class ErrorBanner : public QFrame {
    Q_OBJECT
public:
    explicit ErrorBanner(const Theme& theme, QWidget* parent = nullptr);

    // `attempted` completes "Could not …": "load the keys".
    void report(const QString& attempted, const Error& error);
    // A fact that is no failure of ours: "Counts are of 02:14:07Z".
    // `action`, where given, is a button that says what could be done about it.
    void tell(const char* tone, const QString& sentence, const QString& action = {});
    void clear();
    // What could not be done has been done since.
    void settle(const QString& attempted);
    [[nodiscard]] QString sentence() const;
    // For the clipboard: version, what was tried, the server's words and code. Passwords are masked.
    [[nodiscard]] QString reportText() const;

Q_SIGNALS:
    // The button named after what the failure allows: Retry, Reload, Look up.
    void acted(fencepost::Failure failure);
    // The button of a fact that was told.
    void accepted();

private:
    void setTone(const char* tone, const char* icon);

    const Theme& m_theme;
    QLabel* m_icon;
    QLabel* m_sentence;
    QLabel* m_detail;
    QPushButton* m_action;
    QPushButton* m_copy;
    QPushButton* m_close;
    QString m_attempted;
    Error m_error;
    bool m_offers = false; // the button belongs to a fact, not to a failure
    std::function<void()> m_showIcon; // in the colour of the scheme that is in force
};

// The word on the button, empty where nothing helps but another input.
[[nodiscard]] QString actionFor(Failure failure);
// Masks what could be a password in a driver's words.
[[nodiscard]] QString withoutSecrets(const QString& text);

} // namespace fencepost::ui

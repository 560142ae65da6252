// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include "core/result.h"

class QLabel;
class QPushButton;

namespace fencepost::models {
class Session;
}

namespace fencepost::ui {

class Theme;

// Why there is nothing to see. A reader must never take one for another.
enum class Emptiness {
    NoRows, // the table has none at all
    Filtered, // the filter hides them
    TableMissing,
    NoPermission,
    NotLoaded, // it took too long, or was not asked yet
    ConnectionLost,
    Good, // nothing is wrong: green and short
};

// Which of them an error means.
[[nodiscard]] Emptiness emptinessOf(const Error& error);

// One sentence, one line of explanation and the next step, in the place of the missing rows.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    explicit EmptyState(const Theme& theme, QWidget* parent = nullptr);

    // `title` says what is not there ("No keys yet"), `explanation` why, `action` the next step or nothing.
    void show(Emptiness emptiness, const QString& title, const QString& explanation, const QString& action = {});
    using QWidget::show;
    // Why this connection has no table of `rows`: none is recognised, they could not be read, or they are being read.
    void showNoTable(
        const models::Session& session, const QString& rows, const QString& action, const QString& why = {});
    [[nodiscard]] Emptiness emptiness() const { return m_emptiness; }
    [[nodiscard]] QString title() const;

Q_SIGNALS:
    void acted();

private:
    void showError(const Error& error, const QString& action);
    void showIcon();

    const Theme& m_theme;
    Emptiness m_emptiness = Emptiness::NotLoaded;
    QLabel* m_icon;
    QLabel* m_title;
    QLabel* m_explanation;
    QPushButton* m_action;
};

} // namespace fencepost::ui

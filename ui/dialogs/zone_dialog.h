// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "models/zone.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace fencepost::ui {

class Theme;

// UTC, this computer's zone, or any of the IANA database.
class ZoneDialog : public QDialog {
    Q_OBJECT
public:
    struct Question {
        QString title;
        QString note;
        bool local = true; // this computer's zone is an answer
    };

    // In which zone instants are shown.
    ZoneDialog(const Theme& theme, const models::Zone& current, QWidget* parent);
    ZoneDialog(const Theme& theme, const models::Zone& current, const Question& question, QWidget* parent);

Q_SIGNALS:
    void chosen(const fencepost::models::Zone& zone);

private:
    void fill();
    void choose();

    QString m_current;
    bool m_local;
    QLineEdit* m_search;
    QListWidget* m_list;
    QLabel* m_none;
    QPushButton* m_choose;
};

} // namespace fencepost::ui

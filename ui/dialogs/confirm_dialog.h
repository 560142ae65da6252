// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>

namespace fencepost::ui {

class Theme;

struct Question {
    QString title;
    QString explanation;
    QString button; // verb, count and object
    QString environment; // empty: no band
    QString place;
};

// Asks before something is removed. The default button is Cancel.
class ConfirmDialog : public QDialog {
    Q_OBJECT
public:
    ConfirmDialog(const Theme& theme, const Question& question, QWidget* parent);
};

} // namespace fencepost::ui

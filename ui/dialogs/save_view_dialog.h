// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "core/query/row.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace fencepost::models {
class SavedViews;
}

namespace fencepost::ui {

class Theme;

// Asks for the name of a view, and says what is kept with it, where, and which view it would replace.
class SaveViewDialog final : public QDialog {
    Q_OBJECT
public:
    struct Kept {
        Kind kind = Kind::Idempotency;
        QString filter;
        QString columns; // in words
        QString order; // in words; empty: the table's own
    };

    SaveViewDialog(const Theme& theme, const models::SavedViews& views, const Kept& kept, QWidget* parent);

Q_SIGNALS:
    void named(const QString& name);

private:
    void showName();

    const models::SavedViews& m_views;
    const Kind m_kind;
    QLineEdit* m_name;
    QLabel* m_note;
    QPushButton* m_save;
};

} // namespace fencepost::ui

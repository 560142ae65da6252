// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace fencepost::models {
class MappingDraft;
}

namespace fencepost::ui {

class Theme;
class Workspace;

// Under which name and in which file the profile is kept, and its text.
class MappingSaveStep final : public QWidget {
    Q_OBJECT
public:
    MappingSaveStep(const Theme& theme, Workspace& workspace, models::MappingDraft& draft, QWidget* parent);

    void focusFirst();
    [[nodiscard]] QString path() const;
    [[nodiscard]] bool replaces() const; // a file of that name
    // Why it cannot be saved under this name; empty: it can.
    [[nodiscard]] QString whyNot() const;

Q_SIGNALS:
    void changed();

private:
    void fill();
    void proposeName();
    void chooseFile();
    void showNote();

    Workspace& m_workspace;
    models::MappingDraft& m_draft;
    QLineEdit* m_name;
    QLineEdit* m_file;
    QLabel* m_note;
    QPlainTextEdit* m_document;
    bool m_fileChosen = false;
    bool m_proposed = false;
};

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "models/export_run.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace fencepost::ui {

class ErrorBanner;
class Theme;

// Writes everything that a page matches into a file: says what that is, asks for format and place, shows how far it is,
// and leaves nothing behind where it is stopped.
class ExportDialog final : public QDialog {
    Q_OBJECT
public:
    struct What {
        models::ExportRequest request; // its columns are those of CSV and Markdown
        QString title; // "Export keys"
        QString filter; // its sentence; empty: none
        QString rows; // the count and how exact it is
        QString order; // in words
        QString columns; // in words
        std::int64_t expected = 0; // rows; 0: unknown
        QString folder; // where the file is offered
    };

    ExportDialog(const Theme& theme, models::StoreThread& reads, What what, QWidget* parent);

    void reject() override;

Q_SIGNALS:
    void exported(const QString& sentence);

private:
    void build(const Theme& theme);
    void chooseFormat();
    void chooseFile();
    void showFile();
    void begin();
    void showProgress(const models::ExportProgress& progress);
    void finish(const models::ExportProgress& progress);
    void fail(const Error& error);
    void setRunning(bool running);
    void tell(const QString& sentence, const char* tone);
    [[nodiscard]] const models::ExportFormatEntry& format() const;

    models::StoreThread& m_reads;
    const What m_what;
    QComboBox* m_format;
    QLineEdit* m_file;
    QPushButton* m_choose;
    QLabel* m_note;
    QProgressBar* m_progress;
    ErrorBanner* m_banner;
    QPushButton* m_cancel;
    QPushButton* m_export;
    models::ExportRun* m_run = nullptr; // while it runs
};

} // namespace fencepost::ui

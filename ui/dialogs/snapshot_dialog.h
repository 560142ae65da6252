// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QPointer>

#include "models/snapshot_run.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace fencepost::models {
class Session;
}

namespace fencepost::ui {

class ErrorBanner;
class Theme;

// Takes a snapshot of the open connection: all of it, or what the page's filter finds and what hangs on that. Says what
// is hidden in it, shows how far it is, and leaves nothing behind where it is stopped.
class SnapshotDialog final : public QDialog {
    Q_OBJECT
public:
    struct What {
        QString connection; // its name
        QString binding; // of the page in front; empty: it has none
        QString filter; // as it was typed; empty: none
        QString folder; // where the file is offered
    };

    SnapshotDialog(const Theme& theme, models::Session& session, std::shared_ptr<const models::Snapshots> snapshots,
        What what, QWidget* parent);
    ~SnapshotDialog() override;

    void reject() override;

Q_SIGNALS:
    void taken(const QString& sentence);
    void openAsked(const QString& path);

private:
    void build(const Theme& theme);
    QHBoxLayout* lineOf(QWidget* field, QPushButton* button);
    QLabel* nameOf(const QString& words, QWidget* field);
    void chooseFile();
    void chooseRules();
    void showFile();
    void begin();
    [[nodiscard]] Result<SnapshotRequest> request() const;
    void showProgress(const QString& table, qint64 rows);
    void finish(const SnapshotManifest& manifest);
    void fail(const Error& error);
    void setRunning(bool running);
    void tell(const QString& sentence, const char* tone);
    [[nodiscard]] QString path() const;

    models::Session& m_session;
    const std::shared_ptr<const models::Snapshots> m_snapshots;
    const What m_what;
    QComboBox* m_part;
    QComboBox* m_rules;
    QLineEdit* m_rulesFile;
    QPushButton* m_chooseRules;
    QLineEdit* m_file;
    QPushButton* m_chooseFile;
    QLabel* m_note;
    QProgressBar* m_progress;
    ErrorBanner* m_banner;
    QPushButton* m_cancel;
    QPushButton* m_take;
    QPointer<models::SnapshotRun> m_run; // while it runs
    bool m_taken = false;
};

} // namespace fencepost::ui

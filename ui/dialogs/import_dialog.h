// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>

#include "models/import_run.h"
#include "ui/dialogs/file_run_dialog.h"

class QComboBox;
class QLineEdit;
class QPlainTextEdit;

namespace fencepost::ui {

class RulesField;

// Makes one file of logs that is opened like a snapshot: which logs, when those were written whose lines do not tell,
// and what is hidden. Says what could not be read of them.
class ImportDialog final : public FileRunDialog {
    Q_OBJECT
public:
    // `folder`: where the file is offered.
    ImportDialog(
        const Theme& theme, std::shared_ptr<const models::Snapshots> snapshots, const QString& folder, QWidget* parent);
    ~ImportDialog() override;

private:
    Status begin() override;
    void stop() override;
    void chooseLogs();
    void addLogs(const QStringList& chosen);
    void showReady();
    [[nodiscard]] QStringList logs() const;
    [[nodiscard]] Result<ImportRequest> request() const;
    void showLines(const ImportProgress& progress);
    void take(const ImportOutcome& outcome);

    const std::shared_ptr<const models::Snapshots> m_snapshots;
    QPlainTextEdit* m_logs; // one on each line
    QComboBox* m_time;
    QLineEdit* m_at;
    RulesField* m_rules;
    qint64 m_octets = 0; // of all logs
    QPointer<models::ImportRun> m_run; // while it runs
};

} // namespace fencepost::ui

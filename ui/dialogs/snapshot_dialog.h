// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>

#include "models/snapshot_run.h"
#include "ui/dialogs/file_run_dialog.h"

class QComboBox;

namespace fencepost::models {
class Session;
}

namespace fencepost::ui {

class RulesField;

// Takes a snapshot of the open connection: all of it, or what the page's filter finds and what hangs on that. Says what
// is hidden in it.
class SnapshotDialog final : public FileRunDialog {
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

private:
    void addFilter(const Theme& theme);
    Status begin() override;
    void stop() override;
    [[nodiscard]] Result<SnapshotRequest> request() const;
    void showRows(const QString& table, qint64 rows);
    void take(const SnapshotManifest& manifest);

    models::Session& m_session;
    const std::shared_ptr<const models::Snapshots> m_snapshots;
    const What m_what;
    QComboBox* m_part;
    RulesField* m_rules;
    QPointer<models::SnapshotRun> m_run; // while it runs
};

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "models/run.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace fencepost::ui {

class PaceField;
class PlainTable;
class StageBars;
class Theme;

// A confirmed plan while it is carried out, and its report, which adds up to the plan's size.
class RunView final : public QWidget {
    Q_OBJECT
public:
    explicit RunView(const Theme& theme, QWidget* parent = nullptr);

    // Not owned.
    void follow(models::Run& run);
    // Outside of its dialog it says what it is, and is closed by its own button once the run is over.
    void standAlone(const QString& action);
    [[nodiscard]] QString summary() const;
    [[nodiscard]] PaceField& paceField() const { return *m_pace; }
    [[nodiscard]] StageBars& stages() const { return *m_stages; }
    [[nodiscard]] PlainTable& items() const { return *m_items; }
    [[nodiscard]] QString reportText() const;

private:
    void progress();
    void finish(const RunReport& report);
    void save();
    void showTitle(const QString& words);

    models::Run* m_run = nullptr;
    QString m_action; // empty: the dialog says it
    QLabel* m_title;
    QLabel* m_summary;
    QLabel* m_stopped;
    QProgressBar* m_bar;
    StageBars* m_stages; // of a replay
    PaceField* m_pace;
    QPushButton* m_pause;
    QPushButton* m_stop;
    QPushButton* m_copy;
    QPushButton* m_save;
    QPushButton* m_close;
    PlainTable* m_items;
};

// "changed 48 197 · skipped 11 · failed 3"; parts that are nothing are left out, changed never.
[[nodiscard]] QString summaryOf(const RunReport& report);
// For the incident's channel: the summary and every row that was not changed, with the reason.
[[nodiscard]] QString reportText(const Plan& plan, const RunReport& report);

} // namespace fencepost::ui

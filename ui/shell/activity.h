// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointer>
#include <QWidget>

class QPlainTextEdit;
class QScrollArea;
class QTabWidget;
class QVBoxLayout;

namespace fencepost::ui {

class EmptyState;
class Theme;
class ZoneSetting;

// The bottom dock: operations that run, and what was done in this window.
class Activity : public QWidget {
    Q_OBJECT
public:
    Activity(const Theme& theme, const ZoneSetting& zone, QWidget* parent);

    void addRun(QWidget* run); // takes ownership
    // Ends what still runs: its connection closes.
    void endRuns();
    void log(const QString& line);
    [[nodiscard]] QString logText() const;

Q_SIGNALS:
    void closed();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void fit();

    const ZoneSetting& m_zone;
    QTabWidget* m_tabs;
    QVBoxLayout* m_runs;
    QList<QPointer<QWidget>> m_shown;
    EmptyState* m_none;
    QScrollArea* m_scroll;
    QPlainTextEdit* m_log;
};

} // namespace fencepost::ui

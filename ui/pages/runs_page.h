// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include <QTimer>

#include "core/run_journal.h"
#include "models/deliver.h"
#include "models/run_pace.h"
#include "ui/page.h"

class QFrame;
class QLabel;
class QPushButton;

namespace fencepost::models {
class RunsModel;
class RunWatch;
} // namespace fencepost::models

namespace fencepost::ui {

class ErrorBanner;
class FieldList;
class PaceField;
class RowGrid;
class StageBars;

// Replays of this database, whoever carries them out: where each stands, and orders to it.
class RunsPage final : public Page {
    Q_OBJECT
public:
    explicit RunsPage(PageContext& context, QWidget* parent = nullptr);

    void activate() override;
    void reload() override;
    void setLive(bool live) override;
    void setDense(bool dense) override;
    [[nodiscard]] PageStatus status() const override;
    [[nodiscard]] bool isLoading() const override;
    [[nodiscard]] bool handles(std::string_view command) const override;
    void run(std::string_view command) override;
    [[nodiscard]] QVariantMap arrangement() const override;
    void setArrangement(const QVariantMap& arrangement) override;

    [[nodiscard]] models::RunsModel* model() const { return m_model; }
    [[nodiscard]] RowGrid& grid() const { return *m_grid; }
    [[nodiscard]] QPushButton& pauseButton() const { return *m_pause; }
    [[nodiscard]] QPushButton& resumeButton() const { return *m_resume; }
    [[nodiscard]] QPushButton& stopButton() const { return *m_stop; }
    [[nodiscard]] PaceField& paceField() const { return *m_pace; }
    [[nodiscard]] StageBars& stages() const { return *m_stages; }
    [[nodiscard]] QString hint() const;

private:
    void build();
    [[nodiscard]] const OperationRun* current() const;
    // Why no order can be given from here; empty: one can.
    [[nodiscard]] QString whyNot(const OperationRun& run) const;
    void showCurrent();
    void showFacts(const OperationRun& run);
    void showStages();
    void order(const QString& what, std::function<Result<bool>(RunJournal&, const std::string&)> give);
    void enter(RunPhase phase);
    void setRate(std::optional<double> rate);
    void resumeCurrent();
    void takeUp(const std::string& requestId);

    const PageContext m_context;
    models::RunsModel* m_model = nullptr; // null: there is no session
    models::RunPace m_speed; // of the current run
    models::RunWatch* m_watch = nullptr; // of the current run; null: there is no session
    models::Latest<Result<std::optional<OperationRun>>> m_find;
    QLabel* m_hint;
    PaceField* m_pace;
    QPushButton* m_pause;
    QPushButton* m_resume;
    QPushButton* m_stop;
    ErrorBanner* m_banner;
    RowGrid* m_grid;
    QFrame* m_card;
    FieldList* m_facts;
    StageBars* m_stages;
    QTimer m_refresh;
};

[[nodiscard]] Page* makeRunsPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui

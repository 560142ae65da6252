// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QDialog>
#include <QPointer>
#include <QTimer>

#include "core/operations/plan.h"
#include "models/deliver.h"
#include "models/drafts.h"
#include "models/run.h"
#include "models/session.h"
#include "ui/page.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;

namespace fencepost::ui {

class ErrorBanner;
class PaceField;
class RampField;
class PlanForm;
class PlanReview;
class RunView;

// From selected rows to a report: the plan is frozen when it is shown, the operator gives the reason and confirms that
// plan, and only that plan is carried out. Nothing that happens behind the dialog changes or accepts it.
class PlanDialog final : public QDialog {
    Q_OBJECT
public:
    PlanDialog(PageContext& context, const Operation& operation, const Selection& selection, QWidget* parent);
    // The plan that takes an earlier request back.
    PlanDialog(PageContext& context, const QString& requestId, QWidget* parent);
    // Where a plan that was frozen before comes from.
    enum class Source { Interrupted, File };
    // A plan whose run was cut short, or one that was read from a file: as it was frozen then.
    PlanDialog(PageContext& context, const Plan& frozen, Source source, QWidget* parent);

    enum class Stage { Filling, Reading, Review, Running, Done };
    [[nodiscard]] Stage stage() const { return m_stage; }
    [[nodiscard]] const std::optional<Plan>& plan() const { return m_plan; }
    [[nodiscard]] PlanForm& form() const { return *m_form; }
    [[nodiscard]] PlanReview& review() const { return *m_review; }
    [[nodiscard]] RunView& runView() const { return *m_runView; }
    [[nodiscard]] PaceField& paceField() const { return *m_pace; }
    [[nodiscard]] RampField& rampField() const { return *m_ramp; }
    [[nodiscard]] QLineEdit& countField() const { return *m_count; }
    [[nodiscard]] QPushButton& confirmButton() const { return *m_confirm; }
    [[nodiscard]] QPushButton& cancelButton() const { return *m_cancel; }
    [[nodiscard]] QPushButton& backgroundButton() const { return *m_background; }
    [[nodiscard]] QString hint() const;
    // The same plan as a command for the headless program.
    [[nodiscard]] QString command() const;

    void reject() override;

Q_SIGNALS:
    // Rows of this table were changed, or may have been.
    void changed(const QString& binding);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Subject {
        const Operation* operation = nullptr; // null: an undo
        Selection selection;
        QString requestId = {}; // of the undone request
        std::optional<Plan> frozen = std::nullopt;
        std::optional<Source> source = std::nullopt;
    };
    PlanDialog(PageContext& context, Subject subject, QWidget* parent);
    void showFrozen(const Plan& frozen);
    void giveUp();
    void build();
    QWidget* makeDanger(const std::string& note);
    QLayout* buildButtons();
    void read();
    void planned(const Result<Plan>& answer);
    void enter(Stage stage);
    void showButtons();
    [[nodiscard]] QString whyNotYet() const;
    [[nodiscard]] Result<ReplaySettings> replaySettings() const;
    [[nodiscard]] QString actionText() const;
    [[nodiscard]] QString scopeText() const;
    void confirm();
    void run();
    [[nodiscard]] bool goesOn() const;
    void readRate();
    void finish(const RunReport& report);
    void continueBelow();
    void keepNotes();
    [[nodiscard]] QStringList subject() const;
    [[nodiscard]] const models::Drafts* drafts() const;
    bool restoreDraft();
    void keepDraft();
    void dropDraft();
    void beginWithPresent(const QString& parameter);
    void fillIn(const QString& parameter, const Result<std::optional<RowDetails>>& answer);
    void savePlan();
    [[nodiscard]] Plan confirmedPlan() const;

    const PageContext m_context;
    const QPointer<models::Session> m_session; // closed with its connection
    const Operation* m_operation; // null: an undo
    const Selection m_selection;
    const QString m_requestId; // of the undone request
    const std::optional<Source> m_source; // none: the plan is made here
    Stage m_stage = Stage::Filling;
    std::optional<Plan> m_plan;
    models::Latest<Result<Plan>> m_load;
    models::Latest<Result<std::optional<RowDetails>>> m_present;
    models::Latest<Result<std::optional<double>>> m_rate; // of a run that goes on
    bool m_paceChosen = false;
    std::string m_keptReason; // of the notes that are in the notebook
    std::size_t m_keptNotes = 0;
    models::Run* m_run = nullptr; // a child of this dialog, until it goes on below
    QTimer m_draftDue;
    bool m_keepsDraft = true; // until the plan was carried out or given up
    QString m_restored; // what the banner says of a restored draft once its plan is shown

    ErrorBanner* m_banner;
    PlanForm* m_form;
    PlanReview* m_review;
    RunView* m_runView;
    QStackedWidget* m_stack;
    QLabel* m_waiting;
    QWidget* m_countLine;
    PaceField* m_pace;
    RampField* m_ramp;
    QLabel* m_countLabel;
    QLineEdit* m_count;
    QLabel* m_hint;
    QPushButton* m_save;
    QPushButton* m_copy;
    QPushButton* m_undo;
    QPushButton* m_background;
    QPushButton* m_giveUp;
    QPushButton* m_cancel;
    QPushButton* m_confirm;
};

[[nodiscard]] QDialog* makePlanDialog(
    PageContext& context, const Operation& operation, const Selection& selection, QWidget* parent);
[[nodiscard]] QDialog* makeResumeDialog(PageContext& context, const Plan& interrupted, QWidget* parent);
[[nodiscard]] QDialog* makeOpenedDialog(PageContext& context, const Plan& plan, QWidget* parent);
[[nodiscard]] QDialog* makeUndoDialog(PageContext& context, const QString& requestId, QWidget* parent);

} // namespace fencepost::ui

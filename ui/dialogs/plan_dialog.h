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
#include "ui/dialogs/plan_buttons.h"
#include "ui/dialogs/plan_subject.h"
#include "ui/dialogs/plan_terms.h"
#include "ui/page.h"

class QLabel;
class QStackedWidget;

namespace fencepost::ui {

class ErrorBanner;
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
    using Source = PlanSource;
    // A plan whose run was cut short, or one that was read from a file: as it was frozen then.
    PlanDialog(PageContext& context, const Plan& frozen, Source source, QWidget* parent);

    enum class Stage { Filling, Reading, Review, Running, Done };
    [[nodiscard]] Stage stage() const { return m_stage; }
    [[nodiscard]] const std::optional<Plan>& plan() const { return m_plan; }
    [[nodiscard]] PlanForm& form() const { return *m_form; }
    [[nodiscard]] PlanReview& review() const { return *m_review; }
    [[nodiscard]] RunView& runView() const { return *m_runView; }
    [[nodiscard]] PaceField& paceField() const { return m_terms->pace(); }
    [[nodiscard]] RampField& rampField() const { return m_terms->ramp(); }
    [[nodiscard]] QLineEdit& countField() const { return m_terms->count(); }
    [[nodiscard]] QPushButton& confirmButton() const { return m_buttons->confirm(); }
    [[nodiscard]] QPushButton& cancelButton() const { return m_buttons->cancel(); }
    [[nodiscard]] QPushButton& backgroundButton() const { return m_buttons->background(); }
    [[nodiscard]] QString hint() const { return m_buttons->hint(); }
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
    // `frozen` null: the plan is made here.
    PlanDialog(PageContext& context, PlanSubject subject, const Plan* frozen, QWidget* parent);
    void showFrozen(const Plan& frozen);
    void build();
    void connectParts();
    [[nodiscard]] QLayout* makeContent();
    void watchDraft();
    void read();
    void planned(const Result<Plan>& answer);
    void enter(Stage stage);
    void showButtons();
    [[nodiscard]] QString whyNotYet() const;
    [[nodiscard]] QString actionText() const;
    [[nodiscard]] Plan confirmedPlan() const;
    void savePlan();
    void copy();

    void confirm();
    void run();
    [[nodiscard]] bool goesOn() const;
    void readRate();
    void finish(const RunReport& report);
    void undo();
    void continueBelow();
    void giveUp();
    void keepNotes();

    [[nodiscard]] QStringList subject() const;
    [[nodiscard]] const models::Drafts* drafts() const;
    bool restoreDraft();
    void keepDraft();
    void dropDraft();
    void beginWithPresent(const QString& parameter);
    void fillIn(const QString& parameter, const Result<std::optional<RowDetails>>& answer);

    const PageContext m_context;
    const QPointer<models::Session> m_session; // closed with its connection
    const PlanSubject m_subject;
    Stage m_stage = Stage::Filling;
    std::optional<Plan> m_plan;
    models::Latest<Result<Plan>> m_load;
    models::Latest<Result<std::optional<RowDetails>>> m_present;
    models::Latest<Result<std::optional<double>>> m_rate; // of a run that goes on
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
    PlanTerms* m_terms;
    PlanButtons* m_buttons;
};

[[nodiscard]] QDialog* makePlanDialog(
    PageContext& context, const Operation& operation, const Selection& selection, QWidget* parent);
[[nodiscard]] QDialog* makeResumeDialog(PageContext& context, const Plan& interrupted, QWidget* parent);
[[nodiscard]] QDialog* makeOpenedDialog(PageContext& context, const Plan& plan, QWidget* parent);
[[nodiscard]] QDialog* makeUndoDialog(PageContext& context, const QString& requestId, QWidget* parent);

} // namespace fencepost::ui

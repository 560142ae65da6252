// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/audit_model.h"
#include "models/deliver.h"
#include "models/session.h"
#include "ui/page.h"

class QFrame;
class QLabel;
class QLineEdit;
class QPushButton;

namespace fencepost::ui {

class ErrorBanner;
class FieldList;
class RowGrid;

// What operators did, and whether the chain of it is whole.
class AuditPage final : public Page {
    Q_OBJECT
public:
    explicit AuditPage(PageContext& context, QWidget* parent = nullptr);

    void activate() override;
    void reload() override;
    void setLive(bool live) override;
    void setDense(bool dense) override;
    void show(const QString& binding, const QString& filter) override;
    [[nodiscard]] Place place() const override { return { {}, m_shown }; }
    using QWidget::show;
    [[nodiscard]] QWidget* filterField() const override;
    [[nodiscard]] PageStatus status() const override;
    [[nodiscard]] bool isLoading() const override { return m_model && m_model->busy(); }
    [[nodiscard]] bool handles(std::string_view command) const override;
    void run(std::string_view command) override;
    [[nodiscard]] QVariantMap arrangement() const override;
    void setArrangement(const QVariantMap& arrangement) override;

    [[nodiscard]] models::AuditModel* model() const { return m_model; }
    [[nodiscard]] RowGrid& grid() const { return *m_grid; }
    [[nodiscard]] QPushButton& verifyButton() const { return *m_verify; }
    [[nodiscard]] QPushButton& undoButton() const { return *m_undo; }
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] FieldList& entryInFront() const { return *m_facts; }

private:
    void build();
    [[nodiscard]] const AuditEntry* current() const;
    void showRequest(const QString& requestId);
    void showCurrent();
    void showEntry(const AuditEntry* entry);
    [[nodiscard]] models::BindingPtr bindingOf(const AuditEntry& entry) const;
    void verify();
    void showNoVerdict();
    void showVerdict(const Result<AuditVerdict>& answer);
    void exportEntries();
    void write(const QString& path, const std::vector<AuditEntry>& entries);

    const PageContext m_context;
    models::AuditModel* m_model = nullptr; // null: there is no session
    models::Latest<Result<std::vector<AuditEntry>>> m_export;
    QLineEdit* m_request;
    QString m_shown = QStringLiteral(""); // the request whose entries are shown; empty: those of all
    QLabel* m_verdict;
    QPushButton* m_verify;
    QPushButton* m_undo;
    QPushButton* m_exportButton;
    ErrorBanner* m_banner;
    RowGrid* m_grid;
    QFrame* m_card;
    FieldList* m_facts; // the whole of the entry in front: a row of the grid cuts its sentences
    bool m_loaded = false;
};

[[nodiscard]] Page* makeAuditPage(PageContext& context, QWidget* parent);

// One entry as a JSON object; the lines of an export.
[[nodiscard]] QByteArray jsonLine(const AuditEntry& entry);

} // namespace fencepost::ui

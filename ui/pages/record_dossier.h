// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include <QElapsedTimer>
#include <QTimer>

#include "models/deliver.h"
#include "ui/page.h"

class QLabel;
class QScrollArea;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QVBoxLayout;

namespace fencepost::ui {

class ElidedLabel;
class EmptyState;
class ErrorBanner;
class FieldList;
class OperationBar;
class PathCard;
class PayloadView;
class PlainTable;
class StateDiagram;
class StateLabel;
class TableNotes;
class Timeline;
struct PathStep;

// Everything that is known about one record.
class RecordDossier final : public Dossier {
    Q_OBJECT
public:
    explicit RecordDossier(PageContext& context, QWidget* parent = nullptr);

    void open(const Binding& binding, const std::vector<std::string>& identity) override;
    void reload() override;
    void setLive(bool live) override;
    [[nodiscard]] Selection selection() const override;
    [[nodiscard]] bool isLoading() const override;
    [[nodiscard]] int partCount() const override;
    [[nodiscard]] QString partName(int part) const override;
    void showPart(int part) override;

    [[nodiscard]] QTabWidget& tabs() const { return *m_tabs; }
    [[nodiscard]] PathCard& path() const { return *m_path; }
    [[nodiscard]] StateDiagram& diagram() const;
    [[nodiscard]] Timeline& timeline() const { return *m_timeline; }
    [[nodiscard]] FieldList& facts() const { return *m_facts; }
    [[nodiscard]] OperationBar& operationBar() const { return *m_operations; }
    [[nodiscard]] const std::vector<PayloadView*>& payloads() const { return m_payloads; }
    [[nodiscard]] bool loaded() const { return m_details.has_value(); }
    [[nodiscard]] QString leaseText() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    // What one visit to the database brings.
    struct Contents {
        std::optional<RowDetails> details; // none: the record is gone
        std::vector<AuditEntry> audit;
    };
    enum class Kinship { Key, Correlation };
    struct Relative {
        std::string binding;
        Row row;
        Kinship kinship = Kinship::Key; // what they share
    };

    void build();
    QWidget* buildHead();
    QWidget* addScroll(QVBoxLayout& column);
    void loaded(const Contents& contents);
    void showHead();
    [[nodiscard]] bool hasPayloadsOf(const Contents& contents) const;
    [[nodiscard]] bool hasStoryOf(const Contents& contents) const;
    void showTabs();
    void showFacts();
    void openStep(const PathStep& step);
    void showPayloads();
    void showAttempts();
    void showAudit();
    QWidget* buildRelated();
    void openAlike(Field field, const std::optional<std::string>& value);
    void loadRelatives();
    void showRelatives(const std::vector<Relative>& relatives);
    void countDown();
    void reveal(const QString& name, const QString& pointer);
    [[nodiscard]] Time databaseNow() const;

    const PageContext m_context;
    std::optional<Binding> m_binding;
    std::vector<std::string> m_identity;
    std::optional<RowDetails> m_details;
    std::vector<AuditEntry> m_audit;
    std::vector<Relative> m_relatives;
    QElapsedTimer m_sinceRead;
    QTimer m_ticks;
    QTimer m_live;
    models::Latest<Result<Contents>> m_load;
    models::Latest<Result<std::vector<Relative>>> m_loadRelatives;

    ElidedLabel* m_key;
    StateLabel* m_state;
    QLabel* m_lease;
    QLabel* m_error;
    OperationBar* m_operations;
    ErrorBanner* m_banner;
    QTabWidget* m_tabs;
    FieldList* m_facts;
    TableNotes* m_about;
    PathCard* m_path;
    Timeline* m_timeline;
    QStackedWidget* m_attemptsPage = nullptr;
    PlainTable* m_attempts;
    PlainTable* m_deliveries; // of an event, those that failed
    PlainTable* m_related;
    QPushButton* m_sameOwner;
    QPushButton* m_sameHash;
    QWidget* m_relatedPage = nullptr;
    PlainTable* m_auditTable;
    QVBoxLayout* m_payloadColumn = nullptr;
    std::vector<PayloadView*> m_payloads;
};

[[nodiscard]] Dossier* makeRecordDossier(PageContext& context, QWidget* parent);

} // namespace fencepost::ui

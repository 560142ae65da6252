// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

#include "models/flows_model.h"
#include "ui/page.h"

class QComboBox;
class QLabel;
class QScrollArea;
class QSplitter;

namespace fencepost::ui {

class ChartMenu;
class EmptyState;
class ErrorBanner;
class FlowDiagram;
class RangeField;
class RowGrid;

// The state machine of one table in motion: how often its rows took each edge within a range, what of it should not
// have been, and the rows behind each.
class FlowsPage final : public Page {
    Q_OBJECT
public:
    explicit FlowsPage(PageContext& context, QWidget* parent = nullptr);

    void activate() override;
    void reload() override;
    void setLive(bool live) override;
    void setDense(bool dense) override;
    void show(const QString& binding, const QString& filter) override;
    using QWidget::show;
    [[nodiscard]] Place place() const override;
    [[nodiscard]] PageStatus status() const override;
    [[nodiscard]] bool isLoading() const override;
    [[nodiscard]] bool handles(std::string_view command) const override;
    void run(std::string_view command) override;
    [[nodiscard]] QVariantMap arrangement() const override;
    void setArrangement(const QVariantMap& arrangement) override;

    [[nodiscard]] models::FlowsModel* model() const { return m_model; }
    [[nodiscard]] FlowDiagram& diagram() const { return *m_diagram; }
    [[nodiscard]] RowGrid& grid() const { return *m_grid; }
    [[nodiscard]] QComboBox& tables() const { return *m_tables; }
    [[nodiscard]] RangeField& range() const { return *m_range; }
    [[nodiscard]] QString summary() const;
    // For the dialog and for tests: writes the diagram as it is.
    void saveDiagram(const QString& path);

private:
    void build();
    void fillTables();
    void ask();
    void showAnswer();
    void openRows(const std::vector<Flow>& flows);
    void askForFile(const QString& suffix);
    [[nodiscard]] QString title() const;

    const PageContext m_context;
    models::FlowsModel* m_model = nullptr; // null: there is no session
    QString m_binding; // chosen; empty: the first
    QComboBox* m_tables;
    RangeField* m_range;
    QLabel* m_summary;
    ErrorBanner* m_banner;
    FlowDiagram* m_diagram;
    QScrollArea* m_scroll;
    ChartMenu* m_menu;
    EmptyState* m_empty;
    QSplitter* m_split;
    RowGrid* m_grid;
    models::Latest<Result<FlowKeys>> m_keys;
    QTimer m_refresh;
    bool m_live = false;
};

[[nodiscard]] Page* makeFlowsPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui

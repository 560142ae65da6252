// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/flows_model.h"
#include "ui/pages/look_back_page.h"

class QScrollArea;

namespace fencepost::ui {

class ChartMenu;
class DrawingTools;
class FlowDiagram;
class RowGrid;

// The state machine of one table in motion: how often its rows took each edge within a range, what of it should not
// have been, and the rows behind each.
class FlowsPage final : public LookBackPage {
    Q_OBJECT
public:
    explicit FlowsPage(PageContext& context, QWidget* parent = nullptr);

    void activate() override;
    void setDense(bool dense) override;
    [[nodiscard]] PageStatus status() const override;
    [[nodiscard]] bool isLoading() const override;
    [[nodiscard]] bool handles(std::string_view command) const override;
    void run(std::string_view command) override;
    [[nodiscard]] QVariantMap arrangement() const override;
    void setArrangement(const QVariantMap& arrangement) override;

    [[nodiscard]] models::FlowsModel* model() const { return m_model; }
    [[nodiscard]] FlowDiagram& diagram() const { return *m_diagram; }
    [[nodiscard]] RowGrid& grid() const { return *m_grid; }
    // SVG or PNG, by the name's end.
    void saveDiagram(const QString& path);

private:
    void build();
    void ask(const models::BindingPtr& binding, const RangeRequest& request) override;
    void showAnswer();
    void openRows(const std::vector<Flow>& flows);
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString csv() const;

    models::FlowsModel* m_model = nullptr; // null: there is no session
    FlowDiagram* m_diagram;
    DrawingTools* m_drawing;
    ChartMenu* m_menu;
    RowGrid* m_grid;
};

[[nodiscard]] Page* makeFlowsPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui

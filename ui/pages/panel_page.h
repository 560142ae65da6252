// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

#include "ui/pages/table_page.h"

namespace fencepost::models {
class RowsModelBase;
}

namespace fencepost::ui {

class RowPanel;

// A page with a short table above its grid, of the same table, whose rows narrow the grid.
class PanelPage : public TablePage {
    Q_OBJECT
public:
    void activate() override;
    void reload() override;
    void setLive(bool live) override;
    [[nodiscard]] bool isLoading() const override;
    [[nodiscard]] QVariantMap arrangement() const override;
    void setArrangement(const QVariantMap& arrangement) override;
    [[nodiscard]] RowPanel& panel() const { return *m_panel; }

protected:
    PanelPage(PageContext& context, Traits traits, models::PageModel* (*make)(models::StoreThread&, QObject*),
        const QString& title, QWidget* parent);

    // Call it in the constructor, where there is a session.
    void setPanelModel(models::RowsModelBase* model, const QString& rows);
    // The grid shows another table.
    virtual void bind(const models::BindingPtr& binding) = 0;
    // The panel was read, or could not be.
    [[nodiscard]] virtual QString summaryOf() const = 0;
    // What the grid is narrowed to by a row of the panel.
    [[nodiscard]] virtual QString filterOf(int row) const = 0;
    // Behind summaryOf.
    virtual void panelMoved() { }

private:
    void follow();
    void showPanel();

    RowPanel* m_panel;
    models::RowsModelBase* m_rows = nullptr;
    models::BindingPtr m_bound;
    QTimer m_refresh;
};

} // namespace fencepost::ui

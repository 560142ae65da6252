// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include "models/arrivals.h"
#include "models/copy_as.h"
#include "models/deliver.h"
#include "models/page_model.h"
#include "models/saved_views.h"
#include "ui/page.h"
#include "ui/widgets/filter_bar.h"

class QBoxLayout;
class QMenu;

namespace fencepost {
struct Plan;
struct RunReport;
} // namespace fencepost

namespace fencepost::ui {

class ArrivalsStrip;
class ChosenRows;
class ErrorBanner;
class RowGrid;
class SelectionLine;

// What Keys, Stuck and Inbox share: a filtered grid over one recognised table, its selection and the verbs for it.
class TablePage : public Page {
    Q_OBJECT
public:
    struct Traits {
        const char* id; // of the page registry
        Kind kind = Kind::Idempotency;
        QString rows; // "keys"
        QString one; // "key"
        QString good; // what an empty page says where that is good news
        QString always; // a filter that is always in force: "stuck"
        QString order; // preferred; used where the table has it
        bool descending = true;
        FilterBar::Chips chips = {};
        bool operations = true; // false: the page is for reading only
        bool strip = false; // a histogram of when the rows arrived, above them
    };

    TablePage(PageContext& context, Traits traits, models::PageModel* (*make)(models::StoreThread&, QObject*),
        QWidget* parent);

    void activate() override;
    void reload() override;
    void setLive(bool live) override;
    void standOn(const Binding& binding, const std::vector<std::string>& identity) override;
    void setDense(bool dense) override;
    void show(const QString& binding, const QString& filter) override;
    using QWidget::show;
    [[nodiscard]] Place place() const override;
    [[nodiscard]] QWidget* filterField() const override;
    [[nodiscard]] Selection selection() const override;
    [[nodiscard]] PageStatus status() const override;
    [[nodiscard]] bool isLoading() const override { return (m_model && m_model->busy()) || m_arrivals.pending(); }
    [[nodiscard]] bool handles(std::string_view command) const override;
    void run(std::string_view command) override;
    [[nodiscard]] QVariantMap arrangement() const override;
    void setArrangement(const QVariantMap& arrangement) override;

    [[nodiscard]] models::PageModel* model() const { return m_model; }
    [[nodiscard]] RowGrid& grid() const { return *m_grid; }
    [[nodiscard]] FilterBar& filterBar() const { return *m_bar; }
    [[nodiscard]] ArrivalsStrip* strip() const { return m_strip; }
    [[nodiscard]] std::optional<Row> currentRow() const;
    // The filter, columns and order that are shown, as a file of the views' folder.
    void saveView(const QString& name);
    void fillCopyMenu(QMenu& menu);

protected:
    // Places for what a page adds above and below its grid.
    [[nodiscard]] QBoxLayout& header() const { return *m_header; }
    [[nodiscard]] QBoxLayout& footer() const { return *m_footer; }
    [[nodiscard]] const PageContext& context() const { return m_context; }
    virtual void showCurrent() { }

private:
    void build();
    void connectParts();
    void connectModel();
    void connectSession();
    void noteRun(const Plan& plan, const RunReport& report);

    [[nodiscard]] bool isShown(Kind kind) const;
    [[nodiscard]] QStringList tableNames() const;
    void bindingsMoved();
    void choose(const QString& name, const QString& filter);
    void applyFilter(const QString& text);
    [[nodiscard]] QString wholeFilter(const QString& text) const;
    void sort(int column, bool descending);
    void markOrder();
    void holdNewest();

    void showAbsence();
    void remarkFilter(const QString& filter);
    void showSummary();
    void showTarget();
    [[nodiscard]] QString rowsText(const Count& size) const;

    void openRow(int row);
    void plan(const Operation& operation);
    void rowMenu(const QPoint& globalPosition);
    void addOperations(QMenu& menu);
    void showStatement();

    void buildStrip();
    void countArrivals();
    void countOn(const models::ArrivalsRequest& request, const models::Arrivals& before, bool quietly);
    void recountArrivals();
    void applyArrivals(const QString& term);

    void fillViews();
    void addBookmarked(QMenu& menu);
    void toggleBookmark(const Row& row);
    void showBookmarks();
    void openView(const models::SavedView& view);
    void copyMenu();
    void exportRows();
    void copy(models::CopyFormat format, bool withSecrets);
    [[nodiscard]] QStringList shownColumns() const;

    const PageContext m_context;
    const Traits m_traits;
    models::PageModel* m_model = nullptr; // null: there is no session
    FilterBar* m_bar;
    ErrorBanner* m_banner;
    RowGrid* m_grid;
    SelectionLine* m_selectionLine;
    ChosenRows* m_chosen = nullptr; // null: there is no session
    ArrivalsStrip* m_strip = nullptr; // of the pages that have one
    models::Latest<Result<models::Arrivals>> m_arrivals;
    QString m_counted; // what the strip was counted for
    std::optional<std::int64_t> m_countedRows; // in the grid by then, where they were known
    bool m_recount = false;
    QString m_arrivalsTerm; // what was dragged across it, at the end of the filter
    QBoxLayout* m_header;
    QBoxLayout* m_footer;
    bool m_activated = false;
    bool m_live = true;
};

} // namespace fencepost::ui

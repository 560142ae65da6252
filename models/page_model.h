// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <set>

#include "models/row_columns.h"
#include "models/window_model.h"

namespace fencepost::models {

using BindingPtr = std::shared_ptr<const Binding>; // immutable, shared with the store thread

// What a selection stands for, ready for PlanRequest: the identities, or the filter where they are too many to be held.
struct SelectionScope {
    std::vector<Identity> identities;
    std::string filter; // where identities is empty
    Count expected; // what the selection showed
};

// A window on one recognised table: binding, filter and order decide what it holds.
class PageModel : public WindowModel<Row> {
    Q_OBJECT

public:
    PageModel(std::span<const Column<Row>> columns, StoreThread& thread, QObject* parent = nullptr);

    [[nodiscard]] const BindingPtr& binding() const { return m_binding; }
    // Shows this table from its first page, without a filter, in its first order.
    void setBinding(const BindingPtr& binding);
    // Invalid, and nothing changes, where the text is no filter.
    Status setFilterText(const QString& text);
    [[nodiscard]] QString filterText() const { return m_filterText; }
    [[nodiscard]] const FilterPtr& filter() const { return m_filter; }
    // Sorts the whole table; only by a word of Binding::orders. For other columns there is sortLoaded().
    Status setOrder(const QString& order, bool descending);
    [[nodiscard]] QString order() const { return QString::fromStdString(m_order); }
    [[nodiscard]] bool descending() const { return m_descending; }
    // All of it at once: a saved view.
    Status setView(const BindingPtr& binding, const QString& filterText, const QString& order, bool descending);
    // Can the whole table be sorted by this column?
    [[nodiscard]] bool canOrderBy(int column) const;

    // The statement behind what is shown and the database's plan for it.
    [[nodiscard]] QFuture<Result<std::string>> explain() const;
    // What an operation on the selection acts on. Refused: nothing is selected; everything is selected without a filter
    // in a table too large to be listed; more rows than the limit.
    [[nodiscard]] QFuture<Result<SelectionScope>> resolveSelection(std::int64_t limit = 100'000) const;
    // Rows that carry a mark of the operator's.
    void setBookmarks(std::set<Identity> bookmarks);
    // Rows that are known issues.
    void setQuiet(std::set<Identity> quiet);
    [[nodiscard]] Emptiness emptiness() const override;
    [[nodiscard]] Count estimatedSize() const override;
    // Where is the row with this identity in the window? -1: not there.
    [[nodiscard]] int rowOf(const Identity& identity) const;

Q_SIGNALS:
    void viewChanged(); // binding, filter or order

protected:
    [[nodiscard]] QVariant mark(const Row& row, int role) const override;
    [[nodiscard]] bool hasField(const Column<Row>& column) const override;

private:
    void apply();
    [[nodiscard]] Result<SelectionScope> everythingSelected() const;

    BindingPtr m_binding;
    FilterPtr m_filter;
    std::set<Identity> m_bookmarks;
    std::set<Identity> m_quiet;
    QString m_filterText;
    std::string m_order;
    bool m_descending = true;
};

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/page_model.h"

#include <algorithm>

#include "models/cursor_interpolation.h"

namespace fencepost::models {

namespace {

// What a page is asked with, apart from its position.
struct View {
    BindingPtr binding;
    FilterPtr filter;
    std::string order;
    bool descending = true;

    [[nodiscard]] PageRequest request(int limit) const
    {
        return { .filter = filter, .order = order, .descending = descending, .limit = limit };
    }
};

Window<Row> windowOf(Page page)
{
    return { .rows = std::move(page.rows),
        .cursors = std::move(page.cursors),
        .moreBefore = page.moreBefore,
        .moreAfter = page.moreAfter,
        .now = page.now,
        .cost = std::move(page.cost) };
}

// The ends are read afresh: they are two rows, and a table grows.
Result<Cursor> cursorAt(Inspector& inspector, const View& view, double fraction)
{
    auto request = view.request(1);
    const auto begin = inspector.page(*view.binding, request);
    if (!begin)
        return begin.error();
    request.fromEnd = true;
    const auto end = inspector.page(*view.binding, request);
    if (!end)
        return end.error();
    if (begin->cursors.empty() || end->cursors.empty())
        return Error{ Failure::NotFound, "There are no rows.", {} };
    return interpolate(begin->cursors.front(), end->cursors.back(), fraction);
}

Result<Window<Row>> load(Inspector& inspector, const View& view, const Fetch& fetch)
{
    auto request = view.request(fetch.limit);
    switch (fetch.from) {
    case Fetch::From::Begin:
        break;
    case Fetch::From::End:
        request.fromEnd = true;
        break;
    case Fetch::From::After:
        request.after = fetch.cursor;
        break;
    case Fetch::From::Before:
        request.before = fetch.cursor;
        break;
    case Fetch::From::Fraction:
        const auto cursor = cursorAt(inspector, view, fetch.fraction);
        if (cursor)
            request.after = *cursor;
        else if (cursor.error().failure != Failure::NotFound)
            return cursor.error();
        break;
    }
    auto page = inspector.page(*view.binding, request);
    if (!page)
        return page.error();
    // Interpolation may land behind the last row.
    if (fetch.from == Fetch::From::Fraction && page->rows.empty() && request.after) {
        request.after.reset();
        request.fromEnd = true;
        page = inspector.page(*view.binding, request);
        if (!page)
            return page.error();
    }
    return windowOf(std::move(page).value());
}

Result<std::vector<Row>> find(Inspector& inspector, const Binding& binding, const std::vector<Identity>& identities)
{
    std::vector<Row> rows;
    for (const auto& identity : identities) {
        auto row = inspector.row(binding, identity);
        if (!row)
            return row.error();
        if (*row)
            rows.push_back(std::move(**row));
    }
    return rows;
}

constexpr Duration countingBudget = std::chrono::milliseconds(50);

Result<Estimate> estimateOf(Inspector& inspector, const View& view)
{
    const auto matching = inspector.counts(*view.binding, view.filter, countingBudget);
    if (!matching)
        return matching.error();
    Estimate estimate{ .matching = matching->total, .cost = matching->cost };
    if (!view.filter) {
        estimate.all = matching->total;
        return estimate;
    }
    const auto all = inspector.counts(*view.binding, nullptr, countingBudget);
    if (all) {
        estimate.all = all->total;
        estimate.cost.time += all->cost.time;
    }
    return estimate;
}

Result<std::vector<Identity>> collect(
    Inspector& inspector, const View& view, const SelectedRange& range, const Selection& selection, std::int64_t limit)
{
    std::vector<Identity> identities;
    auto request = view.request(1000);
    // The page ahead of the second row ends with the first one, so the range starts one row earlier.
    auto first = view.request(1);
    first.before = range.firstCursor;
    const auto ahead = inspector.page(*view.binding, first);
    if (!ahead)
        return ahead.error();
    if (!ahead->cursors.empty())
        request.after = ahead->cursors.back();
    while (true) {
        const auto page = inspector.page(*view.binding, request);
        if (!page)
            return page.error();
        for (std::size_t i = 0; i < page->rows.size(); ++i) {
            if (!selection.exceptions().contains(page->rows[i].identity))
                identities.push_back(page->rows[i].identity);
            if (page->cursors[i] == range.lastCursor)
                return identities;
        }
        if (!page->moreAfter || page->rows.empty())
            return Error{ Failure::Conflict, "The last selected row has moved since it was selected.",
                "Select the rows again." };
        if (static_cast<std::int64_t>(identities.size()) > limit)
            return Error{ Failure::Invalid, "More than " + std::to_string(limit) + " rows are selected.",
                "Select fewer rows or narrow the filter." };
        request.after = page->cursors.back();
    }
}

std::string quoted(const std::string& text)
{
    std::string result = "\"";
    for (const char character : text) {
        if (character == '"' || character == '\\')
            result += '\\';
        result += character;
    }
    return result + '"';
}

QFuture<Result<SelectionScope>> ready(const Result<SelectionScope>& result)
{
    QPromise<Result<SelectionScope>> promise;
    promise.start();
    promise.addResult(result);
    promise.finish();
    return promise.future();
}

} // namespace

PageModel::PageModel(std::span<const Column<Row>> columns, StoreThread& thread, QObject* parent)
    : WindowModel(columns, thread, parent)
{
}

void PageModel::setBinding(const BindingPtr& binding)
{
    m_binding = binding;
    m_filter.reset();
    m_filterText.clear();
    m_order = binding->orders.empty() ? std::string() : binding->orders.front();
    m_descending = true;
    apply();
}

Status PageModel::setFilterText(const QString& text)
{
    return setView(m_binding, text, order(), m_descending);
}

Status PageModel::setOrder(const QString& order, bool descending)
{
    return setView(m_binding, m_filterText, order, descending);
}

Status PageModel::setView(const BindingPtr& binding, const QString& filterText, const QString& order, bool descending)
{
    if (!binding)
        return Error{ Failure::Invalid, "No table is chosen.", {} };
    auto filter = parseFilter(filterText.toStdString());
    if (!filter)
        return filter.error();
    auto word = order.toStdString();
    if (word.empty() && !binding->orders.empty())
        word = binding->orders.front();
    if (std::find(binding->orders.begin(), binding->orders.end(), word) == binding->orders.end() && !word.empty())
        return Error{ Failure::Invalid, "“" + binding->name + "” has no index to sort by " + word + ".", {} };
    m_binding = binding;
    m_filter = std::move(filter).value();
    m_filterText = filterText.trimmed();
    m_order = word;
    m_descending = descending;
    apply();
    return {};
}

// No row is no proof that there is none.
Emptiness PageModel::emptiness() const
{
    auto empty = WindowModel::emptiness();
    const bool none = empty.kind == Emptiness::Kind::NoRows || empty.kind == Emptiness::Kind::FilterHidesRows;
    if (none && m_binding && m_binding->mayHideRows)
        empty.kind = Emptiness::Kind::RowsMayBeHidden;
    return empty;
}

Count PageModel::estimatedSize() const
{
    auto size = WindowModel::estimatedSize();
    if (size.exactness == Exactness::Exact && m_binding && m_binding->mayHideRows)
        size.exactness = Exactness::AtLeast;
    return size;
}

bool PageModel::canOrderBy(int column) const
{
    const auto* order = columns()[static_cast<std::size_t>(column)].order;
    return order && m_binding
        && std::find(m_binding->orders.begin(), m_binding->orders.end(), order) != m_binding->orders.end();
}

void PageModel::apply()
{
    const View view{ m_binding, m_filter, m_order, m_descending };
    setSource({
        .load = [view](Backend& backend, const Fetch& fetch) { return load(backend.inspector(), view, fetch); },
        .estimate = [view](Backend& backend) { return estimateOf(backend.inspector(), view); },
        .find =
            [binding = m_binding](Backend& backend, const std::vector<Identity>& identities) {
                return find(backend.inspector(), *binding, identities);
            },
        .identity = identityOf,
        .filtered = m_filter != nullptr,
    });
    Q_EMIT viewChanged();
}

QFuture<Result<std::string>> PageModel::explain() const
{
    const View view{ m_binding, m_filter, m_order, m_descending };
    return thread().run([view](Backend& backend) -> Result<std::string> {
        if (!view.binding)
            return Error{ Failure::Invalid, "No table is chosen.", {} };
        return backend.inspector().explain(*view.binding, view.request(pageSize));
    });
}

// Everything: listed where all of it is loaded, else by the filter and the instant of the selection.
Result<SelectionScope> PageModel::everythingSelected() const
{
    SelectionScope scope{ .expected = selection().size() };
    const auto& exceptions = selection().exceptions();
    if (!moreBefore() && !moreAfter()) {
        for (int row = 0; row < rowCount(); ++row) {
            if (!exceptions.contains(identityAt(row)))
                scope.identities.push_back(identityAt(row));
        }
        return scope;
    }
    if (!m_filter)
        return Error{ Failure::Invalid, "All rows of a whole table cannot be acted on at once.",
            "Set a filter that says which rows are meant." };
    scope.filter = "(" + formatFilter(m_filter) + ")";
    const auto& fields = m_binding->fields;
    if (std::find(fields.begin(), fields.end(), "created") != fields.end()
        || std::find(fields.begin(), fields.end(), "created_at") != fields.end())
        scope.filter += " and created <= " + formatInstant(*selection().asOf());
    for (const auto& [identity, position] : exceptions) {
        const auto row = rowOf(identity);
        if (row < 0)
            return Error{ Failure::Invalid, "A row that was taken out of the selection is no longer loaded.",
                "Scroll back to it, or narrow the filter so that it does not match." };
        const auto& left = rowAt(row);
        scope.filter += " and not (key = " + quoted(left.key);
        if (left.scope)
            scope.filter += " and scope = " + quoted(*left.scope);
        if (left.operation)
            scope.filter += " and operation = " + quoted(*left.operation);
        scope.filter += ")";
    }
    return scope;
}

QFuture<Result<SelectionScope>> PageModel::resolveSelection(std::int64_t limit) const
{
    if (selection().empty())
        return ready(Error{ Failure::Invalid, "Nothing is selected.", {} });
    if (selection().everything())
        return ready(everythingSelected());
    SelectionScope scope{ .expected = selection().size() };
    bool loaded = true;
    for (const auto& range : selection().ranges())
        loaded = loaded && range.first >= firstPosition() && range.last < firstPosition() + rowCount();
    if (loaded) {
        for (const auto& range : selection().ranges()) {
            for (auto position = range.first; position <= range.last; ++position) {
                auto identity = identityAt(static_cast<int>(position - firstPosition()));
                if (!selection().exceptions().contains(identity))
                    scope.identities.push_back(std::move(identity));
            }
        }
        return ready(scope);
    }
    const View view{ m_binding, m_filter, m_order, m_descending };
    return thread().run(
        [view, selected = selection(), limit, scope](Backend& backend) mutable -> Result<SelectionScope> {
            scope.identities.clear();
            for (const auto& range : selected.ranges()) {
                auto identities = collect(backend.inspector(), view, range, selected, limit);
                if (!identities)
                    return identities.error();
                scope.identities.insert(scope.identities.end(), identities->begin(), identities->end());
            }
            return scope;
        });
}

int PageModel::rowOf(const Identity& identity) const
{
    for (int row = 0; row < rowCount(); ++row) {
        if (rowAt(row).identity == identity)
            return row;
    }
    return -1;
}

bool PageModel::hasField(const Column<Row>& column) const
{
    if (!m_binding || column.field == nullptr)
        return true;
    const auto& fields = m_binding->fields;
    return std::find(fields.begin(), fields.end(), column.field) != fields.end();
}

void PageModel::setBookmarks(std::set<Identity> bookmarks)
{
    m_bookmarks = std::move(bookmarks);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), { BookmarkedRole });
}

void PageModel::setQuiet(std::set<Identity> quiet)
{
    if (m_quiet == quiet)
        return;
    m_quiet = std::move(quiet);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), { QuietRole });
}

QVariant PageModel::mark(const Row& row, int role) const
{
    switch (role) {
    case StateRole:
        return QString::fromStdString(row.state);
    case StuckRole:
        return row.stuck;
    case BookmarkedRole:
        return m_bookmarks.contains(row.identity);
    case QuietRole:
        return m_quiet.contains(row.identity);
    default:
        return WindowModel::mark(row, role);
    }
}

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <set>

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>

#include "models/deliver.h"
#include "models/rows_model.h"

namespace fencepost::models {

// Which page of an ordered table to read.
struct Fetch {
    enum class From { Begin, End, After, Before, Fraction };
    From from = From::Begin;
    Cursor cursor; // After and Before
    double fraction = 0; // of the way from begin to end
    int limit = 200;
};

template <typename Row> struct Window {
    std::vector<Row> rows;
    std::vector<Cursor> cursors;
    bool moreBefore = false;
    bool moreAfter = false;
    Time now;
    Cost cost;
};

struct Estimate {
    Count matching;
    std::optional<Count> all; // without the filter
    Cost cost;
};

// Where a window's rows come from. The functions run on the store thread and hold values only.
template <typename Row> struct Source {
    std::function<Result<Window<Row>>(Backend&, const Fetch&)> load;
    std::function<Result<Estimate>(Backend&)> estimate; // none: the size is learned by scrolling
    // Those of them that are still in the table, whatever the filter says; none: rows that left it stay as they were.
    std::function<Result<std::vector<Row>>(Backend&, const std::vector<Identity>&)> find;
    Identity (*identity)(const Row&) = nullptr;
    bool filtered = false;
};

// A table of any size, of which a sliding window is held. Pages are fetched ahead of what is shown, in both directions,
// and evicted behind it. Answers to superseded questions are dropped; rows stay when a reload fails.
template <typename Row> class WindowModel : public RowsModel<Row> {
public:
    using Base = RowsModel<Row>;
    static constexpr int pageSize = 200;
    static constexpr int defaultCapacity = 10'000;

    WindowModel(std::span<const Column<Row>> columns, StoreThread& thread, QObject* parent = nullptr);

    // Another table, filter or order: its first page replaces what is shown.
    void setSource(Source<Row> source);
    // Rows held at most, apart from those shown.
    void setCapacity(int rows) { m_capacity = rows; }
    // Refreshes by itself, at most four times a second; zero stops it.
    void setLive(std::chrono::milliseconds interval);
    [[nodiscard]] bool isLive() const { return m_live.isActive(); }
    // Asks for a refresh soon; many requests are one.
    void refreshSoon();
    // This console changed them: muted, brought up to date at once, also where the filter has no place for them any
    // more, and gone with the refresh after that. A selection of nothing else goes with them.
    void noteChanged(const std::vector<Identity>& identities);

    [[nodiscard]] Emptiness emptiness() const override;
    [[nodiscard]] std::int64_t firstPosition() const override { return m_first; }
    [[nodiscard]] bool positionIsExact() const override { return m_firstExact; }
    [[nodiscard]] Count estimatedSize() const override;
    [[nodiscard]] bool loading() const override { return m_load.pending(); }
    // Anything is under way: a page ahead, a refresh, a count.
    [[nodiscard]] bool busy() const
    {
        return m_load.pending() || m_more.pending() || m_refresh.pending() || m_count.pending() || m_found.pending()
            || m_soon.isActive() || m_rest.isActive();
    }
    [[nodiscard]] bool stale() const override { return m_stale; }
    [[nodiscard]] std::optional<Error> error() const override { return m_error; }
    [[nodiscard]] Count newRows() const override { return m_fresh; }
    [[nodiscard]] bool moreBefore() const { return m_moreBefore; }
    [[nodiscard]] bool moreAfter() const { return m_moreAfter; }
    [[nodiscard]] bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;
    void sortLoaded(int column, Qt::SortOrder order) override;

    void show(int firstRow, int lastRow) override;
    void jumpToBegin() override { replace({ .from = Fetch::From::Begin, .limit = pageSize }); }
    void jumpToEnd() override { replace({ .from = Fetch::From::End, .limit = pageSize }); }
    void jumpToFraction(double fraction) override;
    void reload() override { jumpToBegin(); }
    void refresh() override;
    void cancelLoading() override { m_thread->cancelRunning(); }

protected:
    using Entry = typename Base::Entry;

    [[nodiscard]] Identity identityAt(int row) const override { return m_source.identity(this->rowAt(row)); }
    [[nodiscard]] QVariant mark(const Row& row, int role) const override;
    [[nodiscard]] StoreThread& thread() const { return *m_thread; }
    [[nodiscard]] const Source<Row>& source() const { return m_source; }

private:
    struct Refreshed {
        Window<Row> slice;
        std::optional<Count> fresher;
        Cost cost;
    };
    struct Slice {
        bool head = false; // at the top and free to change
        std::optional<Cursor> after; // none: from the begin
    };

    void replace(const Fetch& fetch);
    void replaced(const Fetch& fetch, const Result<Window<Row>>& answer);
    void put(const Window<Row>& window);
    void place(const Fetch& fetch);
    [[nodiscard]] std::int64_t estimatedFirst() const;
    void extend(bool forward);
    void extended(bool forward, const Cursor& from, const Result<Window<Row>>& answer);
    void append(const Window<Row>& window);
    void prepend(const Window<Row>& window);
    void trimFront();
    void trimBack();
    void prefetch();
    // Rows come in at the head by themselves.
    [[nodiscard]] bool flows() const { return this->m_selection.empty() && !this->m_held; }
    void refreshed(const Slice& slice, const Result<Refreshed>& answer);
    void findChanged();
    [[nodiscard]] bool selectionServed() const;
    bool spliceHead(const Window<Row>& window);
    void updateInPlace(const Slice& slice, const Window<Row>& window);
    void removeRun(int first, int last);
    void recount(bool moved);
    void estimate();
    void estimated(const Estimate& estimate);
    void anchor(std::int64_t first, bool exact);
    void broken(const Error& error);
    void linkMoved(const Link& link);

    QPointer<StoreThread> m_thread;
    Source<Row> m_source;
    int m_capacity = defaultCapacity;
    Latest<Result<Window<Row>>> m_load;
    Latest<Result<Window<Row>>> m_more;
    Latest<Result<Refreshed>> m_refresh;
    Latest<Result<Estimate>> m_count;
    Latest<Result<std::vector<Row>>> m_found;
    QTimer m_live;
    QTimer m_soon;
    QTimer m_rest; // while it runs, what a jump showed is left alone
    std::int64_t m_first = 0;
    bool m_firstExact = true;
    std::optional<double> m_jumpedTo; // the fraction that the window was asked for by, until it has been scrolled
    bool m_moreBefore = false;
    bool m_moreAfter = false;
    bool m_moving = false; // between begin… and end…: nothing may be fetched
    bool m_sourceChanged = false; // the rows shown belong to the source before
    bool m_stale = false;
    bool m_extendFailed = false;
    bool m_acted = false;
    int m_shownFirst = 0;
    int m_shownLast = 0;
    std::optional<Cursor> m_top; // of the first row of the table, when it was last read
    Count m_fresh;
    std::optional<Estimate> m_estimate;
    QElapsedTimer m_counted; // since then
    bool m_outdated = false; // rows have come or left since then
    std::optional<Error> m_error;
    bool m_wasLost = false;
};

} // namespace fencepost::models

#include "models/window_model_implementation.h"

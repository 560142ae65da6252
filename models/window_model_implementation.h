// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The bodies of WindowModel, apart so that its header stays readable. Included by window_model.h only.
#include "models/window_model.h"

namespace fencepost::models {

inline constexpr int countedNewRows = 200; // beyond that "200 or more" is as good
inline constexpr std::chrono::milliseconds soonest{ 250 };
// Under a drag the next jump comes sooner: the neighbours of a place that is passed by are never shown.
inline constexpr std::chrono::milliseconds restAfterJump{ 80 };
// A count is made again with a refresh, as long as all of them take no more than this part of the time.
inline constexpr int restForEachCount = 1000;

template <typename Row>
WindowModel<Row>::WindowModel(std::span<const Column<Row>> columns, StoreThread& thread, QObject* parent)
    : Base(columns, parent)
    , m_thread(&thread)
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(soonest);
    QObject::connect(&m_soon, &QTimer::timeout, this, [this] { refresh(); });
    m_rest.setSingleShot(true);
    m_rest.setInterval(restAfterJump);
    QObject::connect(&m_rest, &QTimer::timeout, this, [this] { prefetch(); });
    QObject::connect(&m_live, &QTimer::timeout, this, [this] { refresh(); });
    QObject::connect(m_thread, &StoreThread::linkChanged, this, [this](const Link& link) { linkMoved(link); });
}

template <typename Row> void WindowModel<Row>::setSource(Source<Row> source)
{
    m_source = std::move(source);
    m_estimate.reset();
    m_top.reset();
    m_fresh = {};
    m_sourceChanged = true;
    this->clearSelection();
    if (m_thread) {
        m_count.drop(*m_thread);
        m_found.drop(*m_thread);
    }
    reload();
}

template <typename Row> void WindowModel<Row>::setLive(std::chrono::milliseconds interval)
{
    if (interval.count() > 0)
        m_live.start(std::max(interval, soonest));
    else
        m_live.stop();
}

template <typename Row> void WindowModel<Row>::refreshSoon()
{
    if (!m_soon.isActive())
        m_soon.start();
}

template <typename Row> void WindowModel<Row>::noteChanged(const std::vector<Identity>& identities)
{
    const std::set<Identity> changed(identities.begin(), identities.end());
    for (auto& entry : this->m_rows)
        entry.changed = entry.changed || changed.contains(m_source.identity(entry.row));
    m_acted = true;
    findChanged();
    refresh();
}

// A filter that was about the old state does not show the new one.
template <typename Row> void WindowModel<Row>::findChanged()
{
    std::vector<Identity> wanted;
    for (const auto& entry : this->m_rows)
        if (entry.changed && wanted.size() < std::size_t(pageSize))
            wanted.push_back(m_source.identity(entry.row));
    if (!m_thread || !m_source.find || wanted.empty())
        return;
    m_found.start(
        *m_thread, [find = m_source.find, wanted](Backend& backend) { return find(backend, wanted); },
        [this](const Result<std::vector<Row>>& answer) {
            if (!answer)
                return;
            for (const Row& row : *answer) {
                const auto identity = m_source.identity(row);
                for (auto& entry : this->m_rows)
                    if (m_source.identity(entry.row) == identity)
                        entry.row = row;
            }
            if (!this->m_rows.empty())
                Q_EMIT this->dataChanged(this->index(0, 0), this->index(this->rowCount() - 1, this->columnCount() - 1));
            Q_EMIT this->loaded();
        });
}

// Whether nothing is selected but what this console has changed.
template <typename Row> bool WindowModel<Row>::selectionServed() const
{
    std::int64_t changed = 0;
    for (int row = 0; row < this->rowCount(); ++row) {
        const auto& entry = this->m_rows[static_cast<std::size_t>(row)];
        if (!this->m_selection.contains(m_first + row, m_source.identity(entry.row)))
            continue;
        if (!entry.changed)
            return false;
        ++changed;
    }
    return changed > 0 && changed == this->m_selection.size().value;
}

template <typename Row> Emptiness WindowModel<Row>::emptiness() const
{
    Emptiness empty{ .error = m_error, .asOf = this->m_loadedAt };
    if (!this->m_rows.empty())
        empty.kind = m_error && emptinessOf(*m_error) == Emptiness::Kind::ConnectionLost
            ? Emptiness::Kind::ConnectionLost
            : Emptiness::Kind::Rows;
    else if (m_load.pending())
        empty.kind = Emptiness::Kind::Loading;
    else if (m_error)
        empty.kind = emptinessOf(*m_error);
    else if (!this->m_loadedAt)
        empty.kind = Emptiness::Kind::Loading;
    else if (m_source.filtered && (!m_estimate || !m_estimate->all || m_estimate->all->value > 0)) {
        empty.kind = Emptiness::Kind::FilterHidesRows;
        empty.hidden = m_estimate ? m_estimate->all : std::nullopt;
    } else
        empty.kind = Emptiness::Kind::NoRows;
    return empty;
}

template <typename Row> Count WindowModel<Row>::estimatedSize() const
{
    const auto seen = m_first + static_cast<std::int64_t>(this->m_rows.size());
    if (m_firstExact && !m_moreAfter)
        return { .value = seen };
    const std::int64_t least = seen + (m_moreAfter ? 1 : 0);
    if (!m_estimate || m_estimate->matching.value < least)
        return { .value = least, .exactness = m_firstExact && !m_estimate ? Exactness::AtLeast : Exactness::Estimate };
    return m_estimate->matching;
}

template <typename Row> QVariant WindowModel<Row>::mark(const Row& row, int role) const
{
    if (role != RowsModelBase::IdentityRole)
        return {};
    QStringList identity;
    for (const auto& part : m_source.identity(row))
        identity.append(QString::fromStdString(part));
    return identity;
}

template <typename Row> bool WindowModel<Row>::canFetchMore(const QModelIndex& parent) const
{
    return !parent.isValid() && m_moreAfter && !m_moving && !m_load.pending() && !m_more.pending() && !m_extendFailed
        && !this->m_sortedLocally;
}

template <typename Row> void WindowModel<Row>::fetchMore(const QModelIndex& parent)
{
    if (canFetchMore(parent))
        extend(true);
}

template <typename Row> void WindowModel<Row>::sortLoaded(int column, Qt::SortOrder order)
{
    if (m_thread)
        m_more.drop(*m_thread);
    Base::sortLoaded(column, order);
    Q_EMIT this->statusChanged();
}

template <typename Row> void WindowModel<Row>::show(int firstRow, int lastRow)
{
    m_shownFirst = std::max(0, firstRow);
    m_shownLast = std::max(m_shownFirst, lastRow);
    prefetch();
}

template <typename Row> void WindowModel<Row>::jumpToFraction(double fraction)
{
    if (fraction <= 0)
        jumpToBegin();
    else if (fraction >= 1)
        jumpToEnd();
    else
        replace({ .from = Fetch::From::Fraction, .fraction = fraction, .limit = pageSize });
}

template <typename Row> void WindowModel<Row>::replace(const Fetch& fetch)
{
    if (!m_thread || !m_source.load)
        return;
    m_rest.stop();
    m_more.drop(*m_thread);
    m_refresh.drop(*m_thread);
    m_load.start(
        *m_thread, [load = m_source.load, fetch](Backend& backend) { return load(backend, fetch); },
        [this, fetch](const Result<Window<Row>>& answer) { replaced(fetch, answer); });
    Q_EMIT this->statusChanged();
}

template <typename Row> void WindowModel<Row>::replaced(const Fetch& fetch, const Result<Window<Row>>& answer)
{
    if (!answer) {
        // Rows of another filter must not be taken for the answer to this one.
        if (m_sourceChanged && !this->m_rows.empty()) {
            this->beginResetModel();
            this->m_rows.clear();
            m_moreBefore = m_moreAfter = false;
            m_first = 0;
            m_firstExact = true;
            this->endResetModel();
        }
        broken(answer.error());
        return;
    }
    const bool wasExact = m_firstExact;
    put(*answer);
    place(fetch);
    m_sourceChanged = false;
    if (!this->m_selection.everything() && !(wasExact && m_firstExact))
        this->clearSelection();
    this->placeSelection();
    Q_EMIT this->statusChanged();
    Q_EMIT this->positionChanged();
    Q_EMIT this->loaded();
    // A table grows and shrinks: the ends are reached by the size of now, not by the one of an hour ago.
    const bool atAnEnd = fetch.from == Fetch::From::Begin || fetch.from == Fetch::From::End;
    if ((!m_estimate || atAnEnd) && (m_moreAfter || m_moreBefore || (this->m_rows.empty() && m_source.filtered)))
        estimate();
    m_rest.start();
}

template <typename Row> void WindowModel<Row>::put(const Window<Row>& window)
{
    m_moving = true;
    this->beginResetModel();
    this->m_rows.clear();
    for (std::size_t i = 0; i < window.rows.size(); ++i)
        this->m_rows.push_back({ .row = window.rows[i], .cursor = window.cursors[i] });
    this->m_display.now = window.now;
    this->m_loadedAt = window.now;
    m_moreBefore = window.moreBefore;
    m_moreAfter = window.moreAfter;
    this->m_sortedLocally = false;
    m_stale = m_extendFailed = m_acted = false;
    m_error.reset();
    m_shownFirst = m_shownLast = 0;
    this->endResetModel();
    m_moving = false;
}

// Where the new window lies in the whole.
template <typename Row> void WindowModel<Row>::place(const Fetch& fetch)
{
    const auto count = static_cast<std::int64_t>(this->m_rows.size());
    if (!m_moreBefore) {
        m_first = 0;
        m_firstExact = true;
        m_jumpedTo.reset();
        m_fresh = {};
        m_top = count > 0 ? std::optional(this->m_rows.front().cursor) : std::nullopt;
        return;
    }
    m_firstExact = false;
    m_first = 1;
    m_jumpedTo = fetch.from == Fetch::From::Fraction && m_moreAfter ? std::optional(fetch.fraction) : std::nullopt;
    if (m_estimate)
        m_first = estimatedFirst();
}

// By the table's size: from its end where that is loaded, else by the fraction that was asked for.
template <typename Row> std::int64_t WindowModel<Row>::estimatedFirst() const
{
    const auto size = m_estimate->matching.value;
    if (!m_moreAfter)
        return std::max<std::int64_t>(1, size - static_cast<std::int64_t>(this->m_rows.size()));
    return m_jumpedTo ? std::max<std::int64_t>(1, static_cast<std::int64_t>(*m_jumpedTo * static_cast<double>(size)))
                      : m_first;
}

template <typename Row> void WindowModel<Row>::extend(bool forward)
{
    const Fetch fetch{ .from = forward ? Fetch::From::After : Fetch::From::Before,
        .cursor = forward ? this->m_rows.back().cursor : this->m_rows.front().cursor,
        .limit = 2 * pageSize };
    m_more.start(
        *m_thread, [load = m_source.load, fetch](Backend& backend) { return load(backend, fetch); },
        [this, forward, from = fetch.cursor](const Result<Window<Row>>& answer) { extended(forward, from, answer); });
}

template <typename Row>
void WindowModel<Row>::extended(bool forward, const Cursor& from, const Result<Window<Row>>& answer)
{
    if (!answer) {
        m_extendFailed = true;
        broken(answer.error());
        return;
    }
    // A refresh may have replaced or trimmed the end that was to be extended: its continuation would leave a gap.
    if (this->m_rows.empty() || (forward ? this->m_rows.back() : this->m_rows.front()).cursor != from) {
        prefetch();
        return;
    }
    m_moving = true;
    if (forward)
        append(*answer);
    else
        prepend(*answer);
    m_moving = false;
    this->placeSelection();
    Q_EMIT this->positionChanged();
    prefetch();
}

template <typename Row> void WindowModel<Row>::append(const Window<Row>& window)
{
    const int count = static_cast<int>(window.rows.size());
    if (count > 0) {
        const int at = this->rowCount();
        this->beginInsertRows({}, at, at + count - 1);
        for (std::size_t i = 0; i < window.rows.size(); ++i)
            this->m_rows.push_back({ .row = window.rows[i], .cursor = window.cursors[i] });
        this->endInsertRows();
    }
    m_moreAfter = window.moreAfter;
    if (!m_moreAfter && !m_firstExact && m_estimate)
        anchor(estimatedFirst(), false);
    trimFront();
}

template <typename Row> void WindowModel<Row>::prepend(const Window<Row>& window)
{
    const int count = static_cast<int>(window.rows.size());
    if (count > 0) {
        this->beginInsertRows({}, 0, count - 1);
        for (std::size_t i = window.rows.size(); i-- > 0;)
            this->m_rows.push_front({ .row = window.rows[i], .cursor = window.cursors[i] });
        m_first -= count;
        m_jumpedTo.reset();
        this->endInsertRows();
        m_shownFirst += count;
        m_shownLast += count;
        Q_EMIT this->shifted(count);
    }
    m_moreBefore = window.moreBefore;
    if (!m_moreBefore) {
        anchor(0, true);
        m_top = this->m_rows.empty() ? std::nullopt : std::optional(this->m_rows.front().cursor);
        m_fresh = {};
    } else if (m_first < 1)
        anchor(1, false);
    trimBack();
}

template <typename Row> void WindowModel<Row>::trimFront()
{
    const int surplus = std::min(this->rowCount() - m_capacity, m_shownFirst - 2 * pageSize);
    if (surplus <= 0)
        return;
    this->beginRemoveRows({}, 0, surplus - 1);
    this->m_rows.erase(this->m_rows.begin(), this->m_rows.begin() + surplus);
    m_first += surplus;
    m_jumpedTo.reset();
    m_moreBefore = true;
    this->endRemoveRows();
    m_shownFirst -= surplus;
    m_shownLast -= surplus;
    Q_EMIT this->shifted(-surplus);
}

template <typename Row> void WindowModel<Row>::trimBack()
{
    const int surplus = std::min(this->rowCount() - m_capacity, this->rowCount() - 1 - m_shownLast - 2 * pageSize);
    if (surplus <= 0)
        return;
    const int count = this->rowCount();
    this->beginRemoveRows({}, count - surplus, count - 1);
    this->m_rows.erase(this->m_rows.end() - surplus, this->m_rows.end());
    m_moreAfter = true;
    this->endRemoveRows();
}

template <typename Row> void WindowModel<Row>::prefetch()
{
    if (!m_thread || !m_source.load || m_moving || m_load.pending() || m_more.pending() || m_rest.isActive()
        || m_extendFailed || this->m_sortedLocally || this->m_rows.empty())
        return;
    constexpr int margin = 2 * pageSize;
    if (m_moreAfter && m_shownLast + margin >= this->rowCount())
        extend(true);
    else if (m_moreBefore && m_shownFirst < margin)
        extend(false);
}

template <typename Row> void WindowModel<Row>::refresh()
{
    m_soon.stop();
    if (!m_thread || !m_source.load || m_load.pending() || this->m_sortedLocally)
        return;
    if (m_more.pending() || m_refresh.pending()) {
        refreshSoon();
        return;
    }
    if (this->m_rows.empty()) {
        reload();
        return;
    }
    m_extendFailed = false;
    m_shownFirst = std::min(m_shownFirst, this->rowCount() - 1);
    m_shownLast = std::clamp(m_shownLast, m_shownFirst, this->rowCount() - 1);
    const bool top = !m_moreBefore && m_shownFirst == 0;
    Slice slice{ .head = top && !m_acted && flows() };
    if (!top)
        slice.after = this->m_rows[static_cast<std::size_t>(std::max(0, m_shownFirst - 1))].cursor;
    const int shown = m_shownLast - m_shownFirst + 1;
    Fetch fetch{ .from = slice.after ? Fetch::From::After : Fetch::From::Begin,
        .cursor = slice.after.value_or(Cursor()),
        .limit = std::clamp(shown + 2, slice.head ? std::min(pageSize, this->rowCount()) : 1, 5 * pageSize) };
    // What came ahead of them would be all that is read from the begin.
    std::optional<std::pair<Cursor, Cursor>> firstTwo;
    const bool held = top && !slice.head;
    if (held && this->rowCount() > 1)
        firstTwo = { this->m_rows[0].cursor, this->m_rows[1].cursor };
    else if (held)
        fetch.limit = pageSize;
    m_refresh.start(
        *m_thread,
        [load = m_source.load, fetch, slice, newest = m_top, firstTwo](Backend& backend) -> Result<Refreshed> {
            auto window = firstTwo
                ? load(backend, { .from = Fetch::From::After, .cursor = firstTwo->first, .limit = fetch.limit })
                : load(backend, fetch);
            if (!window)
                return window.error();
            Refreshed refreshed{ .slice = std::move(*window) };
            refreshed.cost = refreshed.slice.cost;
            if (firstTwo) {
                auto first = load(backend, { .from = Fetch::From::Before, .cursor = firstTwo->second, .limit = 1 });
                if (!first)
                    return first.error();
                auto& rest = refreshed.slice;
                rest.rows.insert(rest.rows.begin(), first->rows.begin(), first->rows.end());
                rest.cursors.insert(rest.cursors.begin(), first->cursors.begin(), first->cursors.end());
                refreshed.cost.rows += first->cost.rows;
                refreshed.cost.time += first->cost.time;
            }
            if (slice.head || !newest)
                return refreshed;
            auto fresher = load(backend, { .from = Fetch::From::Before, .cursor = *newest, .limit = countedNewRows });
            if (!fresher)
                return fresher.error();
            refreshed.fresher = Count{ .value = static_cast<std::int64_t>(fresher->rows.size()),
                .exactness = fresher->moreBefore ? Exactness::AtLeast : Exactness::Exact };
            refreshed.cost.rows += fresher->cost.rows;
            refreshed.cost.time += fresher->cost.time;
            return refreshed;
        },
        [this, slice](const Result<Refreshed>& answer) { refreshed(slice, answer); });
}

template <typename Row> void WindowModel<Row>::refreshed(const Slice& slice, const Result<Refreshed>& answer)
{
    if (!answer) {
        broken(answer.error());
        return;
    }
    const bool stillTop = !m_moreBefore && m_shownFirst == 0 && flows();
    this->m_display.now = answer->slice.now;
    this->m_loadedAt = answer->slice.now;
    m_stale = false;
    m_error.reset();
    if (slice.head && !stillTop) {
        refreshSoon();
    } else if (slice.head) {
        m_moving = true;
        const auto top = m_top;
        const auto rows = this->rowCount();
        const bool spliced = spliceHead(answer->slice);
        m_moving = false;
        // Nothing of the old head is left, and nobody has scrolled away from it.
        if (!spliced) {
            put(answer->slice);
            place({});
        }
        recount(!spliced || top != m_top || rows != this->rowCount());
        Q_EMIT this->positionChanged();
    } else {
        m_moving = true;
        updateInPlace(slice, answer->slice);
        m_moving = false;
        m_fresh = answer->fresher.value_or(m_fresh);
        recount(m_fresh.value > 0);
    }
    Q_EMIT this->statusChanged();
    Q_EMIT this->loaded();
    prefetch();
}

template <typename Row> void WindowModel<Row>::removeRun(int first, int last)
{
    const int ahead = std::max(0, std::min(last, m_shownFirst - 1) - first + 1);
    this->beginRemoveRows({}, first, last);
    this->m_rows.erase(this->m_rows.begin() + first, this->m_rows.begin() + last + 1);
    this->endRemoveRows();
    if (ahead == 0)
        return;
    m_shownFirst -= ahead;
    m_shownLast -= ahead;
    Q_EMIT this->shifted(-ahead);
}

// Brings the first rows up to date by removing, inserting and changing single rows. False: there is nothing in common.
template <typename Row> bool WindowModel<Row>::spliceHead(const Window<Row>& window)
{
    // A row is the same only at the same place: one whose order key has changed would make the window speak of all rows
    // between its old place and its new one.
    std::map<Cursor, std::size_t> wanted;
    for (std::size_t i = 0; i < window.rows.size(); ++i)
        wanted.emplace(window.cursors[i], i);
    int covered = -1; // the last old row that the window speaks of
    std::optional<std::size_t> previous;
    for (int row = 0; row < this->rowCount(); ++row) {
        const auto found = wanted.find(this->cursorAt(row));
        if (found == wanted.end())
            continue;
        if (previous && found->second < *previous)
            return false;
        previous = found->second;
        covered = row;
        if (*previous + 1 == window.rows.size())
            break;
    }
    if (!window.moreAfter)
        covered = this->rowCount() - 1;
    else if (!previous || *previous + 1 != window.rows.size())
        return false;
    for (int last = covered; last >= 0; --last) {
        if (wanted.contains(this->cursorAt(last)))
            continue;
        int first = last;
        while (first > 0 && !wanted.contains(this->cursorAt(first - 1)))
            --first;
        removeRun(first, last);
        last = first;
    }
    const int count = static_cast<int>(window.rows.size());
    for (int row = 0; row < count; ++row) {
        const auto at = static_cast<std::size_t>(row);
        const auto differs = [&](int place) {
            return this->rowCount() <= row || window.cursors[static_cast<std::size_t>(place)] != this->cursorAt(row);
        };
        int end = row;
        while (end < count && differs(end))
            ++end;
        if (end > row) {
            this->beginInsertRows({}, row, end - 1);
            for (int place = row; place < end; ++place)
                this->m_rows.insert(this->m_rows.begin() + place,
                    Entry{ .row = window.rows[static_cast<std::size_t>(place)],
                        .cursor = window.cursors[static_cast<std::size_t>(place)] });
            this->endInsertRows();
            row = end - 1;
            continue;
        }
        this->m_rows[at] = { .row = window.rows[at], .cursor = window.cursors[at] };
    }
    m_moreAfter = window.moreAfter && (m_moreAfter || this->rowCount() == count);
    m_first = 0;
    m_firstExact = true;
    m_fresh = {};
    m_top = count > 0 ? std::optional(window.cursors.front()) : std::nullopt;
    if (this->rowCount() > 0)
        Q_EMIT this->dataChanged(this->index(0, 0), this->index(this->rowCount() - 1, this->columnCount() - 1));
    trimBack();
    return true;
}

// Rows keep their places; those that left are marked, and taken out by the refresh after this one.
template <typename Row> void WindowModel<Row>::updateInPlace(const Slice& slice, const Window<Row>& window)
{
    const bool served = !m_acted && !this->m_selection.empty() && selectionServed();
    int start = 0;
    if (slice.after) {
        while (start < this->rowCount() && this->cursorAt(start) != *slice.after)
            ++start;
        ++start;
    }
    std::map<Identity, std::size_t> read;
    for (std::size_t i = 0; i < window.rows.size(); ++i)
        read.emplace(m_source.identity(window.rows[i]), i);
    // Only a row that stands where it stood tells how far the answer reaches.
    const std::set<Cursor> places(window.cursors.begin(), window.cursors.end());
    int covered = window.moreAfter ? start - 1 : this->rowCount() - 1;
    const int reach = std::min(this->rowCount(), start + 2 * static_cast<int>(window.rows.size()) + pageSize);
    for (int row = start; window.moreAfter && row < reach; ++row) {
        if (places.contains(this->cursorAt(row)))
            covered = row;
    }
    // Rows have come behind the last one: the table goes on.
    if (!m_moreAfter && !window.rows.empty() && covered == this->rowCount() - 1)
        m_moreAfter = window.moreAfter || window.cursors.back() != this->m_rows.back().cursor;
    std::vector<int> leaving;
    for (int row = start; row <= covered; ++row) {
        auto& entry = this->m_rows[static_cast<std::size_t>(row)];
        const auto found = read.find(m_source.identity(entry.row));
        if (found != read.end()) {
            entry.row = window.rows[found->second];
            entry.gone = false;
            entry.changed = entry.changed && m_acted;
        } else if (entry.gone)
            leaving.push_back(row);
        else
            entry.gone = true;
    }
    m_acted = false;
    if (covered >= start)
        Q_EMIT this->dataChanged(this->index(start, 0), this->index(covered, this->columnCount() - 1));
    if (!leaving.empty() && served)
        this->clearSelection();
    if (!this->m_selection.empty())
        return;
    for (auto row = leaving.rbegin(); row != leaving.rend(); ++row)
        removeRun(*row, *row);
    if (this->m_rows.empty() && (m_moreBefore || m_moreAfter))
        refreshSoon();
}

// The rows are those of now, and the count is of before: it is made again where it costs little, and does not stay
// exact where rows are known to have come or left.
template <typename Row> void WindowModel<Row>::recount(bool moved)
{
    m_outdated = m_outdated || moved;
    // Behind a filter rows come and leave where nobody looks.
    if (!m_estimate || m_count.pending() || !(m_outdated || m_source.filtered))
        return;
    if (m_estimate->cost.time * restForEachCount <= std::chrono::nanoseconds(m_counted.nsecsElapsed()))
        estimate();
    else if (m_outdated && m_estimate->matching.exactness == Exactness::Exact)
        m_estimate->matching.exactness = Exactness::Estimate;
}

template <typename Row> void WindowModel<Row>::estimate()
{
    if (!m_source.estimate)
        return;
    m_outdated = false; // what moves meanwhile is counted again
    m_count.start(
        *m_thread, [estimate = m_source.estimate](Backend& backend) { return estimate(backend); },
        [this](const Result<Estimate>& answer) {
            if (answer)
                estimated(*answer);
        });
}

template <typename Row> void WindowModel<Row>::estimated(const Estimate& estimate)
{
    m_estimate = estimate;
    m_counted.start();
    if (!m_firstExact && !this->m_rows.empty())
        anchor(estimatedFirst(), !m_moreAfter && estimate.matching.exactness == Exactness::Exact);
    Q_EMIT this->positionChanged();
    Q_EMIT this->statusChanged();
}

template <typename Row> void WindowModel<Row>::anchor(std::int64_t first, bool exact)
{
    this->moveSelection(first - m_first);
    m_first = first;
    m_firstExact = exact;
}

template <typename Row> void WindowModel<Row>::broken(const Error& error)
{
    m_error = error;
    m_stale = !this->m_rows.empty();
    Q_EMIT this->statusChanged();
    Q_EMIT this->failed(error);
}

template <typename Row> void WindowModel<Row>::linkMoved(const Link& link)
{
    switch (link.state) {
    case Link::State::Lost:
    case Link::State::Failed:
        m_wasLost = true;
        if (link.error)
            broken(*link.error);
        return;
    case Link::State::Open:
        if (std::exchange(m_wasLost, false))
            refresh();
        return;
    case Link::State::Stopped:
    case Link::State::Connecting:
        return;
    }
}

} // namespace fencepost::models

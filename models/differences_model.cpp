// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/differences_model.h"

#include <algorithm>
#include <chrono>

#include "models/visible_text.h"

namespace fencepost::models {

namespace {

constexpr auto betweenBatches = std::chrono::milliseconds(100);

QString keyText(const SnapshotDifference& row, const Display&)
{
    QStringList parts;
    for (const auto& [column, value] : row.key)
        parts += value.empty() ? QStringLiteral("–") : visibleText(value);
    return parts.join(QStringLiteral(" · "));
}

QString keyFull(const SnapshotDifference& row, const Display&)
{
    QStringList lines;
    for (const auto& [column, value] : row.key)
        lines += visibleText(column) + QStringLiteral(" = ") + visibleText(value);
    return lines.join(u'\n');
}

QString columnsText(const SnapshotDifference& row, const Display&)
{
    QStringList names;
    for (const auto& column : row.columns)
        names += visibleText(column);
    return names.join(QStringLiteral(", "));
}

constexpr Column<SnapshotDifference> differenceColumns[] = {
    { .id = "change",
        .title = "Change",
        .text = [](const SnapshotDifference& row,
                    const Display&) { return QString::fromUtf8(wordOf(row.change).data()); },
        .width = 10 },
    { .id = "table",
        .title = "Table",
        .text = [](const SnapshotDifference& row, const Display&) { return visibleText(row.table); },
        .width = 22 },
    { .id = "states", // one, or two with an arrow between them
        .title = "State",
        .text = [](const SnapshotDifference& row, const Display&) { return visibleText(statesOf(row)); },
        .width = 38 },
    { .id = "key", .title = "Row", .text = keyText, .monospace = true, .width = 44, .full = keyFull },
    { .id = "columns",
        .title = "Columns that differ",
        .text = columnsText,
        .monospace = true,
        .width = 36,
        .full = columnsText,
        .grows = true },
};

Identity identityOf(const SnapshotDifference& row)
{
    Identity identity{ row.table };
    for (const auto& [column, value] : row.key)
        identity.push_back(value);
    return identity;
}

using Kinds = std::map<std::tuple<std::string, SnapshotChange, std::string>, std::int64_t>;

std::vector<DifferenceCount> countsOf(const Kinds& kinds)
{
    std::vector<DifferenceCount> counts;
    for (const auto& [kind, count] : kinds)
        counts.push_back({ std::get<0>(kind), std::get<1>(kind), std::get<2>(kind), count });
    return counts;
}

} // namespace

struct DifferencesModel::Work {
    std::atomic<bool> stopped = false;
};

// What came since the batch before, and how it stands.
struct DifferencesModel::Batch {
    std::shared_ptr<Work> work;
    std::optional<SnapshotPair> pair;
    std::vector<SnapshotDifference> rows;
    std::vector<DifferenceCount> counts;
    std::int64_t found = 0;
    bool done = false;
    std::optional<Error> error;
};

DifferencesModel::DifferencesModel(std::shared_ptr<const Snapshots> snapshots, QObject* parent)
    : ListModel(differenceColumns, identityOf, parent)
    , m_snapshots(std::move(snapshots))
{
}

DifferencesModel::~DifferencesModel()
{
    end();
}

void DifferencesModel::end()
{
    if (m_work)
        m_work->stopped = true;
    if (m_thread.joinable())
        m_thread.join();
    m_work.reset();
    m_running = false;
}

void DifferencesModel::compare(const QString& first, const QString& second)
{
    m_first = first;
    m_second = second;
    m_kind.reset();
    reload();
}

void DifferencesModel::narrow(std::optional<DifferenceCount> kind)
{
    m_kind = std::move(kind);
    m_counted = m_whole;
    start();
}

void DifferencesModel::reload()
{
    m_pair.reset();
    m_counts.clear();
    m_found = 0;
    m_counted = false;
    start();
}

void DifferencesModel::start()
{
    end();
    if (m_first.isEmpty() || m_second.isEmpty())
        return;
    m_whole = false;
    setRows({}, {});
    m_running = true;
    m_work = std::make_shared<Work>();
    m_thread = std::thread([this, work = m_work, snapshots = m_snapshots, first = m_first.toStdString(),
                               second = m_second.toStdString(), kind = m_kind] {
        Batch batch{ .work = work };
        Kinds kinds;
        std::int64_t held = 0;
        auto last = std::chrono::steady_clock::now();
        // The model outlives the thread, and takes its answers on its own.
        const auto send = [&] {
            batch.counts = countsOf(kinds);
            const auto found = batch.found;
            QMetaObject::invokeMethod(
                this, [this, sent = std::move(batch)] { take(sent); }, Qt::QueuedConnection);
            batch = Batch{ .work = work, .found = found };
            last = std::chrono::steady_clock::now();
        };
        auto pair = snapshots->compare(first, second);
        Status done = pair ? Status() : Status(pair.error());
        if (pair) {
            batch.pair = std::move(*pair);
            send();
            done = snapshots->differences(first, second, [&](const SnapshotDifference& difference) {
                ++kinds[{ difference.table, difference.change, statesOf(difference) }];
                ++batch.found;
                if ((!kind || kind->holds(difference)) && held++ < mostHeld)
                    batch.rows.push_back(difference);
                if (std::chrono::steady_clock::now() - last > betweenBatches)
                    send();
                return !work->stopped;
            });
        }
        if (!done)
            batch.error = done.error();
        batch.done = true;
        send();
    });
    Q_EMIT progressed();
    Q_EMIT statusChanged();
}

void DifferencesModel::stop()
{
    if (!m_running)
        return;
    end();
    Q_EMIT progressed();
    Q_EMIT statusChanged();
}

void DifferencesModel::take(const Batch& batch)
{
    // Of a comparison that was stopped.
    if (batch.work != m_work)
        return;
    if (!m_counted || batch.done) {
        m_found = batch.found;
        m_counts = batch.counts;
    }
    if (batch.pair) {
        m_pair = batch.pair;
        Q_EMIT paired();
    }
    append(batch.rows);
    if (batch.done) {
        m_whole = !batch.error;
        end();
        if (batch.error)
            setError(*batch.error);
        else
            Q_EMIT loaded();
    }
    Q_EMIT progressed();
    Q_EMIT statusChanged();
}

} // namespace fencepost::models

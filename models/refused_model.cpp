// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/refused_model.h"

#include "core/forensics/conflict.h"
#include "core/ids.h"
#include "models/instant_text.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

constexpr int mostRefused = 10'000;

template <std::string RecordId::*member> QString text(const RefusedArrival& row, const Display&)
{
    return visibleText(row.conflict.id.*member);
}

QString hashText(const Bytes& hash)
{
    return hash.empty() ? QStringLiteral("–") : QString::fromStdString(shownHash(hash));
}

template <Time Conflict::*member> QString instant(const RefusedArrival& row, const Display& display)
{
    return display.zone.format(row.conflict.*member);
}

template <Time Conflict::*member> QString instantFull(const RefusedArrival& row, const Display& display)
{
    return wholeInstant(row.conflict.*member, display);
}

template <Time Conflict::*member> QVariant instantKey(const RefusedArrival& row)
{
    return QVariant::fromValue<qlonglong>(microsOf(row.conflict.*member));
}

// Within the range, of how many at all.
QString countText(const RefusedArrival& row, const Display&)
{
    const auto& [count, estimated] = row.within;
    const auto words = (estimated ? QStringLiteral("≈ ") : QString()) + QString::number(count);
    return count == row.conflict.count ? words : QStringLiteral("%1 of %2").arg(words).arg(row.conflict.count);
}

QString rateText(const RefusedArrival& row, const Display&)
{
    const auto rate = hourlyRate(row.conflict);
    return rate ? QStringLiteral("%1 / h").arg(*rate, 0, 'f', 1) : QStringLiteral("–");
}

constexpr Column<RefusedArrival> refusedColumns[] = {
    { .id = "key",
        .title = "Key",
        .text = text<&RecordId::key>,
        .monospace = true,
        .middleElision = true,
        .width = 22 },
    { .id = "state",
        .title = "State",
        .text = [](const RefusedArrival& row, const Display&) { return visibleText(row.state); },
        .width = 15 },
    { .id = "scope", .title = "Scope", .text = text<&RecordId::scope>, .width = 16 },
    { .id = "client",
        .title = "Client",
        .text = [](const RefusedArrival& row, const Display&) { return visibleText(row.conflict.principal); },
        .width = 14 },
    { .id = "kept",
        .title = "Kept hash",
        .text = [](const RefusedArrival& row, const Display&) { return hashText(row.keptHash.value_or(Bytes())); },
        .monospace = true,
        .middleElision = true,
        .width = 15 },
    { .id = "presented",
        .title = "Presented hash",
        .text = [](const RefusedArrival& row, const Display&) { return hashText(row.conflict.presentedHash); },
        .monospace = true,
        .middleElision = true,
        .width = 15 },
    { .id = "count",
        .title = "Count",
        .text = countText,
        .sortKey = [](const RefusedArrival& row) { return QVariant::fromValue<qlonglong>(row.within.count); },
        .alignment = Alignment::Right,
        .width = 10 },
    { .id = "rate",
        .title = "Rate",
        .text = rateText,
        .sortKey = [](const RefusedArrival& row) { return QVariant(hourlyRate(row.conflict).value_or(0)); },
        .alignment = Alignment::Right,
        .width = 9 },
    { .id = "last",
        .title = "Last",
        .text = instant<&Conflict::lastAt>,
        .sortKey = instantKey<&Conflict::lastAt>,
        .width = 25,
        .instant = Precision::Seconds,
        .full = instantFull<&Conflict::lastAt> },
    { .id = "first",
        .title = "First",
        .text = instant<&Conflict::firstAt>,
        .sortKey = instantKey<&Conflict::firstAt>,
        .width = 25,
        .instant = Precision::Seconds,
        .full = instantFull<&Conflict::firstAt> },
    { .id = "operation", .title = "Operation", .text = text<&RecordId::operation>, .width = 16, .grows = true },
};

} // namespace

RefusedModel::RefusedModel(StoreThread& thread, QObject* parent)
    : ListModel(
        refusedColumns,
        [](const RefusedArrival& row) {
            const auto& conflict = row.conflict;
            return Identity{ conflict.id.scope, conflict.id.operation, conflict.id.key, toHex(conflict.presentedHash),
                conflict.principal };
        },
        parent)
    , m_thread(&thread)
{
}

void RefusedModel::ask(BindingPtr binding, const RangeRequest& request)
{
    if (binding != m_binding) {
        m_answer.reset();
        m_before.reset();
        m_client.reset();
    }
    m_binding = std::move(binding);
    m_request = request;
    reload();
}

Result<RefusedModel::Both> RefusedModel::read(Backend& backend, const Binding& binding, const RangeRequest& request)
{
    auto* forensics = backend.inspector().forensics();
    if (forensics == nullptr)
        return Error{ Failure::Unsupported, "This database cannot be asked what happened", {} };
    auto now = forensics->conflicts(binding, { request, mostRefused });
    if (!now)
        return now.error();
    const auto range = stretchBefore(now->basis.range);
    auto earlier = request;
    earlier.from = range.from;
    earlier.until = range.until;
    const auto before = forensics->conflicts(binding, { earlier, 1 });
    if (!before)
        return before.error();
    Both both{ std::move(*now) };
    for (const auto& cluster : before->clusters)
        both.before += cluster.arrivals;
    return both;
}

void RefusedModel::reload()
{
    if (!m_thread || !m_binding)
        return;
    m_load.start(
        *m_thread,
        [binding = m_binding, request = m_request](Backend& backend) { return read(backend, *binding, request); },
        [this](const Result<Both>& answer) {
            if (!answer)
                return setError(answer.error());
            m_answer = answer->now;
            m_before = answer->before;
            showRows();
        });
    Q_EMIT statusChanged();
}

void RefusedModel::setClient(const std::optional<std::string>& client)
{
    if (m_client == client)
        return;
    m_client = client;
    if (m_answer)
        showRows();
}

void RefusedModel::showRows()
{
    std::vector<RefusedArrival> rows;
    for (const auto& each : m_answer->newest)
        if (!m_client || each.conflict.principal == *m_client)
            rows.push_back(each);
    setRows(std::move(rows), m_answer->basis.now);
}

QVariant RefusedModel::mark(const RefusedArrival& row, int role) const
{
    if (role == StateRole)
        return QString::fromStdString(row.state);
    return ListModel::mark(row, role);
}

} // namespace fencepost::models

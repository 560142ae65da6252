// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/flows_model.h"

#include <algorithm>

#include "models/instant_text.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

template <std::string Flow::*member> QString text(const FlowRow& row, const Display&)
{
    return visibleText(row.flow.*member);
}

template <Time Flow::*member> QString instant(const FlowRow& row, const Display& display)
{
    return display.zone.format(row.flow.*member);
}

template <Time Flow::*member> QString instantFull(const FlowRow& row, const Display& display)
{
    return wholeInstant(row.flow.*member, display);
}

template <Time Flow::*member> QVariant instantKey(const FlowRow& row)
{
    return QVariant::fromValue<qlonglong>(microsOf(row.flow.*member));
}

constexpr Column<FlowRow> flowColumns[] = {
    { .id = "from", .title = "From", .text = text<&Flow::from>, .width = 24 },
    { .id = "to", .title = "To", .text = text<&Flow::to>, .width = 24 },
    { .id = "event", .title = "Event", .text = text<&Flow::event>, .monospace = true, .width = 16 },
    { .id = "count",
        .title = "Count",
        .text =
            [](const FlowRow& row, const Display&) {
                return (row.flow.estimated ? QStringLiteral("≈ ") : QString()) + QString::number(row.flow.count);
            },
        .sortKey = [](const FlowRow& row) { return QVariant::fromValue<qlonglong>(row.flow.count); },
        .alignment = Alignment::Right,
        .width = 9 },
    { .id = "before",
        .title = "Before",
        .text = [](const FlowRow& row, const Display&) { return QString::number(row.before); },
        .sortKey = [](const FlowRow& row) { return QVariant::fromValue<qlonglong>(row.before); },
        .alignment = Alignment::Right,
        .width = 9,
        .full =
            [](const FlowRow& row, const Display&) {
                return QStringLiteral("%1 in the stretch of the same length before").arg(row.before);
            } },
    { .id = "nature",
        .title = "Nature",
        .text = [](const FlowRow& row, const Display&) { return visibleText(std::string(wordOf(row.flow.nature))); },
        .width = 12 },
    { .id = "why", .title = "Why", .text = text<&Flow::why>, .width = 30, .grows = true },
    { .id = "first",
        .title = "First",
        .text = instant<&Flow::firstAt>,
        .sortKey = instantKey<&Flow::firstAt>,
        .instant = Precision::Milliseconds,
        .full = instantFull<&Flow::firstAt> },
    { .id = "last",
        .title = "Last",
        .text = instant<&Flow::lastAt>,
        .sortKey = instantKey<&Flow::lastAt>,
        .instant = Precision::Milliseconds,
        .full = instantFull<&Flow::lastAt> },
};

Result<Forensics*> forensicsOf(Inspector& inspector)
{
    if (auto* forensics = inspector.forensics())
        return forensics;
    return Error{ Failure::Unsupported, "This database cannot be asked what happened", {} };
}

} // namespace

FlowsModel::FlowsModel(StoreThread& thread, QObject* parent)
    : ListModel(
        flowColumns,
        [](const FlowRow& row) {
            return Identity{ row.flow.from, row.flow.to, row.flow.event };
        },
        parent)
    , m_thread(&thread)
{
}

void FlowsModel::ask(BindingPtr binding, const RangeRequest& request)
{
    if (binding != m_binding)
        m_answer.reset();
    m_binding = std::move(binding);
    m_request = request;
    reload();
}

Result<FlowsModel::Both> FlowsModel::read(Backend& backend, const Binding& binding, const RangeRequest& request)
{
    const auto forensics = forensicsOf(backend.inspector());
    if (!forensics)
        return forensics.error();
    auto now = (*forensics)->flows(binding, request);
    if (!now)
        return now.error();
    auto earlier = request;
    const auto before = stretchBefore(now->basis.range);
    earlier.from = before.from;
    earlier.until = before.until;
    auto flows = (*forensics)->flows(binding, earlier);
    if (!flows)
        return flows.error();
    return Both{ std::move(*now), std::move(*flows) };
}

void FlowsModel::reload()
{
    if (!m_thread || !m_binding)
        return;
    m_load.start(
        *m_thread,
        [binding = m_binding, request = m_request](Backend& backend) { return read(backend, *binding, request); },
        [this](const Result<Both>& answer) {
            if (!answer)
                return setError(answer.error());
            take(*answer);
        });
    Q_EMIT statusChanged();
}

void FlowsModel::take(const Both& both)
{
    m_answer = both.now;
    m_before = 0;
    for (const auto& flow : both.before.flows)
        m_before += flow.count;
    std::vector<FlowRow> rows;
    for (const auto& flow : both.now.flows) {
        const auto& before = both.before.flows;
        const auto same = std::find_if(before.begin(), before.end(), [&](const Flow& other) {
            return other.from == flow.from && other.to == flow.to && other.event == flow.event;
        });
        rows.push_back({ flow, same == before.end() ? 0 : same->count });
    }
    // What went wrong first, then the most frequent.
    std::stable_sort(rows.begin(), rows.end(), [](const FlowRow& left, const FlowRow& right) {
        return std::pair(-static_cast<int>(left.flow.nature), -left.flow.count)
            < std::pair(-static_cast<int>(right.flow.nature), -right.flow.count);
    });
    setRows(std::move(rows), both.now.basis.now);
}

QVariant FlowsModel::mark(const FlowRow& row, int role) const
{
    if (role == StateRole)
        return QString::fromStdString(row.flow.to);
    return ListModel::mark(row, role);
}

} // namespace fencepost::models

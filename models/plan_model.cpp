// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/plan_model.h"

#include "models/visible_text.h"

namespace fencepost::models {

namespace {

QString resultText(ItemResult result)
{
    switch (result) {
    case ItemResult::Changed:
        return QStringLiteral("changed");
    case ItemResult::AlreadyDone:
        return QStringLiteral("already done");
    case ItemResult::Skipped:
        return QStringLiteral("skipped");
    case ItemResult::Failed:
        return QStringLiteral("failed");
    }
    return {};
}

constexpr Column<PlanItem> planColumns[] = {
    { .id = "state",
        .title = "State",
        .text = [](const PlanItem& item, const Display&) { return visibleText(item.state); },
        .width = 18 },
    { .id = "key",
        .title = "Key",
        .text = [](const PlanItem& item, const Display&) { return visibleText(item.key); },
        .monospace = true,
        .middleElision = true,
        .width = 26 },
    { .id = "fence",
        .title = "Fence",
        .text = [](const PlanItem& item,
                    const Display&) { return item.fence ? QString::number(*item.fence) : QString(); },
        .sortKey =
            [](const PlanItem& item) { return item.fence ? QVariant::fromValue<qlonglong>(*item.fence) : QVariant(); },
        .alignment = Alignment::Right,
        .width = 8 },
    { .id = "effect",
        .title = "Effect",
        .text = [](const PlanItem& item, const Display&) { return visibleText(item.effect); },
        .width = 46 },
    { .id = "warning",
        .title = "Know before",
        .text = [](const PlanItem& item, const Display&) { return visibleText(item.warning); },
        .width = 30 },
};

constexpr Column<LeftOut> leftOutColumns[] = {
    { .id = "key",
        .title = "Key",
        .text = [](const LeftOut& row, const Display&) { return visibleText(row.key); },
        .monospace = true,
        .middleElision = true,
        .width = 26 },
    { .id = "why",
        .title = "Why it is left out",
        .text = [](const LeftOut& row, const Display&) { return visibleText(row.why); },
        .width = 60 },
};

constexpr Column<ItemReport> reportColumns[] = {
    { .id = "item",
        .title = "Item",
        .text = [](const ItemReport& item, const Display&) { return QString::number(item.item + 1); },
        .sortKey = [](const ItemReport& item) { return QVariant(item.item); },
        .alignment = Alignment::Right,
        .width = 7 },
    { .id = "result",
        .title = "Result",
        .text = [](const ItemReport& item, const Display&) { return resultText(item.outcome.result); },
        .width = 13 },
    { .id = "key",
        .title = "Key",
        .text = [](const ItemReport& item, const Display&) { return visibleText(item.key); },
        .monospace = true,
        .middleElision = true,
        .width = 26 },
    { .id = "reason",
        .title = "Why",
        .text = [](const ItemReport& item, const Display&) { return visibleText(item.outcome.reason); },
        .width = 50 },
};

} // namespace

PlanModel::PlanModel(QObject* parent)
    : ListModel(
        planColumns, [](const PlanItem& item) { return item.identity; }, parent)
{
}

QVariant PlanModel::mark(const PlanItem& item, int role) const
{
    if (role == StateRole)
        return QString::fromStdString(item.state);
    return ListModel::mark(item, role);
}

LeftOutModel::LeftOutModel(QObject* parent)
    : ListModel(
        leftOutColumns, [](const LeftOut& row) { return row.identity; }, parent)
{
}

ReportModel::ReportModel(QObject* parent)
    : ListModel(
        reportColumns, [](const ItemReport& item) { return Identity{ std::to_string(item.item) }; }, parent)
{
}

QVariant ReportModel::mark(const ItemReport& item, int role) const
{
    if (role == StateRole) {
        const auto word = wordOf(item.outcome.result);
        return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
    }
    return ListModel::mark(item, role);
}

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/broken_rows_model.h"

#include "models/visible_text.h"

namespace fencepost::models {

namespace {

QString identityText(const BrokenRow& row, const Display&)
{
    QStringList parts;
    for (const auto& part : row.identity)
        parts += visibleText(part);
    return parts.join(QStringLiteral(" / "));
}

QString detailText(const BrokenRow& row, const Display& display)
{
    const auto words = visibleText(row.detail);
    if (!row.at)
        return words;
    const auto at = display.zone.format(*row.at);
    return words.isEmpty() ? at : at + QStringLiteral(", ") + words;
}

constexpr Column<BrokenRow> brokenColumns[] = {
    { .id = "key",
        .title = "Key",
        .text = [](const BrokenRow& row, const Display&) { return visibleText(row.key); },
        .monospace = true,
        .middleElision = true,
        .width = 34 },
    { .id = "detail", .title = "What stands there", .text = detailText, .width = 60, .grows = true },
    { .id = "identity", .title = "Row", .text = identityText, .monospace = true, .middleElision = true, .width = 40 },
};

} // namespace

BrokenRowsModel::BrokenRowsModel(QObject* parent)
    : ListModel(
        brokenColumns, [](const BrokenRow& row) { return Identity(row.identity); }, parent)
{
}

} // namespace fencepost::models

// SPDX-License-Identifier: Apache-2.0
#include "core/store/zone_sql.h"

#include <QTimeZone>

namespace fencepost::store {

namespace {

QDateTime startOf(int year)
{
    return { QDate(year, 1, 1), QTime(0, 0), Qt::UTC };
}

std::string number(Duration length)
{
    return std::to_string(length.count());
}

// The newest change first: most rows are recent.
template <typename Test> std::string cases(const Zone& zone, const Test& test)
{
    if (zone.changes.empty())
        return number(zone.first);
    std::string text = "CASE";
    for (auto change = zone.changes.rbegin(); change != zone.changes.rend(); ++change)
        text += " WHEN " + test(*change) + " THEN " + number(change->offset);
    return text + " ELSE " + number(zone.first) + " END";
}

} // namespace

std::optional<Zone> findZone(std::string_view name)
{
    const QTimeZone known(QByteArray(name.data(), static_cast<qsizetype>(name.size())));
    if (!known.isValid())
        return std::nullopt;
    constexpr int from = 2000;
    constexpr int to = 2040;
    Zone zone;
    zone.first = std::chrono::seconds(known.offsetFromUtc(startOf(from)));
    auto offset = zone.first;
    for (const auto& change : known.transitions(startOf(from), startOf(to))) {
        const Duration next = std::chrono::seconds(change.offsetFromUtc);
        if (next != offset)
            zone.changes.push_back({ timeFromMicros(change.atUtc.toMSecsSinceEpoch() * 1'000), next });
        offset = next;
    }
    return zone;
}

std::string offsetOfLocalText(const Zone& zone, const std::string& reference)
{
    const auto local = "replace(substr(" + reference + ", 1, 19), 'T', ' ')";
    return cases(zone, [&](const Zone::Change& change) {
        auto text = formatInstant(change.at + change.offset).substr(0, 19);
        text[10] = ' ';
        return local + " >= '" + text + '\'';
    });
}

std::string offsetOfMicros(const Zone& zone, const std::string& micros)
{
    return cases(
        zone, [&](const Zone::Change& change) { return micros + " >= " + std::to_string(microsOf(change.at)); });
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#include "core/store/sqlite_instants.h"

namespace fencepost::store {

// SQLite writes what it read, and as it stands only where that is a whole second of a day that its month has: it works
// out the day anew where something was added. It is the cheapest look there is at a text.
std::string isSqlitePlainSecond(const std::string& value)
{
    return "(datetime(" + value + ", '+0 days') = " + value + " OR strftime('%Y-%m-%dT%H:%M:%S', " + value
        + ", '+0 days') = " + value + ") AND +" + value + " > '0001'";
}

// Text like 2026-11-20 23:45:47.123456+02:00, any of its tails absent: what `readableInstant` lets through, and nothing
// else. To SQLite a number is a day of the Julian calendar, "now" is now, a day that its month does not have is one of
// the next, and a fraction has milliseconds: the tail is read apart.
std::string sqliteIsoMicros(const std::string& value)
{
    const std::string two(2, '?');
    const auto length = "CASE WHEN substr(" + value + ", 17, 1) = ':' THEN 19 WHEN substr(" + value
        + ", 14, 1) = ':' THEN 16 ELSE 10 END";
    const auto parts =
        "SELECT substr(" + value + ", 1, " + length + ") AS head, substr(" + value + ", 1 + " + length + ") AS tail";
    const auto unread =
        "SELECT head, tail, CASE WHEN substr(tail, 1, 1) = '.' THEN ltrim(substr(tail, 2), '0123456789') "
        "ELSE tail END AS rest FROM ("
        + parts + ")";
    const auto read = "SELECT head, tail, substr(tail, 2, length(tail) - length(rest) - 1) AS fraction, CASE WHEN "
                      "substr(rest, 1, 1) = ' ' THEN substr(rest, 2) ELSE rest END AS zone FROM ("
        + unread + ")";
    const auto isDate = "head GLOB '" + two + two + '-' + two + '-' + two
        + "*' AND strftime('%d', substr(head, 1, 10), '+0 days') = substr(head, 9, 2) AND head > '0001' AND "
          "substr(head, 11, 1) IN ('', ' ', 'T') AND substr(head, 12, 2) < '24'";
    const auto fits = "CASE WHEN substr(tail, 1, 1) = '.' THEN length(head) = 19 AND length(fraction) BETWEEN 1 AND 30 "
                      "WHEN tail <> '' THEN "
                      "length(head) > 10 ELSE 1 END";
    const std::string micros =
        "unixepoch(head) * 1000000 + CASE WHEN substr(tail, 1, 1) = '.' THEN CAST(round(CAST('0.' "
        "|| fraction AS REAL) * 1000000) AS INTEGER) ELSE 0 END";
    const std::string offset =
        "CASE substr(zone, 1, 1) WHEN '-' THEN -60000000 ELSE 60000000 END * (60 * "
        "CAST(substr(zone, 2, 2) AS INTEGER) + CAST(substr(replace(zone, ':', ''), 4) AS INTEGER))";
    return "CASE WHEN " + isSqlitePlainSecond(value) + " THEN unixepoch(" + value
        + ") * 1000000 ELSE (SELECT CASE WHEN NOT (" + isDate + " AND " + fits
        + ") THEN NULL WHEN zone IN ('', 'Z', 'UTC', 'GMT') THEN " + micros + " WHEN " + isSqliteOffset("zone")
        + " THEN " + micros + " - " + offset + " END FROM (" + read + ")) END";
}

std::string isSqliteOffset(const std::string& zone)
{
    return "(" + zone + " GLOB '[+-][01][0-9]' OR " + zone + " GLOB '[+-][01][0-9][0-5][0-9]' OR " + zone
        + " GLOB '[+-][01][0-9]:[0-5][0-9]') AND substr(" + zone + ", 2, 2) < '15'";
}

// A column of SQLite holds anything, and what is no number counts as zero: as the year 1970.
std::string sqliteEpochMicros(const std::string& value, std::int64_t unit)
{
    return "CASE WHEN typeof(" + value + ") IN ('integer', 'real') OR (typeof(" + value + ") = 'text' AND " + value
        + " <> '' AND " + value + " NOT GLOB '*[^0-9]*') THEN CAST(" + value + " * " + std::to_string(unit)
        + " AS INTEGER) END";
}

} // namespace fencepost::store

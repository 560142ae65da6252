// SPDX-License-Identifier: Apache-2.0
#include "core/store/journal_range.h"

#include "core/store/native.h"
#include "core/store/read_rows.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr std::int64_t readWhole = 100'000;
constexpr Duration slack = std::chrono::minutes(5);

struct JournalPlace {
    std::int64_t seq = 0;
    Time at;
};

Result<std::optional<JournalPlace>> placeFrom(Connection& connection, std::int64_t seq)
{
    return firstOf(readRows(connection, sql::journal_at, Parameters().integer("seq", seq),
        [](const NativeRow& row) -> Result<JournalPlace> {
            return JournalPlace{ row.integer(0), row.time(1) };
        }));
}

// The first entry that is not before `at`, as far as the journal is in order; `last` + 1: there is none.
Result<std::int64_t> firstFrom(Connection& connection, const JournalRange& all, Time at)
{
    auto low = all.first;
    auto high = all.last + 1;
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        const auto found = placeFrom(connection, middle);
        if (!found)
            return found.error();
        // Numbers may be missing: the next entry answers for the gap before it.
        if (!*found || (*found)->at >= at)
            high = middle;
        else
            low = (*found)->seq + 1;
    }
    return low;
}

} // namespace

Result<JournalRange> journalRange(Connection& connection, const TimeRange& range)
{
    const auto ends =
        firstOf(readRows(connection, sql::journal_ends, Parameters(), [](const NativeRow& row) -> Result<JournalRange> {
            return row.isNull(0) ? JournalRange{} : JournalRange{ row.integer(0), row.integer(1) };
        }));
    if (!ends)
        return ends.error();
    const auto all = ends->value_or(JournalRange{});
    if (all.last - all.first < readWhole)
        return all;
    const auto first = firstFrom(connection, all, range.from - slack);
    if (!first)
        return first.error();
    const auto end = firstFrom(connection, all, range.until + slack);
    if (!end)
        return end.error();
    return JournalRange{ *first, *end - 1 };
}

} // namespace fencepost::store

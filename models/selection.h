// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/inspector.h"

namespace fencepost::models {

using Identity = std::vector<std::string>;

// Neighbouring rows in the order of the page, by their logical positions and by the keyset values of both ends.
struct SelectedRange {
    std::int64_t first = 0;
    std::int64_t last = 0;
    Cursor firstCursor;
    Cursor lastCursor;
};

// What is selected in a table too large to be held: ranges, or everything that matches as of an instant, both without
// some rows. Every function costs no more than the number of ranges and exceptions, never the number of rows.
class Selection {
public:
    [[nodiscard]] bool empty() const;
    [[nodiscard]] bool everything() const { return m_asOf.has_value(); }
    [[nodiscard]] std::optional<Time> asOf() const { return m_asOf; }
    [[nodiscard]] bool contains(std::int64_t position, const Identity& identity) const;
    [[nodiscard]] Count size() const;
    [[nodiscard]] const std::vector<SelectedRange>& ranges() const { return m_ranges; }
    [[nodiscard]] const std::map<Identity, std::int64_t>& exceptions() const { return m_exceptions; }

    void clear();
    // "All 48,211 matching as of 02:14:07Z".
    void selectEverything(Time asOf, Count matching);
    void add(const SelectedRange& range);
    void toggle(std::int64_t position, const Cursor& cursor, const Identity& identity);
    // Positions were estimates and are better known now.
    void shift(std::int64_t by);

private:
    [[nodiscard]] bool inRanges(std::int64_t position) const;

    std::vector<SelectedRange> m_ranges; // disjoint, ascending
    std::map<Identity, std::int64_t> m_exceptions; // with their positions
    std::optional<Time> m_asOf;
    Count m_matching;
};

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

#include "core/query/row.h"

namespace fencepost::ui {

// In whose diagrams a state stands even where the path does not lead there.
enum class Whose {
    Everybodys,
    Ours, // what only our own protocol says
    Others, // what only somebody else's table says
    Nobodys, // only where the path leads there
};

// Where a state stands in the diagram of one row: from the middle, in halves of what is left beside a node, and from
// the top. Two that exclude each other share a place.
struct StatePlace {
    std::string_view state;
    double x;
    double y;
    Whose whose = Whose::Everybodys;
};

// How far an edge goes out of its way, to the left of its direction: around a node, or beside its opposite.
struct StateBend {
    std::string_view from;
    std::string_view to;
    double by;
};

// Placed by hand: the ordinary life runs down the middle.
struct StatePlan {
    std::span<const StatePlace> places;
    std::span<const StateBend> bends;
};
[[nodiscard]] StatePlan planOf(Kind kind) noexcept;

// Whether the edge is drawn where it was not taken. The whole net would hide the path.
[[nodiscard]] bool isDrawn(Kind kind, std::string_view from, std::string_view to, std::string_view current) noexcept;

} // namespace fencepost::ui

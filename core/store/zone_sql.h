// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"

namespace fencepost::store {

// The offsets of a time zone from UTC, for SQLite, which knows no zones. Local times from 2000 to 2040; before and
// after the nearest rule goes on.
struct Zone {
    struct Change {
        Time at;
        Duration offset; // from then on
    };
    Duration first{}; // before the first change
    std::vector<Change> changes; // the earliest first

    [[nodiscard]] bool isUtc() const { return first == Duration(0) && changes.empty(); }
};

// By its IANA name, from this computer's rules. None: it has no such zone.
[[nodiscard]] std::optional<Zone> findZone(std::string_view name);

// SQL for the microseconds by which local times are ahead of UTC: of a column of local text, and of an expression of
// microseconds since 1970. An hour that a clock shows twice is the later one, as in PostgreSQL.
[[nodiscard]] std::string offsetOfLocalText(const Zone& zone, const std::string& reference);
[[nodiscard]] std::string offsetOfMicros(const Zone& zone, const std::string& micros);

} // namespace fencepost::store

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/backend.h"

namespace fencepost::models {

// One open database in which an id is looked for.
struct TrailSource {
    std::string name; // of the connection, as it is shown
    Backend* backend = nullptr; // not owned
};

struct TrailRequest {
    std::string id;
    Duration scan{}; // longest look at what no index leads to, for all tables together; zero: none
    bool alwaysScan = false; // also where an index has led to a row
    std::function<bool()> stopped; // asked between statements; none: it runs to its end
};

struct TrailRow {
    std::size_t source = 0; // which of the sources
    std::string binding;
    Kind kind = Kind::Idempotency;
    Row row;
    std::string by; // found: the field; linked: what links it
};

// One thing that happened to a row.
struct Happening {
    Time at;
    std::size_t source = 0;
    std::string binding;
    std::vector<std::string> identity;
    std::string what;
    std::string detail; // redacted
};

// A run of a plan is no row of a recognised table.
struct TrailRun {
    std::size_t source = 0;
    OperationRun run;
};

// What was looked at in one table, so that nothing found says something.
struct Searched {
    std::size_t source = 0;
    std::string binding; // or "audit", "runs"
    std::vector<std::string> fields; // by their index
    std::optional<ScannedRows> scanned; // without its leads
    std::optional<ScannedRows> journal; // the same of the entries beside our own records
    std::optional<Error> error; // it could not be looked at
};

struct Trail {
    std::vector<TrailRow> found;
    std::vector<TrailRow> linked;
    std::vector<TrailRun> runs;
    std::vector<Happening> happenings; // the oldest first
    std::vector<Searched> searched;
    bool cut = false; // there are more rows than are followed

    [[nodiscard]] bool isEmpty() const { return found.empty() && runs.empty() && happenings.empty(); }
    // No payload and no journal was read.
    [[nodiscard]] bool isByIndexAlone() const;
};

// Everything that these databases know of an id: the rows that it leads to, the rows that hang together with them, and
// what happened to all of them. A table that cannot be read has no say in what the others hold.
[[nodiscard]] Trail followId(const std::vector<TrailSource>& sources, const TrailRequest& request);

} // namespace fencepost::models

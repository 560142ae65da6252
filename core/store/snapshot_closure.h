// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/copier.h"
#include "core/store/database.h"

namespace fencepost::store {

// What is found by one name in several tables. A table that has all of the columns takes part.
struct SnapshotLink {
    std::vector<std::string> from; // of the row that is in the snapshot
    std::vector<std::string> to; // of the rows that hang on it
    bool further = true; // also from rows that came only because they hang on another
    std::string into = {}; // the only table that it leads to; empty: whichever has the columns
};
[[nodiscard]] const std::vector<SnapshotLink>& snapshotLinks();

// Which keys the rows of a filtered snapshot have, and which of them were not yet followed. They are kept in a
// temporary table: a snapshot may have millions.
class SnapshotClosure {
public:
    explicit SnapshotClosure(Connection& connection);
    Status prepare();

    // The links that lead from a table's rows, and where their columns are; asked for once per table.
    struct Leaving {
        std::size_t link = 0;
        std::vector<std::size_t> places;
    };
    [[nodiscard]] static std::vector<Leaving> leaving(const CopiedTable& table);

    // A row came into the snapshot. `seed`: the filter found it itself.
    Status came(const std::vector<Leaving>& leaving, std::span<const CopiedValue> row, bool seed);

    // Keys of one link that were not followed yet, at most `limit`; they count as followed.
    Result<std::vector<std::vector<std::string>>> take(std::size_t link, int limit);

private:
    Connection& m_connection;
};

} // namespace fencepost::store

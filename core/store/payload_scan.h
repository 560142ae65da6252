// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/finder.h"
#include "core/store/page_sql.h"
#include "core/store/profile_reader.h"

namespace fencepost::store {

// Looks for an id in what no index leads to: payloads, and the fields without one. Goes through the table batch by
// batch, the newest rows first where that order has an index, until the budget is spent.
class PayloadScan {
public:
    PayloadScan(Connection& connection, ProfileReader& reader, const BoundProfile& bound, std::string id);

    Result<ScannedRows> run(Duration budget, const ScanPlace& place = {});

private:
    struct Suspect {
        std::vector<std::string> identity;
        std::int64_t mark = 0; // where the id stands, as isInside() says
    };

    struct Batch {
        std::vector<Suspect> suspects;
        std::vector<std::string> last; // keyset values
        int rows = 0;
    };

    [[nodiscard]] std::string isInside(ExpressionSql& sql) const;
    Result<Batch> read(const PageWalk& walk, const Segment& segment,
        const std::optional<std::vector<std::string>>& from, int limit, Duration left);
    Status confirm(const Batch& batch, ScannedRows& into);
    [[nodiscard]] std::optional<std::string> placeIn(const RowDetails& details) const;
    Status count(ScannedRows& into);

    Connection& m_connection;
    ProfileReader& m_reader;
    const BoundProfile& m_bound;
    std::string m_id;
};

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/finder.h"
#include "core/store/profile_reader.h"

namespace fencepost::store {

// Looks through the journal of our own records for who had to do with them, for keys of which the record is gone by
// now, and for what logs tell of the requests under a key beside the last one: no index leads to any of them. Where it
// tells of none, the calls to vendors may. What is gone is told of as absent.
class JournalScan {
public:
    JournalScan(Connection& connection, ProfileReader& reader, const BoundProfile& bound, std::string who);

    Result<ScannedRows> run(Duration budget, const ScanPlace& place = {});

private:
    struct Entry {
        std::vector<std::string> identity;
        std::string by;
    };
    Status read(std::int64_t first, std::int64_t end, ScannedRows& into);
    Status readCalls(ScannedRows& into);
    Status addAll(const std::vector<Entry>& entries, ScannedRows& into);
    Status add(const std::vector<std::string>& identity, const std::string& by, ScannedRows& into);

    Connection& m_connection;
    ProfileReader& m_reader;
    const BoundProfile& m_bound;
    std::string m_who;
};

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/forensics.h"
#include "core/store/native.h"
#include "core/store/profile_reader.h"

namespace fencepost::store {

// The statements of one answer, each in a transaction of its own within the budget: one that takes longer is named in
// the answer and the others go on.
class TimedReads {
public:
    TimedReads(Connection& connection, ProfileReader& reader);

    // Resolves the request by the database's clock. Invalid: it ends before it begins.
    Result<Basis> begin(const RangeRequest& request);

    // `what` in words, for what could not be read in time.
    Status ask(const std::string& what, const NamedSql& sql, const Parameters& parameters, const RowReader& read);
    Status ask(const std::string& what, const SqlText& text, const RowReader& read);
    Status missed(const std::string& what, const Status& status);

    [[nodiscard]] Connection& connection() { return m_connection; }
    [[nodiscard]] const TimeRange& range() const { return m_basis.range; }
    [[nodiscard]] Duration budget() const { return m_budget; }
    // What was learned about the answer itself; the time is that since begin().
    [[nodiscard]] Basis basis() const;
    void leaveOut(std::string what) { m_basis.unread.push_back(std::move(what)); }

private:
    Connection& m_connection;
    ProfileReader& m_reader;
    Basis m_basis;
    Duration m_budget{};
    std::chrono::steady_clock::time_point m_began;
};

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/messaging/replay_verdict.h"
#include "core/store/database.h"

namespace fencepost::store {

// What sending each of these dead letters again would do, by id; one that is not there is left out. Runs in whatever
// transaction is open. `now` none: the database's clock decides about leases and expiries.
[[nodiscard]] Result<std::map<std::string, JudgedReplay>> judgeLetters(
    Connection& connection, const std::vector<std::string>& ids, const std::optional<Time>& now);

// Of the letters behind which later events of their ordering key were sent, the latest of these; in a schema that has
// no index for that, of none.
[[nodiscard]] Result<std::map<std::string, std::string>> overtakenLetters(
    Connection& connection, const std::vector<std::string>& ids);

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/store/database.h"

namespace fencepost::store {

// The version that this build writes and reads.
inline constexpr int currentSchemaVersion = 9;
// What Store, OutboundLedger, Inbox, Outbox and DeadLetters came to need later than the first version, each the version
// that brought it.
inline constexpr int schemaOfEffectsExpiry = 3;
inline constexpr int schemaOfRequestHeaders = 4;
inline constexpr int schemaOfMessages = 5;
inline constexpr int schemaOfDestinations = 6;
inline constexpr int schemaOfRuns = 7;
inline constexpr int schemaOfDueByDestination = 8;
inline constexpr int schemaOfSentInOrder = 9;

struct SchemaStatus {
    std::optional<int> version; // none: Fencepost's tables are not there
    int current = currentSchemaVersion;
    bool views = false; // the compatibility views of protocol.md §3.4
};

// What a build answers that is older than the database.
[[nodiscard]] Error newerSchema(int version);
// And where the database is too old for what was asked of it.
[[nodiscard]] Error olderSchema(std::optional<int> version, int needed);

Result<SchemaStatus> schemaStatus(Connection& connection);
// Creates or migrates; safe to run twice and from two processes at once. Unsupported: the database is newer than this
// build. `at`: when it says that it was made; none: by the database's clock.
Status initSchema(Connection& connection, bool views, std::optional<Time> at = std::nullopt);
// The literal DDL of one layout: fencepost, playbook, atlas, service.
Result<std::string> ddl(Dialect dialect, std::string_view layout, std::string_view service);

} // namespace fencepost::store

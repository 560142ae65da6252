// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/record.h"

namespace fencepost {

enum class Kind { Idempotency, Inbox, Outbox, DeadLetter, Job, Lock };

[[nodiscard]] std::string_view wordOf(Kind kind) noexcept; // "idempotency", "inbox", "outbox", "dlq", "job", "lock"
[[nodiscard]] std::optional<Kind> kindOf(std::string_view word) noexcept;

// One row of any recognised table in the canonical form of profiles.md §6. Absent means that the table has no such
// column or the column is NULL. Instants are the database's; identity and cas are text exactly as the database compares
// it.
struct Row {
    std::vector<std::string>
        identity; // primary key as text; "\\x…" is the hex of octets that are no UTF-8, "\\b…" a blob among texts
    std::string key;
    std::optional<std::string> scope;
    std::optional<std::string> operation;
    std::optional<std::string> queue;
    std::string state; // canonical word as shown (HELD and EXPIRED included)
    std::string rawState; // the framework's own value
    std::string status; // another's table: the canonical word of what is stored, where only its expiry is shown
    bool stuck = false;
    std::string stuckReason; // lease_expired, too_old, dead_owner, …
    bool hold = false;
    std::optional<std::string> holdReason;
    std::optional<std::string> owner;
    std::optional<std::int64_t> fence;
    std::optional<std::int64_t> attempts;
    std::optional<std::int64_t> maxAttempts;
    std::optional<std::string> takeover;
    std::optional<std::string> requestHash; // hex or verbatim
    std::optional<std::int64_t> responseCode;
    std::optional<std::string> resultRef;
    std::optional<std::string> error;
    std::optional<std::string> correlationId;
    std::optional<Time> leaseUntil;
    std::optional<Time> startedAt;
    std::optional<Time> updatedAt;
    std::optional<Time> createdAt;
    std::optional<Time> finishedAt;
    std::optional<Time> nextAttemptAt;
    std::optional<Time> expiresAt;
    bool conflict = false; // refused arrivals are journalled for this key
    std::map<std::string, std::string> cas; // column -> text as read; absent key: NULL
    std::map<std::string, std::string> extra; // columns only this profile has

    bool operator==(const Row&) const = default;
};

} // namespace fencepost

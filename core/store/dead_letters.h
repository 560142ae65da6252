// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/inspector.h"
#include "core/messaging/dead_letter.h"
#include "core/store/database.h"
#include "core/store/sql_store.h"

namespace fencepost::store {

// What failed alike, the most frequent first.
[[nodiscard]] Result<std::vector<LetterGroup>> groupsOf(Connection& connection, Time now);
// How many wait for a decision, of each consumer that ever had one; under no name those that a relay gave up.
[[nodiscard]] Result<std::map<std::string, std::int64_t>> deadLetterDepths(Connection& connection);

// dead_letters: what was given up, until somebody decides. Each decision is one transaction with what it does to the
// inbox and the outbox, compared with what was seen. Used by one thread, beside the store on the same connection.
// Errors are the store's.
class DeadLetters {
public:
    DeadLetters(Connection& connection, StoreClock clock);

    Result<LetterDecision> redrive(const std::string& id, const LetterDemand& demand);
    Result<LetterDecision> discard(const std::string& id, const LetterDemand& demand);
    // Gives it up and sends a copy of its event with another payload.
    Result<LetterDecision> edit(const std::string& id, const LetterDemand& demand, const LetterEdit& edit);
    Result<LetterDecision> restore(const std::string& id, const LetterDemand& demand); // the inverse of discard

    Result<std::optional<DeadLetter>> find(const std::string& id);
    // None: it was not kept.
    Result<std::optional<Bytes>> payload(const std::string& id);
    // Forgets what was decided longer ago than this. Answers how many; nothing that is DEAD goes.
    Result<int> purge(Duration retention, int batch);

private:
    using Decide = std::function<LetterDecision(const LetterView& view, const LetterDemand& demand, Time now)>;
    Result<LetterDecision> decided(const std::string& id, const LetterDemand& demand, const Decide& decide);
    Result<LetterView> viewOf(const std::string& id);
    Status enqueue(const std::string& id, const LetterDecision& decision);

    Connection& m_connection;
    StoreClock m_clock;
};

} // namespace fencepost::store

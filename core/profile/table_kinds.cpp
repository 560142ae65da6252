// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "core/profile/dictionary.h"

namespace fencepost::profile {

namespace {

// What tables and columns of each kind are called.
struct KindHint {
    std::string_view word;
    unsigned kinds;
    int score;
};

constexpr std::array tableHints = {
    KindHint{ "idempot", kinds::idempotency, 50 },
    KindHint{ "dedup", kinds::idempotency, 40 },
    KindHint{ "inbox", kinds::inbox, 50 },
    KindHint{ "processed_event", kinds::inbox, 50 },
    KindHint{ "processed_message", kinds::inbox, 50 },
    KindHint{ "consumed", kinds::inbox, 40 },
    KindHint{ "outbox", kinds::outbox, 50 },
    KindHint{ "outgoing", kinds::outbox, 40 },
    KindHint{ "event_publication", kinds::outbox, 50 },
    KindHint{ "dead_letter", kinds::letters, 60 },
    KindHint{ "deadletter", kinds::letters, 60 },
    KindHint{ "dlq", kinds::letters, 60 },
    KindHint{ "poison", kinds::letters, 50 },
    KindHint{ "quarantine", kinds::letters, 50 },
    KindHint{ "failed_job", kinds::letters, 50 },
    KindHint{ "failed_message", kinds::letters, 50 },
    KindHint{ "job", kinds::job, 40 },
    KindHint{ "task", kinds::job, 35 },
    KindHint{ "queue", kinds::job, 30 },
    KindHint{ "lock", kinds::lock, 40 },
    KindHint{ "lease", kinds::lock, 30 },
};

constexpr std::array columnHints = {
    KindHint{ "idempotency_key", kinds::idempotency, 30 },
    KindHint{ "request_key", kinds::idempotency, 30 },
    KindHint{ "client_key", kinds::idempotency, 25 },
    KindHint{ "operation_key", kinds::idempotency, 25 },
    KindHint{ "dedupe_key", kinds::idempotency, 25 },
    KindHint{ "request_id", kinds::idempotency, 20 },
    KindHint{ "request_hash", kinds::idempotency, 20 },
    KindHint{ "payload_hash", kinds::idempotency | kinds::inbox, 20 },
    KindHint{ "request_fingerprint", kinds::idempotency, 20 },
    KindHint{ "response", kinds::idempotency, 15 },
    KindHint{ "response_body", kinds::idempotency, 15 },
    KindHint{ "response_code", kinds::idempotency, 15 },
    KindHint{ "response_status", kinds::idempotency, 15 },
    KindHint{ "recovery_point", kinds::idempotency, 20 },
    KindHint{ "consumer", kinds::inbox, 20 },
    KindHint{ "consumer_id", kinds::inbox, 20 },
    KindHint{ "received_at", kinds::inbox, 20 },
    KindHint{ "event_id", kinds::inbox | kinds::outbox, 10 },
    KindHint{ "message_id", kinds::inbox | kinds::outbox, 10 },
    KindHint{ "processed_at", kinds::inbox | kinds::outbox, 15 },
    KindHint{ "published_at", kinds::outbox, 30 },
    KindHint{ "dispatched_at", kinds::outbox, 30 },
    KindHint{ "sent_at", kinds::outbox, 25 },
    KindHint{ "published", kinds::outbox, 25 },
    KindHint{ "aggregate_id", kinds::outbox, 25 },
    KindHint{ "aggregate_type", kinds::outbox, 25 },
    KindHint{ "destination", kinds::outbox, 20 },
    KindHint{ "topic", kinds::outbox, 15 },
    KindHint{ "original_message_id", kinds::letters, 40 },
    KindHint{ "original_event_id", kinds::letters, 40 },
    KindHint{ "source_queue", kinds::letters, 30 },
    KindHint{ "replayable", kinds::letters, 40 },
    KindHint{ "resolved_at", kinds::letters, 25 },
    KindHint{ "exception", kinds::letters, 15 },
    KindHint{ "max_attempts", kinds::job, 25 },
    KindHint{ "run_at", kinds::job, 25 },
    KindHint{ "scheduled_at", kinds::job, 20 },
    KindHint{ "worker", kinds::job, 20 },
    KindHint{ "job_name", kinds::job, 25 },
    KindHint{ "queue", kinds::job, 20 },
    KindHint{ "lock_key", kinds::lock, 40 },
    KindHint{ "lock_until", kinds::lock, 40 },
    KindHint{ "locked_by", kinds::lock, 15 },
};

constexpr std::array allKinds = { Kind::Idempotency, Kind::Inbox, Kind::Outbox, Kind::DeadLetter, Kind::Job,
    Kind::Lock };

struct Names {
    std::string table;
    std::set<std::string, std::less<>> columns; // without underscores
};

Names namesOf(const TableFacts& table)
{
    Names names{ snakeCase(table.name), {} };
    for (const auto& column : table.columns)
        names.columns.insert(withoutUnderscores(snakeCase(column.name)));
    return names;
}

int scoreOf(const Names& names, Kind kind)
{
    int score = 0;
    for (const auto& hint : tableHints)
        if ((hint.kinds & maskOf(kind)) != 0 && names.table.find(hint.word) != std::string::npos)
            score = std::max(score, hint.score);
    for (const auto& hint : columnHints)
        if ((hint.kinds & maskOf(kind)) != 0 && names.columns.contains(withoutUnderscores(hint.word)))
            score += hint.score;
    return std::min(score, 100);
}

} // namespace

Likeness likenessOf(const TableFacts& table)
{
    const auto names = namesOf(table);
    Likeness best;
    for (const auto kind : allKinds)
        if (const auto score = scoreOf(names, kind); score > best.score)
            best = { kind, score };
    return best;
}

int likenessOf(const TableFacts& table, Kind kind)
{
    return scoreOf(namesOf(table), kind);
}

} // namespace fencepost::profile

// SPDX-License-Identifier: Apache-2.0
#include "core/profile/words.h"

#include <algorithm>
#include <array>

namespace fencepost::profile {

namespace {

using Words = std::vector<std::string_view>;

constexpr std::array<std::string_view, 29> fields = { "key", "scope", "operation", "queue", "order_key", "raw_state",
    "stuck_reason", "hold", "hold_reason", "owner", "fence", "version", "attempts", "max_attempts", "takeover",
    "request_hash", "response_code", "result_ref", "error", "correlation_id", "lease_until_us", "started_us",
    "updated_us", "created_us", "finished_us", "next_attempt_us", "expires_us", "group", "died_as" };

constexpr std::array<std::string_view, 9> verbs = { "fence", "release", "expire", "resolve", "fail", "fail_final",
    "replay", "edit", "discard" };

template <typename Range> std::string listed(const Range& words)
{
    std::string text = "one of";
    for (const auto word : words)
        text += " " + std::string(word);
    return text;
}

template <typename Range> bool contains(const Range& words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

const Words& kindWords()
{
    static const Words words = { "idempotency", "inbox", "outbox", "dlq", "job", "lock" };
    return words;
}

const Words& fencingWords()
{
    static const Words words = { "none", "not_applicable", "owner_cas", "fence_cas", "version_cas", "status_cas",
        "row_existence", "db_row_lock", "session_lock" };
    return words;
}

const Words& neededWords()
{
    static const Words words = { "export", "stuck", "confirm_effect_checked" };
    return words;
}

const Words& stateWordsOf(Kind kind)
{
    static const Words idempotency = { "PENDING", "IN_PROGRESS", "SUCCEEDED", "FAILED_RETRYABLE", "FAILED_FINAL",
        "HELD", "EXPIRED", "DEAD", "UNKNOWN" };
    static const Words inbox = { "RECEIVED", "PROCESSING", "PROCESSED", "FAILED", "DEAD", "UNKNOWN" };
    static const Words outbox = { "PENDING", "SENDING", "SENT", "DISPATCHED", "FAILED", "DEAD", "DISCARDED",
        "UNKNOWN" };
    static const Words deadLetters = { "DEAD", "REDRIVEN", "DISCARDED", "UNKNOWN" };
    switch (kind) {
    case Kind::Inbox:
        return inbox;
    case Kind::Outbox:
        return outbox;
    case Kind::DeadLetter:
        return deadLetters;
    case Kind::Idempotency:
    case Kind::Job:
    case Kind::Lock:
        break;
    }
    return idempotency;
}

bool isCanonicalField(std::string_view word)
{
    return contains(fields, word);
}

std::string fieldWords()
{
    return listed(fields);
}

bool isVerb(std::string_view word)
{
    return contains(verbs, word);
}

std::string verbWords()
{
    return listed(verbs);
}

} // namespace fencepost::profile

// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/contract_rules.h"

#include <array>

#include "core/protocol/ascii.h"

namespace fencepost::contract_lint {

namespace {

using enum SubjectKind;

bool isAny(const ContractSubject&)
{
    return true;
}

// A second PUT or DELETE of the same thing changes nothing by itself, unless the route takes an effect back.
bool mayDoWithoutKey(const ContractSubject& subject)
{
    const auto method = subject.method();
    return (method == "PUT" || method == "DELETE") && subject.find("reverses") == nullptr;
}

bool needsKey(const ContractSubject& subject)
{
    return isUnsafe(subject) && !mayDoWithoutKey(subject);
}

bool mayHaveKey(const ContractSubject& subject)
{
    return mayDoWithoutKey(subject) && subject.word("update") != "if_match";
}

bool isLocal(const ContractSubject& subject)
{
    return isKeyed(subject) && subject.policy.effect.value == EffectClass::LocalTransaction;
}

bool isExternal(const ContractSubject& subject)
{
    return isKeyed(subject) && subject.policy.effect.value != EffectClass::LocalTransaction;
}

// Most gates say that one member has one of some words. `accepted` empty: any word will do, but there must be one.
struct Rule {
    std::string_view gate;
    SubjectKind kind;
    bool (*applies)(const ContractSubject& subject);
    std::string_view member;
    std::string_view accepted; // separated by a blank
    std::string_view why; // what is wrong with any other word, and with none
    std::string_view remedy;
};

// clang-format off
constexpr std::array lintRules = {
    Rule{ "key_required", Route, needsKey, "key", "required", "a retry of it is a second effect", "Require an Idempotency-Key" },
    Rule{ "key_required", Route, mayHaveKey, "key", "required optional", "nothing recognises a late retry of it", "Take an Idempotency-Key, or compare If-Match" },
    Rule{ "key_required", Job, isAny, "key", "run_id", "a run that is started twice happens twice", "Use the run's id as the key" },

    Rule{ "payload_hash", Route, isKeyed, "fingerprint", "v1 body_only", "another request under the same key gets the wrong answer", "Store a hash of the request with the key" },
    Rule{ "payload_hash", Route, isKeyed, "mismatch_status", "409 422 400", "another request under a used key must be refused as a conflict", "Answer it with 409" },

    Rule{ "same_response", Route, isKeyed, "replay_status", "same", "a client takes a replay for another outcome", "Replay the stored code" },
    Rule{ "same_response", Route, isKeyed, "replay_body", "same reference", "a client takes a replay for another outcome", "Replay the stored body, or build it from the stored reference" },

    Rule{ "retry", Client, isAny, "backoff", "exponential", "retries come as fast as the first ones failed", "Let the delays grow exponentially" },
    Rule{ "retry", Client, isAny, "retry_after", "honoured", "it comes back before the server is ready", "Honour Retry-After" },
    Rule{ "retry", Client, isAny, "breaker", "inside_retry", "every call goes through its whole plan while the other side is down", "Ask a circuit breaker before each attempt" },

    Rule{ "inbox_outbox", Consumer, isAny, "dedupe_by", "event_id dedupe_key", "a second delivery is handled as a new event", "Tell deliveries apart by event_id" },
    Rule{ "inbox_outbox", Consumer, isAny, "inbox", "", "nothing remembers what was delivered", "Keep an inbox table" },
    Rule{ "inbox_outbox", Consumer, isAny, "inbox_write", "before_effect with_effect", "a crash between them handles the event twice", "Write the inbox row before the effect" },
    Rule{ "inbox_outbox", Consumer, isAny, "ordering", "any", "events come in any order", "Model the states so that a late event is harmless" },
    Rule{ "inbox_outbox", Consumer, isAny, "max_attempts", "", "a poisoned event is tried for ever", "Give it up after some attempts" },
    Rule{ "inbox_outbox", Consumer, isAny, "dead_letter", "", "an event that was given up is lost", "Keep it in a dead-letter table" },
    Rule{ "inbox_outbox", Producer, isAny, "outbox", "", "a change whose event is lost stays unknown to everybody", "Keep an outbox table" },
    Rule{ "inbox_outbox", Producer, isAny, "outbox_write", "with_change", "a crash between them loses the event, or sends one of a change that never was", "Write the event in the transaction of its change" },

    Rule{ "retention", Route, isKeyed, "cleanup", "", "the table only grows", "Run a reaper, and say which" },
    Rule{ "retention", Route, isKeyed, "retention", "", "clients do not know how long they may retry", "Document the lifetime of keys, and say where" },
    Rule{ "retention", Consumer, isAny, "cleanup", "", "the inbox only grows", "Run a reaper, and say which" },
    Rule{ "retention", Consumer, isAny, "retention", "", "producers do not know how long they may deliver again", "Document the lifetime of deliveries, and say where" },

    Rule{ "durable_store", Route, isKeyed, "store", "database", "after a crash every key is new", "Keep the records where the effect is kept" },
    Rule{ "durable_store", Consumer, isAny, "store", "database", "after a crash every event is new", "Keep the deliveries where the effect is kept" },
    Rule{ "failures_stored", Route, isKeyed, "failures", "classified all", "a failed request runs again with every retry", "Store terminal failures as answers" },
    Rule{ "atomic_reserve", Route, isKeyed, "reserve", "insert_first", "two requests at once both find nothing and both execute", "Insert the key first; whoever inserts it executes" },
    Rule{ "effect_order", Route, isLocal, "finalize", "in_transaction", "a crash between effect and record applies it twice, or never", "Record the outcome in the transaction of the effect" },
    Rule{ "effect_order", Route, isExternal, "finalize", "after_effect in_transaction", "a crash between them leaves an outcome that did not happen", "Record the outcome after the effect" },
    Rule{ "partial_failure", Route, isExternal, "recovery", "recovery_points outbox saga reconcile", "an execution that stopped half-way is neither finished nor taken back", "Keep recovery points, send from an outbox, or reconcile" },
    Rule{ "bounded_ownership", Route, isKeyed, "lease", "renewed fixed", "the key of a dead worker is in progress for ever", "Give each execution a lease" },
    Rule{ "throttling", Route, isUnsafe, "throttled", "retry_after never", "a throttled client does not know when to come back", "Send Retry-After with 429" },
    Rule{ "key_per_operation", Client, isAny, "key", "per_operation", "the other side cannot tell a retry from a new operation", "Keep one key per operation until it is settled" },
};
// clang-format on

// Where anything may be said, what says that there is nothing.
bool isNothing(std::string_view word)
{
    return hasWord("none no never nothing nobody n/a - todo tbd unknown", asciiLower(std::string(word)));
}

} // namespace

void judgeRules(std::string_view gate, const Contract& contract, Findings& findings)
{
    for (const auto& rule : lintRules)
        for (const auto& subject : contract.subjects) {
            if (rule.gate != gate || rule.kind != subject.kind || !rule.applies(subject))
                continue;
            const auto word = said(subject, rule.member);
            if (!word.empty() && (rule.accepted.empty() ? !isNothing(word) : hasWord(rule.accepted, word)))
                continue;
            const auto what = std::string(rule.member) + (word.empty() ? " is not said: " : " is " + word + ": ")
                + std::string(rule.why);
            report(findings, gate, subject, subject.pathOf(rule.member), what, rule.remedy);
        }
}

} // namespace fencepost::contract_lint

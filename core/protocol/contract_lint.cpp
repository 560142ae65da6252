// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/contract_lint.h"

#include <algorithm>
#include <array>

#include "core/protocol/ascii.h"
#include "core/protocol/error_codes.h"
#include "core/protocol/http_message.h"

namespace fencepost {

namespace {

using Findings = std::vector<Finding>;
using enum SubjectKind;

bool isAny(const ContractSubject&)
{
    return true;
}

bool isUnsafe(const ContractSubject& subject)
{
    return !isSafeMethod(subject.method());
}

// The rest of the contract is about what a key does. Whether a route may go without one is key_required's to say.
bool isKeyed(const ContractSubject& subject)
{
    return isUnsafe(subject) && subject.word("key") != "none";
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

void report(Findings& findings, std::string_view gate, const ContractSubject& subject, const std::string& path,
    std::string problem, std::string_view remedy)
{
    findings.push_back({ gate, subject.kind, subject.name, path, std::move(problem), std::string(remedy) });
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
    Rule{ "partial_failure", Route, isExternal, "recovery", "transaction recovery_points outbox saga reconcile", "an execution that stopped half-way is neither finished nor taken back", "Keep recovery points, send from an outbox, or reconcile" },
    Rule{ "bounded_ownership", Route, isKeyed, "lease", "renewed fixed", "the key of a dead worker is in progress for ever", "Give each execution a lease" },
    Rule{ "throttling", Route, isUnsafe, "throttled", "retry_after never", "a throttled client does not know when to come back", "Send Retry-After with 429" },
    Rule{ "key_per_operation", Client, isAny, "key", "per_operation", "the other side cannot tell a retry from a new operation", "Keep one key per operation until it is settled" },
};
// clang-format on

// What is blank says nothing.
std::string said(const ContractSubject& subject, std::string_view member)
{
    return std::string(withoutBlanks(subject.word(member)));
}

void judgeRules(std::string_view gate, const Contract& contract, Findings& findings)
{
    for (const auto& rule : lintRules)
        for (const auto& subject : contract.subjects) {
            if (rule.gate != gate || rule.kind != subject.kind || !rule.applies(subject))
                continue;
            const auto word = said(subject, rule.member);
            if (!word.empty() && (rule.accepted.empty() || hasWord(rule.accepted, word)))
                continue;
            const auto what = std::string(rule.member) + (word.empty() ? " is not said: " : " is " + word + ": ")
                + std::string(rule.why);
            report(findings, gate, subject, subject.pathOf(rule.member), what, rule.remedy);
        }
}

template <typename F> void forEach(const Contract& contract, SubjectKind kind, F judge)
{
    for (const auto& subject : contract.subjects)
        if (subject.kind == kind)
            judge(subject);
}

void judgeReplayHeader(const Contract& contract, Findings& findings)
{
    forEach(contract, Route, [&](const ContractSubject& subject) {
        const auto header = said(subject, "replay_header");
        const auto name = withoutBlanks(std::string_view(header).substr(0, header.find(':')));
        if (isKeyed(subject) && asciiLower(name) != "idempotency-status")
            report(findings, "same_response", subject, subject.pathOf("replay_header"),
                header.empty() ? "replay_header is not said: nobody sees that an answer is a replay"
                               : "replay_header is " + header + ": clients look for Idempotency-Status",
                "Send Idempotency-Status: replayed");
    });
}

// What is worth another attempt: what the playbook lists, single 5xx, and codes whose row in the taxonomy says so.
bool isRetryable(std::string_view what)
{
    if (what == "429" || what == "timeout" || what == "reset" || what == "5xx")
        return true;
    if (what.size() == 3 && what.front() == '5' && what.find_first_not_of("0123456789") == std::string_view::npos)
        return true;
    const auto* code = findErrorCode(what);
    return code != nullptr && repeatable(code->retry);
}

void judgeRetries(const Contract& contract, Findings& findings)
{
    forEach(contract, Client, [&](const ContractSubject& subject) {
        const auto* retries = subject.find("retries");
        const auto path = subject.pathOf("retries");
        for (const auto* what : { "429", "5xx", "timeout" }) {
            const bool server = std::string_view(what) == "5xx" && retries != nullptr
                && std::any_of(retries->words.begin(), retries->words.end(),
                    [](const std::string& word) { return word.starts_with('5'); });
            if (retries == nullptr || !(server || retries->has(what)))
                report(findings, "retry", subject, path,
                    std::string("retries is without ") + what + ": a transient failure is given up at once",
                    "Retry 429, 5xx and timeouts");
        }
        if (subject.word("jitter").empty() || subject.word("jitter") == "none")
            report(findings, "retry", subject, subject.pathOf("jitter"),
                "there is no jitter: clients that failed together come back together", "Spread the delays at random");
    });
}

void judgeTerminalErrors(const Contract& contract, Findings& findings)
{
    forEach(contract, Client, [&](const ContractSubject& subject) {
        if (const auto* retries = subject.find("retries"))
            for (const auto& what : retries->words)
                if (!isRetryable(what))
                    report(findings, "terminal_errors", subject, retries->path,
                        "retries has " + what + ": its answer will not change",
                        "Retry 429, 5xx, timeouts and resets only");
    });
}

// Counters by either of the playbook's names.
void judgeCounters(const Contract& contract, Findings& findings)
{
    constexpr std::array<std::array<std::string_view, 2>, 3> counters = {
        { { "idempotent.created", "idempotent.created" }, { "idempotent.replayed", "idempotent.replays" },
            { "idempotent.conflict", "idempotent.conflicts" } }
    };
    forEach(contract, Route, [&](const ContractSubject& subject) {
        const auto* metrics = subject.find("metrics");
        if (!isKeyed(subject) || metrics == nullptr || metrics->words.empty())
            return;
        for (const auto& [name, alias] : counters)
            if (!metrics->has(name) && !metrics->has(alias))
                report(findings, "observability", subject, metrics->path,
                    "metrics are without " + std::string(name) + ": nobody sees how many there are",
                    "Count " + std::string(name));
    });
}

// Keys leave a process as hashes; both names are that key.
bool namesTheKey(const ContractValue& value)
{
    return value.has("idempotency_key") || value.has("key_hash") || value.has("event_id");
}

// Whatever spelling a label has.
bool hasKeyAmong(const ContractValue& labels)
{
    constexpr std::array keys = { "key", "keyhash", "idempotencykey", "idempotencykeyhash", "dedupekey",
        "dedupekeyhash", "deduplicationkey", "deduplicationid", "eventid", "messageid", "requestid",
        "repeatabilityrequestid" };
    return std::any_of(labels.words.begin(), labels.words.end(), [&](const std::string& label) {
        auto plain = asciiLower(label);
        std::erase_if(plain, [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; });
        return std::find(keys.begin(), keys.end(), plain) != keys.end();
    });
}

void judgeObservability(const Contract& contract, Findings& findings)
{
    judgeCounters(contract, findings);
    for (const auto& subject : contract.subjects) {
        const bool concerned = subject.kind == Consumer || (subject.kind == Route && isKeyed(subject));
        if (!concerned)
            continue;
        for (const auto* member : { "logs", "traces" }) {
            const auto* value = subject.find(member);
            if (value == nullptr || !namesTheKey(*value))
                report(findings, "observability", subject, subject.pathOf(member),
                    std::string(member) + " are without the key: nobody finds what became of a request",
                    "Add idempotency_key or key_hash, for a consumer event_id");
            if (value == nullptr || !value->has("attempt"))
                report(findings, "observability", subject, subject.pathOf(member),
                    std::string(member) + " are without the attempt: retries look like new requests", "Add attempt");
        }
        const auto* metrics = subject.find("metrics");
        if (metrics == nullptr || metrics->words.empty())
            report(findings, "observability", subject, subject.pathOf("metrics"),
                "metrics is not said: nobody sees how many are duplicates",
                "Count idempotent.created, idempotent.replayed and idempotent.conflict");
        if (const auto* labels = subject.find("metric_labels"); labels != nullptr && hasKeyAmong(*labels))
            report(findings, "observability", subject, labels->path,
                "metric_labels has the key: each key becomes a series of its own", "Keep keys to logs and traces");
    }
}

void judgeLifetimes(const Contract& contract, Findings& findings)
{
    constexpr std::chrono::hours day{ 24 };
    for (const auto& subject : contract.subjects) {
        const bool concerned = subject.kind == Consumer || (subject.kind == Route && isKeyed(subject));
        const auto& ttl = subject.policy.ttl;
        const auto path = (contract.ownPolicy ? "policy." : "") + ttl.from + ".ttl";
        if (concerned && subject.policy.financial.value && ttl.value < 7 * day)
            report(findings, "retention", subject, path,
                "a financial key is forgotten after " + formatDuration(ttl.value) + ": a later retry pays again",
                "Keep financial keys for 7 days");
        else if (concerned && ttl.value < day && ttl.origin != Origin::Profile)
            report(findings, "retention", subject, path,
                "a key is forgotten after " + formatDuration(ttl.value) + ": a later retry executes again",
                "Keep keys for 24 hours, or say in a profile why not");
    }
}

// Whether whoever follows what each route takes back comes to this one again.
bool takesItselfBack(const Contract& contract, const ContractSubject& reverse)
{
    const auto* at = contract.route(reverse.word("reverses"));
    for (std::size_t steps = 0; at != nullptr && steps < contract.subjects.size(); ++steps) {
        if (at == &reverse)
            return true;
        at = contract.route(at->word("reverses"));
    }
    return false;
}

void judgeReverse(const Contract& contract, const ContractSubject& reverse, Findings& findings)
{
    const auto target = reverse.word("reverses");
    const auto* create = contract.route(target);
    if (create == nullptr) {
        report(findings, "symmetry", reverse, reverse.pathOf("reverses"),
            "reverses is " + target + ": no such route is declared", "Declare the route that it takes back");
        return;
    }
    if (takesItselfBack(contract, reverse) || isSafeMethod(create->method())) {
        report(findings, "symmetry", reverse, reverse.pathOf("reverses"),
            "reverses is " + target
                + (isSafeMethod(create->method()) ? ": it has no effect that could be taken back"
                                                  : ": the two take each other back, so nothing takes back the first"),
            "Name the route whose effect it takes back");
        return;
    }
    for (const auto* side : { create, &reverse }) {
        const auto* other = side == create ? &reverse : create;
        for (const auto* member : { "key", "fingerprint", "failures", "store" })
            if (other->word(member) != side->word(member)
                && (side->word(member).empty() || side->word(member) == "none"
                    || (std::string_view(member) == "key" && other->word(member) == "required")))
                report(findings, "symmetry", *side, side->pathOf(member),
                    std::string(member) + " is weaker than that of " + other->name
                        + ": one of the two is safe to repeat and the other is not",
                    "Protect an effect and what takes it back alike");
    }
}

void judgeSymmetry(const Contract& contract, Findings& findings)
{
    forEach(contract, Route, [&](const ContractSubject& subject) {
        if (subject.find("reverses") != nullptr) {
            judgeReverse(contract, subject, findings);
            return;
        }
        if (subject.method() != "POST" || !said(subject, "irreversible").empty() || !subject.policy.financial.value)
            return;
        const bool reversed = std::any_of(contract.subjects.begin(), contract.subjects.end(),
            [&](const ContractSubject& other) { return other.word("reverses") == subject.name; });
        if (!reversed)
            report(findings, "symmetry", subject, subject.path,
                "it moves money and no route takes it back: the refund is the one that nobody made safe",
                "Declare the route that reverses it, or say in irreversible why there is none");
    });
}

void judgeTenants(const Contract& contract, Findings& findings)
{
    forEach(contract, Route, [&](const ContractSubject& subject) {
        const auto* scope = subject.find("key_scope");
        if (isKeyed(subject) && (scope == nullptr || !(scope->has("principal") || scope->has("tenant"))))
            report(findings, "tenant_scope", subject, subject.pathOf("key_scope"),
                "keys are not kept apart by principal or tenant: one sees the answer of another",
                "Scope keys to route and principal");
    });
}

void judgePagination(const Contract& contract, Findings& findings)
{
    forEach(contract, Route, [&](const ContractSubject& subject) {
        if (subject.word("pagination") == "offset")
            report(findings, "keyset_pagination", subject, subject.pathOf("pagination"),
                "pagination is offset: rows written meanwhile are seen twice, or never", "Read pages by keyset");
    });
}

// A hash that knows no route leaves it to the scope to tell two operations apart.
void judgeHashAndScope(const Contract& contract, Findings& findings)
{
    forEach(contract, Route, [&](const ContractSubject& subject) {
        const auto* scope = subject.find("key_scope");
        if (!isKeyed(subject) || subject.word("fingerprint") != "body_only" || scope == nullptr)
            return;
        if (!scope->has("route") && !scope->has("operation"))
            report(findings, "payload_hash", subject, scope->path,
                "key_scope is without route and fingerprint is body_only: the same body under the same key gets the"
                " answer of another operation",
                "Scope keys to route and principal, or let method and path decide as well (v1)");
    });
}

constexpr std::array gateTable = {
    Gate{ "key_required", GateOrigin::Checklist, "Unsafe requests carry an Idempotency-Key, refunds and voids too" },
    Gate{ "payload_hash", GateOrigin::Checklist, "A hash of the payload is stored, and another one is a conflict",
        judgeHashAndScope },
    Gate{ "same_response", GateOrigin::Checklist, "A replay has the same code and body, and says that it is one",
        judgeReplayHeader },
    Gate{ "retry", GateOrigin::Checklist,
        "Only 429, 5xx and timeouts are retried, with backoff, jitter and Retry-After", judgeRetries },
    Gate{ "inbox_outbox", GateOrigin::Checklist, "Events leave by an outbox, and consumers dedupe in an inbox" },
    Gate{
        "observability", GateOrigin::Checklist, "Logs, metrics and traces tell keys and attempts", judgeObservability },
    Gate{ "retention", GateOrigin::Checklist, "Lifetime and cleanup of keys are documented", judgeLifetimes },
    Gate{ "symmetry", GateOrigin::Checklist, "What creates and what takes back are safe alike", judgeSymmetry },
    Gate{ "durable_store", GateOrigin::AntiPattern, "Records survive a crash" },
    Gate{ "failures_stored", GateOrigin::AntiPattern, "Failures are stored as successes are" },
    Gate{ "atomic_reserve", GateOrigin::AntiPattern, "Of two requests at once one executes" },
    Gate{ "effect_order", GateOrigin::AntiPattern, "Effect and outcome are recorded together" },
    Gate{ "partial_failure", GateOrigin::AntiPattern, "An execution that stopped half-way goes on or is taken back" },
    Gate{ "bounded_ownership", GateOrigin::AntiPattern, "A dead worker's key becomes free" },
    Gate{ "tenant_scope", GateOrigin::AntiPattern, "A key belongs to one principal", judgeTenants },
    Gate{ "throttling", GateOrigin::AntiPattern, "A 429 says when to come back" },
    Gate{ "terminal_errors", GateOrigin::AntiPattern, "What will not change is not retried", judgeTerminalErrors },
    Gate{ "key_per_operation", GateOrigin::AntiPattern, "A key is one operation, however often it is sent" },
    Gate{
        "keyset_pagination", GateOrigin::AntiPattern, "Lists are read by keyset while others write", judgePagination },
};

constexpr std::array antiPatternTable = {
    AntiPattern{ "idempotency only on create, not on reverse", "symmetry" },
    AntiPattern{ "key stored only in memory", "durable_store" },
    AntiPattern{ "no payload hash", "payload_hash" },
    AntiPattern{ "different HTTP codes on replay", "same_response" },
    AntiPattern{ "retrying errors that do not change", "terminal_errors" },
    AntiPattern{ "webhook consumers without an inbox", "inbox_outbox" },
    AntiPattern{ "retries without jitter", "retry" },
    AntiPattern{ "offset pagination during writes", "keyset_pagination" },
    AntiPattern{ "mutations without the header", "key_required" },
    AntiPattern{ "one key for different operations", "key_per_operation" },
    AntiPattern{ "side effect outside of the transaction", "effect_order" },
    AntiPattern{ "429 without Retry-After", "throttling" },
    AntiPattern{ "only successes stored", "failures_stored" },
    AntiPattern{ "keys forgotten before the client gives up", "retention" },
    AntiPattern{ "concurrent retries race", "atomic_reserve" },
    AntiPattern{ "partial failures of several steps", "partial_failure" },
    AntiPattern{ "the record is weaker than the effect", "durable_store" },
    AntiPattern{ "one key shared across tenants", "tenant_scope" },
    AntiPattern{ "in progress for ever", "bounded_ownership" },
};

} // namespace

std::string_view wordOf(GateOrigin origin) noexcept
{
    switch (origin) {
    case GateOrigin::Checklist:
        return "checklist";
    case GateOrigin::AntiPattern:
        return "anti_pattern";
    }
    return "";
}

std::span<const Gate> gates() noexcept
{
    return gateTable;
}

std::span<const AntiPattern> antiPatterns() noexcept
{
    return antiPatternTable;
}

std::vector<Finding> lint(const Contract& contract)
{
    std::vector<Finding> findings;
    for (const auto& gate : gateTable) {
        judgeRules(gate.id, contract, findings);
        if (gate.judge != nullptr)
            gate.judge(contract, findings);
    }
    return findings;
}

} // namespace fencepost

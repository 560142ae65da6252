// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/contract_judges.h"

#include <algorithm>
#include <array>

#include "core/protocol/ascii.h"
#include "core/protocol/error_codes.h"
#include "core/protocol/http_message.h"
#include "core/retry/policy.h"

namespace fencepost::contract_lint {

namespace {

using enum SubjectKind;

template <typename F> void forEach(const Contract& contract, SubjectKind kind, F judge)
{
    for (const auto& subject : contract.subjects)
        if (subject.kind == kind)
            judge(subject);
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
    constexpr std::array ends = { "Key", "_key", "-key", ".key", "KeyHash", "_key_hash", "-key-hash", ".key.hash" };
    return std::any_of(labels.words.begin(), labels.words.end(), [&](const std::string& label) {
        auto plain = asciiLower(label);
        std::erase_if(plain, [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; });
        return std::find(keys.begin(), keys.end(), plain) != keys.end()
            || std::any_of(ends.begin(), ends.end(), [&](const char* end) { return label.ends_with(end); });
    });
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

// Money that comes back twice is lost like money that goes out twice.
void judgeReversesLifetime(
    const Contract& contract, const ContractSubject& create, const ContractSubject& reverse, Findings& findings)
{
    if (!isKeyed(create) || !isKeyed(reverse))
        return;
    const auto pathOf = [&](const ContractSubject& side, const auto& setting, const char* member) {
        return setting.isSaid() ? (contract.ownPolicy ? "policy." : "") + setting.from + member : side.path;
    };
    for (const auto* side : { &create, &reverse }) {
        const auto& other = side == &create ? reverse : create;
        const auto& money = side->policy.financial;
        if (other.policy.financial.value && !money.value)
            report(findings, "symmetry", *side, pathOf(*side, money, ".financial"),
                (side == &create ? "it is taken back by " : "it takes back ") + other.name
                    + ", which is financial, and is not: a key that is too old executes again",
                "Let both be financial");
    }
    const auto& ttl = reverse.policy.ttl;
    if (ttl.value < create.policy.ttl.value)
        report(findings, "symmetry", reverse, pathOf(reverse, ttl, ".ttl"),
            "its keys are forgotten after " + formatDuration(ttl.value) + " and those of " + create.name + " after "
                + formatDuration(create.policy.ttl.value) + ": a late retry takes the effect back again",
            "Keep the keys of both alike");
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
    judgeReversesLifetime(contract, *create, reverse, findings);
}

} // namespace

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

namespace {

std::optional<retry::Policy> retriesOf(const ContractSubject& client)
{
    const auto preset = retry::presetOf(client.word("preset"));
    if (!preset)
        return std::nullopt;
    auto policy = *preset;
    policy.attempts = std::atoi(client.word("attempts").c_str());
    return policy;
}

// Whoever still repeats a request when its key is forgotten has it executed again: by the policy of the route, or a
// client that is declared beside it.
void judgeOutlivedKeys(
    const Contract& contract, const ContractSubject& route, const std::string& path, Findings& findings)
{
    const auto ttl = route.policy.ttl.value;
    const auto outlives = [&](const std::string& who, Duration whole) {
        if (whole > ttl)
            report(findings, "retention", route, path,
                who + " repeats a request for " + formatDuration(whole) + ", and its key is forgotten after "
                    + formatDuration(ttl) + ": the last attempts execute again",
                "Keep keys for longer than anybody retries");
    };
    if (auto policy = retry::presetOf(route.policy.retryPreset.value)) {
        policy->attempts = route.policy.retryAttempts.value;
        if (route.policy.retryTotal.value > Duration(0))
            policy->total = route.policy.retryTotal.value;
        outlives("a client of its policy", retry::longestCall(*policy));
    }
    forEach(contract, Client, [&](const ContractSubject& client) {
        const auto policy = client.name == route.name ? retriesOf(client) : std::nullopt;
        if (policy)
            outlives(client.path, retry::longestCall(*policy));
    });
}

} // namespace

void judgeLifetimes(const Contract& contract, Findings& findings)
{
    constexpr std::chrono::hours day{ 24 };
    for (const auto& subject : contract.subjects) {
        const bool concerned = subject.kind == Consumer || (subject.kind == Route && isKeyed(subject));
        const auto& ttl = subject.policy.ttl;
        const auto pathOf = [&](const auto& setting, const char* member) {
            return setting.isSaid() ? (contract.ownPolicy ? "policy." : "") + setting.from + member : subject.path;
        };
        const auto path = pathOf(ttl, ".ttl");
        if (concerned && subject.policy.financial.value && ttl.value < 7 * day)
            report(findings, "retention", subject, path,
                "a financial key is forgotten after " + formatDuration(ttl.value) + ": a later retry pays again",
                "Keep financial keys for 7 days");
        else if (concerned && ttl.value < day && ttl.origin != Origin::Profile)
            report(findings, "retention", subject, path,
                "a key is forgotten after " + formatDuration(ttl.value) + ": a later retry executes again",
                "Keep keys for 24 hours, or say in a profile why not");
        if (concerned && subject.policy.financial.value && subject.policy.staleKey.value == StaleKey::Execute)
            report(findings, "retention", subject, pathOf(subject.policy.staleKey, ".stale_key"),
                "stale_key is execute: a financial key that is older than its record pays again",
                "Let stale_key be reject");
        if (subject.kind == Route && isKeyed(subject))
            judgeOutlivedKeys(contract, subject, path, findings);
    }
}

void judgeSymmetry(const Contract& contract, Findings& findings)
{
    forEach(contract, Route, [&](const ContractSubject& subject) {
        if (subject.find("reverses") != nullptr) {
            judgeReverse(contract, subject, findings);
            return;
        }
        const auto method = subject.method();
        const bool makes = method == "POST" || method == "PUT" || method == "PATCH";
        if (!makes || !said(subject, "irreversible").empty() || !subject.policy.financial.value)
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

} // namespace fencepost::contract_lint

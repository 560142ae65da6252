// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/contract_lint.h"

#include <array>

#include "core/protocol/contract_judges.h"
#include "core/protocol/contract_rules.h"

namespace fencepost {

namespace {

constexpr std::array gateTable = {
    Gate{ "key_required", GateOrigin::Checklist, "Unsafe requests carry an Idempotency-Key, refunds and voids too" },
    Gate{ "payload_hash", GateOrigin::Checklist, "A hash of the payload is stored, and another one is a conflict",
        contract_lint::judgeHashAndScope },
    Gate{ "same_response", GateOrigin::Checklist, "A replay has the same code and body, and says that it is one",
        contract_lint::judgeReplayHeader },
    Gate{ "retry", GateOrigin::Checklist,
        "Only 429, 5xx and timeouts are retried, with backoff, jitter and Retry-After", contract_lint::judgeRetries },
    Gate{ "inbox_outbox", GateOrigin::Checklist, "Events leave by an outbox, and consumers dedupe in an inbox" },
    Gate{ "observability", GateOrigin::Checklist, "Logs, metrics and traces tell keys and attempts",
        contract_lint::judgeObservability },
    Gate{ "retention", GateOrigin::Checklist, "Lifetime and cleanup of keys are documented",
        contract_lint::judgeLifetimes },
    Gate{ "symmetry", GateOrigin::Checklist, "What creates and what takes back are safe alike",
        contract_lint::judgeSymmetry },
    Gate{ "durable_store", GateOrigin::AntiPattern, "Records survive a crash" },
    Gate{ "failures_stored", GateOrigin::AntiPattern, "Failures are stored as successes are" },
    Gate{ "atomic_reserve", GateOrigin::AntiPattern, "Of two requests at once one executes" },
    Gate{ "effect_order", GateOrigin::AntiPattern, "Effect and outcome are recorded together" },
    Gate{ "partial_failure", GateOrigin::AntiPattern, "An execution that stopped half-way goes on or is taken back" },
    Gate{ "bounded_ownership", GateOrigin::AntiPattern, "A dead worker's key becomes free" },
    Gate{ "tenant_scope", GateOrigin::AntiPattern, "A key belongs to one principal", contract_lint::judgeTenants },
    Gate{ "throttling", GateOrigin::AntiPattern, "A 429 says when to come back" },
    Gate{ "terminal_errors", GateOrigin::AntiPattern, "What will not change is not retried",
        contract_lint::judgeTerminalErrors },
    Gate{ "key_per_operation", GateOrigin::AntiPattern, "A key is one operation, however often it is sent" },
    Gate{ "keyset_pagination", GateOrigin::AntiPattern, "Lists are read by keyset while others write",
        contract_lint::judgePagination },
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
        contract_lint::judgeRules(gate.id, contract, findings);
        if (gate.judge != nullptr)
            gate.judge(contract, findings);
    }
    return findings;
}

} // namespace fencepost

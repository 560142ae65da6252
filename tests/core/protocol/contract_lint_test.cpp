// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/protocol/contract_lint.h"

namespace fencepost {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The contract of a refund service, of which every gate approves.
json approved()
{
    std::ifstream file(std::string(FENCEPOST_FIXTURES) + "/contract/refunds.contract.json");
    EXPECT_TRUE(file);
    return json::parse(file);
}

// "gate path", in order; or why the contract cannot be read.
std::vector<std::string> found(const json& contract)
{
    const auto parsed = parseContract(contract.dump(), Policy());
    if (!parsed)
        return { parsed.error().message };
    std::vector<std::string> found;
    for (const auto& finding : lint(*parsed)) {
        EXPECT_FALSE(finding.problem.empty());
        EXPECT_FALSE(finding.remedy.empty());
        EXPECT_FALSE(finding.subject.empty());
        EXPECT_EQ(finding.problem.find('\n'), std::string::npos);
        found.push_back(std::string(finding.gate) + ' ' + finding.path);
    }
    return found;
}

// One thing that is wrong: the value at the pointer is another one, or (null) is gone.
struct Mutation {
    const char* pointer;
    json value;
    std::vector<std::string> findings;
};

json mutated(const Mutation& mutation)
{
    auto contract = approved();
    const json::json_pointer pointer(mutation.pointer);
    if (mutation.value.is_null())
        contract.at(pointer.parent_pointer()).erase(pointer.back());
    else
        contract[pointer] = mutation.value;
    return contract;
}

const std::vector<Mutation>& mutations()
{
    static const std::vector<Mutation> all = {
        { "/routes/0/key", "optional", { "key_required routes[0].key", "symmetry routes[0].key" } },
        { "/routes/1/key", "none",
            { "key_required routes[1].key", "symmetry routes[1].key", "symmetry routes[1].key" } },
        { "/routes/4/update", nullptr, {} },
        { "/routes/4/key", "none", {} },
        { "/routes/4", { { "route", "PUT /x" }, { "key", "none" } }, { "key_required routes[4].key" } },
        { "/routes/4", { { "route", "DELETE /x" }, { "key", "optional" } }, {} },
        { "/routes/4", { { "route", "PATCH /x" }, { "key", "optional" } }, { "key_required routes[4].key" } },
        { "/routes/4", { { "route", "DELETE /x" }, { "key", "optional" }, { "reverses", "POST /v1/payments" } },
            { "key_required routes[4].key", "symmetry routes[4].key", "symmetry routes[4]", "symmetry routes[4]" } },
        { "/jobs/0/key", "none", { "key_required jobs[0].key" } },
        { "/jobs/0/key", nullptr, { "key_required jobs[0].key" } },

        { "/routes/3/fingerprint", "none", { "payload_hash routes[3].fingerprint" } },
        { "/routes/3/fingerprint", "body_only", {} },
        { "/routes/6",
            { { "route", "DELETE /x" }, { "fingerprint", "body_only" }, { "key_scope", json::array({ "principal" }) } },
            { "payload_hash routes[6].key_scope" } },
        { "/routes/6",
            { { "route", "DELETE /x" }, { "fingerprint", "body_only" },
                { "key_scope", json::array({ "principal", "operation" }) } },
            {} },
        { "/routes/6", { { "route", "DELETE /x" }, { "key_scope", json::array({ "principal" }) } }, {} },
        { "/routes/3/mismatch_status", 200, { "payload_hash routes[3].mismatch_status" } },
        { "/routes/3/mismatch_status", 422, {} },

        { "/routes/3/replay_status", "different", { "same_response routes[3].replay_status" } },
        { "/routes/3/replay_body", "different", { "same_response routes[3].replay_body" } },
        { "/routes/3/replay_body", "reference", {} },
        { "/routes/3/replay_header", "X-Replayed", { "same_response routes[3].replay_header" } },
        { "/routes/3/replay_header", "idempotency-status", {} },
        { "/routes/3/replay_header", "Idempotency-Status: replayed", {} },

        { "/clients/1/backoff", "fixed", { "retry clients[1].backoff" } },
        { "/clients/1/jitter", "none", { "retry clients[1].jitter" } },
        { "/clients/0/jitter", "none", { "retry clients[0].jitter" } },
        { "/clients/1/jitter", nullptr, { "retry clients[1].jitter" } },
        { "/clients/1/retry_after", "ignored", { "retry clients[1].retry_after" } },
        { "/clients/1/breaker", "around_retry", { "retry clients[1].breaker" } },
        { "/clients/1/retries", { "timeout", "5xx" }, { "retry clients[1].retries" } },
        { "/clients/1/retries", nullptr,
            { "retry clients[1].retries", "retry clients[1].retries", "retry clients[1].retries" } },
        { "/clients/0/preset", "playbook", {} },

        { "/consumers/0/dedupe_by", "none", { "inbox_outbox consumers[0].dedupe_by" } },
        { "/consumers/0/inbox", nullptr, { "inbox_outbox consumers[0].inbox" } },
        { "/consumers/0/inbox_write", "after_effect", { "inbox_outbox consumers[0].inbox_write" } },
        { "/consumers/0/ordering", "assumed", { "inbox_outbox consumers[0].ordering" } },
        { "/consumers/0/max_attempts", nullptr, { "inbox_outbox consumers[0].max_attempts" } },
        { "/consumers/0/dead_letter", nullptr, { "inbox_outbox consumers[0].dead_letter" } },
        { "/producers/0/outbox", nullptr, { "inbox_outbox producers[0].outbox" } },
        { "/producers/0/outbox_write", "after_change", { "inbox_outbox producers[0].outbox_write" } },

        { "/routes/3/logs", { "attempt" }, { "observability routes[3].logs" } },
        { "/routes/3/traces", { "idempotency_key" }, { "observability routes[3].traces" } },
        { "/routes/3/metrics", { "idempotent.created", "idempotent.replayed" }, { "observability routes[3].metrics" } },
        { "/routes/3/metrics", json::array(), { "observability routes[3].metrics" } },
        { "/routes/3/metric_labels", { "idempotency_key" }, { "observability routes[3].metric_labels" } },
        { "/consumers/0/logs", nullptr, { "observability consumers[0].logs", "observability consumers[0].logs" } },
        { "/consumers/0/metrics", nullptr, { "observability consumers[0].metrics" } },

        { "/defaults/routes/cleanup", nullptr,
            { "retention routes[0].cleanup", "retention routes[1].cleanup", "retention routes[2].cleanup",
                "retention routes[3].cleanup", "retention routes[4].cleanup" } },
        { "/consumers/0/cleanup", "None", { "retention consumers[0].cleanup" } },
        { "/consumers/0/cleanup", "nightly reaper", {} },
        { "/consumers/0/retention", nullptr, { "retention consumers[0].retention" } },
        { "/policy/profiles/payout/ttl", "2d", { "retention policy.profiles.payout.ttl" } },
        { "/policy/routes/2", { { "scope", "*" }, { "operation", "ledger" }, { "ttl", "1h" } },
            { "retention policy.routes[2].ttl" } },

        { "/routes/1/reverses", "POST /v1/charges", { "symmetry routes[1].reverses", "symmetry routes[0]" } },
        { "/routes/3/reverses", "POST /v1/payouts", { "symmetry routes[3].reverses" } },
        { "/routes/1/reverses", "GET /v1/refunds", { "symmetry routes[1].reverses", "symmetry routes[0]" } },
        { "/routes/0/reverses", "POST /v1/refunds", { "symmetry routes[0].reverses", "symmetry routes[1].reverses" } },
        { "/routes/3/irreversible", nullptr, { "symmetry routes[3]" } },
        { "/routes/3/irreversible", "  ", { "symmetry routes[3]" } },
        { "/routes/1/fingerprint", "none",
            { "payload_hash routes[1].fingerprint", "symmetry routes[1].fingerprint",
                "symmetry routes[1].fingerprint" } },

        { "/routes/3/store", "memory", { "durable_store routes[3].store" } },
        { "/routes/3/store", "cache", { "durable_store routes[3].store" } },
        { "/consumers/0/store", "memory", { "durable_store consumers[0].store" } },
        { "/routes/3/failures", "none", { "failures_stored routes[3].failures" } },
        { "/routes/3/failures", "all", {} },
        { "/routes/3/reserve", "read_first", { "atomic_reserve routes[3].reserve" } },
        { "/routes/0/finalize", "after_effect", { "effect_order routes[0].finalize" } },
        { "/routes/3/finalize", "before_effect", { "effect_order routes[3].finalize" } },
        { "/routes/3/recovery", "none", { "partial_failure routes[3].recovery" } },
        { "/routes/3/recovery", nullptr, { "partial_failure routes[3].recovery" } },
        { "/routes/3/lease", "none", { "bounded_ownership routes[3].lease" } },
        { "/routes/3/key_scope", { "route" }, { "tenant_scope routes[3].key_scope" } },
        { "/routes/3/key_scope", { "tenant", "operation" }, {} },
        { "/routes/3/throttled", "bare", { "throttling routes[3].throttled" } },
        { "/routes/3/throttled", "never", {} },
        { "/clients/1/retries", { "429", "5xx", "timeout", "400" }, { "terminal_errors clients[1].retries" } },
        { "/clients/1/retries", { "429", "5xx", "timeout", "4xx", "AUTH.expired", "nonsense" },
            { "terminal_errors clients[1].retries", "terminal_errors clients[1].retries",
                "terminal_errors clients[1].retries" } },
        { "/clients/1/key", "per_attempt", { "key_per_operation clients[1].key" } },
        { "/routes/5/pagination", "offset", { "keyset_pagination routes[5].pagination" } },
        { "/routes/5/pagination", nullptr, {} },
    };
    return all;
}

TEST(ContractLint, ApprovesOfACompleteContract)
{
    EXPECT_THAT(found(approved()), IsEmpty());
}

TEST(ContractLint, FindsExactlyWhatIsWrong)
{
    for (const auto& mutation : mutations())
        EXPECT_THAT(found(mutated(mutation)), testing::UnorderedElementsAreArray(mutation.findings))
            << mutation.pointer << " = " << mutation.value.dump();
}

TEST(ContractLint, EveryGateCanFail)
{
    std::set<std::string> failed;
    for (const auto& mutation : mutations())
        for (const auto& finding : mutation.findings)
            failed.insert(finding.substr(0, finding.find(' ')));
    std::set<std::string> all;
    for (const auto& gate : gates())
        EXPECT_TRUE(all.insert(std::string(gate.id)).second) << gate.id;
    EXPECT_EQ(failed, all);
}

TEST(ContractLint, HasTheEightGatesOfTheChecklistFirst)
{
    const auto all = gates();
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i].origin == GateOrigin::Checklist, i < 8) << all[i].id;
}

TEST(ContractLint, FindsEveryNamedAntiPattern)
{
    const auto all = gates();
    std::set<std::string_view> covered;
    for (const auto& pattern : antiPatterns()) {
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Gate& gate) { return gate.id == pattern.gate; }))
            << pattern.name;
        covered.insert(pattern.gate);
    }
    for (const auto& gate : all)
        EXPECT_TRUE(gate.origin == GateOrigin::Checklist || covered.contains(gate.id)) << gate.id;
}

TEST(ContractLint, FindsTheKeyAmongLabelsHoweverItIsSpelled)
{
    for (const char* label : { "key", "idempotency-key", "Idempotency-Key", "idempotencyKey", "dedupe_key", "event_id",
             "request_key", "clientKeyHash" })
        EXPECT_THAT(found(mutated({ "/routes/0/metric_labels", { "route", label }, {} })),
            ElementsAre("observability routes[0].metric_labels"))
            << label;
    EXPECT_THAT(found(mutated({ "/routes/0/metric_labels", { "route", "status", "monkey" }, {} })), IsEmpty());
}

TEST(ContractLint, SaysNothingOfWhatNeedsNoKey)
{
    EXPECT_THAT(found({ { "format", 1 }, { "routes", { { { "route", "GET /v1/refunds" } } } } }), IsEmpty());
    EXPECT_THAT(found({ { "format", 1 },
                    { "routes",
                        { { { "route", "PUT /v1/x" }, { "key", "none" }, { "update", "if_match" },
                            { "throttled", "never" } } } } }),
        IsEmpty());
}

TEST(ContractLint, FailsEveryGateThatASilentRouteMeets)
{
    const auto findings = found({ { "format", 1 }, { "routes", { { { "route", "POST /refunds" } } } } });
    for (const char* gate :
        { "key_required", "payload_hash", "same_response", "observability", "retention", "durable_store",
            "failures_stored", "atomic_reserve", "effect_order", "bounded_ownership", "tenant_scope", "throttling" })
        EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [&](const std::string& finding) {
            return finding.starts_with(std::string(gate) + ' ');
        })) << gate;
}

TEST(ContractLint, SaysWhatIsWrongAndWhatToDo)
{
    const auto contract = parseContract(mutated({ "/routes/1/store", "memory", {} }).dump(), Policy());
    ASSERT_TRUE(contract);
    EXPECT_THAT(lint(*contract),
        ElementsAre(Finding{ "durable_store", SubjectKind::Route, "POST /v1/refunds", "routes[1].store",
            "store is memory: after a crash every key is new", "Keep the records where the effect is kept" }));
}

TEST(ContractLint, KeepsTheKeysOfAnEffectAndOfWhatTakesItBackAlike)
{
    auto contract = approved();
    auto& routes = contract["policy"]["routes"];
    routes.insert(routes.begin(),
        json({ { "scope", "*" }, { "operation", "POST /v1/refunds" }, { "ttl", "2d" }, { "financial", false } }));
    EXPECT_THAT(found(contract),
        ElementsAre("symmetry policy.routes[0].financial", "symmetry policy.routes[0].ttl",
            "symmetry policy.routes[0].financial"))
        << "between what it takes back and what takes it back";
    routes[0] = { { "scope", "*" }, { "operation", "POST /v1/refunds" }, { "profile", "financial" }, { "ttl", "8d" } };
    EXPECT_THAT(found(contract), ElementsAre("symmetry policy.profiles.financial.ttl")) << "the void of a refund";
}

TEST(ContractLint, WantsMoneyToBeMoneyInBothDirections)
{
    auto contract = approved();
    auto& routes = contract["policy"]["routes"];
    const auto payments = contract["routes"][0]["route"].get<std::string>();
    routes.insert(routes.begin(), json({ { "scope", "*" }, { "operation", payments }, { "financial", false } }));
    EXPECT_THAT(found(contract), testing::Contains("symmetry policy.routes[0].financial"));
}

TEST(ContractLint, WantsKeysToOutliveWhoeverRetries)
{
    auto contract = approved();
    auto& routes = contract["policy"]["routes"];
    const auto route = contract["routes"][1]["route"].get<std::string>();
    routes.insert(routes.begin(),
        json({ { "scope", "*" }, { "operation", route }, { "profile", "financial" }, { "stale_key", "execute" } }));
    EXPECT_THAT(found(contract), ElementsAre("retention policy.routes[0].stale_key"));
    // Ten attempts over 75 hours are fewer than 7 days, and a hundred are more.
    routes[0] = { { "scope", "*" }, { "operation", route }, { "profile", "financial" },
        { "retry_preset", "standard_webhooks" } };
    EXPECT_THAT(found(contract), IsEmpty());
    routes[0]["retry_attempts"] = 100;
    const auto late = found(contract);
    ASSERT_EQ(late.size(), 1U);
    EXPECT_THAT(late.front(), testing::StartsWith("retention policy."));
    routes.erase(routes.begin());
    contract["clients"].push_back({ { "name", route }, { "preset", "standard_webhooks" }, { "attempts", 100 },
        { "key", "per_operation" }, { "breaker", "inside_retry" } });
    EXPECT_THAT(found(contract), ElementsAre(late.front()));
}

TEST(ContractLint, JudgesByTheServicesOwnPolicy)
{
    auto contract = approved();
    contract.erase("policy");
    EXPECT_THAT(found(contract), ElementsAre("effect_order routes[3].finalize")) << "nothing says that it is external";
    const auto policy = parsePolicy(
        R"({"format":1,"routes":[{"scope":"*","operation":"POST /v1/payouts","effect":"external_idempotent","financial":true,"ttl":"1d"}]})");
    ASSERT_TRUE(policy);
    const auto parsed = parseContract(contract.dump(), *policy);
    ASSERT_TRUE(parsed);
    const auto findings = lint(*parsed);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].path, "routes[0].ttl") << "the path is that in the policy's file";
    EXPECT_THAT(findings[0].problem, HasSubstr("forgotten after 1d"));
}

} // namespace
} // namespace fencepost

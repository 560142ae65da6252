// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "core/protocol/policy.h"
#include "core/protocol/policy_knobs.h"
#include "core/service/http_contract.h"

using namespace fencepost;
using namespace std::chrono_literals;
using std::chrono::hours;

namespace {

constexpr const char* payments = R"({
  "format": 1,
  "defaults": { "lease": "30s", "grace": "2h" },
  "profiles": {
    "financial": { "max_attempts": 5 },
    "vendor": { "effect": "external_idempotent", "lease": "2m" }
  },
  "routes": [
    { "scope": "payments:*", "operation": "POST /payouts", "profile": "financial", "effect": "external" },
    { "scope": "payments:*", "operation": "POST *", "profile": "financial", "lease": "45s", "grace": "1h30m15s" },
    { "scope": "*", "operation": "webhook:*", "profile": "vendor", "ttl": "36h" }
  ]
})";

// "value origin from" of each setting by its name.
std::map<std::string, std::string> said(const RoutePolicy& policy)
{
    std::map<std::string, std::string> said;
    for (const auto& setting : describe(policy))
        said[setting.name] = setting.value + " " + std::string(wordOf(setting.origin)) + " " + setting.from;
    return said;
}

std::string refusal(const std::string& json)
{
    const auto policy = parsePolicy(json);
    if (policy)
        return "accepted";
    EXPECT_EQ(policy.error().failure, Failure::Invalid);
    return policy.error().message;
}

std::string refusedRoute(const std::string& members)
{
    return refusal(R"({"format":1,"routes":[{"scope":"a","operation":"b",)" + members + "}]}");
}

} // namespace

TEST(Policy, WithoutAFileTheDefaultsHold)
{
    const auto policy = Policy().forRoute("payments:acme", "POST /payments");
    EXPECT_EQ(policy.ttl.value, 24h);
    EXPECT_EQ(policy.lease.value, 60s);
    EXPECT_EQ(policy.effect.value, EffectClass::LocalTransaction);
    EXPECT_EQ(policy.takeover.value, Takeover::Auto);
    EXPECT_EQ(policy.staleKey.value, StaleKey::Execute);
    EXPECT_FALSE(policy.financial.value);
    for (const auto& setting : describe(policy))
        EXPECT_EQ(setting.from, "built in") << setting.name;
}

TEST(Policy, EachSettingSaysWhereItComesFrom)
{
    const auto policy = parsePolicy(payments);
    ASSERT_TRUE(policy) << policy.error().message;
    const auto settings = said(policy->forRoute("payments:acme", "POST /payments"));
    EXPECT_EQ(settings.at("lease"), "45s route routes[1]");
    EXPECT_EQ(settings.at("ttl"), "7d profile profiles.financial");
    EXPECT_EQ(settings.at("max_attempts"), "5 profile profiles.financial");
    EXPECT_EQ(settings.at("financial"), "true profile profiles.financial");
    EXPECT_EQ(settings.at("grace"), "5415000000us route routes[1]");
    EXPECT_EQ(settings.at("retry_after"), "5s default built in");
    EXPECT_EQ(settings.size(), 10U);
}

TEST(Policy, TheFirstMatchingRouteCounts)
{
    const auto policy = parsePolicy(payments);
    ASSERT_TRUE(policy);
    EXPECT_EQ(policy->forRoute("payments:acme", "POST /payouts").effect.value, EffectClass::External);
    EXPECT_EQ(policy->forRoute("payments:", "POST /refunds").lease.value, 45s);
    EXPECT_EQ(policy->forRoute("stripe", "webhook:charge.succeeded").ttl.value, 36h);
    EXPECT_EQ(policy->forRoute("payments", "POST /refunds").lease.from, "defaults");
    EXPECT_EQ(policy->forRoute("stripe", "a webhook:charge").lease.from, "defaults");
}

TEST(Policy, AStarMatchesAnyTextAnywhere)
{
    const auto policy = parsePolicy(R"({"format":1,"routes":[{"scope":"a*b*c","operation":"*","lease":"1s"}]})");
    ASSERT_TRUE(policy);
    for (const char* scope : { "abc", "axxbyyc", "aabbcc", "abcbc", "a*b*c" })
        EXPECT_EQ(policy->forRoute(scope, "").lease.value, 1s) << scope;
    for (const char* scope : { "", "a", "ab", "abcd", "xabc", "acb" })
        EXPECT_EQ(policy->forRoute(scope, "").lease.value, 60s) << scope;
}

TEST(Policy, TakeoverAndStaleKeyFollowWhereTheyAreNotSaid)
{
    const auto policy = parsePolicy(payments);
    ASSERT_TRUE(policy);
    const auto payouts = policy->forRoute("payments:acme", "POST /payouts");
    EXPECT_EQ(payouts.takeover.value, Takeover::Manual);
    EXPECT_EQ(payouts.takeover.from, "routes[0]");
    EXPECT_EQ(said(payouts).at("grace"), "2h default defaults");
    const auto vendor = policy->forRoute("stripe", "webhook:charge.succeeded");
    EXPECT_EQ(vendor.takeover.value, Takeover::Auto);

    const auto plain =
        parsePolicy(R"({"format":1,"routes":[{"scope":"*","operation":"*","financial":true}]})")->forRoute("a", "b");
    EXPECT_EQ(plain.staleKey.value, StaleKey::Reject);
    EXPECT_EQ(plain.staleKey.from, "routes[0]");
}

TEST(Policy, WhatIsWrittenReadsBackTheSame)
{
    const auto policy = parsePolicy(payments);
    ASSERT_TRUE(policy);
    const auto before = policy->forRoute("payments:acme", "POST /payouts");
    std::string route = R"({"scope":"*","operation":"*")";
    std::string defaults;
    for (const auto& setting : describeAll(before)) {
        const bool number = setting.value.find_first_not_of("0123456789") == std::string::npos;
        const bool bare = number || setting.value == "true" || setting.value == "false";
        const auto said = "\"" + setting.name + "\":" + (bare ? setting.value : "\"" + setting.value + "\"");
        const bool ofAll = std::any_of(knobs().begin(), knobs().end(),
            [&](const Knob& knob) { return knob.name == setting.name && knob.group == KnobGroup::Program; });
        if (ofAll)
            defaults += (defaults.empty() ? "" : ",") + said;
        else
            route += "," + said;
    }
    const auto again = parsePolicy(R"({"format":1,"defaults":{)" + defaults + R"(},"routes":[)" + route + "}]}");
    ASSERT_TRUE(again) << again.error().message;
    const auto after = again->forRoute("x", "y");
    const auto was = describeAll(before);
    const auto is = describeAll(after);
    EXPECT_GT(was.size(), 40U);
    for (std::size_t i = 0; i < was.size(); ++i)
        EXPECT_EQ(is[i].value, was[i].value) << is[i].name;
}

TEST(Policy, TheContractOfARouteAndTheRetriesOfItsClientFollow)
{
    const auto policy = parsePolicy(R"({"format":1,"defaults":{"retry_preset":"vendor","budget_percent":5},
        "routes":[{"scope":"pay","operation":"*","profile":"financial","mismatch_status":422,"expired_status":410,
        "in_flight":202,"wait":"3s","key_required":false,"fail_open":true,"key_longest":64,"key_charset":"utf8",
        "failure_storage":"all","mode":"single_tx","work_time":"2s","longest_work":"4s","longest_body":10,
        "longest_stored":20,"retry_attempts":2,"server_errors":"transient"},
        {"scope":"odd","operation":"*","ttl":"500d","profile":"financial"}]})");
    ASSERT_TRUE(policy) << policy.error().message;
    const auto route = policy->forRoute("pay", "refund");
    EXPECT_EQ(route.effects.value, 400 * 24h);
    EXPECT_EQ(route.effects.from, "profiles.financial");
    EXPECT_EQ(policy->forRoute("odd", "refund").effects.value, 500 * 24h) << "never shorter than the record";
    EXPECT_EQ(policy->forRoute("x", "y").effects.value, 24h);
    const auto contract = contractFrom("POST_/refunds", "refund", route);
    EXPECT_EQ(contract.mismatchStatus, 422);
    EXPECT_EQ(contract.expiredStatus, 410);
    EXPECT_EQ(contract.inFlight, InFlightAnswer::Accepted);
    EXPECT_EQ(contract.wait, 3s);
    EXPECT_FALSE(contract.keyRequired);
    EXPECT_TRUE(contract.failOpen);
    EXPECT_EQ(contract.key.longest, 64U);
    EXPECT_EQ(contract.key.charset, KeyCharset::Utf8);
    EXPECT_EQ(contract.failures, FailureStorage::All);
    EXPECT_EQ(contract.mode, ContractMode::SingleTransaction);
    EXPECT_EQ(contract.workTime, 2s);
    EXPECT_EQ(contract.longestWork, 4s);
    EXPECT_EQ(contract.longestBody, 10U);
    EXPECT_EQ(contract.longestStored, 20U);
    const auto retries = retryPolicyOf(route);
    EXPECT_EQ(retries.name, "vendor");
    EXPECT_EQ(retries.attempts, 2);
    EXPECT_EQ(retries.attemptTimeout, 15s) << "the preset's";
    EXPECT_EQ(retries.serverErrors, retry::ServerErrors::Transient);
    EXPECT_EQ(route.attemptTimeout.from, "defaults");
    EXPECT_EQ(route.budgetPercent.value, 5);
}

TEST(Policy, AHostilePolicyIsRefusedAtItsPlace)
{
    EXPECT_EQ(refusedRoute(R"("mismatch_status":200)"), "/routes/0/mismatch_status: 200 is none of 409, 422, 400");
    EXPECT_EQ(refusedRoute(R"("in_flight":"later")"), R"(/routes/0/in_flight: "later" is none of 409, 202, 303, wait)");
    EXPECT_EQ(refusedRoute(R"("key_longest":256)"), "/routes/0/key_longest: 256 is not a whole number from 1 to 255");
    EXPECT_EQ(refusedRoute(R"("longest_body":1e30)"), "/routes/0/longest_body: 1e+30 is not a whole number from 0");
    EXPECT_EQ(refusedRoute(R"("longest_body":99999999999999999999)").substr(0, 24), "/routes/0/longest_body: ");
    EXPECT_EQ(refusedRoute(R"("retry_preset":"naive")").substr(0, 24), "/routes/0/retry_preset: ");
    EXPECT_EQ(refusedRoute(R"("effects":"1h")"),
        "/routes/0: effects 1h (routes[0]) is shorter than ttl 1d (built in): a replay would execute again");
    EXPECT_EQ(refusedRoute(R"("fail_open":true)").substr(0, 20), "/routes/0: fail_open");
    EXPECT_EQ(refusedRoute(R"("mode":"single_tx","effect":"external")").substr(0, 15), "/routes/0: mode");
    EXPECT_EQ(refusedRoute(R"("limiter_start":3)").substr(0, 24), "/routes/0: limiter_start");
    EXPECT_EQ(refusedRoute(R"("breaker_open":"2m")").substr(0, 23), "/routes/0: breaker_open");
    EXPECT_EQ(refusedRoute(R"("budget_ttl":"2m")").substr(0, 21), "/routes/0: budget_ttl");
    EXPECT_EQ(refusedRoute(R"("ttl":"3d","ttl":"4d")"), "/routes/0/ttl: is said twice in one object");
    EXPECT_EQ(refusal(R"({"format":1,"profiles":{"a/b~c":{"ttl":"1d","x":[{"y":1,"y":2}]}}})"),
        "/profiles/a~1b~0c/x/0/y: is said twice in one object");
    EXPECT_EQ(refusal(R"({"format":1,"profiles":{"a/b":{"ttl":7}}})").substr(0, 18), "/profiles/a~1b/ttl");
}

TEST(Policy, WhatProgramsHeedStandsInTheDefaults)
{
    const auto usual = Policy().forRoute({}, {});
    EXPECT_EQ(usual.outboxLease.value, 30s);
    EXPECT_EQ(usual.outboxBatch.value, 50);
    EXPECT_FALSE(usual.outboxAttempts.isSaid());
    const auto policy = parsePolicy(R"({"format":1,"defaults":{"completer_batch":7,"reaper_batch":8,
        "outbox_lease":"9s","outbox_batch":10,"outbox_attempts":11,"webhook_timeout":"12s","webhook_tolerance":"13s",
        "inbox_lease":"14s","inbox_attempts":15,"vendor_timeout":"16s"},
        "routes":[{"scope":"*","operation":"*","ttl":"2d"}]})");
    ASSERT_TRUE(policy) << policy.error().message;
    const auto said = policy->forRoute({}, {});
    EXPECT_EQ(said.ttl.value, 48h);
    EXPECT_EQ(said.completerBatch.value, 7);
    EXPECT_EQ(said.reaperBatch.value, 8);
    EXPECT_EQ(said.outboxLease.value, 9s);
    EXPECT_EQ(said.outboxBatch.value, 10);
    EXPECT_EQ(said.outboxAttempts.value, 11);
    EXPECT_EQ(said.webhookTimeout.value, 12s);
    EXPECT_EQ(said.webhookTolerance.value, 13s);
    EXPECT_EQ(said.inboxLease.value, 14s);
    EXPECT_EQ(said.inboxAttempts.value, 15);
    EXPECT_EQ(said.vendorTimeout.value, 16s);
    EXPECT_EQ(said.outboxLease.from, "defaults");
}

TEST(Policy, MistakesAreNamedWithTheirPlace)
{
    EXPECT_EQ(refusedRoute(R"("lease":"6x")"),
        R"(/routes/0/lease: "6x" is not a duration; expected e.g. 5m, 1h30m, 250ms or PT5M)");
    EXPECT_EQ(
        refusedRoute(R"("lease":60)"), R"(/routes/0/lease: 60 is not a duration; it is text with a unit, as in "90s")");
    EXPECT_EQ(refusedRoute(R"("lease":"0s")"), R"(/routes/0/lease: "0s" is not longer than nothing)");
    EXPECT_EQ(refusedRoute(R"("takeover":"maybe")"), R"(/routes/0/takeover: "maybe" is none of auto, manual)");
    EXPECT_EQ(
        refusedRoute(R"("effect":true)"), "/routes/0/effect: true is none of local_tx, external_idempotent, external");
    EXPECT_EQ(refusedRoute(R"("financial":"yes")"), R"(/routes/0/financial: "yes" is neither true nor false)");
    EXPECT_EQ(
        refusedRoute(R"("max_attempts":-1)"), "/routes/0/max_attempts: -1 is not a whole number from 0 (no limit)");
    EXPECT_EQ(
        refusedRoute(R"("max_attempts":1.5)"), "/routes/0/max_attempts: 1.5 is not a whole number from 0 (no limit)");
    EXPECT_EQ(refusedRoute(R"("profile":"finacial")"), R"(/routes/0/profile: there is no profile "finacial")");
    EXPECT_EQ(refusedRoute(R"("outbox_lease":"60s")"),
        "/routes/0/outbox_lease: is of whole programs, which know no route: say it in /defaults");
    EXPECT_EQ(refusal(R"({"format":1,"profiles":{"x":{"reaper_batch":1}}})"),
        "/profiles/x/reaper_batch: is of whole programs, which know no route: say it in /defaults");
    EXPECT_EQ(refusedRoute(R"("leases":"60s")").substr(0, 35), "/routes/0/leases: no such setting; ");
    EXPECT_EQ(
        refusal(R"({"format":1,"routes":[{"operation":"b"}]})"), R"(/routes/0/scope: is missing; "*" stands for any)");
    EXPECT_EQ(refusal(R"({"format":1,"routes":[{"scope":"a","operation":"b"},{"scope":"a","operation":"b"}]})"),
        "/routes/1: the same scope and operation as /routes/0");
    EXPECT_EQ(refusal(R"({"format":1,"profiles":{"x":{"ttl":"1d","ttl":"2d"}}})"),
        "/profiles/x/ttl: is said twice in one object");
    EXPECT_EQ(refusal(R"({"format":2})"), "/format: this build reads format 1");
    EXPECT_EQ(refusal(R"({})"), "/format: this build reads format 1");
    EXPECT_EQ(
        refusal(R"({"format":1,"route":[]})"), "/route: no such part; there are format, defaults, profiles, routes");
    EXPECT_EQ(refusal("[]"), "a policy is an object with format, defaults, profiles and routes");
    EXPECT_EQ(refusal(""), "this is not JSON");
    EXPECT_EQ(refusal(R"({"format":1,)"), "this is not JSON");
    EXPECT_EQ(
        refusal(std::string(100'000, '[') + std::string(100'000, ']')), "nothing in a policy is nested so deeply");
    EXPECT_EQ(refusal(std::string((1U << 20U) + 1, ' ')), "a policy is at most 1 MiB");
}

TEST(Policy, ContradictionsAreRefused)
{
    EXPECT_EQ(refusedRoute(R"("effect":"external","takeover":"auto")"),
        "/routes/0: takeover auto (routes[0]) would repeat an external effect (routes[0]) whose outcome nobody knows; "
        "say takeover manual, or effect external_idempotent");
    EXPECT_EQ(
        refusal(
            R"({"format":1,"defaults":{"takeover":"auto"},"routes":[{"scope":"a","operation":"b","effect":"external"}]})")
            .substr(0, 34),
        "/routes/0: takeover auto (defaults");
    EXPECT_EQ(refusedRoute(R"("lease":"2d")"), "/routes/0: lease 2d (routes[0]) is not shorter than ttl 1d (built in)");
    EXPECT_EQ(refusal(R"({"format":1,"defaults":{"ttl":"10s"}})"),
        "/defaults: lease 1m (built in) is not shorter than ttl 10s (defaults)");
}

TEST(Policy, TheUnusualIsAllowedWithAWarning)
{
    const auto policy = parsePolicy(R"({"format":1,"routes":[
        {"scope":"a","operation":"1","ttl":"5m"},
        {"scope":"a","operation":"2","ttl":"10d"},
        {"scope":"a","operation":"3","profile":"financial","ttl":"1d"},
        {"scope":"a","operation":"4","profile":"financial","stale_key":"execute"},
        {"scope":"a","operation":"5","profile":"inbox"}]})");
    ASSERT_TRUE(policy) << policy.error().message;
    EXPECT_EQ(policy->warnings(),
        (std::vector<std::string>{ "routes[0]: ttl 5m is under 24h, and no profile says so",
            "routes[1]: ttl 10d is over 72h, and no profile says so",
            "routes[2]: financial, but its keys are forgotten after 1d, under 7d",
            "routes[3]: financial, but a key older than its record executes again" }));
}

TEST(Policy, WhatIsUnusualOfTheDefaultsIsToldOnce)
{
    const auto warningsOf = [](const std::string& defaults) {
        const auto policy =
            parsePolicy(R"({"format":1,"defaults":{)" + defaults + R"(},"routes":[{"scope":"a","operation":"1"}]})");
        return policy ? policy->warnings() : std::vector<std::string>{ policy.error().message };
    };
    EXPECT_EQ(warningsOf(R"("ttl":"5m")"),
        std::vector<std::string>{ "defaults: ttl 5m is under 24h, and no profile says so" });
    EXPECT_EQ(warningsOf(R"("ttl":"10d")"),
        std::vector<std::string>{ "defaults: ttl 10d is over 72h, and no profile says so" });
    EXPECT_EQ(warningsOf(R"("attempt_timeout":"20s")"),
        std::vector<std::string>{ "defaults: attempt_timeout 20s is longer than retry_total 10s, which ends it" });
    EXPECT_EQ(warningsOf(R"("ttl":"48h")"), std::vector<std::string>());
    for (const auto& preset : retry::presets())
        EXPECT_EQ(warningsOf(R"("retry_preset":")" + std::string(preset.name) + '"'), std::vector<std::string>());
}

TEST(Policy, AFileThatCannotBeReadIsNamed)
{
    const auto folder = std::filesystem::temp_directory_path() / "fencepost-policy-test";
    std::filesystem::create_directories(folder);
    const auto missing = loadPolicy((folder / "none.json").string());
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().failure, Failure::NotFound);

    const auto path = (folder / "fencepost.policy.json").string();
    std::ofstream(path) << R"({"format":1,"defaults":{"ttl":7}})";
    const auto broken = loadPolicy(path);
    ASSERT_FALSE(broken);
    EXPECT_EQ(
        broken.error().message, path + ": /defaults/ttl: 7 is not a duration; it is text with a unit, as in \"90s\"");
    std::ofstream(path) << payments;
    EXPECT_TRUE(loadPolicy(path));
    std::filesystem::remove_all(folder);
}

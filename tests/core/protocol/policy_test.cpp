// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "core/protocol/policy.h"

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
    for (const auto& setting : describe(before)) {
        const bool bare = setting.name == "financial" || setting.name == "max_attempts";
        route += ",\"" + setting.name + "\":" + (bare ? setting.value : "\"" + setting.value + "\"");
    }
    const auto again = parsePolicy(R"({"format":1,"routes":[)" + route + "}]}");
    ASSERT_TRUE(again) << again.error().message;
    const auto after = again->forRoute("x", "y");
    const auto was = describe(before);
    const auto is = describe(after);
    for (std::size_t i = 0; i < was.size(); ++i)
        EXPECT_EQ(is[i].value, was[i].value) << is[i].name;
}

TEST(Policy, MistakesAreNamedWithTheirPlace)
{
    EXPECT_EQ(refusedRoute(R"("lease":"6x")"),
        R"(routes[0].lease: "6x" is not a duration; expected e.g. 5m, 1h30m, 250ms or PT5M)");
    EXPECT_EQ(
        refusedRoute(R"("lease":60)"), R"(routes[0].lease: 60 is not a duration; it is text with a unit, as in "90s")");
    EXPECT_EQ(refusedRoute(R"("lease":"0s")"), R"(routes[0].lease: "0s" is not longer than nothing)");
    EXPECT_EQ(refusedRoute(R"("takeover":"maybe")"), R"(routes[0].takeover: "maybe" is none of auto, manual)");
    EXPECT_EQ(
        refusedRoute(R"("effect":true)"), "routes[0].effect: true is none of local_tx, external_idempotent, external");
    EXPECT_EQ(refusedRoute(R"("financial":"yes")"), R"(routes[0].financial: "yes" is neither true nor false)");
    EXPECT_EQ(
        refusedRoute(R"("max_attempts":-1)"), "routes[0].max_attempts: -1 is not a whole number from 0 (no limit)");
    EXPECT_EQ(
        refusedRoute(R"("max_attempts":1.5)"), "routes[0].max_attempts: 1.5 is not a whole number from 0 (no limit)");
    EXPECT_EQ(refusedRoute(R"("profile":"finacial")"), R"(routes[0].profile: there is no profile "finacial")");
    EXPECT_EQ(refusedRoute(R"("leases":"60s")").substr(0, 35), "routes[0].leases: no such setting; ");
    EXPECT_EQ(
        refusal(R"({"format":1,"routes":[{"operation":"b"}]})"), R"(routes[0].scope: is missing; "*" stands for any)");
    EXPECT_EQ(refusal(R"({"format":1,"routes":[{"scope":"a","operation":"b"},{"scope":"a","operation":"b"}]})"),
        "routes[1]: the same scope and operation as routes[0]");
    EXPECT_EQ(refusal(R"({"format":1,"profiles":{"x":{"ttl":"1d","ttl":"2d"}}})"), "ttl: is said twice in one object");
    EXPECT_EQ(refusal(R"({"format":2})"), "format: this build reads format 1");
    EXPECT_EQ(refusal(R"({})"), "format: this build reads format 1");
    EXPECT_EQ(
        refusal(R"({"format":1,"route":[]})"), "route: no such part; there are format, defaults, profiles, routes");
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
        "routes[0]: takeover auto (routes[0]) would repeat an external effect (routes[0]) whose outcome nobody knows; "
        "say takeover manual, or effect external_idempotent");
    EXPECT_EQ(
        refusal(
            R"({"format":1,"defaults":{"takeover":"auto"},"routes":[{"scope":"a","operation":"b","effect":"external"}]})")
            .substr(0, 34),
        "routes[0]: takeover auto (defaults");
    EXPECT_EQ(refusedRoute(R"("lease":"2d")"), "routes[0]: lease 2d (routes[0]) is not shorter than ttl 1d (built in)");
    EXPECT_EQ(refusal(R"({"format":1,"defaults":{"ttl":"10s"}})"),
        "defaults: lease 1m (built in) is not shorter than ttl 10s (defaults)");
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
        broken.error().message, path + ": defaults.ttl: 7 is not a duration; it is text with a unit, as in \"90s\"");
    std::ofstream(path) << payments;
    EXPECT_TRUE(loadPolicy(path));
    std::filesystem::remove_all(folder);
}

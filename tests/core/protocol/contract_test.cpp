// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/protocol/contract.h"
#include "core/random.h"
#include "core/retry/policy.h"

namespace fencepost {
namespace {

std::string refusal(const std::string& text)
{
    const auto contract = parseContract(text, Policy());
    if (contract)
        return "accepted";
    EXPECT_EQ(contract.error().failure, Failure::Invalid);
    return contract.error().message;
}

std::string refusedRoute(const std::string& members)
{
    return refusal(R"({"format":1,"routes":[{"route":"POST /a",)" + members + "}]}");
}

std::string refusedClient(const std::string& members)
{
    return refusal(R"({"format":1,"clients":[{"name":"bank",)" + members + "}]}");
}

const ContractSubject& only(const Contract& contract)
{
    EXPECT_EQ(contract.subjects.size(), 1U);
    return contract.subjects.front();
}

TEST(Contract, KeepsWhatWasSaidAndWhere)
{
    const auto contract = parseContract(
        R"({"format":1,"defaults":{"routes":{"key":"required","mismatch_status":422,"logs":["a"]}},
            "routes":[{"route":"POST /a","logs":["b","c"]}]})",
        Policy());
    ASSERT_TRUE(contract) << contract.error().message;
    const auto& route = only(*contract);
    EXPECT_EQ(route.name, "POST /a");
    EXPECT_EQ(route.method(), "POST");
    EXPECT_EQ(route.word("key"), "required");
    EXPECT_EQ(route.pathOf("key"), "defaults.routes.key");
    EXPECT_EQ(route.word("mismatch_status"), "422");
    EXPECT_EQ(route.find("logs")->words, (std::vector<std::string>{ "b", "c" }));
    EXPECT_EQ(route.pathOf("logs"), "routes[0].logs");
    EXPECT_EQ(route.find("store"), nullptr);
    EXPECT_EQ(route.word("store"), "");
    EXPECT_EQ(route.pathOf("store"), "routes[0].store");
    EXPECT_EQ(contract->route("POST /a"), &route);
    EXPECT_EQ(contract->route("GET /a"), nullptr);
}

TEST(Contract, TakesThePolicyOfItsRoute)
{
    const auto given = parsePolicy(R"({"format":1,"routes":[{"scope":"s","operation":"o","ttl":"3d"},
        {"scope":"*","operation":"POST /a","ttl":"2d"}]})");
    ASSERT_TRUE(given);
    const auto plain = parseContract(R"({"format":1,"routes":[{"route":"POST /a"}]})", *given);
    EXPECT_EQ(only(*plain).policy.ttl.value, std::chrono::hours(48));
    EXPECT_FALSE(plain->ownPolicy);
    const auto named =
        parseContract(R"({"format":1,"routes":[{"route":"POST /a","scope":"s","operation":"o"}]})", *given);
    EXPECT_EQ(only(*named).policy.ttl.value, std::chrono::hours(72));
    const auto own = parseContract(
        R"({"format":1,"policy":{"format":1,"defaults":{"ttl":"5d"}},"routes":[{"route":"POST /a"}]})", *given);
    EXPECT_EQ(only(*own).policy.ttl.value, std::chrono::hours(120));
    EXPECT_TRUE(own->ownPolicy);
}

TEST(Contract, APresetSaysWhatItsClientDoesNot)
{
    for (const auto& preset : retry::presets()) {
        const auto contract = parseContract(
            R"({"format":1,"clients":[{"name":"bank","preset":")" + std::string(preset.name) + R"("}]})", Policy());
        ASSERT_TRUE(contract);
        const auto& client = only(*contract);
        EXPECT_EQ(client.word("jitter"), wordOf(preset.backoff.jitter));
        EXPECT_EQ(client.word("attempts"), std::to_string(preset.attempts));
        EXPECT_TRUE(client.find("retries")->has("429"));
        EXPECT_EQ(client.pathOf("jitter"), "clients[0].preset");
    }
    // Nearer wins: what the client says, its own preset, the defaults, their preset.
    const auto contract = parseContract(
        R"({"format":1,"defaults":{"clients":{"preset":"playbook","jitter":"none","key":"per_operation"}},
            "clients":[{"name":"a"},{"name":"b","preset":"aws","retry_after":"ignored"}]})",
        Policy());
    ASSERT_TRUE(contract);
    EXPECT_EQ(contract->subjects[0].word("jitter"), "none");
    EXPECT_EQ(contract->subjects[0].word("attempts"), "5");
    EXPECT_EQ(contract->subjects[1].word("jitter"), "full");
    EXPECT_EQ(contract->subjects[1].word("retry_after"), "ignored");
    EXPECT_EQ(contract->subjects[1].word("key"), "per_operation");
}

TEST(Contract, MistakesAreNamedWithTheirPlace)
{
    EXPECT_EQ(refusedRoute(R"("key":"maybe")"), R"(routes[0].key: "maybe" is none of required, optional, none)");
    EXPECT_EQ(refusedRoute(R"("key":true)"), "routes[0].key: true is not a text");
    EXPECT_EQ(
        refusedRoute(R"("keys":"required")").substr(0, 53), "routes[0].keys: no such member; there are route, scop");
    EXPECT_EQ(refusedRoute(R"("key_scope":"route")"), R"(routes[0].key_scope: "route" is not a list)");
    EXPECT_EQ(refusedRoute(R"("key_scope":["route","user"])"),
        R"(routes[0].key_scope[1]: "user" is none of route, operation, principal, tenant)");
    EXPECT_EQ(refusedRoute(R"("logs":["a",""])"), R"(routes[0].logs[1]: "" is not a text)");
    EXPECT_EQ(refusedRoute(R"("mismatch_status":99)"), "routes[0].mismatch_status: 99 is not a status from 100 to 599");
    EXPECT_EQ(refusedRoute(R"("mismatch_status":"409")"),
        R"(routes[0].mismatch_status: "409" is not a status from 100 to 599)");
    EXPECT_EQ(refusedRoute(R"("reverses":"payments")"),
        R"(routes[0].reverses: "payments" is not a route; expected e.g. "POST /v1/refunds")");
    for (const char* route : { "post /a", "POST", "POST a", "POST  /a", " /a", "POST /a b" })
        EXPECT_THAT(refusal(R"({"format":1,"routes":[{"route":")" + std::string(route) + R"("}]})"),
            testing::HasSubstr("is not a route"));
    EXPECT_THAT(refusedClient(R"("preset":"fast")"), testing::StartsWith("clients[0].preset: "));
    EXPECT_THAT(refusedClient(R"("jitter":"some")"), testing::StartsWith("clients[0].jitter: "));
    EXPECT_EQ(refusedClient(R"("attempts":0)"), "clients[0].attempts: 0 is not a whole number from 1");
    EXPECT_EQ(refusedClient(R"("attempts":1.5)"), "clients[0].attempts: 1.5 is not a whole number from 1");
    EXPECT_EQ(refusal(R"({"format":1,"clients":[{}]})"), "clients[0].name: is missing");
    EXPECT_THAT(refusal(R"({"format":1,"jobs":[{"id":"a","schedule":"61 * * * *","target":"b"}]})"),
        testing::StartsWith("jobs[0].schedule: "));
    EXPECT_EQ(refusal(R"({"format":1,"jobs":[{"key":"run_id"}]})"), "jobs[0].id: is missing");
    EXPECT_EQ(refusal(R"({"format":1,"routes":[{"route":"GET /a"},{"route":"GET /a"}]})"),
        "routes[1]: \"GET /a\" is declared at routes[0] already");
    EXPECT_EQ(refusal(R"({"format":1,"routes":{}})"), "routes: {} is not a list");
    EXPECT_EQ(refusal(R"({"format":1,"routes":[7]})"), "routes[0]: 7 is not an object");
    EXPECT_EQ(refusal(R"({"format":1,"defaults":[]})"), "defaults: [] is not an object");
    EXPECT_EQ(refusal(R"({"format":1,"defaults":{"route":{}}})"),
        "defaults.route: no such list; there are routes, consumers, producers, clients, jobs");
    EXPECT_EQ(refusal(R"({"format":1,"defaults":{"clients":{"name":"x"}}})"),
        "defaults.clients.name: each of them has its own");
    EXPECT_EQ(refusal(R"({"format":1,"defaults":{"routes":{"key":"x"}}})"),
        R"(defaults.routes.key: "x" is none of required, optional, none)");
    EXPECT_EQ(refusal(R"({"format":1,"policy":{"format":1,"defaults":{"ttl":"6x"}},"routes":[]})"),
        R"(policy: /defaults/ttl: "6x" is not a duration; expected e.g. 5m, 1h30m, 250ms or PT5M)");
    EXPECT_EQ(refusal(R"({"format":2})"), "format: this build reads format 1");
    EXPECT_EQ(refusal("{}"), "format: this build reads format 1");
    EXPECT_THAT(refusal(R"({"format":1})"), testing::StartsWith("the contract declares nothing"));
    EXPECT_THAT(refusal(R"({"format":1,"router":[]})"), testing::StartsWith("router: no such part"));
    EXPECT_THAT(refusal("[]"), testing::StartsWith("a contract is an object"));
    EXPECT_EQ(refusedRoute(R"("key":"none","key":"required")"), "the member \"key\" appears twice");
    EXPECT_THAT(refusal(""), testing::StartsWith("it is no JSON"));
    EXPECT_EQ(refusal(std::string(100'000, '[')), "it is nested too deeply");
    EXPECT_EQ(refusal(std::string((1U << 20U) + 1, ' ')), "a contract is at most 1 MiB");
}

TEST(Contract, EveryMemberIsDescribed)
{
    std::set<std::pair<SubjectKind, std::string_view>> names;
    for (const auto& member : contractMembers()) {
        EXPECT_FALSE(member.meaning.empty()) << member.name;
        EXPECT_TRUE(names.emplace(member.kind, member.name).second) << member.name;
        const bool chosen = member.form == MemberForm::Word || member.form == MemberForm::Words;
        EXPECT_EQ(chosen, !member.words.empty()) << member.name;
    }
}

TEST(Contract, TextsThatAreBrokenAnywhereAreRefusedOrReadButNeverCrash)
{
    const std::string text =
        R"({"format":1,"policy":{"format":1},"defaults":{"routes":{"key":"none"}},"routes":[{"route":"POST /a",)"
        R"("logs":["a"],"mismatch_status":409}],"clients":[{"name":"b","preset":"aws"}]})";
    SeededRandom random(11);
    for (int i = 0; i < 3000; ++i) {
        auto broken = text;
        for (auto left = 1 + random.below(3); left > 0; --left)
            broken[random.below(broken.size())] = static_cast<char>(random.below(256));
        const auto contract = parseContract(broken.substr(0, 1 + random.below(broken.size())), Policy());
        EXPECT_TRUE(contract || !contract.error().message.empty());
    }
}

} // namespace
} // namespace fencepost

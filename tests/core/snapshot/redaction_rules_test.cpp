// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/snapshot/redaction_rules.h"

using namespace fencepost;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

RedactionRules rulesFrom(const std::string& json)
{
    auto rules = parseRedactionRules(json, "rules.json");
    EXPECT_TRUE(rules) << inWords(rules.error());
    return rules ? *rules : RedactionRules();
}

CopiedColumn column(const std::string& name, ColumnUse use = ColumnUse::Other, bool notNull = false)
{
    return { name, "TEXT", notNull, 0, use };
}

CopiedValue text(std::string_view octets)
{
    return { CopiedValue::Kind::Text, 0, 0, octets };
}

// What a value of the table "orders" becomes.
std::string shown(const SnapshotRedaction& redaction, const CopiedColumn& where, std::string_view value)
{
    const auto replaced = redaction.replacing(where, redaction.actionOn("orders", where), text(value));
    return replaced ? replaced->octets : std::string(value);
}

TEST(RedactionRulesTest, AKeyIsOneKeyWhereverItStands)
{
    const SnapshotRedaction redaction(
        rulesFrom(R"({"name":"n","rules":[{"column":"idempotency_records.idempotency_key","action":"hash"}]})"), "s");
    const auto key = column("idempotency_key", ColumnUse::Key);
    for (const auto* table : { "idempotency_records", "idempotency_transitions", "outbound_calls" })
        EXPECT_EQ(redaction.actionOn(table, key), RedactionAction::Hash) << table;
    EXPECT_EQ(redaction.actionOn("orders", column("id", ColumnUse::Key)), std::nullopt);
    EXPECT_EQ(redaction.actionOn("idempotency_audit", column("identity", ColumnUse::Field)), RedactionAction::Hash)
        << "it names the row";
    const auto hash = shown(redaction, column("idempotency_key", ColumnUse::Key), "order-1");
    const auto identity =
        shown(redaction, column("identity", ColumnUse::Field), R"(["tenant:a","POST /refunds","order-1"])");
    EXPECT_THAT(identity, HasSubstr('"' + hash + '"')) << "the row is still found by it";
    EXPECT_THAT(identity, ::testing::Not(HasSubstr("tenant:a")));
    EXPECT_THAT(shown(redaction, column("identity", ColumnUse::Field), "order-1"), ::testing::StartsWith("sha256:"));
    EXPECT_EQ(redaction.actionOn("idempotency_audit", column("actor", ColumnUse::Field)), std::nullopt);
    const auto image = shown(redaction, column("before_image", ColumnUse::Field),
        R"({"scope":"s","idempotency_key":"order-1","status":"x"})");
    EXPECT_THAT(image, ::testing::Not(HasSubstr("order-1")));
    EXPECT_THAT(image, HasSubstr("sha256:"));
    EXPECT_THAT(shown(redaction, column("response_body", ColumnUse::Field), R"({"idempotency_key":"order-1"})"),
        HasSubstr("order-1"))
        << "a payload's members are named by rules of their own";
}

TEST(RedactionRulesTest, KnowWhichOfThemMetNothing)
{
    const SnapshotRedaction redaction(
        rulesFrom(R"({"name":"n","rules":[{"column":"status","action":"hide"},{"column":"stauts","action":"hide"},)"
                  R"({"member":"iban","action":"hash"},{"member":"ibna","action":"hash"},)"
                  R"({"pointer":"/a/b","action":"hide"},{"header":"X-Key","action":"keep"}]})"),
        "s");
    EXPECT_EQ(redaction.unmet().size(), 6U);
    (void)redaction.actionOn("idempotency_records", column("status", ColumnUse::Field));
    (void)shown(redaction, column("response_body", ColumnUse::Field), R"({"iban":"x","a":{"b":1}})");
    EXPECT_THAT(redaction.unmet(), ElementsAre("hide column stauts", "hash member ibna", "keep header X-Key"));
}

TEST(RedactionRulesTest, WhatIsJsonStaysJsonAndWhatIsNoUtf8IsReadAllTheSame)
{
    const SnapshotRedaction redaction({}, "s");
    EXPECT_EQ(shown(redaction, column("recovery_data"), "4111111111111111"), "\"•••\"");
    EXPECT_EQ(shown(redaction, column("recovery_data"), R"("see <email> here")"), R"("see <email>•••")");
    EXPECT_EQ(shown(redaction, column("note"), R"("a" and "ada@example.org")"), R"("a" and "•••")");
    const auto latin = redaction.replacing(
        column("body"), {}, { CopiedValue::Kind::Octets, 0, 0, "{\"name\":\"J\xf6rg\",\"password\":\"x\"}" });
    ASSERT_TRUE(latin);
    EXPECT_EQ(latin->octets, "{\"name\":\"J\xf6rg\",\"password\":\"•••\"}");
    EXPECT_FALSE(redaction.replacing(
        column("body"), {}, { CopiedValue::Kind::Octets, 0, 0, std::string_view("\xf6\0 password=x", 14) }));
}

} // namespace

TEST(RedactionRulesTest, TheFirstRuleThatNamesAValueDecides)
{
    const SnapshotRedaction redaction(rulesFrom(R"({"name":"shop","salt":"s","rules":[
        {"column":"orders.note","action":"keep"}, {"column":"NOTE","action":"hide"},
        {"pointer":"/customer/id","action":"hash"}, {"member":"password","action":"keep"},
        {"header":"X-Tenant","action":"hide"}]})"),
        "s");
    EXPECT_EQ(shown(redaction, column("note"), "call 4111 1111 1111 1111"), "call 4111 1111 1111 1111");
    EXPECT_EQ(redaction.actionOn("refunds", column("Note")), RedactionAction::Hide) << "of every other table";
    const auto body = shown(redaction, column("body"),
        R"({"customer":{"id":"c_7"},"id":"c_7","password":"p","card":"x","headers":{"x-tenant":"acme"}})");
    EXPECT_THAT(body, HasSubstr(R"("id":"sha256:)"));
    EXPECT_THAT(body, HasSubstr(R"("id":"c_7")")) << "the other id is no customer's";
    EXPECT_THAT(body, HasSubstr(R"("password":"p")"));
    EXPECT_THAT(body, ::testing::Not(HasSubstr(R"("card":"x")"))) << "what no rule names is hidden as ever";
    EXPECT_THAT(body, ::testing::Not(HasSubstr("acme")));
}

TEST(RedactionRulesTest, EqualValuesHaveEqualHashesWithinOneSaltAlone)
{
    const auto rules = rulesFrom(R"({"name":"n","rules":[{"column":"owner","action":"hash"}]})");
    const SnapshotRedaction one(rules, "salt");
    const SnapshotRedaction other(rules, "pepper");
    const auto hash = shown(one, column("owner"), "ann");
    EXPECT_THAT(hash, StartsWith("sha256:"));
    EXPECT_EQ(shown(one, column("owner"), "ann"), hash);
    EXPECT_NE(shown(one, column("owner"), "bob"), hash);
    EXPECT_NE(shown(other, column("owner"), "ann"), hash);
    const auto number = one.replacing(column("owner"), RedactionAction::Hash, { CopiedValue::Kind::Integer, 7 });
    ASSERT_TRUE(number);
    EXPECT_EQ(number->kind, CopiedValue::Kind::Integer) << "it fits its column";
    EXPECT_NE(number->integer, 7);
}

TEST(RedactionRulesTest, AKeyStaysOneThoughItIsNotTold)
{
    const SnapshotRedaction redaction(rulesFrom(R"({"name":"n","rules":[{"column":"id","action":"hide"}]})"), "s");
    const auto key = column("id", ColumnUse::Key);
    EXPECT_EQ(redaction.actionOn("orders", key), RedactionAction::Hash) << "two rows would be one";
    EXPECT_NE(shown(redaction, key, "a"), shown(redaction, key, "b"));
    EXPECT_EQ(redaction.actionOn("orders", column("id")), RedactionAction::Hide);
}

TEST(RedactionRulesTest, HiddenValuesFitTheirColumns)
{
    const SnapshotRedaction redaction(RedactionRules(), "s");
    const CopiedValue number{ CopiedValue::Kind::Integer, 42 };
    EXPECT_EQ(redaction.replacing(column("n"), RedactionAction::Hide, number)->kind, CopiedValue::Kind::Null);
    const auto kept = redaction.replacing(column("n", ColumnUse::Other, true), RedactionAction::Hide, number);
    EXPECT_EQ(kept->kind, CopiedValue::Kind::Integer) << "no NULL may stand there";
    EXPECT_EQ(kept->integer, 0);
    EXPECT_FALSE(redaction.replacing(column("n"), RedactionAction::Hide, {})) << "nothing is nothing";
    const auto octets =
        redaction.replacing(column("n"), RedactionAction::Hide, { CopiedValue::Kind::Octets, 0, 0, "\xff\xfe" });
    EXPECT_EQ(octets->kind, CopiedValue::Kind::Octets);
    EXPECT_FALSE(redaction.replacing(column("n"), {}, { CopiedValue::Kind::Octets, 0, 0, "\xff\xfe" }))
        << "what is no text says nothing";
}

TEST(RedactionRulesTest, TwoAddressesThatDifferInATokenStayTwo)
{
    const SnapshotRedaction redaction(RedactionRules(), "s");
    const auto where = column("destination", ColumnUse::Key);
    const auto one = shown(redaction, where, "https://hooks.example/a?token=one");
    const auto two = shown(redaction, where, "https://hooks.example/a?token=two");
    EXPECT_NE(one, two);
    for (const auto& address : { one, two })
        EXPECT_THAT(address, ::testing::Not(::testing::AnyOf(HasSubstr("=one"), HasSubstr("=two"))));
    EXPECT_EQ(shown(redaction, where, "https://hooks.example/a"), "https://hooks.example/a");
    const SnapshotRedaction open(rulesFrom(R"({"name":"n","urls":"keep"})"), "s");
    EXPECT_EQ(shown(open, where, "https://hooks.example/a?token=one"), "https://hooks.example/a?token=one");
}

TEST(RedactionRulesTest, SayInWordsWhatTheyDoAndNeverTheirSalt)
{
    const auto rules =
        rulesFrom(R"({"name":"n","salt":"grain","standard":false,"rules":[{"pointer":"/a","action":"hash"}]})");
    EXPECT_THAT(rules.inWords(), ElementsAre("hash pointer /a", "keep what no rule names", "hide credentials in URLs"));
    EXPECT_EQ(rules.digest.size(), 64U);
}

TEST(RedactionRulesTest, WhatIsNoRuleIsRefusedWithItsPlace)
{
    struct Case {
        const char* json;
        const char* place;
    };
    for (const auto& [json, place] : { Case{ "[]", "rules.json" }, Case{ "{", "rules.json" },
             Case{ R"({"rules":[]})", "name" }, Case{ R"({"name":"n","rules":{}})", "/rules" },
             Case{ R"({"name":"n","rules":[{"column":"a"}]})", "/rules/0" },
             Case{ R"({"name":"n","rules":[{"action":"hide"}]})", "/rules/0" },
             Case{ R"({"name":"n","rules":[{"column":"a","member":"b","action":"hide"}]})", "/rules/0" },
             Case{ R"({"name":"n","rules":[{"pointer":"a","action":"hide"}]})", "/rules/0/pointer" },
             Case{ R"({"name":"n","rules":[{"column":"a","action":"burn"}]})", "/rules/0/action" },
             Case{ R"({"name":"n","colour":1})", "colour" }, Case{ R"({"name":"n","urls":"show"})", "/urls" } }) {
        const auto refused = parseRedactionRules(json, "rules.json");
        ASSERT_FALSE(refused) << json;
        EXPECT_EQ(refused.error().failure, Failure::Invalid) << json;
        EXPECT_THAT(inWords(refused.error()), HasSubstr(place)) << json;
    }
    EXPECT_FALSE(parseRedactionRules(std::string(2U << 20U, ' '), "rules.json"));
}

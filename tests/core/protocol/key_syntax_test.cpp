// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <gtest/gtest.h>

#include "core/protocol/key_syntax.h"

using namespace fencepost;

namespace {

std::string keyOr(std::string_view value, const KeyRules& rules = {})
{
    const auto key = keyOfField(value, rules);
    return key ? *key : "refused";
}

} // namespace

TEST(KeySyntax, BareAndQuotedFormsAreTheSameKey)
{
    EXPECT_EQ(keyOr("550e8400-e29b-41d4-a716-446655440000"), keyOr("\"550e8400-e29b-41d4-a716-446655440000\""));
    EXPECT_EQ(keyOr("  refund:charge_123:amount_1000:uuid\t"), "refund:charge_123:amount_1000:uuid");
    EXPECT_EQ(keyOr("\"a b\""), "a b");
    EXPECT_EQ(keyOr("'foo'"), "'foo'");
    EXPECT_EQ(keyOr("a\"b\\c"), "a\"b\\c");
    EXPECT_EQ(keyOr(quotedKey("a\"b\\c d")), "a\"b\\c d");
}

TEST(KeySyntax, AnswersTheStructuredFieldVectors)
{
    EXPECT_EQ(keyOr("\"foo\""), "foo");
    EXPECT_EQ(keyOr("\"foo \\\"bar\\\"\""), "foo \"bar\"");
    EXPECT_EQ(keyOr("\"b\\\\a\\\"r\""), "b\\a\"r");
    for (const auto* value :
        { "\"foo", "\"foo \\,\"", "\"foo \\", "\"foo\\\"", "\"\"", "\"", "\"a\" b", "\"a\",\"b\"", "\"a\"\"b\"",
            "\"\t\"", "\"\x7f\"", "\"füü\"", "\"a\";", "\"a\";=1", "\"a\";P=1", "\"a\";p=", "\"a\";p=?2", "\"a\";p=1.",
            "\"a\";p=1.1234", "\"a\";p=1234567890123456", "\"a\";p=:x", "\"a\" ;p=1", "\"a\";p=\"x", "\"a\";p=@" })
        EXPECT_EQ(keyOr(value), "refused") << value;
    for (const auto* value :
        { "\"a\";p", "\"a\"; p=1;q=?0", "\"a\";p=-1.25;q=tok/en;r=\"x\\\"\";s=:aGk=:", "\"a\";*x=*y" })
        EXPECT_EQ(keyOr(value), "a") << value;
}

TEST(KeySyntax, RefusesWhatIsNoVisibleAscii)
{
    for (const auto* value : { "", "   ", "a b", "a\tb", "a\nb", "a\x7f", "schlüssel", "…", "\xff" })
        EXPECT_EQ(keyOr(value), "refused") << value;
    EXPECT_EQ(keyOr(std::string_view("a\0b", 3)), "refused");
    EXPECT_EQ(keyOr("!"), "!");
    EXPECT_EQ(keyOr("~"), "~");
    EXPECT_EQ(keyOfField("a b").error().code, "VALIDATION.idempotency_key");
}

TEST(KeySyntax, CountsCharacters)
{
    EXPECT_EQ(keyOr(std::string(128, 'x')), std::string(128, 'x'));
    EXPECT_EQ(keyOr(std::string(129, 'x')), "refused");
    EXPECT_EQ(keyOr('"' + std::string(129, 'x') + '"'), "refused");
    std::string quoted;
    for (int i = 0; i < 128; ++i)
        quoted += "\\\"";
    EXPECT_EQ(keyOr('"' + quoted + '"').size(), 128U);
    EXPECT_EQ(keyOr(std::string(255, 'x'), { 255 }).size(), 255U);
    EXPECT_EQ(keyOr(std::string(256, 'x'), { 1000 }), "refused");
    EXPECT_EQ(
        keyOfField(std::string(200, 'x')).error().message, "The idempotency key has 200 characters; 128 are allowed");
}

TEST(KeySyntax, TakesUtf8WhereTheRouteSaysSo)
{
    const KeyRules rules{ 128, KeyCharset::Utf8 };
    EXPECT_EQ(keyOr("refund:charge_123:…", rules), "refund:charge_123:…");
    std::string euros;
    for (int i = 0; i < 128; ++i)
        euros += "€";
    EXPECT_EQ(keyOr(euros, rules), euros);
    EXPECT_EQ(keyOr(euros + "€", rules), "refused");
    for (const auto* value :
        { "a b", "a\xc2\xa0z", "a\xe2\x80\x83z", "a\xe3\x80\x80z", "a\xc2\x85z", "\xff", "\xe2\x80\x8f" })
        EXPECT_EQ(keyOr(value, rules), "refused") << value;
}

TEST(KeySyntax, OneHeaderLineOrNone)
{
    using Lines = std::vector<std::string_view>;
    EXPECT_EQ(*keyOfHeader(Lines{ "abc" }), "abc");
    EXPECT_EQ(keyOfHeader({}).error().code, "missing_idempotency_key");
    EXPECT_EQ(keyOfHeader(Lines{ "abc", "abc" }).error().code, "VALIDATION.idempotency_key");
    EXPECT_EQ(keyOfHeader(Lines{ "" }).error().code, "VALIDATION.idempotency_key");
}

TEST(Scope, IsARouteAndAPrincipal)
{
    EXPECT_EQ(*scopeOf(routeOf("POST", "/v1/payments"), "tenant_1"), "POST_/v1/payments@tenant_1");
    EXPECT_EQ(*scopeOf("event:order.placed.v1", "größe x"), "event:order.placed.v1@größe%20x");
    std::set<std::string> scopes;
    for (const auto& [route, principal] :
        { std::pair("a@b", "c"), { "a", "b@c" }, { "a%40b", "c" }, { "a", "b%40c" }, { "a", "c" } })
        scopes.insert(*scopeOf(route, principal));
    EXPECT_EQ(scopes.size(), 5U);
    EXPECT_EQ(*scopeOf("r", "\xff"), "r@%FF");
    EXPECT_FALSE(scopeOf("", "x"));
    EXPECT_FALSE(scopeOf("x", ""));
}

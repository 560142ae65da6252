// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/redaction.h"
#include "core/secret_patterns.h"

namespace fencepost {
namespace {

TEST(RedactionTest, KnowsNamesInEverySpelling)
{
    const Redactor redactor;
    for (const auto* name : { "card", "cardNumber", "card_number", "CARD-NUMBER", "cardnumber", "password",
             "userPassword", "access_token", "accesstoken", "iban", "customerEmail", "e-mail", "api_key", "apiKey",
             "Authorization", "pan", "cvv", "phoneNumber", "private_key" })
        EXPECT_TRUE(redactor.hides(name)) << name;
    for (const auto* name : { "discard", "company", "amount", "currency", "state", "spin", "japan", "key", "order_id",
             "description", "idempotency_key" })
        EXPECT_FALSE(redactor.hides(name)) << name;
}

TEST(RedactionTest, HidesMembersAndTouchesNothingElse)
{
    const Redactor redactor;
    const std::string text =
        R"( { "amount" : 9007199254740993, "rate":0.0010, "card": {"number":"4111111111111111","exp":"12/27"},
  "list":[{"password":"x\"}y"}, 1e-07, null], "note":"caf\u00e9", "token":null, "b":true } )";
    const auto shown = redactor.json(text);
    EXPECT_EQ(shown.text, R"( { "amount" : 9007199254740993, "rate":0.0010, "card": "•••",
  "list":[{"password":"•••"}, 1e-07, null], "note":"caf\u00e9", "token":null, "b":true } )");
    EXPECT_EQ(shown.hidden, std::vector<std::string>({ "/card", "/list/0/password" }));
}

TEST(RedactionTest, RevealsOneMemberOnly)
{
    const Redactor redactor;
    const auto shown = redactor.json(R"({"card":"4111 1111 1111 1111","cvv":123})", { "/card" });
    EXPECT_EQ(shown.text, R"({"card":"4111 1111 1111 1111","cvv":"•••"})");
}

TEST(RedactionTest, FindsSecretsUnderInnocentNames)
{
    const Redactor redactor;
    const auto shown = redactor.json(
        R"({"memo":"paid with 4111-1111-1111-1111 by ada@example.org","ref":4111111111111111,"at":1790000000000000,"iban":"x","text":"DE89 3704 0044 0532 0130 00"})");
    EXPECT_EQ(
        shown.text, R"({"memo":"paid with ••• by •••","ref":"•••","at":1790000000000000,"iban":"•••","text":"•••"})");
    const auto address = redactor.json(R"({"to":"https://ada:pw@host/in?token=abc&v=2"})");
    EXPECT_EQ(address.text, R"({"to":"https://***@host/in?token=***&v=2"})");
    EXPECT_EQ(address.hidden, std::vector<std::string>{ "/to" });
    EXPECT_EQ(redactor.text("order 4111111111111112 is no card").hidden.size(), 0U) << "the check digit is wrong";
}

// Whatever is hidden of it, a text that was JSON is read as such: histories and figures are made of it.
TEST(RedactionTest, WhatIsJsonStaysJson)
{
    const Redactor redactor;
    const std::vector<std::pair<std::string, std::string>> shownAs = {
        { R"({"t":"Optional<Email> was empty","n":1})", R"({"t":"Optional<Email> was empty","n":1})" },
        { R"({"t":"an unexpected <email> here","n":1})", R"({"t":"an unexpected <email>•••","n":1})" },
        { R"(["Set<Card>","next"])", R"(["Set<Card>","next"])" },
        { R"({"error":"login with password='hun","n":1})", R"({"error":"login with password='•••","n":1})" },
        { R"({"t":"line\nada@example.org\tx","n":1})", R"({"t":"line\n•••\tx","n":1})" },
        { R"({"t":"Authorization: Bearer abc\" x","n":1})", R"({"t":"Authorization: •••\" x","n":1})" },
        { R"({"t":"one\nsk_live_4eC39HqLyjWDarjtT1zdp7dc","n":1})", R"({"t":"one\n•••","n":1})" },
        { R"({"t":"see ada\u0040example.org \ud83d\ude00 \ud83d","n":1})", R"({"t":"see ••• 😀 \ufffd","n":1})" },
        { R"({"t":"\u00e9 \ud83d\ude00 \/ \ud83d","n":1})", R"({"t":"\u00e9 \ud83d\ude00 \/ \ud83d","n":1})" },
        { R"({"t":"{\"to\":\"ada@example.org\",\"a\":\"\\\\\"}","n":1})",
            R"({"t":"{\"to\":\"•••\",\"a\":\"\\\\\"}","n":1})" },
        { R"({"t":"C:\\ada@example.org\\","n":1})", R"({"t":"C:\\•••\\","n":1})" },
    };
    for (const auto& [whole, expected] : shownAs) {
        const auto shown = redactor.json(whole).text;
        const auto spelled = expected.find("\\ufffd") == std::string::npos
            ? expected
            : std::string(expected).replace(expected.find("\\ufffd"), 6, "\xEF\xBF\xBD");
        EXPECT_EQ(shown, spelled);
        EXPECT_TRUE(shown == whole || nlohmann::json::accept(shown)) << shown;
    }
}

TEST(RedactionTest, WhatIsNestedTooDeepIsHiddenAsOneValue)
{
    const Redactor redactor;
    const auto nested = [](int levels, const std::string& innermost) {
        std::string text = innermost;
        for (int i = 0; i < levels; ++i)
            text = i % 2 == 0 ? R"({"a":)" + text + '}' : '[' + text + ']';
        return text;
    };
    const auto usual = nested(1'500, R"({"b":1,"pin":2})");
    EXPECT_EQ(redactor.json(usual).text, nested(1'500, R"({"b":1,"pin":"•••"})"));
    const auto deep = redactor.json(nested(10'000, R"({"b":1,"pin":2})")).text;
    EXPECT_TRUE(nlohmann::json::accept(deep));
    EXPECT_NE(deep.find("•••"), std::string::npos);
    EXPECT_EQ(deep.find("pin"), std::string::npos);
}

TEST(RedactionTest, LinesOfJsonAreReadOneByOne)
{
    const Redactor redactor;
    EXPECT_EQ(redactor.json("{\"a\":1}\n{\"pin\":2}\n[\"x\"]\n").text, "{\"a\":1}\n{\"pin\":\"•••\"}\n[\"x\"]\n");
    EXPECT_EQ(redactor.json("{\"a\":1} and the password").text.find("password"), std::string::npos);
}

// Each of these took minutes where something looked back or ahead over and over.
TEST(RedactionTest, NoRepetitionIsLookedAtAgainAndAgain)
{
    constexpr std::size_t size = 1UL << 20U;
    const auto repeated = [&](const std::string& piece) {
        std::string text;
        while (text.size() < size)
            text += piece;
        return text;
    };
    const auto nestedValues = [&](const std::string& end) {
        std::string one;
        for (int i = 0; i < 500; ++i)
            one += R"({"value":)";
        one += '"' + std::string(11'500, 'x') + '"';
        for (int i = 0; i < 500; ++i)
            one += end;
        return one + ',';
    };
    const Redactor redactor;
    for (const auto* piece : { "<a>", "eyJ", "eyJ-", "xeyJ.", "ab:", "password-", "password=", "token ", "secret 'x ",
             "b ", "<password>", "-----BEGIN ", "a@", "1 ", "AB12 ", "--x-", "\\", "pin:", "<pin:" }) {
        const auto text = repeated(piece);
        EXPECT_LE(redactor.text(text + " a.b").text.size(), text.size() + 10) << piece;
    }
    for (const auto* end : { "}", R"(,"q":"x"})", R"(,"name":"pin"})" }) {
        const auto body = '[' + repeated(nestedValues(end)) + "0]";
        EXPECT_TRUE(nlohmann::json::accept(redactor.json(body).text)) << end;
    }
}

TEST(RedactionTest, WhatIsNoUtf8IsReadAllTheSame)
{
    const Redactor redactor;
    EXPECT_TRUE(isReadable("J\xf6rg"));
    EXPECT_FALSE(isReadable(std::string_view("\xf6\0x", 3)));
    EXPECT_EQ(redactor.payload("name=J\xf6rg&password=x", "application/x-www-form-urlencoded").text,
        "name=J\xf6rg&password=•••");
    EXPECT_EQ(redactor.json("{\"a\":\"J\xf6rg ada@example.org \xff\"}").text, "{\"a\":\"J\xf6rg ••• \xff\"}");
}

TEST(RedactionTest, NoMixtureOfWhatIsHiddenBreaksJson)
{
    static constexpr std::array pieces = { "<email>", "</email>", "password='", "token: ", "\"", "\\", "\n", "\t", "'",
        "ada@example.org", "Bearer abcdefgh", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----",
        "eyJhbGciOiJI.eyJz", "4111111111111111", "sk_live_4eC39HqLyjWDarjt", "https://a:b@c/?token=1", " ", "<", ">",
        "x", "{\"pin\":\"", "\\u0040", "\xF0\x9F\x98\x80", "\xC3\xA9", "\x01", "api key is ", "name", "value", "=",
        "&" };
    std::mt19937 dice(7);
    const auto text = [&] {
        std::string all;
        for (auto count = dice() % 9; count > 0; --count)
            all += pieces[dice() % pieces.size()];
        return all;
    };
    const Redactor redactor;
    for (int round = 0; round < 5'000; ++round) {
        nlohmann::json whole = { { "n", 1 }, { text(), text() }, { "name", text() }, { "value", { text(), text() } } };
        whole["inner"] = { { "l", { text(), 7, nullptr } }, { "j", nlohmann::json{ { text(), text() } }.dump() } };
        const auto spelled = whole.dump(-1, ' ', dice() % 2 == 0);
        const auto shown = redactor.json(spelled);
        const auto read = nlohmann::json::parse(shown.text, nullptr, false);
        ASSERT_TRUE(read.is_object() && read["n"] == 1 && read.size() == whole.size()) << spelled << '\n' << shown.text;
        ASSERT_TRUE(!shown.hidden.empty() || shown.text == spelled) << shown.text;
        const auto values = read.flatten();
        for (const auto& value : values)
            ASSERT_EQ(value.dump().find("ada@"), std::string::npos) << shown.text;
    }
}

TEST(RedactionTest, AnEscapedNameDoesNotEscape)
{
    const Redactor redactor;
    EXPECT_EQ(redactor.json(R"({"\u0070assword":"secret"})").text, R"({"\u0070assword":"•••"})");
}

TEST(RedactionTest, ACutOffTextIsHiddenAsFarAsItGoes)
{
    const Redactor redactor;
    const std::string whole = R"({"user":"ada","card":{"number":"4111111111111111"},"password":"hunter22"})";
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const auto shown = redactor.json(whole.substr(0, length)).text;
        EXPECT_EQ(shown.find("4111"), std::string::npos) << length;
        EXPECT_EQ(shown.find("hunt"), std::string::npos) << length;
    }
}

TEST(RedactionTest, WhatIsNoJsonIsHiddenFromThereOn)
{
    const Redactor redactor;
    const auto shown = redactor.json(R"({"a":1} {"password":"secret"})");
    EXPECT_EQ(shown.text.find("secret"), std::string::npos);
    EXPECT_EQ(shown.text.substr(0, 8), R"({"a":1} )");
    std::string deep(5000, '[');
    EXPECT_FALSE(redactor.json(deep + R"({"password":"secret"})").text.find("secret") != std::string::npos);
}

TEST(RedactionTest, ReadsFormsAndHeaders)
{
    const Redactor redactor;
    EXPECT_EQ(redactor.text("amount=5&card=4111&password=x").text, "amount=5&card=•••&password=•••");
    EXPECT_EQ(redactor.text("Authorization: Bearer abc.def-ghi\nAccept: */*").text, "Authorization: •••\nAccept: */*");
    const std::string octets("\xff\xfe password", 11);
    EXPECT_EQ(redactor.payload(octets, "application/octet-stream").text, octets);
}

TEST(RedactionTest, LooksIntoWhatAnInnocentNameSays)
{
    const auto shown =
        Redactor().text("exit_65: api_key=sk_live_1 gave up; Authorization: Bearer abcdefghijkl and token=t2");
    for (const auto* secret : { "sk_live_1", "abcdefghijkl", "t2" })
        EXPECT_EQ(shown.text.find(secret), std::string::npos) << shown.text;
    EXPECT_NE(shown.text.find("exit_65: api_key="), std::string::npos) << shown.text;
}

TEST(RedactionTest, FindsSecretsThatATextTellsOf)
{
    const Redactor redactor;
    for (const auto* told :
        { R"(the command ended with 65: {"password":"Hunter2Secret"})", R"({\"password\": \"Hunter2Secret\"})",
            R"(password: "Hunter2Secret in two words")", "whsec_Hunter2SecretHunter2Secret",
            "key sk_live_Hunter2Secret0123 is off", "ghp_Hunter2Secret0123456789", "--password Hunter2Secret",
            "--db-password 'Hunter2Secret'", "api key Hunter2Secret revoked", "Token Hunter2Secret is expired",
            "the password is Hunter2Secret.", "secret 'Hunter2Secret' invalid", "the password was Hunter2Secret",
            R"({\\\"password\\\":\\\"Hunter2Secret\\\"})", R"(API key \"Hunter2Secret\" revoked)",
            R"(API key \\\"Hunter2Secret\\\" revoked)", "signing key: Hunter2Secret",
            "<password>Hunter2Secret</password>", R"(<wsse:Password Type="x#Text">Hunter2Secret</wsse:Password>)",
            "<ApiKey>Hunter2Secret", "<password><![CDATA[Hunter2Secret]]></password>",
            "<secret><value>Hunter2Secret</value></secret>", R"(<user id="7" password="Hunter2Secret">olga</user>)",
            "<login><name>olga</name><pwd>Hunter2Secret</pwd></login>" })
        EXPECT_EQ(redactor.text(told).text.find("Hunter2Secret"), std::string::npos) << redactor.text(told).text;
    EXPECT_EQ(redactor.text("AKIAIOSFODNN7EXAMPLE is unknown").text, "••• is unknown");
    EXPECT_EQ(redactor.text("the password is hunter, they say").text, "the password is •••, they say");
    for (const auto* plain : { "the token is expired", "token expired", "the password is wrong", "invalid api key",
             "the secret of tenant_1 is not set", "password authentication failed for user \"app\"",
             "the key 42 is not there", "no token was given", "--password", "the partition key order-17 is hot",
             "a sequence_key of 20 rows", "max_payload of 4096", "{\"amount\":\"5\"}", "<password/>gone",
             "<password></password> <b>kept</b>", "<user>olga</user>", "a < b and token < c",
             "no converter for List<Token> found", "Dear <email>, your order is ready", "<order><id>7</id></order>" })
        EXPECT_EQ(redactor.text(plain).text, plain);
}

TEST(RedactionTest, StaysJson)
{
    const Redactor redactor;
    const auto shown =
        redactor.json(R"({"pin":1234,"cards":[1,2,{"a":"]"}],"x":{"token":"a","y":[]},"z":4111111111111111})").text;
    EXPECT_TRUE(nlohmann::json::parse(shown, nullptr, false).is_object()) << shown;
}

TEST(RedactionTest, HidesTheValueOfAHeaderByItsName)
{
    const Redactor redactor;
    EXPECT_EQ(redactor.json(R"([["Content-Type","text/plain"],["Cookie","sid=1"],["X-Api-Key","k1"]])").text,
        R"([["Content-Type","text/plain"],["Cookie","•••"],["X-Api-Key","•••"]])");
    EXPECT_EQ(redactor.json(R"(["token","red"])").text, R"(["token","red"])") << "a list of words is no header";
    EXPECT_EQ(redactor.json(R"([["Set-Cookie",["sid=1","b"]],["Accept",["a","b"]]])").text,
        R"([["Set-Cookie","•••"],["Accept",["a","b"]]])");
}

TEST(RedactionTest, HidesTheValueThatAnotherMemberNames)
{
    const Redactor redactor;
    EXPECT_EQ(redactor.json(R"([{"name":"password","value":"x"},{"name":"city","value":"Rome"}])").text,
        R"([{"name":"password","value":"•••"},{"name":"city","value":"Rome"}])");
    EXPECT_EQ(redactor.json(R"({"env":[{"key":"DB_PASSW\u004fRD","note":1,"value":{"plain":"x"}}]})").text,
        R"({"env":[{"key":"DB_PASSW\u004fRD","note":1,"value":"•••"}]})");
    EXPECT_EQ(redactor.json(R"([{"name":"token","size":3},{"value":"red"},{"name":7,"value":"red"}])").text,
        R"([{"name":"token","size":3},{"value":"red"},{"name":7,"value":"red"}])")
        << "another object's name names nothing here";
    EXPECT_EQ(redactor.json(R"([{"name":"token","value":"shown"}])", { "/0/value" }).text,
        R"([{"name":"token","value":"shown"}])");
    EXPECT_EQ(redactor.json(R"([{"name":"token","value":"cut o)").text, R"([{"name":"token","value":"•••")");
    EXPECT_EQ(redactor.json(R"([{"value":{"a":"]"},"x":1, "Name":"password"},{"VALUE": "y" ,"KEY" : "pin"}])").text,
        R"([{"value":"•••","x":1, "Name":"password"},{"VALUE": "•••" ,"KEY" : "pin"}])");
    EXPECT_EQ(
        redactor.json(R"([{"key":"password","name":"login","value":"x"},{"value":"y","name":"a","key":"pin"}])").text,
        R"([{"key":"password","name":"login","value":"•••"},{"value":"•••","name":"a","key":"pin"}])")
        << "any of its names";
    EXPECT_EQ(
        redactor.json(R"([{"name":"Account number","value":5}])").text, R"([{"name":"Account number","value":"•••"}])");
    const std::string far(100'000, 'f');
    EXPECT_EQ(redactor.json(R"({"value":")" + far + R"(","x":")" + far + R"(","name":"password"})").text,
        R"({"value":"•••","x":")" + far + R"(","name":"password"})")
        << "however far behind";
    EXPECT_EQ(redactor.json(R"([{"value":1,"name":"size"},{"name":"Blue case","value":1999}])").text,
        R"([{"value":1,"name":"size"},{"name":"Blue case","value":1999}])")
        << "no name of a secret";
}

TEST(RedactionTest, HidesPrivateKeysWhereverTheyStand)
{
    const Redactor redactor;
    const std::string key = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEow+/Ab==\nQUJD\n"
                            "-----END RSA PRIVATE KEY-----";
    EXPECT_EQ(redactor.text("it was\n" + key + "\nand more").text, "it was\n•••\nand more");
    EXPECT_EQ(redactor.text("private_key=" + key + "&x=1").text, "private_key=•••&x=1");
    EXPECT_EQ(redactor.text("pem: " + key).text, "pem: •••");
    EXPECT_EQ(redactor.json(R"({"pem":"-----BEGIN PRIVATE KEY-----\nMIIEow\n-----END PRIVATE KEY-----\n","n":1})").text,
        R"({"pem":"•••\n","n":1})");
    EXPECT_EQ(redactor.json(R"({"pem":"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC","n":1})").text,
        R"({"pem":"•••","n":1})")
        << "without its end";
    EXPECT_EQ(redactor.json(R"({"log":"{\"pem\":\"-----BEGIN EC PRIVATE KEY-----\\nMHcC\",\"n\":1}"})").text,
        R"({"log":"{\"pem\":\"•••\",\"n\":1}"})");
    EXPECT_EQ(
        redactor.text("pem=-----BEGIN+PRIVATE+KEY-----%0AMII%2Bw%0A-----END+PRIVATE+KEY-----&x=1").text, "pem=•••&x=1");
    EXPECT_EQ(
        redactor.json(R"({"pem":"-----BEGIN\u0020PRIVATE KEY\u002d----\nMII","n":1})").text, R"({"pem":"•••","n":1})");
    const std::string certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
    EXPECT_EQ(redactor.text(certificate).text, certificate);
    EXPECT_EQ(redactor.text(certificate + '\n' + key).text, certificate + "\n•••");
}

TEST(RedactionTest, ARuleStandsBeforeTheStandardNames)
{
    const auto rule = [](std::string_view name, std::string_view pointer) -> std::optional<RedactionAction> {
        if (pointer == "/customer/name")
            return RedactionAction::Hash;
        if (name == "order")
            return RedactionAction::Hide;
        return name == "email" ? std::optional(RedactionAction::Keep) : std::nullopt;
    };
    const Redactor redactor(RedactionWish{ Redactor::standardNames(), {}, rule,
        [](std::string_view value) { return "h" + std::to_string(value.size()); } });
    EXPECT_EQ(redactor.json(R"({"customer":{"name":"Ada","email":"a@b.c"},"order":[1],"name":"x","pin":1})").text,
        R"({"customer":{"name":"h5","email":"a@b.c"},"order":"•••","name":"x","pin":"•••"})");
}

TEST(RedactionTest, CredentialsBehindAHiddenHeaderAreHiddenToTheirEnd)
{
    EXPECT_EQ(Redactor().text("Authorization: Bearer token=abc next: 1").text, "Authorization: ••• next: 1");
}

// One look at each octet decides what is looked at closely: it must never be too easy with a text.
TEST(RedactionTest, WhatIsPassedOverTellsNothing)
{
    constexpr std::array pieces{ "4111111111111111", "4111 1111 1111", " 1111", "DE89370400440532013000",
        "DE89 3704 0044", " 0532 0130 00", "a@b", "eyJabcdefgh", ".abc", "Bearer ", "basic ", "BASIC ", "abcdef", "=",
        ":", "x", " ", "://a:b@c", "B", "7", "\"", "Z", "password", "is", "whsec_", "AKIA", "'" };
    std::mt19937 random(11); // NOLINT: the same texts every time
    std::size_t passed = 0;
    for (int i = 0; i < 100'000; ++i) {
        std::string text;
        for (auto count = random() % 5; count > 0; --count)
            text += pieces[random() % pieces.size()];
        if (mayTell(text))
            continue;
        ++passed;
        std::vector<std::string> hidden;
        EXPECT_EQ(hideSecrets(text, "!", {}, hidden), text);
        EXPECT_TRUE(hidden.empty()) << text;
        EXPECT_FALSE(nextPair(text, 0, [](std::string_view) { return true; })) << text;
    }
    EXPECT_GT(passed, 10'000U);
    EXPECT_FALSE(mayTell("succeeded"));
    EXPECT_FALSE(mayTell("order-100017"));
}

TEST(RedactionTest, NamesOfSeveralWordsAreFoundAmongOthers)
{
    const Redactor redactor;
    for (const auto* name :
        { "stripe_api_key_id", "myPrivateKey", "e-mail-address", "date_of_birth", "authTokenValue" })
        EXPECT_TRUE(redactor.hides(name)) << name;
    for (const auto* name : { "api", "key_api", "date_of", "birth_of_date", "", "--", "pinned" })
        EXPECT_FALSE(redactor.hides(name)) << name;
    EXPECT_FALSE(Redactor(std::vector<std::string>{ "", "-" }).hides("anything"));
}

// Of whatever length and number of words.
TEST(RedactionTest, LongNamesAreReadToTheirEnd)
{
    const Redactor redactor;
    for (const std::size_t words : { 1U, 8U, 9U, 40U, 5'000U }) {
        std::string name;
        for (std::size_t i = 0; i < words; ++i)
            name += i % 2 == 0 ? "order_" : "Line";
        EXPECT_FALSE(redactor.hides(name)) << words;
        EXPECT_TRUE(redactor.hides(name + "_card")) << words;
    }
    EXPECT_TRUE(redactor.hides(std::string(100'000, 'x') + "password"));
    EXPECT_FALSE(redactor.hides(std::string(100'000, 'x')));
}

} // namespace
} // namespace fencepost

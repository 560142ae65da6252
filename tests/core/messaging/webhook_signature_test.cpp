// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/messaging/webhook_signature.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

constexpr const char* text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr const char* otherText = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
constexpr const char* id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
constexpr const char* body = R"({"test": 2432232314})";
const Time at{ 1'614'265'330s };

WebhookSecret secret(std::string_view written)
{
    return WebhookSecret::parse(written).value();
}

WebhookVerifier verifier(std::vector<WebhookSecret> secrets, Duration tolerance = WebhookVerifier::usualTolerance)
{
    return WebhookVerifier::create(std::move(secrets), tolerance).value();
}

Headers sent(const std::vector<WebhookSecret>& secrets, Time when = at, const std::string& named = id)
{
    return signedHeaders(secrets, named, when, body).value();
}

} // namespace

// The vector of the specification's libraries.
TEST(WebhookSignature, IsThatOfStandardWebhooks)
{
    EXPECT_EQ(signatureOf({ secret(text) }, id, at, body), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    EXPECT_EQ(signatureOf({ secret(text) }, id, at + 999ms, body), signatureOf({ secret(text) }, id, at, body))
        << "whole seconds are signed";
    EXPECT_EQ(sent({ secret(text) }).at(1).second, "1614265330");
    EXPECT_EQ(verifier({ secret(text) }).check(sent({ secret(text) }), body, at), SignatureVerdict::Valid);
}

TEST(WebhookSignature, EveryAttemptIsSignedAnew)
{
    const auto first = sent({ secret(text) });
    const auto second = sent({ secret(text) }, at + 2h);
    EXPECT_EQ(first.at(0), second.at(0)) << "the id is the event's";
    EXPECT_NE(first.at(2), second.at(2));
    EXPECT_EQ(verifier({ secret(text) }).check(first, body, at + 2h), SignatureVerdict::TooOld);
    EXPECT_EQ(verifier({ secret(text) }).check(second, body, at + 2h), SignatureVerdict::Valid);
    EXPECT_EQ(verifier({ secret(text) }).checkKept(first, body), SignatureVerdict::Valid);
}

TEST(WebhookSignature, SecretsAreChangedWithoutAGap)
{
    const auto both = sent({ secret(otherText), secret(text) });
    for (const auto* known : { text, otherText })
        EXPECT_EQ(verifier({ secret(known) }).check(both, body, at), SignatureVerdict::Valid);
    EXPECT_EQ(
        verifier({ secret(otherText), secret(text) }).check(sent({ secret(text) }), body, at), SignatureVerdict::Valid);
    EXPECT_EQ(verifier({ secret(otherText) }).check(sent({ secret(text) }), body, at), SignatureVerdict::NoMatch);
}

TEST(WebhookSignature, EveryChangeOfWhatCameIsNoticed)
{
    const auto right = sent({ secret(text) });
    const auto judge = [&](const Headers& headers, std::string_view came = body) {
        return verifier({ secret(text) }).check(headers, came, at);
    };
    for (std::size_t i = 0; i < std::string_view(body).size(); ++i) {
        std::string changed = body;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        EXPECT_EQ(judge(right, changed), SignatureVerdict::NoMatch) << i;
    }
    const auto with = [&](std::size_t line, const std::string& value) {
        auto headers = right;
        headers[line].second = value;
        return judge(headers);
    };
    EXPECT_EQ(with(0, "msg_other"), SignatureVerdict::NoMatch);
    EXPECT_EQ(with(1, "1614265331"), SignatureVerdict::NoMatch);
    const auto signature = right[2].second;
    EXPECT_EQ(with(2, "v2," + signature.substr(3)), SignatureVerdict::NoMatch) << "a version that nobody knows";
    EXPECT_EQ(with(2, "v1a,xx v2,yy " + signature), SignatureVerdict::Valid);
    EXPECT_EQ(with(2, signature.substr(3)), SignatureVerdict::NoMatch);
    EXPECT_EQ(with(2, signature.substr(0, signature.size() - 1)), SignatureVerdict::NoMatch);
    EXPECT_EQ(with(2, ""), SignatureVerdict::NoMatch);
    EXPECT_EQ(with(2, "v1,"), SignatureVerdict::NoMatch);
    // "id.1" with the timestamp 6 and "id" with "1.6" would be one text.
    for (const auto* malformed : { "", "a.b", "two words", "tab\t", "\xc3\xa9" })
        EXPECT_EQ(with(0, malformed), SignatureVerdict::Malformed) << malformed;
    for (const auto* malformed :
        { "", "1614265330x", " 1614265330", "-5", "+1614265330", "1614265330.5", "0x60", "99999999999999999999" })
        EXPECT_EQ(with(1, malformed), SignatureVerdict::Malformed) << malformed;
    for (std::size_t line = 0; line < 3; ++line) {
        auto headers = right;
        headers.push_back(right[line]);
        EXPECT_EQ(judge(headers), SignatureVerdict::Missing) << "which of the two is it?";
        headers = right;
        headers.erase(headers.begin() + static_cast<std::ptrdiff_t>(line));
        EXPECT_EQ(judge(headers), SignatureVerdict::Missing);
        headers = right;
        headers[line].first[0] = 'W';
        EXPECT_EQ(judge(headers), SignatureVerdict::Valid) << "names of headers are in any case";
    }
}

TEST(WebhookSignature, TheToleranceHasTwoSidesAndAnEnd)
{
    const auto headers = sent({ secret(text) });
    const auto judge = [&](Duration late, Duration tolerance = 5min) {
        return verifier({ secret(text) }, tolerance).check(headers, body, at + late);
    };
    EXPECT_EQ(judge(5min), SignatureVerdict::Valid);
    EXPECT_EQ(judge(5min + 1us), SignatureVerdict::TooOld);
    EXPECT_EQ(judge(-5min), SignatureVerdict::Valid);
    EXPECT_EQ(judge(-5min - 1us), SignatureVerdict::TooNew);
    EXPECT_EQ(judge(2s, 1s), SignatureVerdict::TooOld);
    for (const Duration none : { Duration(0), Duration(-1s), Duration(24h + 1us) })
        EXPECT_FALSE(WebhookVerifier::create({ secret(text) }, none)) << "it would let nothing or everything through";
    EXPECT_FALSE(WebhookVerifier::create({}));
}

TEST(WebhookSignature, RefusesWhatIsNoSecretWithoutRepeatingIt)
{
    EXPECT_TRUE(WebhookSecret::parse("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
    for (const auto* written : { "", "whsec_", "whsec_AAAA", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", "whsec_!!!!",
             "whsec_"
             "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }) {
        const auto refused = WebhookSecret::parse(written);
        ASSERT_FALSE(refused) << written;
        EXPECT_EQ(refused.error().message.find("MfKQ"), std::string::npos);
    }
    EXPECT_FALSE(signedHeaders({}, id, at, body));
    EXPECT_FALSE(signedHeaders({ secret(text) }, "a.b", at, body));
    EXPECT_FALSE(signedHeaders({ secret(text) }, "", at, body));
}

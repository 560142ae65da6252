// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <gtest/gtest.h>

#include "core/protocol/fingerprint.h"

#define ZLIB_CONST
#include <zlib.h>

#include "core/protocol/content_coding.h"
#include "core/protocol/media_type.h"
#include "tests/core/protocol/json_samples.h"

using namespace fencepost;

namespace {

const std::string json = "application/json";

FingerprintRequest refund(std::string_view body = R"({"charge_id":"ch_1","amount":1000})")
{
    return { "POST", "/refunds", "", { { "Content-Type", json } }, body };
}

Bytes hashOf(const FingerprintRequest& request, const FingerprintProfile& profile = {})
{
    const auto print = fingerprint(request, profile);
    EXPECT_TRUE(print) << print.error().message;
    return print ? print->requestHash : Bytes();
}

std::string codeOf(const FingerprintRequest& request, const FingerprintProfile& profile = {})
{
    const auto print = fingerprint(request, profile);
    return print ? "none" : print.error().code;
}

Bytes digestOf(std::string_view type, std::string_view body, const FingerprintProfile& profile = {})
{
    const auto digest = bodyDigest(type, body, profile);
    EXPECT_TRUE(digest) << digest.error().message;
    return digest ? *digest : Bytes();
}

// windowBits as deflateInit2 has them: 31 gzip, 15 zlib, -15 bare.
Bytes compressed(std::string_view text, int windowBits)
{
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
    Bytes out(deflateBound(&stream, text.size()) + 32, '\0');
    stream.next_in = reinterpret_cast<const Bytef*>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string multipart(std::string_view boundary, const std::vector<std::string>& parts)
{
    std::string out = "ignored\r\n";
    for (const auto& part : parts)
        out.append("--").append(boundary).append("\r\n").append(part).append("\r\n");
    return out.append("--").append(boundary).append("--\r\nepilogue");
}

} // namespace

TEST(Fingerprint, IsTheDigestOfItsLines)
{
    auto request = refund();
    request.path = "/v1/./refunds%2d";
    request.query = "b=2&a=1";
    request.headers = { { "content-type", "Application/JSON; Charset=UTF-8; x=y" }, { "X-Tenant", " t1 " },
        { "Accept", "*/*" } };
    const FingerprintProfile profile{ .headers = { "X-Missing", "x-tenant" } };
    const auto body = sha256(R"({"amount":1000,"charge_id":"ch_1"})");
    const auto print = *fingerprint(request, profile);
    EXPECT_EQ(toHex(print.payloadHash), toHex(body));
    EXPECT_EQ(toHex(print.requestHash),
        toHex(
            sha256("idem-fp-v1\nPOST\n/v1/refunds-\na=1&b=2\napplication/json;charset=utf-8\nx-tenant: t1\n" + body)));
    EXPECT_EQ(fingerprint(refund())->alg, "v1");
    EXPECT_EQ(toHex(hashOf(refund())), toHex(sha256("idem-fp-v1\nPOST\n/refunds\n\napplication/json\n\n" + body)));
}

TEST(Fingerprint, EveryPartDecides)
{
    std::set<Bytes> hashes;
    const auto add = [&](auto change) {
        auto request = refund();
        change(request);
        hashes.insert(hashOf(request));
    };
    add([](auto&) {});
    add([](auto& request) { request.method = "PUT"; });
    add([](auto& request) { request.path = "/payments"; });
    add([](auto& request) { request.query = "dry=1"; });
    add([](auto& request) { request.headers = { { "Content-Type", "application/json;charset=utf-8" } }; });
    add([](auto& request) { request.headers.clear(); });
    add([](auto& request) { request.body = R"({"charge_id":"ch_1","amount":100000})"; });
    add([](auto& request) { request.body = ""; });
    EXPECT_EQ(hashes.size(), 8U);
}

TEST(Fingerprint, NoPartCanStandForAnother)
{
    auto first = refund();
    first.query = "a=1";
    auto second = refund();
    second.path = "/refunds%0Aa=1";
    EXPECT_NE(hashOf(first), hashOf(second));
    auto third = refund();
    third.headers.emplace_back("a", "x\nb: y");
    EXPECT_EQ(codeOf(third, { .headers = { "a", "b" } }), "VALIDATION.request");
}

TEST(Fingerprint, RefusesWhatIsNoRequest)
{
    auto request = refund();
    request.method = "PO ST";
    EXPECT_EQ(codeOf(request), "VALIDATION.request");
    request = refund();
    request.path = "refunds";
    EXPECT_EQ(codeOf(request), "VALIDATION.request");
    request = refund();
    request.headers.emplace_back("content-type", "text/plain");
    EXPECT_EQ(codeOf(request), "VALIDATION.request");
    request = refund(R"({"amount":1,"amount":2})");
    EXPECT_EQ(codeOf(request), "VALIDATION.body_not_ijson");
    request = refund("{");
    EXPECT_EQ(codeOf(request), "VALIDATION.body_not_ijson");
    request = refund();
    request.headers = { { "Content-Type", "json" } };
    EXPECT_EQ(codeOf(request), "VALIDATION.content_type");
    EXPECT_EQ(codeOf(refund(), { .longestBody = 10 }), "VALIDATION.body_too_large");
}

TEST(PayloadDigest, TellsPayloadsApartByWhatTheySay)
{
    const auto digest = payloadDigest(R"({"a":1,"b":[2]})");
    EXPECT_EQ(payloadDigest("{ \"b\": [2],\n\"a\": 1e0 }\n"), digest) << "as another producer writes it";
    EXPECT_NE(payloadDigest(R"({"a":1,"b":[3]})"), digest);
    for (const std::string octets : { "", "plain", "\"a\"", "{\"a\":1,\"a\":2}", "{\"a\":", "\xff{}" })
        EXPECT_EQ(payloadDigest(octets), sha256(octets)) << octets;
}

TEST(Fingerprint, ATagNamesWhatIsHashed)
{
    EXPECT_EQ(tagOf({}), "v1");
    EXPECT_EQ(tagOf({ .longestBody = 5 }), "v1");
    std::set<std::string> tags;
    for (const auto& profile : { FingerprintProfile{}, { .bodyOnly = true }, { .headers = { "a" } },
             { .headers = { "a", "b" } }, { .headers = { "b", "a" } }, { .pointers = { "/a" } },
             { .pointers = { "/a", "/b" } }, { .json = JsonBodies::Raw }, { .form = FormBodies::SortedPairs } })
        tags.insert(tagOf(profile));
    EXPECT_EQ(tags.size(), 9U);
    EXPECT_EQ(tagOf({ .headers = { "A" }, .pointers = { "/b", "/a" } }),
        tagOf({ .headers = { "a" }, .pointers = { "/a", "/b" } }));
}

TEST(Fingerprint, ARowOfAnotherProfileIsComparedByThatOne)
{
    const std::vector<FingerprintProfile> profiles{ {}, { .bodyOnly = true }, { .pointers = { "/amount" } } };
    Record stored;
    for (const auto& profile : profiles) {
        const auto print = *fingerprint(refund(), profile);
        stored.fingerprintAlg = print.alg;
        stored.requestHash = print.requestHash;
        EXPECT_TRUE(*isSameRequest(stored, refund(), profiles)) << print.alg;
        EXPECT_FALSE(*isSameRequest(stored, refund(R"({"charge_id":"ch_1","amount":9})"), profiles)) << print.alg;
    }
    EXPECT_TRUE(*isSameRequest(stored, refund(R"({"charge_id":"other","amount":1e3})"), profiles));
    stored.fingerprintAlg = "v9";
    EXPECT_EQ(isSameRequest(stored, refund(), profiles).error().failure, Failure::Unsupported);
}

TEST(BodyDigest, OfJsonKnowsNoSpelling)
{
    SeededRandom random(8);
    for (int i = 0; i < 300; ++i) {
        const auto sample = test::randomSample(random);
        ASSERT_EQ(digestOf(json, test::spell(sample, random)),
            digestOf("application/problem+json", test::spell(sample, random)));
    }
    EXPECT_NE(digestOf(json, "{\"a\":1,\"A\":2}"), digestOf(json, "{\"a\":2,\"A\":1}"));
    EXPECT_EQ(digestOf(json, "{\"a\":1,\"A\":2}"), digestOf(json, "{\"A\":2,\"a\":1}"));
    EXPECT_NE(digestOf(json, "[1,2]"), digestOf(json, "[2,1]"));
}

TEST(BodyDigest, TakesOctetsWhereThereIsNoDocument)
{
    const std::string mark = "\xef\xbb\xbf{\"b\":1,\"a\":2}";
    EXPECT_EQ(digestOf(json, mark), sha256(mark));
    for (const auto* bad : { R"({"a":1,"a":2})", R"({"a":"\ud800"})", R"({"a":1e400})", "{\"a\":\"\xff\"}" })
        EXPECT_FALSE(bodyDigest(json, std::string("\xef\xbb\xbf") + bad)) << bad;
    EXPECT_FALSE(bodyDigest(json, "\xef\xbb\xbf" + std::string(1000, '[') + std::string(1000, ']')));
    EXPECT_EQ(digestOf(json, ""), sha256(""));
    EXPECT_EQ(digestOf("text/plain", "{ }"), sha256("{ }"));
    EXPECT_EQ(digestOf("application/octet-stream", "\xff"), sha256("\xff"));
    EXPECT_EQ(digestOf(json, "{ }", { .json = JsonBodies::Raw }), sha256("{ }"));
    EXPECT_FALSE(bodyDigest(json, "\xff"));
}

TEST(BodyDigest, ExaminesABodyWithoutAType)
{
    EXPECT_EQ(*bodyDigest(std::nullopt, " {\"b\":1, \"a\":2}"), sha256("{\"a\":2,\"b\":1}"));
    EXPECT_EQ(*bodyDigest(std::nullopt, "{hello}"), sha256("{hello}"));
    EXPECT_EQ(*bodyDigest(std::nullopt, " 1.0"), sha256(" 1.0"));
    EXPECT_EQ(bodyDigest(std::nullopt, R"({"a":1,"a":1})").error().code, "VALIDATION.body_not_ijson");
}

TEST(BodyDigest, OfASubsetReadsThePartsAlone)
{
    const FingerprintProfile amount{ .pointers = { "/amount", "/items/0/id" } };
    const auto first = digestOf(json, R"({"amount":10.0,"items":[{"id":"a"}],"sent_at":1})", amount);
    EXPECT_EQ(first, digestOf(json, R"({"sent_at":2,"items":[{"x":0,"id":"a"},1],"amount":1e1})", amount));
    EXPECT_EQ(first, sha256(R"({"/amount":10,"/items/0/id":"a"})"));
    EXPECT_NE(first, digestOf(json, R"({"amount":10,"items":[]})", amount));
    EXPECT_NE(first, digestOf(json, R"({"amount":null,"items":[{"id":"a"}]})", amount));
    EXPECT_EQ(first,
        digestOf(
            json, R"({"amount":10,"items":[{"id":"a"}]})", { .pointers = { "/items/0/id", "/amount", "/amount" } }));
    EXPECT_EQ(bodyDigest(json, R"({"total":1})", amount).error().code, "VALIDATION.request");
    EXPECT_FALSE(bodyDigest(json, "{}", { .pointers = { "amount" } }));
    EXPECT_NE(digestOf(json, "{\"amount\":9007199254740993}", amount),
        digestOf(json, "{\"amount\":9007199254740992}", amount));
    const auto print = *fingerprint(refund(), { .pointers = { "/amount" } });
    EXPECT_EQ(print.payloadHash, fingerprint(refund())->payloadHash);
}

TEST(BodyDigest, OfAFormSortsItsPairsWhereTheProfileSaysSo)
{
    const std::string form = "application/x-www-form-urlencoded; charset=utf-8";
    const FingerprintProfile sorted{ .form = FormBodies::SortedPairs };
    EXPECT_EQ(digestOf(form, "b=2&a=x+y", sorted), digestOf(form, "a=x%20y&b=2", sorted));
    EXPECT_NE(digestOf(form, "a=1&a=2", sorted), digestOf(form, "a=1", sorted));
    EXPECT_EQ(digestOf(form, "b=2&a=x+y"), sha256("b=2&a=x+y"));
}

TEST(BodyDigest, OfAMultipartBodyForgetsTheBoundary)
{
    const std::vector<std::string> parts{ "Content-Disposition: form-data; name=\"a\"\r\n\r\n1",
        "content-type: text/plain\r\nContent-Disposition: form-data; name=\"f\";\r\n "
        "filename=\"x\"\r\n\r\nline\r\n--no\r\n" };
    const auto first = digestOf("multipart/form-data; boundary=xyz", multipart("xyz", parts));
    EXPECT_EQ(first, digestOf("Multipart/Form-Data; boundary=\"b o\"", multipart("b o", parts)));
    EXPECT_NE(first, digestOf("multipart/form-data; boundary=xyz", multipart("xyz", { parts[1], parts[0] })));
    EXPECT_NE(first, digestOf("multipart/form-data; boundary=xyz", multipart("xyz", { parts[0] })));
    EXPECT_NE(digestOf("multipart/mixed; boundary=b", multipart("b", { "\r\na", "\r\nb" })),
        digestOf("multipart/mixed; boundary=b", multipart("b", { "\r\nab", "\r\n" })));
    EXPECT_EQ(digestOf("multipart/mixed; boundary=b", "--b\r\n\r\nx\r\n--bb\r\n--b--"),
        digestOf("multipart/mixed; boundary=c", "--c \t\r\n\r\nx\r\n--bb\r\n--c--"));
    for (const auto* body :
        { "--b\r\n\r\nx", "x", "--b\r\nname\r\n\r\n--b--", "--b\r\n--b--", "--b\r\n\r\nx\r\n--b\r\n" })
        EXPECT_EQ(bodyDigest("multipart/mixed; boundary=b", body).error().code, "VALIDATION.multipart") << body;
    EXPECT_FALSE(bodyDigest("multipart/mixed", "--b--"));
    EXPECT_FALSE(bodyDigest("multipart/mixed; boundary=" + std::string(71, 'b'), "--b--"));
}

TEST(ContentCoding, IsRemovedBeforeHashing)
{
    const std::string body = R"({"amount":1000,"charge_id":"ch_1"})";
    for (const auto& [coding, bits] :
        { std::pair("gzip", 31), { "X-GZIP", 31 }, { "deflate", 15 }, { "deflate", -15 } }) {
        const auto encoded = compressed(body, bits);
        auto request = refund(encoded);
        request.headers.emplace_back("Content-Encoding", coding);
        EXPECT_EQ(hashOf(request), hashOf(refund())) << coding;
    }
    const auto twice = compressed(compressed(body, 15), 31);
    EXPECT_EQ(*decodeContent("deflate, identity ,gzip", twice, 1000), body);
    EXPECT_EQ(*decodeContent("gzip", compressed("ab", 31) + compressed("c", 31), 1000), "abc");
    EXPECT_EQ(*decodeContent("", body, 1000), body);
}

TEST(ContentCoding, IsBoundedAndChecked)
{
    const auto bomb = compressed(std::string(50'000'000, '\0'), 31);
    EXPECT_LT(bomb.size(), 300'000U);
    EXPECT_EQ(decodeContent("gzip", bomb, 1U << 20U).error().code, "VALIDATION.body_too_large");
    EXPECT_EQ(
        decodeContent("gzip", compressed(std::string(100, 'x'), 31), 99).error().code, "VALIDATION.body_too_large");
    EXPECT_TRUE(decodeContent("gzip", compressed(std::string(100, 'x'), 31), 100));
    EXPECT_EQ(decodeContent("", "xxx", 2).error().code, "VALIDATION.body_too_large");
    const auto good = compressed("hello hello", 31);
    auto damaged = good;
    damaged[good.size() - 6] = static_cast<char>(damaged[good.size() - 6] ^ 1);
    for (const auto& body : { std::string(), std::string("x"), good.substr(0, good.size() - 1), good + "x", damaged })
        EXPECT_EQ(decodeContent("gzip", body, 1000).error().code, "VALIDATION.content_encoding");
    EXPECT_FALSE(decodeContent("deflate", compressed("a", 15) + "x", 1000));
    EXPECT_EQ(decodeContent("br", "x", 1000).error().failure, Failure::Unsupported);
    EXPECT_EQ(decodeContent("gzip,gzip,gzip,gzip,gzip", "x", 1000).error().failure, Failure::Unsupported);
}

TEST(MediaType, IsAnEssenceAndItsCharset)
{
    const auto canonicalOf = [](std::string_view text) {
        const auto type = parseMediaType(text);
        return type ? canonical(*type) : "refused";
    };
    EXPECT_EQ(canonicalOf(" Application/JSON ; q=\"a\\\"b\" ; Charset=\"UTF-8\" ; "), "application/json;charset=utf-8");
    EXPECT_EQ(canonicalOf("text/plain"), "text/plain");
    EXPECT_EQ(parseMediaType("multipart/mixed; boundary=\"A b\"")->boundary, "A b");
    for (const auto* text :
        { "", "json", "/json", "a/", "a/b c", "a/b;x", "a/b;x=", "a/b;x=\"", "a/b;charset=a;charset=b", "a/b,c/d" })
        EXPECT_EQ(canonicalOf(text), "refused") << text;
    EXPECT_TRUE(isJson(*parseMediaType("application/vnd.api+json")));
    EXPECT_FALSE(isJson(*parseMediaType("application/jsonl")));
}

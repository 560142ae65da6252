// SPDX-License-Identifier: GPL-3.0-or-later
#include <QUrl>
#include <gmock/gmock.h>

#include "app/lab/request_head.h"
#include "app/lab/routes.h"
#include "core/random.h"

namespace fencepost::app {

namespace {

int statusOf(const std::string& head)
{
    const auto parsed = parseHead(head + "\r\n\r\n");
    const auto* refusal = std::get_if<HttpResponse>(&parsed);
    return refusal == nullptr ? 200 : refusal->status;
}

TEST(RequestHead, KeepsEveryLineAsItCame)
{
    const auto parsed =
        parseHead("POST /refunds?dry=1 HTTP/1.1\r\nHost: lab\r\nIdempotency-Key: a%3Ab \r\nX-A:1\r\nx-a:  2\r\n"
                  "Content-Length: 12\r\nExpect: 100-continue\r\n\r\n");
    const auto* head = std::get_if<RequestHead>(&parsed);
    ASSERT_NE(head, nullptr);
    EXPECT_EQ(head->request.method, "POST");
    EXPECT_EQ(head->request.target, "/refunds?dry=1");
    EXPECT_EQ(lineOf(head->request.headers, "idempotency-key"), "a%3Ab");
    EXPECT_EQ(linesOf(head->request.headers, "X-A").size(), 2U);
    EXPECT_EQ(head->framing, Framing::Length);
    EXPECT_EQ(head->length, 12U);
    EXPECT_TRUE(head->keepAlive);
    EXPECT_TRUE(head->expectsContinue);
}

TEST(RequestHead, RefusesWhatIsAmbiguous)
{
    EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost: a"), 200);
    EXPECT_EQ(statusOf("GET / HTTP/1.0"), 200);
    for (const auto* absolute : { "GET http://a HTTP/1.1\r\nHost: a", "GET HTTP://a:80/b HTTP/1.1\r\nHost: a",
             "GET http://a?b=c HTTP/1.1\r\nHost: a" })
        EXPECT_EQ(statusOf(absolute), 200) << absolute;
    for (const auto* head : { "GET / HTTP/1.1", "GET / HTTP/1.1\r\nHost: a\r\nHost: b", "GET /\r\nHost: a",
             "GET http:///b HTTP/1.1\r\nHost: a", "GET ftp://a/b HTTP/1.1\r\nHost: a",
             "GET http://a/b#c HTTP/1.1\r\nHost: a", "GET /a b HTTP/1.1\r\nHost: a", "G(T / HTTP/1.1\r\nHost: a",
             "GET / HTTP/1.1\r\nHost: a\r\nX : 1", "GET / HTTP/1.1\r\nHost: a\r\n: 1",
             "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: b\r\nAuthorization: c", "GET / HTTP/1.1\r\nHost: a\r\n X: 1",
             "GET / HTTP/1.1\r\nHost: a\r\nX: \x01", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length:",
             "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 2", "GET / HTTP/1.1\nHost: a",
             "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked" })
        EXPECT_EQ(statusOf(head), 400) << head;
}

TEST(RequestHead, ReadsAChunkedBodyHoweverItIsCut)
{
    const std::string wire = "4;a=b\r\nWiki\r\n5\r\npedia\r\nE\r\n in\r\n\r\nchunks.\r\n0\r\nA: b\r\n\r\nNEXT";
    SeededRandom random(5);
    for (int round = 0; round < 500; ++round) {
        ChunkReader reader(100);
        Bytes body;
        std::string input;
        auto state = ChunkReader::State::More;
        for (std::size_t at = 0; at < wire.size();) {
            const auto piece = 1 + random.below(8);
            input += wire.substr(at, piece);
            at += piece;
            if (state == ChunkReader::State::Done)
                continue;
            std::string_view rest = input;
            state = reader.read(rest, body);
            input.erase(0, input.size() - rest.size());
        }
        EXPECT_EQ(state, ChunkReader::State::Done);
        EXPECT_EQ(body, "Wikipedia in\r\n\r\nchunks.");
        EXPECT_EQ(input, "NEXT");
    }
}

TEST(RequestHead, StopsChunksThatAreTooLongOrMalformed)
{
    const auto stateOf = [](std::string_view wire) {
        ChunkReader reader(10);
        Bytes body;
        return reader.read(wire, body);
    };
    EXPECT_EQ(stateOf("b\r\n"), ChunkReader::State::TooLong);
    EXPECT_EQ(stateOf("8\r\n12345678\r\n3\r\n"), ChunkReader::State::TooLong);
    EXPECT_EQ(stateOf("ffffffffffffffff\r\n"), ChunkReader::State::TooLong);
    for (const auto* wire : { "fffffffffffffffff\r\n", "-1\r\n", "0x5\r\n", "\r\n", "5\n", "1\r\nab\r\n" })
        EXPECT_EQ(stateOf(wire), ChunkReader::State::Malformed) << wire;
    EXPECT_EQ(stateOf(std::string(300, '1')), ChunkReader::State::Malformed);
}

// Whatever comes, it is taken or refused.
TEST(RequestHead, SurvivesEverything)
{
    SeededRandom random(11);
    const std::string words[] = { "GET", " ", "/", "HTTP/1.1", "\r\n", "\n", "\r", ":", "Host", "Content-Length",
        "Transfer-Encoding", "chunked", "5", "\t", std::string(1, '\0'), "\xff", ",", "%" };
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (auto length = random.below(30); length > 0; --length)
            text += words[random.below(std::size(words))];
        const auto parsed = parseHead(text + "\r\n\r\n");
        const auto* refusal = std::get_if<HttpResponse>(&parsed);
        EXPECT_TRUE(refusal == nullptr || refusal->status >= 400);
        ChunkReader reader(1000);
        Bytes body;
        std::string_view rest = text;
        static_cast<void>(reader.read(rest, body));
        EXPECT_LE(body.size(), 1000U);
    }
}

TEST(Routes, MatchWholePathsAndGiveTheirNames)
{
    EXPECT_EQ(matched("/refunds/{id}/void", "/refunds/rf_1/void"), std::vector<std::string>{ "rf_1" });
    EXPECT_EQ(
        matched("/operations/{operation}/{key}", "/operations/a/b%2Fc"), (std::vector<std::string>{ "a", "b/c" }));
    for (const auto* path :
        { "/refunds", "/refunds/", "/refunds//void", "/refunds/rf_1/void/", "/refunds/rf_1/voids", "", "*" })
        EXPECT_FALSE(matched("/refunds/{id}/void", path)) << path;
    const RecordId id{ "s", "refund.create", "a b/c%" };
    EXPECT_EQ(operationUrl(id), "/operations/refund.create/a%20b%2Fc%25");
    EXPECT_EQ(decodedSegment("a%20b%2Fc%25"), id.key);
    for (const auto* key : { ".", "..", ";", ".;", "..;", "...", "a." }) {
        const auto url = operationUrl({ "s", "refund.create", key });
        EXPECT_EQ(QUrl(QStringLiteral("http://host") + QString::fromStdString(url))
                      .adjusted(QUrl::NormalizePathSegments)
                      .path(QUrl::FullyEncoded)
                      .toStdString(),
            url)
            << "whoever follows it must not leave the folder";
        EXPECT_THAT(matched("/operations/{operation}/{key}", withoutMark(url)),
            ::testing::Optional(::testing::ElementsAre("refund.create", key)));
    }
    EXPECT_EQ(decodedSegment("%zz%4"), "%zz%4");
}

} // namespace

} // namespace fencepost::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/e2e/lab_fixture.h"

namespace fencepost::test {

namespace {

class LabInputTest : public LabTest {
protected:
    // What one connection hears to these octets, and whether it is closed behind the answer.
    WireAnswer raw(const std::string& octets)
    {
        Wire wire(port);
        wire.send(octets);
        auto answer = wire.receive();
        EXPECT_TRUE(wire.isClosed());
        return answer;
    }
    const std::string start10 =
        "POST /payments HTTP/1.1\r\nHost: lab\r\nIdempotency-Key: k-1\r\nContent-Type: application/json\r\n";
};

INSTANTIATE_TEST_SUITE_P(Lab, LabInputTest, ::testing::Values(store::Dialect::Sqlite), nameOfDialect);

TEST_P(LabInputTest, RefusesTenGigabytesBeforeTheyAreSent)
{
    start();
    // Not one octet of the body follows: only an answer to the head can come.
    const auto answer = raw(start10 + "Content-Length: 10000000000\r\n\r\n");
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(answer.code(), "VALIDATION.body_too_large");
    const auto expecting = raw(start10 + "Expect: 100-continue\r\nContent-Length: 99999999999999999999999\r\n\r\n");
    EXPECT_EQ(expecting.status, 413) << "and not 100 first";
    EXPECT_EQ(entries("payment"), 0);
}

TEST_P(LabInputTest, StopsReadingAnEndlessChunkedBody)
{
    start();
    Wire wire(port);
    wire.send(start10 + "Transfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
    for (int i = 0; i < 64; ++i)
        wire.send(chunk);
    const auto answer = wire.receive();
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(answer.json(), raw(start10 + "Content-Length: 10000000000\r\n\r\n").json()) << "as of one with a length";
    EXPECT_EQ(answer.json().value("instance", ""), "/payments");
}

TEST_P(LabInputTest, ReadsAChunkedBodyOfTheRightLength)
{
    start();
    Wire wire(port);
    wire.send(start10 + "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(wire.receive().status, 100);
    wire.send("e;name=value\r\n{\"amount\":1000\r\n11\r\n,\"currency\":\"EUR\"\r\n1\r\n}\r\n0\r\nTrailer: x\r\n\r\n");
    const auto answer = wire.receive();
    EXPECT_EQ(answer.status, 201) << answer.body;
    // The same body in one piece is the same request.
    EXPECT_EQ(post("/payments", "k-1", R"({"amount":1000,"currency":"EUR"})").body, answer.body);
}

TEST_P(LabInputTest, RefusesWhatTwoReadersWouldReadDifferently)
{
    start();
    const std::string body = R"({"amount":1,"currency":"EUR"})";
    const auto length = std::to_string(body.size());
    const std::vector<std::string> smuggled = {
        start10 + "Content-Length: " + length + "\r\nContent-Length: 5\r\n\r\n" + body,
        start10 + "Content-Length: " + length + "\r\nContent-Length: " + length + "\r\n\r\n" + body,
        start10 + "Content-Length: " + length + ", " + length + "\r\n\r\n" + body,
        start10 + "Content-Length: +" + length + "\r\n\r\n" + body,
        start10 + "Content-Length: 0x1d\r\n\r\n" + body,
        start10 + "Content-Length: " + length + "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        start10 + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        start10 + "Content-Length : " + length + "\r\n\r\n" + body,
        start10 + "Content-Length: " + length + "\n\r\n" + body,
        start10 + "Content-Length:\r\n " + length + "\r\n\r\n" + body,
        start10 + "X: a\rb\r\nContent-Length: " + length + "\r\n\r\n" + body,
        start10 + "Host: other\r\nContent-Length: " + length + "\r\n\r\n" + body,
        start10 + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        "POST /payments HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST  /payments HTTP/1.1\r\nHost: lab\r\n\r\n",
    };
    for (const auto& octets : smuggled) {
        const auto answer = raw(octets + "GET /ledger HTTP/1.1\r\nHost: lab\r\n\r\n");
        EXPECT_EQ(answer.status, 400) << octets;
        EXPECT_EQ(answer.header("Connection"), "close") << octets;
    }
    EXPECT_EQ(raw(start10 + "Transfer-Encoding: gzip\r\n\r\n").status, 501);
    EXPECT_EQ(raw("GET / HTTP/2.0\r\nHost: lab\r\n\r\n").status, 505);
    EXPECT_EQ(raw("GET /ledger HTTP/1.1\r\nHost: lab\r\nX: " + std::string(20'000, 'x')).status, 431);
    EXPECT_EQ(entries("payment"), 0);
}

TEST_P(LabInputTest, RefusesBodiesThatAreNoIJson)
{
    start();
    const std::string nested = std::string(1000, '[') + std::string(1000, ']');
    const std::string huge = R"({"amount":1)" + std::string(400, '0') + R"(,"currency":"EUR"})";
    for (const auto& body : { std::string("{\"amount\":1,\"currency\":\"\xff\xfe\"}"), nested, huge,
             std::string(R"({"amount":1,"amount":2,"currency":"EUR"})"), std::string("{\"amount\":1e400}"),
             std::string("{\"reference\":\"\\ud800\"}"), std::string("{") }) {
        const auto answer = post("/payments", "bad-body", body);
        EXPECT_EQ(answer.status, 400) << body.substr(0, 60);
        EXPECT_EQ(answer.code(), "VALIDATION.body_not_ijson") << answer.body;
    }
    // Nothing of it was kept under the key.
    EXPECT_EQ(post("/payments", "bad-body", R"({"amount":1,"currency":"EUR"})").header("Idempotency-Status"), "stored");
}

TEST_P(LabInputTest, RefusesKeysAndMediaTypesByTheHead)
{
    start();
    const std::string body = R"({"amount":1,"currency":"EUR"})";
    EXPECT_EQ(ask("POST", "/payments", {}, body).code(), "missing_idempotency_key");
    EXPECT_EQ(post("/payments", std::string(129, 'k'), body).code(), "VALIDATION.idempotency_key");
    EXPECT_EQ(post("/payments", "a", body, { { "Idempotency-Key", "a" } }).code(), "VALIDATION.idempotency_key");
    const auto headed = [&](const std::string& lines, const std::string& content) {
        return raw("POST /payments HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n" + lines
            + "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content);
    };
    EXPECT_EQ(headed("Idempotency-Key: k\r\nContent-Type: text/plain\r\n", "a=1").status, 415);
    // What curl calls a form, and what nobody calls anything, is JSON where it can be read as such.
    for (const auto* type : { "Content-Type: application/x-www-form-urlencoded\r\n", "" }) {
        const auto line = std::string("Idempotency-Key: of") + (*type == '\0' ? "none" : "form") + "\r\n" + type;
        EXPECT_EQ(headed(line, "a=1").status, 400);
        EXPECT_EQ(headed(line, body).header("Idempotency-Status"), "stored");
        EXPECT_EQ(headed(line + (*type == '\0' ? "Content-Type: application/json\r\n" : ""), body)
                      .header("Idempotency-Status"),
            "replayed");
    }
    EXPECT_EQ(headed("Idempotency-Key: empty\r\nContent-Type: application/json\r\n", "").status, 400);
    EXPECT_EQ(post("/payments", "empty", body).header("Idempotency-Status"), "stored") << "nothing was kept of it";
    EXPECT_EQ(raw("POST http://127.0.0.1/payments HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n"
                  "Idempotency-Key: absolute\r\n"
                  "Content-Type: application/json\r\nContent-Length: "
                  + std::to_string(body.size()) + "\r\n\r\n" + body)
                  .status,
        201);
    // An answer to HEAD has no body, whatever it says.
    Wire headless(port);
    headless.send("HEAD /payments HTTP/1.1\r\nHost: lab\r\n\r\nHEAD /nope HTTP/1.1\r\nHost: lab\r\n\r\n");
    EXPECT_THAT(headless.rest(), ::testing::EndsWith("\r\n\r\n"));
    // The key is looked at first.
    EXPECT_EQ(raw("POST /payments HTTP/1.1\r\nHost: lab\r\nConnection: close\r\nContent-Length: 3\r\n\r\na=1").code(),
        "missing_idempotency_key");
    // Octets are the key, not what they might stand for.
    const auto first = post("/payments", "a%3Ab", body);
    const auto second = post("/payments", "a:b", body);
    EXPECT_EQ(first.header("Idempotency-Status"), "stored");
    EXPECT_EQ(second.header("Idempotency-Status"), "stored");
    EXPECT_EQ(post("/payments", "\"a:b\"", body).body, second.body);
}

TEST_P(LabInputTest, ServesSeveralRequestsOnOneConnection)
{
    start();
    Wire wire(port);
    const std::string body = R"({"amount":1,"currency":"EUR"})";
    wire.send(wireRequest("POST", "/payments", { { "Idempotency-Key", "k-1" } }, body)
        + wireRequest("GET", "/ledger", {}, "") + wireRequest("HEAD", "/ledger", { { "Connection", "close" } }, ""));
    EXPECT_EQ(wire.receive().status, 201);
    EXPECT_EQ(wire.receive().json()["entries"].size(), 1U);
    EXPECT_EQ(wire.receive().status, 200);
    EXPECT_TRUE(wire.isClosed());
}

// Whatever keeps it from serving is found before there are tables.
TEST_P(LabInputTest, ChangesNothingWhereItCannotListen)
{
    start();
    for (const auto& [words, code] : { std::pair(QStringLiteral("--port %1").arg(port), 1),
             std::pair(QStringLiteral("--listen nowhere"), 2), std::pair(QStringLiteral("--log missing/log"), 2) }) {
        QProcess second;
        second.setWorkingDirectory(database.folder());
        second.start(QStringLiteral(FENCEPOST_LAB),
            QStringList{ QStringLiteral("--db"), QStringLiteral("sqlite:second.db") } + words.split(QLatin1Char(' ')));
        ASSERT_TRUE(second.waitForFinished(60'000));
        EXPECT_EQ(second.exitCode(), code) << words.toStdString();
        EXPECT_THAT(second.readAllStandardError().toStdString(), ::testing::HasSubstr("Nothing was changed."))
            << words.toStdString();
        EXPECT_FALSE(QFile::exists(database.folder() + QStringLiteral("/second.db"))) << words.toStdString();
    }
}

TEST(LabArguments, AreRefusedWhereTheyMeanNothing)
{
    for (const auto* words : { "--mode both", "--effect local --db nowhere:x", "--db sqlite:x.db --effect external",
             "--db sqlite:x.db --fault crash", "--db sqlite:x.db --fault nothing@p1", "--db sqlite:x.db --lease -1s",
             "" }) {
        QProcess lab;
        lab.start(QStringLiteral(FENCEPOST_LAB), QString::fromUtf8(words).split(QLatin1Char(' '), Qt::SkipEmptyParts));
        ASSERT_TRUE(lab.waitForFinished(60'000));
        EXPECT_EQ(lab.exitCode(), 2) << words;
        EXPECT_NE(lab.readAllStandardError(), "") << words;
    }
    for (const auto* option : { "--db", "--policy", "--webhook", "--events", "--fault", "--listen" })
        for (const auto& words : { QStringList{ QString::fromUtf8(option), QString() },
                 QStringList{ QString::fromUtf8(option) + QLatin1Char('=') } }) {
            QProcess lab;
            lab.start(QStringLiteral(FENCEPOST_LAB), words);
            ASSERT_TRUE(lab.waitForFinished(60'000));
            EXPECT_EQ(lab.exitCode(), 2) << option;
            EXPECT_THAT(lab.readAllStandardError().toStdString(),
                ::testing::HasSubstr(std::string(option) + ": its value is empty"));
        }
    QProcess help;
    help.start(QStringLiteral(FENCEPOST_LAB), { QStringLiteral("--help") });
    ASSERT_TRUE(help.waitForFinished(60'000));
    const auto text = help.readAllStandardOutput().toStdString();
    for (const auto* word : { "crash@pN", "p9", "Fencepost-Fault", "--in-flight", "/refunds/{id}/void" })
        EXPECT_THAT(text, ::testing::HasSubstr(word));
}

} // namespace

} // namespace fencepost::test

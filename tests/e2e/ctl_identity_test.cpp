// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <QTemporaryDir>

#include "core/protocol/fingerprint.h"
#include "core/protocol/keys.h"
#include "tests/e2e/ctl_fixture.h"

using namespace fencepost;
using namespace fencepost::test;

namespace {

CtlRun run(const QStringList& arguments, const QByteArray& input = {})
{
    QProcess process;
    process.start(QStringLiteral(FENCEPOSTCTL), arguments);
    EXPECT_TRUE(process.waitForStarted());
    process.write(input);
    process.closeWriteChannel();
    EXPECT_TRUE(process.waitForFinished(120'000));
    return { process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
        process.readAllStandardOutput().toStdString(), process.readAllStandardError().toStdString() };
}

QStringList words(const char* text)
{
    return QString::fromUtf8(text).split(QLatin1Char(' '));
}

void writeBody(const QString& path, const QByteArray& content)
{
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(content);
}

class CtlKeyTest : public CtlTest {
protected:
    CtlRun reserve(const QString& key, const QStringList& more)
    {
        return ctl(words("key reserve --scope pay --operation charge --key") + QStringList{ key } + more);
    }
    CtlRun reserveBody(const QString& key, const QByteArray& body, const QStringList& more = {})
    {
        writeBody(path("body"), body);
        return reserve(key, QStringList{ QStringLiteral("--body"), path("body") } + more);
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, CtlKeyTest, bothDialects(), nameOfDialect);

} // namespace

TEST(CtlIdentity, CanonWritesTheCanonicalOctetsAndNothingElse)
{
    const auto canonical = run({ QStringLiteral("canon") }, " {\"b\" : 1.0,\n\"a\":\"\\u20ac\"} ");
    EXPECT_EQ(canonical.code, 0);
    EXPECT_EQ(canonical.out, "{\"a\":\"€\",\"b\":1}");
    const auto object = run(words("--json canon"), "[1e400]");
    EXPECT_EQ(object.code, 1);
    EXPECT_EQ(object.json()["error"]["code"], "VALIDATION.body_not_ijson");
    const auto twice = run({ QStringLiteral("canon") }, R"({"a":1,"a":2})");
    EXPECT_EQ(twice.code, 1);
    EXPECT_EQ(twice.out, "");
    EXPECT_NE(twice.err.find("the member \"a\" appears twice"), std::string::npos) << twice.err;
}

TEST(CtlIdentity, CanonTakesALargeBody)
{
    QByteArray body("[");
    while (body.size() < 20'000'000)
        body += "{\"b\":1,\"a\":2},";
    body += "null]";
    const auto canonical = run({ QStringLiteral("canon") }, body);
    EXPECT_EQ(canonical.code, 0);
    EXPECT_EQ(canonical.out.size(), static_cast<std::size_t>(body.size()));
    EXPECT_EQ(canonical.out.substr(0, 28), R"([{"a":2,"b":1},{"a":2,"b":1})");
}

TEST(CtlIdentity, FingerprintIsTheOneOfTheCore)
{
    const std::string body = R"({"amount":1000})";
    const FingerprintRequest request{ "POST", "/refunds", "a=1&b=2",
        { { "Content-Type", "application/json" }, { "X-Tenant", "t" } }, body };
    const auto expected = toHex(fingerprint(request, { .headers = { "x-tenant" } })->requestHash) + '\n';
    const auto arguments =
        words("fingerprint --method POST --content-type application/json --header X-Tenant:t --path");
    EXPECT_EQ(run(arguments + words("/refunds --query b=2&a=1"), R"( {"amount" : 1e3} )").out, expected);
    EXPECT_EQ(run(arguments + words("/refunds?a=1&b=2"), body.c_str()).out, expected);
    EXPECT_NE(run(arguments + words("/refunds?a=1&b=3"), body.c_str()).out, expected);
}

TEST(CtlIdentity, FingerprintOfPointersReadsThosePartsAlone)
{
    const auto arguments = words("fingerprint --method POST --path /refunds --pointer /amount --pointer /to/id");
    const auto first = run(arguments, R"({"amount":1,"to":{"id":2},"at":3})");
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(run(arguments, R"({"at":4,"to":{"id":2},"amount":1})").out, first.out);
    EXPECT_NE(run(arguments, R"({"amount":1,"to":{"id":3}})").out, first.out);
}

// Whoever believes that a part decides must not be given the fingerprint of the whole.
TEST(CtlIdentity, PointersIntoABodyThatIsNoJsonAreRefused)
{
    const auto arguments =
        words("fingerprint --method POST --path /refunds --pointer /amount --content-type text/plain");
    const auto made = run(arguments, R"({"amount":1})");
    EXPECT_EQ(made.code, 1) << made.out;
    EXPECT_EQ(made.out, "");
    EXPECT_NE(made.err.find("--pointer selects parts of a JSON body"), std::string::npos) << made.err;
    EXPECT_EQ(run(words("fingerprint --method POST --path /refunds --pointer /amount"), "amount=1").code, 1);
    const QTemporaryDir folder;
    writeBody(folder.filePath(QStringLiteral("a")), R"({"amount":1})");
    writeBody(folder.filePath(QStringLiteral("b")), "amount=1");
    const auto explained = run(words("fingerprint explain --pointer /amount")
        + QStringList{ folder.filePath(QStringLiteral("a")), folder.filePath(QStringLiteral("b")) });
    EXPECT_EQ(explained.code, 1) << explained.out;
    EXPECT_NE(explained.err.find("/b: --pointer"), std::string::npos) << explained.err;
}

TEST(CtlIdentity, FingerprintRefusesWhatItCannotHash)
{
    EXPECT_EQ(run(words("fingerprint --path /x")).code, 2);
    EXPECT_EQ(run(words("fingerprint --method POST --path /x --header novalue")).code, 2);
    EXPECT_EQ(run(words("fingerprint --method POST --path /x"), R"({"a":1,"a":2})").code, 1);
    EXPECT_EQ(run(words("fingerprint --method POST --path /x --content-type application/json"), "{").code, 1);
    for (const char* wrong : { "--method POST --path x", "--method POST --path /x%2", "--method P(ST --path /x",
             "--method POST --path /x --pointer bad", "--method POST --path /x --content-type nonsense" }) {
        const auto refused = run(words("fingerprint") + words(wrong), "{}");
        EXPECT_EQ(refused.code, 2) << wrong << refused.err;
        EXPECT_NE(refused.err, "") << wrong;
    }
    EXPECT_EQ(run(words("fingerprint explain a b --pointer bad")).code, 2);
}

TEST(CtlIdentity, ExplainNamesWhatDiffersAndWhatIsBenign)
{
    const QTemporaryDir folder;
    writeBody(folder.filePath(QStringLiteral("a")), R"({"amount": 1000.0, "to":{"id":1}})");
    writeBody(folder.filePath(QStringLiteral("b")), R"({"to":{"id":2},"amount":1e3,"new":true})");
    const QStringList files{ folder.filePath(QStringLiteral("a")), folder.filePath(QStringLiteral("b")) };
    const auto explained = run(words("--json fingerprint explain") + files);
    ASSERT_EQ(explained.code, 0) << explained.err;
    const auto answer = explained.json();
    EXPECT_EQ(answer["same"], false);
    EXPECT_EQ(answer["difference_count"], 2);
    EXPECT_EQ(answer["differences"][0],
        nlohmann::json({ { "pointer", "/new" }, { "kind", "added" }, { "before", "" }, { "after", "true" } }));
    EXPECT_EQ(answer["differences"][1]["pointer"], "/to/id");
    std::set<std::string> benign;
    for (const auto& entry : answer["benign"])
        benign.insert(entry["kind"]);
    EXPECT_EQ(benign, (std::set<std::string>{ "member_order", "number_spelling", "white_space" }));
    EXPECT_EQ(run(words("--json fingerprint explain --pointer /amount") + files).json()["same"], true);
    EXPECT_THAT(run(words("fingerprint explain") + files).out, testing::HasSubstr("/to/id"));
    EXPECT_EQ(run(words("fingerprint explain a")).code, 2);
    for (const char* refused : { R"({"a":1,"a":2})", R"({"a":1e400})" }) {
        writeBody(files.front(), refused);
        const auto same = run(words("fingerprint explain") + QStringList{ files.front(), files.front() });
        EXPECT_EQ(same.code, 1) << "a body without a fingerprint has none that is the same";
        EXPECT_THAT(same.err, testing::HasSubstr(files.front().toStdString()));
    }
    EXPECT_EQ(run(words("fingerprint explain /nowhere/a /nowhere/b")).code, 1);
}

TEST(CtlIdentity, KeygenMakesKeysOfEachKind)
{
    for (const auto* kind : { "uuid7", "ulid" }) {
        const auto made = run(words("--json keygen") + QStringList{ QLatin1String(kind) } + words("--count 1000"));
        ASSERT_EQ(made.code, 0) << made.err;
        std::set<std::string> keys;
        std::string last;
        for (const auto& line : made.lines()) {
            const auto key = line["key"].get<std::string>();
            EXPECT_LT(last, key);
            EXPECT_TRUE(timeOfKey(key)) << key;
            keys.insert(last = key);
        }
        EXPECT_EQ(keys.size(), 1000U);
    }
    EXPECT_TRUE(isUuid(run(words("--json keygen uuid4")).json()["key"].get<std::string>()));
    EXPECT_EQ(run(words("keygen natural order_7 1000 EUR")).out, "order_7:1000:EUR\n");
    EXPECT_EQ(run(words("keygen natural")).code, 2);
    EXPECT_EQ(run({ QStringLiteral("keygen"), QStringLiteral("natural"), QString() }).code, 2);
    EXPECT_EQ(run(words("keygen uuid9")).code, 2);
}

TEST_P(CtlKeyTest, ReserveRefusesAMalformedKey)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    for (const auto* key : { "a b", "schlüssel", "\"open", "\"\"", "tab\there" }) {
        const auto refused = reserveBody(QString::fromUtf8(key), "{}");
        EXPECT_EQ(refused.code, 2) << key;
        EXPECT_EQ(refused.json()["error"]["code"], "VALIDATION.idempotency_key") << key;
    }
    EXPECT_EQ(reserveBody(QString(129, QLatin1Char('x')), "{}").code, 2);
    EXPECT_EQ(reserveBody(QString(128, QLatin1Char('x')), "{}").code, 0);
    EXPECT_EQ(ctl("keys count").code, 0);
}

TEST_P(CtlKeyTest, BareAndQuotedFormsReserveTheSameKey)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    const auto first = reserveBody(QStringLiteral("\"k 1\""), "{}");
    ASSERT_EQ(first.code, 0) << first.err;
    ASSERT_EQ(reserveBody(QStringLiteral("\"k2\""), "{}").code, 0);
    EXPECT_EQ(reserveBody(QStringLiteral("k2"), "{}").json()["outcome"], "in_progress");
    EXPECT_EQ(ctl(words("keys show pay charge k2")).code, 0);
    const QStringList claim{ QStringLiteral("--owner"),
        QString::fromStdString(first.json()["owner"].get<std::string>()), QStringLiteral("--fence"),
        QString::number(first.json()["fence"].get<std::int64_t>()) };
    for (const auto* key : { "k 1", "\"k 1\"" })
        EXPECT_EQ(
            ctl(words("key renew --scope pay --operation charge --key") + QStringList{ QLatin1String(key) } + claim)
                .code,
            0)
            << key;
}

TEST_P(CtlKeyTest, ExistingKeysOfAnyFormAreOperated)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    makeStuckKey("\"a b\n");
    const QStringList row{ QStringLiteral("pay"), QStringLiteral("charge"), QStringLiteral("\"a b\n") };
    EXPECT_EQ(ctl(words("keys show") + row).code, 0);
    const auto plan = ctl(words("plan fence --reason r --out p --key") + row);
    ASSERT_EQ(plan.code, 0) << plan.err;
    EXPECT_EQ(ctl("apply p").json()["changed"], 1);
}

TEST_P(CtlKeyTest, ABodyIsHashedAsTheDocumentThatItIs)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    ASSERT_EQ(reserveBody(QStringLiteral("k"), R"({"b":1.0,"a":2})").json()["outcome"], "execute");
    EXPECT_EQ(reserveBody(QStringLiteral("k"), R"( {"a":2, "b":1} )").json()["outcome"], "in_progress");
    EXPECT_EQ(reserveBody(QStringLiteral("k"), R"({"a":2,"b":1.5})").json()["outcome"], "mismatch");
    EXPECT_EQ(reserve(QStringLiteral("k"),
                  { QStringLiteral("--request-hash"), QString::fromStdString(toHex(sha256(R"({"a":2,"b":1})"))) })
                  .json()["outcome"],
        "in_progress");
    const QStringList text{ QStringLiteral("--content-type"), QStringLiteral("text/plain") };
    EXPECT_EQ(reserveBody(QStringLiteral("k"), R"( {"a":2, "b":1} )", text).json()["outcome"], "mismatch");
    EXPECT_EQ(reserveBody(QStringLiteral("k2"), "no json").json()["outcome"], "execute");
    EXPECT_EQ(reserveBody(QStringLiteral("k2"), "no json ").json()["outcome"], "mismatch");
    EXPECT_EQ(reserveBody(QStringLiteral("k3"), R"({"a":1,"a":2})").code, 2);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <QTemporaryDir>

#include "tests/e2e/ctl_fixture.h"

namespace fencepost::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// The commands that read files and need no database.
class CtlFiles : public ::testing::Test {
protected:
    CtlRun ctl(const QStringList& arguments, const QByteArray& input = {}) const
    {
        QProcess process;
        process.setWorkingDirectory(folder.path());
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder.path());
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(FENCEPOSTCTL), arguments);
        EXPECT_TRUE(process.waitForStarted());
        process.write(input);
        process.closeWriteChannel();
        EXPECT_TRUE(process.waitForFinished());
        return runOf(process);
    }

    CtlRun ctl(const char* words, const QByteArray& input = {}) const
    {
        return ctl(QString::fromUtf8(words).split(QLatin1Char(' ')), input);
    }

    void write(const char* name, const QByteArray& content) const
    {
        QFile file(folder.filePath(QString::fromUtf8(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        ASSERT_EQ(file.write(content), content.size());
    }

    [[nodiscard]] static QByteArray contract()
    {
        QFile file(QStringLiteral(FENCEPOST_FIXTURES "/contract/refunds.contract.json"));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    }

    QTemporaryDir folder;
};

TEST_F(CtlFiles, ApproveOfACompleteContract)
{
    write("fencepost.contract.json", contract());
    const auto run = ctl("check fencepost.contract.json");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.out, "All 19 gates pass.\n");
    const auto lines = ctl("--json check -", contract());
    EXPECT_EQ(lines.code, 0) << lines.err;
    EXPECT_THAT(lines.out, IsEmpty());
}

TEST_F(CtlFiles, PrintOneFindingPerLineAndEndWithThree)
{
    auto broken = contract();
    broken.replace(R"("store": "database",)", R"("store": "memory",)");
    broken.replace(R"("pagination": "keyset")", R"("pagination": "offset")");
    const auto run = ctl("check -", broken);
    EXPECT_EQ(run.code, 3);
    EXPECT_THAT(run.out,
        HasSubstr(
            "routes[5].pagination: keyset_pagination: GET /v1/refunds: pagination is offset: rows written meanwhile "
            "are seen twice, or never. Read pages by keyset.\n"));
    EXPECT_THAT(run.err, HasSubstr("2 of 19 gates failed."));

    const auto lines = ctl("--json check -", broken);
    EXPECT_EQ(lines.code, 3);
    std::set<std::string> failed;
    for (const auto& line : lines.lines()) {
        failed.insert(line.at("gate").get<std::string>());
        for (const char* member : { "gate", "list", "route", "path", "problem", "remedy" })
            EXPECT_FALSE(line.at(member).get<std::string>().empty()) << member;
        EXPECT_EQ(line.size(), 6U);
    }
    EXPECT_EQ(failed, (std::set<std::string>{ "durable_store", "keyset_pagination" }));
}

TEST_F(CtlFiles, JudgeAContractByThePolicyBesideIt)
{
    const QByteArray bare = R"({"format":1,"consumers":[{"name":"ledger"}]})";
    write("fencepost.policy.json", R"({"format":1,"routes":[{"scope":"*","operation":"ledger","ttl":"1h"}]})");
    EXPECT_THAT(ctl("check -", bare).out, HasSubstr("routes[0].ttl: retention: ledger: "));
    write("other.json", R"({"format":1,"defaults":{"ttl":"2h"}})");
    EXPECT_THAT(ctl("--policy other.json check -", bare).out, HasSubstr("defaults.ttl: retention: ledger: "));
    write("fencepost.policy.json", R"({"format":1})");
    EXPECT_THAT(ctl("check -", bare).out, testing::Not(HasSubstr("ttl: retention: ledger")));
}

TEST_F(CtlFiles, NameThePlaceOfBadInput)
{
    write("bad.json", R"({"format":1,"routes":[{"route":"POST /a","key":"maybe"}]})");
    auto run = ctl("check bad.json");
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, HasSubstr(R"(bad.json: routes[0].key: "maybe" is none of required, optional, none)"));
    EXPECT_THAT(run.out, IsEmpty());
    run = ctl("--json check bad.json");
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.json().at("error").at("message").get<std::string>(), HasSubstr("routes[0].key"));
    EXPECT_EQ(ctl("check -", "{").code, 2);
    EXPECT_EQ(ctl("check").code, 2);
    run = ctl("check missing.json");
    EXPECT_EQ(run.code, 1);
    EXPECT_THAT(run.err, HasSubstr("missing.json"));
    write("broken.json", "[]");
    EXPECT_EQ(ctl("--policy broken.json check -", contract()).code, 2);
}

TEST_F(CtlFiles, ShowHostileNamesAsEscapes)
{
    const auto run = ctl("check -", "{\"format\":1,\"consumers\":[{\"name\":\"a\\n\\u001b[31m\\u202e\"}]}");
    EXPECT_EQ(run.code, 3);
    for (const auto* octets : { "\x1b", "\xe2\x80\xae", "a\n" })
        EXPECT_THAT(run.out, testing::Not(HasSubstr(octets)));
}

TEST_F(CtlFiles, DescribeGatesAndMembers)
{
    const auto gates = ctl("--json check --gates");
    EXPECT_EQ(gates.code, 0);
    ASSERT_EQ(gates.lines().size(), 19U);
    EXPECT_EQ(gates.lines().front().at("gate"), "key_required");
    EXPECT_EQ(gates.lines().front().at("origin"), "checklist");
    EXPECT_THAT(ctl("check --gates").out, HasSubstr("keyset_pagination"));
    const auto members = ctl("--json check --members");
    EXPECT_EQ(members.code, 0);
    EXPECT_EQ(members.lines().front().at("list"), "routes");
    EXPECT_THAT(ctl("check --members").out, HasSubstr("required optional none"));
    EXPECT_THAT(ctl("check --help").out, HasSubstr("\"routes\": [...]"));
}

constexpr const char* payments = R"({
  "format": 1,
  "defaults": { "lease": "30s" },
  "routes": [ { "scope": "pay:*", "operation": "POST *", "profile": "financial", "grace": "2h" } ]
})";

TEST_F(CtlFiles, ShowEverySettingOfAPolicyWithItsOrigin)
{
    write("p.json", payments);
    const auto run = ctl({ QStringLiteral("--json"), QStringLiteral("--policy"), QStringLiteral("p.json"),
        QStringLiteral("policy"), QStringLiteral("show"), QStringLiteral("--scope"), QStringLiteral("pay:acme"),
        QStringLiteral("--operation"), QStringLiteral("POST /refunds") });
    ASSERT_EQ(run.code, 0) << run.err;
    std::map<std::string, std::string> all;
    for (const auto& line : run.lines())
        all[line.at("setting").get<std::string>()] = line.at("value").get<std::string>() + ' '
            + line.at("origin").get<std::string>() + ' ' + line.at("from").get<std::string>();
    std::map<std::string, std::string> said;
    for (const auto* name : { "effect", "takeover", "financial", "stale_key", "ttl", "lease", "max_attempts",
             "retry_after", "tombstone", "grace" })
        said[name] = all.at(name);
    EXPECT_EQ(said,
        (std::map<std::string, std::string>{ { "effect", "local_tx default built in" },
            { "takeover", "auto default built in" }, { "financial", "true profile profiles.financial" },
            { "stale_key", "reject profile profiles.financial" }, { "ttl", "7d profile profiles.financial" },
            { "lease", "30s default defaults" }, { "max_attempts", "0 default built in" },
            { "retry_after", "5s default built in" }, { "tombstone", "30d default built in" },
            { "grace", "2h route routes[0]" } }));
    EXPECT_EQ(all.at("effects"), "400d profile profiles.financial");
    EXPECT_EQ(all.at("mismatch_status"), "409 default built in");
    EXPECT_EQ(all.at("retry_attempts"), "5 default built in");
    EXPECT_EQ(all.at("inbox_attempts"), "5 default built in");
    EXPECT_EQ(all.at("outbox_batch"), "50 default built in");
    EXPECT_EQ(all.at("webhook_tolerance"), "5m default built in");
    EXPECT_EQ(all.at("vendor_timeout"), "15s default built in");
    EXPECT_GT(all.size(), 40U);
}

TEST_F(CtlFiles, ShowAPolicyAsATable)
{
    write("fencepost.policy.json", payments);
    const auto found = ctl("policy show");
    EXPECT_EQ(found.code, 0) << found.err;
    EXPECT_THAT(found.out, HasSubstr("SETTING "));
    EXPECT_THAT(found.out, testing::ContainsRegex("lease +30s +default +defaults\n"));
    EXPECT_THAT(found.out, testing::ContainsRegex("ttl +1d +default +built in\n")) << "no route is asked for";
    write("bad.json", R"({"format":1,"routes":[{"scope":"a","operation":"b","lease":"6x"}]})");
    const auto bad = ctl("--policy bad.json policy show");
    EXPECT_EQ(bad.code, 2);
    EXPECT_THAT(bad.err, HasSubstr("bad.json: /routes/0/lease: \"6x\" is not a duration"));
    EXPECT_EQ(ctl("--policy missing.json policy show").code, 1);
    write("odd.json", R"({"format":1,"routes":[{"scope":"a","operation":"b","ttl":"5m"}]})");
    EXPECT_THAT(ctl("--policy odd.json policy show").err, HasSubstr("routes[0]: ttl 5m is under 24h"));
}

TEST_F(CtlFiles, ReadTheThreeFormatsOfThePlaybook)
{
    const std::pair<const char*, const char*> formats[] = { { "retry-log", "retry_log" },
        { "replay", "replay_outcomes" }, { "inbox", "inbox" } };
    for (const auto& [format, name] : formats) {
        SCOPED_TRACE(format);
        QFile fixture(QStringLiteral(FENCEPOST_FIXTURES "/playbook/%1.csv").arg(QLatin1String(name)));
        ASSERT_TRUE(fixture.open(QIODevice::ReadOnly));
        const auto text = fixture.readAll();
        const auto rows = static_cast<int>(text.count('\n')) - 1;
        const auto check = ctl(QStringList{ QStringLiteral("--json"), QStringLiteral("csv"), QStringLiteral("check"),
                                   QStringLiteral("-"), QStringLiteral("--format"), QLatin1String(format) },
            text);
        EXPECT_EQ(check.code, 0) << check.err;
        EXPECT_EQ(check.json()["rows"], rows);
        const QStringList show{ QStringLiteral("csv"), QStringLiteral("show"), QStringLiteral("-"),
            QStringLiteral("--format"), QLatin1String(format) };
        EXPECT_EQ(ctl(show, text).out, text.toStdString());
        // As a spreadsheet saves it.
        auto saved = text;
        saved.replace("\n", "\r\n").prepend("\xef\xbb\xbf");
        EXPECT_EQ(ctl(show, saved).out, text.toStdString());
        const auto objects = ctl(QStringList{ QStringLiteral("--json") } + show, text).lines();
        EXPECT_EQ(objects.size(), static_cast<std::size_t>(rows));
    }
}

TEST_F(CtlFiles, SayWhereACsvIsNotOfItsFormat)
{
    const QByteArray text = "attempt,delay_ms,status,code,notes\n1,0,200,200,\nx,0,200,200,\n";
    const auto refused = ctl("--json csv check - --format retry-log", text);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.json()["error"]["message"].get<std::string>(), HasSubstr("line 3, column 1"));
    EXPECT_EQ(refused.json()["error"]["code"], "VALIDATION.csv");
    EXPECT_EQ(ctl("--json csv check none.csv --format inbox").code, 1);
    EXPECT_EQ(ctl("--json csv check - --format outbox", text).code, 2);
    const auto safe = ctl(
        "csv show - --format retry-log --spreadsheet-safe", "attempt,delay_ms,status,code,notes\n1,0,200,200,=1+1\n");
    EXPECT_THAT(safe.out, HasSubstr("\"'=1+1\""));
}

// Whatever is wrong with an invocation, a program that reads the answer finds it where every answer is.
TEST_F(CtlFiles, AnswerEveryWrongInvocationInJson)
{
    for (const char* words :
        { "", "nonsense", "schema", "schema init", "schema status", "schema ddl --layout x", "demo", "demo x --seed -1",
            "key", "key reserve", "key renew", "key finalize --scope s", "key fail --fence x", "key hold --owner x",
            "keys", "keys list", "keys list --filter (", "keys list --limit x", "keys count", "keys stuck --after x",
            "keys show", "keys show a b c d", "inbox", "inbox list --limit -1", "plan", "plan fence",
            "plan fence --filter stuck --reason r", "plan resolve --as x", "plan show", "plan show none", "apply",
            "apply none", "undo", "undo x", "audit", "audit list --limit x", "audit verify", "audit install",
            "reap --batch x", "reap", "once", "once --key x", "profiles", "profiles detect", "profiles check",
            "profiles check none", "policy", "policy show --x", "check", "check none", "csv", "csv check", "csv show x",
            "csv show x --format y", "retry", "retry schedule", "retry schedule --preset x", "retry-after",
            "retry-after x", "errors x", "canon x", "fingerprint", "fingerprint explain", "fingerprint explain x y",
            "keygen", "keygen x", "keygen natural" }) {
        SCOPED_TRACE(words);
        const auto run = ctl(QStringList{ QStringLiteral("--json") }
            + QString::fromUtf8(words).split(QLatin1Char(' '), Qt::SkipEmptyParts));
        EXPECT_TRUE(run.code == 1 || run.code == 2) << run.code;
        ASSERT_EQ(run.lines().size(), 1U) << run.out;
        EXPECT_TRUE(run.json().contains("error")) << run.out;
        EXPECT_NE(run.json()["error"]["message"], "");
        EXPECT_THAT(run.err, HasSubstr("fencepostctl: "));
    }
}

// A variable of the shell that is not set must not widen what is asked for.
TEST_F(CtlFiles, TakeNoEmptyValueForAnOptionThatWasLeftOut)
{
    const auto split = [](const char* words) { return QString::fromUtf8(words).split(QLatin1Char(' ')); };
    for (const auto& [words, option] : { std::pair("--db sqlite:x.db relay run", "--to"),
             std::pair("--db sqlite:x.db apply plan", "--rate"), std::pair("complete --to http://x", "--principal"),
             std::pair("policy show", "--scope"), std::pair("demo x", "--now"), std::pair("keys list", "--db"),
             std::pair("retry schedule --preset playbook", "--jitter") })
        for (const bool together : { false, true }) {
            SCOPED_TRACE(option);
            auto arguments = QStringList{ QStringLiteral("--json") } + split(words);
            arguments += together ? QStringList{ QString::fromUtf8(option) + QLatin1Char('=') }
                                  : QStringList{ QString::fromUtf8(option), QString() };
            const auto run = ctl(arguments);
            EXPECT_EQ(run.code, 2);
            EXPECT_THAT(run.json()["error"]["message"].get<std::string>(),
                HasSubstr(std::string(option) + ": its value is empty"));
        }
    // Where nothing is something, it is that.
    const QStringList print = split("fingerprint --method POST --path /x");
    const auto plain = ctl(print, "{}");
    EXPECT_EQ(plain.code, 0) << plain.err;
    EXPECT_EQ(ctl(print + QStringList{ QStringLiteral("--query"), QString() }, "{}").out, plain.out);
    EXPECT_EQ(ctl(print + QStringList{ QStringLiteral("--query=") }, "{}").out, plain.out);
    EXPECT_EQ(ctl(print + QStringList{ QStringLiteral("--pointer="), QStringLiteral("--query=a") }, "{}").code, 0);
    // What is behind -- is the command's own.
    const auto once = ctl(split("--json --db sqlite:once.db once --key a@2026-11-20 -- printf %s.%s.%s --to=")
        + QStringList{ QString(), QStringLiteral("--key=") });
    EXPECT_EQ(once.code, 0) << once.err;
    EXPECT_EQ(once.json()["stdout"], "--to=..--key=");
}

} // namespace
} // namespace fencepost::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include "tests/e2e/ctl_fixture.h"

namespace fencepost::test {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// In a folder of its own, without a database.
class CtlSimulate : public testing::Test {
protected:
    [[nodiscard]] CtlRun ctl(const QStringList& arguments) const
    {
        QProcess process;
        process.setWorkingDirectory(folder.path());
        process.start(QStringLiteral(FENCEPOSTCTL), QStringList{ QStringLiteral("simulate") } + arguments);
        EXPECT_TRUE(process.waitForFinished(300'000));
        return runOf(process);
    }
    [[nodiscard]] CtlRun ctl(const char* words) const { return ctl(QString::fromUtf8(words).split(QLatin1Char(' '))); }
    void write(const char* name, const char* text) const
    {
        QFile file(folder.filePath(QLatin1String(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    [[nodiscard]] std::string read(const char* name) const
    {
        QFile file(folder.filePath(QLatin1String(name)));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
        return file.readAll().toStdString();
    }

    QTemporaryDir folder;
};

constexpr auto quiet = R"({"scenario": 1, "name": "quiet", "title": "Nothing goes wrong", "seed": 5,
  "load": {"requests": 100, "duration": "10s"}, "expect": ["violations = 0", "requests = 100"]})";
// Answers are lost, and each attempt has a key of its own.
constexpr auto doubling = R"({"scenario": 1, "name": "doubling", "load": {"requests": 200, "duration": "10s"},
  "client": {"key": "attempt"}, "network": {"loss": "10%"}})";

TEST_F(CtlSimulate, ListsWhatComesWithIt)
{
    const auto run = ctl("list --json");
    ASSERT_EQ(run.code, 0) << run.err;
    std::vector<std::string> names;
    for (const auto& line : run.lines()) {
        names.push_back(line.at("scenario"));
        EXPECT_FALSE(line.at("shows").get<std::string>().empty());
    }
    EXPECT_THAT(names, Contains("stale_worker"));
    EXPECT_THAT(ctl("list").out, HasSubstr("A thundering herd after an outage"));
}

TEST_F(CtlSimulate, ListsWhatCanBeChosen)
{
    const auto run = ctl("knobs");
    EXPECT_THAT(run.out, HasSubstr("service.lease"));
    EXPECT_THAT(run.out, HasSubstr("duplicate_effects"));
}

TEST_F(CtlSimulate, PrintsAScenarioThatRunsAsAFile)
{
    const auto shown = ctl("show double_click");
    ASSERT_EQ(shown.code, 0) << shown.err;
    write("mine.json", shown.out.c_str());
    const auto mine = ctl("mine.json --json");
    EXPECT_EQ(mine.code, 0) << mine.err;
    EXPECT_EQ(mine.out, ctl("double_click --json").out);
}

TEST_F(CtlSimulate, GivesTheSameBytesAgain)
{
    write("quiet.json", quiet);
    const auto run = ctl("quiet.json --json");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(ctl("quiet.json --json").out, run.out);
    EXPECT_NE(ctl("quiet.json --json --seed 6").out, run.out);
}

TEST_F(CtlSimulate, NamesScenarioVersionAndSeed)
{
    write("quiet.json", quiet);
    const auto world = ctl("quiet.json --json").lines().front();
    EXPECT_EQ(world.at("scenario"), "quiet");
    EXPECT_EQ(world.at("seed"), 5);
    EXPECT_THAT(world.at("version").get<std::string>(), HasSubstr("fencepost "));
    EXPECT_THAT(ctl("quiet.json --seed 9").out, HasSubstr("scenario quiet, seed 9, fencepost "));
}

TEST_F(CtlSimulate, WritesALogThatItReadsAgain)
{
    write("mixed.json", R"({"scenario": 1, "name": "mixed", "load": {"rate": "50", "duration": "5s"},
        "network": {"loss": "20%"}})");
    ASSERT_EQ(ctl("mixed.json --csv out").code, 0);
    const auto again = ctl("mixed.json --from out/retry_log.csv --json");
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.lines().front().at("measures").at("requests"),
        ctl("mixed.json --json").lines().front().at("measures").at("calls"));
    ASSERT_EQ(ctl("mixed.json --from out/retry_log.csv --csv again").code, 0);
    EXPECT_EQ(read("again/retry_log.csv"), read("out/retry_log.csv"));
    EXPECT_EQ(ctl("again/scenario.json").code, 0) << "what it wrote is a scenario";
}

TEST_F(CtlSimulate, RefusesWhatItCannotReadOrWriteBeforeItBegins)
{
    write("quiet.json", quiet);
    const auto run = ctl("quiet.json --csv tables --report nowhere/report.md");
    EXPECT_EQ(run.code, 2);
    EXPECT_FALSE(QFile::exists(folder.filePath(QStringLiteral("tables")))) << "not even the one that could be written";
    EXPECT_EQ(ctl("quiet.json --csv quiet.json").code, 2);
    EXPECT_EQ(ctl("quiet.json --report .").code, 2);
    EXPECT_THAT(ctl("/dev/zero").err, HasSubstr("more than is read here"));
    EXPECT_THAT(ctl("quiet.json --from /dev/zero").err, HasSubstr("more than is read here"));
    const auto life = ctl("quiet.json --life 101");
    EXPECT_EQ(life.code, 2);
    EXPECT_EQ(life.out, "");
    EXPECT_THAT(life.err, HasSubstr("There is no request 101"));
    const auto none = ctl("double_click --life 0");
    EXPECT_EQ(none.code, 2);
    EXPECT_EQ(none.out, "");
    EXPECT_EQ(ctl("quiet.json --from nowhere.csv").code, 2);
    EXPECT_EQ(ctl("quiet.json --life 100").code, 0);
}

TEST_F(CtlSimulate, SaysWhatItsClaimsCameTo)
{
    write("quiet.json", quiet);
    const auto run = ctl("quiet.json");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("holds: requests = 100 (100 and 100)"));
    write("wrong.json", R"({"scenario": 1, "name": "wrong", "load": {"requests": 5}, "expect": ["requests = 6"]})");
    const auto wrong = ctl("wrong.json");
    EXPECT_EQ(wrong.code, 1);
    EXPECT_THAT(wrong.out, HasSubstr("DOES NOT HOLD: requests = 6 (5 and 6)"));
    EXPECT_EQ(ctl("wrong.json --set load.requests=7").code, 0) << "another world, about which nothing is claimed";
}

TEST_F(CtlSimulate, AnswersAViolationWithThree)
{
    write("doubling.json", doubling);
    const auto run = ctl("doubling.json");
    EXPECT_EQ(run.code, 3);
    EXPECT_THAT(run.out, HasSubstr("I7 does not hold, an effect happens at most once"));
    EXPECT_EQ(ctl("doubling.json --set client.key=operation").code, 0);
    EXPECT_EQ(ctl("stale_worker --variant fenced").code, 0);
}

TEST_F(CtlSimulate, EndsAtAViolationThatIsNotWhatItDemonstrates)
{
    write("doubling.json", doubling);
    const auto run = ctl("doubling.json --report out.md --csv tables");
    EXPECT_EQ(run.code, 3);
    EXPECT_THAT(run.out, HasSubstr("The least that has to happen for it:\n  request "));
    EXPECT_THAT(run.out, HasSubstr("  network.loss strikes the answer to attempt 1 of request "));
    EXPECT_THAT(run.out, HasSubstr("What happens then:"));
    EXPECT_THAT(run.out, HasSubstr("seed 1, "));
    EXPECT_THAT(run.out, Not(HasSubstr("MEASURE")));
    EXPECT_THAT(run.err, HasSubstr("--go-on"));
    EXPECT_THAT(read("out.md"), HasSubstr("The least that has to happen for it, with seed 1:"));
    EXPECT_THAT(read("tables/violations.csv"), HasSubstr(",I7,"));
    ASSERT_EQ(ctl("doubling.json --stop --report stopped.md").code, 3);
    EXPECT_THAT(read("stopped.md"), HasSubstr("fencepostctl simulate doubling.json --seed 1 --stop\n"));
    ASSERT_EQ(ctl("doubling.json --life 1 --report life.md").code, 3);
    EXPECT_THAT(read("life.md"), HasSubstr("fencepostctl simulate doubling.json --seed 1 --life 1\n"));
    const auto whole = ctl("doubling.json --go-on");
    EXPECT_EQ(whole.code, 3);
    EXPECT_THAT(whole.out, HasSubstr("I7 (an effect happens at most once) did not hold"));
    EXPECT_THAT(whole.out, HasSubstr("duplicate_effects"));
    const auto naive = ctl("stale_worker --variant unfenced");
    EXPECT_EQ(naive.code, 3) << naive.err;
    EXPECT_THAT(naive.out, HasSubstr("holds: unfenced:duplicate_effects > 0")) << "it is what it demonstrates";
    EXPECT_THAT(ctl("stale_worker --variant unfenced --stop").out, HasSubstr("pause.p"));
    EXPECT_EQ(ctl("doubling.json --go-on --stop").code, 2);
}

TEST_F(CtlSimulate, WritesIntoADeviceAndReplacesItByNothing)
{
    write("quiet.json", quiet);
    // A pipe is as special as a device and is nobody else's.
    const auto pipe = folder.filePath(QStringLiteral("pipe"));
    ASSERT_EQ(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
    const int reader = ::open(QFile::encodeName(pipe).constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    const auto run = ctl("quiet.json --report pipe --force");
    EXPECT_EQ(run.code, 0) << run.err;
    std::array<char, 64> begin{};
    EXPECT_GT(::read(reader, begin.data(), begin.size() - 1), 0);
    ::close(reader);
    EXPECT_EQ(std::string(begin.data()).substr(0, 2), "# ");
    struct stat there { };
    ASSERT_EQ(::lstat(QFile::encodeName(pipe).constData(), &there), 0);
    EXPECT_TRUE(S_ISFIFO(there.st_mode)) << "it is still what it was";
}

TEST_F(CtlSimulate, ShowsTheLeastThatLeadsToAViolation)
{
    write("doubling.json", doubling);
    const auto run = ctl("doubling.json --stop");
    EXPECT_EQ(run.code, 3);
    EXPECT_THAT(run.out, HasSubstr("What happens then:"));
    const auto found = ctl("doubling.json --stop --json").json();
    EXPECT_EQ(found.at("rule"), "I7");
    EXPECT_FALSE(found.at("trace").empty());
    EXPECT_FALSE(found.at("schedule").empty());
    EXPECT_EQ(found.at("seed"), 1);
    write("quiet.json", quiet);
    EXPECT_EQ(ctl("quiet.json --stop").code, 0);
}

TEST_F(CtlSimulate, SearchesForASeedThatViolates)
{
    write("doubling.json", doubling);
    const auto found = ctl("search doubling.json --seeds 20 --json");
    EXPECT_EQ(found.code, 3) << found.err;
    const auto seed = std::to_string(found.json().at("seed").get<std::uint64_t>());
    EXPECT_EQ(ctl(("doubling.json --seed " + seed).c_str()).code, 3) << "its seed gives it again";
    write("quiet.json", quiet);
    const auto none = ctl("search quiet.json --seeds 20");
    EXPECT_EQ(none.code, 0) << none.err;
    EXPECT_THAT(none.out, HasSubstr("every invariant held with 20 seeds from 5 on"));
}

TEST_F(CtlSimulate, SweepsOneSettingOrTwo)
{
    write("quiet.json", quiet);
    const auto one = ctl("sweep quiet.json --set network.loss=0%..4%:2% --json");
    ASSERT_EQ(one.code, 0) << one.err;
    ASSERT_EQ(one.lines().size(), 3U);
    EXPECT_EQ(one.lines()[2].at("set").at("network.loss"), "4%");
    EXPECT_EQ(one.lines()[2].at("measures").at("requests"), 100);
    const auto two =
        ctl("sweep quiet.json --set service.nodes=1..2:1 --set client.jitter=none,full --measure attempts --csv out");
    ASSERT_EQ(two.code, 0) << two.err;
    EXPECT_THAT(two.out, HasSubstr("client.jitter"));
    EXPECT_THAT(two.out, Not(HasSubstr("latency")));
    EXPECT_THAT(
        read("out/sweep.csv"), HasSubstr("scenario,version,seed,variant,service.nodes,client.jitter,requests,"));
    EXPECT_EQ(ctl("out/sweep_scenario.json").code, 0) << "what it wrote is a scenario";
}

TEST_F(CtlSimulate, NamesTheVariantThatWasSwept)
{
    const auto run = ctl("sweep double_click --variant wait --set service.nodes=1..2:1 --csv out");
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("scenario double_click, wait, seed 26, fencepost "));
    EXPECT_THAT(read("out/sweep.csv"), HasSubstr(",26,wait,2,"));
    const auto lines = ctl("sweep double_click --variant wait --set service.nodes=1..2:1 --json").lines();
    EXPECT_EQ(lines.front().at("variant"), "wait");
}

TEST_F(CtlSimulate, WritesTablesAndAReport)
{
    const auto run = ctl("worked_example --csv tables --report out.md");
    ASSERT_EQ(run.code, 0) << run.err;
    QFile fixture(QStringLiteral(FENCEPOST_FIXTURES "/playbook/replay_outcomes.csv"));
    ASSERT_TRUE(fixture.open(QIODevice::ReadOnly));
    EXPECT_EQ(read("tables/replay_outcomes.csv"), fixture.readAll().toStdString());
    EXPECT_THAT(read("tables/measures.csv"), HasSubstr("scenario,version,seed"));
    EXPECT_THAT(read("out.md"), HasSubstr("fencepostctl simulate worked_example --seed "));
    const auto again = ctl("worked_example --report out.md");
    EXPECT_EQ(again.code, 1);
    EXPECT_THAT(again.err, HasSubstr("--force"));
    EXPECT_EQ(ctl("worked_example --csv tables").code, 1);
    EXPECT_EQ(ctl("worked_example --csv tables --report out.md --force").code, 0);
}

TEST_F(CtlSimulate, FollowsOneRequest)
{
    const auto run = ctl("retry_log --life 1 --json");
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_GT(run.lines().size(), 3U);
    for (const auto& line : run.lines()) {
        EXPECT_EQ(line.at("request"), 1);
        EXPECT_EQ(line.at("scenario"), "retry_log");
        EXPECT_TRUE(line.at("seed").is_number_integer());
        EXPECT_THAT(line.at("version").get<std::string>(), HasSubstr("fencepost "));
    }
    const auto both = ctl("double_click --life 1").out;
    EXPECT_THAT(both, HasSubstr("scenario double_click, conflict, seed 26, fencepost "));
    EXPECT_THAT(both, HasSubstr("scenario double_click, wait, seed 26, fencepost "));
}

TEST_F(CtlSimulate, SaysThatNothingSucceeded)
{
    write("out.json", R"({"scenario": 1, "name": "out", "load": {"requests": 50, "duration": "10s"},
        "faults": [{"kind": "outage", "from": "0s", "for": "1h"}]})");
    const auto run = ctl("out.json --report out.md");
    EXPECT_THAT(run.out, HasSubstr("success_rate"));
    EXPECT_THAT(run.out, HasSubstr("succeeded"));
    EXPECT_THAT(run.out, Not(HasSubstr("takeovers"))) << "what did not happen and need not";
    EXPECT_THAT(read("out.md"), HasSubstr("| success\\_rate | 0.00% |"));
}

TEST_F(CtlSimulate, RunsOnWhatARetryLogTells)
{
    write("quiet.json", quiet);
    const auto log = QStringLiteral(FENCEPOST_FIXTURES "/playbook/retry_log.csv");
    const auto run = ctl({ QStringLiteral("quiet.json"), QStringLiteral("--from"), log });
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("OBSERVED"));
    EXPECT_THAT(run.out, HasSubstr("PREDICTED"));
    const auto once = ctl({ QStringLiteral("quiet.json"), QStringLiteral("--from"), log, QStringLiteral("--set"),
        QStringLiteral("client.attempts=1"), QStringLiteral("--json") });
    EXPECT_EQ(once.lines().front().at("measures").at("attempts"), 1);
    EXPECT_EQ(once.lines().front().at("observed_attempts"), json::parse("[0,0,0,1]"));
    write("log.csv", "attempt,delay_ms,status,code,notes\n1,0,timeout,,\n2,137,200,200,\n1,0,200,200,\n");
    EXPECT_THAT(ctl("quiet.json --from log.csv").out, HasSubstr("that its calls are 10s apart is made up"));
    EXPECT_THAT(ctl("quiet.json --from log.csv --spacing 2s").out, HasSubstr("2s apart is made up"));
    EXPECT_EQ(ctl("quiet.json --from log.csv --spacing soon").code, 2);
    EXPECT_EQ(ctl("quiet.json --spacing 2s").code, 2);
}

TEST_F(CtlSimulate, NamesStandardInputAsWhatItIs)
{
    write("quiet.json", quiet);
    write("log.csv", "attempt,delay_ms,status,code,notes\n1,0,timeout,,\n2,137,200,200,\n");
    QProcess process;
    process.setWorkingDirectory(folder.path());
    process.setStandardInputFile(folder.filePath(QStringLiteral("log.csv")));
    process.start(QStringLiteral(FENCEPOSTCTL),
        { QStringLiteral("simulate"), QStringLiteral("quiet.json"), QStringLiteral("--from"), QStringLiteral("-") });
    ASSERT_TRUE(process.waitForFinished(60'000));
    const auto run = runOf(process);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("standard input"));
}

// What a form adds to a world is said in a line as well.
TEST_F(CtlSimulate, TakesFaultsAndPhasesByTheLine)
{
    write("quiet.json", quiet);
    const auto set = [&](const char* faults) {
        return ctl({ QStringLiteral("quiet.json"), QStringLiteral("--json"), QStringLiteral("--set"),
            QStringLiteral("client.attempts=1"), QStringLiteral("--set"), QString::fromLatin1(faults) });
    };
    const auto whole = set("faults=");
    ASSERT_EQ(whole.code, 0) << whole.err;
    EXPECT_EQ(whole.lines().front().at("measures").at("succeeded"), 100);
    const auto out = set("faults=outage from=0s for=1h");
    ASSERT_EQ(out.code, 0) << out.err;
    EXPECT_EQ(out.lines().front().at("measures").at("succeeded"), 0);
    const auto half = set("faults=outage from=0s for=1h share=50%").lines().front().at("measures").at("succeeded");
    EXPECT_GT(half, 20);
    EXPECT_LT(half, 80);
    EXPECT_EQ(set("phases=from=0s until=1h rate=0").lines().front().at("measures").at("requests"), 0);
    const auto wrong = set("faults=outage from=0s");
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.err + wrong.out, HasSubstr("faults[0]: it does not say for how long"));
}

TEST_F(CtlSimulate, SaysWhatIsWrongWithAFile)
{
    const struct {
        const char* text;
        const char* words;
    } bad[] = {
        { "{", "bad.json" },
        { "[]", "\"scenario\": 1" },
        { R"({"scenario": 2, "name": "x"})", "this program reads format 1" },
        { R"({"scenario": 1, "name": "two words"})", "name: it has to be one word" },
        { R"({"scenario": 1, "name": "x", "service": {"leash": "1s"}})",
            "service.leash: a scenario has no such setting" },
        { R"({"scenario": 1, "name": "x", "service": {"lease": "soon"}})", "service.lease: \"soon\" is not a length" },
        { R"({"scenario": 1, "name": "x", "service": {"nodes": 0}})",
            "service.nodes: \"0\" is not between 1 and 1000" },
        { R"({"scenario": 1, "name": "x", "client": {"jitter": "more"}})", "client.jitter: \"more\" is none of" },
        { R"({"scenario": 1, "name": "x", "network": {"loss": "2"}})", "network.loss: \"2\" is not a percentage" },
        { R"({"scenario": 1, "name": "x", "faults": [{"kind": "storm"}]})", "faults[0]: kind: \"storm\" is none of" },
        { R"({"scenario": 1, "name": "x", "faults": [{"kind": "node_crash", "from": "1s", "for": "1s", "node": 9}]})",
            "faults[0].node: there are 2" },
        { R"({"scenario": 1, "name": "x", "faults": [{}]})", "faults[0]: it does not say its kind" },
        { R"({"scenario": 1, "name": "x", "start": "2025-09-15T12:00:00"})",
            "start: it has to be an instant with its" },
        { R"({"scenario": 1, "name": "x", "expect": ["luck > 1"]})", "\"luck\" is no measure" },
        { R"({"scenario": 1, "name": "x", "variants": [{"name": "a", "set": {"service.lease": 5}}]})",
            "variants[0].set" },
        { R"({"scenario": 1, "name": "x", "recording": {"requests": [{"attempts": [{"ending": "odd"}]}]}})",
            "recording.requests[0].attempts[0].ending" },
    };
    for (const auto& [text, words] : bad) {
        write("bad.json", text);
        const auto run = ctl("bad.json");
        EXPECT_EQ(run.code, 2) << text;
        EXPECT_THAT(run.err, HasSubstr("bad.json")) << text;
        EXPECT_THAT(run.err, HasSubstr(words)) << text;
    }
}

TEST_F(CtlSimulate, AnswersUsageErrorsWithTwo)
{
    write("quiet.json", quiet);
    for (const char* words :
        { "quiet.json --set service.lease", "quiet.json --set service.leash=1s", "quiet.json --seed x",
            "quiet.json --variant fast", "quiet.json --filter stuck", "sweep quiet.json",
            "sweep double_click --set "
            "service.nodes=1..2:1",
            "sweep quiet.json --set service.nodes=2..1:1", "sweep quiet.json --set service.nodes=1..2:1 --measure luck",
            "search quiet.json --seeds 0", "sweep", "show" }) {
        const auto run = ctl(words);
        EXPECT_EQ(run.code, 2) << words;
        EXPECT_FALSE(run.err.empty()) << words;
    }
    EXPECT_EQ(ctl("nowhere").code, 2) << "the scenario cannot be read";
    EXPECT_EQ(ctl("show nowhere").code, 2);
    EXPECT_EQ(ctl(".").code, 2) << "a folder";
    EXPECT_THAT(ctl("nowhere").err, HasSubstr("simulate list"));
}

class CtlSimulateDatabase : public CtlTest { };

TEST_P(CtlSimulateDatabase, RunsOnTheRecordsOfATable)
{
    makeStuckKeys(7);
    const auto run = ctl("simulate double_click --variant conflict");
    ASSERT_THAT(run.code, AnyOf(0, 3)) << run.err;
    const auto world = run.lines().front();
    EXPECT_EQ(world.at("measures").at("requests"), 7);
    EXPECT_EQ(world.at("observed_attempts"), json::parse("[0,7]"));
    EXPECT_EQ(world.at("executions"), json::parse("[0,7]"));
    EXPECT_EQ(world.at("observed").at("stuck"), 7);
    EXPECT_EQ(world.at("measures").at("stuck"), 7);
    const auto filtered = ctl({ QStringLiteral("simulate"), QStringLiteral("double_click"), QStringLiteral("--variant"),
        QStringLiteral("conflict"), QStringLiteral("--filter"), QStringLiteral("key = key-100003") });
    EXPECT_EQ(filtered.lines().front().at("measures").at("requests"), 1) << filtered.err;
    EXPECT_EQ(ctl("simulate double_click --filter (").code, 2);
    const auto none = ctl({ QStringLiteral("simulate"), QStringLiteral("double_click"), QStringLiteral("--filter"),
        QStringLiteral("key = nothing_there") });
    EXPECT_EQ(none.code, 1);
    EXPECT_THAT(none.err, HasSubstr("No record of idempotency_records fits the filter"));
    EXPECT_THAT(none.err, Not(HasSubstr("0 records")));
    EXPECT_EQ(ctl("simulate double_click --from x.csv").code, 2) << "one source";
}

INSTANTIATE_TEST_SUITE_P(Backends, CtlSimulateDatabase, bothDialects(), nameOfDialect);

} // namespace
} // namespace fencepost::test

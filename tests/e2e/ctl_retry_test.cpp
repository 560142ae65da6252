// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <set>

#include "tests/e2e/ctl_fixture.h"

namespace fencepost::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The commands that need no database.
CtlRun ctl(const QStringList& arguments)
{
    QProcess process;
    process.start(QStringLiteral(FENCEPOSTCTL), arguments);
    EXPECT_TRUE(process.waitForFinished());
    return runOf(process);
}

CtlRun ctl(const char* words)
{
    return ctl(QString::fromUtf8(words).split(QLatin1Char(' ')));
}

std::vector<std::int64_t> delays(const char* words)
{
    const auto run = ctl(words);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.json().at("delays_ms").get<std::vector<std::int64_t>>();
}

TEST(CtlRetry, PrintsTheDelaysOfASeed)
{
    EXPECT_THAT(delays("retry schedule --preset playbook --seed 1"), ElementsAre(0, 142, 303, 614, 1446));
    EXPECT_EQ(delays("retry schedule --preset playbook --seed 1"),
        delays("--json retry schedule --preset playbook --seed 1"));
    EXPECT_THAT(delays("retry schedule --preset vendor --jitter none"), ElementsAre(0, 500, 2000, 5000, 30000));
    EXPECT_THAT(delays("retry schedule --preset atlas --jitter none"), ElementsAre(0, 100, 300, 700));
    EXPECT_THAT(delays("retry schedule --preset standard_webhooks --jitter none"),
        ElementsAre(0, 5000, 300000, 1800000, 7200000, 18000000, 36000000, 50400000, 72000000, 86400000));
}

TEST(CtlRetry, PrintsTheSeedThatItChose)
{
    const auto run = ctl("retry schedule --preset aws --attempts 9");
    const auto seed = std::to_string(run.json().at("seed").get<std::uint64_t>());
    EXPECT_EQ(ctl(("retry schedule --preset aws --attempts 9 --seed " + seed).c_str()).out, run.out);
}

TEST(CtlRetry, KeepsEveryDelayInItsRange)
{
    for (const char* preset :
        { "playbook", "atlas", "vendor", "aws", "aws_v2_1", "grpc", "polly", "stripe", "standard_webhooks" }) {
        const auto run = ctl(("retry schedule --attempts 12 --preset " + std::string(preset)).c_str());
        ASSERT_EQ(run.code, 0) << run.err;
        const auto schedule = run.json().at("schedule");
        ASSERT_EQ(schedule.size(), 12U);
        EXPECT_EQ(schedule[0].at("delay_ms"), 0);
        for (const auto& attempt : schedule) {
            EXPECT_GE(attempt.at("delay_ms"), attempt.at("least_ms")) << preset;
            EXPECT_LE(attempt.at("delay_ms"), attempt.at("most_ms")) << preset;
        }
    }
}

TEST(CtlRetry, HonoursRetryAfter)
{
    const auto run = ctl("retry schedule --preset playbook --retry-after 4");
    const auto object = run.json();
    EXPECT_EQ(object.at("retry_after_ms"), 4000);
    for (std::size_t i = 1; i < object.at("schedule").size(); ++i) {
        EXPECT_GE(object.at("delays_ms")[i], 4000);
        EXPECT_LE(object.at("delays_ms")[i], 4400);
        EXPECT_EQ(object.at("schedule")[i].at("in_time"), i < 3) << "the playbook ends after ten seconds";
    }
    EXPECT_EQ(
        delays("retry schedule --preset aws --retry-after 0 --seed 1"), delays("retry schedule --preset aws --seed 1"));
    const auto dated = ctl({ QStringLiteral("retry"), QStringLiteral("schedule"), QStringLiteral("--preset"),
        QStringLiteral("playbook"), QStringLiteral("--now"), QStringLiteral("2026-10-21T07:28:00Z"),
        QStringLiteral("--retry-after"), QStringLiteral("Wed, 21 Oct 2026 07:28:03 GMT") });
    EXPECT_EQ(dated.json().at("retry_after_ms"), 3000) << dated.err;
    const auto schedule = dated.json().at("schedule");
    EXPECT_GE(schedule[1].at("delay_ms"), 3000);
    for (std::size_t i = 2; i < schedule.size(); ++i)
        EXPECT_LE(schedule[i].at("delay_ms"), schedule[i].at("most_ms")) << "the date is over";
}

TEST(CtlRetry, ReadsARetryAfter)
{
    const auto read = [](const char* value, bool json = true) {
        QStringList arguments{ QStringLiteral("retry-after"), QString::fromUtf8(value), QStringLiteral("--now"),
            QStringLiteral("2026-10-21T07:28:00Z") };
        if (json)
            arguments.prepend(QStringLiteral("--json"));
        return ctl(arguments);
    };
    for (const auto& [value, form] : std::array<std::pair<const char*, const char*>, 4>{
             { { "60", "seconds" }, { "Wed, 21 Oct 2026 07:29:00 GMT", "imf_fixdate" },
                 { "Wednesday, 21-Oct-26 07:29:00 GMT", "rfc850" }, { "Wed Oct 21 07:29:00 2026", "asctime" } } }) {
        const auto run = read(value);
        ASSERT_EQ(run.code, 0) << run.err;
        EXPECT_EQ(run.json().at("delay_ms"), 60000) << value;
        EXPECT_EQ(run.json().at("form"), form);
        EXPECT_EQ(run.json().at("not_before"), "2026-10-21T07:29:00.000000Z");
    }
    EXPECT_EQ(read("60", false).out, "1m (60 s), not before 2026-10-21T07:29:00.000000Z (seconds)\n");
    EXPECT_EQ(read("59", false).out, "59s, not before 2026-10-21T07:28:59.000000Z (seconds)\n");
    EXPECT_EQ(read("0", false).out, "0s, not before 2026-10-21T07:28:00.000000Z (seconds)\n");
    EXPECT_EQ(read("Wed, 21 Oct 2020 07:28:00 GMT").json().at("delay_ms"), 0);
    EXPECT_EQ(read("99999999999999999999").json().at("capped"), true);
    for (const char* value : { "-3", "+5", "1.5", "", "soon", "Wed, 21 Oct 2026 07:29:00 CEST" }) {
        const auto run = read(value);
        EXPECT_EQ(run.code, 2) << value;
        EXPECT_EQ(run.json().at("error").at("code"), "VALIDATION.retry_after") << value;
        EXPECT_THAT(run.err, HasSubstr("is not a Retry-After")) << value;
    }
}

TEST(CtlRetry, ListsTheTaxonomy)
{
    const auto run = ctl("--json errors");
    ASSERT_EQ(run.code, 0);
    std::set<std::string> codes;
    for (const auto& row : run.lines()) {
        codes.insert(row.at("code").get<std::string>());
        EXPECT_FALSE(row.at("hint").get<std::string>().empty());
        if (row.at("code") == "RATE_LIMIT.exceeded") {
            EXPECT_EQ(row.at("retry"), true);
            EXPECT_EQ(row.at("status"), 429);
            EXPECT_EQ(row.at("hint"), "Wait & retry");
        }
        if (row.at("code") == "CONFLICT.idempotency.payload_mismatch") {
            EXPECT_EQ(row.at("retry"), false);
            EXPECT_EQ(row.at("aliases").size(), 2U);
        }
    }
    for (const char* code : { "VALIDATION.*", "AUTH.*", "CONFLICT.idempotency.payload_mismatch", "RATE_LIMIT.exceeded",
             "DEPENDENCY.timeout", "DEPENDENCY.unavailable", "TRANSIENT.*", "PROVIDER.duplicate" })
        EXPECT_TRUE(codes.count(code)) << code;
    EXPECT_THAT(ctl("errors").out, HasSubstr("AUTH.*"));
}

TEST(CtlRetry, AnswersUsageErrorsWithTwo)
{
    for (const char* words :
        { "retry", "retry schedule", "retry schedule --preset nonsense",
            "retry schedule --preset playbook --attempts 0", "retry schedule --preset playbook --attempts x",
            "retry schedule --preset playbook --attempts 1001", "retry schedule --preset playbook --seed -1",
            "retry schedule --preset playbook --seed x", "retry schedule --preset playbook --seed 99999999999999999999",
            "retry schedule --preset playbook --retry-after soon", "retry schedule --preset playbook --jitter more",
            "retry-after", "retry-after 5 --now yesterday", "errors more" }) {
        const auto run = ctl(words);
        EXPECT_EQ(run.code, 2) << words;
        EXPECT_FALSE(run.err.empty()) << words;
    }
    EXPECT_EQ(ctl("retry schedule --preset playbook --seed 18446744073709551615").code, 0);
}

} // namespace
} // namespace fencepost::test

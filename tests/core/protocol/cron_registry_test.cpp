// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/protocol/cron_registry.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

std::string refusalOf(const std::string& text)
{
    const auto parsed = parseCronRegistry(text);
    return parsed ? "" : parsed.error().message;
}

std::string job(const std::string& members)
{
    return R"({"format":1,"jobs":[{)" + members + "}]}";
}

CronJob jobOf(const std::string& schedule, MissedSlots missed)
{
    CronJob one;
    one.id = "j";
    one.schedule = *CronSchedule::parse(schedule);
    one.missed = missed;
    return one;
}

std::string dueOf(const CronJob& one, const char* now)
{
    std::string text;
    for (const auto slot : dueSlots(one, *parseInstant(now)))
        text += (text.empty() ? "" : " ") + runIdOf(one.id, slot);
    return text;
}

TEST(CronRegistries, SayWhatIsDueWhere)
{
    const auto parsed = parseCronRegistry(R"({"format":1,"jobs":[
        {"id":"nightly","schedule":"0 2 * * *","command":["report","--all"],"scopes":["eu","us"]},
        {"id":"sync","schedule":"*/5 * * * *","url":"http://localhost/sync","missed":"all","catch_up":"1h"},
        {"id":"mail","schedule":"0 8 * * MON-FRI","url_env":"MAIL_URL","path":"/cron/mail","missed":"skip"}]})");
    ASSERT_TRUE(parsed) << parsed.error().message;
    ASSERT_EQ(parsed->jobs.size(), 3U);
    EXPECT_EQ(parsed->jobs[0].scopes, (std::vector<std::string>{ "eu", "us" }));
    EXPECT_EQ(parsed->jobs[1].scopes, std::vector<std::string>{ "cron" });
    EXPECT_EQ(parsed->jobs[0].missed, MissedSlots::Latest);
    EXPECT_EQ(parsed->jobs[0].catchUp, 24h);
    EXPECT_EQ(parsed->jobs[1].catchUp, 1h);
    EXPECT_EQ(parsed->jobs[2].path, "/cron/mail");
}

TEST(CronRegistries, KeepNoCredentials)
{
    for (const auto* url : { "http://u:hunter2@x/run", "https://x/run?token=hunter2" }) {
        const auto said =
            refusalOf(R"({"format":1,"jobs":[{"id":"a","schedule":"0 0 * * *","url":")" + std::string(url) + R"("}]})");
        EXPECT_NE(said.find("FENCEPOST_AUTHORIZATION"), std::string::npos) << said;
        EXPECT_EQ(said.find("hunter2"), std::string::npos) << said;
    }
    const auto said = refusalOf(R"({"format":1,"jobs":[{"id":"a","schedule":"0 0 * * *","url":"ftp://u:hunter2@x"}]})");
    EXPECT_EQ(said.find("hunter2"), std::string::npos) << said;
}

TEST(CronRegistries, ReadTheSpellingOfRegistriesInCode)
{
    const auto parsed = parseCronRegistry(R"json({"format":1,"jobs":[
        {"id":"release-commission-locks","schedule":"cron(0 * * * ? *)","targetUrlEnv":"MEMBERSHIP_URL",
         "path":"/v1/admin/commission-locks/release-expired","scopes":["membership:admin"]},
        {"id":"a","schedule":"0 0 * * *","target":"$MAIL_URL/cron/mail"},
        {"id":"b","schedule":"0 0 * * *","target":"https://localhost/sync"},
        {"id":"c","schedule":"0 0 * * *","target":["report","--all"]}]})json");
    ASSERT_TRUE(parsed) << parsed.error().message;
    const auto& release = parsed->jobs[0];
    EXPECT_EQ(release.urlVariable, "MEMBERSHIP_URL");
    EXPECT_EQ(dueOf(release, "2026-11-20T10:00:30Z"), "release-commission-locks@2026-11-20T10:00:00Z");
    EXPECT_EQ(parsed->jobs[1].urlVariable + parsed->jobs[1].path, "MAIL_URL/cron/mail");
    EXPECT_EQ(parsed->jobs[2].url, "https://localhost/sync");
    EXPECT_EQ(parsed->jobs[3].command, (std::vector<std::string>{ "report", "--all" }));
    for (const auto* target : { "\"\"", "\"$\"", "\"$/x\"", "\"ftp://x\"", "1", "[]" })
        EXPECT_NE(refusalOf(job(R"("id":"a","schedule":"* * * * *","target":)" + std::string(target))), "") << target;
}

TEST(CronRegistries, AreRefusedWithThePlaceAndWhatItExpects)
{
    const std::string good = R"("id":"a","schedule":"* * * * *","command":["x"])";
    EXPECT_EQ(refusalOf(job(good)), "");
    EXPECT_EQ(refusalOf(R"({"format":2,"jobs":[]})"), "format: this build reads format 1");
    EXPECT_EQ(refusalOf(R"({"format":1,"jobs":[],"job":[]})"), "job: no such part; there are format, jobs");
    EXPECT_EQ(refusalOf(job(R"("schedule":"* * * * *","command":["x"])")), "jobs[0]: id is missing");
    EXPECT_EQ(refusalOf(job(R"("id":"a","schedule":"* 24 * * *","command":["x"])")),
        "jobs[0].schedule: \"24\" is no hour of a schedule; expected 0 to 23, *, ranges, lists or steps, such as "
        "0-30/10");
    EXPECT_EQ(refusalOf(job(R"("id":"a","schedule":"0 2 30 2 *","command":["x"])")),
        "jobs[0].schedule: \"0 2 30 2 *\" never comes; expected a day that one of its months has");
    EXPECT_EQ(refusalOf(job(R"("id":"a","schedule":"* * * * *")")),
        "jobs[0]: expected one of command, url, url_env and target, there are 0");
    EXPECT_EQ(refusalOf(job(good + R"(,"url":"http://x")")),
        "jobs[0]: expected one of command, url, url_env and target, there are 2");
    EXPECT_EQ(refusalOf(job(good + R"(,"missed":"some")")), "jobs[0].missed: \"some\" is not one of skip, latest, all");
    EXPECT_EQ(refusalOf(job(good + R"(,"catch_up":"1s")")),
        "jobs[0].catch_up: \"1s\" is not a duration of at least a minute, such as \"24h\"");
    EXPECT_EQ(refusalOf(job(good + R"(,"scopes":["a","a"])")),
        "jobs[0].scopes: [\"a\",\"a\"] is not a list of different scopes");
    EXPECT_EQ(refusalOf(job(good + R"(,"command":[1])")).empty(), false);
    EXPECT_EQ(refusalOf(job(good + R"(,"path":"/x")")), "jobs[0]: path goes with url_env");
    EXPECT_EQ(refusalOf(job(good + R"(,"when":1)")).substr(0, 29), "jobs[0].when: no such member;");
    EXPECT_EQ(
        refusalOf(R"({"format":1,"jobs":[{)" + good + "},{" + good + "}]}"), "jobs[1].id: \"a\" is another job's id");
    for (const auto* broken : { "", "{", "{}", "[1]", "1", R"({"format":1})", R"({"format":1,"jobs":[1]})" })
        EXPECT_FALSE(parseCronRegistry(broken)) << broken;
}

TEST(CronRegistries, AreAlsoListsAsServicesKeepThemInCode)
{
    const std::string jobs = R"json([{"id":"nightly","schedule":"0 2 * * *","targetUrlEnv":"BILLING_URL","path":"/run",
        "scopes":["billing"]},{"id":"hourly","schedule":"0 * * * *","command":["true"]}])json";
    for (const auto& text : { jobs, R"({"jobs":)" + jobs + '}', R"({"format":1,"jobs":)" + jobs + '}' }) {
        const auto parsed = parseCronRegistry(text);
        ASSERT_TRUE(parsed) << parsed.error().message;
        ASSERT_EQ(parsed->jobs.size(), 2U);
        EXPECT_EQ(parsed->jobs[0].urlVariable, "BILLING_URL");
        EXPECT_EQ(parsed->jobs[1].id, "hourly");
    }
    EXPECT_TRUE(parseCronRegistry("[]")->jobs.empty());
}

TEST(CronRegistries, MakeUpForWhatTheJobSays)
{
    const auto* now = "2026-11-20T10:30:20Z";
    EXPECT_EQ(dueOf(jobOf("30 10 * * *", MissedSlots::Skip), now), "j@2026-11-20T10:30:00Z");
    EXPECT_EQ(dueOf(jobOf("29 10 * * *", MissedSlots::Skip), now), "");
    EXPECT_EQ(dueOf(jobOf("0 2 * * *", MissedSlots::Latest), now), "j@2026-11-20T02:00:00Z");
    EXPECT_EQ(dueOf(jobOf("0 */10 * * *", MissedSlots::All), now),
        "j@2026-11-19T20:00:00Z j@2026-11-20T00:00:00Z j@2026-11-20T10:00:00Z");
    EXPECT_EQ(dueOf(jobOf("0 2 1 * *", MissedSlots::All), now), "") << "older than a day";
    EXPECT_EQ(dueSlots(jobOf("* * * * *", MissedSlots::All), *parseInstant(now)).size(), 1000U);
}

} // namespace

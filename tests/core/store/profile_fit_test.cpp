// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include <unistd.h>

#include "core/ids.h"
#include "tests/core/store/framework_fixture.h"

namespace fencepost::test {

namespace {

std::string joined(const std::vector<std::string>& lines)
{
    std::string text;
    for (const auto& line : lines)
        text += line + '\n';
    return text;
}

// What a profile makes of a table that is not quite the one that it was written for.
class ProfileFit : public FrameworkTest {
protected:
    Status add(const std::string& json) { return library.add(json, "test.json"); }

    static std::string profileWith(const std::string& piece = {}, const std::string& replacement = {})
    {
        std::string text = R"({"profile": "test.work", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
            "detect": {"require": {"t": ["id", "st"]}}, "source": {"tables": {"t": "work"}}, "identity": ["id"],
            "fields": {"key": ["text", ["col", "id"]], "raw_state": ["col", "st"], "owner": ["col", "worker"]},
            "payload": {"body": ["col", "body"]},
            "state": [{"when": ["eq", ["col", "st"], "open"], "is": "PENDING"}, {"when": ["true"], "is": "SUCCEEDED"}],
            "stuck": ["eq", ["col", "st"], "open"],
            "actions": {"discard": {"needs": ["export"], "steps": [{"delete": true, "when": ["eq", ["col", "st"], "done"], "unchanged": ["st"]}]}}})";
        const auto at = text.find(piece);
        EXPECT_NE(at, std::string::npos) << piece;
        return text.replace(at, piece.size(), replacement);
    }

    void makeWork(const std::string& table = "work")
    {
        run("CREATE TABLE " + table + " (id INTEGER PRIMARY KEY, st TEXT, worker TEXT, body TEXT)");
        run("INSERT INTO " + table + " VALUES (1, 'open', 'w', 'b'), (2, 'done', 'w', 'b')");
    }

    std::vector<Unfit> unfit()
    {
        EXPECT_TRUE(writing().bindings(true));
        const auto found = writing().unfit();
        EXPECT_TRUE(found);
        return *found;
    }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Backends, ProfileFit, bothDialects(), nameOfDialect);

TEST_P(ProfileFit, SaysWhichColumnsThatItReadsAreNotThere)
{
    ASSERT_TRUE(add(profileWith("\"worker\"", "\"wroker\"")));
    makeWork();
    const auto work = bindingOf("test.work");
    EXPECT_EQ(work.absent, std::vector<std::string>{ "field owner: the table has no column \"wroker\"" });
    EXPECT_EQ(rowsOf(work).size(), 2U);
}

TEST_P(ProfileFit, SaysWhyATableOfItsNameIsNotRead)
{
    makeWork();
    const auto why = [&](const std::string& piece, const std::string& replacement) {
        EXPECT_TRUE(add(profileWith(piece, replacement))) << replacement;
        const auto found = unfit();
        EXPECT_EQ(found.size(), 1U) << replacement;
        return found.empty() ? std::string() : found.front().why;
    };
    EXPECT_EQ(why(R"(["id", "st"])", R"(["id", "stt"])"), "it has no column \"stt\"");
    EXPECT_EQ(why(R"({"when": ["eq", ["col", "st"])", R"({"when": ["eq", ["col", "stt"])"),
        "/state/0/when: the table has no column \"stt\"");
    EXPECT_EQ(why(R"("stuck": ["eq", ["col", "st"])", R"("stuck": ["eq", ["col", "stt"])"),
        "/stuck: the table has no column \"stt\"");
    EXPECT_EQ(why(R"("identity": ["id"])", R"("identity": ["idd"])"), "/identity: the table has no column \"idd\"");
    EXPECT_EQ(why(R"("payload")", R"("lane": {"group": ["grp"], "order": ["id"], "waits": ["true"]}, "payload")"),
        "/lane: the table has no column \"grp\"");
    const auto surveyed = writing().mapper().tables(true);
    ASSERT_TRUE(surveyed);
    ASSERT_EQ(surveyed->size(), 1U);
    EXPECT_EQ(surveyed->front().reasons,
        std::vector<std::string>{ "It is not read as test.work: /lane: the table has no column \"grp\"." });
    ASSERT_TRUE(add(profileWith()));
    EXPECT_TRUE(unfit().empty());
    EXPECT_TRUE(bindingOf("test.work").absent.empty());
}

TEST_P(ProfileFit, IsReadUnderAnotherNameWhereThatIsSaid)
{
    makeWork("my_jobs");
    ASSERT_TRUE(add(profileWith()));
    EXPECT_TRUE(writing().bindings(true)->empty());
    ASSERT_TRUE(library.choose("my_jobs", "test.work"));
    const auto work = bindingOf("test.work");
    EXPECT_EQ(work.table, "my_jobs");
    EXPECT_EQ(work.reasons.front(), "it was chosen to be read as a table \"work\"");
    EXPECT_EQ(rowsOf(work, "state = PENDING").size(), 1U);
    const auto plan = planFor(work, "discard", rowsOf(work).back(), { { "exported_to", "f" } });
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(applyPlan(writing(), *plan, "a@b", {})->changed, 1);

    run("CREATE TABLE others (id INTEGER PRIMARY KEY, worker TEXT)");
    ASSERT_TRUE(library.choose("others", "test.work"));
    auto found = unfit();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].why, "it has no column \"st\"");
    EXPECT_TRUE(found[0].chosen);
    // Fencepost's own statements name their tables themselves.
    ASSERT_TRUE(library.choose("others", "fencepost.outbox_messages"));
    found = unfit();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].why.find("only Fencepost's own tables"), std::string::npos) << found[0].why;
    run("DROP TABLE others");
}

TEST_P(ProfileFit, FindsATableBesideUnderTheNameThatWasChosenForIt)
{
    load("masstransit");
    run("ALTER TABLE \"OutboxMessage\" RENAME TO outbox_message");
    run("ALTER TABLE \"OutboxState\" RENAME TO outbox_state");
    ASSERT_TRUE(library.choose("outbox_message", "masstransit.ef.outboxmessage"));
    const auto found = unfit();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].profile, "masstransit.ef.outboxmessage");
    EXPECT_NE(found[0].why.find("OutboxState"), std::string::npos) << found[0].why;
    EXPECT_EQ(found[1].profile, "masstransit.ef.outboxstate_snake");
    ASSERT_TRUE(library.choose("outbox_state", "masstransit.ef.outboxstate"));
    const auto messages = bindingOf("masstransit.ef.outboxmessage");
    EXPECT_EQ(messages.table, "outbox_message");
    EXPECT_EQ(rowOf(rowsOf(messages), "00000003-0000-4000-8000-000000000003")->state, "DEAD");
    EXPECT_EQ(rowOf(rowsOf(messages), "00000003-0000-4000-8000-000000000001")->state, "PENDING");
}

TEST_P(ProfileFit, PlansOnlyWhatMeetsTheConditionWhateverIsSaidBesides)
{
    ASSERT_TRUE(add(profileWith()));
    makeWork();
    const auto work = bindingOf("test.work");
    const auto plan = makePlan(writing(), work,
        { .verb = "discard",
            .filter = "key in (1, 2)",
            .identities = {},
            .parameters = { { "exported_to", "file" } },
            .reason = "r",
            .actor = "a@b" },
        random);
    ASSERT_TRUE(plan) << plan.error().message;
    ASSERT_EQ(plan->items.size(), 1U);
    EXPECT_EQ(plan->items[0].key, "2");
    ASSERT_EQ(plan->leftOut.size(), 1U);
    EXPECT_EQ(plan->leftOut[0].why, "the profile's condition for it does not hold");
}

TEST_P(ProfileFit, KnowsNoRowThatIsNotOfItsView)
{
    ASSERT_TRUE(add(profileWith(R"("source": {"tables": {"t": "work"}})",
        R"("source": {"tables": {"t": "work"}, "where": ["eq", ["col", "st"], "open"]})")));
    makeWork();
    const auto work = bindingOf("test.work");
    const auto inside = writing().row(work, { "1" });
    const auto outside = writing().row(work, { "2" });
    ASSERT_TRUE(inside && outside);
    EXPECT_TRUE(*inside);
    EXPECT_FALSE(*outside);
}

TEST_P(ProfileFit, JudgesWhatIsStuckByTheDurationThatIsSaid)
{
    load("oban");
    const auto jobs = bindingOf("oban.jobs");
    const auto rows = rowsOf(jobs);
    const auto young = planFor(jobs, "release", *rowOf(rows, "4"), {});
    ASSERT_TRUE(young);
    EXPECT_TRUE(young->items.empty());
    const auto said = planFor(jobs, "release", *rowOf(rows, "4"), { { "stuckAfter", "PT10S" } });
    ASSERT_TRUE(said) << said.error().message;
    EXPECT_EQ(said->items.size(), 1U);
    const auto longer = planFor(jobs, "release", *rowOf(rows, "3"), { { "stuckAfter", "PT10H" } });
    ASSERT_TRUE(longer);
    EXPECT_TRUE(longer->items.empty());
}

TEST_P(ProfileFit, NamesTheRowThatAUniqueIndexWouldNotHaveTwice)
{
    load("river");
    run("CREATE UNIQUE INDEX river_job_unique_idx ON river_job (unique_key) WHERE unique_key IS NOT NULL AND state IN "
        "('available', 'running')");
    const auto key = sqlite() ? "x'01ff'" : "'\\x01ff'";
    run(std::string("UPDATE river_job SET unique_key = ") + key + " WHERE id IN (1, 7)");
    const auto jobs = bindingOf("river.job");
    const auto plan = planFor(jobs, "replay", *rowOf(rowsOf(jobs), "7"), {});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto report = applyPlan(writing(), *plan, "a@b", {});
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->failed, 1);
    EXPECT_NE(report->items[0].outcome.reason.find("it is blocked by 1 (PENDING), which has the same unique_key"),
        std::string::npos)
        << report->items[0].outcome.reason;
    EXPECT_EQ(report->items[0].outcome.reason.find("01ff"), std::string::npos) << report->items[0].outcome.reason;
    EXPECT_EQ(rowOf(rowsOf(jobs), "7")->state, "DEAD");
}

class PostgresFit : public ProfileFit { };

INSTANTIATE_TEST_SUITE_P(Backends, PostgresFit, ::testing::Values(store::Dialect::PostgreSql), nameOfDialect);

TEST_P(PostgresFit, ReadsAnEnumThatDoesNotKnowALabelYet)
{
    load("oban");
    run("ALTER TABLE oban_jobs ALTER COLUMN state DROP DEFAULT");
    run("CREATE TYPE older_state AS ENUM ('available', 'scheduled', 'executing', 'retryable', 'completed', "
        "'discarded', "
        "'cancelled')");
    run("ALTER TABLE oban_jobs ALTER COLUMN state TYPE older_state USING state::text::older_state");
    const auto jobs = bindingOf("oban.jobs");
    EXPECT_NE(
        joined(jobs.reasons).find("its enum state has no label \"suspended\", so no row has it"), std::string::npos)
        << joined(jobs.reasons);
    const auto rows = rowsOf(jobs);
    ASSERT_EQ(rows.size(), 9U);
    EXPECT_EQ(rowOf(rows, "1")->state, "PENDING");
    EXPECT_EQ(rowOf(rows, "8")->state, "DEAD");
    EXPECT_EQ(keysOf(rowsOf(jobs, "stuck")), "3 9");
    EXPECT_EQ(rowsOf(jobs, "state = PENDING").size(), 2U);
    const auto plan = planFor(jobs, "replay", *rowOf(rows, "7"), {});
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(applyPlan(writing(), *plan, "a@b", {})->changed, 1);
    PageRequest request;
    request.filter = *parseFilter("state = IN_PROGRESS");
    const auto explained = writing().explain(jobs, request);
    ASSERT_TRUE(explained);
    EXPECT_EQ(explained->find("CAST(t.\"state\" AS text) ="), std::string::npos) << *explained;
}

TEST_P(PostgresFit, DoesNotOfferToWriteALabelThatAnEnumDoesNotHave)
{
    run("CREATE TYPE work_state AS ENUM ('open', 'done')");
    run("CREATE TABLE work (id INTEGER PRIMARY KEY, st work_state, worker TEXT, body TEXT)");
    run("INSERT INTO work VALUES (1, 'open'), (2, 'done'), (3, NULL)");
    ASSERT_TRUE(add(profileWith(R"("actions": {)",
        R"("actions": {"fail": {"steps": [{"set": {"st": "broken"}, "when": ["ne", ["col", "st"], "broken"]}]},
            "release": {"steps": [{"set": {"worker": null}, "when": ["ne", ["col", "st"], "broken"]}]},)")));
    const auto work = bindingOf("test.work");
    EXPECT_EQ(capability(work, "fail")->why, "the enum of the column st has no label \"broken\"");
    // What no row has is another than what any row has, where it has one.
    const auto rows = rowsOf(work);
    EXPECT_NE(rowOf(rows, "1")->extra.at(rowActions).find("release"), std::string::npos);
    EXPECT_EQ(rowOf(rows, "3")->extra.at(rowActions).find("release"), std::string::npos);
}

TEST_P(PostgresFit, NeitherReadsNorChangesTablesInASchemaOfAHostileName)
{
    const std::string schema = R"("sc"";DROP TABLE y;--")";
    run("CREATE SCHEMA " + schema);
    run("CREATE TABLE " + schema + ".work (id INTEGER PRIMARY KEY, st TEXT, worker TEXT, body TEXT)");
    ASSERT_TRUE(add(profileWith()));
    const auto work = bindingOf("test.work");
    EXPECT_FALSE(work.canRead);
    EXPECT_NE(joined(work.warnings).find("of its schema, its name has quotes"), std::string::npos)
        << joined(work.warnings);
    EXPECT_EQ(writing().page(work, {}).error().failure, Failure::Denied);
    EXPECT_FALSE(capability(work, "discard")->allowed);
    run("DROP SCHEMA " + schema + " CASCADE");
}

// It would run with the rights of whoever compares a row of a varchar column.
TEST_P(PostgresFit, ChangesNothingWhereOthersFunctionsTakeThePlaceOfItsOwn)
{
    run("CREATE DOMAIN word AS TEXT");
    run("CREATE TABLE work (id INTEGER PRIMARY KEY, st VARCHAR, worker word, body TEXT)");
    run("INSERT INTO work VALUES (1, 'open', 'w', 'b'), (2, 'done', 'w', 'b')");
    ASSERT_TRUE(add(profileWith()));
    EXPECT_TRUE(capability(bindingOf("test.work"), "discard")->allowed);
    const std::string role = "mallory_" + std::to_string(::getpid());
    run("CREATE ROLE " + role);
    run("GRANT CREATE, USAGE ON SCHEMA public TO " + role);
    run("SET ROLE " + role);
    run("CREATE FUNCTION same(VARCHAR, TEXT) RETURNS BOOLEAN LANGUAGE sql AS 'SELECT true'");
    run("CREATE OPERATOR public.= (LEFTARG = VARCHAR, RIGHTARG = TEXT, FUNCTION = same)");
    const auto refused = [&](const std::string& because) {
        const auto work = bindingOf("test.work");
        EXPECT_FALSE(capability(work, "discard")->allowed);
        EXPECT_NE(joined(work.warnings).find("(" + because + ", which is " + role + "'s)"), std::string::npos)
            << joined(work.warnings);
    };
    run("RESET ROLE");
    refused("public.= of character varying and text");
    run("DROP OPERATOR public.= (VARCHAR, TEXT)");
    EXPECT_TRUE(capability(bindingOf("test.work"), "discard")->allowed);
    run("SET ROLE " + role);
    run("CREATE FUNCTION same(word, TEXT) RETURNS BOOLEAN LANGUAGE sql AS 'SELECT true'");
    run("CREATE OPERATOR public.= (LEFTARG = word, RIGHTARG = TEXT, FUNCTION = same)");
    run("RESET ROLE");
    refused("public.= of word and text");
    run("DROP OPERATOR public.= (word, TEXT)");
    run("SET ROLE " + role);
    run("CREATE FUNCTION lower(word) RETURNS TEXT LANGUAGE sql AS 'SELECT $1::text'");
    run("RESET ROLE");
    refused("public.lower(word)");
    run("DROP OWNED BY " + role);
    run("DROP ROLE " + role);
    EXPECT_TRUE(writing().bindings(true));
    EXPECT_TRUE(capability(bindingOf("test.work"), "discard")->allowed);
}

TEST_P(PostgresFit, ReadsADomainAsTheTypeThatItIsOf)
{
    run("CREATE DOMAIN moment AS TIMESTAMPTZ");
    run("CREATE TABLE work (id INTEGER PRIMARY KEY, st TEXT, worker TEXT, body TEXT, at moment)");
    run("INSERT INTO work VALUES (1, 'open', 'w', 'b', '2026-01-02T03:04:05Z')");
    ASSERT_TRUE(add(profileWith(R"("owner": ["col", "worker"])", R"("created_us": ["col", "at"])")));
    const auto work = bindingOf("test.work");
    ASSERT_TRUE(work.canRead) << joined(work.warnings);
    EXPECT_EQ(rowOf(rowsOf(work), "1")->createdAt, *parseInstant("2026-01-02T03:04:05Z"));
}

TEST_P(PostgresFit, SaysWhichPartDoesNotGoWithTheTypesOfTheColumns)
{
    makeWork();
    ASSERT_TRUE(add(profileWith(
        R"("stuck": ["eq", ["col", "st"], "open"])", R"("stuck": ["lt", ["col", "st"], ["add", ["col", "id"], 1]])")));
    const auto work = bindingOf("test.work");
    EXPECT_FALSE(work.canRead);
    EXPECT_NE(joined(work.warnings)
                  .find("/stuck does not go with the types of the table's columns (operator does not "
                        "exist: text < "),
        std::string::npos)
        << joined(work.warnings);
    EXPECT_EQ(joined(work.warnings).find("LINE"), std::string::npos) << joined(work.warnings);
}

TEST_P(PostgresFit, ShowsAnArrayAsTheJsonThatItHolds)
{
    load("oban");
    run("UPDATE oban_jobs SET errors = ARRAY['{\"at\": 1, \"error\": \"a\"}', '{\"at\": 2, \"error\": "
        "\"b\"}']::jsonb[] "
        "WHERE id = 7");
    const auto jobs = bindingOf("oban.jobs");
    const auto details = writing().details(jobs, { "7" }, 1'000);
    ASSERT_TRUE(details && *details);
    for (const auto& payload : (*details)->payloads)
        if (payload.name == "errors") {
            EXPECT_EQ(payload.bytes, R"([{"at": 1, "error": "a"}, {"at": 2, "error": "b"}])");
            return;
        }
    FAIL() << "no errors";
}

} // namespace fencepost::test

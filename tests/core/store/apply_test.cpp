// SPDX-License-Identifier: GPL-3.0-or-later
#include <thread>

#include <gmock/gmock.h>

#include <QDir>
#include <QFile>

#include "core/forensics.h"
#include "core/operations/plan.h"
#include "core/profile/library.h"
#include "core/store/own_audit.h"
#include "core/store/schema.h"
#include "core/store/sql_outbound_ledger.h"
#include "core/store/statements.h"
#include "core/store/stores.h"
#include "tests/support/dialects.h"
#include "tests/support/temp_database.h"

namespace fencepost {
namespace {

using namespace store;
using namespace std::chrono_literals;
using test::TempDatabase;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Plans made and carried out on a real database, through the same door as the programs'.
class ApplyTest : public ::testing::TestWithParam<Dialect> {
protected:
    void SetUp() override
    {
        ASSERT_EQ(database.problem(), "");
        auto opened = database.connect();
        ASSERT_TRUE(opened) << opened.error().detail;
        raw = std::move(*opened);
        library = std::move(*profile::shippedLibrary());
        prepareTables();
        backend = open();
        ASSERT_TRUE(backend);
    }

    virtual void prepareTables()
    {
        const auto made = initSchema(*raw, false);
        ASSERT_TRUE(made) << made.error().message << made.error().detail;
    }

    std::unique_ptr<Backend> open(Access access = Access::ReadWrite)
    {
        OpenRequest request;
        request.target = database.target();
        request.options.access = access;
        request.options.lockTimeout = 5s;
        request.clock = &clock;
        request.bindClock = true;
        request.profiles = &library;
        request.auditPath = auditPath();
        auto opened = store::open(request);
        EXPECT_TRUE(opened) << opened.error().message << ": " << opened.error().detail;
        return opened ? std::move(*opened) : nullptr;
    }

    std::string auditPath() const { return (database.folder() + QLatin1String("/audit.sqlite")).toStdString(); }

    Inspector& inspector() { return backend->inspector(); }

    Binding binding()
    {
        auto all = inspector().bindings(true);
        EXPECT_TRUE(all) << all.error().message << all.error().detail;
        for (const auto& candidate : *all)
            if (candidate.kind == Kind::Idempotency)
                return candidate;
        ADD_FAILURE() << "no table was recognised";
        return {};
    }

    Plan plan(const char* verb, const std::string& filter, const std::map<std::string, std::string>& parameters = {})
    {
        PlanRequest request;
        request.verb = verb;
        request.filter = filter;
        request.parameters = parameters;
        request.reason = "incident 7";
        request.actor = "op@host";
        auto made = makePlan(inspector(), binding(), request, random);
        EXPECT_TRUE(made) << made.error().message << ": " << made.error().detail;
        // Through the file, as every plan goes.
        auto read = parsePlan(formatPlan(*made));
        EXPECT_TRUE(read);
        return *read;
    }

    RunReport apply(const Plan& what)
    {
        auto report = applyPlan(inspector(), what, "op@host", {});
        EXPECT_TRUE(report) << report.error().message << ": " << report.error().detail;
        return report ? *report : RunReport{};
    }

    std::vector<std::string> results(const RunReport& report)
    {
        std::vector<std::string> out;
        for (const auto& item : report.items)
            out.push_back(std::string(wordOf(item.outcome.result))
                + (item.outcome.result == ItemResult::Failed ? ": " + item.outcome.reason : ""));
        return out;
    }

    Plan undo(const std::string& requestId)
    {
        auto made = makeUndo(inspector(), requestId, "", "op@host", random);
        EXPECT_TRUE(made) << made.error().message << ": " << made.error().detail;
        return made ? *made : Plan{};
    }

    // Every column of every row as text, but for the ones named.
    std::string dump(const std::string& table, const std::string& columns)
    {
        auto statement = raw->prepare("SELECT " + columns + " FROM " + table + " ORDER BY idempotency_key");
        EXPECT_TRUE(statement) << statement.error().detail;
        EXPECT_TRUE((*statement)->run());
        std::string out;
        while ((*statement)->next()) {
            for (int column = 0; column < (*statement)->columnCount(); ++column)
                out += (*statement)->isNull(column) ? "~|" : (*statement)->text(column) + '|';
            out += '\n';
        }
        (*statement)->finish();
        return out;
    }

    std::int64_t number(const std::string& sql)
    {
        auto statement = raw->prepare(sql);
        EXPECT_TRUE(statement) << statement.error().detail;
        EXPECT_TRUE((*statement)->run());
        EXPECT_TRUE((*statement)->next());
        const auto value = (*statement)->integer(0);
        (*statement)->finish();
        return value;
    }

    void run(const std::string& sql)
    {
        const auto done = raw->execute(sql);
        ASSERT_TRUE(done) << sql << ": " << done.error().detail;
    }

    std::vector<AuditEntry> audit(const std::string& requestId)
    {
        auto entries = inspector().audit({ .requestId = requestId });
        EXPECT_TRUE(entries) << entries.error().message << entries.error().detail;
        return entries ? *entries : std::vector<AuditEntry>{};
    }

    void expectIntact()
    {
        const auto verdict = inspector().verifyAudit();
        ASSERT_TRUE(verdict) << verdict.error().message << verdict.error().detail;
        EXPECT_TRUE(verdict->intact) << verdict->reason;
    }

    TempDatabase database{ GetParam() };
    std::unique_ptr<Connection> raw;
    profile::Library library;
    ManualClock clock{ *parseInstant("2026-11-20T12:00:00Z") };
    SeededRandom random{ 7 };
    std::unique_ptr<Backend> backend;
};

class OwnTableTest : public ApplyTest {
protected:
    Reserved reserve(const std::string& key, Takeover takeover = Takeover::Auto, int maxAttempts = 0,
        const std::string& request = "a request")
    {
        Reservation wish;
        wish.id = { "pay", "charge", key };
        wish.requestHash = sha256(request);
        wish.owner = { uuid4(random) };
        wish.lease = 60s;
        wish.ttl = 24h;
        wish.takeover = takeover;
        wish.maxAttempts = maxAttempts;
        auto reserved = backend->store().reserve(wish);
        EXPECT_TRUE(reserved) << reserved.error().message << reserved.error().detail;
        return reserved ? *reserved : Reserved{};
    }

    Claim claimOf(const Reserved& reserved)
    {
        return { reserved.record->id, reserved.record->owner, reserved.record->fence };
    }

    Outcome finalize(const Reserved& reserved)
    {
        Completion completion;
        completion.response.code = 201;
        completion.response.body = "done";
        auto applied = backend->store().finalize(claimOf(reserved), completion);
        EXPECT_TRUE(applied);
        return applied->outcome;
    }

    Record record(const std::string& key)
    {
        auto found = backend->store().find({ "pay", "charge", key });
        EXPECT_TRUE(found && *found);
        return **found;
    }

    static constexpr auto stableColumns =
        "scope, operation_type, idempotency_key, status, owner_execution_id, fence, attempt, lease_expires_at,"
        " not_before, hold, hold_reason, response_code, response_body, completed_at, expires_at, tombstone_until,"
        " takeover_policy, created_at, started_at";
};

INSTANTIATE_TEST_SUITE_P(Backends, OwnTableTest, test::bothDialects(), test::nameOfDialect);

TEST_P(OwnTableTest, SkipsAnOwnerWhoCameBackToLife)
{
    const auto slow = reserve("a");
    reserve("b");
    clock.advance(61s);
    const auto what = plan("fence", "stuck");
    ASSERT_TRUE(backend->store().renew(claimOf(slow), 1h));
    const auto report = apply(what);
    EXPECT_EQ(report.changed, 1);
    EXPECT_EQ(report.skipped, 1);
    EXPECT_EQ(record("a").fence, slow.record->fence);
    EXPECT_FALSE(record("a").hold);
    EXPECT_EQ(finalize(slow), Outcome::Applied);
    // Whoever sees the live lease and says so fences it.
    const auto live = reserve("c");
    EXPECT_EQ(apply(plan("fence", "key = c")).changed, 1);
    EXPECT_EQ(finalize(live), Outcome::LostOwnership);
}

// Services use digests for keys, and PostgreSQL prints octets like that.
TEST_P(OwnTableTest, ChangesTheKeyThatIsSpelledLikeOctets)
{
    const std::vector<std::string> keys{ "A", "\\x41", "\\xdeadbeef00", "\\xyz", "\\x", "\\b41", "\\\\x41" };
    for (const auto& key : keys)
        reserve(key);
    clock.advance(61s);
    PageRequest request;
    request.filter = *parseFilter("stuck");
    const auto page = inspector().page(binding(), request);
    ASSERT_TRUE(page) << page.error().message;
    std::set<std::string> shown;
    std::set<std::vector<std::string>> identities;
    for (const auto& row : page->rows) {
        shown.insert(row.key);
        identities.insert(row.identity);
    }
    EXPECT_EQ(shown, std::set<std::string>(keys.begin(), keys.end()));
    EXPECT_EQ(identities.size(), keys.size());
    // Page by page, each of them once.
    request.limit = 1;
    request.order = "key";
    std::set<std::string> walked;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto one = inspector().page(binding(), request);
        ASSERT_TRUE(one) << one.error().message;
        ASSERT_EQ(one->rows.size(), 1U);
        walked.insert(one->rows[0].key);
        request.after = one->cursors[0];
    }
    EXPECT_EQ(walked, shown);
    for (const auto& key : keys) {
        const auto what = plan(
            "release", "key = \"" + [&] {
                std::string quoted;
                for (const char c : key)
                    quoted += c == '\\' ? std::string("\\\\") : std::string(1, c);
                return quoted;
            }() + "\"");
        ASSERT_EQ(what.items.size(), 1U) << key;
        const auto report = apply(what);
        EXPECT_EQ(report.changed, 1) << key << ' ' << (report.items.empty() ? "" : report.items[0].outcome.reason);
        EXPECT_EQ(record(key).status, State::FailedRetryable) << key;
    }
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_records WHERE status = 'FAILED_RETRYABLE'"),
        static_cast<std::int64_t>(keys.size()));
}

TEST_P(OwnTableTest, SaysWhoCameBetween)
{
    reserve("taken");
    clock.advance(61s);
    const auto what = plan("fence", "stuck");
    EXPECT_EQ(reserve("taken").outcome, Outcome::Execute);
    const auto report = apply(what);
    EXPECT_EQ(report.skipped, 1);
    ASSERT_EQ(report.items.size(), 1U);
    EXPECT_THAT(report.items[0].outcome.reason, HasSubstr("fence"));
    EXPECT_THAT(report.items[0].outcome.reason, testing::Not(HasSubstr("renewed")));
}

// The fence is still the one that was seen: these steps are the owner's own, and the plan does not speak of them.
TEST_P(OwnTableTest, SkipsWhatItsOwnerDidMeanwhile)
{
    const auto expects = [&](const char* key, const char* verb, const std::function<void(const Reserved&)>& step) {
        const auto reserved = reserve(key, Takeover::Manual);
        clock.advance(61s);
        const auto what = plan(verb, std::string("key = ") + key);
        ASSERT_EQ(what.items.size(), 1U) << key;
        step(reserved);
        const auto before = dump("idempotency_records", stableColumns);
        const auto report = apply(what);
        EXPECT_EQ(report.skipped, 1) << key;
        EXPECT_THAT(report.items.at(0).outcome.reason, HasSubstr("moved on")) << key;
        EXPECT_EQ(before, dump("idempotency_records", stableColumns)) << key;
    };
    expects("a", "expire", [&](const Reserved& own) { EXPECT_EQ(finalize(own), Outcome::Applied); });
    expects("b", "fail",
        [&](const Reserved& own) { EXPECT_TRUE(backend->store().fail(claimOf(own), { .retryable = true })); });
    expects("c", "fail", [&](const Reserved& own) { EXPECT_TRUE(backend->store().hold(claimOf(own), "who knows")); });
    expects("d", "fence", [&](const Reserved& own) { EXPECT_TRUE(backend->store().hold(claimOf(own), "who knows")); });
    expects("e", "release",
        [&](const Reserved& own) { EXPECT_TRUE(backend->store().advance(claimOf(own), "charged", std::nullopt)); });
    // Somebody else's hand.
    finalize(reserve("f"));
    const auto what = plan("expire", "key = f");
    run("UPDATE idempotency_records SET response_code = 500, status = 'FAILED_FINAL' WHERE idempotency_key = 'f'");
    EXPECT_EQ(apply(what).skipped, 1);
    // A heartbeat of a lease that the plan saw alive is no change.
    const auto live = reserve("g");
    const auto fence = plan("fence", "key = g");
    clock.advance(1s);
    ASSERT_TRUE(backend->store().renew(claimOf(live), 60s));
    EXPECT_EQ(apply(fence).changed, 1);
    expectIntact();
}

// The plan said HELD of a live lease: what was agreed to happens, whatever became of the lease meanwhile.
TEST_P(OwnTableTest, HoldsWhatThePlanSaidWouldBeHeld)
{
    reserve("a");
    const auto what = plan("fence", "key = a");
    EXPECT_THAT(what.items.at(0).effect, HasSubstr("HELD until it is resolved"));
    clock.advance(61s);
    EXPECT_EQ(apply(what).changed, 1);
    EXPECT_TRUE(record("a").hold);
    EXPECT_EQ(reserve("a").outcome, Outcome::Held);
    // A lease that was past when it was looked at promised nothing, nor did --no-hold.
    reserve("b");
    clock.advance(61s);
    EXPECT_EQ(apply(plan("fence", "key = b")).changed, 1);
    EXPECT_FALSE(record("b").hold);
    reserve("c");
    const auto free = plan("fence", "key = c", { { "no_hold", "the provider is idempotent" } });
    clock.advance(61s);
    EXPECT_EQ(apply(free).changed, 1);
    EXPECT_FALSE(record("c").hold);
}

TEST_P(OwnTableTest, TellsWhatTheNextSameRequestIsReallyAnswered)
{
    struct Case {
        const char* verb;
        std::map<std::string, std::string> parameters;
        const char* said;
        const char* answer; // to the same request; then what another payload is told
        const char* other;
    };
    const std::map<std::string, std::string> retryable{ { "as", "retryable" }, { "evidence", "x" } };
    const std::map<std::string, std::string> takeover{ { "as", "takeover" }, { "evidence", "x" } };
    const auto check = [&](const std::string& key, const Case& c) {
        const auto what = plan(c.verb, "key = " + key, c.parameters);
        ASSERT_EQ(what.items.size(), 1U) << key << ' ' << (what.leftOut.empty() ? "" : what.leftOut[0].why);
        EXPECT_THAT(what.items[0].effect, HasSubstr(c.said)) << key;
        EXPECT_EQ(apply(what).changed, 1) << key;
        Reservation wish;
        wish.id = { "pay", "charge", key };
        wish.requestHash = sha256("another payload");
        wish.owner = { uuid4(random) };
        wish.lease = 60s;
        wish.ttl = 24h;
        EXPECT_EQ(wordOf(backend->store().reserve(wish)->outcome), c.other) << key;
        EXPECT_EQ(wordOf(reserve(key).outcome), c.answer) << key;
    };
    const auto stuck = [&](const char* key, Takeover rule, int most) {
        reserve(key, rule, most);
        clock.advance(61s);
    };
    const auto failed = [&](const char* key, Duration after, int most) {
        const auto reserved = reserve(key, Takeover::Auto, 2);
        EXPECT_TRUE(backend->store().fail(claimOf(reserved), { .retryable = true, .retryAfter = after }));
        if (most == 1)
            run(std::string("UPDATE idempotency_records SET max_attempts = 1 WHERE idempotency_key = '") + key + "'");
    };
    const auto held = [&](const char* key, int most) {
        EXPECT_TRUE(backend->store().hold(claimOf(reserve(key, Takeover::Auto, most)), "who knows"));
    };
    held("a1", 1);
    check("a1", { "resolve", retryable, "is answered FAILED_FINAL 503", "replay", "mismatch" });
    EXPECT_EQ(record("a1").status, State::FailedFinal);
    held("a2", 2);
    check("a2", { "resolve", retryable, "executes again", "execute", "mismatch" });
    held("a3", 1);
    check("a3", { "resolve", takeover, "executes again", "execute", "mismatch" });
    stuck("b1", Takeover::Auto, 1);
    check("b1", { "release", {}, "is answered FAILED_FINAL 503", "replay", "mismatch" });
    stuck("b2", Takeover::Auto, 1);
    check("b2", { "fence", {}, "is held (attempts_exhausted: 1 of 1)", "held", "mismatch" });
    reserve("b3", Takeover::Manual);
    check("b3", { "fence", { { "no_hold", "x" } }, "NOT held, the next same request is held", "held", "mismatch" });
    stuck("b4", Takeover::Auto, 0);
    check("b4", { "fence", {}, "the next same request takes over", "execute", "mismatch" });
    failed("c1", 1h, 2);
    check("c1", { "expire", {}, "is told to retry later for another 1h", "retry_later", "mismatch" });
    failed("c2", 0s, 1);
    check("c2", { "expire", {}, "is answered FAILED_FINAL 503", "replay", "mismatch" });
    // It was told that it failed for good: nothing executes right after that.
    EXPECT_GT(record("c2").expiresAt, clock.now());
    EXPECT_EQ(reserve("c2").outcome, Outcome::Replay);
    stuck("c3", Takeover::Manual, 0);
    check("c3", { "expire", {}, "is held (outcome_unknown", "held", "mismatch" });
    stuck("c4", Takeover::Auto, 1);
    check("c4", { "expire", {}, "is held (attempts_exhausted: 1 of 1)", "held", "mismatch" });
    finalize(reserve("c5"));
    const auto open = plan("expire", "key = c5");
    EXPECT_THAT(open.items.at(0).effect, HasSubstr("the next call with this key will execute again"));
    EXPECT_EQ(apply(open).changed, 1);
    EXPECT_EQ(reserve("c5").outcome, Outcome::Execute);
    finalize(reserve("c6"));
    check("c6", { "expire", { { "tombstone", "30d" } }, "refuses the key for 30d", "expired", "mismatch" });
}

TEST_P(OwnTableTest, SkipsAnotherRecordOfTheSameKeyAndFence)
{
    reserve("a");
    clock.advance(61s);
    const auto what = plan("fence", "stuck");
    run("UPDATE idempotency_records SET created_at = "
        + std::string(GetParam() == Dialect::Sqlite ? "created_at - 1" : "created_at - interval '1 second'"));
    const auto report = apply(what);
    ASSERT_EQ(report.skipped, 1);
    EXPECT_THAT(report.items[0].outcome.reason, HasSubstr("another record"));
}

TEST_P(OwnTableTest, AnswersAlreadyDoneForTheSameRowOnly)
{
    reserve("a");
    reserve("b");
    clock.advance(61s);
    auto what = plan("fence", "key = a");
    EXPECT_EQ(apply(what).changed, 1);
    EXPECT_EQ(apply(what).alreadyDone, 1);
    auto edited = what;
    edited.items[0].identity = { "pay", "charge", "b" };
    EXPECT_THAT(results(apply(edited)), ElementsAre(HasSubstr("edited")));
    edited = what;
    edited.verb = "release";
    EXPECT_THAT(results(apply(edited)), ElementsAre(HasSubstr("edited")));
    EXPECT_EQ(audit(what.requestId).size(), 1U);
}

TEST_P(OwnTableTest, AuditsWhoCarriedThePlanOut)
{
    reserve("a");
    clock.advance(61s);
    const auto what = plan("fence", "stuck");
    ASSERT_TRUE(applyPlan(inspector(), what, "night@host", {}));
    const auto entries = audit(what.requestId);
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].actor, "night@host");
    EXPECT_THAT(entries[0].parameters, HasSubstr(R"("planned_by":"op@host")"));
}

TEST_P(OwnTableTest, NoticesThatItsAuditWasTakenAway)
{
    for (const std::string table : { "idempotency_chain", "idempotency_audit" }) {
        reserve(table);
        clock.advance(61s);
        EXPECT_EQ(apply(plan("fence", "key = " + table)).changed, 1);
        run("CREATE TABLE kept AS SELECT * FROM " + table);
        run("DROP TABLE " + table);
        backend = open();
        const auto verdict = inspector().verifyAudit();
        ASSERT_TRUE(verdict) << verdict.error().message;
        EXPECT_FALSE(verdict->intact) << table;
        const auto listed = inspector().audit({});
        ASSERT_FALSE(listed);
        EXPECT_EQ(listed.error().failure, Failure::Corrupt);
        EXPECT_FALSE(inspector().record({ .requestId = uuid4(random), .verb = "note" }));
        if (table == "idempotency_chain") {
            // Entries without their end are not blessed with a new one.
            const auto installed = inspector().installAudit();
            ASSERT_FALSE(installed);
            EXPECT_EQ(installed.error().failure, Failure::Corrupt) << installed.error().detail;
        }
        run("ALTER TABLE kept RENAME TO " + table);
        backend = open();
    }
    EXPECT_FALSE(QFile::exists(QString::fromStdString(auditPath())));
}

TEST(OwnTablesOfTwoSchemas, AreChangedWhereTheSessionWorks)
{
    TempDatabase database(Dialect::PostgreSql);
    ASSERT_EQ(database.problem(), "");
    const auto library = *profile::shippedLibrary();
    const auto openOn = [&](const std::string& schema) {
        OpenRequest request;
        request.target = database.target();
        request.target.schema = schema;
        request.options.access = Access::ReadWrite;
        request.profiles = &library;
        auto opened = store::open(request);
        EXPECT_TRUE(opened) << opened.error().message << opened.error().detail;
        return std::move(*opened);
    };
    const auto raw = std::move(*database.connect());
    ASSERT_TRUE(raw->execute("CREATE SCHEMA b"));
    SystemRandom random;
    for (const std::string schema : { "public", "b" }) {
        auto target = database.target();
        target.schema = schema;
        const auto connection = Connection::open(target, { .access = Access::ReadWrite });
        ASSERT_TRUE(connection && initSchema(**connection, false));
        Reservation wish;
        wish.id = { "pay", "charge", "k" };
        wish.requestHash = sha256("k");
        wish.owner = { uuid4(random) };
        wish.lease = 1h;
        wish.ttl = 24h;
        ASSERT_TRUE(openOn(schema)->store().reserve(wish));
    }
    const auto fencePlan = [&](Backend& backend, const std::string& name) {
        const auto all = backend.inspector().bindings();
        EXPECT_TRUE(all);
        for (const auto& binding : *all)
            if (binding.name == name)
                return *makePlan(
                    backend.inspector(), binding, { "fence", "state = IN_PROGRESS", {}, {}, "why", "op@host" }, random);
        ADD_FAILURE() << "no " << name;
        return Plan{};
    };
    const auto fences = [&](const std::string& schema) {
        const auto rows = raw->prepare("SELECT hold::int FROM " + schema + ".idempotency_records");
        EXPECT_TRUE((*rows)->run() && (*rows)->next());
        const auto held = (*rows)->integer(0);
        (*rows)->finish();
        return held;
    };
    const auto outside = openOn("public");
    auto refused = fencePlan(*outside, "b.idempotency_records");
    EXPECT_TRUE(refused.items.empty());
    ASSERT_EQ(refused.leftOut.size(), 1U);
    EXPECT_THAT(refused.leftOut[0].why, HasSubstr("?schema=b"));

    const auto inside = openOn("b");
    const auto made = fencePlan(*inside, "b.idempotency_records");
    ASSERT_EQ(made.items.size(), 1U);
    EXPECT_FALSE(applyPlan(outside->inspector(), made, "op@host", {}));
    auto forged = made;
    forged.database = outside->inspector().info()->identity;
    const auto elsewhere = applyPlan(outside->inspector(), forged, "op@host", {});
    ASSERT_TRUE(elsewhere);
    EXPECT_EQ(elsewhere->failed, 1);
    EXPECT_EQ(fences("public") + fences("b"), 0);
    EXPECT_EQ(applyPlan(inside->inspector(), made, "op@host", {})->changed, 1);
    EXPECT_EQ(fences("public"), 0);
    EXPECT_EQ(fences("b"), 1);
}

TEST_P(OwnTableTest, FencesStuckOwnersAndLocksTheZombieOut)
{
    const auto zombie = reserve("a");
    reserve("b");
    clock.advance(61s);
    const auto live = reserve("c");
    const auto what = plan("fence", "stuck");
    EXPECT_EQ(what.items.size(), 2U);
    const auto report = apply(what);
    EXPECT_THAT(results(report), ElementsAre("changed", "changed"));
    EXPECT_GT(record("a").fence, zombie.record->fence);
    EXPECT_FALSE(record("a").hold);
    EXPECT_EQ(finalize(zombie), Outcome::LostOwnership);
    EXPECT_EQ(finalize(live), Outcome::Applied);

    const auto entries = audit(what.requestId);
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].reason, "incident 7");
    EXPECT_EQ(entries[0].actor, "op@host");
    EXPECT_EQ(entries[0].verb, "fence");
    EXPECT_THAT(entries[0].before, HasSubstr("\"fence\":" + std::to_string(zombie.record->fence.value)));
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_transitions WHERE event = 'operator_fence'"), 2);
    expectIntact();
}

TEST_P(OwnTableTest, HoldsWhatMayStillBeSending)
{
    reserve("a", Takeover::Manual);
    reserve("b");
    const auto what = plan("fence", "state = IN_PROGRESS");
    EXPECT_THAT(what.items[0].warning, HasSubstr("live"));
    EXPECT_EQ(apply(what).changed, 2);
    EXPECT_TRUE(record("a").hold);
    EXPECT_TRUE(record("b").hold);
    reserve("c");
    EXPECT_EQ(apply(plan("fence", "key = c", { { "no_hold", "the provider is idempotent" } })).changed, 1);
    EXPECT_FALSE(record("c").hold);
    const auto journal = *backend->store().journal({ "pay", "charge", "c" });
    EXPECT_THAT(journal.back().reason, HasSubstr("the provider is idempotent"));
}

// A payout that went out is done, whatever becomes of the record of the refund.
class VendorCallsTest : public OwnTableTest {
protected:
    void call(const Reserved& reserved, CallEvent event, std::optional<std::string> ref = {})
    {
        SqlOutboundLedger ledger(*raw, { .clock = &clock, .bind = true });
        CallTrigger trigger;
        trigger.event = event;
        trigger.id = { std::string(vendor.name), "payouts.create",
            effectKey(reserved.record->id, reserved.record->requestHash, "payout") };
        // In a later life of the key it has another one.
        if (const auto sent = m_sent.find(reserved.record->fence); sent != m_sent.end())
            trigger.id = sent->second;
        trigger.record = reserved.record->id;
        trigger.step = "payout";
        trigger.owner = reserved.record->owner;
        trigger.fence = reserved.record->fence;
        trigger.keep = 24h;
        trigger.result.ref = std::move(ref);
        const auto applied = ledger.apply(vendor, trigger);
        ASSERT_TRUE(applied) << applied.error().message << applied.error().detail;
        ASSERT_TRUE(applied->writes) << applied->reason;
        m_sent[reserved.record->fence] = applied->call->id;
    }

    // Sent, and taken from its owner before the answer came.
    Reserved fenced(const std::string& key, int maxAttempts = 0)
    {
        const auto reserved = reserve(key, Takeover::Manual, maxAttempts);
        call(reserved, CallEvent::Send);
        EXPECT_EQ(apply(plan("fence", "key = " + key)).changed, 1);
        return reserved;
    }

    // By its identity, as the window names rows.
    Plan named(const char* verb, const std::string& key)
    {
        PlanRequest request;
        request.verb = verb;
        request.identities = { { "pay", "charge", key } };
        request.reason = "incident 7";
        auto made = makePlan(inspector(), binding(), request, random);
        EXPECT_TRUE(made) << made.error().message;
        return made ? *made : Plan();
    }

    Vendor vendor = *findVendor("stripe");

private:
    std::map<Fence, CallId> m_sent;
};

INSTANTIATE_TEST_SUITE_P(Backends, VendorCallsTest, test::bothDialects(), test::nameOfDialect);

TEST_P(VendorCallsTest, AreNotForgottenWhereTheRecordIsFailed)
{
    const auto paid = fenced("paid");
    call(paid, CallEvent::Done, "po_1");
    fenced("unknown");
    reserve("plain", Takeover::Manual);
    EXPECT_EQ(apply(plan("fence", "key = plain")).changed, 1);

    const std::map<std::string, std::string> failed{ { "as", "failed" }, { "evidence", "their log" } };
    for (const auto& made : { plan("fail", "state = HELD"), plan("resolve", "state = HELD", failed) }) {
        ASSERT_EQ(made.leftOut.size(), 1U) << made.verb;
        EXPECT_EQ(made.leftOut[0].key, "paid");
        EXPECT_THAT(made.leftOut[0].why, AllOf(HasSubstr("stripe payouts.create po_1"), HasSubstr("--effect-undone")));
        std::map<std::string, std::string> warnings;
        for (const auto& item : made.items)
            warnings[item.key] = item.warning;
        EXPECT_EQ(warnings["unknown"],
            "nobody knows what became of its vendor call (stripe payouts.create): with a new key the client may have "
            "it "
            "done twice; ask the vendor first");
        EXPECT_EQ(warnings["plain"], "");
    }
    EXPECT_THAT(named("fail", "paid").leftOut.at(0).why, HasSubstr("po_1"));

    const auto chosen = plan("fail", "key = paid", { { effectUndone, "stripe has reversed po_1" } });
    ASSERT_EQ(chosen.items.size(), 1U);
    EXPECT_THAT(chosen.items[0].warning, HasSubstr("is done anew"));
    EXPECT_EQ(apply(chosen).changed, 1);
    EXPECT_EQ(record("paid").status, State::FailedFinal);
    EXPECT_THAT(
        backend->store().journal(paid.record->id)->back().reason, HasSubstr("; taken back: stripe has reversed po_1"));
    const auto broken = inspector().forensics()->violations(binding(), "failed_though_done");
    ASSERT_TRUE(broken) << broken.error().message;
    EXPECT_TRUE(broken->violations.empty()) << "somebody has said that it was taken back";
    const auto forgotten = SqlOutboundLedger(*raw, { .clock = &clock, .bind = true }).callsOf(paid.record->id);
    ASSERT_TRUE(forgotten);
    EXPECT_EQ(forgotten->front().state, OutboundState::Done);
    EXPECT_EQ(forgotten->front().result.errorCode, takenBackCode);
    EXPECT_LE(forgotten->front().expiresAt, clock.now()) << "the key's next life has it done anew";
}

TEST_P(VendorCallsTest, AreSaidWhereTheHoldIsResolved)
{
    const auto paid = fenced("paid");
    call(paid, CallEvent::Done, "po_1");
    const auto words = [&](const char* as, const char* key) {
        const auto made = plan("resolve", std::string("key = ") + key, { { "as", as }, { "evidence", "their log" } });
        return made.items.empty() ? "left out" : made.items.front().warning;
    };
    EXPECT_EQ(words("failed", "paid"), "left out");
    EXPECT_EQ(words("retryable", "paid"),
        "its vendor has done it (stripe payouts.create po_1): whoever goes on is answered with that and does not send "
        "it "
        "again");
    EXPECT_THAT(words("succeeded", "paid"), HasSubstr("nobody writes down any more"));
    fenced("unknown");
    EXPECT_THAT(words("failed", "unknown"), HasSubstr("ask the vendor first"));
    EXPECT_THAT(words("takeover", "unknown"), HasSubstr("asks the vendor before it sends it again"));
    EXPECT_THAT(words("succeeded", "unknown"), HasSubstr("the evidence must say that it was done"));
    const auto spent = fenced("spent", 1);
    call(spent, CallEvent::Done, "po_2");
    EXPECT_EQ(words("retryable", "spent"), "left out") << "the next same request closes the key";
}

// The fenced owner tells what became of its call without touching the record: only the call tells of it.
TEST_P(VendorCallsTest, AreLookedAtAgainWhenThePlanIsCarriedOut)
{
    const auto paid = fenced("paid");
    const auto fail = plan("fail", "key = paid");
    const auto resolve = plan("resolve", "key = paid", { { "as", "failed" }, { "evidence", "their log" } });
    ASSERT_EQ(fail.items.size(), 1U);
    auto older = fail;
    older.requestId = uuid4(random);
    older.items.front().seen.erase(seenCalls);
    const auto before = dump("idempotency_records", stableColumns);
    call(paid, CallEvent::Done, "po_1");
    for (const auto& made : { fail, resolve, older }) {
        const auto report = apply(made);
        EXPECT_EQ(report.skipped, 1);
        EXPECT_THAT(report.items.front().outcome.reason, HasSubstr("po_1"));
    }
    EXPECT_EQ(dump("idempotency_records", stableColumns), before);
    EXPECT_EQ(apply(plan("resolve", "key = paid", { { "as", "succeeded" }, { "evidence", "po_1" } })).changed, 1);
    EXPECT_THAT(apply(fail).items.front().outcome.reason, Not(HasSubstr("vendor"))) << "it is over already";
}

TEST_P(VendorCallsTest, OfAnotherRequestThatHadTheKeyBeforeAreNotItsOwn)
{
    const auto first = reserve("again", Takeover::Manual);
    call(first, CallEvent::Send);
    call(first, CallEvent::Done, "po_1");
    EXPECT_EQ(finalize(first), Outcome::Applied);
    clock.advance(25h);
    const auto second = reserve("again", Takeover::Manual, 0, "another request");
    ASSERT_EQ(second.outcome, Outcome::Execute);
    EXPECT_EQ(apply(plan("fence", "key = again")).changed, 1);
    const auto fail = plan("fail", "key = again");
    ASSERT_EQ(fail.items.size(), 1U) << fail.leftOut.at(0).why;
    EXPECT_EQ(fail.items.front().warning, "");
    EXPECT_EQ(apply(fail).changed, 1);
    EXPECT_TRUE(inspector().forensics()->violations(binding(), "failed_though_done")->violations.empty());
}

TEST_P(VendorCallsTest, OfAnotherRequestAreNotTakenBackWithThoseOfThisOne)
{
    const auto first = reserve("again", Takeover::Manual);
    call(first, CallEvent::Send);
    call(first, CallEvent::Done, "po_1");
    EXPECT_EQ(finalize(first), Outcome::Applied);
    clock.advance(25h);
    run("UPDATE outbound_calls SET expires_at = expires_at"
        + std::string(GetParam() == Dialect::Sqlite ? " + 864000000000" : " + interval '10 days'"));
    const auto second = reserve("again", Takeover::Manual, 0, "another request");
    call(second, CallEvent::Send);
    call(second, CallEvent::Done, "po_2");
    EXPECT_EQ(apply(plan("fence", "key = again")).changed, 1);
    const auto fail = plan("fail", "key = again", { { effectUndone, "stripe has reversed po_2" } });
    ASSERT_EQ(fail.items.size(), 1U);
    EXPECT_THAT(fail.items.front().warning, AllOf(HasSubstr("po_2"), Not(HasSubstr("po_1"))));
    EXPECT_EQ(apply(fail).changed, 1);
    const auto calls = SqlOutboundLedger(*raw, { .clock = &clock, .bind = true }).callsOf(first.record->id);
    ASSERT_TRUE(calls);
    ASSERT_EQ(calls->size(), 2U);
    EXPECT_EQ(calls->at(0).result.errorCode, std::nullopt);
    EXPECT_GT(calls->at(0).expiresAt, clock.now());
    EXPECT_EQ(calls->at(1).result.errorCode, takenBackCode);
}

TEST_P(VendorCallsTest, AreSaidNotToBeReadWhereNobodyKeepsThem)
{
    reserve("plain", Takeover::Manual);
    EXPECT_EQ(apply(plan("fence", "key = plain")).changed, 1);
    run("DROP TABLE outbound_calls");
    const auto refused = plan("fail", "key = plain");
    ASSERT_EQ(refused.leftOut.size(), 1U);
    EXPECT_THAT(refused.leftOut[0].why, HasSubstr("what was sent to vendors cannot be read"));
    const auto details = inspector().details(binding(), { "pay", "charge", "plain" }, 1000);
    ASSERT_TRUE(details && *details) << details.error().message;
    EXPECT_TRUE((*details)->row.extra.contains(rowCallsUnread));
    const auto made = plan("fail", "key = plain", { { effectUndone, "this service has no vendor" } });
    EXPECT_EQ(apply(made).changed, 1);
}

TEST_P(OwnTableTest, SkipsWhatMovedOnBetweenPlanAndRun)
{
    const auto a = reserve("a");
    reserve("b");
    clock.advance(61s);
    const auto what = plan("fence", "stuck");
    EXPECT_EQ(finalize(a), Outcome::Applied);
    const auto before = dump("idempotency_records", stableColumns);
    auto report = apply(what);
    EXPECT_EQ(report.changed, 1);
    EXPECT_EQ(report.skipped, 1);
    EXPECT_NE(before, dump("idempotency_records", stableColumns));
    EXPECT_EQ(record("a").status, State::Succeeded);

    ASSERT_EQ(audit(what.requestId).size(), 2U);
    report = apply(what);
    EXPECT_EQ(report.alreadyDone, 1);
    EXPECT_EQ(report.skipped, 1);
    EXPECT_EQ(audit(what.requestId).size(), 2U) << "a repeated refusal is written once";
    // A refusal does not stand in the way of a later plan.
    EXPECT_EQ(apply(plan("expire", "key = a")).changed, 1);
    expectIntact();
}

TEST_P(OwnTableTest, SaysOnlyAlreadyDoneTheSecondTime)
{
    for (int i = 0; i < 20; ++i)
        reserve("k" + std::to_string(i));
    clock.advance(61s);
    const auto what = plan("release", "stuck");
    EXPECT_EQ(apply(what).changed, 20);
    const auto after = dump("idempotency_records", "*");
    EXPECT_EQ(apply(what).alreadyDone, 20);
    EXPECT_EQ(dump("idempotency_records", "*"), after);
    EXPECT_EQ(audit(what.requestId).size(), 20U);
}

TEST_P(OwnTableTest, PutsBackExactlyWhatExpireTook)
{
    finalize(reserve("a"));
    finalize(reserve("b"));
    clock.advance(1h);
    const auto before = dump("idempotency_records", stableColumns);
    const auto what = plan("expire", "state = SUCCEEDED", { { "tombstone", "30d" } });
    EXPECT_EQ(apply(what).changed, 2);
    EXPECT_NE(dump("idempotency_records", stableColumns), before);
    clock.advance(1h);
    EXPECT_EQ(apply(undo(what.requestId)).changed, 2);
    EXPECT_EQ(dump("idempotency_records", stableColumns), before);
    EXPECT_EQ(apply(undo(what.requestId)).alreadyDone, 2);
    EXPECT_EQ(dump("idempotency_records", stableColumns), before);
    expectIntact();
}

TEST_P(OwnTableTest, RefusesToUndoWhatMovedOn)
{
    finalize(reserve("a"));
    const auto what = plan("expire", "key = a");
    EXPECT_EQ(apply(what).changed, 1);
    const auto again = undo(what.requestId);
    ASSERT_EQ(again.items.size(), 1U);
    clock.advance(1s);
    reserve("a"); // expired, so it executes again
    EXPECT_THAT(results(apply(again)), ElementsAre("skipped"));
    const auto late = undo(what.requestId);
    EXPECT_TRUE(late.items.empty());
    EXPECT_THAT(late.leftOut.at(0).why, HasSubstr("moved on"));
}

TEST_P(OwnTableTest, TakesResolveAndFailBackToHeldWithANewFence)
{
    reserve("a", Takeover::Manual);
    EXPECT_EQ(apply(plan("fence", "key = a")).changed, 1);
    ASSERT_TRUE(record("a").hold);
    const auto resolve = plan("resolve", "held",
        { { "as", "succeeded" }, { "evidence", "the provider's log" }, { "reference", "charge:ch_1" },
            { "response_code", "201" } });
    EXPECT_EQ(apply(resolve).changed, 1);
    const auto resolved = record("a");
    EXPECT_EQ(resolved.status, State::Succeeded);
    EXPECT_EQ(resolved.response.code, 201);
    EXPECT_EQ(resolved.response.refId, "ch_1");
    EXPECT_EQ(apply(undo(resolve.requestId)).changed, 1);
    EXPECT_TRUE(record("a").hold);
    EXPECT_GT(record("a").fence, resolved.fence);

    const auto fail = plan("fail", "held", { { "response_code", "422" } });
    EXPECT_EQ(apply(fail).changed, 1);
    EXPECT_EQ(record("a").status, State::FailedFinal);
    EXPECT_EQ(record("a").response.code, 422);
    EXPECT_EQ(apply(undo(fail.requestId)).changed, 1);
    EXPECT_TRUE(record("a").hold);
    expectIntact();
}

TEST_P(OwnTableTest, HasNoUndoOfAFence)
{
    reserve("a");
    const auto what = plan("fence", "key = a");
    EXPECT_EQ(apply(what).changed, 1);
    const auto none = makeUndo(inspector(), what.requestId, "", "op@host", random);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().failure, Failure::Unsupported);
}

TEST_P(OwnTableTest, WritesNotesWithoutTouchingTheRow)
{
    reserve("a");
    const auto before = dump("idempotency_records", "*");
    const auto what = plan("note", "key = a");
    EXPECT_EQ(apply(what).changed, 1);
    EXPECT_EQ(apply(what).alreadyDone, 1);
    EXPECT_EQ(dump("idempotency_records", "*"), before);
    const auto entries = inspector().audit({ .binding = binding().name, .identity = { "pay", "charge", "a" } });
    ASSERT_TRUE(entries);
    ASSERT_EQ(entries->size(), 1U);
    EXPECT_EQ(entries->front().verb, "note");
    EXPECT_EQ(entries->front().reason, "incident 7");
}

TEST_P(OwnTableTest, ChangesNothingWhereTheAuditCannotBeWritten)
{
    reserve("a");
    clock.advance(61s);
    const auto what = plan("fence", "stuck");
    const auto before = dump("idempotency_records", "*");
    run("ALTER TABLE idempotency_audit RENAME COLUMN reason TO reason_gone");
    const auto report = apply(what);
    EXPECT_EQ(report.failed, 1);
    EXPECT_EQ(dump("idempotency_records", "*"), before);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_transitions WHERE event = 'operator_fence'"), 0);
    run("ALTER TABLE idempotency_audit RENAME COLUMN reason_gone TO reason");
    backend = open();
    EXPECT_EQ(apply(what).changed, 1);
}

TEST_P(OwnTableTest, IsDeniedInAReadOnlySession)
{
    reserve("a");
    const auto what = plan("fence", "key = a");
    auto reader = open(Access::ReadOnly);
    const auto report = applyPlan(reader->inspector(), what, "op@host", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->failed, 1);
    EXPECT_EQ(report->stoppedBy->failure, Failure::Denied);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit"), 0);
}

TEST_P(OwnTableTest, ChangesEachRowOnceHoweverManyApplyThePlan)
{
    constexpr int rows = 60;
    for (int i = 0; i < rows; ++i)
        reserve("k" + std::to_string(i));
    clock.advance(61s);
    const auto what = plan("fence", "stuck");
    std::vector<RunReport> reports(4);
    std::vector<std::thread> threads;
    for (auto& report : reports)
        threads.emplace_back([this, &what, &report] {
            auto own = open();
            auto done = applyPlan(own->inspector(), what, "op@host", {});
            EXPECT_TRUE(done) << done.error().message;
            report = *done;
        });
    for (auto& thread : threads)
        thread.join();
    std::int64_t changed = 0;
    for (const auto& report : reports) {
        changed += report.changed;
        EXPECT_EQ(report.changed + report.alreadyDone, rows) << report.items.front().outcome.reason;
    }
    EXPECT_EQ(changed, rows);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit"), rows);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_transitions WHERE event = 'operator_fence'"), rows);
    expectIntact();
}

// SQLite's writers wait for the whole file, PostgreSQL's for a row.
class LockedFileTest : public OwnTableTest { };
class LockedRowTest : public OwnTableTest { };

INSTANTIATE_TEST_SUITE_P(Backends, LockedFileTest, ::testing::Values(Dialect::Sqlite), test::nameOfDialect);
INSTANTIATE_TEST_SUITE_P(Backends, LockedRowTest, ::testing::Values(Dialect::PostgreSql), test::nameOfDialect);

TEST_P(LockedFileTest, StopsThePlanWhichIsFinishedLater)
{
    reserve("a");
    reserve("b");
    clock.advance(61s);
    const auto what = plan("fence", "stuck");
    run("BEGIN IMMEDIATE");
    OpenRequest request;
    request.target = database.target();
    request.options.access = Access::ReadWrite;
    request.options.lockTimeout = 20ms;
    request.clock = &clock;
    request.profiles = &library;
    auto hasty = store::open(request);
    ASSERT_TRUE(hasty);
    auto report = applyPlan((*hasty)->inspector(), what, "op@host", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->failed, 1);
    EXPECT_EQ(report->notRun, 1);
    EXPECT_EQ(report->stoppedBy->failure, Failure::Unavailable);
    run("ROLLBACK");
    EXPECT_EQ(apply(what).changed, 2);
}

TEST_P(LockedRowTest, IsPassedOverAndTriedLater)
{
    reserve("a");
    reserve("b");
    clock.advance(61s);
    const auto what = plan("fence", "stuck");
    run("BEGIN");
    run("SELECT 1 FROM idempotency_records WHERE idempotency_key = 'a' FOR UPDATE");
    OpenRequest request;
    request.target = database.target();
    request.options.access = Access::ReadWrite;
    request.options.lockTimeout = 50ms;
    request.clock = &clock;
    request.bindClock = true;
    request.profiles = &library;
    auto hasty = store::open(request);
    ASSERT_TRUE(hasty);
    const auto report = applyPlan((*hasty)->inspector(), what, "op@host", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->failed, 1);
    EXPECT_EQ(report->changed, 1);
    EXPECT_FALSE(report->stoppedBy);
    run("ROLLBACK");
    EXPECT_EQ(apply(what).changed, 1);
}

// The layout of another service, with its rows.
class ForeignTableTest : public ApplyTest {
protected:
    void prepareTables() override
    {
        const auto made = raw->execute(sql::layout_atlas_records.of(GetParam()));
        ASSERT_TRUE(made) << made.error().detail;
        for (const auto* key : { "a", "b", "c" })
            insert(key, "IN_PROGRESS");
        insert("d", "SUCCEEDED");
    }

    void insert(const std::string& key, const std::string& status)
    {
        const std::string hash = GetParam() == Dialect::Sqlite ? "zeroblob(32)" : "decode(repeat('00', 32), 'hex')";
        run("INSERT INTO idempotency_records VALUES ('pay', 'charge', '" + key + "', " + hash + ", '" + status
            + "', '7d9f6d2e-0000-4000-8000-000000000abc', NULL, NULL, NULL, '2026-11-20 11:00:00',"
              " '2026-11-20 11:00:00', '2026-11-21 11:00:00')");
    }

    std::string statusOf(const std::string& key)
    {
        return dump("idempotency_records WHERE idempotency_key = '" + key + "'", "status");
    }

    // The rows of the table as text.
    std::string all()
    {
        return dump("idempotency_records",
            "scope, operation_type, idempotency_key, status, owner_execution_id, response_code, started_at,"
            " updated_at, expires_at");
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, ForeignTableTest, test::bothDialects(), test::nameOfDialect);

TEST_P(ForeignTableTest, IsWrittenWithItsAuditInTheSameDatabase)
{
    ASSERT_FALSE(*inspector().hasAudit());
    ASSERT_TRUE(inspector().installAudit());
    ASSERT_TRUE(*inspector().hasAudit());
    const auto what = plan("fence", "state = IN_PROGRESS");
    ASSERT_EQ(what.items.size(), 3U);
    run("UPDATE idempotency_records SET status = 'SUCCEEDED', updated_at = '2026-11-20 11:30:00' WHERE idempotency_key "
        "= "
        "'b'");
    EXPECT_THAT(results(apply(what)), testing::UnorderedElementsAre("changed", "changed", "skipped"));
    EXPECT_EQ(statusOf("a"), "FAILED_RETRYABLE|\n");
    EXPECT_EQ(statusOf("b"), "SUCCEEDED|\n");
    const auto report = apply(what);
    EXPECT_EQ(report.alreadyDone, 2);
    EXPECT_EQ(report.skipped, 1);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit WHERE outcome = 'changed'"), 2);
    EXPECT_FALSE(QFile::exists(QString::fromStdString(auditPath())));
    expectIntact();
}

TEST_P(ForeignTableTest, IsAuditedInTheConsolesOwnFileOtherwise)
{
    const auto what = plan("fence", "state = IN_PROGRESS");
    EXPECT_EQ(apply(what).changed, 3);
    EXPECT_EQ(apply(what).alreadyDone, 3);
    EXPECT_TRUE(QFile::exists(QString::fromStdString(auditPath())));
    const auto entries = audit(what.requestId);
    ASSERT_EQ(entries.size(), 3U);
    EXPECT_EQ(entries[0].outcome, "changed");
    EXPECT_THAT(entries[0].after, HasSubstr("FAILED_RETRYABLE"));
    expectIntact();
}

TEST_P(ForeignTableTest, TakesEveryEarlierEntryIntoTheTableOnce)
{
    const auto what = plan("fence", "state = IN_PROGRESS");
    const std::string updated = " WHERE idempotency_key = 'b'";
    run("UPDATE idempotency_records SET updated_at = '2026-11-20 11:30:00'" + updated);
    EXPECT_EQ(apply(what).skipped, 1);
    run("UPDATE idempotency_records SET updated_at = '2026-11-20 11:00:00'" + updated);
    EXPECT_EQ(apply(what).changed, 1);
    constexpr int notes = 1100;
    AuditEntry note;
    note.requestId = "0190c2c4-8b8f-7000-8000-000000000001";
    note.verb = "note";
    note.outcome = "changed";
    for (note.item = 0; note.item < notes; ++note.item)
        ASSERT_TRUE(inspector().record(note));

    for (int time = 0; time < 2; ++time) {
        ASSERT_TRUE(inspector().installAudit());
        EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit"), notes + 4) << time;
        EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit WHERE outcome = 'skipped'"), 1);
    }
    EXPECT_EQ(apply(what).alreadyDone, 3);
    EXPECT_EQ(audit(what.requestId).size(), 4U);
    expectIntact();
}

TEST_P(ForeignTableTest, PutsBackWhatExpireTook)
{
    for (const bool beside : { false, true }) {
        if (beside) {
            ASSERT_TRUE(inspector().installAudit());
        }
        const auto before = all();
        const auto what = plan("expire", "key = d");
        ASSERT_EQ(what.items.size(), 1U) << what.leftOut.at(0).why;
        EXPECT_THAT(results(apply(what)), ElementsAre("changed"));
        EXPECT_NE(all(), before);
        EXPECT_THAT(results(apply(undo(what.requestId))), ElementsAre("changed"));
        EXPECT_EQ(all(), before);
        EXPECT_THAT(results(apply(undo(what.requestId))), ElementsAre("already_done"));
        EXPECT_EQ(all(), before);
    }
}

TEST_P(ForeignTableTest, RefusesToUndoWhatMovedOn)
{
    const auto what = plan("expire", "key = d");
    EXPECT_EQ(apply(what).changed, 1);
    run("UPDATE idempotency_records SET response_code = 200 WHERE idempotency_key = 'd'");
    const auto before = all();
    EXPECT_THAT(results(apply(undo(what.requestId))), ElementsAre("skipped"));
    EXPECT_EQ(all(), before);
}

TEST_P(ForeignTableTest, SettlesWhatAnInterruptionLeftInDoubt)
{
    const auto what = plan("fence", "state = IN_PROGRESS");
    // What a crash leaves: the intent is on disk, and the write was committed (a), was not (b), or was and somebody
    // else has written since (c).
    const auto report = apply(what);
    ASSERT_EQ(report.changed, 3);
    auto entries = audit(what.requestId);
    backend.reset();
    for (const auto* file : { "", ".head" })
        ASSERT_TRUE(QFile::remove(QString::fromStdString(auditPath() + file)));
    auto own = OwnAudit::open(auditPath());
    ASSERT_TRUE(own);
    for (const auto& entry : entries)
        ASSERT_TRUE((*own)->intend(entry));
    own->reset();
    run("UPDATE idempotency_records SET status = 'IN_PROGRESS', owner_execution_id ="
        " '7d9f6d2e-0000-4000-8000-000000000abc', updated_at = '2026-11-20 11:00:00' WHERE idempotency_key = 'b'");
    run("UPDATE idempotency_records SET response_code = 500 WHERE idempotency_key = 'c'");

    backend = open();
    // What stands there as the write left it is told as done before anybody runs the plan again.
    std::multiset<std::string> outcomes;
    for (const auto& entry : audit(what.requestId))
        outcomes.insert(entry.outcome);
    EXPECT_THAT(outcomes, ElementsAre("changed", "in_doubt", "in_doubt"));
    expectIntact();
    const auto again = apply(what);
    std::map<std::string, std::string> byKey;
    for (const auto& item : again.items)
        byKey[item.key] = std::string(wordOf(item.outcome.result)) + ' ' + item.outcome.reason;
    EXPECT_THAT(byKey["a"], HasSubstr("already_done audit entry"));
    EXPECT_THAT(byKey["b"], HasSubstr("changed"));
    EXPECT_THAT(byKey["c"], HasSubstr("failed in doubt"));
    EXPECT_EQ(statusOf("b"), "FAILED_RETRYABLE|\n");
    expectIntact();
}

// The other one has sent its write and waits for nothing but its commit.
TEST_P(ForeignTableTest, LeavesTheIntentOfARunThatIsStillAtIt)
{
    const auto what = plan("fence", "key = b");
    ASSERT_EQ(apply(what).changed, 1);
    const auto entries = audit(what.requestId);
    backend.reset();
    for (const auto* file : { "", ".head" })
        ASSERT_TRUE(QFile::remove(QString::fromStdString(auditPath() + file)));
    run("UPDATE idempotency_records SET status = 'IN_PROGRESS', owner_execution_id ="
        " '7d9f6d2e-0000-4000-8000-000000000abc', updated_at = '2026-11-20 11:00:00' WHERE idempotency_key = 'b'");
    auto own = OwnAudit::open(auditPath());
    ASSERT_TRUE(own);
    ASSERT_TRUE((*own)->intend(entries.at(0)));
    run(GetParam() == Dialect::Sqlite ? "BEGIN IMMEDIATE" : "BEGIN");
    run("UPDATE idempotency_records SET updated_at = updated_at WHERE idempotency_key = 'b'");
    OpenRequest request;
    request.target = database.target();
    request.options.access = Access::ReadWrite;
    request.options.lockTimeout = 50ms;
    request.clock = &clock;
    request.bindClock = true;
    request.profiles = &library;
    request.auditPath = auditPath();
    auto second = store::open(request);
    ASSERT_TRUE(second);
    const auto report = applyPlan((*second)->inspector(), what, "op@host", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->failed, 1);
    EXPECT_TRUE(*(*own)->intentOf(what.requestId, entries.at(0).item));
    run("ROLLBACK");
    backend = open();
    EXPECT_EQ(apply(what).changed, 1) << "it was never committed";
    EXPECT_FALSE(*(*own)->intentOf(what.requestId, entries.at(0).item));
    EXPECT_EQ(audit(what.requestId).size(), 1U);
    expectIntact();
}

TEST_P(ForeignTableTest, TakesWhatAnInterruptionLeftInDoubtIntoTheInstalledAudit)
{
    const auto what = plan("fence", "key = a");
    ASSERT_EQ(apply(what).changed, 1);
    const auto entries = audit(what.requestId);
    backend.reset();
    for (const auto* file : { "", ".head" })
        ASSERT_TRUE(QFile::remove(QString::fromStdString(auditPath() + file)));
    auto own = OwnAudit::open(auditPath());
    ASSERT_TRUE(own);
    ASSERT_TRUE((*own)->intend(entries.at(0)));
    own->reset();

    backend = open();
    ASSERT_TRUE(inspector().installAudit());
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit WHERE outcome = 'changed'"), 1);
    EXPECT_THAT(results(apply(what)), ElementsAre("already_done"));
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit"), 1);
    // Whoever wrote it and was only slow says so again.
    own = OwnAudit::open(auditPath());
    ASSERT_TRUE(own);
    ASSERT_TRUE((*own)->conclude(entries.at(0)));
    EXPECT_EQ((*own)->list({}, entries.at(0).database)->size(), 1U);
    expectIntact();
}

TEST_P(ForeignTableTest, IsRefusedWithoutAnyAudit)
{
    OpenRequest request;
    request.target = database.target();
    request.options.access = Access::ReadWrite;
    request.clock = &clock;
    request.bindClock = true;
    request.profiles = &library;
    auto unaudited = store::open(request);
    ASSERT_TRUE(unaudited);
    const auto before = all();
    const auto report = applyPlan((*unaudited)->inspector(), plan("fence", "state = IN_PROGRESS"), "op@host", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->failed, 1);
    EXPECT_EQ(report->stoppedBy->failure, Failure::Unsupported);
    EXPECT_EQ(all(), before);
}

TEST_P(ForeignTableTest, IsNotChangedWhereTheOwnAuditCannotBeWritten)
{
    const auto what = plan("fence", "key = a");
    ASSERT_TRUE(QDir().mkpath(QString::fromStdString(auditPath())));
    const auto before = all();
    const auto report = apply(what);
    EXPECT_EQ(report.failed, 1);
    EXPECT_EQ(all(), before);
}

} // namespace
} // namespace fencepost

// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/ids.h"
#include "core/operations/operation.h"
#include "core/operations/plan.h"
#include "core/store/bindings.h"
#include "core/store/profile_compiler.h"
#include "core/store/sql_text.h"
#include "tests/core/store/inspector_fixture.h"

namespace fencepost::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

// What an operator is told of a verb on a table of a layout, and what then really happens to the row.
struct Told {
    std::string_view layout;
    const char* verb;
    const char* refused; // why it is not done here at all; null: it is
    const char* effect = ""; // of the row that fits it best
    const char* inverse = "";
    const char* becomes = ""; // its state afterwards; "gone": there is none
    bool ownerChanges = false;
};

constexpr auto noHoldNoOwner = "None: this table has no hold to go back to.";
constexpr auto noHold = "None: this table has no hold to go back to, and its old owner must not get the record again.";
constexpr auto expiryBack = "The old expiry is put back, unless the key was reserved again.";
constexpr auto ofTheBroker =
    "deleting or changing an inbox row re-opens the door to duplicates; redelivery belongs to the broker";

constexpr auto ofItsConsumer = "an inbox message belongs to its consumer; redelivery decides what happens next";

constexpr std::array told = {
    Told{ "atlas", "fence", nullptr,
        "a new owner is written, so the old owner's finalize (WHERE owner_execution_id = ?) matches 0 rows, and it"
        " becomes FAILED_RETRYABLE: the next same request executes again; side effects already sent are not undone",
        "None: the old owner must not get the record again.", "FAILED_RETRYABLE", true },
    Told{ "atlas", "release", "a release is a fence here: the owner column is the only guard, so use fence" },
    Told{ "atlas", "expire", nullptr, "its retention ends now: the next call with this key executes again", expiryBack,
        "EXPIRED" },
    Told{ "atlas", "resolve", "the atlas layout cannot hold a record" },
    Told{ "atlas", "fail", nullptr,
        "a new owner is written, so the old owner's finalize matches 0 rows, and it becomes FAILED_FINAL without a"
        " response of its own; the client must use a new key",
        noHold, "FAILED_FINAL", true },
    Told{ "playbook", "fence",
        "the playbook layout has no owner column: a worker finalizes by key alone, so nothing a fence could write"
        " would stop it" },
    Told{ "playbook", "release", nullptr,
        "RE-EXECUTES: the pending row is deleted, so the next same request executes again; the original worker may"
        " still commit (no owner column)",
        "None: once released, the next request may have executed already.", "gone" },
    Told{ "playbook", "expire", nullptr, "a later retry with this key executes again", expiryBack, "EXPIRED" },
    Told{ "playbook", "resolve", "the playbook layout cannot hold a record" },
    Told{ "playbook", "fail", nullptr,
        "it becomes failed with response 500 and the client must use a new key; the original worker may still"
        " overwrite that (no owner column)",
        noHoldNoOwner, "FAILED_FINAL" },
    Told{ "service", "fence", "a write-once store has no owner to fence: a row is written together with its effect" },
    Told{ "service", "release", "a write-once store never shows work in progress" },
    Told{ "service", "expire", nullptr, "a replay EXECUTES AGAIN after this", expiryBack, "EXPIRED" },
    Told{ "service", "resolve", "a write-once store cannot hold a record" },
    Told{ "service", "fail", "a write-once store only has rows that succeeded" },
    Told{ "playbook inbox", "fence", ofTheBroker },
    Told{ "playbook inbox", "release", ofTheBroker },
    Told{ "playbook inbox", "expire", ofTheBroker },
    Told{ "playbook inbox", "resolve", ofTheBroker },
    Told{ "playbook inbox", "fail", ofTheBroker },
    Told{ "own inbox", "fence", ofItsConsumer },
    Told{ "own inbox", "release", ofItsConsumer },
    Told{ "own inbox", "expire", ofItsConsumer },
    Told{ "own inbox", "resolve", ofItsConsumer },
    Told{ "own inbox", "fail", ofItsConsumer },
};

class VerbTextsTest : public InspectorTest {
protected:
    // A row for each verb: done for the one that ends a retention, else in progress for ten minutes.
    void addRows(const std::string& layout)
    {
        const auto at = [&](Duration fromNow) { return ", " + seed(fromNow); };
        for (const auto& operation : operations()) {
            const std::string key = operation.id;
            const bool open = key != "expire";
            if (layout == "atlas")
                run("INSERT INTO idempotency_records VALUES ('s', 'o', '" + key + "', " + bytes("00") + ", '"
                    + (open ? "IN_PROGRESS" : "SUCCEEDED") + "', '" + owner + "', NULL, NULL, NULL" + at(-10min)
                    + at(-10min) + at(24h) + ")");
            else if (layout == "playbook")
                run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) VALUES ('" + key
                    + "', 'h', '" + (open ? "pending" : "complete") + "'" + at(-10min) + at(24h) + ")");
            else if (layout == "service")
                run("INSERT INTO " + serviceTable() + " VALUES ('" + key + "', 's', 'h', '{}'" + at(24h) + at(-10min)
                    + ")");
        }
    }

    void expectTold(const std::string& layout, const Binding& table)
    {
        addRows(layout);
        ASSERT_TRUE(inspector().installAudit());
        const auto rows = filtered(table, "");
        int checked = 0;
        for (const auto& expected : told) {
            if (expected.layout != layout)
                continue;
            SCOPED_TRACE(expected.verb);
            ++checked;
            const auto* here = capability(table, expected.verb);
            ASSERT_NE(here, nullptr);
            EXPECT_EQ(here->allowed, expected.refused == nullptr);
            EXPECT_EQ(here->why, expected.refused ? expected.refused : "");
            const auto* row = rowOf(rows, expected.verb);
            const auto& operation = *findOperation(expected.verb);
            EXPECT_EQ(operation.whyNot(table, row ? *row : Row(), now), here->why);
            if (expected.refused)
                continue;
            ASSERT_NE(row, nullptr);
            EXPECT_EQ(operation.effect(table, *row, now, {}), expected.effect);
            EXPECT_EQ(inverseOf(operation, table), expected.inverse);
            for (const auto& text :
                { operation.effect(table, *row, now, {}), operation.warning(table, *row, now, {}), here->title })
                EXPECT_THAT(text, Not(AnyOf(HasSubstr("HELD"), HasSubstr("hold"), HasSubstr("tombstone"))));
            expectDone(table, expected, *row);
        }
        EXPECT_EQ(checked, 5);
    }

    void expectDone(const Binding& table, const Told& expected, const Row& row)
    {
        SystemRandom random;
        Change change;
        change.requestId = uuid4(random);
        change.verb = expected.verb;
        change.identity = row.identity;
        change.seen = row.cas;
        change.seenState = row.state;
        change.actor = "ann@desk";
        change.reason = "r";
        if (change.verb == "release")
            change.parameters["effect_checked"] = "the provider has no such payment";
        const auto done = inspector().apply(table, change);
        ASSERT_TRUE(done) << done.error().message << done.error().detail;
        EXPECT_EQ(done->result, ItemResult::Changed) << done->reason;
        const auto after = inspector().row(table, row.identity);
        ASSERT_TRUE(after) << after.error().message;
        EXPECT_EQ(*after ? (*after)->state : "gone", expected.becomes);
        EXPECT_EQ(*after && (*after)->owner != row.owner, expected.ownerChanges);
    }

    [[nodiscard]] std::string serviceTable() const
    {
        return sqlite() ? "idempotency_keys" : "billing.idempotency_keys";
    }

    const std::string owner = "7d9f6d2e-0000-4000-8000-000000000abc";
};

INSTANTIATE_TEST_SUITE_P(Backends, VerbTextsTest, bothDialects(), nameOfDialect);

TEST_P(VerbTextsTest, AreTrueOfTheAtlasLayout)
{
    makeLayout("atlas");
    expectTold("atlas", binding("idempotency_records"));
}

TEST_P(VerbTextsTest, AreTrueOfThePlaybookLayout)
{
    makeLayout("playbook");
    expectTold("playbook", binding("idempotency_keys"));
    expectTold("playbook inbox", binding("inbox_events"));
}

TEST_P(VerbTextsTest, AreTrueOfAServicesLayout)
{
    makeLayout("service", "billing");
    expectTold("service", binding(serviceTable()));
}

TEST_P(VerbTextsTest, AreTrueOfTheOwnInbox)
{
    makeOwnTables();
    expectTold("own inbox", binding("inbox_messages"));
}

TEST_P(VerbTextsTest, SpeakOfTheHoldOnlyWhereThereIsOne)
{
    makeOwnTables();
    addOwn({ .key = "live" });
    const auto records = binding("idempotency_records");
    const auto rows = filtered(records, "");
    const auto& fence = *findOperation("fence");
    EXPECT_THAT(fence.effect(records, rows.rows.front(), now, {}), HasSubstr("HELD until it is resolved"));
    EXPECT_THAT(inverseOf(fence, records), HasSubstr("A held record is resolved"));
    for (const auto* verb : { "resolve", "fail" })
        EXPECT_THAT(inverseOf(*findOperation(verb), records), HasSubstr("goes back to HELD"));
}

// What only the core's own operations do must not be promised, nor taken and forgotten.
TEST_P(VerbTextsTest, RefuseParametersThatTheActionWouldForget)
{
    makeLayout("atlas");
    addRows("atlas");
    const auto table = binding("idempotency_records");
    SystemRandom random;
    const auto plan = [&](const char* verb, std::map<std::string, std::string> parameters) {
        PlanRequest request;
        request.verb = verb;
        request.identities = { { "s", "o", verb } };
        request.parameters = std::move(parameters);
        request.reason = "r";
        request.isFinancial = [](const Row&) { return true; };
        return makePlan(inspector(), table, request, random);
    };
    EXPECT_EQ(plan("fail", { { "response_code", "409" } }).error().message,
        "\"fail\" takes no response_code in the table idempotency_records: nothing would be done with it");
    EXPECT_EQ(plan("fence", { { "no_hold", "safe" } }).error().failure, Failure::Invalid);
    const std::pair<const std::string, std::string> known{ "i_know_this_allows_re_execution", "1" };
    EXPECT_EQ(plan("expire", { known, { "tombstone", "30d" } }).error().failure, Failure::Invalid);
    const auto expire = plan("expire", { known });
    ASSERT_TRUE(expire) << expire.error().message;
    ASSERT_EQ(expire->items.size(), 1U);
    EXPECT_FALSE(expire->items.front().parameters.contains("tombstone"));
    const auto fence = plan("fence", {});
    ASSERT_TRUE(fence) << fence.error().message;
    EXPECT_EQ(fence->effect, "Fence 1 owner in idempotency_records. Fence owner.");
}

// What a profile says in "needs" holds before a plan is made, and again where somebody brings a plan of his own.
TEST_P(VerbTextsTest, AskForWhatTheProfileNeeds)
{
    makeLayout("playbook");
    addRows("playbook");
    ASSERT_TRUE(inspector().installAudit());
    const auto table = binding("idempotency_keys");
    SystemRandom random;
    PlanRequest request;
    request.verb = "release";
    request.identities = { { "fence" } };
    request.reason = "r";
    const auto refused = makePlan(inspector(), table, request, random);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().failure, Failure::Invalid);
    EXPECT_THAT(inWords(refused.error()), HasSubstr("--effect-checked"));
    request.parameters["effect_checked"] = "the provider has no such payment";
    auto plan = makePlan(inspector(), table, request, random);
    ASSERT_TRUE(plan) << plan.error().message;
    const auto said = plan->parameters;
    plan->parameters.clear();
    auto report = applyPlan(inspector(), *plan, "op@host", {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->failed, 1);
    EXPECT_EQ(filtered(table, "key = fence").rows.size(), 1U);
    plan->parameters = said;
    report = applyPlan(inspector(), *plan, "op@host", {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->changed, 1);
    EXPECT_EQ(filtered(table, "key = fence").rows.size(), 0U);
}

TEST_P(VerbTextsTest, OfferNothingWhoseNeedsNobodyMeets)
{
    makeLayout("service", "billing");
    addRows("service");
    const auto profile = [&](const std::string& needs, const std::string& stuck) {
        library = profile::Library();
        const auto added = library.add(R"({"profile": "needy", "format": 1, "kind": "idempotency",
            "dialects": ["postgresql", "sqlite"], "multiSchema": true,
            "detect": {"require": {"t": ["key", "scope", "request_hash", "response"]}},
            "source": {"tables": {"t": "idempotency_keys"}}, "identity": ["key"],
            "fields": {"key": ["col", "key"], "expires_us": ["col", "expires_at"]},
            "state": [{"when": ["true"], "is": "SUCCEEDED"}], )"
                + stuck + R"("actions": {"expire": {"title": "End it", "needs": [)" + needs
                + R"(], "steps": [{"set": {"scope": "gone"}, "when": ["true"], "unchanged": ["request_hash"], "expect": 1}]}}})",
            "needy.json");
        EXPECT_TRUE(added) << added.error().message;
        store::Bindings bindings(*connection, &library);
        return bindings.all(true).value()->front().binding;
    };
    const auto why = [&](const std::string& needs, const std::string& stuck = {}) {
        return capability(profile(needs, stuck), "expire")->why;
    };
    const std::string never = R"("stuck": ["eq", ["col", "scope"], "nobody's"], )";
    // What somebody can say is asked for.
    const auto asked = [&](const std::string& needs) {
        const auto table = profile(needs, {});
        const auto* expire = capability(table, "expire");
        EXPECT_TRUE(expire->allowed) << expire->why;
        EXPECT_EQ(expire->parameters.size(), 1U);
        EXPECT_TRUE(expire->parameters.at(0).required);
        return expire->parameters.at(0).name;
    };
    EXPECT_EQ(asked(R"("export")"), "exported_to");
    EXPECT_EQ(asked(R"("confirm_effect_checked")"), "effect_checked");
    EXPECT_EQ(why(R"("stuck")"), "its profile allows it for stuck rows only and does not say which rows are stuck");
    EXPECT_EQ(why(R"("stuck")", never), "");
    // The row is not stuck: the guarded write finds none.
    const auto table = profile(R"("stuck")", never);
    store::Bindings bindings(*connection, &library);
    SystemRandom random;
    const auto steps = store::compileAction(**bindings.find(table), "expire",
        { .identity = { "note" }, .seen = { { "request_hash", "h" } }, .parameters = {}, .now = clock.now() }, random);
    ASSERT_TRUE(steps) << steps.error().message;
    const auto statement = store::prepared(*connection, steps->front().statement);
    ASSERT_TRUE(statement) << statement.error().message << statement.error().detail;
    ASSERT_TRUE((*statement)->run());
    EXPECT_EQ((*statement)->affected(), 0);
}

// Asked for by what stands for its NULL, another row would be found.
TEST_P(VerbTextsTest, RefuseARowWhoseIdentityIsNull)
{
    run("CREATE TABLE parcels (id TEXT UNIQUE, st TEXT NOT NULL)");
    run("INSERT INTO parcels VALUES (NULL, 'meant'), ('', 'innocent'), ('k', 'other')");
    library = profile::Library();
    const auto added = library.add(R"({"profile": "parcels", "format": 1, "kind": "idempotency",
        "dialects": ["postgresql", "sqlite"],
        "detect": {"require": {"t": ["id", "st"]}}, "source": {"tables": {"t": "parcels"}}, "identity": ["id"],
        "fields": {"key": ["col", "id"], "request_hash": ["col", "st"]},
        "state": [{"when": ["true"], "is": "SUCCEEDED"}],
        "actions": {"expire": {"title": "End it",
            "steps": [{"set": {"st": "gone"}, "when": ["true"], "unchanged": [], "expect": 1}]}}})",
        "parcels.json");
    ASSERT_TRUE(added) << added.error().message;
    ASSERT_TRUE(inspector().installAudit());
    const auto table = binding("parcels");
    SystemRandom random;
    const auto planned = [&](const std::string& filter) {
        PlanRequest request;
        request.verb = "expire";
        request.filter = filter;
        request.reason = "asked for";
        request.actor = "op@host";
        auto made = makePlan(inspector(), table, request, random);
        EXPECT_TRUE(made) << made.error().message;
        return made ? *made : Plan();
    };
    const auto refused = planned("hash = meant");
    EXPECT_TRUE(refused.items.empty());
    ASSERT_EQ(refused.leftOut.size(), 1U);
    EXPECT_THAT(refused.leftOut[0].why, HasSubstr("its identity is NULL"));
    const auto taken = planned("hash = innocent");
    ASSERT_EQ(taken.items.size(), 1U);
    const auto report = applyPlan(inspector(), taken, "op@host", {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->changed, 1) << report->items.at(0).outcome.reason;
    EXPECT_EQ(filtered(table, "hash = meant").rows.size(), 1U);
    EXPECT_EQ(filtered(table, "hash = gone").rows.size(), 1U);
}

// The profile's own guess of how long a worker takes is all that these layouts have.
TEST_P(VerbTextsTest, WarnOfAnOwnerWhoMayStillBeAtWork)
{
    makeLayout("atlas");
    addRows("atlas");
    run("UPDATE idempotency_records SET updated_at = " + seed(-1min) + " WHERE idempotency_key = 'fence'");
    const auto atlas = binding("idempotency_records");
    const auto rows = filtered(atlas, "");
    EXPECT_EQ(findOperation("fence")->warning(atlas, *rowOf(rows, "fence"), now, {}),
        "it is not stuck yet: the owner may be working on it right now");
    EXPECT_EQ(findOperation("fence")->warning(atlas, *rowOf(rows, "fail"), now, {}), "");
}

} // namespace
} // namespace fencepost::test

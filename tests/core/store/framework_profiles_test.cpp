// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/ids.h"
#include "tests/core/store/framework_fixture.h"

namespace fencepost::test {

namespace {

using States = std::map<std::string, std::string>; // key -> canonical state

struct Act {
    const char* verb;
    std::string key;
    std::string after; // state; empty: the row is gone
    std::map<std::string, std::string> parameters = {};
};

struct Framework {
    const char* fixture;
    const char* profile;
    States states;
    std::string stuck; // keys in their order
    std::vector<Act> acts;
    std::map<std::string, std::string> refused = {}; // verb -> a part of the reason
    std::string warning = {}; // of the value that the profile does not know
    std::string note = {}; // a part of one
    const char* zone = nullptr;
};

std::string uuid(int group, int number)
{
    return "0000000" + std::to_string(group) + "-0000-4000-8000-00000000000" + std::to_string(number);
}

const std::map<std::string, std::string> exported = { { "exported_to", "/backup/row.json" } };

std::vector<Framework> frameworks()
{
    const auto u = uuid;
    const auto capStates = [](const char* done, const char* open) {
        return States{ { "1", done }, { "2", "DEAD" }, { "3", "FAILED" }, { "4", open }, { "5", open }, { "6", open },
            { "7", open }, { "8", "UNKNOWN" } };
    };
    const std::vector<Act> capActs = { { "replay", "2", "FAILED" }, { "replay", "3", "FAILED" } };
    return {
        { "brandur", "brandur.rocket_rides_atomic",
            { { "done", "SUCCEEDED" }, { "refused", "FAILED_FINAL" }, { "fresh", "IN_PROGRESS" },
                { "left", "FAILED_RETRYABLE" }, { "free", "FAILED_RETRYABLE" }, { "young", "FAILED_RETRYABLE" },
                { "odd", "UNKNOWN" } },
            "left free", { { "release", "left", "FAILED_RETRYABLE" } },
            { { "fence", "by key alone" }, { "expire", "Stripe" } }, {}, "never delete a row" },
        { "acidic_job", "acidic_job.executions",
            { { "done", "SUCCEEDED" }, { "fresh", "IN_PROGRESS" }, { "left", "FAILED_RETRYABLE" },
                { "waits", "FAILED_RETRYABLE" }, { "died-first", "FAILED_RETRYABLE" }, { "first", "FAILED_RETRYABLE" },
                { "no-step", "FAILED_RETRYABLE" }, { "last-step", "FAILED_RETRYABLE" } },
            "left died-first no-step last-step", { { "release", "left", "FAILED_RETRYABLE" } }, {}, {}, "Active Job" },
        { "masstransit", "masstransit.ef.inboxstate",
            { { u(1, 1), "PROCESSED" }, { u(1, 2), "PROCESSING" }, { u(1, 3), "RECEIVED" }, { u(1, 4), "RECEIVED" } },
            u(1, 2) + ' ' + u(1, 3), {}, { { "release", "row lock" }, { "discard", "consumed again" } }, {},
            "DuplicateDetectionWindow" },
        { "masstransit", "masstransit.ef.outboxstate",
            { { u(2, 1), "PENDING" }, { u(2, 2), "DISPATCHED" }, { u(2, 3), "SENDING" } }, u(2, 1), {},
            { { "discard", "orphans" } }, {}, "oldest row" },
        { "masstransit", "masstransit.ef.outboxmessage",
            { { u(3, 1), "PENDING" }, { u(3, 2), "PENDING" }, { u(3, 3), "DEAD" }, { u(3, 4), "PENDING" },
                { u(3, 5), "DEAD" } },
            u(3, 1) + ' ' + u(3, 3), { { "discard", u(3, 3), "", exported }, { "discard", u(3, 5), "", exported } }, {},
            {}, "orphan" },
        { "masstransit_snake", "masstransit.ef.inboxstate_snake",
            { { u(1, 1), "PROCESSED" }, { u(1, 2), "PROCESSING" }, { u(1, 3), "RECEIVED" }, { u(1, 4), "RECEIVED" } },
            u(1, 2) + ' ' + u(1, 3), {}, { { "release", "row lock" }, { "discard", "consumed again" } }, {},
            "DuplicateDetectionWindow" },
        { "masstransit_snake", "masstransit.ef.outboxstate_snake",
            { { u(2, 1), "PENDING" }, { u(2, 2), "DISPATCHED" }, { u(2, 3), "SENDING" } }, u(2, 1), {},
            { { "discard", "orphans" } }, {}, "oldest row" },
        { "masstransit_snake", "masstransit.ef.outboxmessage_snake",
            { { u(3, 1), "PENDING" }, { u(3, 2), "PENDING" }, { u(3, 3), "DEAD" }, { u(3, 4), "PENDING" },
                { u(3, 5), "DEAD" } },
            u(3, 1) + ' ' + u(3, 3), { { "discard", u(3, 3), "", exported }, { "discard", u(3, 5), "", exported } }, {},
            {}, "orphan" },
        { "wolverine", "wolverine.incoming",
            { { u(1, 1), "PROCESSING" }, { u(1, 2), "PROCESSING" }, { u(1, 3), "PROCESSING" }, { u(1, 4), "RECEIVED" },
                { u(1, 5), "RECEIVED" }, { u(1, 6), "PROCESSED" }, { u(1, 7), "UNKNOWN" } },
            u(1, 2) + ' ' + u(1, 3), { { "release", u(1, 2), "RECEIVED" }, { "release", u(1, 3), "RECEIVED" } }, {},
            "\"Paused\"", "only seems dead" },
        { "wolverine", "wolverine.outgoing", { { u(2, 1), "PENDING" }, { u(2, 2), "SENDING" }, { u(2, 3), "SENDING" } },
            u(2, 3), { { "release", u(2, 3), "PENDING" } }, {}, {}, "issue 1825" },
        { "wolverine", "wolverine.dead_letters", { { u(3, 1), "DEAD" }, { u(3, 2), "REDRIVEN" }, { u(3, 3), "DEAD" } },
            "", { { "replay", u(3, 1), "REDRIVEN" }, { "discard", u(3, 3), "", exported } }, {}, {}, "1 by default" },
        { "wolverine_ancillary", "wolverine.incoming_ancillary",
            { { u(1, 1), "PROCESSING" }, { u(1, 2), "PROCESSING" }, { u(1, 3), "PROCESSING" }, { u(1, 4), "RECEIVED" },
                { u(1, 5), "RECEIVED" }, { u(1, 6), "PROCESSED" }, { u(1, 7), "UNKNOWN" } },
            "", { { "release", u(1, 3), "RECEIVED", { { "deadNode", "7" } } } }, {}, "\"Paused\"", "main database" },
        { "wolverine_ancillary", "wolverine.outgoing_ancillary",
            { { u(2, 1), "PENDING" }, { u(2, 2), "SENDING" }, { u(2, 3), "SENDING" } }, "",
            { { "release", u(2, 3), "PENDING", { { "deadNode", "7" } } } }, {}, {}, "main database" },
        { "wolverine_partitioned", "wolverine.incoming",
            { { u(1, 1), "PROCESSING" }, { u(1, 2), "PROCESSING" }, { u(1, 3), "PROCESSING" }, { u(1, 4), "RECEIVED" },
                { u(1, 5), "RECEIVED" }, { u(1, 6), "PROCESSED" } },
            u(1, 2) + ' ' + u(1, 3), { { "release", u(1, 2), "RECEIVED" }, { "release", u(1, 3), "RECEIVED" } }, {}, {},
            "only seems dead" },
        { "wolverine_destination", "wolverine.incoming_by_destination",
            { { u(1, 1), "PROCESSING" }, { u(1, 2), "PROCESSING" }, { u(1, 3), "PROCESSING" }, { u(1, 4), "RECEIVED" },
                { u(1, 5), "RECEIVED" }, { u(1, 6), "PROCESSED" }, { u(1, 7), "UNKNOWN" } },
            u(1, 2) + ' ' + u(1, 3), { { "release", u(1, 2), "RECEIVED" }, { "release", u(1, 3), "RECEIVED" } }, {},
            "\"Paused\"", "for each endpoint" },
        { "wolverine_destination", "wolverine.dead_letters_by_destination",
            { { u(3, 1), "DEAD" }, { u(3, 2), "REDRIVEN" }, { u(3, 3), "DEAD" } }, "",
            { { "replay", u(3, 1), "REDRIVEN" }, { "discard", u(3, 3), "", exported } }, {}, {}, "for each endpoint" },
        { "cap", "dotnetcore.cap.published", capStates("DISPATCHED", "PENDING"), "4 6", capActs, {}, "\"Weird\"",
            "another Version", "Europe/Berlin" },
        { "cap", "dotnetcore.cap.received", capStates("PROCESSED", "RECEIVED"), "4 6", capActs, {}, "\"Weird\"",
            "requeues in memory", "Europe/Berlin" },
        { "modulith_v1", "spring.modulith.event_publication_v1",
            { { u(1, 1), "DISPATCHED" }, { u(1, 2), "PENDING" }, { u(1, 3), "PENDING" } }, u(1, 2), {},
            { { "replay", "framework's own command" } }, {}, "has no state" },
        { "modulith_v2", "spring.modulith.event_publication_v2",
            { { u(1, 1), "DISPATCHED" }, { u(1, 2), "SENDING" }, { u(1, 3), "PENDING" }, { u(1, 4), "FAILED" },
                { u(1, 5), "PENDING" }, { u(1, 6), "FAILED" }, { u(1, 7), "DISPATCHED" }, { u(1, 8), "UNKNOWN" } },
            u(1, 2), { { "fail", u(1, 2), "FAILED" } }, { { "replay", "FailedEventPublications.resubmit" } },
            "\"PARKED\"", "off by default" },
        { "gruelbox", "gruelbox.transaction_outbox",
            { { "a-done", "DISPATCHED" }, { "b-due", "PENDING" }, { "c-late", "PENDING" }, { "d-blocked", "DEAD" },
                { "e-poison", "PENDING" }, { "f-behind", "PENDING" }, { "g-dropped", "DEAD" } },
            "c-late e-poison f-behind",
            { { "replay", "d-blocked", "PENDING" }, { "fence", "c-late", "PENDING" },
                { "discard", "g-dropped", "", exported } },
            {}, {}, "never blocked" },
        { "gruelbox_before_topics", "gruelbox.transaction_outbox_before_topics",
            { { "a-done", "DISPATCHED" }, { "b-due", "PENDING" }, { "c-late", "PENDING" }, { "d-blocked", "DEAD" },
                { "e-poison", "PENDING" }, { "f-behind", "PENDING" }, { "g-dropped", "DEAD" } },
            "c-late e-poison f-behind",
            { { "replay", "d-blocked", "PENDING" }, { "fence", "c-late", "PENDING" },
                { "discard", "g-dropped", "", exported } },
            {}, {}, "migrations to topics" },
        { "oban", "oban.jobs",
            { { "1", "PENDING" }, { "2", "PENDING" }, { "3", "IN_PROGRESS" }, { "4", "IN_PROGRESS" },
                { "5", "FAILED_RETRYABLE" }, { "6", "SUCCEEDED" }, { "7", "DEAD" }, { "8", "DEAD" },
                { "9", "IN_PROGRESS" } },
            "3 9",
            { { "release", "3", "PENDING" }, { "replay", "7", "PENDING" }, { "replay", "5", "PENDING" },
                { "discard", "8", "", exported } },
            { { "fence", "by key alone" } }, {}, "notification" },
        { "river", "river.job",
            { { "1", "PENDING" }, { "2", "PENDING" }, { "3", "IN_PROGRESS" }, { "4", "IN_PROGRESS" },
                { "5", "FAILED_RETRYABLE" }, { "6", "SUCCEEDED" }, { "7", "DEAD" }, { "8", "DEAD" },
                { "9", "PENDING" } },
            "3", { { "replay", "7", "PENDING" }, { "discard", "8", "", exported } }, { { "release", "own rescuer" } },
            {}, "state alone" },
        { "river_before_keys", "river.job",
            { { "1", "PENDING" }, { "2", "PENDING" }, { "3", "IN_PROGRESS" }, { "4", "IN_PROGRESS" },
                { "5", "FAILED_RETRYABLE" }, { "6", "SUCCEEDED" }, { "7", "DEAD" }, { "8", "DEAD" },
                { "9", "PENDING" } },
            "3", { { "replay", "7", "PENDING" }, { "discard", "8", "", exported } }, { { "release", "own rescuer" } },
            {}, "migrations 5 and 6" },
        { "axon", "axon.dead_letters", { { "e1", "DEAD" }, { "e2", "DEAD" }, { "e3", "DEAD" } }, "e1",
            { { "release", "e1", "DEAD" } }, { { "discard", "out of order" }, { "replay", "framework's own" } }, {},
            "ahead of them" },
        { "axon_snake", "axon.dead_letters_snake", { { "e1", "DEAD" }, { "e2", "DEAD" }, { "e3", "DEAD" } }, "e1",
            { { "release", "e1", "DEAD" } }, { { "discard", "out of order" } }, {}, "30 seconds" },
        { "axon_jpa", "axon.dead_letters_jpa", { { "e1", "DEAD" }, { "e2", "DEAD" }, { "e3", "DEAD" } }, "e1",
            { { "release", "e1", "DEAD" } }, { { "discard", "out of order" } }, {}, "hibernate.jdbc.time_zone" },
        { "axon_jpa_snake", "axon.dead_letters_jpa_snake", { { "e1", "DEAD" }, { "e2", "DEAD" }, { "e3", "DEAD" } },
            "e1", { { "release", "e1", "DEAD" } }, { { "discard", "out of order" } }, {}, "oid" },
        { "debezium", "debezium.outbox", { { u(1, 1), "UNKNOWN" }, { u(1, 2), "UNKNOWN" } }, "", {},
            { { "discard", "write-ahead log" }, { "replay", "write-ahead log" } }, {}, "says nothing" },
    };
}

} // namespace

class FrameworkProfiles : public FrameworkTest { };

INSTANTIATE_TEST_SUITE_P(Backends, FrameworkProfiles, bothDialects(), nameOfDialect);

TEST_P(FrameworkProfiles, AreAllShipped)
{
    std::set<std::string> tested;
    for (const auto& framework : frameworks())
        tested.insert(framework.profile);
    for (const auto& profile : library.all()) {
        const bool seed = profile.native || profile.name.rfind("seed.", 0) == 0;
        EXPECT_EQ(tested.contains(profile.name), !seed) << profile.name;
        EXPECT_FALSE(profile.title.empty()) << profile.name;
        EXPECT_TRUE(seed || !profile.notes.empty()) << profile.name;
    }
}

namespace {

// Each framework has a database of its own; the dialect is that of the test around it.
class Runner : public FrameworkTest {
public:
    explicit Runner(const Framework& framework)
        : m_framework(framework)
    {
    }
    void TestBody() override
    {
        SetUp();
        if (HasFatalFailure())
            return;
        if (m_framework.zone != nullptr) {
            const auto answered = library.answerZone("", m_framework.zone);
            ASSERT_TRUE(answered) << answered.error().message;
        }
        load(m_framework.fixture);
        if (HasFatalFailure())
            return;
        m_binding = bindingOf(m_framework.profile);
        ASSERT_EQ(m_binding.profile, m_framework.profile);
        checkBinding();
        checkRows();
        checkCounts();
        for (const auto& act : m_framework.acts)
            checkAct(act);
    }

private:
    void checkBinding()
    {
        EXPECT_TRUE(m_binding.canRead);
        EXPECT_FALSE(m_binding.reasons.empty());
        EXPECT_TRUE(m_binding.choices.empty());
        std::string warnings;
        for (const auto& warning : m_binding.warnings)
            warnings += warning + '\n';
        EXPECT_EQ(warnings.empty(), m_framework.warning.empty()) << warnings;
        EXPECT_NE(warnings.find(m_framework.warning), std::string::npos) << warnings;
        std::string notes;
        for (const auto& note : m_binding.notes)
            notes += note + '\n';
        EXPECT_NE(notes.find(m_framework.note), std::string::npos) << notes;
        for (const auto& [verb, why] : m_framework.refused) {
            const auto* found = capability(m_binding, verb);
            ASSERT_NE(found, nullptr) << verb;
            EXPECT_FALSE(found->allowed) << verb;
            EXPECT_NE(found->why.find(why), std::string::npos) << verb << ": " << found->why;
        }
    }

    void checkRows()
    {
        const auto rows = rowsOf(m_binding);
        States states;
        for (const auto& row : rows)
            states[row.key] = row.state;
        EXPECT_EQ(states, m_framework.states);
        EXPECT_EQ(keysOf(rowsOf(m_binding, "stuck")), m_framework.stuck);
        for (const auto& [key, state] : m_framework.states) {
            const auto found = rowsOf(m_binding, "state = " + state);
            EXPECT_NE(rowOf(found, key), nullptr) << key << " by " << state;
        }
        for (const auto& row : rows) {
            const auto details = writing().details(m_binding, row.identity, 1'000);
            ASSERT_TRUE(details) << details.error().message << " " << details.error().detail;
            ASSERT_TRUE(*details);
            EXPECT_EQ((*details)->row, row);
        }
    }

    void checkCounts()
    {
        std::map<std::string, std::int64_t> expected;
        for (const auto& [key, state] : m_framework.states)
            ++expected[state];
        const auto counts = writing().counts(m_binding, nullptr, 5s);
        ASSERT_TRUE(counts) << counts.error().message << " " << counts.error().detail;
        std::map<std::string, std::int64_t> counted;
        for (const auto& [state, count] : counts->byState)
            if (count.value > 0)
                counted[state] = count.value;
        EXPECT_EQ(counted, expected);
    }

    // Once: one row. A second time, from what was seen before: none.
    void checkAct(const Act& act)
    {
        SCOPED_TRACE(std::string(act.verb) + ' ' + act.key);
        const auto before = rowsOf(m_binding);
        const auto* row = rowOf(before, act.key);
        ASSERT_NE(row, nullptr);
        const auto plan = planFor(m_binding, act.verb, *row, act.parameters);
        ASSERT_TRUE(plan) << plan.error().message << " " << plan.error().detail;
        ASSERT_EQ(plan->items.size(), 1U) << plan->leftOut.front().why;
        const auto once = applyPlan(writing(), *plan, "a@b", {});
        ASSERT_TRUE(once) << once.error().message << " " << once.error().detail;
        EXPECT_EQ(once->changed, 1) << once->items.front().outcome.reason;
        auto again = *plan;
        again.requestId = uuid4(random);
        const auto twice = applyPlan(writing(), again, "a@b", {});
        ASSERT_TRUE(twice) << twice.error().message << " " << twice.error().detail;
        EXPECT_EQ(twice->changed, 0);
        EXPECT_EQ(twice->skipped, 1) << twice->items.front().outcome.reason;
        const auto after = rowsOf(m_binding);
        EXPECT_EQ(after.size(), before.size() - (act.after.empty() ? 1 : 0));
        for (const auto& other : after)
            EXPECT_TRUE(other.key == act.key || other == *rowOf(before, other.key)) << other.key;
        const auto* changed = rowOf(after, act.key);
        EXPECT_EQ(changed == nullptr ? std::string() : changed->state, act.after);
    }

    const Framework& m_framework;
    Binding m_binding;
};

} // namespace

TEST_P(FrameworkProfiles, ReadEveryStateAndChangeOneRowAndThenNone)
{
    for (const auto& framework : frameworks()) {
        SCOPED_TRACE(framework.profile);
        Runner(framework).TestBody();
    }
}

// An envelope that its living node never sends is told by its age, where the column for it was added.
TEST_P(FrameworkProfiles, TellTheEnvelopesThatALivingNodeForgot)
{
    load("wolverine");
    const std::string envelopes =
        sqlite() ? "app_wolverine_outgoing_envelopes" : "wolverine.wolverine_outgoing_envelopes";
    const auto before = keysOf(rowsOf(bindingOf("wolverine.outgoing"), "stuck"));
    run("ALTER TABLE " + envelopes + " ADD COLUMN timestamp " + (sqlite() ? "TEXT" : "timestamptz"));
    run("DELETE FROM " + envelopes);
    for (const auto& [key, owner, age] :
        { std::tuple(1, 1, Duration(2h)), std::tuple(2, 1, Duration(1min)), std::tuple(3, 0, Duration(2h)) })
        run("INSERT INTO " + envelopes + " (id, owner_id, destination, body, message_type, timestamp) VALUES ('"
            + uuid(2, key) + "', " + std::to_string(owner) + ", 'tcp://localhost:2', '{}', 'Shipped', '"
            + formatInstant(clock.now() - age) + "')");
    const auto binding = bindingOf("wolverine.outgoing");
    EXPECT_EQ(keysOf(rowsOf(binding, "stuck")), uuid(2, 1));
    EXPECT_NE(before, "");
    const auto plan = planFor(binding, "release", rowsOf(binding).at(0), {});
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_TRUE(plan->items.empty()) << "its node may still send it";
}

// One message that several endpoints received has as many envelopes and letters, all with its id.
TEST_P(FrameworkProfiles, TellRowsApartByIdAndDestination)
{
    load("wolverine_destination");
    const std::string letters = sqlite() ? "app_wolverine_dead_letters" : "wolverine.wolverine_dead_letters";
    const std::string id = uuid(3, 7);
    for (const auto* endpoint : { "a", "b", "c", "d", "e" })
        run("INSERT INTO " + letters + " (id, body, message_type, received_at, replayable) VALUES ('" + id
            + "', '{}', 'Ordered', 'tcp://" + endpoint + "', " + (sqlite() ? "0" : "false") + ")");
    const auto binding = bindingOf("wolverine.dead_letters_by_destination");
    EXPECT_EQ(binding.identityColumns, (std::vector<std::string>{ "id", "received_at" }));
    PageRequest request;
    request.order = "key";
    request.descending = false;
    request.limit = 2;
    std::set<std::vector<std::string>> seen;
    for (int page = 0; page < 10; ++page) {
        const auto read = writing().page(binding, request);
        ASSERT_TRUE(read) << read.error().message;
        for (const auto& row : read->rows)
            EXPECT_TRUE(seen.insert(row.identity).second);
        if (!read->moreAfter)
            break;
        request.after = read->cursors.back();
    }
    EXPECT_EQ(seen.size(), 8U);
    const auto rows = rowsOf(binding, "key = " + id);
    ASSERT_EQ(rows.size(), 5U);
    const auto plan = planFor(binding, "replay", rows[2], {});
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(applyPlan(writing(), *plan, "a@b", {})->changed, 1);
    EXPECT_EQ(value("SELECT received_at FROM " + letters + " WHERE id = '" + id + "' AND replayable"), "tcp://c");
}

} // namespace fencepost::test

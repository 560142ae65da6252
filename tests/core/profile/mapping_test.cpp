// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/profile/library.h"
#include "core/profile/mapping.h"
#include "tests/core/profile/table_of.h"

namespace fencepost::profile {
namespace {

using test::tableOf;
using Op = Expression::Op;

Mapping proposalFor(const TableFacts& table, const SampledValues& values = {})
{
    return proposedMapping(table, guessOf(table, values), values);
}

// As a file that is read again by the loader of operators' own profiles.
Profile readBack(const TableFacts& table, const Mapping& mapping)
{
    const auto document = documentOf(table, mapping);
    EXPECT_TRUE(document) << document.error().message;
    if (!document)
        return {};
    const auto profile = parseOwn(*document, "mapped.json");
    EXPECT_TRUE(profile) << profile.error().message << '\n' << *document;
    return profile ? *profile : Profile();
}

std::string statesOf(const Profile& profile)
{
    std::string text;
    for (const auto& state : profile.states)
        text += (text.empty() ? "" : " ") + state.is;
    return text;
}

TEST(MappingTest, ColumnsAndValuesBecomeAProfileWithoutActions)
{
    const auto table = tableOf("postgresql", "requests",
        "request_key TEXT!, tenant_id BIGINT, status TEXT*, response_body JSONB, request_hash BYTEA, updated_at "
        "TIMESTAMPTZ, "
        "created_at TIMESTAMPTZ, color TEXT");
    auto mapping = proposalFor(table);
    EXPECT_EQ(mapping.style, StateStyle::Values);
    EXPECT_EQ(mapping.stateColumn, "status");
    mapping.values = { { "open", "IN_PROGRESS" }, { "busy", "IN_PROGRESS" }, { "done", "SUCCEEDED" },
        { std::nullopt, "FAILED_FINAL" }, { "odd", "" } };
    const auto profile = readBack(table, mapping);
    EXPECT_EQ(profile.name, "mapped.requests");
    EXPECT_EQ(profile.kind, Kind::Idempotency);
    EXPECT_EQ(profile.dialects, std::vector<std::string>{ "postgresql" });
    EXPECT_EQ(profile.tables.begin()->second, "requests");
    EXPECT_EQ(profile.identity, std::vector<std::string>{ "request_key" });
    EXPECT_EQ(profile.detect.require.at("t"),
        (std::vector<std::string>{
            "request_key", "tenant_id", "status", "response_body", "request_hash", "updated_at", "created_at" }));
    EXPECT_EQ(profile.detect.optional, std::vector<std::string>{ "color" });
    EXPECT_EQ(profile.detect.values.at("status"), (std::vector<std::string>{ "open", "busy", "done" }));
    EXPECT_EQ(statesOf(profile), "IN_PROGRESS SUCCEEDED FAILED_FINAL");
    EXPECT_EQ(profile.states[0].when->op, Op::In);
    EXPECT_EQ(profile.states[1].when->op, Op::Eq);
    EXPECT_EQ(profile.states[2].when->op, Op::IsNull);
    EXPECT_EQ(profile.fields.at("request_hash")->op, Op::Hex);
    EXPECT_EQ(profile.payload.count("response_body"), 1U);
    ASSERT_TRUE(profile.stuck);
    EXPECT_EQ(profile.params.at("stuckAfter").standard, Scalar(std::string("PT900S")));
    EXPECT_TRUE(profile.actions.empty());
    EXPECT_EQ(profile.readOnlyReason, unreviewed);
}

// No profile may name a column with a quote, however much it looks like the state.
TEST(MappingTest, WhatAProfileCannotNameIsNotProposed)
{
    const auto table =
        tableOf("postgresql", "requests", "request_key TEXT!, st\"ate TEXT*, status TEXT*, created_at TIMESTAMPTZ");
    auto guess = guessOf(table, {});
    for (auto& one : guess.columns)
        if (one.column == "st\"ate" || one.column == "status") {
            one.best.meaning = Meaning::State;
            one.best.score = 90; // by its values
        }
    const auto mapping = proposedMapping(table, guess, {});
    EXPECT_EQ(mapping.stateColumn, "status");
    EXPECT_FALSE(mapping.meanings.contains("st\"ate"));
}

TEST(MappingTest, EveryWayToStoreAStateIsWritten)
{
    struct Case {
        const char* columns;
        StateStyle style;
        const char* column;
        const char* states;
        Op first;
    };
    const Case cases[] = {
        { "key TEXT!, response TEXT, created_at TEXT", StateStyle::NullResponse, "response", "SUCCEEDED IN_PROGRESS",
            Op::NotNull },
        { "key TEXT!, response TEXT*", StateStyle::WriteOnce, "", "SUCCEEDED", Op::True },
        { "event_id TEXT!, topic TEXT, published_at TEXT", StateStyle::Instant, "published_at", "DISPATCHED PENDING",
            Op::NotNull },
        { "event_id TEXT!, topic TEXT, published BOOLEAN", StateStyle::Flag, "published", "DISPATCHED PENDING",
            Op::IsTrue },
    };
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry.columns);
        const auto table = tableOf("sqlite", entry.column[0] == 'p' ? "outbox" : "idempotency", entry.columns);
        auto mapping = proposalFor(table);
        for (auto& [column, encoding] : mapping.encodings) {
            EXPECT_EQ(encoding, "") << "nobody has said in which zone " << column << " is";
            encoding = "iso";
        }
        EXPECT_EQ(mapping.style, entry.style);
        EXPECT_EQ(mapping.stateColumn, entry.column);
        const auto profile = readBack(table, mapping);
        EXPECT_EQ(statesOf(profile), entry.states);
        EXPECT_EQ(profile.states.front().when->op, entry.first);
    }
}

TEST(MappingTest, NumbersOfAStateStayNumbers)
{
    const auto table = tableOf("postgresql", "jobs", "id BIGINT!, state INTEGER, run_at TIMESTAMPTZ");
    auto mapping = proposalFor(table, { { "state", { { "0", "1" }, false, true } } });
    mapping.values = { { "0", "PENDING" }, { "1", "SUCCEEDED" } };
    const auto profile = readBack(table, mapping);
    EXPECT_EQ(profile.states[0].when->arguments[1]->literal, Scalar(std::int64_t(0)));
}

TEST(MappingTest, ALeaseSaysWhatIsStuck)
{
    const auto table =
        tableOf("postgresql", "jobs", "id BIGINT!, state TEXT, locked_until TIMESTAMPTZ, created_at TIMESTAMPTZ");
    auto mapping = proposalFor(table);
    mapping.values = { { "running", "IN_PROGRESS" } };
    const auto profile = readBack(table, mapping);
    ASSERT_TRUE(profile.stuck);
    // And what nobody has leased for so long.
    const auto& either = *profile.stuck->arguments.at(1);
    ASSERT_EQ(either.op, Op::Or);
    EXPECT_EQ(either.arguments.at(0)->op, Op::Past);
    EXPECT_EQ(either.arguments.at(1)->arguments.at(0)->op, Op::IsNull);
    EXPECT_EQ(either.arguments.at(1)->arguments.at(1)->op, Op::OlderThan);
    EXPECT_EQ(profile.params.count("stuckAfter"), 1U);
    mapping.stuckAfter.reset();
    EXPECT_FALSE(readBack(table, mapping).stuck);

    const auto leased = tableOf("postgresql", "jobs", "id BIGINT!, state TEXT, locked_until TIMESTAMPTZ");
    auto bare = proposalFor(leased);
    bare.values = { { "running", "IN_PROGRESS" } };
    EXPECT_EQ(readBack(leased, bare).stuck->arguments.at(1)->op, Op::Past) << "no column says since when";
    EXPECT_TRUE(tellsLease(bare));
    EXPECT_FALSE(tellsSince(bare));
    // What is put off waits since it is due.
    const auto due =
        tableOf("postgresql", "jobs", "id BIGINT!, state TEXT, run_at TIMESTAMPTZ, created_at TIMESTAMPTZ");
    auto waiting = proposalFor(due);
    waiting.values = { { "running", "IN_PROGRESS" } };
    const auto late = readBack(due, waiting).stuck;
    EXPECT_EQ(late->arguments.at(1)->op, Op::OlderThan);
    EXPECT_EQ(late->arguments.at(1)->arguments.at(0)->op, Op::Greatest);
    const auto timeless = tableOf("postgresql", "jobs", "id BIGINT!, state TEXT");
    auto never = proposalFor(timeless);
    never.values = { { "running", "IN_PROGRESS" } };
    EXPECT_FALSE(tellsSince(never));
    EXPECT_FALSE(readBack(timeless, never).stuck);
    // What has not been started waits since it came.
    const auto queue =
        tableOf("postgresql", "jobs", "id BIGINT!, state TEXT, created_at TIMESTAMPTZ, started_at TIMESTAMPTZ");
    auto queued = proposalFor(queue);
    queued.values = { { "running", "IN_PROGRESS" }, { "queued", "PENDING" } };
    const auto stuck = readBack(queue, queued).stuck;
    EXPECT_EQ(stuck->arguments.at(1)->op, Op::OlderThan);
    EXPECT_EQ(stuck->arguments.at(1)->arguments.at(0)->op, Op::Coalesce);
}

TEST(MappingTest, SaysWhatIsStillToBeSaid)
{
    const auto table = tableOf("postgresql", "outbox", "a TEXT, b TEXT, sent_at TIMESTAMP, ttl BIGINT");
    auto mapping = proposalFor(table);
    const auto asks = [&](const std::string& words) {
        for (const auto& question : openQuestions(table, mapping))
            if (question.find(words) != std::string::npos)
                return true;
        return false;
    };
    EXPECT_TRUE(asks("No column is the key"));
    EXPECT_TRUE(asks("Nothing tells one row from another"));
    EXPECT_TRUE(asks("how the times of the column \"sent_at\" are written, and in which time zone"));
    EXPECT_EQ(documentOf(table, mapping).error().failure, Failure::Invalid);
    mapping.meanings["a"] = Meaning::Key;
    mapping.meanings["b"] = Meaning::Key;
    EXPECT_TRUE(asks("2 columns are \"Key\": choose one"));
    mapping.meanings["b"] = Meaning::None;
    mapping.identity = { "a" };
    mapping.meanings["ttl"] = Meaning::None;
    mapping.encodings["sent_at"] = "naive:Europe/Berlin";
    EXPECT_TRUE(openQuestions(table, mapping).empty()) << openQuestions(table, mapping).front();
    const auto profile = readBack(table, mapping);
    EXPECT_EQ(profile.time.at("sent_at").at("*"), "naive:Europe/Berlin");
    ASSERT_FALSE(profile.notes.empty());
    EXPECT_NE(profile.notes.back().find("no unique key"), std::string::npos);
    mapping.style = StateStyle::Values;
    mapping.stateColumn = "b";
    mapping.values = { { "x", "NONSENSE" } };
    EXPECT_TRUE(asks("\"NONSENSE\" is no state of such rows"));
    mapping.values = {};
    EXPECT_TRUE(asks("No value has a state yet"));
}

TEST(MappingTest, NamesThatAProfileDoesNotTakeAreRefusedAndNeverWritten)
{
    auto table = tableOf("postgresql", "t", "key TEXT!, response TEXT");
    table.name = "x\"; DROP TABLE y; --";
    auto mapping = proposalFor(table);
    EXPECT_EQ(mapping.name, "mapped.x___DROP_TABLE_y__--");
    ASSERT_FALSE(documentOf(table, mapping));
    EXPECT_NE(documentOf(table, mapping).error().message.find("cannot be part of a profile"), std::string::npos);

    table.name = "t";
    table.columns.push_back({ .name = "it's", .type = "TEXT", .kind = ColumnType::Text });
    mapping = proposalFor(table);
    EXPECT_TRUE(readBack(table, mapping).detect.optional.empty()) << "not used, not named";
    mapping.meanings["it's"] = Meaning::Scope;
    EXPECT_NE(documentOf(table, mapping).error().message.find("The column \"it's\" cannot"), std::string::npos);
}

TEST(MappingTest, EncodingsAreGuessedFromTypesAndValues)
{
    struct Case {
        const char* dialect;
        const char* type;
        std::vector<std::string> values;
        const char* encoding;
        bool zone;
    };
    const Case cases[] = {
        { "postgresql", "TIMESTAMPTZ", {}, "tz", false },
        { "postgresql", "TIMESTAMP", {}, "", true },
        { "postgresql", "BIGINT", { "1780000000" }, "epoch_s", false },
        { "postgresql", "BIGINT", { "1780000000123" }, "epoch_ms", false },
        { "sqlite", "INTEGER", { "1780000000123456" }, "epoch_us", false },
        { "sqlite", "INTEGER", {}, "", false },
        { "sqlite", "INTEGER", { "1780000000", "1780000000123" }, "", false },
        { "sqlite", "TEXT", { "2026-11-20T23:45:47Z" }, "isoZ", false },
        { "sqlite", "TEXT", { "2026-11-20 23:45:47" }, "iso", true },
        { "sqlite", "TIMESTAMP", { "2026-11-20 23:45:47+02:00" }, "iso", false },
        { "sqlite", "TEXT", { "yesterday" }, "", false },
        { "sqlite", "TEXT", { "2026-11-20" }, "iso", true },
        { "sqlite", "TEXT", { "2026-11-20 23:45:47+02", "2026-11-20 23:45:47.5-0330", "2026-11-20 23:45 UTC" }, "iso",
            false },
        { "postgresql", "TEXT", { "2026-11-20 23:45:47+02", "2026-11-20 23:45:47" }, "iso", true },
    };
    for (const auto& entry : cases) {
        SCOPED_TRACE(std::string(entry.type) + ' ' + (entry.values.empty() ? "" : entry.values.front()));
        const auto table = tableOf(entry.dialect, "t", std::string("at ") + entry.type);
        const ColumnValues values{ entry.values, false, true };
        const auto guess = encodingOf(entry.dialect, table.columns.front(), &values);
        EXPECT_EQ(guess.encoding, entry.encoding);
        EXPECT_EQ(guess.asksForZone, entry.zone);
        EXPECT_FALSE(guess.reason.empty());
    }
}

TEST(MappingTest, NoMappingTakesTheNameOfAShippedProfile)
{
    auto table = tableOf("sqlite", "idempotency_records", "key TEXT!, response TEXT");
    auto mapping = proposalFor(table);
    EXPECT_FALSE(isShippedName(mapping.name));
    const auto document = documentOf(table, mapping);
    ASSERT_TRUE(document);
    EXPECT_TRUE(parseOwn(*document, "p.json"));
    for (const auto* name : { "fencepost.idempotency_records", "oban.jobs" }) {
        mapping.name = name;
        const auto refused = documentOf(table, mapping);
        ASSERT_FALSE(refused) << name;
        EXPECT_NE(refused.error().message.find("come with Fencepost"), std::string::npos) << refused.error().message;
    }
}

} // namespace
} // namespace fencepost::profile

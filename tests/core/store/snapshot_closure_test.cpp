// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <gmock/gmock.h>

#include "core/store/snapshot_closure.h"
#include "tests/support/temp_database.h"

namespace fencepost::test {

namespace {

using Keys = std::vector<std::vector<std::string>>;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class SnapshotClosureTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        ASSERT_EQ(database.problem(), "");
        auto opened = database.connect();
        ASSERT_TRUE(opened) << inWords(opened.error());
        connection = std::move(*opened);
        closure.emplace(*connection);
        ASSERT_TRUE(closure->prepare());
    }

    static CopiedTable tableOf(std::initializer_list<const char*> columns)
    {
        CopiedTable table;
        for (const auto* name : columns)
            table.columns.push_back({ name, "TEXT" });
        return table;
    }

    static std::size_t linkBy(const std::string& column)
    {
        const auto& links = store::snapshotLinks();
        const auto found = std::find_if(
            links.begin(), links.end(), [&](const store::SnapshotLink& link) { return link.from.back() == column; });
        EXPECT_NE(found, links.end()) << column;
        return static_cast<std::size_t>(found - links.begin());
    }

    void come(const CopiedTable& table, std::vector<CopiedValue> row, bool seed)
    {
        ASSERT_TRUE(closure->came(store::SnapshotClosure::leaving(table), row, seed));
    }

    Keys take(const std::string& column, int limit = 100)
    {
        auto keys = closure->take(linkBy(column), limit);
        EXPECT_TRUE(keys);
        return keys ? std::move(*keys) : Keys();
    }

    static CopiedValue text(std::string_view octets) { return { CopiedValue::Kind::Text, 0, 0, octets }; }

    TempDatabase database{ store::Dialect::Sqlite };
    std::unique_ptr<store::Connection> connection;
    std::optional<store::SnapshotClosure> closure;
};

} // namespace

TEST_F(SnapshotClosureTest, AKeyIsFollowedOnce)
{
    const auto outbox = tableOf({ "seq", "source", "event_id", "note" });
    for (const auto* id : { "e1", "e2", "e1", "e3" })
        come(outbox, { { CopiedValue::Kind::Integer, 1 }, text("shop"), text(id), text("n") }, true);
    auto first = take("event_id", 2);
    ASSERT_EQ(first.size(), 2U);
    const auto rest = take("event_id");
    ASSERT_EQ(rest.size(), 1U);
    first.push_back(rest.front());
    EXPECT_THAT(
        first, UnorderedElementsAre(ElementsAre("shop", "e1"), ElementsAre("shop", "e2"), ElementsAre("shop", "e3")));
    come(outbox, { { CopiedValue::Kind::Integer, 2 }, text("shop"), text("e2"), text("n") }, true);
    EXPECT_TRUE(take("event_id").empty()) << "it was followed before";
}

TEST_F(SnapshotClosureTest, ACorrelationIsFollowedFromWhatWasAskedForAlone)
{
    const auto table = tableOf({ "source", "event_id", "correlation_id" });
    come(table, { text("shop"), text("asked"), text("req_1") }, true);
    come(table, { text("shop"), text("hangs on it"), text("req_2") }, false);
    EXPECT_THAT(take("correlation_id"), ElementsAre(ElementsAre("req_1")));
    EXPECT_EQ(take("event_id").size(), 2U) << "an event's own rows are followed on";
}

TEST_F(SnapshotClosureTest, WhatIsNoWholeKeyLeadsNowhere)
{
    const auto records = tableOf({ "scope", "operation_type", "idempotency_key" });
    const auto leaving = store::SnapshotClosure::leaving(records);
    ASSERT_EQ(leaving.size(), 1U);
    EXPECT_EQ(store::SnapshotClosure::leaving(tableOf({ "scope", "operation_type" })).size(), 0U);
    come(records, { text("s"), text("o"), {} }, true);
    EXPECT_TRUE(closure->take(leaving.front().link, 10).value().empty());
    come(records, { text("s"), text(""), text("k") }, true);
    EXPECT_THAT(closure->take(leaving.front().link, 10).value(), ElementsAre(ElementsAre("s", "", "k")));
}

} // namespace fencepost::test

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "core/clock.h"
#include "core/store/schema.h"
#include "core/store/sql_store.h"
#include "tests/support/dialects.h"
#include "tests/support/temp_database.h"

namespace fencepost::test {

inline const Time start = timeFromMicros(1'780'000'000'000'000);

inline Bytes hashOf(const std::string& payload)
{
    return sha256(payload);
}

inline Owner ownerOf(int number)
{
    const auto text = std::to_string(number);
    return { "00000000-0000-4000-8000-" + std::string(12 - text.size(), '0') + text };
}

// A reservation of which a test sets what matters.
inline Reservation reservation(int owner, const std::string& payload = "pay 10", const std::string& key = "k")
{
    return { .id = { "s", "o", key },
        .requestHash = hashOf(payload),
        .payloadHash = hashOf("body of " + payload),
        .owner = ownerOf(owner),
        .lease = std::chrono::seconds(60),
        .ttl = std::chrono::hours(24),
        .principal = "ann" };
}

inline Completion completion(int code, const std::string& body)
{
    Completion done;
    done.response.code = code;
    done.response.headers = { { "Content-Type", "text/plain" }, { "Link", "</a>" }, { "Link", "</b>" } };
    done.response.body = body;
    done.response.bodyDigest = sha256(body);
    return done;
}

// One more connection to the same database, with a store of its own.
struct OpenStore {
    std::unique_ptr<store::Connection> connection;
    std::unique_ptr<store::SqlStore> store;
};

// `clock` none: PostgreSQL's own clock decides, SQLite's store uses the system's.
inline OpenStore openStore(const TempDatabase& database, const Clock* clock)
{
    OpenStore opened;
    auto connection = database.connect();
    EXPECT_TRUE(connection) << connection.error().message << ": " << connection.error().detail;
    if (!connection)
        return opened;
    opened.connection = std::move(*connection);
    opened.store = std::make_unique<store::SqlStore>(
        *opened.connection, clock ? store::StoreClock{ .clock = clock, .bind = true } : store::StoreClock{});
    return opened;
}

inline std::int64_t countRows(store::Connection& connection, const std::string& table)
{
    const auto statement = connection.prepare("SELECT count(*) FROM " + table);
    EXPECT_TRUE(statement && (*statement)->run() && (*statement)->next());
    const auto rows = (*statement)->integer(0);
    (*statement)->finish();
    return rows;
}

// What the tests of a store say, whatever it keeps its records in.
template <typename Parameter> class StoreWords : public ::testing::TestWithParam<Parameter> {
protected:
    virtual Store& subject() = 0;

    template <typename T> T value(Result<T> result)
    {
        EXPECT_TRUE(result) << result.error().message << ": " << result.error().detail;
        return result ? std::move(*result) : T{};
    }

    Reserved reserve(const Reservation& wish) { return value(subject().reserve(wish)); }
    Reserved reserve(int owner, const std::string& payload = "pay 10") { return reserve(reservation(owner, payload)); }
    Claim claim(int owner, Fence fence, const std::string& key = "k")
    {
        return { { "s", "o", key }, ownerOf(owner), fence };
    }
    std::optional<Record> record(const std::string& key = "k") { return value(subject().find({ "s", "o", key })); }
    // "ABSENT>IN_PROGRESS reserve | IN_PROGRESS>SUCCEEDED finalize"
    std::string path(const std::string& key = "k")
    {
        std::string text;
        for (const auto& entry : value(subject().journal({ "s", "o", key })))
            text += (text.empty() ? "" : " | ") + entry.fromState + ">" + entry.toState + " " + entry.event;
        return text;
    }
    Trigger operatorEvent(Event event, Fence seen, int owner = 99)
    {
        return { .event = event,
            .id = { "s", "o", "k" },
            .owner = ownerOf(owner),
            .fence = seen,
            .reason = "because",
            .actor = "olga@desk" };
    }

    ManualClock clock{ start };
};

// A store over a fresh database, on a clock that stands still.
class StoreTest : public StoreWords<store::Dialect> {
protected:
    void SetUp() override
    {
        ASSERT_EQ(database.problem(), "");
        main = open();
        ASSERT_TRUE(main.store);
        const auto made = store::initSchema(*main.connection, false);
        ASSERT_TRUE(made) << made.error().message << ": " << made.error().detail;
    }

    [[nodiscard]] bool sqlite() const { return GetParam() == store::Dialect::Sqlite; }

    OpenStore open(bool decided = true) { return openStore(database, decided ? &clock : nullptr); }
    store::SqlStore& subject() override { return *main.store; }
    std::int64_t count(const std::string& table) { return countRows(*main.connection, table); }

    TempDatabase database{ GetParam() };
    OpenStore main;
};

} // namespace fencepost::test

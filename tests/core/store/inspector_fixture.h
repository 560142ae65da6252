// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/clock.h"
#include "core/profile/library.h"
#include "core/store/schema.h"
#include "core/store/sql_inspector.h"
#include "tests/support/dialects.h"
#include "tests/support/temp_database.h"

namespace fencepost::test {

using namespace std::chrono_literals;

// An inspector over a fresh database, on a clock that stands still.
class InspectorTest : public ::testing::TestWithParam<store::Dialect> {
protected:
    InspectorTest()
        : database(GetParam())
    {
    }

    void SetUp() override
    {
        ASSERT_EQ(database.problem(), "");
        auto opened = database.connect();
        ASSERT_TRUE(opened) << opened.error().message << " " << opened.error().detail;
        connection = std::move(*opened);
        auto shipped = profile::shippedLibrary();
        ASSERT_TRUE(shipped) << shipped.error().message;
        library = std::move(*shipped);
    }

    [[nodiscard]] bool sqlite() const { return GetParam() == store::Dialect::Sqlite; }

    void run(const std::string& sql, store::Connection& on)
    {
        const auto done = on.execute(sql);
        ASSERT_TRUE(done) << sql << ": " << done.error().message << " " << done.error().detail;
    }
    void run(const std::string& sql) { run(sql, *connection); }

    void makeOwnTables()
    {
        const auto made = store::initSchema(*connection, false);
        ASSERT_TRUE(made) << made.error().message << " " << made.error().detail;
    }

    void makeLayout(std::string_view layout, std::string_view service = {})
    {
        const auto text = store::ddl(GetParam(), layout, service);
        ASSERT_TRUE(text) << text.error().message;
        std::size_t from = 0;
        for (auto end = text->find(";\n"); end != std::string::npos; end = text->find(";\n", from)) {
            run(text->substr(from, end - from));
            from = end + 2;
        }
        if (text->find_first_not_of(" \n;", from) != std::string::npos)
            run(text->substr(from, text->find_last_not_of(" \n;") + 1 - from));
    }

    store::SqlInspector& inspector()
    {
        if (!m_inspector) {
            auto made = store::SqlInspector::create(
                *connection, { .clock = &clock, .bindClock = true, .profiles = &library, .auditPath = {} });
            EXPECT_TRUE(made) << made.error().message << " " << made.error().detail;
            m_inspector = std::move(*made);
        }
        return *m_inspector;
    }

    Binding binding(const std::string& name)
    {
        const auto all = inspector().bindings(true);
        EXPECT_TRUE(all) << all.error().message << " " << all.error().detail;
        for (const auto& found : *all)
            if (found.name == name)
                return found;
        ADD_FAILURE() << "no binding " << name;
        return {};
    }

    std::vector<std::string> bindingNames()
    {
        std::vector<std::string> names;
        const auto all = inspector().bindings(true);
        EXPECT_TRUE(all) << all.error().message << " " << all.error().detail;
        for (const auto& found : *all)
            names.push_back(found.name + "=" + found.profile);
        return names;
    }

    Page page(const Binding& of, PageRequest request)
    {
        auto read = inspector().page(of, request);
        EXPECT_TRUE(read) << read.error().message << " " << read.error().detail;
        return read ? *read : Page();
    }

    Page filtered(const Binding& of, const std::string& filter)
    {
        const auto parsed = parseFilter(filter);
        EXPECT_TRUE(parsed) << filter << ": " << parsed.error().message;
        PageRequest request;
        request.filter = *parsed;
        request.order = "key";
        request.descending = false;
        request.limit = 1'000;
        return page(of, request);
    }

    static std::string keysOf(const Page& page)
    {
        std::string text;
        for (const auto& row : page.rows)
            text += (text.empty() ? "" : " ") + row.key;
        return text;
    }

    static const Row* rowOf(const Page& page, const std::string& key)
    {
        const auto found =
            std::find_if(page.rows.begin(), page.rows.end(), [&](const Row& row) { return row.key == key; });
        return found == page.rows.end() ? nullptr : &*found;
    }

    static const Capability* capability(const Binding& of, const std::string& verb)
    {
        for (const auto& found : of.capabilities)
            if (found.verb == verb)
                return &found;
        return nullptr;
    }

    // An instant of Fencepost's own tables, relative to now.
    [[nodiscard]] std::string own(Duration fromNow) const
    {
        const auto micros = std::to_string(microsOf(now + fromNow));
        return sqlite() ? micros : "(timestamptz 'epoch' + " + micros + " * interval '1 microsecond')";
    }

    // An instant of the seeds' tables: text without a fraction in SQLite.
    [[nodiscard]] std::string seed(Duration fromNow) const
    {
        auto text = formatInstant(now + fromNow);
        text[10] = ' ';
        return sqlite() ? "'" + text.substr(0, 19) + "'" : "timestamptz '" + text + "'";
    }

    [[nodiscard]] std::string bytes(const std::string& hex) const
    {
        return sqlite() ? "x'" + hex + "'" : "'\\x" + hex + "'::bytea";
    }

    struct OwnRow {
        std::string key;
        std::string status = "IN_PROGRESS";
        Duration created = -10min;
        Duration expires = 24h;
        std::optional<Duration> lease = 60s;
        bool hold = false;
        std::string scope = "s";
        std::string operation = "o";
        int fence = 1;
        int attempt = 1;
        std::optional<int> code;
    };

    void addOwn(const OwnRow& row)
    {
        std::string hash;
        for (int i = 0; i < 32; ++i)
            hash += "ab";
        run("INSERT INTO idempotency_records (scope, operation_type, idempotency_key, request_hash, status, "
            "owner_execution_id, fence, attempt, lease_expires_at, hold, created_at, started_at, updated_at, "
            "expires_at, response_code) VALUES ('"
            + row.scope + "', '" + row.operation + "', '" + row.key + "', " + bytes(hash) + ", '" + row.status
            + "', '00000000-0000-4000-8000-00000000000" + std::to_string(row.fence % 10) + "', "
            + std::to_string(row.fence) + ", " + std::to_string(row.attempt) + ", "
            + (row.lease ? own(*row.lease) : "NULL") + ", "
            + (sqlite() ? (row.hold ? "1" : "0") : (row.hold ? "TRUE" : "FALSE")) + ", " + own(row.created) + ", "
            + own(row.created) + ", " + own(row.created) + ", " + own(row.expires) + ", "
            + (row.code ? std::to_string(*row.code) : "NULL") + ")");
    }

    // One of each that the protocol knows.
    void addEveryState()
    {
        addOwn({ .key = "live", .created = -1min, .fence = 1 });
        addOwn({ .key = "stuck", .created = -20min, .lease = -5min, .fence = 2, .attempt = 3 });
        addOwn({ .key = "held", .created = -30min, .lease = -20min, .hold = true, .fence = 3 });
        addOwn({ .key = "done", .status = "SUCCEEDED", .created = -40min, .lease = {}, .fence = 4, .code = 201 });
        addOwn(
            { .key = "again", .status = "FAILED_RETRYABLE", .created = -50min, .lease = {}, .fence = 5, .code = 503 });
        addOwn({ .key = "failed",
            .status = "FAILED_FINAL",
            .created = -60min,
            .expires = 30min,
            .lease = {},
            .fence = 6,
            .code = 409 });
        addOwn({ .key = "old",
            .status = "SUCCEEDED",
            .created = -48h,
            .expires = -1h,
            .lease = {},
            .fence = 7,
            .code = 200 });
    }

    const Time now = timeFromMicros(1'780'000'000'123'456);
    TempDatabase database;
    ManualClock clock{ now };
    profile::Library library;
    std::unique_ptr<store::Connection> connection;

private:
    std::unique_ptr<store::SqlInspector> m_inspector;
};

} // namespace fencepost::test

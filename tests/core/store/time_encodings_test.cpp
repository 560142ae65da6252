// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cstdio>
#include <iterator>
#include <random>
#include <set>

#include "core/store/profile_compiler.h"
#include "tests/core/store/inspector_fixture.h"

using namespace fencepost;
using namespace fencepost::test;

// Every way in which tables keep instants, read, compared and written.
class TimeEncodings : public InspectorTest {
protected:
    static std::string profileWith(const std::string& encoding)
    {
        return R"({"profile": "times", "format": 1, "kind": "idempotency", "dialects": ["postgresql", "sqlite"],
            "detect": {"require": {"t": ["id", "made", "ends"]}}, "source": {"tables": {"t": "times"}},
            "identity": ["id"], "time": {"*": ")"
            + encoding
            + R"("}, "fields": {"key": ["col", "id"], "created_us": ["col", "made"], "expires_us": ["col", "ends"],
            "next_attempt_us": ["add_interval", ["col", "made"], "PT1H"]},
            "state": [{"when": ["past", ["col", "ends"]], "is": "EXPIRED"}, {"when": ["true"], "is": "SUCCEEDED"}],
            "stuck": ["older_than", ["col", "made"], "PT10M"],
            "actions": {"expire": {"steps": [{"set": {"ends": ["now"]}, "when": ["future", ["col", "ends"]],
            "unchanged": ["ends", "made"], "expect": 1}]}}})";
    }

    struct Encoding {
        const char* name;
        const char* type;
        std::string (*literal)(Time at);
        Duration resolution;
    };

    static std::string isoText(Time at, char separator, const char* tail)
    {
        auto text = formatInstant(at);
        text[10] = separator;
        text.resize(26);
        return "'" + text + tail + "'";
    }

    void check(const Encoding& encoding)
    {
        SCOPED_TRACE(encoding.name);
        run(std::string("CREATE TABLE times (id TEXT PRIMARY KEY, made ") + encoding.type + ", ends " + encoding.type
            + ")");
        const auto add = [&](const char* id, Duration made, Duration ends) {
            run(std::string("INSERT INTO times VALUES ('") + id + "', " + encoding.literal(now + made) + ", "
                + encoding.literal(now + ends) + ")");
        };
        add("new", -1min, 1h);
        add("old", -11min, 2h);
        add("over", -12min, -1min);
        const auto added = library.add(profileWith(encoding.name), "times.json");
        ASSERT_TRUE(added) << added.error().message;
        const auto times = binding("times");
        ASSERT_EQ(times.warnings, std::vector<std::string>{});
        const auto all = filtered(times, "");
        ASSERT_EQ(keysOf(all), "new old over");
        const auto floored = [&](Duration at) {
            const auto micros = microsOf(now + at);
            return timeFromMicros(micros / encoding.resolution.count() * encoding.resolution.count());
        };
        EXPECT_EQ(all.rows[0].createdAt, floored(-1min));
        EXPECT_EQ(all.rows[1].expiresAt, floored(2h));
        EXPECT_EQ(all.rows[0].nextAttemptAt, floored(59min));
        EXPECT_EQ(all.rows[2].state, "EXPIRED");
        EXPECT_EQ(keysOf(filtered(times, "stuck")), "old over");
        EXPECT_EQ(keysOf(filtered(times, "age < 5m")), "new");
        EXPECT_EQ(keysOf(filtered(times, "age > 5m")), "old over");
        EXPECT_EQ(keysOf(filtered(times, "expires < 90m")), "new");
        EXPECT_EQ(keysOf(filtered(times, "created > " + formatInstant(now - 11min - 30s))), "new old");
        EXPECT_EQ(keysOf(filtered(times, "created <= " + formatInstant(now - 11min - 30s))), "over");
        PageRequest request;
        request.order = "created";
        request.limit = 1;
        EXPECT_EQ(keysOf(page(times, request)), "new");
        request.after = page(times, request).cursors.at(0);
        EXPECT_EQ(keysOf(page(times, request)), "old");
        expire(times, all.rows[1]);
        EXPECT_EQ(keysOf(filtered(times, "state = EXPIRED")), "old over");
        EXPECT_EQ(filtered(times, "key = old").rows.at(0).expiresAt, floored(0s));
        run("DROP TABLE times");
    }

    // Every day that two years have or do not have, at any hour, and texts that are put together of parts which go
    // together and of such as do not.
    static std::vector<std::string> writtenInstants()
    {
        std::vector<std::string> texts;
        for (const auto* year : { "2023-", "2024-" })
            for (int month = 0; month <= 13; ++month)
                for (int day = 0; day <= 32; ++day)
                    for (const int hour : { 0, 4, 13, 14, 20, 23, 24, 25 }) {
                        std::array<char, 32> rest{};
                        std::snprintf(rest.data(), rest.size(), "%02d-%02d %02d:30:59", month, day, hour);
                        texts.push_back(year + std::string(rest.data()));
                    }
        const std::vector<std::string> dates = { "2024-02-29", "2100-02-29", "1969-12-31", "0001-01-01", "0000-12-31",
            "9999-12-31", "2024-2-29", "", "now" };
        const std::vector<std::string> clocks = { "", " 10:00", "T14:00", "T04:05:06", " 23:59:59", "t10:00:00",
            " 24:00:00", " 10:60:00", "T10:00:60", " 9:00:00", " 10", "  10:00:00", " 10:00:0" };
        const std::vector<std::string> fractions = { "", "", "", ".", ".5", ".123456", ".1234565", ".0000005",
            ".9999996", ".000000499999999", ",5", "." + std::string(30, '7'), "." + std::string(31, '7') };
        const std::vector<std::string> zones = { "", "", "Z", " Z", "  Z", " ", "z", "UTC", " GMT", "EST", "+02",
            "+0230", "-02:30", " -14:59", "+15:00", "+2", "+02:60", "-", "+02:3", "+02.30", "+ 2:30" };
        std::mt19937 random(20'240'229);
        const auto any = [&](const std::vector<std::string>& parts) { return parts[random() % parts.size()]; };
        const std::string odd = "0123456789-+:. TZ?";
        for (int i = 0; i < 20'000; ++i) {
            auto text = (random() % 2 == 0 ? dates[0] : any(dates)) + any(clocks) + any(fractions) + any(zones);
            if (random() % 5 == 0 && !text.empty())
                text[random() % text.size()] = odd[random() % odd.size()];
            texts.push_back(std::move(text));
        }
        return texts;
    }

    // All of them, page by page.
    std::vector<Row> rowsOf(const Binding& of, const std::string& filter)
    {
        PageRequest request;
        request.order = "key";
        request.filter = *parseFilter(filter);
        request.limit = 10'000;
        std::vector<Row> rows;
        for (;;) {
            auto read = page(of, request);
            std::move(read.rows.begin(), read.rows.end(), std::back_inserter(rows));
            if (static_cast<int>(read.rows.size()) < request.limit)
                return rows;
            request.after = read.cursors.back();
        }
    }

    // Each row is shown with the instant by which it is found; how many have none.
    std::size_t countWithoutInstant(const Binding& times)
    {
        std::set<std::string> expired;
        std::set<std::string> later;
        std::set<std::string> earlier;
        std::size_t none = 0;
        for (const auto& row : rowsOf(times, "")) {
            EXPECT_EQ(row.createdAt, row.nextAttemptAt) << row.key;
            none += row.createdAt ? 0 : 1;
            if (row.state == "EXPIRED")
                expired.insert(row.key);
            if (row.createdAt)
                (*row.createdAt > clock.now() ? later : earlier).insert(row.key);
        }
        const auto found = [&](const std::string& filter) {
            std::set<std::string> keys;
            for (const auto& row : rowsOf(times, filter))
                keys.insert(row.key);
            return keys;
        };
        EXPECT_EQ(found("state = EXPIRED"), expired);
        EXPECT_EQ(earlier, expired) << "both columns hold the same";
        EXPECT_EQ(found("created > " + formatInstant(clock.now())), later);
        EXPECT_EQ(found("created <= " + formatInstant(clock.now())), earlier);
        EXPECT_FALSE(later.empty());
        EXPECT_FALSE(earlier.empty());
        return none;
    }

    std::string value(const std::string& sql)
    {
        const auto statement = connection->prepare(sql);
        EXPECT_TRUE(statement) << sql;
        EXPECT_TRUE((*statement)->run()) << sql;
        EXPECT_TRUE((*statement)->next()) << sql;
        auto text = (*statement)->text(0);
        (*statement)->finish();
        return text;
    }

    void expire(const Binding& of, const Row& row)
    {
        store::Bindings bindings(*connection, &library);
        const auto bound = bindings.find(of);
        ASSERT_TRUE(bound);
        SystemRandom random;
        const auto steps = store::compileAction(**bound, "expire",
            { .identity = row.identity, .seen = row.cas, .parameters = {}, .now = clock.now() }, random);
        ASSERT_TRUE(steps) << steps.error().message;
        const auto statement = store::prepared(*connection, steps->at(0).statement);
        ASSERT_TRUE(statement) << statement.error().message << " " << statement.error().detail;
        const auto ran = (*statement)->run();
        ASSERT_TRUE(ran) << ran.error().message << " " << ran.error().detail << "\n" << steps->at(0).statement.sql;
        EXPECT_EQ((*statement)->affected(), 1);
        (*statement)->finish();
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, TimeEncodings, bothDialects(), nameOfDialect);

TEST_P(TimeEncodings, AreReadComparedAndWritten)
{
    const auto seconds = [](Time at) { return std::to_string(microsOf(at) / 1'000'000); };
    const auto milliseconds = [](Time at) { return std::to_string(microsOf(at) / 1'000); };
    const auto micros = [](Time at) { return std::to_string(microsOf(at)); };
    const auto zulu = [](Time at) { return isoText(at, 'T', "Z"); };
    const auto plain = [](Time at) { return "'" + isoText(at, ' ', "").substr(1, 19) + "'"; };
    check({ "epoch_s", "BIGINT", seconds, 1s });
    check({ "epoch_ms", "BIGINT", milliseconds, 1ms });
    check({ "epoch_us", "BIGINT", micros, 1us });
    check({ "isoZ", "TEXT", zulu, 1us });
    check({ "iso", "TEXT", plain, 1s });
    if (!sqlite()) {
        check({ "tz", "TIMESTAMPTZ", zulu, 1us });
        check({ "naive:UTC", "TIMESTAMP", [](Time at) { return isoText(at, ' ', ""); }, 1us });
        check({ "naive:Asia/Kolkata", "TIMESTAMP", [](Time at) { return isoText(at + 5h + 30min, ' ', ""); }, 1us });
        check({ "epoch_s", "INT", seconds, 1s });
    }
}

class DatabaseClock : public InspectorTest { };

INSTANTIATE_TEST_SUITE_P(Backends, DatabaseClock, ::testing::Values(store::Dialect::PostgreSql), nameOfDialect);

TEST_P(DatabaseClock, DecidesWhereNoneIsBound)
{
    makeOwnTables();
    // The fixture's instants are the injected clock's; the server's own is elsewhere.
    clock.set(now + 1'000h);
    const auto add = [&](const std::string& key, const std::string& lease) {
        addOwn({ .key = key });
        run("UPDATE idempotency_records SET created_at = statement_timestamp() - interval '1 minute', lease_expires_at "
            "= "
            "statement_timestamp() + interval '"
            + lease + "', expires_at = statement_timestamp() + interval '30 minutes' WHERE idempotency_key = '" + key
            + "'");
    };
    add("live", "1 hour");
    add("stuck", "-1 hour");
    const auto made = store::SqlInspector::create(
        *connection, { .clock = &clock, .bindClock = false, .profiles = &library, .auditPath = {} });
    ASSERT_TRUE(made) << made.error().message;
    const auto all = (*made)->bindings(false);
    ASSERT_TRUE(all);
    const auto records = *std::find_if(
        all->begin(), all->end(), [](const Binding& binding) { return binding.name == "idempotency_records"; });
    const auto keys = [&](const std::string& filter) {
        PageRequest request;
        request.filter = *parseFilter(filter);
        request.order = "key";
        request.descending = false;
        const auto found = (*made)->page(records, request);
        EXPECT_TRUE(found) << filter << ": " << found.error().message << " " << found.error().detail;
        return found ? keysOf(*found) : std::string();
    };
    EXPECT_EQ(keys("stuck"), "stuck");
    EXPECT_EQ(keys("not stuck"), "live");
    EXPECT_EQ(keys("lease < 2h"), "live");
    EXPECT_EQ(keys("age > 30s and age < 10m"), "live stuck");
    EXPECT_EQ(keys("age > 200000w"), "");
    EXPECT_EQ(keys("expires > 200000w"), "");
    EXPECT_EQ(keys("expires < 1h"), "live stuck");
    EXPECT_EQ(keys("state = IN_PROGRESS"), "live stuck");
    const auto counts = (*made)->counts(records, nullptr, 10s);
    ASSERT_TRUE(counts) << counts.error().message << counts.error().detail;
    EXPECT_EQ(counts->stuck.value, 1);
    EXPECT_EQ(counts->expiringSoon.value, 2);
    const auto at = (*made)->info()->now;
    EXPECT_LT(std::chrono::abs(at - SystemClock().now()), 1h);
}

TEST_P(TimeEncodings, KnowNothingOfAnInstantThatIsNotThere)
{
    for (const auto* encoding : { "epoch_s", "epoch_ms", "epoch_us" }) {
        SCOPED_TRACE(encoding);
        run("CREATE TABLE times (id TEXT PRIMARY KEY, made BIGINT, ends BIGINT)");
        run("INSERT INTO times VALUES ('none', NULL, NULL)");
        auto text = profileWith(encoding);
        const std::string made = R"(["older_than", ["col", "made"], "PT10M"])";
        text.replace(text.find(made), made.size(), R"(["past", ["add_interval", ["col", "made"], "PT1H"]])");
        ASSERT_TRUE(library.add(text, "times.json"));
        const auto times = binding("times");
        const auto all = filtered(times, "");
        ASSERT_EQ(all.rows.size(), 1U);
        EXPECT_EQ(all.rows[0].createdAt, std::nullopt);
        EXPECT_EQ(all.rows[0].expiresAt, std::nullopt);
        EXPECT_EQ(all.rows[0].nextAttemptAt, std::nullopt);
        EXPECT_FALSE(all.rows[0].stuck);
        EXPECT_EQ(all.rows[0].state, "SUCCEEDED");
        EXPECT_EQ(keysOf(filtered(times, "stuck")), "");
        run("DROP TABLE times");
    }
}

TEST_P(TimeEncodings, ReadTheRowsBesideATextThatIsNoInstant)
{
    run("CREATE TABLE times (id TEXT PRIMARY KEY, made TEXT, ends TEXT)");
    const std::pair<const char*, const char*> texts[] = { { "a", "2024-13-01 10:00:00" }, { "b", "yesterday" },
        { "c", "2024-02-28 25:00:00" }, { "d", "" }, { "e", "2024-02-28 10:00:00" }, { "f", "2024-02-29T10:00:00.5Z" },
        { "g", "2024-02-28 10:00:00+02:00" }, { "h", "0000-01-01 00:00:00" }, { "j", "2459000" }, { "k", "now" },
        { "l", "2459000.5" } };
    for (const auto& [id, made] : texts)
        run(std::string("INSERT INTO times VALUES ('") + id + "', '" + made + "', NULL)");
    // A day that its month does not have is no error of the page either.
    run("INSERT INTO times VALUES ('i', '2023-02-29 10:00:00', NULL)");
    ASSERT_TRUE(library.add(profileWith("iso"), "times.json"));
    const auto times = binding("times");
    const auto all = filtered(times, "");
    ASSERT_EQ(all.rows.size(), 12U);
    const auto made = [&](const char* key) {
        const auto at = rowOf(all, key)->createdAt;
        return at ? formatInstant(*at) : std::string("none");
    };
    for (const auto* key : { "a", "b", "c", "d", "j", "k", "l" })
        EXPECT_EQ(made(key), "none") << key;
    EXPECT_EQ(made("e"), "2024-02-28T10:00:00.000000Z");
    EXPECT_EQ(made("f"), "2024-02-29T10:00:00.500000Z");
    EXPECT_EQ(made("g"), "2024-02-28T08:00:00.000000Z");
    EXPECT_EQ(inspector().counts(times, nullptr, 5s)->total.value, 12);
}

// What a page shows is read from the text itself where a statement would take long, what it filters by always in one.
TEST_P(TimeEncodings, ShowTheInstantByWhichTheyAreCompared)
{
    run("CREATE TABLE times (id TEXT PRIMARY KEY, made TEXT, ends TEXT)");
    const auto texts = writtenInstants();
    std::string values;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        values += (values.empty() ? "('" : ", ('") + std::to_string(i) + "', '" + texts[i] + "', '" + texts[i] + "')";
        if (i % 500 == 499 || i + 1 == texts.size()) {
            run("INSERT INTO times VALUES " + values);
            values.clear();
        }
    }
    auto text = profileWith("iso");
    text.replace(text.find("PT1H"), 4, "PT0S");
    ASSERT_TRUE(library.add(text, "times.json"));
    const auto times = binding("times");
    clock.set(*parseInstant("2024-02-29T12:00:00Z"));
    const auto none = countWithoutInstant(times);
    EXPECT_GT(none, texts.size() / 10);
    EXPECT_LT(none, texts.size() * 9 / 10);
}

class LooseColumns : public TimeEncodings { };

INSTANTIATE_TEST_SUITE_P(Backends, LooseColumns, ::testing::Values(store::Dialect::Sqlite), nameOfDialect);

// A column of SQLite holds anything: to the database a text is more than any number, and a blob more than a text.
TEST_P(LooseColumns, ShowTheInstantByWhichTheyAreCompared)
{
    const std::pair<const char*, std::int64_t> encodings[] = { { "epoch_s", 1 }, { "epoch_ms", 1'000 },
        { "epoch_us", 1'000'000 }, { "iso", 1 } };
    for (const auto& [encoding, perSecond] : encodings)
        for (const std::string type : { "TEXT", "TIMESTAMP", "", "INTEGER", "REAL", "NUMERIC" }) {
            // What says that it holds numbers holds no ISO 8601: the profile is refused.
            if (encoding == std::string("iso") && (type == "INTEGER" || type == "REAL" || type == "NUMERIC"))
                continue;
            SCOPED_TRACE(std::string(encoding) + " in " + type);
            run(std::string("CREATE TABLE times (id TEXT PRIMARY KEY, made ") + type + ", ends " + type + ")");
            const auto past = std::to_string(1'700'000'000 * perSecond);
            const auto future = std::to_string(1'710'000'000 * perSecond);
            std::string values;
            int id = 0;
            for (const auto& value : { std::string("NULL"), std::string("''"), std::string("'-5'"), std::string("-5"),
                     std::string("'never'"), std::string("'12abc'"), std::string("'0x10'"), std::string("x''"),
                     std::string("x'323032342d30312d30312030303a30303a3030'"),
                     std::string("x'323032352d30312d30312030303a30303a3030'"), past, future, "'" + past + "'",
                     "'" + future + "'", "'0" + past + "'", "'" + future + ".0'", past + ".5", future + ".5",
                     std::string("'2024-01-01 00:00:00'"), std::string("'2025-01-01T00:00:00Z'"),
                     std::string("'now'") }) {
                const auto name = std::to_string(id++);
                values += (values.empty() ? "('" : ", ('") + name + "', " + value + ", " + value + ")";
            }
            run("INSERT INTO times VALUES " + values);
            auto text = profileWith(encoding);
            text.replace(text.find("PT1H"), 4, "PT0S");
            ASSERT_TRUE(library.add(text, "times.json"));
            clock.set(*parseInstant("2024-02-29T12:00:00Z"));
            EXPECT_GT(countWithoutInstant(binding("times")), 5U);
            run("DROP TABLE times");
        }
}

// Applications compare texts: in another form than theirs, one that is past can sort as one to come.
TEST_P(TimeEncodings, AreWrittenInTheFormOfTheTextThatTheyReplace)
{
    struct Form {
        const char* made;
        const char* ends;
        const char* after; // of 2026-11-20 23:45:47.123456 in UTC
    };
    const Form forms[] = {
        { "2026-11-20 22:00:00", "2026-11-21T03:00:00Z", "2026-11-20T23:45:47Z" },
        { "2026-11-20 22:00:00", "2026-11-21T03:00:00.000Z", "2026-11-20T23:45:47.123Z" },
        { "2026-11-20T22:00:00Z", "2026-11-21 03:00:00", "2026-11-20 23:45:47" },
        { "2026-11-20T22:00:00Z", "2026-11-21 03:00:00.5", "2026-11-20 23:45:47.1" },
        { "2026-11-20 22:00:00", "2026-11-21T03:00:00", "2026-11-20T23:45:47" },
        { "2026-11-20 22:00:00", "2026-11-21T03:00:00.000000000Z", "2026-11-20T23:45:47.123456000Z" },
        { "2026-11-20 22:00:00", "2026-11-21 03:00:00 UTC", "2026-11-20 23:45:47 UTC" },
        { "2026-11-20 22:00:00", "2026-11-21 03:00:00+00:00", "2026-11-20 23:45:47+00:00" },
        { "2026-11-20 22:00:00", "2026-11-21T03:00:00.25-02:30", "2026-11-20T21:15:47.12-02:30" },
        { "2026-11-20 22:00:00", "2026-11-22T03:00:00+05:30", "2026-11-21T05:15:47+05:30" },
        { "2026-11-20 22:00:00", "2026-11-22 03:00:00+02", "2026-11-21 01:45:47+02" },
        { "2026-11-20 22:00:00", "2026-11-22 03:00:00.5 +0200", "2026-11-21 01:45:47.1 +0200" },
        { "2026-11-20 22:00:00", "2026-11-22 03:00:00-0330", "2026-11-20 20:15:47-0330" },
        { "2026-11-20 22:00:00", "2026-11-22T03:00+02:00", "2026-11-21T01:45+02:00" },
        { "2026-11-20 22:00:00", "2026-11-22T03:00Z", "2026-11-20T23:45Z" },
        { "2026-11-20 22:00:00", "2026-11-22 03:00", "2026-11-20 23:45" },
    };
    for (const auto* encoding : { "iso", "isoZ" })
        for (const auto& form : forms) {
            SCOPED_TRACE(std::string(encoding) + ' ' + form.ends);
            clock.set(*parseInstant("2026-11-20T23:45:47.123456Z"));
            run("CREATE TABLE times (id TEXT PRIMARY KEY, made TEXT, ends TEXT)");
            run(std::string("INSERT INTO times VALUES ('one', '") + form.made + "', '" + form.ends + "')");
            ASSERT_TRUE(library.add(profileWith(encoding), "times.json"));
            const auto times = binding("times");
            expire(times, filtered(times, "").rows.at(0));
            EXPECT_EQ(value("SELECT ends FROM times"), form.after);
            EXPECT_EQ(filtered(times, "").rows.at(0).state, "EXPIRED");
            run("DROP TABLE times");
        }
}

// A text that tells its offset means it, whatever the zone of those is that tell none.
TEST_P(TimeEncodings, ATextsOwnOffsetGoesBeforeTheZoneOfTheOthers)
{
    struct Form {
        const char* text;
        const char* instant;
        const char* after; // of 2026-11-20 23:45:47 in UTC
    };
    const Form forms[] = {
        { "2026-11-27 10:00:00", "2026-11-27T09:00:00Z", "2026-11-21 00:45:47" },
        { "2026-11-27T10:00", "2026-11-27T09:00:00Z", "2026-11-21T00:45" },
        { "2026-12-01", "2026-11-30T23:00:00Z", "2026-11-21 00:45:47" },
        { "2026-11-27 10:00:00+02:00", "2026-11-27T08:00:00Z", "2026-11-21 01:45:47+02:00" },
        { "2026-11-27 10:00:00.5+02", "2026-11-27T08:00:00.5Z", "2026-11-21 01:45:47.0+02" },
        { "2026-11-27T10:00:00-0500", "2026-11-27T15:00:00Z", "2026-11-20T18:45:47-0500" },
        { "2026-11-27T10:00:00Z", "2026-11-27T10:00:00Z", "2026-11-20T23:45:47Z" },
        { "2026-11-27 10:00:00 UTC", "2026-11-27T10:00:00Z", "2026-11-20 23:45:47 UTC" },
    };
    for (const auto& form : forms) {
        SCOPED_TRACE(form.text);
        clock.set(*parseInstant("2026-11-20T23:45:47Z"));
        run("CREATE TABLE times (id TEXT PRIMARY KEY, made TEXT, ends TEXT)");
        run(std::string("INSERT INTO times VALUES ('one', '2026-07-01 10:00:00', '") + form.text
            + "'), ('other', 'junk', 'junk')");
        ASSERT_TRUE(library.add(profileWith("naive:Europe/Berlin"), "times.json"));
        const auto times = binding("times");
        const auto before = *rowOf(filtered(times, ""), "one");
        EXPECT_EQ(before.createdAt, *parseInstant("2026-07-01T08:00:00Z"));
        EXPECT_EQ(before.expiresAt, *parseInstant(form.instant));
        EXPECT_EQ(rowOf(filtered(times, ""), "other")->expiresAt, std::nullopt);
        EXPECT_EQ(keysOf(filtered(times, "created < 2026-07-01T08:00:01Z")), "one");
        EXPECT_EQ(keysOf(filtered(times, "created < 2026-07-01T07:59:59Z")), "");
        expire(times, before);
        EXPECT_EQ(value("SELECT ends FROM times WHERE id = 'one'"), form.after);
        run("DROP TABLE times");
    }
}

// What an action sets to now, to nothing, or to whichever there is, in a column of text that may be filled up.
TEST_P(TimeEncodings, WhatIsSetIsReadBack)
{
    struct Set {
        const char* expression;
        const char* instant; // empty: none
    };
    const Set sets[] = {
        { R"(["now"])", "2026-11-20T23:45:47Z" },
        { R"(["add_interval", ["col", "made"], "PT1H"])", "" },
        { R"(["coalesce", ["col", "made"], ["now"]])", "2026-11-20T23:45:47Z" },
        { R"(["greatest", ["col", "ends"], ["now"]])", "as it was" },
        { R"(["case", [[["is_null", ["col", "made"]], ["now"]]], ["col", "ends"]])", "2026-11-20T23:45:47Z" },
        { R"(["case", [[["is_null", ["col", "ends"]], ["now"]]], ["col", "ends"]])", "as it was" },
        { R"(["coalesce", ["case", [[["is_null", ["col", "made"]], ["col", "made"]]], ["col", "ends"]], ["now"]])",
            "2026-11-20T23:45:47Z" },
    };
    for (const auto* encoding : { "iso", "naive:Europe/Berlin", "naive:UTC" })
        for (const auto* type : { "TEXT", "CHAR(40)" })
            for (const auto& set : sets) {
                SCOPED_TRACE(std::string(encoding) + ' ' + type + ' ' + set.expression);
                clock.set(*parseInstant("2026-11-20T23:45:47Z"));
                auto text = profileWith(encoding);
                const std::string plain = R"(["now"])";
                text.replace(text.find(plain), plain.size(), set.expression);
                run(std::string("CREATE TABLE times (id TEXT PRIMARY KEY, made ") + type + ", ends " + type + ")");
                run("INSERT INTO times VALUES ('one', NULL, '2026-11-27 10:00:00+01'), ('spaced', NULL, "
                    "'2026-11-27 10:00:00 ')");
                ASSERT_TRUE(library.add(text, "times.json"));
                const auto times = binding("times");
                for (const auto* key : { "one", "spaced" }) {
                    const auto row = *rowOf(filtered(times, ""), key);
                    ASSERT_TRUE(row.expiresAt);
                    const auto was = *row.expiresAt;
                    expire(times, row);
                    const std::string said = set.instant;
                    const auto wanted = said == "as it was" ? std::optional<Time>(was)
                        : !said.empty()                     ? std::optional<Time>(*parseInstant(said))
                                                            : std::nullopt;
                    EXPECT_EQ(rowOf(filtered(times, ""), key)->expiresAt, wanted) << key;
                }
                run("DROP TABLE times");
            }
}

// A column that holds nothing yet takes the form of the row's other texts, and that of the profile where there is none.
TEST_P(TimeEncodings, AreWrittenInTheFormOfTheRow)
{
    clock.set(*parseInstant("2026-11-20T23:45:47.123456Z"));
    auto text = profileWith("iso");
    const std::string when = R"("when": ["future", ["col", "ends"]])";
    text.replace(text.find(when), when.size(), R"("when": ["is_null", ["col", "ends"]])");
    run("CREATE TABLE times (id TEXT PRIMARY KEY, made TEXT, ends TEXT)");
    run("INSERT INTO times VALUES ('zulu', '2026-11-20T22:00:00.000Z', NULL), ('odd', 'yesterday', NULL), ('none', "
        "NULL, NULL)");
    ASSERT_TRUE(library.add(text, "times.json"));
    const auto times = binding("times");
    const auto all = filtered(times, "");
    for (const auto* key : { "zulu", "odd", "none" })
        expire(times, *rowOf(all, key));
    EXPECT_EQ(value("SELECT ends FROM times WHERE id = 'zulu'"), "2026-11-20T23:45:47.123Z");
    EXPECT_EQ(value("SELECT ends FROM times WHERE id = 'odd'"), "2026-11-20 23:45:47");
    EXPECT_EQ(value("SELECT ends FROM times WHERE id = 'none'"), "2026-11-20 23:45:47");
}

// Both databases would else tell another day, or each its own.
TEST_P(TimeEncodings, ADayThatItsMonthDoesNotHaveIsNone)
{
    run("CREATE TABLE times (id TEXT PRIMARY KEY, made TEXT, ends TEXT)");
    run("INSERT INTO times VALUES ('none', '2026-02-30 10:00:00', '2026-11-31'), ('leap', '2028-02-29 10:00:00', "
        "'2026-10-31'), ('other', '2026-02-29 10:00:00', '2026-02-28')");
    ASSERT_TRUE(library.add(profileWith("iso"), "times.json"));
    const auto all = filtered(binding("times"), "");
    EXPECT_EQ(rowOf(all, "none")->createdAt, std::nullopt);
    EXPECT_EQ(rowOf(all, "none")->expiresAt, std::nullopt);
    EXPECT_EQ(rowOf(all, "leap")->createdAt, *parseInstant("2028-02-29T10:00:00Z"));
    EXPECT_EQ(rowOf(all, "leap")->expiresAt, *parseInstant("2026-10-31T00:00:00Z"));
    EXPECT_EQ(rowOf(all, "other")->createdAt, std::nullopt);
    EXPECT_EQ(rowOf(all, "other")->expiresAt, *parseInstant("2026-02-28T00:00:00Z"));
}

// Both databases read the same texts, and each as the same instant.
TEST_P(TimeEncodings, ATextHasAnOffsetInWhateverForm)
{
    const std::pair<const char*, const char*> texts[] = {
        { "2026-11-27 10:00:00+02", "2026-11-27T08:00:00Z" },
        { "2026-11-27 10:00:00+0200", "2026-11-27T08:00:00Z" },
        { "2026-11-27T10:00:00.123+0200", "2026-11-27T08:00:00.123Z" },
        { "2026-11-27T10:00:00.123456+02:00", "2026-11-27T08:00:00.123456Z" },
        { "2026-11-27 10:00:00.5-0330", "2026-11-27T13:30:00.5Z" },
        { "2026-11-27T10:00+02:00", "2026-11-27T08:00:00Z" },
        { "2026-11-27T10:00Z", "2026-11-27T10:00:00Z" },
        { "2026-11-27 10:00:00 UTC", "2026-11-27T10:00:00Z" },
        { "2026-11-27 10:00:00.25 +01", "2026-11-27T09:00:00.25Z" },
        { "2026-11-27", "2026-11-27T00:00:00Z" },
        { "2026-11-29 23:59:59", "2026-11-29T23:59:59Z" },
        { "2026-11-09T00:00:00", "2026-11-09T00:00:00Z" },
    };
    const char* none[] = { "2026-11-27 10:00:00 junk", "2026-11-27 10:00:00Zjunk", "2026-11-27 10:00:00.5junk",
        "2026-11-27 10:00:00 PM", "2026-11-27 10:00:00 Europe/Berlin", "2026-11-27 24:00:00", "2026-11-27 10:00:00.",
        "2026-11-27 10:00:00.5e3", "2026-11-27 10:00:00+15:00", "2026-11-27 10:00:00z", "2026-11-27x10:00:00",
        "2026-11-27+02", "2026-11-27 10:00.5", "0000-11-27 10:00:00", "2020-99-99", "1234-not a date", "now", "",
        "2026-02-30 10:00:00.5+02:00" };
    run("CREATE TABLE times (id TEXT PRIMARY KEY, made TEXT, ends TEXT)");
    for (const auto& [text, instant] : texts)
        run(std::string("INSERT INTO times VALUES ('") + text + "', '" + text + "', NULL)");
    for (const auto* text : none)
        run(std::string("INSERT INTO times VALUES ('") + text + "', '" + text + "', NULL)");
    ASSERT_TRUE(library.add(profileWith("iso"), "times.json"));
    const auto all = filtered(binding("times"), "");
    for (const auto& [text, instant] : texts)
        EXPECT_EQ(rowOf(all, text)->createdAt, *parseInstant(instant)) << text;
    for (const auto* text : none) {
        EXPECT_EQ(rowOf(all, text)->createdAt, std::nullopt) << text;
        EXPECT_FALSE(rowOf(all, text)->stuck) << text;
    }
    EXPECT_EQ(filtered(binding("times"), "created < 2030-01-01").rows.size(), std::size(texts));
    EXPECT_EQ(filtered(binding("times"), "created > 1990-01-01").rows.size(), std::size(texts));
}

// Every day that could be, at an hour that there is or not.
TEST_P(TimeEncodings, EveryDayOfAYearIsReadOrIsNone)
{
    run("CREATE TABLE times (id TEXT PRIMARY KEY, made TEXT, ends TEXT)");
    ASSERT_TRUE(library.add(profileWith("iso"), "times.json"));
    for (const int year : { 1999, 2026, 2028 }) {
        std::string values;
        for (int month = 0; month <= 13; ++month)
            for (int day = 0; day <= 32; ++day) {
                char text[32];
                std::snprintf(text, sizeof text, "%d-%02d-%02d %02d:59:07", year, month, day, (7 * day + month) % 26);
                values += (values.empty() ? "('" : ", ('") + std::string(text) + "', '" + text + "')";
            }
        run("DELETE FROM times");
        run("INSERT INTO times (id, made) VALUES " + values);
        int days = 0;
        for (const auto& row : filtered(binding("times"), "").rows) {
            const auto instant = parseInstant(row.key + "Z");
            days += instant ? 1 : 0;
            EXPECT_EQ(row.createdAt, instant ? std::optional<Time>(*instant) : std::nullopt) << row.key;
        }
        EXPECT_GT(days, 300);
        EXPECT_EQ(int(filtered(binding("times"), "created > 1990-01-01").rows.size()), days);
    }
}

TEST_P(TimeEncodings, TakeTheGreatestOfWhatIsThere)
{
    run("CREATE TABLE times (id TEXT PRIMARY KEY, made BIGINT, ends BIGINT)");
    run("INSERT INTO times VALUES ('one', 5000000, NULL), ('other', NULL, 7000000), ('none', NULL, NULL)");
    auto text = profileWith("epoch_us");
    const std::string next = R"(["add_interval", ["col", "made"], "PT1H"])";
    text.replace(text.find(next), next.size(), R"(["greatest", ["col", "made"], ["col", "ends"]])");
    ASSERT_TRUE(library.add(text, "times.json"));
    const auto all = filtered(binding("times"), "");
    EXPECT_EQ(rowOf(all, "one")->nextAttemptAt, timeFromMicros(5'000'000));
    EXPECT_EQ(rowOf(all, "other")->nextAttemptAt, timeFromMicros(7'000'000));
    EXPECT_EQ(rowOf(all, "none")->nextAttemptAt, std::nullopt);
}

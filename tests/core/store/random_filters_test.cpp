// SPDX-License-Identifier: GPL-3.0-or-later
#include <random>

#include "tests/core/store/inspector_fixture.h"

using namespace fencepost;
using namespace fencepost::test;

// Whatever the language allows is a statement that both databases understand, on every recognised table.
class RandomFilters : public InspectorTest {
protected:
    std::string value(std::mt19937& random, Field field)
    {
        const auto pick = [&](std::initializer_list<const char*> values) {
            return std::string(*(values.begin() + random() % values.size()));
        };
        switch (typeOf(field)) {
        case ValueType::State:
            return pick({ "IN_PROGRESS", "HELD", "EXPIRED", "UNKNOWN", "RECEIVED", "SUCCEEDED", "PENDING", "DEAD" });
        case ValueType::Integer:
            return pick({ "0", "-1", "12", "9223372036854775807", "-9223372036854775808" });
        case ValueType::Timespan:
            return pick({ "0s", "5m", "1us", "15250w" });
        case ValueType::Instant:
            if (field != Field::Created && random() % 2 == 0)
                return pick({ "0s", "5m", "15250w" });
            return pick({ "0000-01-01", "1970-01-01", "2026-11-20T23:45:47.123456+02:00", "9999-12-31T23:59:59Z" });
        case ValueType::Hex:
            return pick({ "c0ffee", "C0", "abc", "\"not hex\"", "\"\"" });
        case ValueType::Text:
            break;
        }
        return pick({ "a", "\"\"", "\"'; DROP TABLE x; --\"", "\"\\\\xff\"", "\"\\\\bff\"", "%", "_", "12",
            "\":v0 ? $1\"", "00000000-0000-4000-8000-000000000001", "\"zwei Wörter \\\"\"" });
    }

    std::string moment(std::mt19937& random)
    {
        constexpr const char* events[] = { "receive", "process", "fail", "die", "conflict", "write", "send", "redrive",
            "discard", "attempt", "reserve" };
        std::string text = std::string("had(event = ") + events[random() % std::size(events)];
        for (auto count = random() % 4; count > 0;) {
            const auto field = static_cast<Field>(int(Field::Event) + random() % 7);
            const auto comparison = static_cast<Comparison>(random() % 8);
            auto test = " and " + std::string(wordOf(field)) + " " + std::string(wordOf(comparison)) + " ";
            test += comparison == Comparison::In ? "(" + value(random, field) + ", " + value(random, field) + ")"
                                                 : value(random, field);
            if (!parseFilter(text + test + ")"))
                continue;
            text += test;
            --count;
        }
        return text + ")";
    }

    std::string filter(std::mt19937& random, int depth)
    {
        if (depth > 0 && random() % 3 != 0) {
            if (random() % 4 == 0)
                return "not (" + filter(random, depth - 1) + ")";
            return "(" + filter(random, depth - 1) + (random() % 2 == 0 ? " and " : " or ") + filter(random, depth - 1)
                + ")";
        }
        if (random() % 5 == 0)
            return std::string(wordOf(static_cast<Flag>(random() % 3)));
        if (random() % 5 == 0)
            return moment(random);
        for (;;) {
            const auto field = static_cast<Field>(random() % 13);
            const auto comparison = static_cast<Comparison>(random() % 8);
            std::string text = std::string(wordOf(field)) + " " + std::string(wordOf(comparison)) + " ";
            if (comparison == Comparison::In)
                text += "(" + value(random, field) + ", " + value(random, field) + ")";
            else
                text += value(random, field);
            if (parseFilter(text))
                return text;
        }
    }

    void check(const std::vector<Binding>& bindings)
    {
        std::mt19937 random(99);
        for (const auto& of : bindings) {
            int ran = 0;
            for (int i = 0; i < 80; ++i) {
                const auto text = filter(random, 3);
                PageRequest request;
                request.filter = *parseFilter(text);
                request.order = of.orders[random() % of.orders.size()];
                request.descending = random() % 2 == 0;
                const auto read = inspector().page(of, request);
                if (!read) {
                    const auto& why = read.error().message;
                    const bool noMoment = text.find("had(") != std::string::npos
                        && (why.find("tell") != std::string::npos || why.find("never have") != std::string::npos);
                    ASSERT_TRUE(noMoment || why.find(" to filter by") != std::string::npos)
                        << of.name << ": " << text << ": " << read.error().message << " " << read.error().detail;
                    continue;
                }
                ++ran;
                const auto rest =
                    inspector().page(of, { .filter = *parseFilter("not (" + text + ")"), .order = request.order });
                ASSERT_TRUE(rest);
                ASSERT_EQ(read->rows.size() + rest->rows.size(), expected[of.name]) << of.name << ": " << text;
                const auto counts = inspector().counts(of, request.filter, 5s);
                ASSERT_TRUE(counts) << text << ": " << counts.error().message << " " << counts.error().detail;
                ASSERT_EQ(counts->total.value, static_cast<std::int64_t>(read->rows.size())) << of.name << ": " << text;
            }
            EXPECT_GT(ran, 5) << of.name;
        }
    }

    std::map<std::string, std::size_t> expected;
};

INSTANTIATE_TEST_SUITE_P(Backends, RandomFilters, bothDialects(), nameOfDialect);

TEST_P(RandomFilters, AreUnderstoodOnOwnTables)
{
    makeOwnTables();
    addEveryState();
    expected = { { "idempotency_records", 7 }, { "inbox_messages", 0 }, { "outbox_messages", 0 },
        { "dead_letters", 0 } };
    check(*inspector().bindings(true));
}

TEST_P(RandomFilters, AreUnderstoodOnForeignTables)
{
    makeLayout("playbook");
    makeLayout("atlas");
    for (const std::string key : { "a", "12", "%", "x" }) {
        run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) VALUES ('" + key
            + "', 'c0ffee', 'pending', " + seed(-6min) + ", " + seed(1h) + ")");
        run("INSERT INTO idempotency_records VALUES ('s', 'o', '" + key + "', " + bytes("c0ffee")
            + ", 'IN_PROGRESS', '00000000-0000-4000-8000-000000000001', NULL, NULL, NULL, " + seed(-6min) + ", "
            + seed(-6min) + ", " + seed(1h) + ")");
    }
    expected = { { "idempotency_keys", 4 }, { "idempotency_records", 4 }, { "inbox_events", 0 } };
    check(*inspector().bindings(true));
}

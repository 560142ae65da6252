// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <ostream>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QTemporaryDir>

#include "core/profile/library.h"
#include "core/store/stores.h"
#include "models/records_model.h"
#include "tests/support/large_table.h"
#include "tests/support/temp_database.h"
#include "tests/support/wait.h"

namespace fencepost::models {
namespace {

using testing::eventually;

constexpr int shownRows = 40;
constexpr std::int64_t tableSize = 2400;

struct Walk {
    const char* order;
    bool descending;
    unsigned seed;
};

// gtest would print addresses.
void PrintTo(const Walk& walk, std::ostream* out)
{
    *out << walk.order << (walk.descending ? " descending" : " ascending") << ", seed " << walk.seed;
}

// A view scrolls, jumps, selects and refreshes at random while others write into the table.
class WindowPropertyTest : public ::testing::TestWithParam<Walk> {
protected:
    void SetUp() override
    {
        ASSERT_EQ(m_database.problem(), "");
        auto profiles = profile::shippedLibrary();
        ASSERT_TRUE(profiles);
        m_profiles = std::move(*profiles);
        auto connection = m_database.connect();
        ASSERT_TRUE(connection);
        m_writer = std::move(*connection);
        ASSERT_TRUE(test::fillRecords(*m_writer, tableSize, m_clock.now(), true));
        auto reader = openBackend();
        ASSERT_TRUE(reader);
        m_reader = std::move(*reader);
        const auto bindings = m_reader->inspector().bindings(false);
        ASSERT_TRUE(bindings);
        const auto own = std::find_if(bindings->begin(), bindings->end(),
            [](const Binding& binding) { return binding.name == "idempotency_records"; });
        ASSERT_TRUE(own != bindings->end());
        m_binding = std::make_shared<const Binding>(*own);
        QObject::connect(&m_model, &RowsModelBase::shifted, &m_model, [this](int rows) { m_top += rows; });
        QObject::connect(&m_model, &QAbstractItemModel::modelReset, &m_model, [this] { m_top = 0; });
        m_thread.start();
        m_model.setCapacity(500);
        ASSERT_TRUE(
            m_model.setView(m_binding, QString(), QString::fromLatin1(GetParam().order), GetParam().descending));
        settle();
    }
    Result<std::unique_ptr<Backend>> openBackend()
    {
        return store::open({ .target = m_database.target(),
            .options = { .access = store::Access::ReadOnly, .statementTimeout = std::chrono::seconds(30) },
            .profiles = &m_profiles,
            .auditPath = m_database.folder().toStdString() + "/audit.db" });
    }

    void settle()
    {
        // A view tells what it shows whenever rows have come or gone.
        for (int rounds = 0; rounds < 3; ++rounds) {
            show();
            ASSERT_TRUE(eventually([this] { return !m_model.busy(); }));
        }
        ASSERT_FALSE(m_model.error()) << m_model.error()->message << m_model.error()->detail;
    }
    void show()
    {
        m_top = std::clamp(m_top, 0, std::max(0, m_model.rowCount() - shownRows));
        m_model.show(m_top, std::min(m_model.rowCount(), m_top + shownRows) - 1);
    }
    void scrollBy(int rows)
    {
        m_top += rows;
        show();
    }
    void refresh()
    {
        m_model.refresh();
        settle();
    }
    int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(m_random); }

    // The whole table in this order, read at once.
    [[nodiscard]] std::vector<Identity> table()
    {
        const auto page = m_reader->inspector().page(*m_binding,
            { .order = GetParam().order, .descending = GetParam().descending, .limit = 2 * int(tableSize) });
        EXPECT_TRUE(page);
        EXPECT_FALSE(page && page->moreAfter);
        std::vector<Identity> identities;
        for (const auto& row : page->rows)
            identities.push_back(row.identity);
        return identities;
    }
    [[nodiscard]] std::vector<Identity> shown() const
    {
        std::vector<Identity> identities;
        for (int row = 0; row < m_model.rowCount(); ++row)
            identities.push_back(m_model.rowAt(row).identity);
        return identities;
    }
    [[nodiscard]] std::vector<Identity> untouched(std::vector<Identity> rows) const
    {
        std::erase_if(rows, [this](const Identity& identity) { return m_touched.contains(identity); });
        return rows;
    }

    void write(const std::string& sql)
    {
        const auto done = m_writer->execute(sql);
        ASSERT_TRUE(done) << done.error().message << done.error().detail;
        m_quiet = false;
    }
    void insert(bool newest)
    {
        const auto number = std::to_string(++m_inserted);
        const auto created = newest ? microsOf(m_clock.now()) + m_inserted : 1'000'000'000 - m_inserted;
        const auto key = "new-" + number;
        m_touched.insert({ "tenant/new", "refund", key });
        write("INSERT INTO idempotency_records (scope, operation_type, idempotency_key, request_hash, status, fence, "
              "attempt, created_at, started_at, updated_at, expires_at, lease_expires_at, owner_execution_id) VALUES "
              "('tenant/new', 'refund', '"
            + key + "', zeroblob(32), 'IN_PROGRESS', 1, 1, " + std::to_string(created) + ", 1, 1, "
            + std::to_string(created + 5'000'000) + ", " + std::to_string(created)
            + ", '00000000-0000-4000-8000-000000000001')");
    }
    void remove(const Identity& identity)
    {
        m_touched.insert(identity);
        write("DELETE FROM idempotency_records WHERE idempotency_key = '" + identity[2] + "'");
    }
    // The row stays and stands elsewhere in the order of expiries.
    void move(const Identity& identity)
    {
        m_touched.insert(identity);
        write("UPDATE idempotency_records SET expires_at = created_at + "
            + std::to_string(5'000'000'000LL * below(1000)) + " WHERE idempotency_key = '" + identity[2] + "'");
    }
    void writeSomething()
    {
        const auto rows = shown();
        if (rows.empty())
            return;
        const auto& victim = rows[std::size_t(below(int(rows.size())))];
        switch (below(5)) {
        case 0:
            return insert(true);
        case 1:
            return insert(false);
        case 2:
            return move(victim);
        default:
            return remove(victim);
        }
    }

    void step()
    {
        switch (below(14)) {
        case 0:
        case 1:
        case 2:
            return scrollBy(below(400) - 200);
        case 3:
            return scrollBy(below(2000) - 1000);
        case 4:
            m_model.jumpToFraction(below(1001) / 1000.0);
            m_jumped = m_quiet = true;
            return;
        case 5:
            m_model.jumpToEnd();
            m_jumped = m_quiet = true;
            return;
        case 6:
            m_model.jumpToBegin();
            m_jumped = m_quiet = true;
            return;
        case 7:
        case 8:
        case 9:
            return writeSomething();
        case 10:
            if (m_model.rowCount() > 0) {
                const int row = below(m_model.rowCount());
                m_chosen.insert(m_model.rowAt(row).identity);
                m_model.toggleSelected(row);
            }
            return;
        case 11:
            return m_model.clearSelection();
        default:
            return m_model.refresh();
        }
    }

    void expectNoGap(const std::vector<Identity>& all)
    {
        const auto whole = untouched(all);
        const auto held = untouched(shown());
        if (held.empty())
            return;
        const auto at = std::find(whole.begin(), whole.end(), held.front());
        ASSERT_NE(at, whole.end());
        ASSERT_LE(std::ptrdiff_t(held.size()), whole.end() - at);
        ASSERT_TRUE(std::equal(held.begin(), held.end(), at)) << "a row is missing, doubled or out of order";
        ASSERT_TRUE(m_model.moreBefore() || at == whole.begin()) << "nothing is said to be before";
        ASSERT_TRUE(m_model.moreAfter() || at + std::ptrdiff_t(held.size()) == whole.end())
            << "nothing is said to be behind";
    }
    // Nothing was written since the jump: what is held is the table, and an exact place is the place.
    void expectTheTable(const std::vector<Identity>& all)
    {
        const auto held = shown();
        ASSERT_FALSE(held.empty());
        const auto at = std::find(all.begin(), all.end(), held.front());
        ASSERT_NE(at, all.end());
        ASSERT_TRUE(std::ptrdiff_t(held.size()) <= all.end() - at && std::equal(held.begin(), held.end(), at));
        const bool exact = m_model.positionIsExact();
        ASSERT_TRUE(!exact || m_model.firstPosition() == at - all.begin()) << m_model.firstPosition();
        ASSERT_TRUE(!exact || m_model.moreAfter() || m_model.estimatedSize().value == std::int64_t(all.size()))
            << m_model.estimatedSize().value;
        ASSERT_GE(m_model.estimatedSize().value, m_model.firstPosition() + m_model.rowCount());
    }
    void expectOnlyTheChosen()
    {
        if (m_model.selection().empty())
            m_chosen.clear();
        for (int row = 0; row < m_model.rowCount(); ++row)
            ASSERT_TRUE(!m_model.data(m_model.index(row, 0), RowsModelBase::SelectedRole).toBool()
                || m_chosen.contains(m_model.rowAt(row).identity))
                << "nobody chose it";
    }
    // Refreshing brings what is shown up to date and moves nothing under a scrolled view.
    void expectFreshAndStill()
    {
        m_model.clearSelection();
        settle();
        const auto top = m_model.rowAt(m_top).identity;
        const bool still = m_top > 0;
        const bool end = m_top + shownRows >= m_model.rowCount() && !m_model.moreAfter();
        refresh();
        refresh();
        const auto all = table();
        if (m_top == 0 && !m_model.moreBefore()) {
            for (int row = 0; row < std::min(shownRows, m_model.rowCount()); ++row)
                ASSERT_EQ(m_model.rowAt(row).identity, all[std::size_t(row)]) << row;
        } else if (still && std::find(all.begin(), all.end(), top) != all.end() && m_model.rowOf(top) >= 0
            && !m_touched.contains(top)) {
            ASSERT_EQ(m_model.rowAt(m_top).identity, top);
        }
        if (end && m_model.rowCount() > 0) {
            m_top = m_model.rowCount();
            settle();
            while (m_model.moreAfter()) {
                m_top = m_model.rowCount();
                settle();
            }
            ASSERT_EQ(untouched({ m_model.rowAt(m_model.rowCount() - 1).identity }), untouched({ all.back() }));
        }
    }

    SystemClock m_clock;
    test::TempDatabase m_database{ store::Dialect::Sqlite };
    profile::Library m_profiles;
    std::unique_ptr<store::Connection> m_writer;
    std::unique_ptr<Backend> m_reader;
    BindingPtr m_binding;
    StoreThread m_thread{ [this] { return openBackend(); }, m_clock };
    RecordsModel m_model{ m_thread };
    QAbstractItemModelTester m_tester{ &m_model, QAbstractItemModelTester::FailureReportingMode::Fatal };
    std::mt19937 m_random{ GetParam().seed };
    std::set<Identity> m_touched; // inserted, deleted or moved by now
    std::set<Identity> m_chosen;
    int m_inserted = 0;
    int m_top = 0;
    bool m_jumped = false; // since the last check
    bool m_quiet = false; // nothing was written since the jump
};

TEST_P(WindowPropertyTest, TheWindowIsASliceOfTheTable)
{
    for (int round = 0; round < 30; ++round) {
        SCOPED_TRACE(round);
        m_jumped = m_quiet = false;
        for (int steps = 1 + below(4); steps > 0; --steps) {
            step();
            // Sometimes the answers of a step arrive before the next one, sometimes not.
            if (below(3) == 0)
                settle();
        }
        settle();
        const auto all = table();
        ASSERT_NO_FATAL_FAILURE(expectNoGap(all));
        ASSERT_NO_FATAL_FAILURE(expectOnlyTheChosen());
        if (m_jumped && m_quiet) {
            ASSERT_NO_FATAL_FAILURE(expectTheTable(all));
        }
        if (round % 5 == 4) {
            ASSERT_NO_FATAL_FAILURE(expectFreshAndStill());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Walks, WindowPropertyTest,
    ::testing::Values(Walk{ "created", true, 1 }, Walk{ "created", false, 2 }, Walk{ "key", false, 3 },
        Walk{ "expires", false, 4 }, Walk{ "expires", true, 5 }),
    [](const auto& walk) {
        return std::string(walk.param.order) + (walk.param.descending ? "Descending" : "Ascending")
            + std::to_string(walk.param.seed);
    });

} // namespace
} // namespace fencepost::models

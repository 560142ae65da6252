// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <csignal>
#include <iostream>
#include <thread>

#include <QCoreApplication>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>

#include "core/store/positional.h"
#include "core/store/statements.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/older_schema.h"
#include "tests/support/signal_process.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;

namespace {

// A process of its own; it is built beside the tests.
std::unique_ptr<QProcess> startChild(const char* work, const std::string& url)
{
    auto child = std::make_unique<QProcess>();
    child->start(QCoreApplication::applicationDirPath() + QLatin1String("/store_child"),
        { QLatin1String(work), QString::fromStdString(url) });
    return child;
}

// A file system of a few megabytes for the server's tables. The server's user owns it.
class SmallDisk {
public:
    explicit SmallDisk(const std::string& dataDirectory)
    {
        const QFileInfo owner(QString::fromStdString(dataDirectory));
        m_mounted = run("mount",
            { QLatin1String("-t"), QLatin1String("tmpfs"), QLatin1String("-o"),
                QStringLiteral("size=8m,mode=700,uid=%1,gid=%2").arg(owner.ownerId()).arg(owner.groupId()),
                QLatin1String("tmpfs"), m_folder.path() });
    }
    ~SmallDisk()
    {
        if (m_mounted)
            run("umount", { QLatin1String("-l"), m_folder.path() });
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    [[nodiscard]] bool isMounted() const { return m_mounted; }
    [[nodiscard]] std::string path() const { return m_folder.path().toStdString(); }
    [[nodiscard]] bool grow() const
    {
        return run("mount", { QLatin1String("-o"), QLatin1String("remount,size=96m"), m_folder.path() });
    }

private:
    static bool run(const char* program, const QStringList& arguments)
    {
        return QProcess::execute(QLatin1String(program), arguments) == 0;
    }

    QTemporaryDir m_folder;
    bool m_mounted = false;
};

} // namespace

class StoreFaults : public StoreTest {
protected:
    void run(const std::string& sql)
    {
        const auto done = main.connection->execute(sql);
        ASSERT_TRUE(done) << sql << ": " << done.error().detail;
    }

    // Only root may mount a disk that can be filled. Without it a trigger stands in, which raises what the server
    // would.
    void refuseLikeAFullDisk()
    {
        std::cout << "No disk could be mounted: the fault of a full one is injected" << std::endl;
        const auto first = reserve(1);
        run("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not "
            "extend file' USING ERRCODE = '53100'; END $$");
        run("CREATE TRIGGER full_disk BEFORE INSERT ON idempotency_transitions FOR EACH ROW EXECUTE FUNCTION "
            "full_disk()");
        const auto refused = subject().finalize(claim(1, first.record->fence), completion(201, "x"));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().failure, Failure::Full);
        EXPECT_EQ(record(), first.record);
        run("DROP TRIGGER full_disk ON idempotency_transitions");
        EXPECT_EQ(
            value(subject().finalize(claim(1, first.record->fence), completion(201, "x"))).outcome, Outcome::Applied);
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, StoreFaults, bothDialects(), nameOfDialect);

TEST_P(StoreFaults, TwoProcessesMigrateAtOnce)
{
    TempDatabase fresh(GetParam());
    ASSERT_EQ(fresh.problem(), "");
    // From nothing, and then from each older version.
    for (int older = store::currentSchemaVersion - 1; older >= 0; --older) {
        std::vector<std::unique_ptr<QProcess>> children;
        for (int i = 0; i < 2; ++i)
            children.push_back(startChild("migrate", fresh.url()));
        for (const auto& child : children) {
            QByteArray said;
            while (!said.contains("ready") && child->waitForReadyRead())
                said += child->readAllStandardOutput();
            ASSERT_TRUE(said.contains("ready"));
        }
        for (const auto& child : children)
            child->write("go\n");
        for (const auto& child : children) {
            ASSERT_TRUE(child->waitForFinished());
            EXPECT_TRUE(child->readAllStandardOutput().contains("migrated"));
            EXPECT_EQ(child->exitCode(), 0);
        }
        const auto connection = fresh.connect();
        ASSERT_TRUE(connection);
        EXPECT_EQ(store::schemaStatus(**connection)->version, store::currentSchemaVersion);
        if (older > 0)
            goBackTo(**connection, older);
    }
}

TEST_P(StoreFaults, AKilledProcessLeavesEveryRecordWithItsJournal)
{
    constexpr int kills = 8;
    for (int kill = 0; kill < kills; ++kill) {
        const auto child = startChild("finalize", database.url());
        // Killed at another point of its work each time.
        const auto wanted = 3 + 7 * kill;
        QByteArray said;
        while (said.count('-') < 4 * wanted && child->waitForReadyRead())
            said += child->readAllStandardOutput();
        ASSERT_GE(said.count('-'), 4 * wanted);
        ASSERT_TRUE(fencepost::testing::signalProcess(*child, SIGKILL)) << child->readAllStandardError().toStdString();
        child->waitForFinished();
        said += child->readAllStandardOutput();

        // What was answered is there.
        for (const auto& line : said.split('\n')) {
            if (!isUuid(line.toStdString()))
                continue;
            const auto stored = record(line.toStdString());
            ASSERT_TRUE(stored);
            EXPECT_EQ(stored->status, State::Succeeded);
        }
    }
    // What was not answered is there wholly or not at all.
    const auto number = [&](const std::string& sql) {
        const auto statement = main.connection->prepare(sql);
        EXPECT_TRUE(statement && (*statement)->run() && (*statement)->next());
        const auto value = (*statement)->integer(0);
        (*statement)->finish();
        return value;
    };
    const auto finished = number("SELECT count(*) FROM idempotency_records WHERE status = 'SUCCEEDED'");
    const auto begun = number("SELECT count(*) FROM idempotency_records");
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_transitions WHERE event = 'finalize'"), finished);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_transitions WHERE event = 'reserve'"), begun);
    EXPECT_EQ(number("SELECT count(DISTINCT fence) FROM idempotency_records"), begun);
    EXPECT_LE(begun - finished, kills);
    if (sqlite()) {
        const auto check = main.connection->prepare("PRAGMA integrity_check");
        ASSERT_TRUE(check && (*check)->run() && (*check)->next());
        EXPECT_EQ((*check)->text(0), "ok");
        (*check)->finish();
    }
}

TEST_P(StoreFaults, ALostConnectionIsUnavailableOrInDoubtAndNothingIsDoubled)
{
    if (sqlite()) {
        // A file has no connection to lose; its nearest fault is a writer who holds the lock.
        const auto other = open();
        auto held = store::Transaction::begin(*other.connection, store::Begin::Immediate);
        ASSERT_TRUE(held);
        auto impatient =
            store::Connection::open(database.target(), { .access = store::Access::ReadWrite, .lockTimeout = 1ms });
        ASSERT_TRUE(impatient);
        store::SqlStore subject(**impatient, { .clock = &clock, .bind = true });
        const auto refused = subject.reserve(reservation(1));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().failure, Failure::Unavailable);
        held->rollback();
        EXPECT_EQ(value(subject.reserve(reservation(1))).outcome, Outcome::Execute);
        return;
    }
    int lost = 0;
    for (int round = 0; round < 12; ++round) {
        auto victim = open(false);
        const auto pid = victim.connection->prepare("SELECT pg_backend_pid()");
        ASSERT_TRUE(pid && (*pid)->run() && (*pid)->next());
        const auto backend = (*pid)->integer(0);
        (*pid)->finish();
        std::atomic<int> done = 0;
        std::thread killer([&] {
            while (done < 3 + 5 * round)
                std::this_thread::yield();
            database.administrate("SELECT pg_terminate_backend(" + std::to_string(backend) + ")");
        });
        std::string key;
        Result<Reserved> last = Error{};
        Result<Applied> finished = Error{};
        do {
            key = "r" + std::to_string(round) + "-" + std::to_string(++done);
            const auto wish = reservation(1, "p", key);
            finished = Error{};
            last = victim.store->reserve(wish);
            if (last)
                finished = victim.store->finalize({ wish.id, wish.owner, last->record->fence }, completion(201, "x"));
        } while (last && finished);
        killer.join();
        ++lost;
        const auto failure = (last ? finished.error() : last.error()).failure;
        EXPECT_TRUE(failure == Failure::Unavailable || failure == Failure::InDoubt)
            << (last ? finished.error() : last.error()).detail;
        const auto stored = record(key);
        // Unavailable promises that nothing was changed.
        if (failure == Failure::Unavailable) {
            EXPECT_EQ(stored.has_value(), last.has_value());
            EXPECT_TRUE(!stored || stored->status == State::InProgress);
        }
        // Whoever asks again after an answer in doubt finds one execution, his own.
        const auto again = reserve(reservation(2, "p", key));
        const auto expected = !stored            ? Outcome::Execute
            : stored->status == State::Succeeded ? Outcome::Replay
                                                 : Outcome::InFlight;
        EXPECT_EQ(again.outcome, expected);
        const auto afterwards = victim.store->reserve(reservation(1, "p", "later"));
        ASSERT_FALSE(afterwards);
        EXPECT_EQ(afterwards.error().failure, Failure::Unavailable);
    }
    EXPECT_EQ(lost, 12);
}

TEST_P(StoreFaults, AFullDiskChangesNothing)
{
    if (sqlite()) {
        ASSERT_TRUE(main.connection->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
        const auto pages = main.connection->prepare("PRAGMA page_count");
        ASSERT_TRUE(pages && (*pages)->run() && (*pages)->next());
        const auto full = (*pages)->integer(0);
        (*pages)->finish();
        const auto first = reserve(1);
        ASSERT_TRUE(main.connection->execute("PRAGMA max_page_count = " + std::to_string(full)));
        const auto before = count("idempotency_transitions");
        const auto refused =
            subject().finalize(claim(1, first.record->fence), completion(201, std::string(1U << 20U, 'x')));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().failure, Failure::Full) << refused.error().detail;
        EXPECT_EQ(record(), first.record);
        EXPECT_EQ(count("idempotency_transitions"), before);
        ASSERT_TRUE(main.connection->execute("PRAGMA max_page_count = 100000"));
        EXPECT_EQ(
            value(subject().finalize(claim(1, first.record->fence), completion(201, "x"))).outcome, Outcome::Applied);
        return;
    }
    const auto directory = main.connection->prepare("SELECT current_setting('data_directory')");
    ASSERT_TRUE(directory && (*directory)->run() && (*directory)->next());
    SmallDisk disk((*directory)->text(0));
    (*directory)->finish();
    if (!disk.isMounted())
        return refuseLikeAFullDisk();
    run("CREATE TABLESPACE small_disk LOCATION '" + disk.path() + "'");
    run("ALTER TABLE idempotency_records SET TABLESPACE small_disk");
    const auto first = reserve(1);
    const auto before = count("idempotency_transitions");
    SeededRandom random(3);
    std::string body(std::size_t(16) << 20U, 'x');
    for (auto& octet : body)
        octet = static_cast<char>(random.below(256));
    const auto refused = subject().finalize(claim(1, first.record->fence), completion(201, body));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().failure, Failure::Full) << refused.error().message << ": " << refused.error().detail;
    EXPECT_EQ(record(), first.record);
    EXPECT_EQ(count("idempotency_transitions"), before);
    ASSERT_TRUE(disk.grow());
    EXPECT_EQ(
        value(subject().finalize(claim(1, first.record->fence), completion(201, body))).outcome, Outcome::Applied);
    EXPECT_EQ(record()->response.body, body);
    run("ALTER TABLE idempotency_records SET TABLESPACE pg_default");
    run("DROP TABLESPACE small_disk");
}

TEST_P(StoreFaults, ADatabaseWithoutTheTablesIsUnsupported)
{
    const TempDatabase empty(GetParam());
    const auto connection = empty.connect();
    ASSERT_TRUE(connection);
    store::SqlStore subject(**connection, { .clock = &clock, .bind = true });
    const auto reserved = subject.reserve(reservation(1));
    ASSERT_FALSE(reserved);
    EXPECT_EQ(reserved.error().failure, Failure::Unsupported) << reserved.error().detail;
}

TEST_P(StoreFaults, AReadOnlySessionReadsAndIsDeniedTheRest)
{
    const auto first = reserve(1);
    auto connection = database.connect(store::Access::ReadOnly);
    ASSERT_TRUE(connection);
    store::SqlStore subject(**connection, { .clock = &clock, .bind = true });
    EXPECT_EQ(value(subject.find({ "s", "o", "k" })), first.record);
    const auto refused = subject.reserve(reservation(2, "p", "new"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().failure, Failure::Denied) << refused.error().detail;
    const auto finalized = subject.finalize(claim(1, first.record->fence), {});
    ASSERT_FALSE(finalized);
    EXPECT_EQ(finalized.error().failure, Failure::Denied);
}

TEST_P(StoreFaults, EveryStatementPreparesOnItsDatabase)
{
    const auto dialect = GetParam();
    const auto creates = [](std::string_view text) {
        return text.starts_with("ALTER ") || text.starts_with("DROP INDEX ")
            || (text.find("CREATE ") != std::string_view::npos && text.find("CREATE ") < text.find('('));
    };
    // Whatever a statement may stand on: tables of the schema, of the console's own audit and its intents.
    for (const auto* statement : store::sql::all)
        if (const char* text = statement->of(dialect); text != nullptr && creates(text))
            (void)main.connection->execute(text);
    if (sqlite())
        (void)main.connection->execute("ANALYZE"); // makes the table that estimates are read from
    int prepared = 0;
    for (const auto* statement : store::sql::all) {
        const char* text = statement->of(dialect);
        if (text == nullptr || creates(text))
            continue;
        const std::string name = statement->name;
        if (sqlite()) {
            const auto plan = main.connection->prepare(text);
            EXPECT_TRUE(plan) << name << ": " << plan.error().detail;
        } else {
            const auto plan = main.connection->execute("PREPARE p_" + name + " AS " + store::positional(text).text);
            EXPECT_TRUE(plan) << name << ": " << plan.error().detail;
        }
        ++prepared;
    }
    EXPECT_GT(prepared, 30);
}

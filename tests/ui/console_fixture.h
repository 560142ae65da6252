// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <QApplication>

#include "core/clock.h"
#include "core/profile/library.h"
#include "core/store/schema.h"
#include "core/store/stores.h"
#include "models/session.h"
#include "resources/resources.h"
#include "tests/support/temp_database.h"
#include "tests/support/wait.h"
#include "ui/link.h"
#include "ui/page.h"
#include "ui/range_setting.h"
#include "ui/theme.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

// Remembers what a page asked of the window.
class RememberingNavigation final : public Navigation {
public:
    void open(std::string_view page, const QString&, const QString& filter) override
    {
        opened = std::string(page);
        openedFilter = filter;
    }
    void openDossier(const Binding&, const std::vector<std::string>& identity) override { dossier = identity; }
    void openLink(const Link& link) override { followed = link; }
    void openFile(const QString& path, const QString&, const std::vector<std::string>& identity) override
    {
        openedFile = path;
        dossier = identity;
    }
    void closeDossier() override { dossier.clear(); }
    void plan(const Operation& operation, const Selection& selection) override
    {
        planned = &operation;
        plannedOn = selection;
    }
    void undo(const QString& requestId) override { undone = requestId; }
    void resume(const Plan& interrupted) override { resumed = interrupted.requestId; }
    void arm() override { ++armings; }
    void log(const QString& line) override { lines += line; }
    void showRun(QWidget*) override { }

    std::string opened;
    QString openedFilter;
    Link followed;
    QString openedFile;
    std::vector<std::string> dossier;
    const Operation* planned = nullptr;
    Selection plannedOn;
    QString undone;
    std::string resumed; // the request of a plan
    int armings = 0;
    QStringList lines;
};

// A real SQLite database of Fencepost's own tables behind a session, and a window's context around it. Rows are made by
// the protocol at `then`; the session's clock stands ten minutes later.
class ConsoleFixture : public ::testing::Test {
protected:
    using Seconds = std::chrono::seconds;

    void SetUp() override
    {
        loadResources();
        ASSERT_EQ(database.problem(), "");
        auto raw = database.connect();
        ASSERT_TRUE(raw);
        ASSERT_TRUE(store::initSchema(**raw, false));
        library = std::move(*profile::shippedLibrary());
        workers = openBackend(then, store::Access::ReadWrite);
        ASSERT_TRUE(workers);
    }

    std::unique_ptr<Backend> openBackend(const Clock& clock, store::Access access)
    {
        auto opened = open(clock, access);
        EXPECT_TRUE(opened) << opened.error().message << ' ' << opened.error().detail;
        return opened ? std::move(*opened) : nullptr;
    }

    Result<std::unique_ptr<Backend>> open(const Clock& clock, store::Access access)
    {
        store::OpenRequest request;
        request.target = database.target();
        request.options.access = access;
        request.options.lockTimeout = Seconds(5);
        request.clock = &clock;
        request.profiles = &library;
        request.auditPath = (database.folder() + QLatin1String("/audit.sqlite")).toStdString();
        return store::open(request);
    }

    Record reserve(const std::string& key, Takeover takeover = Takeover::Auto, Seconds lease = Seconds(60))
    {
        Reservation reservation;
        reservation.id = { "payments", "charge", key };
        reservation.requestHash = sha256("body of " + key);
        reservation.owner = { uuid4(random) };
        reservation.lease = lease;
        reservation.ttl = std::chrono::hours(24);
        reservation.takeover = takeover;
        auto reserved = workers->store().reserve(reservation);
        EXPECT_TRUE(reserved) << reserved.error().message << reserved.error().detail;
        return reserved && reserved->record ? *reserved->record : Record();
    }

    Applied finalize(const Record& record, const Bytes& body = R"({"id":1,"card":"4111"})")
    {
        Completion completion;
        completion.response.code = 201;
        completion.response.body = body;
        auto applied = workers->store().finalize({ record.id, record.owner, record.fence }, completion);
        EXPECT_TRUE(applied) << applied.error().message << applied.error().detail;
        return applied ? *applied : Applied();
    }

    Record find(const std::string& key)
    {
        auto found = workers->store().find({ "payments", "charge", key });
        EXPECT_TRUE(found && *found) << key;
        return found && *found ? **found : Record();
    }

    void connectSession(models::Environment environment = models::Environment::Development)
    {
        session =
            std::make_unique<models::Session>(models::SessionRequest{ .name = QStringLiteral("orders-test"),
                                                  .environment = environment,
                                                  .openReads = [this] { return open(now, store::Access::ReadOnly); },
                                                  .openWrites = [this] { return open(now, store::Access::ReadWrite); },
                                                  .actor = "ada@desk" },
                wallClock);
        session->open();
        ASSERT_TRUE(testing::eventually([this] { return !session->bindings().empty(); }));
        context.emplace(PageContext{ session.get(), zone, range, theme, navigation, QStringLiteral("orders-test"),
            models::wordOf(environment), nullptr });
    }

    void arm()
    {
        const auto asked = session->arm(std::chrono::minutes(15), QStringLiteral("a test"));
        ASSERT_TRUE(asked) << asked.error().message;
        ASSERT_TRUE(testing::eventually([this] { return session->armed(); }));
    }

    std::vector<AuditEntry> auditOf(const std::string& verb)
    {
        auto entries = workers->inspector().audit({ .limit = 500 });
        EXPECT_TRUE(entries) << entries.error().message;
        std::vector<AuditEntry> found;
        for (const auto& entry : *entries)
            if (entry.verb == verb)
                found.push_back(entry);
        return found;
    }

    Selection selectionOf(const std::vector<std::string>& keys)
    {
        Selection chosen;
        for (const auto& binding : session->bindings())
            if (binding->kind == Kind::Idempotency)
                chosen.binding = *binding;
        for (const auto& key : keys) {
            auto row = workers->inspector().row(chosen.binding, { "payments", "charge", key });
            EXPECT_TRUE(row && *row) << key;
            if (row && *row)
                chosen.rows.push_back(**row);
        }
        return chosen;
    }

    test::TempDatabase database{ store::Dialect::Sqlite };
    ManualClock then{ timeFromMicros(1'790'000'000'000'000) };
    ManualClock now{ timeFromMicros(1'790'000'600'000'000) };
    SystemClock wallClock;
    SeededRandom random{ 7 };
    profile::Library library;
    std::unique_ptr<Backend> workers;
    ZoneSetting zone{ models::Zone::utc() };
    RangeSetting range;
    Theme theme{ Scheme::Light };
    RememberingNavigation navigation;
    std::unique_ptr<models::Session> session;
    std::optional<PageContext> context;
};

} // namespace fencepost::ui

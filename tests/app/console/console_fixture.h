// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include "app/console/desk.h"
#include "app/demo/demo.h"
#include "core/profile/library.h"
#include "resources/resources.h"
#include "tests/support/wait.h"
#include "ui/commands.h"
#include "ui/main_window.h"
#include "ui/pages.h"
#include "ui/theme.h"
#include "ui/widgets/error_banner.h"
#include "ui/zone_setting.h"

namespace fencepost::app {

// The time of day, moved on by what a test does not want to wait for. Any thread.
class MovedClock final : public Clock {
public:
    [[nodiscard]] Time now() const override { return SystemClock().now() + Duration(m_by.load()); }
    void advance(Duration by) { m_by += by.count(); }

private:
    std::atomic<Duration::rep> m_by = 0;
};

// A real window over real databases, with files of its own; nothing of the user's is read or written.
class ConsoleFixture : public ::testing::Test {
protected:
    ConsoleFixture()
        : theme((loadResources(), ui::Scheme::Light))
        , zone(models::Zone::utc())
        , folders{ files.path() + QStringLiteral("/config"), files.path() + QStringLiteral("/data"),
            files.path() + QStringLiteral("/state/audit.sqlite") }
    {
        theme.applyTo(*qApp);
        auto profiles = profile::shippedLibrary();
        EXPECT_TRUE(profiles);
        desk = std::make_unique<Desk>(folders, profiles ? *profiles : profile::Library(), keychain, clock);
        desk->setKeychain(ui::Keychain::Missing);
        window = std::make_unique<ui::MainWindow>(*desk, theme, zone);
        window->resize(1280, 800);
        window->show();
    }

    ~ConsoleFixture() override
    {
        window.reset();
        desk.reset();
        testing::handleEvents();
    }

    // Two days of the demo, made once for the whole program.
    static QString demoFile()
    {
        static QTemporaryDir folder;
        static const QString path = folder.filePath(QStringLiteral("demo.db"));
        static const bool made = makeDemo({ .path = path.toStdString() }).has_value();
        EXPECT_TRUE(made);
        return path;
    }

    void openDemo(models::Environment environment = models::Environment::Local, bool readOnly = false)
    {
        const auto id = desk->connections().add({ .name = QStringLiteral("demo"),
            .environment = environment,
            .url = QStringLiteral("sqlite:") + demoFile(),
            .readOnly = readOnly });
        ASSERT_TRUE(id);
        desk->open(*id);
        ASSERT_TRUE(testing::eventually([this] { return desk->session() && !desk->session()->bindings().empty(); }));
        window->openPage(QStringLiteral("overview"));
    }

    bool settle()
    {
        return testing::eventually([this] { return !window->page() || !window->page()->isLoading(); });
    }

    void press(const char* command) { window->commands().action(command)->trigger(); }

    // The visible banner's words, wherever it is; empty: none is visible.
    QString banner() const
    {
        for (const ui::ErrorBanner* candidate : window->findChildren<ui::ErrorBanner*>()) {
            if (candidate->isVisible())
                return candidate->sentence();
        }
        return {};
    }

    template <typename Dialog> Dialog* dialog() const
    {
        Dialog* found = nullptr;
        (void)testing::eventually([this, &found] {
            for (Dialog* candidate : window->findChildren<Dialog*>()) {
                if (candidate->isVisible())
                    found = candidate;
            }
            return found != nullptr;
        });
        return found;
    }

    QTemporaryDir files;
    ui::Theme theme;
    ui::ZoneSetting zone;
    MovedClock clock;
    Folders folders;
    SystemKeychain keychain{ std::chrono::milliseconds(500) };
    std::unique_ptr<Desk> desk;
    std::unique_ptr<ui::MainWindow> window;
};

} // namespace fencepost::app

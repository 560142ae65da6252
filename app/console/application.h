// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include <QObject>
#include <QSize>
#include <QString>
#include <QTemporaryDir>

#include "app/console/alert_tray.h"
#include "app/console/demo_moments.h"
#include "app/console/desk.h"
#include "ui/theme.h"
#include "ui/zone_setting.h"

class QApplication;

namespace fencepost::ui {
class MainWindow;
struct Link;
} // namespace fencepost::ui

namespace fencepost::app {

struct Options {
    QString db;
    QString environment; // its word; empty: as the saved connection of that address says, else guessed
    bool demo = false;
    QString now; // the demo's end
    QString tour; // folder
    QString theme; // light, dark; empty: as set
    std::optional<QSize> size;
    QString link; // fencepost://…
};

// Invalid: what is wrong with the arguments, or the help text with code "help".
[[nodiscard]] Result<Options> parseArguments(int argc, char** argv);

// The console put together: settings, theme, keychain, desk and window.
class Application : public QObject {
    Q_OBJECT
public:
    // With what was wrong with the operator's own profiles that are not among these.
    Application(QApplication& qt, Options options, const Folders& folders, profile::Library profiles,
        std::vector<Error> leftOut = {});
    ~Application() override;

    // Opens what the options name and shows the window.
    Status start();
    [[nodiscard]] ui::MainWindow& window() { return *m_window; }
    [[nodiscard]] Desk& desk() { return m_desk; }

private:
    Status openDatabase();
    void followLinkHere(const ui::Link& link);
    Status openDemo();
    Status makeDemoOf(const DemoOptions& demo);
    void startTour();
    void showWindow();
    void report(const std::vector<Error>& leftOut);
    void tellChangedProfiles();
    void keepSettings();
    void askPassword(const QString& connectionId, const QString& why);

    QApplication& m_qt;
    const Options m_options;
    const Folders m_folders;
    SystemClock m_clock;
    Settings m_settings;
    std::optional<Error> m_settingsError;
    const std::vector<Error> m_leftOut;
    ui::Theme m_theme;
    ui::ZoneSetting m_zone;
    SystemKeychain m_keychain;
    Desk m_desk;
    std::optional<QTemporaryDir> m_demoFolder;
    std::optional<DemoMoments> m_moments; // of a demo that is toured
    std::unique_ptr<ui::MainWindow> m_window;
    std::unique_ptr<AlertTray> m_tray;
};

} // namespace fencepost::app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include <QJsonObject>
#include <QMainWindow>

#include "models/alert_board.h"
#include "models/deliver.h"
#include "models/session.h"
#include "ui/link.h"
#include "ui/page.h"

namespace fencepost::ui {

class Commands;
class FileRunDialog;
class Frame;
class Palette;
class StatusLine;
class Workspace;

// The frame: it iterates pages() and commands() and knows no page by itself.
class MainWindow : public QMainWindow, private Navigation {
    Q_OBJECT
public:
    MainWindow(Workspace& workspace, Theme& theme, ZoneSetting& zone, QWidget* parent = nullptr);
    ~MainWindow() override;

    void openPage(const QString& page) { open(page.toStdString()); }
    void openLink(const Link& link) override;
    // What went wrong outside of any page: above the page in front.
    void report(const QString& attempted, const Error& error);
    // An alert, where no tray can show it.
    void tellAlert(const models::AlertEvent& event);
    // The rows that an alert is about.
    void openAlert(const AlertState& state);
    [[nodiscard]] QString currentPage() const { return m_current; }
    [[nodiscard]] Page* page() const;
    [[nodiscard]] Dossier* dossier() const { return m_dossier; }
    [[nodiscard]] Commands& commands() { return *m_commands; }

    // Splitters, rail and columns, for the settings file.
    [[nodiscard]] QJsonObject arrangement() const;
    void setArrangement(const QJsonObject& arrangement);

Q_SIGNALS:
    void schemeChosen();
    void zoneChosen();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void open(std::string_view page, const QString& binding = {}, const QString& filter = {}) override;
    void openDossier(const Binding& binding, const std::vector<std::string>& identity) override;
    void openFile(
        const QString& path, const QString& binding = {}, const std::vector<std::string>& identity = {}) override;
    void closeDossier() override;
    void plan(const Operation& operation, const Selection& selection) override;
    void undo(const QString& requestId) override;
    void resume(const Plan& interrupted) override;
    void arm() override;
    void log(const QString& line) override;
    void showRun(QWidget* run) override;

    void connectParts();
    void remember(const QString& next, bool replaces);
    void goBack();
    void runCommand(const QString& id);
    void closeSession();
    void sessionChanged();
    void sessionMoved();
    void offerInterrupted();
    void leaveOutWhatIsOver();
    void tellInterrupted();
    void openInterrupted();
    void acceptNotice();
    void showAlerts();
    void openPlan(const QString& path);
    void sayDisarmed(models::DisarmReason why);
    Page* pageNamed(const QString& id);
    void showStatus();
    void allowCommands();
    [[nodiscard]] Selection selection() const;
    [[nodiscard]] static QString whyNot(const Selection& selection, const Operation& operation);
    void followPendingLink();
    [[nodiscard]] bool isOpen(const QString& connection) const;

    void openPalette();
    void focusFilter();
    void reload();
    void toggleLive();
    void followInFront();
    void toggleZone();
    void chooseZone();
    void toggleScheme();
    void back();
    void toggleRail();
    void toggleActivity();
    void toggleDensity();
    void setDense(bool dense);
    void resetLayout();
    void showSheet();
    void quit();
    void choosePlan();
    void chooseFile();
    void takeSnapshot();
    void importLogs();
    void follow(const FileRunDialog& dialog);
    void exportNotebook();
    void writeTimeline(const QString& path);
    [[nodiscard]] QString snapshotWords(const models::SnapshotStatus& snapshot) const;
    void sayBrokenSeal(const models::SnapshotStatus& snapshot);
    void markToggles();
    void toggleArming();
    void addConnection();
    void addAlert();
    void reconnect();
    void disconnectSession();

    // A page that was left, and what it showed.
    struct Step {
        QString page;
        Place place;
    };

    struct Handler {
        const char* id;
        void (MainWindow::*run)();
    };
    static const Handler handlers[];

    Workspace& m_workspace;
    Theme& m_theme;
    ZoneSetting& m_zone;
    RangeSetting* m_range;
    Commands* m_commands;
    Frame* m_frame;
    StatusLine* m_status;
    Palette* m_palette;
    std::optional<PageContext> m_context;
    std::map<QString, Page*> m_pages; // made when they are opened, gone with their session
    std::map<QString, QVariantMap> m_arrangements;
    Dossier* m_dossier = nullptr;
    QString m_current;
    bool m_pageChosen = false; // by the operator; else a session that opens may bring its own
    std::vector<Step> m_history; // the last is the nearest
    std::optional<Link> m_pendingLink; // until the session has recognised its tables
    bool m_live = true;
    bool m_blocked = false; // by a dialog
    bool m_dense = false;
    std::vector<Plan> m_interrupted; // by a crash, in this database
    models::Latest<Result<std::set<std::string>>> m_over; // of them, by their journal
    bool m_saidBrokenSeal = false; // of the session that is open
    bool m_askedForInterrupted = false;
    std::optional<AlertState> m_toldAlert; // by the banner
};

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QHash>

#include "app/console/alert_desk.h"
#include "app/console/keychain.h"
#include "app/console/profile_shelf.h"
#include "app/console/settings.h"
#include "core/clock.h"
#include "core/profile/library.h"
#include "core/profile/profile.h"
#include "core/store/database.h"
#include "ui/workspace.h"

namespace fencepost::app {

// Joins connections, keychain and stores: the only part of the console that knows how a database is opened.
class Desk final : public ui::Workspace {
    Q_OBJECT
public:
    Desk(const Folders& folders, profile::Library profiles, models::SecretStore& secrets, const Clock& clock,
        QObject* parent = nullptr);
    ~Desk() override;

    // A database that is in no list: --db and --demo.
    Status openUrl(const QString& url, const QString& name, Result<Policy> policy,
        std::optional<models::Environment> environment = {});
    void setKeychain(ui::Keychain keychain);

    [[nodiscard]] models::Connections& connections() override { return m_connections; }
    [[nodiscard]] models::Session* session() override { return m_session.get(); }
    [[nodiscard]] QString openId() const override { return m_openId; }
    [[nodiscard]] QString openedUrl() const override { return m_session ? m_opened.url : QString(); }
    void open(const QString& connectionId) override;
    void openWith(const QString& connectionId, const QString& password, bool keep) override;
    void close() override;
    Status openFile(const QString& path) override;
    void test(const models::Connection& connection, const QString& password, Tested tested) override;
    [[nodiscard]] Result<ui::Address> addressOf(const QString& url) const override;
    [[nodiscard]] QString urlOf(const ui::Address& address) const override;
    [[nodiscard]] ui::Keychain keychain() const override { return m_keychain; }
    void keepPassword(const QString& connectionId, const QString& password, Done done) override;
    void forgetPassword(const QString& connectionId) override;
    [[nodiscard]] const Result<Policy>& policy() const override { return m_policy; }
    [[nodiscard]] QString policyPath() const override { return m_policyPath; }
    [[nodiscard]] std::shared_ptr<const models::PlanFolder> plans() const override { return m_plans; }
    [[nodiscard]] const models::Drafts* drafts() const override { return &m_drafts; }
    [[nodiscard]] models::Notebook* notebook() override { return &m_notebook; }
    [[nodiscard]] models::SavedViews* views() override { return &m_views; }
    [[nodiscard]] models::Bookmarks* bookmarks() override { return &m_bookmarks; }
    [[nodiscard]] std::shared_ptr<const models::Snapshots> snapshots() const override { return m_snapshots; }
    [[nodiscard]] models::DifferencesModel* differences() override { return &m_differences; }
    [[nodiscard]] models::TrailSearch* trailSearch() override { return &m_trailSearch; }
    void searchPlaces(const std::function<void(std::vector<models::TrailPlace>)>& use) override;
    [[nodiscard]] QString profilesFolder() const override { return m_folders.profiles(); }
    [[nodiscard]] bool knowsProfile(const QString& name) const override;
    Status adoptProfile(const QString& path) override;
    Status chooseProfile(const TableName& table, const QString& profile) override;
    Status answerZone(const QString& profile, const QString& zone) override;
    [[nodiscard]] models::AlertBoard* alerts() override { return &m_alerts.board(); }
    [[nodiscard]] Status checkWebhook(const QString& url, const QString& secret) const override
    {
        return AlertDesk::check(url, secret);
    }
    void keepWebhookSecret(const QString& secret, Done done) override { m_alerts.keepSecret(secret, std::move(done)); }
    [[nodiscard]] QString alertDeliveryProblem() const override { return m_alerts.teller().problem(); }
    [[nodiscard]] AlertDesk& alertDesk() { return m_alerts; }
    // Reads the folder of profiles once more where a file of it has changed. What was left out, in words; the tables of
    // a profile that is left out are no longer read by it.
    std::vector<Error> rereadProfiles();

private:
    // Calls `use` with the password of this run, of the keychain, or an empty one.
    void withPassword(const QString& connectionId, std::function<void(const QString&)> use);
    void start(const models::Connection& connection, const store::Target& target, const QString& password);
    void watchPassword();
    // Into the file of answers, then for everything that is read from now on.
    Status keepAnswer(profile::Library library, profile::Answer what, const std::string& of, const std::string& answer);
    void recogniseBy(profile::Library library);
    void findPolicy(const store::Target& target);
    [[nodiscard]] models::Opener opener(const store::Target& target, const store::OpenOptions& options) const;

    const Folders m_folders;
    const std::shared_ptr<ProfileShelf> m_profiles; // openers own it too: a thread may end after the desk
    QByteArray m_profileFiles; // names, sizes and times of what was read last
    models::SecretStore& m_secrets;
    const Clock& m_clock;
    models::Connections m_connections;
    const std::shared_ptr<const models::PlanFolder> m_plans; // shared with the runs that write into it
    const models::Drafts m_drafts;
    models::Notebook m_notebook;
    models::SavedViews m_views;
    models::Bookmarks m_bookmarks;
    const std::shared_ptr<const models::Snapshots> m_snapshots; // shared with the threads that take them
    models::DifferencesModel m_differences;
    models::TrailSearch m_trailSearch;
    AlertDesk m_alerts;
    std::unique_ptr<models::Session> m_session;
    QString m_openId; // empty: a database that is in no list
    models::Connection m_opened;
    QHash<QString, QString> m_passwords; // of this run only: connection -> password
    ui::Keychain m_keychain = ui::Keychain::Unknown;
    Result<Policy> m_policy;
    QString m_policyPath;
    bool m_asked = false; // for the password of the open connection, since its last attempt
};

} // namespace fencepost::app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QObject>
#include <QString>

#include "core/inspector.h"
#include "core/protocol/policy.h"
#include "core/table_mapper.h"
#include "models/alert_board.h"
#include "models/bookmarks.h"
#include "models/connections.h"
#include "models/differences_model.h"
#include "models/drafts.h"
#include "models/notebook.h"
#include "models/plan_folder.h"
#include "models/saved_views.h"
#include "models/session.h"
#include "models/snapshots.h"
#include "models/trail_search.h"

namespace fencepost::ui {

// The parts of a connection's URL, as a form shows them. Never a password.
struct Address {
    bool sqlite = true;
    QString path; // SQLite
    QString host; // PostgreSQL: one or several, separated by commas; a folder for a local socket
    QString port;
    QString database;
    QString user;
    QString service; // of pg_service.conf
    QString schema;
    QString sslMode;
    QString sslRootCert;
    QString sslCert;
    QString sslKey;
    QString targetSessionAttrs;
    QString passFile;
};

// What a test of a connection found out.
struct ConnectionReport {
    DatabaseInfo info;
    std::vector<Binding> bindings;
    Duration roundTrip{};
};

// Whether passwords can be kept. Unknown: the probe has not answered yet.
enum class Keychain { Unknown, Usable, Missing };

// The connections at hand and the one that is open. Made by the program, which alone knows stores and keychains;
// outlives the window.
class Workspace : public QObject {
    Q_OBJECT
public:
    using Tested = std::function<void(const Result<ConnectionReport>&)>;
    using Done = std::function<void(const Status&)>;

    explicit Workspace(QObject* parent = nullptr)
        : QObject(parent)
    {
    }

    [[nodiscard]] virtual models::Connections& connections() = 0;
    [[nodiscard]] virtual models::Session* session() = 0; // null: none is open
    // The address of the open connection, as fencepostctl takes it; it never has a password. Empty: none is known.
    [[nodiscard]] virtual QString openedUrl() const { return {}; }
    [[nodiscard]] virtual QString openId() const = 0;
    // Asks through passwordRequested where a password is needed and neither keychain nor environment has one.
    virtual void open(const QString& connectionId) = 0;
    // The answer to passwordRequested; `keep` puts it into the keychain, else it lives as long as the session.
    virtual void openWith(const QString& connectionId, const QString& password, bool keep) = 0;
    virtual void close() = 0;
    // A database in a file, such as a snapshot, that is in no list. Invalid: no connection can be made of the name.
    virtual Status openFile(const QString& path) = 0;
    // An empty password: the one kept for the connection, if there is one.
    virtual void test(const models::Connection& connection, const QString& password, Tested tested) = 0;

    [[nodiscard]] virtual Result<Address> addressOf(const QString& url) const = 0;
    [[nodiscard]] virtual QString urlOf(const Address& address) const = 0;

    [[nodiscard]] virtual Keychain keychain() const = 0;
    virtual void keepPassword(const QString& connectionId, const QString& password, Done done) = 0;
    virtual void forgetPassword(const QString& connectionId) = 0;

    [[nodiscard]] virtual const Result<Policy>& policy() const = 0; // NotFound: there is no file
    [[nodiscard]] virtual QString policyPath() const = 0;

    // Where confirmed plans and their reports are kept, so that a crash loses neither; null: they are not.
    [[nodiscard]] virtual std::shared_ptr<const models::PlanFolder> plans() const { return nullptr; }
    // Half-typed texts and frozen plans of open dialogs; null: they are not kept.
    [[nodiscard]] virtual const models::Drafts* drafts() const { return nullptr; }
    // What operators wrote down; null: notes live in the audit only.
    [[nodiscard]] virtual models::Notebook* notebook() { return nullptr; }
    // Filters under a name; null: none can be kept.
    [[nodiscard]] virtual models::SavedViews* views() { return nullptr; }
    // Records to be found again; null: none can be kept.
    [[nodiscard]] virtual models::Bookmarks* bookmarks() { return nullptr; }
    // How snapshots are taken and compared; null: they are not.
    [[nodiscard]] virtual std::shared_ptr<const models::Snapshots> snapshots() const { return nullptr; }
    // The comparison of two snapshots, which outlives the pages: a jump into one of them opens it. Null: there is none.
    [[nodiscard]] virtual models::DifferencesModel* differences() { return nullptr; }
    // The search for an id in all connections, which outlives the pages as well. Null: there is none.
    [[nodiscard]] virtual models::TrailSearch* trailSearch() { return nullptr; }
    // Where it looks: the saved connections that need nobody to type a password, and the one that is open. Answers now
    // or later.
    virtual void searchPlaces(const std::function<void(std::vector<models::TrailPlace>)>& use) { use({}); }

    // Where the operator's own schema profiles are kept; empty: nowhere.
    [[nodiscard]] virtual QString profilesFolder() const { return {}; }
    [[nodiscard]] virtual bool knowsProfile(const QString& /*name*/) const { return false; }
    // Recognises tables by the profile of a file as well from now on, those of the open connection too: its list of
    // tables is read again. Errors say what is wrong with the file; then nothing has changed.
    virtual Status adoptProfile(const QString& /*path*/)
    {
        return Error{ Failure::Unsupported, "No profile can be added here.", {}, {} };
    }
    // What only the operator knows, kept beside the profiles: which of several is meant by a table, and in which zone
    // the application of a profile writes its times. Errors say what is wrong; then nothing has changed.
    virtual Status chooseProfile(const TableName& /*table*/, const QString& /*profile*/)
    {
        return Error{ Failure::Unsupported, "No profile can be chosen here.", {}, {} };
    }
    virtual Status answerZone(const QString& /*profile*/, const QString& /*zone*/)
    {
        return Error{ Failure::Unsupported, "No time zone can be said here.", {}, {} };
    }

    // What is watched of the open connection; null: nothing is.
    [[nodiscard]] virtual models::AlertBoard* alerts() { return nullptr; }
    // Invalid: nothing could ever be sent there, or the secret is none. Empty ones are not judged.
    [[nodiscard]] virtual Status checkWebhook(const QString& /*url*/, const QString& /*secret*/) const { return {}; }
    // Of the open connection's webhook, into the keychain; an empty one is forgotten.
    virtual void keepWebhookSecret(const QString& /*secret*/, Done done) { done({}); }
    // Why the webhook was not told of an alert, and what is done about it; empty: it was.
    [[nodiscard]] virtual QString alertDeliveryProblem() const { return {}; }

Q_SIGNALS:
    void alertDeliveryChanged();
    // The session of before is gone: whoever used it has let go of it when this returns.
    void sessionClosing();
    void sessionChanged();
    void passwordRequested(const QString& connectionId, const QString& why);
    void keychainChanged();
};

} // namespace fencepost::ui

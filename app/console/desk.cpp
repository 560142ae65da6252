// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/desk.h"

#include <algorithm>
#include <utility>

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include "core/profile/library.h"
#include "core/random.h"
#include "core/store/log_files.h"
#include "core/store/same_file.h"
#include "core/store/snapshot.h"
#include "core/store/snapshot_diff.h"
#include "core/store/stores.h"
#include "core/table_mapper.h"
#include "core/without_credentials.h"
#include "models/deliver.h"
#include "models/files.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

Result<Policy> noPolicy()
{
    return Error{ Failure::NotFound, "There is no fencepost.policy.json.", {}, {} };
}

store::OpenOptions optionsOf(const models::Connection& connection, store::Access access)
{
    store::OpenOptions options{ .access = access };
    const auto set = [&connection](const char* name, Duration& value) {
        const auto given = parseDuration(connection.options.value(QLatin1String(name)).toStdString());
        if (given)
            value = *given;
    };
    set("statement_timeout", options.statementTimeout);
    set("lock_timeout", options.lockTimeout);
    set("connect_timeout", options.connectTimeout);
    return options;
}

bool isThisComputer(const QString& host)
{
    return host.isEmpty() || host.startsWith(QLatin1Char('/')) || host.startsWith(QLatin1String("127."))
        || host == QLatin1String("::1") || host == QLatin1String("localhost");
}

bool isSameDatabase(const store::Target& one, const store::Target& other)
{
    if (one.dialect == store::Dialect::Sqlite && other.dialect == store::Dialect::Sqlite
        && store::isSameFile(one.path, other.path))
        return true;
    return store::formatUrl(one) == store::formatUrl(other);
}

// Of an address that nobody has said anything about. Rather one careful step too many than one too few: what is
// elsewhere, or nobody knows where, may be production.
models::Environment guessedEnvironment(const QList<models::Connection>& saved, const store::Target& target)
{
    for (const auto& connection : saved)
        if (const auto known = store::parseUrl(connection.url.toStdString()); known && isSameDatabase(*known, target))
            return connection.environment;
    if (target.dialect == store::Dialect::Sqlite)
        return models::Environment::Local;
    const auto hosts = target.host.empty() ? qEnvironmentVariable("PGHOST") : QString::fromStdString(target.host);
    const auto all = hosts.split(QLatin1Char(','));
    const bool here = target.service.empty() && std::all_of(all.begin(), all.end(), isThisComputer);
    return here ? models::Environment::Local : models::Environment::Production;
}

bool wantsPassword(const Error& error)
{
    // 28P01 is a wrong password, 28000 a refused role; libpq gives no code where none was supplied.
    return error.failure == Failure::Denied
        && (error.code == "28P01" || error.code == "28000" || error.detail.find("password") != std::string::npos
            || error.message.find("password") != std::string::npos);
}

class StoreSnapshots final : public models::Snapshots {
public:
    explicit StoreSnapshots(std::shared_ptr<const ProfileShelf> profiles)
        : m_profiles(std::move(profiles))
    {
    }

    Result<SnapshotManifest> take(Backend& backend, const SnapshotRequest& request) const override
    {
        auto* copier = backend.inspector().copier();
        if (copier == nullptr)
            return Error{ Failure::Unsupported, "This database gives no copy of its tables away", {} };
        SystemRandom random;
        return store::takeSnapshot(*copier, request, random);
    }
    ImportOutcome import(const ImportRequest& request) const override
    {
        SystemRandom random;
        return store::importLogs(request, random);
    }
    Result<SnapshotPair> compare(const std::string& first, const std::string& second) const override
    {
        return store::compareManifests(first, second);
    }
    Status differences(const std::string& first, const std::string& second,
        const std::function<bool(const SnapshotDifference&)>& visit) const override
    {
        return store::diffSnapshots(first, second, *m_profiles->library(), visit);
    }

private:
    const std::shared_ptr<const ProfileShelf> m_profiles;
};

QByteArray stateOf(const QString& folder)
{
    QByteArray state;
    const auto files =
        QDir(folder).entryInfoList({ QStringLiteral("*.json") }, QDir::Files | QDir::System | QDir::Hidden, QDir::Name);
    for (const QFileInfo& file : files)
        state += file.fileName().toUtf8() + '\0' + QByteArray::number(file.size()) + '\0'
            + QByteArray::number(file.lastModified().toMSecsSinceEpoch()) + '\n';
    return state;
}

} // namespace

Desk::Desk(const Folders& folders, profile::Library profiles, models::SecretStore& secrets, const Clock& clock,
    QObject* parent)
    : ui::Workspace(parent)
    , m_folders(folders)
    , m_profiles(std::make_shared<ProfileShelf>(std::move(profiles)))
    , m_profileFiles(stateOf(folders.profiles()))
    , m_secrets(secrets)
    , m_clock(clock)
    , m_connections(folders.connections())
    , m_plans(std::make_shared<const models::PlanFolder>(folders.plans()))
    , m_drafts(folders.drafts())
    , m_notebook(folders.notebook(), clock)
    , m_views(folders.views())
    , m_bookmarks(folders.bookmarks())
    , m_snapshots(std::make_shared<const StoreSnapshots>(m_profiles))
    , m_differences(m_snapshots)
    , m_trailSearch(clock)
    , m_alerts(clock, m_notebook, secrets)
    , m_policy(noPolicy())
{
    connect(&m_alerts.teller(), &AlertTeller::problemChanged, this, &Desk::alertDeliveryChanged);
    // A missing file is an empty notebook; damaged lines are skipped and counted by it.
    (void)m_notebook.load();
    m_views.load();
    // A damaged file is put aside.
    (void)m_bookmarks.load();
    // What is wrong with the file is kept there and shown by the page.
    (void)m_connections.load();
    connect(&m_connections, &models::Connections::changed, &m_trailSearch, &models::TrailSearch::forgetConnections);
}

Desk::~Desk() = default;

void Desk::setKeychain(ui::Keychain keychain)
{
    if (m_keychain == keychain)
        return;
    m_keychain = keychain;
    m_alerts.setKeychain(keychain);
    Q_EMIT keychainChanged();
}

Status Desk::openUrl(
    const QString& url, const QString& name, Result<Policy> policy, std::optional<models::Environment> environment)
{
    const auto target = store::parseUrl(url.toStdString());
    if (!target)
        return target.error();
    models::Connection connection{ .name = name, .url = url };
    connection.environment = environment ? *environment : guessedEnvironment(m_connections.all(), *target);
    if (connection.name.isEmpty())
        connection.name = target->dialect == store::Dialect::Sqlite
            ? QFileInfo(QString::fromStdString(target->path)).completeBaseName()
            : QString::fromStdString(target->database);
    if (connection.name.isEmpty())
        connection.name = tr("database");
    start(connection, *target, {});
    if (policy || policy.error().failure != Failure::NotFound)
        m_policy = std::move(policy);
    return {};
}

Status Desk::openFile(const QString& path)
{
    store::Target target;
    target.path = QFileInfo(path).absoluteFilePath().toStdString();
    return openUrl(QString::fromStdString(store::formatUrl(target)), {}, noPolicy());
}

void Desk::open(const QString& connectionId)
{
    const models::Connection* connection = m_connections.find(connectionId);
    if (!connection)
        return;
    const auto target = store::parseUrl(connection->url.toStdString());
    if (!target)
        return;
    if (target->dialect == store::Dialect::Sqlite)
        return start(*connection, *target, {});
    withPassword(connectionId, [this, connection = *connection, target = *target](const QString& password) {
        start(connection, target, password);
    });
}

void Desk::openWith(const QString& connectionId, const QString& password, bool keep)
{
    m_passwords.insert(connectionId, password);
    if (keep)
        keepPassword(connectionId, password, [](const Status&) {});
    if (!connectionId.isEmpty())
        return open(connectionId);
    const auto target = store::parseUrl(m_opened.url.toStdString());
    if (target)
        start(models::Connection(m_opened), *target, password);
}

void Desk::withPassword(const QString& connectionId, std::function<void(const QString&)> use)
{
    if (const auto known = m_passwords.constFind(connectionId); known != m_passwords.constEnd())
        return use(*known);
    if (m_keychain == ui::Keychain::Missing)
        return use({});
    models::deliver(
        m_secrets.read(connectionId), this, [use = std::move(use)](const Result<std::optional<QString>>& found) {
            use(found ? found->value_or(QString()) : QString());
        });
}

models::Opener Desk::opener(const store::Target& target, const store::OpenOptions& options) const
{
    return [target, options, profiles = m_profiles,
               audit = m_folders.audit.toStdString()]() -> Result<std::unique_ptr<Backend>> {
        // The shelf keeps every library as long as somebody may read by it.
        return store::open(
            { .target = target, .options = options, .profiles = profiles->library().get(), .auditPath = audit });
    };
}

void Desk::start(const models::Connection& connection, const store::Target& given, const QString& password)
{
    close();
    store::Target target = given;
    const std::string actor = models::actorName();
    target.applicationName =
        "fencepost/" FENCEPOST_VERSION " " + actor + " " + std::to_string(QCoreApplication::applicationPid());
    store::OpenOptions reads = optionsOf(connection, store::Access::ReadOnly);
    reads.password = password.toStdString();
    store::OpenOptions longReads = reads;
    longReads.statementTimeout = Duration(0);
    store::OpenOptions writes = optionsOf(connection, store::Access::ReadWrite);
    writes.password = reads.password;
    m_openId = connection.id;
    m_opened = connection;
    m_session = std::make_unique<models::Session>(
        models::SessionRequest{ .name = connection.name,
            .environment = connection.environment,
            .openReads = opener(target, reads),
            .openWrites = connection.readOnly ? models::Opener() : opener(target, writes),
            .openLongReads = opener(target, longReads),
            .actor = actor },
        m_clock);
    watchPassword();
    findPolicy(target);
    m_session->open();
    const std::string location = store::formatUrl(target);
    m_alerts.watch(
        *m_session, m_openId, QStringLiteral("fencepost:") + QString::fromStdString(withoutCredentials(location)));
    Q_EMIT sessionChanged();
}

void Desk::searchPlaces(const std::function<void(std::vector<models::TrailPlace>)>& use)
{
    struct Gathering {
        std::vector<models::TrailPlace> places;
        std::size_t awaited = 1; // this function
    };
    const auto gathering = std::make_shared<Gathering>();
    const auto arrived = [gathering, use] {
        if (--gathering->awaited == 0)
            use(gathering->places);
    };
    // A database is searched once, under the name of what is open where that is it.
    std::vector<store::Target> taken;
    if (const auto open = store::parseUrl(m_opened.url.toStdString()); m_session && open)
        taken.push_back(*open);
    if (m_session && m_openId.isEmpty())
        gathering->places.push_back({ m_session->status().name, m_session->openReads() });
    for (const auto& connection : m_connections.all()) {
        const auto target = store::parseUrl(connection.url.toStdString());
        if (!target)
            continue;
        const bool open = m_session && connection.id == m_openId;
        if (!open
            && std::any_of(taken.begin(), taken.end(), [&](const auto& one) { return isSameDatabase(one, *target); }))
            continue;
        taken.push_back(*target);
        const auto add = [this, gathering, arrived, connection, target = *target](const QString& password) {
            auto reads = optionsOf(connection, store::Access::ReadOnly);
            reads.password = password.toStdString();
            gathering->places.push_back({ connection.name, opener(target, reads) });
            arrived();
        };
        ++gathering->awaited;
        if (target->dialect == store::Dialect::Sqlite)
            add({});
        else
            withPassword(connection.id, add);
    }
    arrived();
}

bool Desk::knowsProfile(const QString& name) const
{
    return m_profiles->library()->find(name.toStdString()) != nullptr;
}

Status Desk::adoptProfile(const QString& path)
{
    const auto text = profile::readProfileFile(path.toStdString());
    if (!text)
        return text.error();
    if (const auto own = profile::parseOwn(*text, path.toStdString()); !own)
        return own.error();
    auto library = *m_profiles->library();
    if (const auto added = library.add(*text, path.toStdString()); !added)
        return added.error();
    recogniseBy(std::move(library));
    return {};
}

Status Desk::chooseProfile(const TableName& table, const QString& profile)
{
    const auto name = table.schema.empty() ? table.table : table.schema + '.' + table.table;
    auto library = *m_profiles->library();
    if (const auto chosen = library.choose(name, profile.toStdString()); !chosen)
        return chosen;
    return keepAnswer(std::move(library), profile::Answer::Table, name, profile.toStdString());
}

Status Desk::answerZone(const QString& profile, const QString& zone)
{
    auto library = *m_profiles->library();
    if (const auto answered = library.answerZone(profile.toStdString(), zone.toStdString()); !answered)
        return answered;
    return keepAnswer(std::move(library), profile::Answer::TimeZone, profile.toStdString(), zone.toStdString());
}

Status Desk::keepAnswer(
    profile::Library library, profile::Answer what, const std::string& of, const std::string& answer)
{
    const auto path = m_folders.profiles() + QLatin1Char('/') + QLatin1String(profile::answersFile);
    const auto present = profile::readProfileFile(path.toStdString());
    if (!present && present.error().failure != Failure::NotFound)
        return present.error();
    const auto text = profile::withAnswer(present ? *present : std::string(), path.toStdString(), what, of, answer);
    if (!text)
        return text.error();
    if (auto kept = models::replaceFile(path, QByteArray::fromStdString(*text)); !kept)
        return kept;
    recogniseBy(std::move(library));
    return {};
}

std::vector<Error> Desk::rereadProfiles()
{
    auto files = stateOf(m_folders.profiles());
    if (files == m_profileFiles)
        return {};
    m_profileFiles = std::move(files);
    auto library = profile::shippedLibrary();
    if (!library)
        return { library.error() };
    auto leftOut = profile::addFolder(*library, m_folders.profiles().toStdString());
    recogniseBy(std::move(*library));
    return leftOut;
}

void Desk::recogniseBy(profile::Library library)
{
    const auto adopted = m_profiles->put(std::move(library));
    if (!m_session)
        return;
    const auto use = [adopted](Backend& backend) -> Result<bool> {
        if (auto* mapper = backend.mapper())
            mapper->use(adopted);
        return true;
    };
    (void)m_session->reads().run(use);
    if (auto* writes = m_session->writes())
        (void)writes->run(use);
    m_session->reloadBindings();
}

// A refused password is asked for again, once per attempt; other failures are the window's to show.
void Desk::watchPassword()
{
    m_asked = false;
    connect(m_session.get(), &models::Session::statusChanged, this, [this] {
        const models::Link link = m_session->reads().link();
        if (m_asked || !link.error || link.state == models::Link::State::Open || !wantsPassword(*link.error))
            return;
        m_asked = true;
        const bool given = m_passwords.contains(m_openId);
        m_passwords.remove(m_openId);
        Q_EMIT passwordRequested(
            m_openId, given ? tr("The server refused this password.") : tr("The server asks for a password."));
    });
}

void Desk::close()
{
    if (!m_session)
        return;
    Q_EMIT sessionClosing();
    m_alerts.leave();
    models::Session* ending = m_session.release();
    m_openId.clear();
    m_policy = noPolicy();
    ending->disconnect(this);
    ending->setParent(this);
    connect(ending, &models::Session::closed, ending, &QObject::deleteLater);
    ending->close();
    Q_EMIT sessionChanged();
}

void Desk::test(const models::Connection& connection, const QString& password, Tested tested)
{
    const auto target = store::parseUrl(connection.url.toStdString());
    if (!target)
        return tested(target.error());
    const auto run = [this, connection, target = *target, tested](const QString& found) {
        store::OpenOptions options = optionsOf(connection, store::Access::ReadOnly);
        options.password = found.toStdString();
        auto* thread = new models::StoreThread(opener(target, options), m_clock, {}, this);
        connect(thread, &models::StoreThread::stopped, thread, &QObject::deleteLater);
        const auto ask = [clock = &m_clock](Backend& backend) -> Result<ui::ConnectionReport> {
            const Time before = clock->now();
            auto info = backend.inspector().info();
            if (!info)
                return info.error();
            const Duration roundTrip = clock->now() - before;
            auto bindings = backend.inspector().bindings(true);
            if (!bindings)
                return bindings.error();
            return ui::ConnectionReport{ *info, *bindings, roundTrip };
        };
        models::deliver(thread->run(ask), thread, [thread, tested](const Result<ui::ConnectionReport>& answer) {
            tested(answer);
            thread->stop();
        });
        thread->start();
    };
    if (!password.isEmpty() || target->dialect == store::Dialect::Sqlite)
        run(password);
    else
        withPassword(connection.id, run);
}

Result<ui::Address> Desk::addressOf(const QString& url) const
{
    const auto parsed = store::parseUrl(url.toStdString());
    if (!parsed)
        return parsed.error();
    const auto text = [](const std::string& value) { return QString::fromStdString(value); };
    return ui::Address{ .sqlite = parsed->dialect == store::Dialect::Sqlite,
        .path = text(parsed->path),
        .host = text(parsed->host),
        .port = text(parsed->port),
        .database = text(parsed->database),
        .user = text(parsed->user),
        .service = text(parsed->service),
        .schema = text(parsed->schema),
        .sslMode = text(parsed->sslMode),
        .sslRootCert = text(parsed->sslRootCert),
        .sslCert = text(parsed->sslCert),
        .sslKey = text(parsed->sslKey),
        .targetSessionAttrs = text(parsed->targetSessionAttrs),
        .passFile = text(parsed->passFile) };
}

QString Desk::urlOf(const ui::Address& address) const
{
    store::Target target;
    target.dialect = address.sqlite ? store::Dialect::Sqlite : store::Dialect::PostgreSql;
    target.path = address.path.toStdString();
    target.host = address.host.toStdString();
    target.port = address.port.toStdString();
    target.database = address.database.toStdString();
    target.user = address.user.toStdString();
    target.service = address.service.toStdString();
    target.schema = address.schema.toStdString();
    target.sslMode = address.sslMode.toStdString();
    target.sslRootCert = address.sslRootCert.toStdString();
    target.sslCert = address.sslCert.toStdString();
    target.sslKey = address.sslKey.toStdString();
    target.targetSessionAttrs = address.targetSessionAttrs.toStdString();
    target.passFile = address.passFile.toStdString();
    return QString::fromStdString(store::formatUrl(target));
}

void Desk::keepPassword(const QString& connectionId, const QString& password, Done done)
{
    m_passwords.insert(connectionId, password);
    models::deliver(m_secrets.write(connectionId, password), this,
        [done = std::move(done)](const Status& written) { done(written); });
}

void Desk::forgetPassword(const QString& connectionId)
{
    m_passwords.remove(connectionId);
    m_alerts.forget(connectionId);
    if (m_keychain != ui::Keychain::Missing)
        models::deliver(m_secrets.remove(connectionId), this, [](const Status&) {});
}

void Desk::findPolicy(const store::Target& target)
{
    const auto path = models::policyFile(target.path, m_folders.config.toStdString());
    m_policy = path.empty() ? noPolicy() : loadPolicy(path);
    m_policyPath = path.empty() ? QStringLiteral("fencepost.policy.json") : QString::fromStdString(path);
}

} // namespace fencepost::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/context.h"

#include <algorithm>
#include <filesystem>

#include <unistd.h>

#include <QFileInfo>
#include <QStandardPaths>

#include "app/ctl/keychain.h"
#include "core/copier.h"
#include "core/profile/changed_files.h"
#include "core/shell_word.h"
#include "core/store/schema.h"
#include "models/connections.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

// Whether another password may help.
bool asksForPassword(const Error& error)
{
    return error.failure == Failure::Denied
        && (error.code.substr(0, 2) == "28" || error.detail.find("password") != std::string::npos);
}

QString configFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + QStringLiteral("/fencepost");
}

// The console keeps a password under the id of its connection, so the connections to the same database are looked up.
std::vector<std::string> secretNamesOf(store::Target target)
{
    std::vector<std::string> names;
    models::Connections connections(configFolder() + QStringLiteral("/connections.json"));
    if (!connections.load())
        return names;
    target.applicationName.clear();
    const auto wanted = store::formatUrl(target);
    for (const auto& connection : connections.all()) {
        auto known = store::parseUrl(connection.url.toStdString());
        if (!known)
            continue;
        known->applicationName.clear();
        if (store::formatUrl(*known) == wanted)
            names.push_back(connection.id.toStdString());
    }
    return names;
}

std::vector<Binding> bindingsOf(const std::vector<Binding>& all, Kind kind)
{
    std::vector<Binding> fitting;
    std::copy_if(all.begin(), all.end(), std::back_inserter(fitting),
        [&](const Binding& candidate) { return candidate.kind == kind; });
    return fitting;
}

std::string namesOf(const std::vector<Binding>& bindings)
{
    std::string names;
    for (const auto& binding : bindings)
        names += (names.empty() ? "" : ", ") + binding.name;
    return names;
}

// Read in well under a second, at every command; a larger snapshot is verified by its own command.
constexpr qint64 verifiedAtOnce = 16LL << 20;

// Evidence that was changed is still shown, and said to be changed.
void warnOfBrokenSeal(Backend& backend, const std::string& path, Output& out)
{
    auto* copier = backend.inspector().copier();
    const auto manifest =
        copier != nullptr ? copier->manifest() : Result<std::optional<SnapshotManifest>>(std::nullopt);
    if (!manifest) {
        out.note("warning: the manifest of this snapshot cannot be read: " + printable(inWords(manifest.error())));
        return;
    }
    if (!*manifest)
        return;
    if (QFileInfo(QString::fromStdString(path)).size() > verifiedAtOnce) {
        out.note("the seal of this snapshot was not looked at, for it is large: fencepostctl snapshot verify "
            + printable(path));
        return;
    }
    const auto verdict = copier->verifySeal();
    if (!verdict)
        out.note("warning: the seal of this snapshot cannot be verified: " + printable(inWords(verdict.error())));
    else if (!verdict->sealed)
        out.note("warning: this snapshot was CHANGED after it was sealed: " + printable(verdict->reason));
}

} // namespace

void Context::nothingChangedYet() const
{
    out.answerStop({ Failure::Cancelled, "The program was told to stop", {} });
}

void Context::mayChangeFromHere() const
{
    out.answerStop({ Failure::InDoubt, "The program was told to stop before it knew the outcome", {} });
}

Result<store::Target> Context::target() const
{
    if (options.db.empty())
        return invalid("Say which database: --db sqlite:PATH or --db postgresql://host/database");
    auto target = store::parseUrl(options.db);
    if (target && target->applicationName.empty())
        target->applicationName =
            "fencepostctl/" FENCEPOST_VERSION " " + models::actorName() + ' ' + std::to_string(getpid());
    return target;
}

std::optional<std::string> Context::absentFile() const
{
    const auto where = target();
    const bool absent =
        where && where->dialect == store::Dialect::Sqlite && !QFileInfo::exists(QString::fromStdString(where->path));
    return absent ? std::optional(where->path) : std::nullopt;
}

Result<store::OpenOptions> Context::openOptions(store::Access access) const
{
    store::OpenOptions how;
    how.access = access;
    how.statementTimeout = std::chrono::seconds(30);
    if (!options.statementTimeout.empty()) {
        const auto timeout = parseDuration(options.statementTimeout);
        if (!timeout)
            return timeout.error();
        how.statementTimeout = *timeout;
    }
    return how;
}

template <typename T, typename F>
Result<T> Context::withPassword(const store::Target& target, store::OpenOptions openOptions, F attempt)
{
    Result<T> opened = attempt(openOptions);
    if (opened || target.dialect == store::Dialect::Sqlite || !asksForPassword(opened.error()))
        return opened;
    for (const auto& name : secretNamesOf(target))
        if (const auto password = passwordFromKeychain(name)) {
            openOptions.password = *password;
            return attempt(openOptions);
        }
    return opened;
}

Result<std::pair<store::Target, store::OpenOptions>> Context::asTyped(store::Access access)
{
    auto where = target();
    auto how = openOptions(access);
    m_usageError = !where || !how;
    if (!where)
        return where.error();
    if (!how)
        return how.error();
    return std::pair(std::move(*where), std::move(*how));
}

Result<std::unique_ptr<store::Connection>> Context::connect(store::Access access, bool create)
{
    auto typed = asTyped(access);
    if (!typed)
        return typed.error();
    auto& [where, how] = *typed;
    how.create = create;
    auto opened = withPassword<std::unique_ptr<store::Connection>>(where, how,
        [&target = where](const store::OpenOptions& with) { return store::Connection::open(target, with); });
    if (opened && access == store::Access::ReadWrite)
        mayChangeFromHere();
    return opened;
}

Result<Backend*> Context::open(store::Access access)
{
    if (m_backend)
        return m_backend.get();
    if (!options.also.empty()) {
        m_usageError = true;
        return invalid("--also is for find: every other command works on one database");
    }
    auto typed = asTyped(access);
    if (!typed)
        return typed.error();
    auto& [where, how] = *typed;
    auto library = profiles();
    if (!library)
        return library.error();
    store::OpenRequest request;
    request.target = where;
    request.profiles = *library;
    request.only = options.binding;
    request.auditPath = options.auditFile.empty() ? models::auditFile() : options.auditFile;
    auto opened = withPassword<std::unique_ptr<Backend>>(where, how, [&request](const store::OpenOptions& with) {
        request.options = with;
        return store::open(request);
    });
    if (!opened)
        return opened.error();
    m_backend = std::move(opened).value();
    if (access == store::Access::ReadWrite)
        mayChangeFromHere();
    else if (where.dialect == store::Dialect::Sqlite)
        warnOfBrokenSeal(*m_backend, where.path, out);
    if (const auto read = checkReadAs(); !read) {
        m_backend.reset();
        m_usageError = true;
        return read.error();
    }
    return m_backend.get();
}

// Who says as what a table is read has to hear where it is not.
Status Context::checkReadAs()
{
    if (options.readAs.empty())
        return {};
    const auto bindings = m_backend->inspector().bindings();
    if (!bindings)
        return bindings.error();
    const auto unfit = m_backend->inspector().unfit();
    if (!unfit)
        return unfit.error();
    for (const auto& said : options.readAs) {
        const auto table = said.substr(0, said.find('='));
        const auto isIt = [&](const std::string& schema, const std::string& name) {
            return name == table || schema + '.' + name == table;
        };
        for (const auto& each : *unfit)
            if (each.chosen && (each.table == table || each.table.ends_with('.' + table)))
                return Error{ Failure::Invalid, "The table " + each.table + " cannot be read as " + each.profile,
                    each.why };
        if (std::none_of(bindings->begin(), bindings->end(),
                [&](const Binding& binding) { return isIt(binding.schema, binding.table); }))
            return Error{ Failure::NotFound, "There is no table \"" + table + "\" here, of which --read-as speaks",
                {} };
    }
    return {};
}

// What has to be said again for another command to see the same tables in the same way.
std::string Context::sameTables() const
{
    std::string text;
    const auto add = [&](const char* option, const std::string& value) {
        text += ' ' + std::string(option) + ' ' + shellWord(value);
    };
    if (!options.profilesDir.empty())
        add("--profiles", options.profilesDir);
    for (const auto& zone : options.timeZones)
        add("--time-zone", zone);
    for (const auto& table : options.readAs)
        add("--read-as", table);
    return text;
}

Result<Backend*> Context::openAgain(store::Access access)
{
    m_backend.reset();
    return open(access);
}

Result<Store*> Context::openStore()
{
    auto backend = open(store::Access::ReadWrite);
    if (!backend)
        return backend.error();
    const auto info = (*backend)->inspector().info();
    if (!info)
        return info.error();
    if (!info->schemaVersion) {
        const auto all = (*backend)->inspector().bindings();
        if (all
            && std::any_of(all->begin(), all->end(), [](const Binding& one) { return one.native && one.reachable; }))
            return Error{ Failure::Denied,
                "The role may not read fencepost_schema, so the version of Fencepost's tables is not known", {}, {},
                "Ask for SELECT on fencepost_schema" };
        return Error{ Failure::Unsupported, "Fencepost's tables are not in this database", {}, {},
            "Make them with: fencepostctl schema init" };
    }
    if (*info->schemaVersion > store::currentSchemaVersion)
        return store::newerSchema(*info->schemaVersion);
    if (!options.binding.empty()) {
        const auto named = binding(Kind::Idempotency);
        if (!named)
            return named.error();
        if (!named->native || !named->reachable) {
            m_usageError = true;
            return invalid("The table " + named->name + " is not the one that this session's own operations work on",
                named->reachable ? "it is not Fencepost's own" : "connect with ?schema=" + named->schema);
        }
    }
    return &(*backend)->store();
}

std::string Context::profilesFolder() const
{
    return options.profilesDir.empty() ? (configFolder() + QStringLiteral("/profiles")).toStdString()
                                       : options.profilesDir;
}

// What somebody else has changed in a profile is seen before it is trusted.
void Context::tellChangedProfiles()
{
    const std::filesystem::path audit(options.auditFile.empty() ? models::auditFile() : options.auditFile);
    for (const auto& file : profile::changedFiles(profilesFolder(), (audit.parent_path() / "profiles").string())) {
        out.note("warning: the profile " + file.path
            + " has changed since it was last used here; look at what it does now before you trust it:");
        for (const auto& line : file.lines)
            out.note("  " + line);
    }
}

Result<const profile::Library*> Context::profiles()
{
    if (m_library)
        return &*m_library;
    auto library = profile::shippedLibrary();
    if (!library)
        return library.error();
    if (!options.profilesDir.empty() && !QFileInfo(QString::fromStdString(options.profilesDir)).isDir())
        return Error{ Failure::NotFound, "There is no folder of profiles " + options.profilesDir, {} };
    // One broken file must not keep anybody from what the others say.
    for (const auto& problem : profile::addFolder(*library, profilesFolder()))
        out.note("warning: a profile is left out: " + problem.message);
    tellChangedProfiles();
    if (const auto answered = answer(*library); !answered) {
        m_usageError = true;
        return answered.error();
    }
    m_library = std::move(*library);
    return &*m_library;
}

Status Context::useOnly(std::string_view text, const std::string& file)
{
    profile::Library library;
    if (const auto added = library.add(text, file); !added)
        return added.error();
    const auto answers = profilesFolder() + '/' + profile::answersFile;
    if (const auto answered = profile::addAnswers(library, answers, profile::AnsweredOf::Part); !answered)
        out.note("warning: an answer is left out: " + answered.error().message);
    if (const auto answered = answer(library); !answered) {
        m_usageError = true;
        return answered.error();
    }
    m_library = std::move(library);
    return {};
}

Status Context::answer(profile::Library& library)
{
    // What is said of one counts before what is said of all.
    auto zones = options.timeZones;
    std::stable_partition(
        zones.begin(), zones.end(), [](const std::string& said) { return said.find('=') == std::string::npos; });
    auto tables = options.readAs;
    std::stable_partition(tables.begin(), tables.end(),
        [](const std::string& said) { return said.substr(0, said.find('=')).find('.') == std::string::npos; });
    for (const auto& said : zones) {
        const auto equals = said.find('=');
        const auto name = equals == std::string::npos ? std::string() : said.substr(0, equals);
        const auto zone = equals == std::string::npos ? said : said.substr(equals + 1);
        if (const auto answered = library.answerZone(name, zone); !answered)
            return answered;
    }
    for (const auto& said : tables) {
        const auto equals = said.find('=');
        if (equals == std::string::npos)
            return invalid("--read-as takes TABLE=PROFILE, not \"" + said + "\"");
        if (const auto chosen = library.choose(said.substr(0, equals), said.substr(equals + 1)); !chosen)
            return chosen;
    }
    return {};
}

std::string Context::policyFile() const
{
    if (!options.policyFile.empty())
        return options.policyFile;
    const auto where = target();
    return models::policyFile(where ? where->path : std::string(), configFolder().toStdString());
}

Result<Policy> Context::policy() const
{
    const auto file = policyFile();
    return file.empty() ? Result<Policy>(Policy()) : loadPolicy(file);
}

// By its name; else by schema.table or by a table name that only one of them has.
Result<Binding> Context::namedBinding(const std::vector<Binding>& all, Kind kind)
{
    const auto& name = options.binding;
    const auto ofKind = bindingsOf(all, kind);
    std::vector<Binding> fitting;
    for (const auto& candidate : ofKind) {
        if (candidate.name == name)
            return candidate;
        if (candidate.schema + '.' + candidate.table == name || candidate.table == name)
            fitting.push_back(candidate);
    }
    if (fitting.size() == 1)
        return fitting.front();
    m_usageError = true;
    if (fitting.size() > 1)
        return invalid("Several tables are called \"" + name + "\": say which", "There are: " + namesOf(fitting));
    std::vector<Binding> called;
    std::copy_if(all.begin(), all.end(), std::back_inserter(called),
        [&](const Binding& other) { return other.schema + '.' + other.table == name || other.table == name; });
    if (called.size() > 1)
        return invalid("Several tables are called \"" + name + "\": say which", "There are: " + namesOf(called));
    const auto word = std::string(wordOf(kind));
    const auto fit = ofKind.empty() ? "This database has no " + word + " table that a profile recognises"
                                    : "There are: " + namesOf(ofKind);
    for (const auto& other : all)
        if (other.name == name || other.schema + '.' + other.table == name || other.table == name)
            return invalid(
                "The table " + other.name + " is of kind " + std::string(wordOf(other.kind)) + ", not " + word, fit);
    return invalid("There is no " + word + " table \"" + name + "\" here", fit);
}

Result<Binding> Context::binding()
{
    auto all = m_backend->inspector().bindings();
    if (!all)
        return all.error();
    if (options.binding.empty()) {
        m_usageError = true;
        return invalid("Say which table: --binding NAME",
            all->empty() ? "No table was recognised" : "There are: " + namesOf(*all));
    }
    std::vector<Binding> fitting;
    for (const auto& one : *all) {
        if (one.name == options.binding)
            return one;
        if (one.table == options.binding || one.schema + '.' + one.table == options.binding)
            fitting.push_back(one);
    }
    if (fitting.size() == 1)
        return fitting.front();
    m_usageError = true;
    const auto unfit = m_backend->inspector().unfit();
    for (const auto& each : unfit&& fitting.empty() ? *unfit : std::vector<Unfit>())
        if (each.table == options.binding || each.table.ends_with('.' + options.binding))
            return invalid("The table " + each.table + " cannot be read as " + each.profile, each.why);
    return invalid(fitting.empty() ? "There is no table \"" + options.binding + "\" here that a profile recognises"
                                   : "Several tables are called \"" + options.binding + "\": say which",
        "There are: " + namesOf(fitting.empty() ? *all : fitting));
}

Result<Binding> Context::binding(Kind kind)
{
    auto all = m_backend->inspector().bindings();
    if (!all)
        return all.error();
    if (!options.binding.empty())
        return namedBinding(*all, kind);
    const auto fitting = bindingsOf(*all, kind);
    if (fitting.empty())
        return Error{ Failure::Unsupported,
            "This database has no " + std::string(wordOf(kind)) + " table that a profile recognises",
            all->empty() ? "No table was recognised" : "Recognised: " + namesOf(*all) };
    if (fitting.size() > 1) {
        m_usageError = true;
        return invalid(
            "Several tables are recognised: say which with --binding NAME", "There are: " + namesOf(fitting));
    }
    return fitting.front();
}

int Context::fail(const Error& error)
{
    out.error(error);
    return m_usageError ? Exit::Usage : Exit::Failed;
}

int Context::usage(const std::string& message)
{
    return usage(invalid(message));
}

int Context::usage(const Error& error)
{
    out.error(error);
    return Exit::Usage;
}

int Context::rejectInput(const Error& error)
{
    return error.failure == Failure::Invalid ? usage(error) : fail(error);
}

int Context::refused(const Error& error)
{
    out.error(error);
    return Exit::Refused;
}

} // namespace fencepost::app

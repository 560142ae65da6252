// SPDX-License-Identifier: Apache-2.0
#include "core/store/connecting.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace fencepost::store {

namespace {

// NFS, SMB, SMB2 and CIFS: their locks do not hold what WAL needs.
constexpr std::array<unsigned long, 4> networkFileSystems = { 0x6969UL, 0x517BUL, 0xFE534D42UL, 0xFF534D42UL };

std::int64_t milliseconds(Duration duration)
{
    return std::chrono::ceil<std::chrono::milliseconds>(duration).count();
}

std::string quotedIdentifier(std::string_view name)
{
    std::string quoted = "\"";
    for (const char c : name) {
        quoted += c;
        if (c == '"')
            quoted += c;
    }
    return quoted + "\"";
}

// As in a libpq connection string.
std::string quotedValue(std::string_view value)
{
    std::string quoted = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\')
            quoted += '\\';
        quoted += c;
    }
    return quoted + "'";
}

std::string ownName()
{
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    const char* user = std::getenv("USER");
    return std::string("fencepost/") + FENCEPOST_VERSION + " " + (user != nullptr ? user : "?") + "@" + host.data()
        + " " + std::to_string(getpid());
}

struct Phrase {
    std::string_view words;
    Failure failure;
    const char* message;
    const char* next = "";
};

constexpr const char* checkTheHost = "Check the host and the port, and whether the server runs";
constexpr const char* checkItsRights = "Check the rights to the file";

constexpr std::array phrases = {
    Phrase{
        "password authentication failed", Failure::Denied, "The database refused the password", words::checkTheSignIn },
    Phrase{ "no password supplied", Failure::Denied, "The database asks for a password", words::checkTheSignIn },
    Phrase{ "no pg_hba.conf entry", Failure::Denied, "The database does not let this user in from here",
        "Ask for an entry in its pg_hba.conf or connect another way" },
    Phrase{ "pg_hba.conf rejects", Failure::Denied, "The database does not let this user in from here",
        "Ask for an entry in its pg_hba.conf or connect another way" },
    Phrase{ "authentication failed", Failure::Denied, words::refusedSignIn, words::checkTheSignIn },
    Phrase{ "permission denied", Failure::Denied, words::lacksPrivilege, words::askForPrivilege },
    Phrase{ "is not permitted to log in", Failure::Denied, "The role may not sign in", "Connect with another role" },
    Phrase{ "certificate verify failed", Failure::Denied, "The server's certificate could not be verified",
        "Check the root certificate of the connection" },
    Phrase{ "server certificate for", Failure::Denied, "The server's certificate is for another host",
        "Check the host's name: this may be another server" },
    Phrase{ "root certificate file", Failure::Invalid, "The root certificate could not be read" },
    Phrase{ "could not read certificate file", Failure::Invalid, "The client certificate could not be read" },
    Phrase{ "private key file", Failure::Invalid, "The private key could not be used" },
    Phrase{ "server does not support SSL", Failure::Unsupported, "The server does not speak TLS",
        "Choose another TLS mode, or turn TLS on at the server" },
    Phrase{ "definition of service", Failure::Invalid, "The service is not in the service file" },
    Phrase{ "service file", Failure::Invalid, "The service file could not be read" },
    Phrase{ "invalid port number", Failure::Invalid, "The port is not a number from 1 to 65535" },
    Phrase{ "invalid integer value", Failure::Invalid, "The port is not a number from 1 to 65535" },
    Phrase{ "could not match", Failure::Invalid, "There must be one port, or as many as hosts" },
    Phrase{ "timeout expired", Failure::Unavailable, "The server did not answer in time", checkTheHost },
    Phrase{
        "could not translate host name", Failure::Unavailable, "The host's name could not be resolved", checkTheHost },
    Phrase{ "Connection refused", Failure::Unavailable, "Nothing listens at that host and port", checkTheHost },
    Phrase{ "No such file or directory", Failure::Unavailable, "There is no server at that socket", checkTheHost },
    Phrase{ "is not currently accepting connections", Failure::Unavailable, "The database is closed to connections",
        "Ask whoever closed it" },
    Phrase{ "too many connections for", Failure::Unavailable, words::noFreeConnection },
    Phrase{ "too many clients", Failure::Unavailable, words::noFreeConnection },
    Phrase{ "remaining connection slots", Failure::Unavailable, words::noFreeConnection },
    Phrase{ "is starting up", Failure::Unavailable, words::startingOrStopping },
    Phrase{ "is shutting down", Failure::Unavailable, words::startingOrStopping },
    Phrase{ "session is read-only", Failure::Unavailable, "No server of the list accepts writes" },
    Phrase{ "session is not read-only", Failure::Unavailable, "No server of the list is read-only" },
    Phrase{ "server is in hot standby mode", Failure::Unavailable, "No server of the list is the primary" },
    Phrase{ "server is not in hot standby mode", Failure::Unavailable, "No server of the list is a standby" },
};

// Qt asks once, when it connects, whether a backslash in a string is an escape, and the server warns of the question
// where it is one. So the answer is given with the connection. A service file has options of its own, which these would
// take the place of.
std::string startOptions(const Target& target)
{
    if (!target.service.empty())
        return {};
    const char* wished = std::getenv("PGOPTIONS");
    return (wished != nullptr ? wished + std::string(" ") : std::string()) + "-c standard_conforming_strings=on";
}

Error fileError(Failure failure, const char* message, const std::string& path)
{
    return { failure, message, path, {}, failure == Failure::Denied ? checkItsRights : "" };
}

} // namespace

Status checkFile(const Target& target, const OpenOptions& options)
{
    if (target.path == ":memory:")
        return {};
    const auto& path = target.path;
    const bool writes = options.access == Access::ReadWrite;
    struct stat status { };
    if (stat(path.c_str(), &status) != 0) {
        if (errno == ENOENT && writes && options.create)
            return {};
        if (errno == ENOENT || errno == ENOTDIR)
            return fileError(Failure::NotFound, "There is no such file", path);
        return fileError(Failure::Denied, "The file may not be read", path + ": " + std::strerror(errno));
    }
    if (S_ISDIR(status.st_mode))
        return fileError(Failure::Invalid, "This is a folder, not a database file", path);
    if (!S_ISREG(status.st_mode))
        return fileError(Failure::Invalid, "This is not a regular file", path);
    if (access(path.c_str(), R_OK) != 0)
        return fileError(Failure::Denied, "The file may not be read", path);
    if (writes && access(path.c_str(), W_OK) != 0)
        return fileError(Failure::Denied, "The file may not be written", path);
    struct statfs volume { };
    if (writes && statfs(path.c_str(), &volume) == 0)
        for (const auto kind : networkFileSystems)
            if (static_cast<unsigned long>(volume.f_type) == kind)
                return fileError(Failure::Unsupported,
                    "The file is on a network file system, where SQLite's locks do not hold", path);
    return {};
}

Status checkSettings(const Target& target)
{
    for (const auto* value : { &target.host, &target.port, &target.database, &target.user, &target.service,
             &target.sslMode, &target.sslRootCert, &target.sslCert, &target.sslKey, &target.targetSessionAttrs,
             &target.passFile, &target.applicationName })
        if (value->find_first_of(std::string_view(";\0", 2)) != std::string::npos)
            return Error{ Failure::Invalid, "A setting of a connection must not contain a semicolon", {} };
    return {};
}

QString sqliteOptions(const OpenOptions& options)
{
    auto text = QStringLiteral("QSQLITE_BUSY_TIMEOUT=%1").arg(milliseconds(options.lockTimeout));
    if (options.access == Access::ReadOnly)
        text += QLatin1String(";QSQLITE_OPEN_READONLY");
    return text;
}

QString postgresOptions(const Target& target, const OpenOptions& options, bool withStartOptions)
{
    const auto application = target.applicationName.empty() ? ownName() : target.applicationName;
    // What the operator has set for all programs of PostgreSQL holds here too. libpq takes less than two seconds for
    // two.
    const int said = qEnvironmentVariableIntValue("PGCONNECT_TIMEOUT");
    const auto timeout = said > 0 ? said : std::chrono::ceil<std::chrono::seconds>(options.connectTimeout).count();
    std::string text = "connect_timeout=" + std::to_string(timeout);
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty())
            text += std::string(" ") + name + "=" + quotedValue(value);
    };
    add("host", target.host);
    add("port", target.port);
    add("dbname", target.database);
    add("service", target.service);
    add("sslmode", target.sslMode);
    add("sslrootcert", target.sslRootCert);
    add("sslcert", target.sslCert);
    add("sslkey", target.sslKey);
    add("target_session_attrs", target.targetSessionAttrs);
    add("passfile", target.passFile);
    add("application_name", application);
    if (withStartOptions)
        add("options", startOptions(target));
    return QString::fromStdString(text);
}

std::vector<std::string> sqliteSession(const OpenOptions& options)
{
    // The usual two megabytes do not hold what one page of a large table looks up.
    std::vector<std::string> statements = { "PRAGMA schema_version", "PRAGMA foreign_keys=ON",
        "PRAGMA cache_size=-16384" };
    if (options.access == Access::ReadOnly)
        statements.emplace_back("PRAGMA query_only=ON");
    else
        statements.emplace_back("PRAGMA synchronous=FULL");
    return statements;
}

std::vector<std::string> postgresSession(const Target& target, const OpenOptions& options)
{
    // One text, one round trip.
    std::string text = "SET statement_timeout=" + std::to_string(milliseconds(options.statementTimeout))
        + "; SET lock_timeout=" + std::to_string(milliseconds(options.lockTimeout))
        + "; SET idle_in_transaction_session_timeout=" + std::to_string(milliseconds(options.idleTimeout))
        + "; SET TIME ZONE 'UTC'; SET DateStyle='ISO, YMD'; SET bytea_output='hex';"
          " SET client_min_messages=warning; SET escape_string_warning=off;"
          // A database that promises no encoding holds octets, and one key that is no UTF-8 must not hide all others.
          " SELECT set_config('client_encoding','SQL_ASCII',false) WHERE "
          "current_setting('server_encoding')='SQL_ASCII'";
    if (!target.schema.empty())
        text += "; SET search_path=" + quotedIdentifier(target.schema);
    // A record must be as durable as the effect that it stands for.
    if (options.access == Access::ReadWrite)
        text += "; SELECT set_config('synchronous_commit','on',false)"
                " WHERE current_setting('synchronous_commit')='off'";
    else
        text += "; SET default_transaction_read_only=on";
    return { text };
}

Error connectError(const Target& target, const QSqlError& error)
{
    const auto words = (error.databaseText().isEmpty() ? error.driverText() : error.databaseText()).toStdString();
    const auto has = [&](std::string_view part) { return words.find(part) != std::string::npos; };
    if (has("role \"") && has("does not exist"))
        return { Failure::Denied, "The database has no such user", words, {}, "Check the user's name" };
    if (has("database \"") && has("does not exist"))
        return { Failure::NotFound, "There is no such database", words };
    for (const auto& phrase : phrases)
        if (has(phrase.words))
            return { phrase.failure, phrase.message, words, {}, phrase.next };
    return { Failure::Unavailable,
        "The database could not be reached" + (target.host.empty() ? std::string() : " at " + target.host), words };
}

} // namespace fencepost::store

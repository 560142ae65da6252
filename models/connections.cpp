// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/connections.h"

#include <algorithm>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>

#include "models/files.h"

namespace fencepost::models {

namespace {

constexpr int fileFormat = 1;

Error invalid(const QString& message)
{
    return { Failure::Invalid, message.toStdString(), {} };
}

bool hasPassword(const QString& url)
{
    const auto begin = url.indexOf(QStringLiteral("://"));
    if (begin < 0)
        return false;
    auto authority = url.mid(begin + 3);
    const auto question = authority.indexOf(QLatin1Char('?'));
    const auto query = question < 0 ? QString() : authority.mid(question + 1);
    if (question >= 0)
        authority.truncate(question);
    const auto slash = authority.indexOf(QLatin1Char('/'));
    if (slash >= 0)
        authority.truncate(slash);
    const auto at = authority.lastIndexOf(QLatin1Char('@'));
    if (at >= 0 && authority.left(at).contains(QLatin1Char(':')))
        return true;
    for (const auto& part : query.split(QLatin1Char('&'))) {
        const auto name = part.section(QLatin1Char('='), 0, 0).toLower();
        if (name == QStringLiteral("password") || name == QStringLiteral("sslpassword"))
            return true;
    }
    return false;
}

QJsonObject toJson(const Connection& connection)
{
    QJsonObject options;
    for (auto option = connection.options.begin(); option != connection.options.end(); ++option)
        options.insert(option.key(), option.value());
    return {
        { QStringLiteral("id"), connection.id },
        { QStringLiteral("name"), connection.name },
        { QStringLiteral("environment"), wordOf(connection.environment) },
        { QStringLiteral("url"), connection.url },
        { QStringLiteral("read_only"), connection.readOnly },
        { QStringLiteral("options"), options },
    };
}

Result<Connection> fromJson(const QJsonObject& object)
{
    Connection connection;
    connection.id = object.value(QStringLiteral("id")).toString();
    connection.name = object.value(QStringLiteral("name")).toString();
    connection.url = object.value(QStringLiteral("url")).toString();
    const auto environment = environmentOf(object.value(QStringLiteral("environment")).toString());
    const auto readOnly = object.value(QStringLiteral("read_only"));
    if (connection.id.isEmpty())
        return invalid(QStringLiteral("a connection has no id"));
    if (!environment)
        return invalid(QStringLiteral("“%1” has no known environment").arg(connection.name));
    // A missing flag must not silently become "may write".
    if (!readOnly.isBool())
        return invalid(QStringLiteral("“%1” does not say whether it is read-only").arg(connection.name));
    connection.environment = *environment;
    connection.readOnly = readOnly.toBool();
    const auto options = object.value(QStringLiteral("options")).toObject();
    for (auto option = options.begin(); option != options.end(); ++option)
        connection.options.insert(option.key(), option.value().toString());
    if (const auto checked = check(connection); !checked)
        return checked.error();
    return connection;
}

Result<QList<Connection>> parse(const QByteArray& bytes)
{
    QJsonParseError problem;
    const auto document = QJsonDocument::fromJson(bytes, &problem);
    if (!document.isObject())
        return invalid(QStringLiteral("%1 at octet %2").arg(problem.errorString()).arg(problem.offset));
    const auto version = document.object().value(QStringLiteral("format")).toInt();
    if (version > fileFormat)
        return Error{ Failure::Unsupported, "a newer Fencepost has written it", {} };
    const auto list = document.object().value(QStringLiteral("connections"));
    if (version != fileFormat || !list.isArray())
        return invalid(QStringLiteral("it is no list of connections"));
    QList<Connection> connections;
    for (const auto& value : list.toArray()) {
        auto connection = fromJson(value.toObject());
        if (!connection)
            return connection.error();
        connections.append(std::move(connection).value());
    }
    return connections;
}

QByteArray write(const QList<Connection>& connections)
{
    QJsonArray list;
    for (const auto& connection : connections)
        list.append(toJson(connection));
    return QJsonDocument(QJsonObject{ { QStringLiteral("format"), fileFormat }, { QStringLiteral("connections"), list } })
        .toJson();
}

} // namespace

Status check(const Connection& connection)
{
    if (connection.name.trimmed().isEmpty())
        return invalid(QStringLiteral("A connection needs a name."));
    if (!connection.url.startsWith(QStringLiteral("sqlite:"))
        && !connection.url.startsWith(QStringLiteral("postgresql://")))
        return invalid(
            QStringLiteral("“%1” has no known address: use sqlite:PATH or postgresql://….").arg(connection.name));
    if (hasPassword(connection.url))
        return invalid(QStringLiteral("The address of “%1” contains a password. Leave it out: it is kept in the "
                                      "keychain or asked for.")
                           .arg(connection.name));
    return {};
}

Connections::Connections(QString path, QObject* parent)
    : QObject(parent)
    , m_path(std::move(path))
{
}

Status Connections::load()
{
    m_error.reset();
    const auto bytes = readFile(m_path);
    if (!bytes && bytes.error().failure == Failure::NotFound) {
        m_connections.clear();
        m_bytes.clear();
        Q_EMIT changed();
        return {};
    }
    if (!bytes) {
        m_error = bytes.error();
        Q_EMIT changed();
        return bytes.error();
    }
    auto parsed = parse(*bytes);
    if (!parsed) {
        const auto failure = parsed.error().failure == Failure::Unsupported ? Failure::Unsupported : Failure::Corrupt;
        m_error = Error{ failure, "The connections in “" + m_path.toStdString() + "” cannot be read.",
            parsed.error().message };
        Q_EMIT changed();
        return *m_error;
    }
    m_bytes = *bytes;
    m_connections = std::move(parsed).value();
    Q_EMIT changed();
    return {};
}

const Connection* Connections::find(const QString& id) const
{
    const auto found =
        std::find_if(m_connections.begin(), m_connections.end(), [&](const Connection& each) { return each.id == id; });
    return found == m_connections.end() ? nullptr : &*found;
}

const Connection* Connections::named(const QString& name) const
{
    const auto found = std::find_if(
        m_connections.begin(), m_connections.end(), [&](const Connection& each) { return each.name == name; });
    return found == m_connections.end() ? nullptr : &*found;
}

Result<QString> Connections::add(Connection connection)
{
    if (connection.id.isEmpty())
        connection.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    auto connections = m_connections;
    connections.append(connection);
    if (const auto saved = save(connections); !saved)
        return saved.error();
    return connection.id;
}

Status Connections::update(const Connection& connection)
{
    auto connections = m_connections;
    for (auto& each : connections) {
        if (each.id == connection.id) {
            each = connection;
            return save(connections);
        }
    }
    return Error{ Failure::NotFound, "That connection is no longer there.", {} };
}

Status Connections::remove(const QString& id)
{
    auto connections = m_connections;
    if (connections.removeIf([&](const Connection& each) { return each.id == id; }) == 0)
        return Error{ Failure::NotFound, "That connection is no longer there.", {} };
    return save(connections);
}

Status Connections::move(const QString& id, int to)
{
    auto connections = m_connections;
    for (qsizetype from = 0; from < connections.size(); ++from) {
        if (connections[from].id == id) {
            connections.move(from, std::clamp<qsizetype>(to, 0, connections.size() - 1));
            return save(connections);
        }
    }
    return Error{ Failure::NotFound, "That connection is no longer there.", {} };
}

Status Connections::restoreBackup()
{
    const auto backup = readFile(backupPath());
    if (!backup)
        return backup.error();
    if (const auto parsed = parse(*backup); !parsed)
        return Error{ Failure::Corrupt, "The backup “" + backupPath().toStdString() + "” cannot be read either.",
            parsed.error().message };
    if (QFile::exists(m_path) && !QFile::rename(m_path, freeName(m_path + QStringLiteral(".damaged"))))
        return Error{ Failure::Denied, "“" + m_path.toStdString() + "” cannot be renamed.", {} };
    if (const auto written = replaceFile(m_path, *backup); !written)
        return written.error();
    return load();
}

Result<QString> Connections::setAside()
{
    const auto name = freeName(m_path + QStringLiteral(".damaged"));
    if (!QFile::rename(m_path, name))
        return Error{ Failure::Denied, "“" + m_path.toStdString() + "” cannot be renamed.", {} };
    if (const auto loaded = load(); !loaded)
        return loaded.error();
    return name;
}

Status Connections::checkNames(const QList<Connection>& connections) const
{
    for (qsizetype i = 0; i < connections.size(); ++i) {
        if (const auto checked = check(connections[i]); !checked)
            return checked.error();
        for (qsizetype other = 0; other < i; ++other) {
            if (connections[other].name == connections[i].name)
                return invalid(QStringLiteral("There is another connection named “%1”.").arg(connections[i].name));
        }
    }
    return {};
}

Status Connections::save(const QList<Connection>& connections)
{
    if (m_error)
        return *m_error;
    if (const auto checked = checkNames(connections); !checked)
        return checked.error();
    const auto current = readFile(m_path);
    if (current && *current != m_bytes)
        return Error{ Failure::Conflict,
            "Another program has changed “" + m_path.toStdString() + "” since it was read.",
            "Nothing was changed. Load it again first." };
    if (current && !m_bytes.isEmpty()) {
        if (const auto kept = replaceFile(backupPath(), m_bytes); !kept)
            return kept.error();
    }
    const auto bytes = write(connections);
    if (const auto written = replaceFile(m_path, bytes); !written)
        return written.error();
    m_bytes = bytes;
    m_connections = connections;
    Q_EMIT changed();
    return {};
}

} // namespace fencepost::models

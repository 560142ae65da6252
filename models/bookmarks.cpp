// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/bookmarks.h"

#include <algorithm>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "models/files.h"

namespace fencepost::models {

namespace {

constexpr int bookmarksFormat = 1;

// Octets that are no UTF-8 survive it, and what is readable stays so.
QString encoded(const std::string& octets)
{
    return QString::fromLatin1(QByteArray::fromStdString(octets).toPercentEncoding(" /:@,;=+$!*'()[]{}|\""));
}

std::string decoded(const QJsonValue& value)
{
    return QByteArray::fromPercentEncoding(value.toString().toLatin1()).toStdString();
}

QByteArray formatBookmarks(const QList<Bookmark>& bookmarks)
{
    QJsonArray list;
    for (const auto& bookmark : bookmarks) {
        QJsonArray identity;
        for (const auto& part : bookmark.identity)
            identity.append(encoded(part));
        list.append(QJsonObject{ { QStringLiteral("connection"), bookmark.connection },
            { QStringLiteral("table"), QString::fromStdString(bookmark.binding) },
            { QStringLiteral("identity"), identity }, { QStringLiteral("key"), encoded(bookmark.key) } });
    }
    return QJsonDocument(
        QJsonObject{ { QStringLiteral("format"), bookmarksFormat }, { QStringLiteral("bookmarks"), list } })
        .toJson();
}

Result<QList<Bookmark>> parseBookmarks(const QByteArray& bytes)
{
    const auto object = QJsonDocument::fromJson(bytes).object();
    if (object.value(QStringLiteral("format")).toInt() != bookmarksFormat)
        return Error{ Failure::Corrupt, "The bookmarks cannot be read.", {} };
    QList<Bookmark> bookmarks;
    for (const auto& each : object.value(QStringLiteral("bookmarks")).toArray()) {
        Bookmark bookmark{ .connection = each[QStringLiteral("connection")].toString(),
            .binding = each[QStringLiteral("table")].toString().toStdString(),
            .key = decoded(each[QStringLiteral("key")]) };
        for (const auto& part : each[QStringLiteral("identity")].toArray())
            bookmark.identity.push_back(decoded(part));
        bookmarks.append(bookmark);
    }
    return bookmarks;
}

} // namespace

Bookmarks::Bookmarks(QString path, QObject* parent)
    : QObject(parent)
    , m_path(std::move(path))
{
}

Status Bookmarks::load()
{
    m_all.clear();
    const auto bytes = readFile(m_path);
    if (!bytes)
        return bytes.error().failure == Failure::NotFound ? Status() : Status(bytes.error());
    auto parsed = parseBookmarks(*bytes);
    if (parsed)
        m_all = std::move(parsed).value();
    else
        QFile::rename(m_path, freeName(m_path + QStringLiteral(".damaged")));
    Q_EMIT changed();
    return parsed ? Status() : Status(parsed.error());
}

QList<Bookmark> Bookmarks::of(const QString& connection) const
{
    QList<Bookmark> found;
    std::copy_if(m_all.begin(), m_all.end(), std::back_inserter(found),
        [&connection](const Bookmark& each) { return each.connection == connection; });
    return found;
}

QList<Bookmark> Bookmarks::of(const QString& connection, const std::string& binding) const
{
    auto found = of(connection);
    found.removeIf([&binding](const Bookmark& each) { return each.binding != binding; });
    return found;
}

bool Bookmarks::contains(const Bookmark& bookmark) const
{
    return m_all.contains(bookmark);
}

Status Bookmarks::toggle(const Bookmark& bookmark)
{
    auto all = m_all;
    if (all.removeAll(bookmark) == 0)
        all.append(bookmark);
    if (const auto kept = replaceFile(m_path, formatBookmarks(all)); !kept)
        return kept;
    m_all = std::move(all);
    Q_EMIT changed();
    return {};
}

} // namespace fencepost::models

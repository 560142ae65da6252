// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/notebook.h"

#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>

#include "models/files.h"

namespace fencepost::models {

namespace {

QByteArray format(const Note& note)
{
    QJsonObject object{
        { QStringLiteral("id"), note.id },
        { QStringLiteral("at"), QString::fromStdString(formatInstant(note.at)) },
        { QStringLiteral("actor"), note.actor },
        { QStringLiteral("connection"), note.connection },
        { QStringLiteral("binding"), note.binding },
        { QStringLiteral("identity"), QJsonArray::fromStringList(note.identity) },
        { QStringLiteral("key"), note.key },
        { QStringLiteral("text"), note.text },
    };
    if (note.ofAlert)
        object.insert(QStringLiteral("of_alert"), true);
    return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

std::optional<Note> parse(const QByteArray& line)
{
    const auto object = QJsonDocument::fromJson(line).object();
    const auto at = parseInstant(object.value(QStringLiteral("at")).toString().toStdString());
    Note note{ .id = object.value(QStringLiteral("id")).toString(),
        .actor = object.value(QStringLiteral("actor")).toString(),
        .connection = object.value(QStringLiteral("connection")).toString(),
        .binding = object.value(QStringLiteral("binding")).toString(),
        .key = object.value(QStringLiteral("key")).toString(),
        .text = object.value(QStringLiteral("text")).toString(),
        .ofAlert = object.value(QStringLiteral("of_alert")).toBool() };
    if (!at || note.id.isEmpty())
        return std::nullopt;
    note.at = *at;
    for (const auto& part : object.value(QStringLiteral("identity")).toArray())
        note.identity.append(part.toString());
    return note;
}

Error cannotWrite(const QFile& file)
{
    return { Failure::Full, "The note was not kept: “" + file.fileName().toStdString() + "” cannot be written.",
        file.errorString().toStdString() };
}

} // namespace

Notebook::Notebook(QString path, const Clock& clock, QObject* parent)
    : QObject(parent)
    , m_path(std::move(path))
    , m_clock(clock)
{
}

Status Notebook::load()
{
    const auto bytes = readFile(m_path);
    if (!bytes)
        return bytes.error().failure == Failure::NotFound ? Status() : Status(bytes.error());
    m_notes.clear();
    m_damaged = 0;
    for (const auto& line : bytes->split('\n')) {
        if (line.trimmed().isEmpty())
            continue;
        if (auto note = parse(line))
            m_notes.append(std::move(*note));
        else
            ++m_damaged;
    }
    return {};
}

QList<Note> Notebook::of(const QString& connection, const QString& binding, const QStringList& identity) const
{
    QList<Note> found;
    for (const auto& note : m_notes) {
        if (note.connection == connection && note.binding == binding && note.identity == identity)
            found.append(note);
    }
    return found;
}

Status Notebook::add(Note note)
{
    if (note.text.trimmed().isEmpty())
        return Error{ Failure::Invalid, "The note is empty.", {} };
    note.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    note.at = m_clock.now();
    QDir().mkpath(QFileInfo(m_path).absolutePath());
    QFile file(m_path);
    if (!file.open(QIODevice::ReadWrite | QIODevice::Unbuffered))
        return cannotWrite(file);
    file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
    const auto before = file.size();
    auto line = format(note);
    // What a crash left behind must not swallow this line.
    if (before > 0 && file.seek(before - 1) && file.read(1) != "\n")
        line.prepend('\n');
    if (file.isSequential() || !file.seek(before) || file.write(line) != line.size() || ::fsync(file.handle()) != 0) {
        const auto error = cannotWrite(file);
        file.resize(before);
        return error;
    }
    m_notes.append(note);
    Q_EMIT added();
    return {};
}

QList<Note> Notebook::of(const QString& connection) const
{
    QList<Note> notes;
    for (const auto& note : m_notes)
        if (note.connection == connection)
            notes += note;
    return notes;
}

} // namespace fencepost::models

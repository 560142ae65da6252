// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/drafts.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "models/files.h"

namespace fencepost::models {

namespace {

constexpr int draftFormat = 1;

Result<Draft> parseDraft(const QByteArray& bytes)
{
    const QJsonObject object = QJsonDocument::fromJson(bytes).object();
    if (object[QStringLiteral("format")].toInt() != draftFormat)
        return Error{ Failure::Corrupt, "The draft cannot be read.", {} };
    Draft draft{ .reason = object[QStringLiteral("reason")].toString() };
    const QJsonObject parameters = object[QStringLiteral("parameters")].toObject();
    for (auto it = parameters.begin(); it != parameters.end(); ++it)
        draft.parameters[it.key().toStdString()] = it.value().toString().toStdString();
    if (const auto plan = object[QStringLiteral("plan")].toString(); !plan.isEmpty()) {
        auto parsed = parsePlan(plan.toStdString());
        if (!parsed)
            return parsed.error();
        draft.plan = std::move(parsed).value();
    }
    return draft;
}

} // namespace

Drafts::Drafts(QString folder)
    : m_folder(std::move(folder))
{
}

QString Drafts::pathOf(const QStringList& subject) const
{
    const auto words = QJsonDocument(QJsonArray::fromStringList(subject)).toJson(QJsonDocument::Compact);
    const auto name = QCryptographicHash::hash(words, QCryptographicHash::Sha256).toHex();
    return QDir(m_folder).filePath(QString::fromLatin1(name) + QStringLiteral(".draft.json"));
}

Status Drafts::keep(const QStringList& subject, const Draft& draft) const
{
    QJsonObject parameters;
    for (const auto& [name, value] : draft.parameters)
        parameters.insert(QString::fromStdString(name), QString::fromStdString(value));
    QJsonObject object{ { QStringLiteral("format"), draftFormat }, { QStringLiteral("reason"), draft.reason },
        { QStringLiteral("parameters"), parameters } };
    if (draft.plan)
        object.insert(QStringLiteral("plan"), QString::fromStdString(formatPlan(*draft.plan)));
    return replaceFile(pathOf(subject), QJsonDocument(object).toJson());
}

std::optional<Draft> Drafts::find(const QStringList& subject) const
{
    const auto path = pathOf(subject);
    const auto bytes = readFile(path);
    if (!bytes)
        return std::nullopt;
    auto draft = parseDraft(*bytes);
    if (draft)
        return std::move(draft).value();
    QFile::rename(path, freeName(path + QStringLiteral(".damaged")));
    return std::nullopt;
}

void Drafts::remove(const QStringList& subject) const
{
    QFile::remove(pathOf(subject));
}

} // namespace fencepost::models

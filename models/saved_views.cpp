// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/saved_views.h"

#include <algorithm>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/query/filter.h"
#include "models/files.h"

namespace fencepost::models {

namespace {

constexpr auto suffix = ".view.json";

QList<SavedView> shippedViews()
{
    const auto make = [](const char* name, const char* filter, const char* order) {
        return SavedView{ .name = QString::fromLatin1(name),
            .filter = QString::fromLatin1(filter),
            .order = QString::fromLatin1(order),
            .shipped = true };
    };
    return {
        make("Stuck", "stuck", ""),
        make("Held", "held", ""),
        make("Conflicts", "conflict", ""),
        make("In progress", "state = IN_PROGRESS", ""),
        make("Failed, to be retried", "state = FAILED_RETRYABLE", ""),
        make("Failed for good", "state = FAILED_FINAL", ""),
        make("Expiring within the hour", "expires < 1h and not state = EXPIRED", ""),
        make("Tried more than once", "attempts > 1", ""),
    };
}

QString text(Kind kind)
{
    return QString::fromStdString(std::string(wordOf(kind)));
}

QByteArray format(const SavedView& view)
{
    return QJsonDocument(QJsonObject{
                             { QStringLiteral("format"), 1 },
                             { QStringLiteral("name"), view.name },
                             { QStringLiteral("kind"), text(view.kind) },
                             { QStringLiteral("filter"), view.filter },
                             { QStringLiteral("columns"), QJsonArray::fromStringList(view.columns) },
                             { QStringLiteral("order"), view.order },
                             { QStringLiteral("descending"), view.descending },
                         })
        .toJson();
}

Result<SavedView> parse(const QByteArray& bytes)
{
    QJsonParseError problem;
    const auto document = QJsonDocument::fromJson(bytes, &problem);
    const auto bad = [](const QString& why) { return Error{ Failure::Corrupt, why.toStdString(), {} }; };
    if (!document.isObject())
        return bad(QStringLiteral("%1 at octet %2").arg(problem.errorString()).arg(problem.offset));
    const auto object = document.object();
    if (object.value(QStringLiteral("format")).toInt() != 1)
        return bad(QStringLiteral("it is no view of format 1"));
    const auto kind = kindOf(object.value(QStringLiteral("kind")).toString().toStdString());
    if (!kind)
        return bad(QStringLiteral("its kind of table is unknown"));
    SavedView view{ .name = object.value(QStringLiteral("name")).toString(),
        .kind = *kind,
        .filter = object.value(QStringLiteral("filter")).toString(),
        .order = object.value(QStringLiteral("order")).toString(),
        .descending = object.value(QStringLiteral("descending")).toBool(true) };
    for (const auto& column : object.value(QStringLiteral("columns")).toArray())
        view.columns.append(column.toString());
    if (view.name.trimmed().isEmpty())
        return bad(QStringLiteral("it has no name"));
    if (const auto filter = parseFilter(view.filter.toStdString()); !filter)
        return bad(QStringLiteral("its filter cannot be read: ") + QString::fromStdString(filter.error().message));
    return view;
}

} // namespace

SavedViews::SavedViews(QString folder, QObject* parent)
    : QObject(parent)
    , m_folder(std::move(folder))
{
}

void SavedViews::load()
{
    m_views.clear();
    m_paths.clear();
    m_errors.clear();
    const auto names = QDir(m_folder).entryList({ QStringLiteral("*") + QString::fromLatin1(suffix) }, QDir::Files);
    for (const auto& name : names) {
        const auto path = QDir(m_folder).filePath(name);
        const auto bytes = readFile(path);
        auto view = bytes ? parse(*bytes) : Result<SavedView>(bytes.error());
        if (!view) {
            m_errors.push_back({ view.error().failure, "The view “" + path.toStdString() + "” cannot be read.",
                view.error().message });
            continue;
        }
        m_views.append(std::move(view).value());
        m_paths.append(path);
    }
    Q_EMIT changed();
}

QList<SavedView> SavedViews::of(Kind kind) const
{
    QList<SavedView> own;
    for (const auto& view : m_views) {
        if (view.kind == kind)
            own.append(view);
    }
    std::stable_sort(own.begin(), own.end(), [](const SavedView& left, const SavedView& right) {
        return QString::localeAwareCompare(left.name, right.name) < 0;
    });
    return kind == Kind::Idempotency ? shippedViews() + own : own;
}

// The file of the same view where there is one, so that a file that somebody named by hand is not doubled.
QString SavedViews::pathFor(const SavedView& view) const
{
    for (qsizetype i = 0; i < m_views.size(); ++i) {
        if (m_views[i].name == view.name && m_views[i].kind == view.kind)
            return m_paths[i];
    }
    QString slug;
    for (const auto character : view.name.toLower())
        slug += character.isLetterOrNumber() ? character : QLatin1Char('-');
    slug = slug.left(60);
    const QDir folder(m_folder);
    auto path = folder.filePath(slug + QString::fromLatin1(suffix));
    for (int number = 2; QFile::exists(path); ++number)
        path = folder.filePath(slug + QLatin1Char('-') + QString::number(number) + QString::fromLatin1(suffix));
    return path;
}

Status SavedViews::save(const SavedView& view)
{
    if (view.name.trimmed().isEmpty())
        return Error{ Failure::Invalid, "A view needs a name.", {} };
    for (const auto& shipped : shippedViews()) {
        if (shipped.name == view.name && shipped.kind == view.kind)
            return Error{ Failure::Invalid,
                "“" + view.name.toStdString() + "” comes with the program: choose another name.", {} };
    }
    if (const auto filter = parseFilter(view.filter.toStdString()); !filter)
        return filter.error();
    if (const auto written = replaceFile(pathFor(view), format(view)); !written)
        return written.error();
    load();
    return {};
}

Status SavedViews::remove(const SavedView& view)
{
    if (view.shipped)
        return Error{ Failure::Invalid, "This view comes with the program.", {} };
    const auto path = pathFor(view);
    if (!QFile::exists(path))
        return Error{ Failure::NotFound, "There is no such view.", {} };
    if (!QFile::remove(path))
        return Error{ Failure::Denied, "“" + path.toStdString() + "” cannot be removed.", {} };
    load();
    return {};
}

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/plan_folder.h"

#include <algorithm>
#include <array>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/ids.h"
#include "models/files.h"

namespace fencepost::models {

namespace {

constexpr auto planSuffix = ".plan.json";
constexpr auto begunSuffix = ".begun";
constexpr auto reportSuffix = ".report.json";

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

std::optional<ItemResult> resultOf(const QString& word)
{
    for (const auto result :
        { ItemResult::Changed, ItemResult::AlreadyDone, ItemResult::Skipped, ItemResult::Failed }) {
        if (word == QString::fromUtf8(wordOf(result).data(), static_cast<qsizetype>(wordOf(result).size())))
            return result;
    }
    return std::nullopt;
}

QString word(ItemResult result)
{
    return QString::fromUtf8(wordOf(result).data(), static_cast<qsizetype>(wordOf(result).size()));
}

} // namespace

PlanFolder::PlanFolder(QString folder)
    : m_folder(std::move(folder))
{
}

// Request ids become file names, so nothing but a UUID is taken for one.
QString PlanFolder::pathOf(const QString& requestId, const char* suffix) const
{
    return QDir(m_folder).filePath(requestId + QString::fromLatin1(suffix));
}

Result<QString> PlanFolder::save(const Plan& plan) const
{
    if (!isUuid(plan.requestId))
        return Error{ Failure::Invalid, "The plan has no request id.", {} };
    const auto path = pathOf(text(plan.requestId), planSuffix);
    if (QFile::exists(path))
        return path;
    const auto written = replaceFile(path, QByteArray::fromStdString(formatPlan(plan)));
    if (!written)
        return written.error();
    return path;
}

Status PlanFolder::begin(const Plan& plan) const
{
    if (const auto saved = save(plan); !saved)
        return saved.error();
    return replaceFile(pathOf(text(plan.requestId), begunSuffix), {});
}

Status PlanFolder::finish(const RunReport& report) const
{
    if (!isUuid(report.requestId))
        return Error{ Failure::Invalid, "The report has no request id.", {} };
    return replaceFile(pathOf(text(report.requestId), reportSuffix), formatReport(report));
}

std::vector<KeptPlan> PlanFolder::all() const
{
    std::vector<KeptPlan> plans;
    const auto names = QDir(m_folder).entryList({ QStringLiteral("*") + QString::fromLatin1(planSuffix) }, QDir::Files);
    for (const auto& name : names) {
        KeptPlan kept{ .path = QDir(m_folder).filePath(name) };
        const auto id = name.chopped(static_cast<qsizetype>(qstrlen(planSuffix)));
        if (const auto report = this->report(id); report)
            // Stopped before its end, it can be finished as well.
            kept.state = report->notRun > 0 ? KeptPlan::State::Interrupted : KeptPlan::State::Done;
        else if (QFile::exists(pathOf(id, begunSuffix)))
            kept.state = KeptPlan::State::Interrupted;
        const auto bytes = readFile(kept.path);
        auto plan = bytes ? parsePlan(bytes->toStdString()) : Result<Plan>(bytes.error());
        if (plan)
            kept.plan = std::move(plan).value();
        else
            kept.error = Error{ plan.error().failure, "The plan “" + kept.path.toStdString() + "” cannot be read.",
                plan.error().message };
        plans.push_back(std::move(kept));
    }
    std::stable_sort(plans.begin(), plans.end(), [](const KeptPlan& left, const KeptPlan& right) {
        return (left.plan ? left.plan->createdAt : Time()) > (right.plan ? right.plan->createdAt : Time());
    });
    return plans;
}

std::vector<KeptPlan> PlanFolder::interrupted() const
{
    auto plans = all();
    std::erase_if(plans, [](const KeptPlan& kept) { return kept.state != KeptPlan::State::Interrupted; });
    return plans;
}

Result<RunReport> PlanFolder::report(const QString& requestId) const
{
    const auto bytes = readFile(pathOf(requestId, reportSuffix));
    if (!bytes)
        return bytes.error();
    return parseReport(*bytes);
}

Status PlanFolder::remove(const QString& requestId) const
{
    if (!isUuid(requestId.toStdString()))
        return Error{ Failure::Invalid, "That is no request id.", {} };
    for (const auto* suffix : { planSuffix, begunSuffix, reportSuffix }) {
        const auto path = pathOf(requestId, suffix);
        if (QFile::exists(path) && !QFile::remove(path))
            return Error{ Failure::Denied, "“" + path.toStdString() + "” cannot be removed.", {} };
    }
    return {};
}

QByteArray formatReport(const RunReport& report)
{
    QJsonArray items;
    for (const auto& item : report.items)
        items.append(QJsonObject{ { QStringLiteral("item"), item.item }, { QStringLiteral("key"), text(item.key) },
            { QStringLiteral("result"), word(item.outcome.result) },
            { QStringLiteral("reason"), text(item.outcome.reason) },
            { QStringLiteral("before"), text(item.outcome.before) },
            { QStringLiteral("after"), text(item.outcome.after) } });
    QJsonObject object{
        { QStringLiteral("format"), 1 },
        { QStringLiteral("request_id"), text(report.requestId) },
        { QStringLiteral("changed"), static_cast<qint64>(report.changed) },
        { QStringLiteral("already_done"), static_cast<qint64>(report.alreadyDone) },
        { QStringLiteral("skipped"), static_cast<qint64>(report.skipped) },
        { QStringLiteral("failed"), static_cast<qint64>(report.failed) },
        { QStringLiteral("not_run"), static_cast<qint64>(report.notRun) },
        { QStringLiteral("items"), items },
    };
    if (report.stoppedBy)
        object.insert(QStringLiteral("stopped_by"),
            QJsonObject{ { QStringLiteral("failure"), static_cast<int>(report.stoppedBy->failure) },
                { QStringLiteral("message"), text(report.stoppedBy->message) },
                { QStringLiteral("detail"), text(report.stoppedBy->detail) },
                { QStringLiteral("code"), text(report.stoppedBy->code) } });
    return QJsonDocument(object).toJson();
}

Result<RunReport> parseReport(const QByteArray& json)
{
    const auto document = QJsonDocument::fromJson(json);
    const auto object = document.object();
    if (!document.isObject() || object.value(QStringLiteral("format")).toInt() != 1)
        return Error{ Failure::Corrupt, "The file is no report of a run.", {} };
    const auto number = [&](const char* name) {
        return static_cast<std::int64_t>(object.value(QString::fromLatin1(name)).toInteger());
    };
    const auto words = [](const QJsonObject& from, const char* name) {
        return from.value(QString::fromLatin1(name)).toString().toStdString();
    };
    RunReport report{ .requestId = words(object, "request_id"),
        .changed = number("changed"),
        .alreadyDone = number("already_done"),
        .skipped = number("skipped"),
        .failed = number("failed"),
        .notRun = number("not_run") };
    for (const auto& value : object.value(QStringLiteral("items")).toArray()) {
        const auto item = value.toObject();
        const auto result = resultOf(item.value(QStringLiteral("result")).toString());
        if (!result)
            return Error{ Failure::Corrupt, "The report has an item without a result.", {} };
        report.items.push_back({ item.value(QStringLiteral("item")).toInt(), words(item, "key"),
            { *result, words(item, "reason"), words(item, "before"), words(item, "after") } });
    }
    if (const auto stopped = object.value(QStringLiteral("stopped_by")).toObject(); !stopped.isEmpty())
        report.stoppedBy = Error{ static_cast<Failure>(stopped.value(QStringLiteral("failure")).toInt()),
            words(stopped, "message"), words(stopped, "detail"), words(stopped, "code") };
    return report;
}

} // namespace fencepost::models

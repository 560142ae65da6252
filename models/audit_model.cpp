// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/audit_model.h"

#include <algorithm>

#include <QJsonArray>
#include <QJsonDocument>

#include "models/instant_text.h"
#include "models/row_columns.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

QString sequenceText(const AuditEntry& entry, const Display&)
{
    return QString::number(entry.seq);
}

QVariant sequenceKey(const AuditEntry& entry)
{
    return QVariant::fromValue<qlonglong>(entry.seq);
}

// To the second: the tooltip has the rest, and the reason needs the room.
QString atText(const AuditEntry& entry, const Display& display)
{
    return display.zone.format(entry.at, Precision::Seconds);
}

QString atFull(const AuditEntry& entry, const Display& display)
{
    return wholeInstant(entry.at, display);
}

QVariant atKey(const AuditEntry& entry)
{
    return QVariant::fromValue<qlonglong>(microsOf(entry.at));
}

template <std::string AuditEntry::*member> QString text(const AuditEntry& entry, const Display&)
{
    return visibleText(entry.*member);
}

// The parts of the row's identity, as the other pages name it; what is no list of words is shown as it stands.
QString rowText(const AuditEntry& entry, const Display&)
{
    const auto parts = QJsonDocument::fromJson(QByteArray::fromStdString(entry.identity)).array();
    QStringList words;
    for (const auto& part : parts)
        words += part.isString() ? part.toString() : QString::fromUtf8(QJsonDocument(QJsonArray{ part }).toJson());
    return visibleText(words.isEmpty() ? entry.identity : words.join(QStringLiteral(" · ")).toStdString());
}

QString itemText(const AuditEntry& entry, const Display&)
{
    return QString::number(entry.item);
}

constexpr Column<AuditEntry> auditColumns[] = {
    { .id = "seq",
        .title = "No.",
        .text = sequenceText,
        .sortKey = sequenceKey,
        .alignment = Alignment::Right,
        .width = 7,
        .order = "seq" },
    { .id = "at", .title = "At", .text = atText, .sortKey = atKey, .instant = Precision::Seconds, .full = atFull },
    { .id = "verb", .title = "Operation", .text = text<&AuditEntry::verb>, .width = 10 },
    { .id = "outcome", .title = "Outcome", .text = text<&AuditEntry::outcome>, .width = 13 },
    { .id = "identity",
        .title = "Row",
        .text = rowText,
        .monospace = true,
        .middleElision = true,
        .width = 24,
        .full = text<&AuditEntry::identity> },
    { .id = "actor", .title = "By", .text = text<&AuditEntry::actor>, .width = 14 },
    { .id = "reason", .title = "Reason", .text = text<&AuditEntry::reason>, .width = 32, .grows = true },
    { .id = "detail", .title = "Why not", .text = text<&AuditEntry::detail>, .width = 28 },
    { .id = "binding", .title = "Table", .text = text<&AuditEntry::binding>, .width = 20, .shown = false },
    { .id = "parameters",
        .title = "Parameters",
        .text = text<&AuditEntry::parameters>,
        .monospace = true,
        .width = 24,
        .shown = false },
    { .id = "request",
        .title = "Request",
        .text = text<&AuditEntry::requestId>,
        .monospace = true,
        .middleElision = true,
        .width = 14 },
    { .id = "item", .title = "Item", .text = itemText, .alignment = Alignment::Right, .width = 6, .shown = false },
    { .id = "hash",
        .title = "Hash",
        .text = text<&AuditEntry::hash>,
        .monospace = true,
        .middleElision = true,
        .width = 14,
        .shown = false },
};

Identity identityOf(const AuditEntry& entry)
{
    return { std::to_string(entry.seq) };
}

Cursor cursorOf(std::int64_t seq)
{
    return { { std::to_string(seq) } };
}

std::int64_t sequenceOf(const Cursor& cursor)
{
    return std::stoll(cursor.values.front());
}

Result<std::int64_t> newestOf(Inspector& inspector, AuditRequest request)
{
    request.beforeSeq.reset();
    request.limit = 1;
    const auto entries = inspector.audit(request);
    if (!entries)
        return entries.error();
    return entries->empty() ? 0 : entries->front().seq;
}

// The audit is asked for entries before a sequence number. Sequence numbers have no gaps, so the page ahead of a
// position is the one before a number that is so much larger.
Result<Window<AuditEntry>> loadAudit(Inspector& inspector, AuditRequest request, bool dense, const Fetch& fetch)
{
    const auto newest = newestOf(inspector, request);
    if (!newest)
        return newest.error();
    Window<AuditEntry> window;
    std::int64_t above = 0; // entries up to this one are ahead of the page
    request.limit = fetch.limit + 1;
    switch (fetch.from) {
    case Fetch::From::Begin:
        break;
    case Fetch::From::After:
        request.beforeSeq = sequenceOf(fetch.cursor);
        break;
    case Fetch::From::Before:
        above = sequenceOf(fetch.cursor);
        if (dense)
            request.beforeSeq = above + fetch.limit + 1;
        request.limit = fetch.limit;
        break;
    case Fetch::From::End:
        if (dense)
            request.beforeSeq = fetch.limit + 1;
        break;
    case Fetch::From::Fraction:
        if (dense)
            request.beforeSeq = *newest + 1 - static_cast<std::int64_t>(fetch.fraction * static_cast<double>(*newest));
        break;
    }
    auto entries = inspector.audit(request);
    if (!entries)
        return entries.error();
    const auto info = inspector.info();
    if (!info)
        return info.error();
    window.now = info->now;
    window.rows = std::move(entries).value();
    window.cost.rows = static_cast<std::int64_t>(window.rows.size()) + 1;
    std::erase_if(window.rows, [above](const AuditEntry& entry) { return entry.seq <= above; });
    window.moreAfter = static_cast<int>(window.rows.size()) > fetch.limit || fetch.from == Fetch::From::Before;
    if (static_cast<int>(window.rows.size()) > fetch.limit)
        window.rows.pop_back();
    window.moreBefore = request.beforeSeq && *newest >= *request.beforeSeq;
    for (const auto& entry : window.rows)
        window.cursors.push_back(cursorOf(entry.seq));
    return window;
}

} // namespace

AuditModel::AuditModel(StoreThread& thread, QObject* parent)
    : WindowModel(auditColumns, thread, parent)
{
}

void AuditModel::showAll()
{
    showMatching({}, true);
}

void AuditModel::showRequest(const QString& requestId)
{
    AuditRequest request;
    request.requestId = requestId.toStdString();
    showMatching(request, false);
}

void AuditModel::showRow(const std::string& binding, const Identity& identity)
{
    AuditRequest request;
    request.binding = binding;
    request.identity = identity;
    showMatching(request, false);
}

void AuditModel::showMatching(const AuditRequest& request, bool dense)
{
    // Entries of one request or row have gaps between them: they are few, and held as a whole.
    setCapacity(dense ? defaultCapacity : 200'000);
    Source<AuditEntry> source;
    source.load = [request, dense](Backend& backend, const Fetch& fetch) {
        return loadAudit(backend.inspector(), request, dense, fetch);
    };
    if (dense)
        source.estimate = [](Backend& backend) -> Result<Estimate> {
            const auto newest = newestOf(backend.inspector(), {});
            if (!newest)
                return newest.error();
            return Estimate{ .matching = { .value = *newest } };
        };
    source.identity = identityOf;
    setSource(std::move(source));
}

QFuture<Result<AuditVerdict>> AuditModel::verify() const
{
    return thread().run([](Backend& backend) { return backend.inspector().verifyAudit(); });
}

QVariant AuditModel::mark(const AuditEntry& entry, int role) const
{
    if (role == StateRole)
        return QString::fromStdString(entry.outcome);
    return WindowModel::mark(entry, role);
}

} // namespace fencepost::models

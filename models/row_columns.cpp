// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/row_columns.h"

#include "core/redaction.h"
#include "models/instant_text.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

QVariant keyOf(const std::optional<Time>& time)
{
    return time ? QVariant::fromValue<qlonglong>(microsOf(*time)) : QVariant();
}

QVariant keyOf(const std::optional<std::int64_t>& number)
{
    return number ? QVariant::fromValue<qlonglong>(*number) : QVariant();
}

QString numberText(const std::optional<std::int64_t>& number)
{
    return number ? QString::number(*number) : QString();
}

template <std::optional<Time> Row::*member> QString instantText(const Row& row, const Display& display)
{
    return display.zone.format(row.*member);
}

template <std::optional<Time> Row::*member> QString instantFull(const Row& row, const Display& display)
{
    if (!(row.*member))
        return {};
    return wholeInstant(*(row.*member), display);
}

template <std::optional<Time> Row::*member> QVariant instantKey(const Row& row)
{
    return keyOf(row.*member);
}

template <std::optional<std::string> Row::*member> QString text(const Row& row, const Display&)
{
    return visibleText(row.*member);
}

template <std::optional<std::int64_t> Row::*member> QString number(const Row& row, const Display&)
{
    return numberText(row.*member);
}

template <std::optional<std::int64_t> Row::*member> QVariant numberKey(const Row& row)
{
    return keyOf(row.*member);
}

// Errors of other people's programs quote what they failed on.
QString errorText(const Row& row, const Display&)
{
    return row.error ? visibleText(Redactor().text(*row.error).text) : QString();
}

struct HoldReason {
    const char* reason; // the protocol's
    const char* word;
    const char* sentence;
};

constexpr HoldReason holdReasons[] = {
    { "outcome_unknown", "outcome unknown", "nobody knows whether its effect took place" },
    { "attempts_exhausted", "attempts exhausted", "all attempts that it may have were made, and none came to an end" },
    { "operator", "operator", "an operator held it" },
};

const HoldReason* knownHold(const Row& row)
{
    for (const auto& known : holdReasons)
        if (row.holdReason == known.reason)
            return &known;
    return nullptr;
}

QString stateText(const Row& row, const Display&)
{
    return visibleText(row.state);
}

QString stateFull(const Row& row, const Display& display)
{
    if (row.stuck)
        return stuckSentence(row, display.now);
    if (const auto why = holdSentence(row); !why.isEmpty())
        return QStringLiteral("Held: ") + why;
    if (!row.rawState.empty() && row.rawState != row.state)
        return visibleText(row.state) + QStringLiteral(" (in the table: ") + visibleText(row.rawState)
            + QLatin1Char(')');
    return visibleText(row.state);
}

QString keyText(const Row& row, const Display&)
{
    return visibleText(row.key);
}

QString ageText(const Row& row, const Display& display)
{
    return row.createdAt ? durationText(display.now - *row.createdAt) : QString();
}

QString ageFull(const Row& row, const Display& display)
{
    return instantFull<&Row::createdAt>(row, display);
}

QString leaseText(const Row& row, const Display& display)
{
    return row.leaseUntil ? relativeText(*row.leaseUntil, display.now) : QString();
}

QString attemptsText(const Row& row, const Display&)
{
    if (!row.attempts)
        return {};
    if (!row.maxAttempts || *row.maxAttempts == 0)
        return QString::number(*row.attempts);
    return QString::number(*row.attempts) + QStringLiteral(" of ") + QString::number(*row.maxAttempts);
}

// A cell has room for the word, its full text is the sentence.
QString holdText(const Row& row, const Display&)
{
    const auto* reason = row.hold ? knownHold(row) : nullptr;
    return reason ? QLatin1String(reason->word) : row.hold ? visibleText(row.holdReason.value_or("held")) : QString();
}

QString holdFull(const Row& row, const Display& display)
{
    const auto why = holdSentence(row);
    return why.isEmpty() ? holdText(row, display) : why;
}

QString extraText(const Row& row, const char* name)
{
    const auto found = row.extra.find(name);
    return found == row.extra.end() ? QString() : visibleText(found->second);
}

QString orderKeyText(const Row& row, const Display&)
{
    return extraText(row, "order_key");
}

QString groupText(const Row& row, const Display&)
{
    return extraText(row, "group");
}

QString schemaText(const Row& row, const Display&)
{
    return extraText(row, rowSchema);
}

QString deathsText(const Row& row, const Display&)
{
    return extraText(row, "version");
}

QString diedAsText(const Row& row, const Display&)
{
    const auto found = row.extra.find("died_as");
    if (found == row.extra.end())
        return {};
    return found->second == "conflict" ? QStringLiteral("other payload")
        : found->second == "outbox"    ? QStringLiteral("not delivered")
        : found->second == "inbox"     ? QStringLiteral("not handled")
                                       : visibleText(found->second);
}

QString verdictText(const Row& row, const Display&)
{
    return extraText(row, rowVerdict);
}

QString verdictFull(const Row& row, const Display&)
{
    return extraText(row, rowVerdictReason);
}

QString conflictText(const Row& row, const Display&)
{
    return row.conflict ? QStringLiteral("conflict") : QString();
}

// Of views over one table in each schema only.
constexpr Column<Row> schema{ .id = "schema", .title = "Schema", .text = schemaText, .width = 14, .field = rowSchema };

constexpr Column<Row> records[] = {
    { .id = "state", .title = "State", .text = stateText, .width = 18, .full = stateFull },
    schema,
    { .id = "key",
        .title = "Key",
        .text = keyText,
        .monospace = true,
        .middleElision = true,
        .width = 26,
        .order = "key",
        .grows = true },
    { .id = "scope", .title = "Scope", .text = text<&Row::scope>, .width = 18, .field = "scope" },
    { .id = "operation",
        .title = "Operation",
        .text = text<&Row::operation>,
        .width = 16,
        .field = "operation",
        .grows = true },
    { .id = "owner",
        .title = "Owner",
        .text = text<&Row::owner>,
        .monospace = true,
        .middleElision = true,
        .width = 14,
        .field = "owner" },
    { .id = "fence",
        .title = "Fence",
        .text = number<&Row::fence>,
        .sortKey = numberKey<&Row::fence>,
        .alignment = Alignment::Right,
        .width = 8,
        .order = "fence",
        .field = "fence" },
    { .id = "attempts",
        .title = "Attempts",
        .text = attemptsText,
        .sortKey = numberKey<&Row::attempts>,
        .alignment = Alignment::Right,
        .width = 9,
        .order = "attempts",
        .field = "attempts" },
    { .id = "lease",
        .title = "Lease",
        .text = leaseText,
        .sortKey = instantKey<&Row::leaseUntil>,
        .alignment = Alignment::Right,
        .width = 14,
        .order = "lease",
        .full = instantFull<&Row::leaseUntil>,
        .field = "lease_until" },
    { .id = "age",
        .title = "Age",
        .text = ageText,
        .sortKey = instantKey<&Row::createdAt>,
        .alignment = Alignment::Right,
        .width = 10,
        .full = ageFull,
        .field = "created" },
    { .id = "code",
        .title = "Code",
        .text = number<&Row::responseCode>,
        .sortKey = numberKey<&Row::responseCode>,
        .alignment = Alignment::Right,
        .width = 6,
        .field = "response_code" },
    { .id = "created",
        .title = "Created",
        .text = instantText<&Row::createdAt>,
        .sortKey = instantKey<&Row::createdAt>,
        .instant = Precision::Milliseconds,
        .order = "created",
        .full = instantFull<&Row::createdAt>,
        .field = "created" },
    { .id = "expires",
        .title = "Expires",
        .text = instantText<&Row::expiresAt>,
        .sortKey = instantKey<&Row::expiresAt>,
        .instant = Precision::Milliseconds,
        .order = "expires",
        .full = instantFull<&Row::expiresAt>,
        .field = "expires" },
    { .id = "updated",
        .title = "Updated",
        .text = instantText<&Row::updatedAt>,
        .sortKey = instantKey<&Row::updatedAt>,
        .instant = Precision::Milliseconds,
        .shown = false,
        .full = instantFull<&Row::updatedAt>,
        .field = "updated" },
    { .id = "started",
        .title = "Started",
        .text = instantText<&Row::startedAt>,
        .sortKey = instantKey<&Row::startedAt>,
        .instant = Precision::Milliseconds,
        .shown = false,
        .full = instantFull<&Row::startedAt>,
        .field = "started" },
    { .id = "finished",
        .title = "Finished",
        .text = instantText<&Row::finishedAt>,
        .sortKey = instantKey<&Row::finishedAt>,
        .instant = Precision::Milliseconds,
        .shown = false,
        .full = instantFull<&Row::finishedAt>,
        .field = "finished" },
    { .id = "next_attempt",
        .title = "Not before",
        .text = instantText<&Row::nextAttemptAt>,
        .sortKey = instantKey<&Row::nextAttemptAt>,
        .instant = Precision::Milliseconds,
        .shown = false,
        .full = instantFull<&Row::nextAttemptAt>,
        .field = "next_attempt" },
    { .id = "hold", .title = "Hold", .text = holdText, .width = 18, .shown = false, .full = holdFull },
    { .id = "takeover", .title = "Takeover", .text = text<&Row::takeover>, .width = 9, .shown = false },
    { .id = "hash",
        .title = "Request hash",
        .text = text<&Row::requestHash>,
        .monospace = true,
        .middleElision = true,
        .width = 16,
        .shown = false },
    { .id = "error",
        .title = "Error",
        .text = errorText,
        .width = 24,
        .shown = false,
        .field = "error",
        .grows = true },
    { .id = "correlation",
        .title = "Correlation",
        .text = text<&Row::correlationId>,
        .monospace = true,
        .middleElision = true,
        .width = 16,
        .shown = false },
    { .id = "conflict", .title = "Conflicts", .text = conflictText, .width = 10, .shown = false },
};

constexpr Column<Row> inbox[] = {
    { .id = "state", .title = "State", .text = stateText, .width = 18, .full = stateFull },
    schema,
    { .id = "key",
        .title = "Message",
        .text = keyText,
        .monospace = true,
        .middleElision = true,
        .width = 30,
        .order = "key",
        .grows = true },
    { .id = "scope", .title = "Consumer", .text = text<&Row::scope>, .width = 16, .field = "queue" },
    { .id = "queue", .title = "Source", .text = text<&Row::queue>, .width = 16, .field = "scope" },
    { .id = "operation", .title = "Type", .text = text<&Row::operation>, .width = 20, .field = "operation" },
    { .id = "attempts",
        .title = "Attempts",
        .text = attemptsText,
        .sortKey = numberKey<&Row::attempts>,
        .alignment = Alignment::Right,
        .width = 9,
        .order = "attempts",
        .field = "attempts" },
    { .id = "age",
        .title = "Age",
        .text = ageText,
        .sortKey = instantKey<&Row::createdAt>,
        .alignment = Alignment::Right,
        .width = 10,
        .full = ageFull,
        .field = "created" },
    { .id = "created",
        .title = "Received",
        .text = instantText<&Row::createdAt>,
        .sortKey = instantKey<&Row::createdAt>,
        .instant = Precision::Milliseconds,
        .order = "created",
        .full = instantFull<&Row::createdAt>,
        .field = "created" },
    { .id = "finished",
        .title = "Processed",
        .text = instantText<&Row::finishedAt>,
        .sortKey = instantKey<&Row::finishedAt>,
        .instant = Precision::Milliseconds,
        .full = instantFull<&Row::finishedAt>,
        .field = "finished" },
    { .id = "error", .title = "Error", .text = errorText, .width = 30, .field = "error", .grows = true },
    { .id = "owner",
        .title = "Owner",
        .text = text<&Row::owner>,
        .monospace = true,
        .middleElision = true,
        .width = 14,
        .shown = false,
        .field = "owner" },
    { .id = "lease",
        .title = "Lease",
        .text = leaseText,
        .sortKey = instantKey<&Row::leaseUntil>,
        .alignment = Alignment::Right,
        .width = 14,
        .shown = false,
        .order = "lease",
        .full = instantFull<&Row::leaseUntil>,
        .field = "lease_until" },
    { .id = "hash",
        .title = "Payload hash",
        .text = text<&Row::requestHash>,
        .monospace = true,
        .middleElision = true,
        .width = 16,
        .shown = false },
    { .id = "correlation",
        .title = "Correlation",
        .text = text<&Row::correlationId>,
        .monospace = true,
        .middleElision = true,
        .width = 16,
        .shown = false },
};

constexpr Column<Row> outbox[] = {
    { .id = "state", .title = "State", .text = stateText, .width = 18, .full = stateFull },
    schema,
    { .id = "key",
        .title = "Event",
        .text = keyText,
        .monospace = true,
        .middleElision = true,
        .width = 26,
        .order = "key",
        .grows = true },
    { .id = "operation", .title = "Type", .text = text<&Row::operation>, .width = 20, .field = "operation" },
    { .id = "queue", .title = "Destination", .text = text<&Row::queue>, .width = 26, .field = "queue", .grows = true },
    { .id = "order_key",
        .title = "Order key",
        .text = orderKeyText,
        .monospace = true,
        .middleElision = true,
        .width = 16,
        .field = "order_key" },
    { .id = "attempts",
        .title = "Attempts",
        .text = attemptsText,
        .sortKey = numberKey<&Row::attempts>,
        .alignment = Alignment::Right,
        .width = 9,
        .order = "attempts",
        .field = "attempts" },
    { .id = "age",
        .title = "Age",
        .text = ageText,
        .sortKey = instantKey<&Row::createdAt>,
        .alignment = Alignment::Right,
        .width = 10,
        .full = ageFull,
        .field = "created" },
    { .id = "next_attempt",
        .title = "Next attempt",
        .text = instantText<&Row::nextAttemptAt>,
        .sortKey = instantKey<&Row::nextAttemptAt>,
        .instant = Precision::Milliseconds,
        .full = instantFull<&Row::nextAttemptAt>,
        .field = "next_attempt" },
    { .id = "created",
        .title = "Created",
        .text = instantText<&Row::createdAt>,
        .sortKey = instantKey<&Row::createdAt>,
        .instant = Precision::Milliseconds,
        .order = "created",
        .full = instantFull<&Row::createdAt>,
        .field = "created" },
    { .id = "finished",
        .title = "Sent",
        .text = instantText<&Row::finishedAt>,
        .sortKey = instantKey<&Row::finishedAt>,
        .instant = Precision::Milliseconds,
        .full = instantFull<&Row::finishedAt>,
        .field = "finished" },
    { .id = "scope", .title = "Source", .text = text<&Row::scope>, .width = 16, .shown = false, .field = "scope" },
    { .id = "owner",
        .title = "Relay",
        .text = text<&Row::owner>,
        .monospace = true,
        .middleElision = true,
        .width = 14,
        .shown = false,
        .field = "owner" },
    { .id = "correlation",
        .title = "Correlation",
        .text = text<&Row::correlationId>,
        .monospace = true,
        .middleElision = true,
        .width = 16,
        .shown = false },
};

constexpr Column<Row> letters[] = {
    { .id = "state", .title = "State", .text = stateText, .width = 18, .full = stateFull },
    schema,
    { .id = "key",
        .title = "Event",
        .text = keyText,
        .monospace = true,
        .middleElision = true,
        .width = 24,
        .order = "key" },
    { .id = "verdict", .title = "If replayed", .text = verdictText, .width = 12, .full = verdictFull },
    { .id = "died_as", .title = "Died", .text = diedAsText, .width = 13, .field = "died_as" },
    { .id = "error", .title = "Error", .text = errorText, .width = 34, .field = "error", .grows = true },
    { .id = "scope", .title = "Consumer", .text = text<&Row::scope>, .width = 14, .field = "scope" },
    { .id = "operation", .title = "Type", .text = text<&Row::operation>, .width = 18, .field = "operation" },
    { .id = "version", .title = "Deaths", .text = deathsText, .width = 7, .field = "version" },
    { .id = "age",
        .title = "Age",
        .text = ageText,
        .sortKey = instantKey<&Row::createdAt>,
        .alignment = Alignment::Right,
        .width = 10,
        .full = ageFull,
        .field = "created" },
    { .id = "created",
        .title = "Died at",
        .text = instantText<&Row::createdAt>,
        .sortKey = instantKey<&Row::createdAt>,
        .instant = Precision::Milliseconds,
        .order = "created",
        .full = instantFull<&Row::createdAt>,
        .field = "created" },
    { .id = "finished",
        .title = "Decided",
        .text = instantText<&Row::finishedAt>,
        .sortKey = instantKey<&Row::finishedAt>,
        .instant = Precision::Milliseconds,
        .full = instantFull<&Row::finishedAt>,
        .field = "finished" },
    { .id = "queue", .title = "Destination", .text = text<&Row::queue>, .width = 24, .shown = false, .field = "queue" },
    { .id = "group",
        .title = "Group",
        .text = groupText,
        .monospace = true,
        .middleElision = true,
        .width = 16,
        .shown = false,
        .field = "group" },
    { .id = "order_key",
        .title = "Order key",
        .text = orderKeyText,
        .monospace = true,
        .middleElision = true,
        .width = 14,
        .shown = false,
        .field = "order_key" },
    { .id = "started",
        .title = "First tried",
        .text = instantText<&Row::startedAt>,
        .sortKey = instantKey<&Row::startedAt>,
        .instant = Precision::Milliseconds,
        .shown = false,
        .full = instantFull<&Row::startedAt>,
        .field = "started" },
    { .id = "owner", .title = "Decided by", .text = text<&Row::owner>, .width = 14, .shown = false, .field = "owner" },
    { .id = "correlation",
        .title = "Correlation",
        .text = text<&Row::correlationId>,
        .monospace = true,
        .middleElision = true,
        .width = 16,
        .shown = false },
};

} // namespace

std::span<const Column<Row>> recordColumns() noexcept
{
    return records;
}

std::span<const Column<Row>> inboxColumns() noexcept
{
    return inbox;
}

std::span<const Column<Row>> outboxColumns() noexcept
{
    return outbox;
}

std::span<const Column<Row>> letterColumns() noexcept
{
    return letters;
}

std::span<const Column<Row>> columnsOf(Kind kind) noexcept
{
    switch (kind) {
    case Kind::Inbox:
        return inbox;
    case Kind::Outbox:
        return outbox;
    case Kind::DeadLetter:
        return letters;
    case Kind::Idempotency:
    case Kind::Job:
    case Kind::Lock:
        break;
    }
    return records;
}

QString fileText(const Column<Row>& column, const Row& row, const Display& display)
{
    const std::string_view id = column.id;
    if (id == "attempts")
        return numberText(row.attempts);
    if (id == "lease")
        return display.zone.format(row.leaseUntil, Precision::Microseconds);
    if (!column.instant)
        return column.text(row, display);
    const auto micros = column.sortKey(row);
    return micros.isValid() ? display.zone.format(timeFromMicros(micros.toLongLong()), Precision::Microseconds)
                            : QString();
}

Identity identityOf(const Row& row)
{
    return row.identity;
}

QString holdSentence(const Row& row)
{
    if (!row.hold || !row.holdReason)
        return {};
    const auto* known = knownHold(row);
    return known ? QLatin1String(known->sentence) : visibleText(*row.holdReason);
}

QString stuckSentence(const Row& row, Time now)
{
    if (!row.stuck)
        return {};
    const auto owner = row.owner ? QStringLiteral("Owner ") + visibleText(*row.owner) : QStringLiteral("Its owner");
    if (row.stuckReason == "free" && row.leaseUntil)
        return QStringLiteral("It was taken from its worker ") + durationText(now - *row.leaseUntil)
            + QStringLiteral(" ago and nobody has come for it since: the next same request takes it over.");
    if (row.leaseUntil && *row.leaseUntil <= now)
        return owner + QStringLiteral(" has not renewed its lease, which ended ") + durationText(now - *row.leaseUntil)
            + QStringLiteral(" ago by the database’s clock.");
    if (row.stuckReason == "too_old") {
        const auto since = row.startedAt ? row.startedAt : row.createdAt;
        const auto length =
            since ? QStringLiteral("for ") + durationText(now - *since) + QStringLiteral(", ") : QString();
        return QStringLiteral("No lease says that anybody works on it, and it has been as it is ") + length
            + QStringLiteral("longer than its profile allows.");
    }
    if (row.stuckReason == "dead_owner")
        return owner + QStringLiteral(" is not registered as alive any more.");
    constexpr std::pair<const char*, const char*> reasons[] = {
        { "blocked_by_head", "It waits behind an earlier row of its order, which does not move on." },
        { "orphan", "What it belongs to is gone from the database, so nobody will come for it." },
        { "outbox_not_flushed", "It was handled, but what was to be sent because of it is still in the outbox." },
    };
    for (const auto& [reason, words] : reasons)
        if (row.stuckReason == reason)
            return QString::fromUtf8(words);
    return QStringLiteral("Its profile calls it stuck: “%1”.").arg(visibleText(row.stuckReason));
}

} // namespace fencepost::models

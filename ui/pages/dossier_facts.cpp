// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/dossier_facts.h"

#include <algorithm>
#include <array>

#include <QCoreApplication>

#include "core/inspector.h"
#include "core/operations/operation.h"
#include "models/row_columns.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr std::string_view stuckReasonField = "stuck_reason";

QString factWord(const char* words)
{
    return QCoreApplication::translate("Dossier", words);
}

QString textOr(const std::optional<std::string>& value)
{
    return value ? text(*value) : QString();
}

QString numberOr(const std::optional<std::int64_t>& value)
{
    return value ? numberText(*value) : QString();
}

class Facts {
public:
    Facts(const models::Zone& zone, Time now, std::optional<Kind> kind = {})
        : m_zone(zone)
        , m_now(now)
        , m_kind(kind)
    {
    }

    // Named as the column that shows it in the list of such rows: the scope of an inbox is its consumer.
    void addColumn(std::string_view column, const char* otherwise, const QString& value, bool monospace = false)
    {
        m_lines.push_back({ titleOf(column, otherwise), value, {}, monospace, nullptr });
    }
    void addColumn(std::string_view column, const char* otherwise, const std::optional<Time>& at)
    {
        if (at)
            m_lines.push_back(
                { titleOf(column, otherwise), m_zone.format(at), models::relativeText(*at, m_now), false, nullptr });
    }

    void add(const char* name, const QString& value, bool monospace = false, const char* tone = nullptr)
    {
        m_lines.push_back({ factWord(name), value, {}, monospace, tone });
    }
    void add(const char* name, const std::optional<Time>& at)
    {
        if (at)
            m_lines.push_back({ factWord(name), m_zone.format(at), models::relativeText(*at, m_now), false, nullptr });
    }
    [[nodiscard]] std::vector<FactLine> lines() const { return m_lines; }

private:
    [[nodiscard]] QString titleOf(std::string_view column, const char* otherwise) const
    {
        const auto columns = m_kind ? models::columnsOf(*m_kind) : std::span<const models::Column<Row>>{};
        const auto found =
            std::find_if(columns.begin(), columns.end(), [column](const auto& known) { return column == known.id; });
        return factWord(found == columns.end() ? otherwise : found->title);
    }

    const models::Zone& m_zone;
    Time m_now;
    std::optional<Kind> m_kind;
    std::vector<FactLine> m_lines;
};

// What a table has beside the fields that all have: by its name, where that is not a word of ours.
QString extraName(const std::string& name)
{
    constexpr std::array words{ std::pair(rowDiedAs, "Died as"), std::pair("group", "Failure group"),
        std::pair(rowSchema, "Schema"), std::pair(rowVerdict, "If replayed"), std::pair(rowVerdictReason, "Because"),
        std::pair(rowUnsendable, "Cannot be sent"), std::pair(rowCopyDoubles, "If edited"),
        std::pair(rowOvertakenBy, "Overtaken by"), std::pair(rowBehind, "Waits for"), std::pair(rowLane, "Order key"),
        std::pair(rowDeaths, "Version"), std::pair(rowCallsDone, "Done by vendors"),
        std::pair(rowCallsOpen, "Unknown at vendors"), std::pair(rowCallsUnread, "Sent to vendors") };
    const auto found = std::find_if(words.begin(), words.end(), [&](const auto& word) { return name == word.first; });
    return found == words.end() ? text(name) : factWord(found->second);
}

// "Release for retry, Fail finally".
QString verbsText(const std::string& verbs)
{
    QStringList titles;
    for (const auto& verb : text(verbs).split(u' ', Qt::SkipEmptyParts)) {
        const auto* operation = findOperation(verb.toStdString());
        titles += operation ? QCoreApplication::translate("Operations", operation->title) : verb;
    }
    return titles.isEmpty() ? factWord("nothing as it is now") : titles.join(QStringLiteral(", "));
}

QString attemptsText(const Row& row)
{
    if (!row.attempts)
        return {};
    if (row.maxAttempts.value_or(0) > 0)
        return factWord("%1 of %2").arg(*row.attempts).arg(*row.maxAttempts);
    return numberText(*row.attempts);
}

} // namespace

std::vector<FactLine> factsOf(const Row& row, Kind kind, const models::Zone& zone, Time now)
{
    Facts facts(zone, now, kind);
    facts.addColumn("scope", "Scope", textOr(row.scope));
    facts.addColumn("operation", "Operation", textOr(row.operation));
    facts.addColumn("queue", "Queue", textOr(row.queue));
    facts.addColumn("owner", "Owner", textOr(row.owner), true);
    facts.add("Fence", numberOr(row.fence));
    facts.add("Attempts", attemptsText(row));
    facts.add("Lease until", row.leaseUntil);
    facts.add("Takeover", textOr(row.takeover));
    if (row.rawState != row.state)
        facts.add("Stored state", text(row.rawState));
    facts.add("Held because", models::holdSentence(row), false, "warning");
    facts.add("Error", textOr(row.error), false, "danger");
    facts.add("Response code", row.responseCode ? QString::number(*row.responseCode) : QString());
    // What became of a dead letter is the reason that somebody gave.
    const bool letter = row.extra.contains(rowDiedAs);
    facts.add(letter ? "Decided because" : "Result", textOr(row.resultRef), !letter);
    facts.addColumn("hash", "Request hash", textOr(row.requestHash), true);
    facts.add("Correlation", textOr(row.correlationId), true);
    // A dead letter is there since its message was given up, which was tried first a while before.
    if (letter)
        facts.add("First tried", row.startedAt);
    facts.addColumn("created", "Created", row.createdAt);
    if (!letter)
        facts.add("Started", row.startedAt);
    facts.add("Updated", row.updatedAt);
    facts.add("May run again", row.nextAttemptAt);
    facts.addColumn("finished", "Finished", row.finishedAt);
    facts.add("Expires", row.expiresAt);
    auto lines = facts.lines();
    for (const auto& [name, value] : row.extra)
        if (name == rowActions)
            lines.push_back({ factWord("Its profile allows"), verbsText(value), {}, false, nullptr });
        else if (name != stuckReasonField) // said as a sentence above
            lines.push_back({ extraName(name), text(value), {}, name == "group" || name == "order_key", nullptr });
    return lines;
}

std::vector<FactLine> ownershipFacts(const models::Ownership& known, const models::Zone& zone, Time now)
{
    Facts facts(zone, now);
    facts.add("Assigned to", known.assignee);
    facts.add("Ticket", known.ticket, true);
    facts.add("Tags", known.tags.join(QStringLiteral(", ")));
    if (known.quiet(now)) {
        facts.add("Known issue", factWord("%1 (%2)").arg(known.why, known.by));
        facts.add("Quiet until", known.quietUntil);
    }
    return facts.lines();
}

QString leaseSentence(const Row& row, Time now)
{
    if (!row.leaseUntil || (row.state != wordOf(State::InProgress) && !row.stuck && !row.hold))
        return {};
    const auto left = *row.leaseUntil - now;
    // Whole seconds: a countdown in microseconds cannot be read.
    const auto shown = std::chrono::floor<std::chrono::seconds>(left > Duration::zero() ? left : -left);
    const auto words = models::durationText(shown);
    return left > Duration::zero() ? factWord("Lease ends in %1").arg(words)
                                   : factWord("Lease ended %1 ago by the database's clock").arg(words);
}

QString lastError(const RowDetails& details)
{
    if (details.row.error && !details.row.error->empty())
        return text(*details.row.error);
    if (details.row.hold)
        return factWord("Held: %1").arg(models::holdSentence(details.row));
    return {};
}

Result<std::optional<std::vector<DeliveryAttempt>>> failedDeliveries(const RowDetails& details)
{
    std::optional<std::vector<DeliveryAttempt>> failures;
    for (const auto& payload : details.payloads) {
        if (payload.name != failedDeliveriesName)
            continue;
        auto known = parseAttempts(payload.bytes);
        if (!known)
            return known.error();
        failures = std::move(*known);
    }
    return failures;
}

std::vector<Attempt> attemptsOf(const std::vector<JournalEntry>& journal)
{
    auto ordered = journal;
    std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.seq < b.seq; });
    std::vector<Attempt> attempts;
    for (const auto& entry : ordered) {
        if (entry.event == wordOf(Event::Reserve) && entry.toState == wordOf(State::InProgress)) {
            // Taken over: nothing but the next owner ended it.
            if (!attempts.empty() && !attempts.back().endedAt)
                attempts.back().reason = "taken over";
            attempts.push_back({ .number = entry.attempt,
                .owner = entry.owner,
                .fence = entry.fence,
                .startedAt = entry.at,
                .endedAt = {},
                .endState = entry.toState,
                .reason = {} });
            continue;
        }
        if (attempts.empty() || attempts.back().endedAt || entry.toState == wordOf(State::InProgress)
            || entry.fromState == entry.toState)
            continue;
        attempts.back().endedAt = entry.at;
        attempts.back().endState = entry.toState;
        attempts.back().reason = entry.reason;
    }
    return attempts;
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/copy_as.h"

#include <cstdio>

#include "core/shell_word.h"
#include "models/markdown_cell.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

constexpr CopyFormatEntry formatsToCopy[] = {
    { CopyFormat::Key, "key", "Key" },
    { CopyFormat::Json, "json", "JSON" },
    { CopyFormat::JsonLines, "jsonl", "JSON lines" },
    { CopyFormat::Markdown, "markdown", "Markdown table" },
    { CopyFormat::Where, "where", "SQL condition" },
    { CopyFormat::Command, "command", "fencepostctl command" },
    { CopyFormat::Link, "link", "Link" },
};

std::string jsonText(const std::string& text)
{
    std::string result = "\"";
    for (const char character : visibleText(text).toStdString()) {
        const auto octet = static_cast<unsigned char>(character);
        if (character == '"' || character == '\\')
            result += std::string("\\") + character;
        else if (octet < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", octet);
            result += escape;
        } else
            result += character;
    }
    return result + '"';
}

// The members of one row in a fixed order; what the table does not have is left out.
class Members {
public:
    Members(const Row& row, const CopyRequest& request)
        : m_zone(request.display.zone)
        , m_secrets(request.withSecrets)
    {
        add("key", row.key);
        add("scope", row.scope);
        add("operation", row.operation);
        add("queue", row.queue);
        add("state", row.state);
        if (row.rawState != row.state)
            add("raw_state", row.rawState);
        flag("stuck", row.stuck);
        flag("hold", row.hold);
        add("hold_reason", row.holdReason);
        add("owner", row.owner);
        add("fence", row.fence);
        add("attempts", row.attempts);
        add("max_attempts", row.maxAttempts);
        add("takeover", row.takeover);
        add("request_hash", row.requestHash);
        add("response_code", row.responseCode);
        add("result_ref", row.resultRef);
        add("error", row.error ? std::optional(shown("error", *row.error)) : std::nullopt);
        add("correlation_id", row.correlationId);
        add("lease_until", row.leaseUntil);
        add("created", row.createdAt);
        add("started", row.startedAt);
        add("updated", row.updatedAt);
        add("finished", row.finishedAt);
        add("next_attempt", row.nextAttemptAt);
        add("expires", row.expiresAt);
        flag("conflict", row.conflict);
        for (const auto& [name, value] : row.extra)
            add(name, shown(name, value));
    }
    [[nodiscard]] std::string text(const char* indent, const char* gap) const
    {
        std::string text = "{";
        for (std::size_t i = 0; i < m_members.size(); ++i)
            text += (i == 0 ? "" : ",") + std::string(gap) + indent + m_members[i];
        return text + gap + (*gap == '\n' ? std::string(indent).substr(2) : "") + "}";
    }

private:
    void raw(const std::string& name, const std::string& value) { m_members.push_back(jsonText(name) + ": " + value); }
    void add(const std::string& name, const std::string& value) { raw(name, jsonText(value)); }
    void add(const std::string& name, const std::optional<std::string>& value)
    {
        if (value)
            add(name, *value);
    }
    void add(const std::string& name, const std::optional<std::int64_t>& value)
    {
        if (value)
            raw(name, std::to_string(*value));
    }
    void add(const std::string& name, const std::optional<Time>& value)
    {
        if (value)
            add(name, m_zone.format(*value).toStdString());
    }
    void flag(const std::string& name, bool value)
    {
        if (value)
            raw(name, "true");
    }
    [[nodiscard]] std::string shown(const std::string& name, const std::string& value) const
    {
        if (m_secrets)
            return value;
        if (m_redactor.hides(name))
            return std::string(hiddenMark);
        return m_redactor.text(value).text;
    }

    const Zone& m_zone;
    bool m_secrets;
    Redactor m_redactor;
    std::vector<std::string> m_members;
};

QString json(const CopyRequest& request)
{
    if (request.rows.size() == 1)
        return QString::fromStdString(Members(request.rows.front(), request).text("  ", "\n") + "\n");
    std::string text = "[";
    for (std::size_t i = 0; i < request.rows.size(); ++i)
        text += (i == 0 ? "\n  " : ",\n  ") + Members(request.rows[i], request).text("    ", "\n");
    return QString::fromStdString(text + "\n]\n");
}

QString jsonLines(const CopyRequest& request)
{
    std::string text;
    for (const auto& row : request.rows)
        text += Members(row, request).text("", "") + "\n";
    return QString::fromStdString(text);
}

QString markdown(const CopyRequest& request)
{
    const Redactor redactor;
    QString text = QStringLiteral("|");
    QString rule = QStringLiteral("|");
    for (const auto& column : request.columns) {
        text += QStringLiteral(" %1 |").arg(markdownCell(QString::fromUtf8(column.title)));
        rule += column.alignment == Alignment::Right ? QStringLiteral(" ---: |") : QStringLiteral(" --- |");
    }
    text += QLatin1Char('\n') + rule + QLatin1Char('\n');
    for (const auto& row : request.rows) {
        text += QLatin1Char('|');
        for (const auto& column : request.columns) {
            auto cell = column.text(row, request.display);
            if (!request.withSecrets && qstrcmp(column.id, "error") == 0)
                cell = QString::fromStdString(redactor.text(cell.toStdString()).text);
            text += QStringLiteral(" %1 |").arg(markdownCell(cell));
        }
        text += QLatin1Char('\n');
    }
    return text;
}

std::string sqlName(const std::string& name)
{
    std::string quoted = "\"";
    for (const char character : name)
        quoted += character == '"' ? "\"\"" : std::string(1, character);
    return quoted + '"';
}

std::string sqlText(const std::string& text)
{
    std::string quoted = "'";
    for (const char character : text)
        quoted += character == '\'' ? "''" : std::string(1, character);
    return quoted + '\'';
}

// Octets that are no UTF-8 have no literal that both databases read.
Result<QString> condition(const CopyRequest& request)
{
    const auto& columns = request.binding->identityColumns;
    if (columns.empty())
        return Error{ Failure::Unsupported, "The columns that identify a row of this table are not known.", {} };
    std::string names;
    for (const auto& column : columns)
        names += (names.empty() ? "" : ", ") + sqlName(column);
    std::string values;
    for (const auto& row : request.rows) {
        std::string tuple;
        for (const auto& part : row.identity) {
            if (part.starts_with("\\x") || part.starts_with("\\b"))
                return Error{ Failure::Unsupported, "A selected key is no valid UTF-8 and cannot be written as text.",
                    {} };
            tuple += (tuple.empty() ? "" : ", ") + sqlText(part);
        }
        values += (values.empty() ? "" : ", ") + (columns.size() == 1 ? tuple : "(" + tuple + ")");
    }
    if (columns.size() > 1)
        names = "(" + names + ")";
    return QString::fromStdString("WHERE " + names + " IN (" + values + ")");
}

QString command(const CopyRequest& request)
{
    std::string text;
    for (const auto& row : request.rows) {
        text += "fencepostctl --db " + shellWord(request.databaseUrl) + " keys show --binding "
            + shellWord(request.binding->name);
        text += " -- " + shellWord(row.scope.value_or("")) + ' ' + shellWord(row.operation.value_or("")) + ' '
            + shellWord(row.key) + '\n';
    }
    return QString::fromStdString(text);
}

} // namespace

std::span<const CopyFormatEntry> copyFormats() noexcept
{
    return formatsToCopy;
}

Result<QString> copyAs(CopyFormat format, const CopyRequest& request)
{
    if (request.rows.empty())
        return Error{ Failure::Invalid, "Nothing is selected.", {} };
    QString text;
    switch (format) {
    case CopyFormat::Key:
        for (const auto& row : request.rows)
            text += (text.isEmpty() ? QString() : QStringLiteral("\n")) + visibleText(row.key);
        return text;
    case CopyFormat::Json:
        return json(request);
    case CopyFormat::JsonLines:
        return jsonLines(request);
    case CopyFormat::Markdown:
        return markdown(request);
    case CopyFormat::Where:
        return condition(request);
    case CopyFormat::Command:
        return command(request);
    case CopyFormat::Link:
        if (!request.link)
            return Error{ Failure::Unsupported, "There is no link to such a row.", {} };
        for (const auto& row : request.rows)
            text += request.link(row) + QLatin1Char('\n');
        return text;
    }
    return text;
}

} // namespace fencepost::models

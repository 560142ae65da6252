// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/row_export.h"

#include <algorithm>

#include "core/exchange/csv.h"
#include "models/markdown_cell.h"
#include "models/row_columns.h"
#include "models/row_json.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

constexpr int exportedPage = 1'000;

constexpr ExportFormatEntry exported[] = {
    { ExportFormat::Csv, "csv", "CSV, safe for spreadsheets", "csv" },
    { ExportFormat::JsonLines, "jsonl", "JSON lines", "jsonl" },
    { ExportFormat::Markdown, "md", "Markdown table", "md" },
};

QString identityText(const Row& row, const Display&)
{
    QString text;
    for (const auto& part : row.identity)
        text += (text.isEmpty() ? QString() : QStringLiteral(" · ")) + visibleText(part);
    return text;
}

// What the grid has no column for: there the row itself is at hand.
constexpr Column<Row> identityColumn = { .id = "identity", .title = "Identity", .text = identityText };

bool isInTable(const Column<Row>& column, const Binding& binding)
{
    const auto& fields = binding.fields;
    return column.field == nullptr || std::find(fields.begin(), fields.end(), column.field) != fields.end();
}

std::vector<Column<Row>> allColumns(Kind kind)
{
    std::vector<Column<Row>> columns = { identityColumn };
    for (const auto& column : columnsOf(kind))
        columns.push_back(column);
    return columns;
}

// An age is over as soon as it is written: it is there for whoever asks for it.
std::vector<Column<Row>> usualColumns(const Binding& binding)
{
    auto columns = allColumns(binding.kind);
    std::erase_if(columns, [&](const Column<Row>& column) {
        const bool repeated =
            std::string_view(column.id) == "identity" && binding.kind == Kind::Idempotency && binding.native;
        return repeated || std::string_view(column.id) == "age" || !isInTable(column, binding);
    });
    return columns;
}

Result<std::vector<Column<Row>>> chosenColumns(const ExportRequest& request)
{
    if (request.columns.empty())
        return usualColumns(request.binding);
    const auto all = allColumns(request.binding.kind);
    std::vector<Column<Row>> columns;
    for (const auto& id : request.columns) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& column) { return id == column.id; });
        if (found == all.end()) {
            std::string known;
            for (const auto& column : all)
                known += (known.empty() ? "" : ", ") + std::string(column.id);
            return invalid("There is no column \"" + id + "\"", "There are: " + known);
        }
        columns.push_back(*found);
    }
    return columns;
}

class JsonLinesExport final : public RowExport {
public:
    explicit JsonLinesExport(ExportRequest request)
        : RowExport(std::move(request))
    {
    }

private:
    [[nodiscard]] std::string head() const override { return {}; }
    [[nodiscard]] std::string line(const Row& row, const Cursor& cursor, Time) const override
    {
        auto object = withoutCredentialsInside(rowJson(withoutSecrets(row, m_redactor)));
        if (!request().binding.warnings.empty())
            object["warnings"] = request().binding.warnings;
        object["cursor"] = formatCursor(cursor);
        return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    }

    Redactor m_redactor;
};

class TableExport : public RowExport {
public:
    TableExport(ExportRequest request, std::vector<Column<Row>> columns)
        : RowExport(std::move(request))
        , m_columns(std::move(columns))
    {
    }

protected:
    [[nodiscard]] const std::vector<Column<Row>>& columns() const { return m_columns; }
    [[nodiscard]] std::vector<QString> cells(const Row& row, Time now) const
    {
        const auto shown = withoutSecrets(row, m_redactor);
        const Display display{ request().zone, now };
        std::vector<QString> cells;
        for (const auto& column : m_columns)
            cells.push_back(fileText(column, shown, display));
        return cells;
    }

private:
    std::vector<Column<Row>> m_columns;
    Redactor m_redactor;
};

class CsvExport final : public TableExport {
public:
    using TableExport::TableExport;

private:
    [[nodiscard]] std::string head() const override
    {
        std::vector<std::string> ids;
        for (const auto& column : columns())
            ids.emplace_back(column.id);
        return lineOf(ids);
    }
    [[nodiscard]] std::string line(const Row& row, const Cursor&, Time now) const override
    {
        std::vector<std::string> texts;
        for (const auto& cell : cells(row, now))
            texts.push_back(cell.toStdString());
        return lineOf(texts);
    }
    // RFC 4180 ends a line with both.
    [[nodiscard]] static std::string lineOf(const std::vector<std::string>& texts)
    {
        auto line = exchange::csvLine(texts, exchange::CsvStyle::SpreadsheetSafe);
        line.back() = '\r';
        return line + '\n';
    }
};

class MarkdownExport final : public TableExport {
public:
    using TableExport::TableExport;

private:
    [[nodiscard]] std::string head() const override
    {
        QString titles = QStringLiteral("|");
        QString rule = QStringLiteral("|");
        for (const auto& column : columns()) {
            titles += QStringLiteral(" %1 |").arg(markdownCell(QString::fromUtf8(column.title)));
            rule += column.alignment == Alignment::Right ? QStringLiteral(" ---: |") : QStringLiteral(" --- |");
        }
        return (titles + QLatin1Char('\n') + rule + QLatin1Char('\n')).toStdString();
    }
    [[nodiscard]] std::string line(const Row& row, const Cursor&, Time now) const override
    {
        QString text = QStringLiteral("|");
        for (const auto& cell : cells(row, now))
            text += QLatin1Char(' ') + markdownCell(cell) + QStringLiteral(" |");
        return (text + QLatin1Char('\n')).toStdString();
    }
};

} // namespace

std::span<const ExportFormatEntry> exportFormats() noexcept
{
    return exported;
}

Result<std::unique_ptr<RowExport>> RowExport::create(ExportRequest request)
{
    const auto& orders = request.binding.orders;
    if (!request.order.empty() && std::find(orders.begin(), orders.end(), request.order) == orders.end()) {
        std::string known;
        for (const auto& order : orders)
            known += (known.empty() ? "" : ", ") + order;
        return invalid("This table is not ordered by \"" + request.order + "\": it has no index for it",
            "It can be ordered by: " + known);
    }
    if (request.format == ExportFormat::JsonLines) {
        if (!request.columns.empty())
            return invalid("JSON lines have all members of a row: columns are chosen for CSV and Markdown");
        return std::unique_ptr<RowExport>(new JsonLinesExport(std::move(request)));
    }
    auto columns = chosenColumns(request);
    if (!columns)
        return columns.error();
    if (request.format == ExportFormat::Csv)
        return std::unique_ptr<RowExport>(new CsvExport(std::move(request), std::move(*columns)));
    return std::unique_ptr<RowExport>(new MarkdownExport(std::move(request), std::move(*columns)));
}

RowExport::RowExport(ExportRequest request)
    : m_request(std::move(request))
{
    m_page.filter = m_request.filter;
    m_page.order = m_request.order;
    m_page.descending = m_request.descending;
    m_page.limit = exportedPage;
}

RowExport::~RowExport() = default;

Result<std::string> RowExport::next(Inspector& inspector)
{
    const auto page = inspector.page(m_request.binding, m_page);
    if (!page)
        return page.error();
    std::string text;
    if (!m_started) {
        m_began = page->now;
        text = head();
        m_started = true;
    }
    m_ended = page->now;
    for (std::size_t i = 0; i < page->rows.size(); ++i)
        text += line(page->rows[i], page->cursors[i], m_began);
    m_rows += static_cast<std::int64_t>(page->rows.size());
    m_done = !page->moreAfter || page->cursors.empty();
    if (!m_done)
        m_page.after = page->cursors.back();
    return text;
}

} // namespace fencepost::models

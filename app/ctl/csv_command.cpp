// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/files.h"
#include "core/exchange/playbook_csv.h"

namespace fencepost::app {

namespace {

using namespace exchange;

struct CsvOptions {
    std::string file;
    std::string format;
    bool spreadsheet = false;
};

json toJson(const RetryLogRow& row)
{
    return { { "attempt", row.attempt }, { "delay_ms", row.delayMs }, { "status", row.status },
        { "code", orNull(row.code) }, { "notes", row.notes } };
}

json toJson(const ReplayRow& row)
{
    return { { "key", row.key }, { "payload_hash", row.payloadHash }, { "status", wordOf(row.status) },
        { "http_code", orNull(row.httpCode) }, { "result_id", orNull(row.resultId) }, { "notes", row.notes } };
}

json toJson(const InboxRow& row)
{
    return { { "event_id", row.eventId }, { "source", row.source }, { "first_seen", formatInstant(row.firstSeen) },
        { "processed", orNull(row.processed) },
        { "result", row.result ? json(std::string(wordOf(*row.result))) : json() } };
}

// What a file of one format says: row by row, and all of it as the playbook writes it.
struct Rows {
    std::vector<json> objects;
    std::string csv;
};

template <typename Row>
Result<Rows> rowsOf(std::string_view text, CsvStyle style, Result<std::vector<Row>> (*read)(std::string_view),
    std::string (*write)(std::span<const Row>, CsvStyle))
{
    const auto rows = read(text);
    if (!rows)
        return rows.error();
    Rows out;
    for (const auto& row : *rows)
        out.objects.push_back(toJson(row));
    out.csv = write(*rows, style);
    return out;
}

struct Format {
    const char* name;
    Result<Rows> (*read)(std::string_view text, CsvStyle style);
};

constexpr Format formats[] = {
    { "retry-log",
        [](std::string_view text, CsvStyle style) { return rowsOf(text, style, readRetryLog, writeRetryLog); } },
    { "replay",
        [](std::string_view text, CsvStyle style) {
            return rowsOf(text, style, readReplayOutcomes, writeReplayOutcomes);
        } },
    { "inbox", [](std::string_view text, CsvStyle style) { return rowsOf(text, style, readInbox, writeInbox); } },
};

Result<Rows> readRows(const CsvOptions& options)
{
    const auto text = options.file == "-" ? readStandardInput() : readFile(options.file);
    if (!text)
        return text.error();
    for (const auto& format : formats)
        if (options.format == format.name) {
            auto rows = format.read(*text, options.spreadsheet ? CsvStyle::SpreadsheetSafe : CsvStyle::Exact);
            if (rows)
                return rows;
            auto error = rows.error();
            error.message = options.file + ": " + error.message;
            return error;
        }
    return invalid("There is no format " + options.format);
}

int check(Context& context, const CsvOptions& options)
{
    const auto rows = readRows(options);
    if (!rows)
        return context.rejectInput(rows.error());
    const auto count = rows->objects.size();
    if (context.out.isJson())
        context.out.object({ { "file", options.file }, { "format", options.format }, { "rows", count } });
    else
        context.out.line(printable(options.file) + " has " + std::to_string(count) + (count == 1 ? " row" : " rows")
            + " of the format " + options.format);
    return Exit::Done;
}

int show(Context& context, const CsvOptions& options)
{
    const auto rows = readRows(options);
    if (!rows)
        return context.rejectInput(rows.error());
    if (!context.out.isJson()) {
        context.out.octets(rows->csv);
        return Exit::Done;
    }
    for (const auto& object : rows->objects)
        context.out.object(object);
    return Exit::Done;
}

void declare(CLI::App& command, CsvOptions& options)
{
    command.add_option("file", options.file, "The file; - is standard input")->required();
    std::vector<std::string> names;
    for (const auto& format : formats)
        names.emplace_back(format.name);
    command.add_option("--format", options.format, "Which of the playbook's three formats")
        ->required()
        ->check(CLI::IsMember(names));
}

} // namespace

void addCsvCommands(CLI::App& app, Context& context)
{
    auto* csv = app.add_subcommand("csv", "Read the playbook's CSV files: retry logs, replay outcomes, inboxes");
    csv->require_subcommand(1);
    addCommand<CsvOptions>(
        *csv, context, "check", "Say whether a file has the format, or where it has not", declare, check);
    addCommand<CsvOptions>(
        *csv, context, "show", "Print the rows as the playbook writes them, with --json as objects",
        [](CLI::App& command, CsvOptions& options) {
            declare(command, options);
            command.add_flag("--spreadsheet-safe", options.spreadsheet,
                "Without --json: what a spreadsheet would take for a formula gets an apostrophe in front");
        },
        show);
}

} // namespace fencepost::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/table_access.h"
#include "core/ids.h"
#include "core/store/same_file.h"
#include "models/export_file.h"
#include "models/row_export.h"

namespace fencepost::app {

namespace {

struct ExportOptions {
    std::string format;
    std::string filter;
    std::string order;
    bool ascending = false;
    std::string file;
    bool force = false;
    std::vector<std::string> columns;
    std::string kind;
};

constexpr auto description =
    "Every row that matches, one line each, read page by page: a table of any size needs the memory of one page.\n"
    "csv: RFC 4180 with a header line. A cell that a spreadsheet would take for a formula (it begins with = + - @, a "
    "tab or a line break, also behind blanks) has an apostrophe in front. jsonl: the members of keys list --json. md: "
    "a table, in which what would end a cell or become a link is escaped.\n"
    "Instants are in UTC. Passwords, tokens, card numbers and addresses in errors are hidden as the console hides "
    "them, and so are the credentials of URLs.\n"
    "With --out the file is written as FILE.part, flushed to the disk and renamed at the end: FILE is whole or not "
    "there.";

// "keys" is how the command line calls them.
std::optional<Kind> kindNamed(const std::string& word)
{
    return word == "keys" ? Kind::Idempotency : kindOf(word);
}

// Without --kind it is that of the table that --binding names.
Result<Kind> kindOfTable(Context& context, const ExportOptions& options)
{
    if (const auto kind = kindNamed(options.kind))
        return *kind;
    const auto& name = context.options.binding;
    if (name.empty())
        return Kind::Idempotency;
    auto backend = context.open(store::Access::ReadOnly);
    if (!backend)
        return backend.error();
    const auto all = (*backend)->inspector().bindings();
    if (!all)
        return all.error();
    for (const auto& one : *all)
        if (one.name == name || one.schema + '.' + one.table == name || one.table == name)
            return one.kind;
    return Kind::Idempotency;
}

models::ExportFormat formatNamed(const std::string& id)
{
    for (const auto& entry : models::exportFormats())
        if (id == entry.id)
            return entry.format;
    return models::ExportFormat::Csv;
}

// --force is meant for an earlier export.
Status checkApart(const Context& context, const std::string& file)
{
    const auto target = context.target();
    if (target && store::isFileOf(*target, file))
        return invalid("The file " + file + " is the database itself: it is not replaced", "Choose another name");
    return {};
}

class Exporting {
public:
    Exporting(Context& context, const ExportOptions& options)
        : m_context(context)
        , m_options(options)
    {
    }

    int run()
    {
        const auto filter = parseFilter(m_options.filter);
        if (!filter)
            return m_context.usage(filter.error());
        if (!m_options.file.empty())
            if (const auto apart = checkApart(m_context, m_options.file); !apart)
                return m_context.usage(apart.error());
        const auto kind = kindOfTable(m_context, m_options);
        if (!kind)
            return m_context.fail(kind.error());
        auto table = openTable(m_context, *kind);
        if (!table)
            return m_context.fail(table.error());
        m_name = table->binding.name;
        auto rows = models::RowExport::create({ .binding = table->binding,
            .filter = *filter,
            .order = m_options.order,
            .descending = !m_options.ascending,
            .format = formatNamed(m_options.format),
            .columns = m_options.columns });
        if (!rows)
            return m_context.usage(rows.error());
        return m_options.file.empty() ? toOutput(*table->inspector, **rows) : toFile(*table->inspector, **rows);
    }

private:
    int toOutput(Inspector& inspector, models::RowExport& rows)
    {
        while (!rows.isDone() && !m_context.out.isClosed()) {
            const auto text = rows.next(inspector);
            if (!text)
                return m_context.rejectInput(text.error());
            m_context.out.octets(*text);
            m_context.out.flush();
        }
        if (!m_context.out.isClosed())
            m_context.out.note(summary(rows));
        return Exit::Done;
    }

    int toFile(Inspector& inspector, models::RowExport& rows)
    {
        using Existing = models::ExportFile::Existing;
        auto first = rows.next(inspector);
        if (!first)
            return m_context.rejectInput(first.error());
        auto file = models::ExportFile::create(m_options.file, m_options.force ? Existing::Replace : Existing::Refuse);
        if (!file)
            return m_context.usage(withForce(file.error()));
        m_context.out.answerStop({ Failure::Cancelled,
            "The export was stopped: " + m_options.file + " was not written, what came so far is in "
                + (*file)->partPath(),
            {}, {}, "Export again" });
        auto written = (*file)->write(*first);
        while (written && !rows.isDone()) {
            const auto text = rows.next(inspector);
            written = text ? (*file)->write(*text) : Status(text.error());
        }
        if (written)
            written = (*file)->commit();
        if (!written)
            return m_context.fail(notWritten(written.error()));
        m_context.nothingChangedYet();
        if (m_context.out.isJson())
            m_context.out.object({ { "binding", m_name }, { "file", m_options.file }, { "format", m_options.format },
                { "rows", rows.rows() }, { "began_at", formatInstant(rows.began()) },
                { "ended_at", formatInstant(rows.ended()) } });
        m_context.out.note(summary(rows) + " Written to " + m_options.file + '.');
        return Exit::Done;
    }

    static Error withForce(Error error)
    {
        if (error.failure == Failure::Conflict)
            error.next = "Choose another name, or replace it with --force";
        return error;
    }

    [[nodiscard]] Error notWritten(Error error) const
    {
        if (error.message.find(m_options.file) == std::string::npos)
            error.message = "The export was not finished and " + m_options.file + " was not written: " + error.message;
        return error;
    }

    [[nodiscard]] std::string summary(const models::RowExport& rows) const
    {
        std::string text = "Exported " + std::to_string(rows.rows()) + (rows.rows() == 1 ? " row" : " rows") + " of "
            + m_name + ", read between " + formatInstant(rows.began()) + " and " + formatInstant(rows.ended())
            + " by the database's clock. A row that changed meanwhile may be there in either state";
        const bool moves = m_options.order == "lease" || m_options.order == "expires";
        return text + (moves ? ", and one that got another place in this order twice or not at all." : ".");
    }

    Context& m_context;
    const ExportOptions& m_options;
    std::string m_name; // of the table
};

void declare(CLI::App& command, ExportOptions& options)
{
    std::vector<std::string> formats;
    for (const auto& entry : models::exportFormats())
        formats.emplace_back(entry.id);
    command.add_option("--format", options.format, "csv, jsonl or md")->required()->check(CLI::IsMember(formats));
    command.add_option("--filter", options.filter, "Only these; see the filter language in the README");
    command.add_option("--order", options.order, "created (default), expires, lease, key: columns with an index");
    command.add_flag("--ascending", options.ascending, "Smallest first");
    command.add_option("--out", options.file, "The file; else standard output");
    command.add_flag("--force", options.force, "Replace the file where it is there");
    command
        .add_option("--columns", options.columns, "Of csv and md: key,state,… in the order in which they are wanted")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--kind", options.kind, "keys (default), inbox, outbox or dlq; else that of --binding")
        ->check(CLI::IsMember({ "keys", "inbox", "outbox", "dlq" }));
    command.footer(description);
}

} // namespace

void addExportCommand(CLI::App& app, Context& context)
{
    addCommand<ExportOptions>(app, context, "export", "All rows that match, as CSV, JSON lines or Markdown", declare,
        [](Context& exporting, const ExportOptions& options) { return Exporting(exporting, options).run(); });
}

} // namespace fencepost::app

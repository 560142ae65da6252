// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include "app/ctl/commands.h"
#include "app/ctl/files.h"
#include "app/ctl/forensics.h"
#include "app/ctl/interrupt.h"
#include "core/clock.h"
#include "core/store/log_files.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

struct ImportOptions {
    std::vector<std::string> files;
    std::string into;
    std::string at;
    std::string rules;
    bool force = false;
};

// On one line of a terminal, again and again.
class ImportLine {
public:
    void show(const ImportProgress& progress)
    {
        constexpr std::int64_t step = 20000;
        if (!m_terminal || progress.lines - m_shown < step)
            return;
        m_shown = progress.lines;
        std::fprintf(stderr, "\r%lld lines read", static_cast<long long>(m_shown));
    }
    ~ImportLine()
    {
        if (m_shown > 0)
            std::fputs("\r\033[K", stderr);
    }

private:
    bool m_terminal = ::isatty(STDERR_FILENO) == 1;
    std::int64_t m_shown = 0;
};

Result<ImportRequest> requestOf(Context& context, const ImportOptions& options)
{
    ImportRequest request;
    request.files = options.files;
    request.path = options.into;
    request.replace = options.force;
    request.actor = models::actorName();
    request.program = "fencepostctl " FENCEPOST_VERSION;
    request.now = SystemClock().now();
    if (!options.at.empty()) {
        const auto at = instantOf(context, "--at", options.at);
        if (!at || *at < Time())
            return at ? invalid("--at is an instant from 1970 on") : at.error();
        request.at = *at;
    }
    auto rules = readRules(options.rules);
    if (!rules)
        return rules.error();
    request.rules = std::move(*rules);
    return request;
}

void tellLeftOut(Context& context, const ImportOutcome& outcome)
{
    for (const auto& line : outcome.leftOut)
        context.out.note(
            "left out: " + printable(line.file) + " line " + std::to_string(line.line) + ": " + printable(line.reason));
}

void tell(Context& context, const ImportOptions& options, const ImportOutcome& outcome)
{
    const auto& manifest = *outcome.manifest;
    if (context.out.isJson()) {
        auto object = json::parse(textOf(manifest));
        object["path"] = options.into;
        object["seal"] = sealOf(textOf(manifest));
        object["left_out"] = json::array();
        for (const auto& line : outcome.leftOut)
            object["left_out"].push_back({ { "file", line.file }, { "line", line.line }, { "reason", line.reason } });
        context.out.object(object);
        return;
    }
    Table table(context.out, { "FILE", "FORMAT", "LINES", "LEFT OUT", "REPEATED" });
    for (const auto& file : manifest.imported)
        table.add({ printable(file.name), file.format, std::to_string(file.lines), std::to_string(file.leftOut),
            std::to_string(file.repeated) });
    table.show();
    std::string held;
    for (const auto& [name, word] : { std::pair("idempotency_records", "key"), std::pair("inbox_messages", "event") })
        for (const auto& entry : manifest.tables)
            if (entry.name == name && (entry.rows > 0 || held.empty()))
                held +=
                    (held.empty() ? "" : ", ") + std::to_string(entry.rows) + ' ' + word + (entry.rows == 1 ? "" : "s");
    context.out.line(printable(options.into) + ": " + held + ", redacted by the rules \"" + printable(manifest.rules)
        + "\", sealed; read it with --db sqlite:" + printable(options.into));
}

int import(Context& context, const ImportOptions& options)
{
    // The file is removed by whoever writes it, so a signal only asks.
    const Interrupt interrupt;
    auto request = requestOf(context, options);
    if (!request)
        return context.rejectInput(request.error());
    std::optional<ImportLine> line(std::in_place);
    request->stopped = [&interrupt] { return interrupt.wasAsked(); };
    request->progress = [&line](const ImportProgress& progress) { line->show(progress); };
    const auto outcome = store::importLogs(*request, context.random);
    line.reset();
    tellLeftOut(context, outcome);
    if (!outcome.manifest)
        return context.rejectInput(outcome.manifest.error());
    for (const auto& warning : outcome.manifest->warnings)
        context.out.note("note: " + printable(warning));
    tell(context, options, outcome);
    return Exit::Done;
}

} // namespace

void addImportCommand(CLI::App& app, Context& context)
{
    addCommand<ImportOptions>(
        app, context, "import",
        "Make a file that every reading command opens of logs, where there is no journal to read: JSON lines, and the "
        "playbook's CSV files (retry log, replay outcomes, inbox), each known by its first line",
        [](CLI::App& command, ImportOptions& options) {
            command
                .add_option("FILE", options.files,
                    "The logs, of one kind or of several, which become one history; - is standard input")
                ->required();
            command.add_option("--into", options.into, "The file to make; it is read with --db sqlite:OUT")->required();
            command.add_option("--at", options.at,
                "The time of files whose lines tell none, retry logs and replay outcomes: where their last line "
                "stands. Else it is when each was last changed");
            command.add_option("--redact", options.rules, "JSON file of rules, as those of a snapshot");
            command.add_flag("--force", options.force, "Replace the file where there is one");
        },
        import);
}

} // namespace fencepost::app

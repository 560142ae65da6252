// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include <unistd.h>

#include <QFile>

#include "app/ctl/commands.h"
#include "app/ctl/files.h"
#include "app/ctl/interrupt.h"
#include "core/clock.h"
#include "core/store/log_import.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

struct ImportOptions {
    std::vector<std::string> files;
    std::string into;
    std::string rules;
    bool force = false;
};

Result<store::LogImportRequest> requestOf(const ImportOptions& options, const Interrupt& interrupt)
{
    store::LogImportRequest request;
    request.path = options.into;
    request.replace = options.force;
    request.actor = models::actorName();
    request.program = "fencepostctl " FENCEPOST_VERSION;
    request.now = SystemClock().now();
    request.stopped = [&interrupt] { return interrupt.wasAsked(); };
    if (options.rules.empty())
        return request;
    const auto text = readFile(options.rules);
    if (!text)
        return text.error();
    auto rules = parseRedactionRules(*text, options.rules);
    if (!rules)
        return rules.error();
    request.rules = std::move(*rules);
    return request;
}

// On one line of a terminal, again and again.
class ImportProgress {
public:
    void show(const store::LogImport& import)
    {
        constexpr std::int64_t step = 20000;
        if (!m_terminal || import.linesRead() - m_shown < step)
            return;
        m_shown = import.linesRead();
        std::fprintf(stderr, "\r%lld lines read", static_cast<long long>(m_shown));
    }
    ~ImportProgress()
    {
        if (m_shown > 0)
            std::fputs("\r\033[K", stderr);
    }

private:
    bool m_terminal = ::isatty(STDERR_FILENO) == 1;
    std::int64_t m_shown = 0;
};

Status readInto(store::LogImport& import, const std::string& path, ImportProgress& progress)
{
    QFile file(QString::fromStdString(path));
    const bool opened = path == "-" ? file.open(stdin, QIODevice::ReadOnly) : file.open(QIODevice::ReadOnly);
    if (!opened)
        return Error{ Failure::Invalid, "Cannot read " + path, file.errorString().toStdString(), {},
            "Nothing was written: name a file that is there and may be read" };
    import.beginFile(path);
    std::array<char, 65536> piece{};
    for (;;) {
        const auto length = file.read(piece.data(), static_cast<qint64>(piece.size()));
        if (length < 0)
            return Error{ Failure::Unavailable, "Cannot read " + path, file.errorString().toStdString() };
        if (length == 0)
            return import.endFile();
        if (const auto added = import.add({ piece.data(), static_cast<std::size_t>(length) }); !added)
            return added;
        progress.show(import);
    }
}

void tellLeftOut(Context& context, const store::LogImport& import)
{
    for (const auto& line : import.leftOut())
        context.out.note(
            "left out: " + printable(line.file) + " line " + std::to_string(line.line) + ": " + printable(line.reason));
}

void tell(
    Context& context, const ImportOptions& options, const store::LogImport& import, const SnapshotManifest& manifest)
{
    if (context.out.isJson()) {
        auto object = json::parse(textOf(manifest));
        object["path"] = options.into;
        object["seal"] = sealOf(textOf(manifest));
        object["left_out"] = json::array();
        for (const auto& line : import.leftOut())
            object["left_out"].push_back({ { "file", line.file }, { "line", line.line }, { "reason", line.reason } });
        context.out.object(object);
        return;
    }
    Table table(context.out, { "FILE", "LINES", "LEFT OUT", "REPEATED" });
    for (const auto& file : manifest.imported)
        table.add({ printable(file.name), std::to_string(file.lines), std::to_string(file.leftOut),
            std::to_string(file.repeated) });
    table.show();
    std::int64_t keys = 0;
    for (const auto& entry : manifest.tables)
        keys += entry.name == "idempotency_records" ? entry.rows : 0;
    context.out.line(printable(options.into) + ": " + std::to_string(keys) + " keys, redacted by the rules \""
        + printable(manifest.rules) + "\", sealed; read it with --db sqlite:" + printable(options.into));
}

int import(Context& context, const ImportOptions& options)
{
    // The file is removed by whoever writes it, so a signal only asks.
    const Interrupt interrupt;
    auto request = requestOf(options, interrupt);
    if (!request)
        return context.rejectInput(request.error());
    for (const auto& file : options.files)
        if (isSameFile(file, options.into))
            return context.usage("A log cannot be written over by what is made of it: " + printable(file));
    const auto made = store::LogImport::create(std::move(*request));
    if (!made)
        return context.rejectInput(made.error());
    {
        ImportProgress progress;
        for (const auto& file : options.files)
            if (const auto read = readInto(**made, file, progress); !read)
                return context.rejectInput(read.error());
    }
    const auto manifest = (*made)->finish(context.random);
    tellLeftOut(context, **made);
    if (!manifest)
        return context.rejectInput(manifest.error());
    for (const auto& warning : manifest->warnings)
        context.out.note("note: " + printable(warning));
    tell(context, options, **made, *manifest);
    return Exit::Done;
}

} // namespace

void addImportCommand(CLI::App& app, Context& context)
{
    addCommand<ImportOptions>(
        app, context, "import",
        "Make a file that every reading command opens of JSON-lines logs, where there is no journal to read",
        [](CLI::App& command, ImportOptions& options) {
            command.add_option("FILE", options.files, "The logs, which are merged; - is standard input")->required();
            command.add_option("--into", options.into, "The file to make; it is read with --db sqlite:OUT")->required();
            command.add_option("--redact", options.rules, "JSON file of rules, as those of a snapshot");
            command.add_flag("--force", options.force, "Replace the file where there is one");
        },
        import);
}

} // namespace fencepost::app

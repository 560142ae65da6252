// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include "app/ctl/commands.h"
#include "app/ctl/files.h"
#include "app/ctl/interrupt.h"
#include "core/copier.h"
#include "core/store/snapshot.h"
#include "core/store/snapshot_diff.h"
#include "core/store/snapshot_seal.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

struct TakeOptions {
    std::string path;
    std::string filter;
    std::string rules;
    bool force = false;
};

struct VerifyOptions {
    std::string path;
};

struct DiffOptions {
    std::string first;
    std::string second;
};

json toJson(const SnapshotManifest& manifest)
{
    return json::parse(textOf(manifest));
}

Result<SnapshotRequest> requestOf(const TakeOptions& options)
{
    SnapshotRequest request;
    request.path = options.path;
    request.replace = options.force;
    request.filterText = options.filter;
    request.actor = models::actorName();
    request.program = "fencepostctl " FENCEPOST_VERSION;
    if (!options.filter.empty()) {
        auto filter = parseFilter(options.filter);
        if (!filter)
            return filter.error();
        request.filter = *filter;
    }
    auto rules = readRules(options.rules);
    if (!rules)
        return rules.error();
    request.rules = std::move(*rules);
    return request;
}

void tell(Context& context, const std::string& path, const SnapshotManifest& manifest)
{
    if (context.out.isJson()) {
        auto object = toJson(manifest);
        object["path"] = path;
        object["seal"] = sealOf(textOf(manifest));
        context.out.object(object);
        return;
    }
    std::int64_t rows = 0;
    Table table(context.out, { "TABLE", "ROWS" });
    for (const auto& entry : manifest.tables) {
        rows += entry.rows;
        if (entry.rows > 0)
            table.add({ printable(entry.name), std::to_string(entry.rows) });
    }
    table.show();
    context.out.line(printable(path) + ": " + std::to_string(rows) + " rows of " + printable(manifest.location)
        + " as of " + formatInstant(manifest.takenAt) + ", redacted by the rules \"" + printable(manifest.rules)
        + "\", sealed");
}

int take(Context& context, const TakeOptions& options)
{
    if (options.path.empty())
        return context.usage("Say where to write the snapshot: fencepostctl snapshot OUT");
    auto request = requestOf(options);
    if (!request)
        return context.rejectInput(request.error());
    auto backend = context.open(store::Access::ReadOnly);
    if (!backend)
        return context.fail(backend.error());
    auto* copier = (*backend)->inspector().copier();
    if (copier == nullptr)
        return context.fail({ Failure::Unsupported, "This database gives no copy of its tables away", {} });
    if (!context.options.binding.empty()) {
        if (!request->filter)
            return context.usage("--binding says which table --filter is for: without a filter all of them are copied");
        request->binding = context.options.binding;
    }
    // The file is removed by whoever writes it, so a signal only asks.
    const Interrupt interrupt;
    request->stopped = [&interrupt] { return interrupt.wasAsked(); };
    const auto manifest = store::takeSnapshot(*copier, *request, context.random);
    if (!manifest)
        return context.rejectInput(manifest.error());
    for (const auto& warning : manifest->warnings)
        context.out.note("warning: " + printable(warning));
    tell(context, options.path, *manifest);
    return Exit::Done;
}

int verify(Context& context, const VerifyOptions& options)
{
    store::Target target;
    target.path = options.path;
    auto connection =
        store::Connection::open(target, { .access = store::Access::ReadOnly, .statementTimeout = Duration(0) });
    if (!connection)
        return context.fail(connection.error());
    const auto verdict = store::verifySnapshot(**connection);
    if (!verdict)
        return context.fail(verdict.error());
    const auto manifest = store::manifestOf(**connection);
    if (context.out.isJson()) {
        json object = { { "sealed", verdict->sealed }, { "table", verdict->table }, { "reason", verdict->reason } };
        if (manifest && *manifest)
            object["manifest"] = toJson(**manifest);
        context.out.object(object);
    } else if (verdict->sealed && manifest && *manifest) {
        context.out.line("sealed: nothing was changed since " + formatInstant((*manifest)->takenAt)
            + ", when it was taken of " + printable((*manifest)->location));
    } else {
        context.out.line("CHANGED: " + printable(verdict->reason));
    }
    return verdict->sealed ? Exit::Done : Exit::Refused;
}

std::string keyText(const SnapshotDifference& difference)
{
    std::string text;
    for (const auto& [column, value] : difference.key)
        text += (text.empty() ? "" : " ") + (value.empty() ? std::string("-") : printable(value));
    return text;
}

void tell(Context& context, const SnapshotDifference& difference)
{
    if (context.out.isJson()) {
        json key = json::object();
        for (const auto& [column, value] : difference.key)
            addBytes(key, column, value);
        context.out.object({ { "change", fencepost::wordOf(difference.change) }, { "table", difference.table },
            { "key", key }, { "from", difference.from.empty() ? json() : json(difference.from) },
            { "to", difference.to.empty() ? json() : json(difference.to) }, { "columns", difference.columns } });
        return;
    }
    std::string columns;
    for (const auto& column : difference.columns)
        columns += (columns.empty() ? "  " : ", ") + printable(column);
    const auto state = statesOf(difference);
    context.out.line(std::string(fencepost::wordOf(difference.change)) + "  " + printable(difference.table) + "  "
        + keyText(difference) + (state.empty() ? "" : "  " + state) + columns);
}

// By table, change and state, the same words as in the lines.
class DiffSummary {
public:
    void add(const SnapshotDifference& difference)
    {
        ++m_counts[{ difference.table, difference.change, statesOf(difference) }];
        ++m_all;
    }
    [[nodiscard]] std::int64_t all() const { return m_all; }

    void tell(Context& context) const
    {
        if (context.out.isJson()) {
            json list = json::array();
            for (const auto& [what, count] : m_counts)
                list.push_back({ { "table", std::get<0>(what) }, { "change", fencepost::wordOf(std::get<1>(what)) },
                    { "state", std::get<2>(what) }, { "count", count } });
            context.out.object({ { "differences", m_all }, { "summary", list } });
            return;
        }
        if (m_all == 0) {
            context.out.line("no differences");
            return;
        }
        context.out.line("");
        Table table(context.out, { "COUNT", "CHANGE", "TABLE", "STATE" });
        for (const auto& [what, count] : m_counts)
            table.add({ std::to_string(count), std::string(fencepost::wordOf(std::get<1>(what))),
                printable(std::get<0>(what)), std::get<2>(what) });
        table.show();
    }

private:
    std::map<std::tuple<std::string, SnapshotChange, std::string>, std::int64_t> m_counts;
    std::int64_t m_all = 0;
};

int diff(Context& context, const DiffOptions& options)
{
    const auto library = context.profiles();
    if (!library)
        return context.fail(library.error());
    const auto pair = store::compareManifests(options.first, options.second);
    if (!pair)
        return context.fail(pair.error());
    for (const auto& warning : pair->warnings) {
        context.out.note("warning: " + printable(warning));
        if (context.out.isJson())
            context.out.object({ { "warning", warning } });
    }
    DiffSummary summary;
    const auto done =
        store::diffSnapshots(options.first, options.second, **library, [&](const SnapshotDifference& difference) {
            summary.add(difference);
            tell(context, difference);
            return !context.out.isClosed();
        });
    if (!done)
        return context.fail(done.error());
    summary.tell(context);
    return summary.all() == 0 ? Exit::Done : Exit::Refused;
}

} // namespace

void addSnapshotCommands(CLI::App& app, Context& context)
{
    auto* command = app.add_subcommand("snapshot",
        "Copy a database, or what a filter finds of it and what hangs on that, into one sealed and redacted file");
    command->require_subcommand(0, 1);
    auto options = std::make_shared<TakeOptions>();
    command->add_option("OUT", options->path, "The file; every command reads it with --db sqlite:OUT");
    command->add_option(
        "--filter", options->filter, "Only rows that it finds, with their history, events and dead letters");
    command->add_option("--redact", options->rules,
        "JSON file of rules; without it hidden is what the console hides. Payload hashes always stay");
    command->add_flag("--force", options->force, "Replace the file where there is one");
    command->callback([&context, command, options] {
        if (command->get_subcommands().empty())
            context.exitCode = take(context, *options);
    });
    addCommand<VerifyOptions>(
        *command, context, "verify", "Whether a snapshot is as it was when it was sealed (3: it was changed)",
        [](CLI::App& verb, VerifyOptions& chosen) { verb.add_option("FILE", chosen.path, "The snapshot")->required(); },
        verify);
    addCommand<DiffOptions>(
        *command, context, "diff",
        "What differs between two snapshots, one line for each row; exits with 0 where nothing does, with 3 where "
        "something does",
        [](CLI::App& verb, DiffOptions& chosen) {
            verb.add_option("A", chosen.first, "The earlier snapshot")->required();
            verb.add_option("B", chosen.second, "The later one")->required();
        },
        diff);
}

} // namespace fencepost::app

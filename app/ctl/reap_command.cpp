// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"

namespace fencepost::app {

namespace {

struct ReapOptions {
    int batch = 500;
    std::string grace = "1h";
    std::string tombstone;
    std::string orphanGrace;
    std::string journalRetention;
};

Result<std::optional<Duration>> optionalLength(const std::string& text)
{
    if (text.empty())
        return std::optional<Duration>();
    auto length = parseDuration(text);
    if (!length)
        return length.error();
    return std::optional(*length);
}

Result<ReapRequest> requestOf(const ReapOptions& options)
{
    ReapRequest request;
    request.batch = options.batch;
    const auto grace = parseDuration(options.grace);
    if (!grace)
        return grace.error();
    request.grace = *grace;
    const auto tombstone = optionalLength(options.tombstone);
    if (!tombstone)
        return tombstone.error();
    request.tombstone = *tombstone;
    const auto orphanGrace = optionalLength(options.orphanGrace);
    if (!orphanGrace)
        return orphanGrace.error();
    request.orphanGrace = *orphanGrace;
    const auto journal = optionalLength(options.journalRetention);
    if (!journal)
        return journal.error();
    request.journalRetention = *journal;
    return request;
}

int reap(Context& context, const ReapOptions& options)
{
    const auto request = requestOf(options);
    if (!request)
        return context.usage(request.error());
    auto records = context.openStore();
    if (!records)
        return context.fail(records.error());
    const auto reaped = (*records)->reap(*request);
    if (!reaped)
        return context.fail(reaped.error());
    const auto& all = *reaped;
    if (context.out.isJson())
        context.out.object({ { "deleted", all.deleted }, { "tombstoned", all.tombstoned }, { "orphans", all.orphans },
            { "held", all.held }, { "outbound_calls", all.calls }, { "effects", all.effects },
            { "transitions", all.transitions } });
    else
        context.out.line("deleted " + std::to_string(all.deleted) + " · tombstoned " + std::to_string(all.tombstoned)
            + " · orphans " + std::to_string(all.orphans) + " · held " + std::to_string(all.held) + " · outbound calls "
            + std::to_string(all.calls) + " · effects " + std::to_string(all.effects) + " · transitions "
            + std::to_string(all.transitions));
    return Exit::Done;
}

} // namespace

void addReapCommand(CLI::App& app, Context& context)
{
    addCommand<ReapOptions>(
        app, context, "reap",
        "Delete what nobody asks for any more: records, outbound calls and effects whose retention is over",
        [](CLI::App& command, ReapOptions& options) {
            command.add_option("--batch", options.batch, "Rows per transaction (500)")->check(CLI::Range(1, 100'000));
            command.add_option("--grace", options.grace, "Keep them that long after they expired (1h)");
            command.add_option(
                "--tombstone", options.tombstone, "Keep the key, without its response, that much longer");
            command.add_option("--orphan-grace", options.orphanGrace,
                "Also records in progress that nobody came back for, that long after they expired");
            command.add_option("--journal-retention", options.journalRetention,
                "Also the history of records that are gone, where it is older than that");
        },
        reap);
}

} // namespace fencepost::app

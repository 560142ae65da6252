// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/files.h"
#include "app/ctl/reports.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

struct ApplyOptions {
    std::string file;
    std::optional<std::int64_t> confirm;
};

struct UndoOptions {
    std::string requestId;
    std::string reason;
    std::string file;
};

int apply(Context& context, const ApplyOptions& options)
{
    const auto text = readFile(options.file);
    if (!text)
        return context.fail(text.error());
    const auto plan = parsePlan(*text);
    if (!plan)
        return context.fail(plan.error());
    const auto rows = static_cast<std::int64_t>(plan->items.size());
    if (rows > 1 && !options.confirm)
        return context.usage(
            "The plan has " + std::to_string(rows) + " rows: confirm it with --confirm " + std::to_string(rows));
    if (options.confirm && *options.confirm != rows)
        return context.usage("The plan has " + std::to_string(rows) + (rows == 1 ? " row, not " : " rows, not ")
            + std::to_string(*options.confirm));
    auto backend = context.open(store::Access::ReadWrite);
    if (!backend)
        return context.fail(backend.error());
    return carryOut(context, (*backend)->inspector(), *plan);
}

int undo(Context& context, const UndoOptions& options)
{
    if (!isUuid(options.requestId))
        return context.usage("\"" + options.requestId + "\" is no request id: it is the UUID that the plan was given");
    auto backend = context.open(store::Access::ReadWrite);
    if (!backend)
        return context.fail(backend.error());
    auto& inspector = (*backend)->inspector();
    const auto plan = makeUndo(inspector, options.requestId, options.reason, models::actorName(), context.random);
    if (!plan)
        return plan.error().failure == Failure::Unsupported ? context.refused(plan.error())
                                                            : context.fail(plan.error());
    if (options.file.empty())
        return carryOut(context, inspector, *plan);
    if (auto written = writeFile(options.file, formatPlan(*plan)); !written)
        return context.fail(written.error());
    if (context.out.isJson())
        context.out.object(summaryOf(*plan));
    else
        showPlan(context, *plan, false);
    return plan->items.empty() ? Exit::Refused : Exit::Done;
}

} // namespace

void addApplyCommands(CLI::App& app, Context& context)
{
    addCommand<ApplyOptions>(
        app, context, "apply", "Carry out a plan; a second run answers already_done",
        [](CLI::App& command, ApplyOptions& options) {
            command.add_option("file", options.file, "The plan")->required();
            command.add_option("--confirm", options.confirm, "The number of its rows; required above one");
        },
        apply);
    addCommand<UndoOptions>(
        app, context, "undo", "Take back what a plan changed, where there is an inverse and the row did not move on",
        [](CLI::App& command, UndoOptions& options) {
            command.add_option("request_id", options.requestId, "The plan's request id")->required();
            command.add_option("--reason", options.reason, "Why; kept in the audit");
            command.add_option("--out", options.file, "Only write the undo as a plan to this file");
        },
        undo);
}

} // namespace fencepost::app

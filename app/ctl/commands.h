// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

#include "app/ctl/context.h"

namespace fencepost::app {

// One function per group of subcommands.
void addSchemaCommands(CLI::App& app, Context& context);
void addKeyCommands(CLI::App& app, Context& context);
void addKeysCommands(CLI::App& app, Context& context);
void addMessageCommands(CLI::App& app, Context& context);
void addFlowsCommand(CLI::App& app, Context& context);
void addRowsCommands(CLI::App& app, Context& context);
void addConflictsCommands(CLI::App& app, Context& context);
void addInvariantsCommand(CLI::App& app, Context& context);
void addRetriesCommands(CLI::App& app, Context& context);
void addRelayCommands(CLI::App& app, Context& context);
void addConsumeCommand(CLI::App& app, Context& context);
void addPlanCommands(CLI::App& app, Context& context);
void addApplyCommands(CLI::App& app, Context& context);
void addRunCommands(CLI::App& app, Context& context);
void addAuditCommands(CLI::App& app, Context& context);
void addSnapshotCommands(CLI::App& app, Context& context);
void addOnceCommand(CLI::App& app, Context& context);
void addCompleteCommand(CLI::App& app, Context& context);
void addReconcileCommand(CLI::App& app, Context& context);
void addReapCommand(CLI::App& app, Context& context);
void addProfileCommands(CLI::App& app, Context& context);
void addPolicyCommands(CLI::App& app, Context& context);
void addRetryCommands(CLI::App& app, Context& context);
void addCheckCommand(CLI::App& app, Context& context);
void addCsvCommands(CLI::App& app, Context& context);
void addExportCommand(CLI::App& app, Context& context);
void addFindCommand(CLI::App& app, Context& context);
void addErrorsCommand(CLI::App& app, Context& context);
void addDemoCommand(CLI::App& app, Context& context);
void addIdentityCommands(CLI::App& app, Context& context);
void addImportCommand(CLI::App& app, Context& context);
void addSimulateCommands(CLI::App& app, Context& context);
void addWatchCommand(CLI::App& app, Context& context);

// A subcommand whose options live as long as the program; `run` answers the exit code.
template <typename Options>
CLI::App* addCommand(CLI::App& parent, Context& context, const char* name, const char* help,
    const std::function<void(CLI::App&, Options&)>& declare, int (*run)(Context&, const Options&))
{
    auto* command = parent.add_subcommand(name, help);
    auto options = std::make_shared<Options>();
    if (declare)
        declare(*command, *options);
    command->callback([&context, options, run] { context.exitCode = run(context, *options); });
    return command;
}

struct NoOptions { };

// Read by ourselves: CLI11 wraps what does not fit.
[[nodiscard]] Result<std::uint64_t> seedOf(const std::string& text);

} // namespace fencepost::app

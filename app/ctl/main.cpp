// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <csignal>
#include <string_view>

#include <QCoreApplication>

#include "app/ctl/commands.h"
#include "app/ctl/cron_commands.h"
#include "app/ctl/dashed_keys.h"
#include "app/ctl/interrupt.h"
#include "app/options/empty_values.h"

namespace {

// All rows, all of the body, no query, a key that an application left empty, and the first page.
constexpr std::string_view mayBeEmpty[] = { "--filter", "--pointer", "--query", "--content-type", "--key", "--after" };

void addGlobalOptions(CLI::App& app, fencepost::app::GlobalOptions& options)
{
    app.add_option("--db", options.db,
        "Database: sqlite:PATH or postgresql://[user@]host[:port]/database; a password in it is refused");
    app.add_option("--also", options.also, "One more database for find; may be repeated")->allow_extra_args(false);
    app.add_flag("--json", options.json, "One JSON object per line instead of text");
    app.add_option("--binding", options.binding, "The table to work on, where several are recognised");
    app.add_option("--profiles-dir,--profiles", options.profilesDir, "Folder of further schema profiles");
    app.add_option("--time-zone", options.timeZones,
           "[PROFILE=]ZONE: where an application's hosts write local times (Europe/Berlin); may be repeated")
        ->allow_extra_args(false);
    app.add_option("--read-as", options.readAs,
           "TABLE=PROFILE: which of several profiles that fit a table is meant, or the profile of a table that has "
           "another name; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--policy", options.policyFile,
        "Policy file; else fencepost.policy.json beside the database, here, or in the configuration folder");
    app.add_option("--audit", options.auditFile,
        "The audit file of this computer, for databases without an audit table"
        " (default: $XDG_STATE_HOME/fencepost/audit.sqlite)");
    app.add_option("--statement-timeout", options.statementTimeout, "Longest statement (30s)");
}

} // namespace

int main(int argc, char** argv)
{
    using namespace fencepost::app;
    // A reader that has seen enough is no reason to die in the middle of a run.
    std::signal(SIGPIPE, SIG_IGN);
    QCoreApplication application(argc, argv);
    Context context;
    CLI::App app("Look at and operate idempotency keys, inboxes and dead letters.", "fencepostctl");
    app.set_version_flag("--version", "fencepostctl " FENCEPOST_VERSION);
    app.require_subcommand(1);
    app.fallthrough();
    addGlobalOptions(app, context.options);
    app.parse_complete_callback([&context, &app] {
        refuseEmptyValues(app, mayBeEmpty);
        context.out.setJson(context.options.json);
        context.nothingChangedYet();
    });
    for (auto* add : { addSchemaCommands, addDemoCommand, addKeyCommands, addKeysCommands, addMessageCommands,
             addFlowsCommand, addRetriesCommands, addInvariantsCommand, addRowsCommands, addConflictsCommands,
             addWatchCommand, addRelayCommands, addConsumeCommand, addPlanCommands, addApplyCommands, addRunCommands,
             addAuditCommands, addSnapshotCommands, addImportCommand, addReapCommand, addCompleteCommand,
             addReconcileCommand, addOnceCommand, addCronCommands, addProfileCommands, addPolicyCommands,
             addCheckCommand, addCsvCommands, addExportCommand, addFindCommand, addSimulateCommands, addRetryCommands,
             addErrorsCommand, addIdentityCommands })
        add(app, context);
    try {
        auto words = withKeysAsValues(app, withEmptyValuesApart(app, { argv + 1, argv + argc }, mayBeEmpty));
        std::reverse(words.begin(), words.end());
        app.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0)
            return app.exit(error);
        context.out.setJson(std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--json"; }));
        context.exitCode = context.usage(error.what());
    }
    // The outcome is known: nobody's signal may come between it and its answer.
    const fencepost::app::Undisturbed whole;
    context.out.flush();
    return context.out.isLost() && context.exitCode == Exit::Done ? Exit::Failed : context.exitCode;
}

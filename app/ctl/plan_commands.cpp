// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <tuple>

#include "app/ctl/commands.h"
#include "app/ctl/dashed_keys.h"
#include "app/ctl/files.h"
#include "app/ctl/reports.h"
#include "app/ctl/rows.h"
#include "app/ctl/table_access.h"
#include "core/copier.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

struct MakeOptions {
    std::string verb;
    std::string filter;
    std::vector<std::vector<std::string>> keys;
    std::string reason;
    std::string file;
    std::vector<std::string> asked; // NAME=VALUE, what a profile's action asks for
    std::map<std::string, std::optional<std::string>> values; // of parameters, by id; none: not given
    std::map<std::string, bool> flags;
};

struct ShowOptions {
    std::string file;
    bool sql = false;
};

// "i_know_this" -> "--i-know-this"
std::string optionOf(const Parameter& parameter)
{
    std::string out = "--";
    for (const char c : std::string_view(parameter.id))
        out += c == '_' ? '-' : c;
    return out;
}

std::map<std::string, std::string> parametersOf(const MakeOptions& options)
{
    std::map<std::string, std::string> out;
    for (const auto& [name, value] : options.values)
        if (value)
            out[name] = *value;
    for (const auto& [name, said] : options.flags)
        if (said)
            out[name] = "1";
    return out;
}

// --param NAME=VALUE: what the action of a table's profile asks for.
Status addAsked(const MakeOptions& options, std::map<std::string, std::string>& parameters)
{
    for (const auto& said : options.asked) {
        const auto equals = said.find('=');
        if (equals == std::string::npos || equals == 0)
            return invalid("--param takes NAME=VALUE, not \"" + said + "\"");
        if (!parameters.emplace(said.substr(0, equals), said.substr(equals + 1)).second)
            return invalid("The parameter " + said.substr(0, equals) + " is said twice");
    }
    return {};
}

// The table that is named, where this operation is about it: another's table may have it whatever its kind is.
Result<OpenTable> tableOf(Context& context, const Operation& operation)
{
    if (!context.options.binding.empty()) {
        auto named = openTable(context, std::nullopt);
        if (named && !named->binding.native
            && std::any_of(named->binding.capabilities.begin(), named->binding.capabilities.end(),
                [&](const Capability& capability) { return capability.verb == operation.id; }))
            return named;
    }
    return openTable(context, operation.kind);
}

// A document may stand in a file: --payload @new.json. Its octets are taken as they are.
Status readDocuments(MakeOptions& options)
{
    for (const auto& parameter : findOperation(options.verb)->parameters) {
        if (!parameter.document)
            continue;
        auto& value = options.values[parameter.id];
        if (!value || value->substr(0, 1) != "@")
            continue;
        auto content = readFile(value->substr(1));
        if (!content)
            return content.error();
        value = std::move(*content);
    }
    return {};
}

Result<PlanRequest> requestOf(Context& context, const OpenTable& table, const MakeOptions& options)
{
    PlanRequest request;
    request.verb = options.verb;
    request.filter = options.filter;
    request.parameters = parametersOf(options);
    if (const auto added = addAsked(options, request.parameters); !added)
        return added.error();
    request.reason = options.reason;
    request.actor = models::actorName();
    for (const auto& key : options.keys) {
        auto identity = table.binding.native || table.binding.kind == Kind::Idempotency
            ? identityOf(table, asTyped(key))
            : identityOrKey(table, asTyped(key));
        if (!identity)
            return identity.error();
        request.identities.push_back(std::move(*identity));
    }
    auto policy = context.policy();
    if (!policy)
        return policy.error();
    request.isFinancial = [policy = std::move(*policy)](const Row& row) {
        return policy.forRoute(row.scope.value_or(""), row.operation.value_or("")).financial.value;
    };
    return request;
}

// A plan of its rows could never be applied: what is planned about is the database itself.
Status isNoSnapshot(Inspector& inspector)
{
    auto* copier = inspector.copier();
    if (copier == nullptr)
        return {};
    const auto manifest = copier->manifest();
    if (!manifest)
        return manifest.error();
    if (!*manifest)
        return {};
    return Error{ Failure::Denied,
        "This is a snapshot: it is evidence, nothing is written to it, and a plan of its rows could never be applied",
        {}, {}, "Make the plan on the database that it was taken of" };
}

int makeAndWrite(Context& context, const MakeOptions& given)
{
    auto options = given;
    if (const auto read = readDocuments(options); !read)
        return context.usage(read.error());
    if (options.filter.empty() == options.keys.empty())
        return context.usage("Say which rows: --filter EXPR or --key SCOPE OPERATION KEY");
    if (const auto filter = parseFilter(options.filter); !filter)
        return context.usage(filter.error());
    if (const auto known = checkParameters(*findOperation(options.verb), parametersOf(options)); !known)
        return context.usage(known.error());
    auto table = tableOf(context, *findOperation(options.verb));
    if (!table)
        return context.fail(table.error());
    if (const auto changeable = isNoSnapshot(*table->inspector); !changeable)
        return context.fail(changeable.error());
    auto request = requestOf(context, *table, options);
    if (!request)
        return context.rejectInput(request.error());
    auto plan = makePlan(*table->inspector, table->binding, *request, context.random);
    if (!plan)
        return context.rejectInput(plan.error());
    if (const auto free = checkReplaceable(options.file, "plan", isPlan); !free)
        return context.usage(free.error());
    if (auto written = writePrivateFile(options.file, formatPlan(*plan)); !written)
        return context.fail(written.error());
    if (context.out.isJson()) {
        auto summary = summaryOf(*plan);
        summary["file"] = options.file;
        addWarnings(summary, table->binding);
        context.out.object(summary);
    } else {
        showPlan(context, *plan, false);
        context.out.line("");
        const auto count = plan->items.size();
        context.out.line("written to " + printable(options.file)
            + (count == 0 ? std::string()
                          : "; apply it with: fencepostctl --db …" + printable(context.sameTables()) + " apply "
                        + printable(options.file)
                        + (count > 1 ? " --confirm " + std::to_string(count) : std::string())));
    }
    // Of events the verdicts are the answer that was asked for, also where they exclude every row.
    const bool refused = !isOfLetters(plan->verb) || !table->binding.native;
    return refused && plan->items.empty() && !plan->leftOut.empty() ? Exit::Refused : Exit::Done;
}

int show(Context& context, const ShowOptions& options)
{
    const auto text = readFile(options.file);
    if (!text)
        return context.fail(text.error());
    const auto plan = parsePlan(*text);
    if (!plan)
        return context.fail(plan.error());
    if (context.out.isJson())
        context.out.object(summaryOf(*plan));
    else
        showPlan(context, *plan, options.sql);
    return Exit::Done;
}

// One subcommand for each entry of the operations table, with the parameters that it asks for.
void declareMake(CLI::App& command, MakeOptions& options, const Operation& operation)
{
    options.verb = operation.id;
    command.add_option("--filter", options.filter, "The rows: an expression like: stuck and scope = payments");
    command
        .add_option("--key", options.keys,
            "One row as SCOPE OPERATION KEY, or KEY alone where the table has neither; may be repeated")
        ->type_size(1, 3)
        ->type_name("SCOPE OPERATION KEY");
    command
        .add_option(
            "--param", options.asked, "NAME=VALUE, what the action of the table's profile asks for; may be repeated")
        ->allow_extra_args(false)
        ->type_name("NAME=VALUE");
    command.add_option("--reason", options.reason, "Why; kept in the audit")->required();
    command.add_option("--out", options.file, "The file for the plan")->required();
    for (const auto& parameter : operation.parameters) {
        if (parameter.flag) {
            command.add_flag(optionOf(parameter), options.flags[parameter.id], parameter.title);
            continue;
        }
        auto* option = command.add_option(optionOf(parameter), options.values[parameter.id],
            parameter.title + std::string(parameter.document ? "; @FILE: what the file holds" : ""));
        option->required(parameter.required);
        std::vector<std::string> choices;
        for (const auto& choice : parameter.choices)
            choices.emplace_back(choice.value);
        if (!choices.empty())
            option->check(CLI::IsMember(choices));
    }
}

} // namespace

void addPlanCommands(CLI::App& app, Context& context)
{
    auto* plan = app.add_subcommand("plan", "Freeze an operation in a file; nothing is changed");
    plan->require_subcommand(1);
    for (const auto& operation : operations())
        addCommand<MakeOptions>(
            *plan, context, operation.id, operation.summary,
            [&operation](CLI::App& command, MakeOptions& options) { declareMake(command, options, operation); },
            makeAndWrite);
    addCommand<ShowOptions>(
        *plan, context, "show", "Show a plan",
        [](CLI::App& command, ShowOptions& options) {
            command.add_option("file", options.file, "The plan")->required();
            command.add_flag("--sql", options.sql, "Also the statements");
        },
        show);
}

} // namespace fencepost::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/rows.h"

namespace fencepost::app {

namespace {

struct CheckOptions {
    std::string file;
};

json toJson(const profile::Profile& profile)
{
    json verbs = json::array();
    for (const auto& [verb, action] : profile.actions)
        verbs.push_back(verb);
    return { { "profile", profile.name }, { "title", profile.title }, { "kind", wordOf(profile.kind) },
        { "dialects", profile.dialects }, { "fencing", profile.fencing }, { "native", profile.native },
        { "actions", verbs }, { "forbidden", profile.forbidden }, { "notes", profile.notes } };
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words)
        text += (text.empty() ? "" : ",") + word;
    return text;
}

int list(Context& context, const NoOptions&)
{
    auto library = context.profiles();
    if (!library)
        return context.fail(library.error());
    Table table(context.out, { "PROFILE", "KIND", "DIALECTS", "TITLE" });
    for (const auto& profile : (*library)->all()) {
        if (context.out.isJson())
            context.out.object(toJson(profile));
        else
            table.add({ profile.name, std::string(wordOf(profile.kind)), joined(profile.dialects), profile.title });
    }
    if (!context.out.isJson())
        table.show();
    return Exit::Done;
}

int detect(Context& context, const NoOptions&)
{
    auto backend = context.open(store::Access::ReadOnly);
    if (!backend)
        return context.fail(backend.error());
    const auto bindings = (*backend)->inspector().bindings();
    if (!bindings)
        return context.fail(bindings.error());
    Table table(context.out, { "BINDING", "KIND", "PROFILE", "FENCING", "WARNINGS" });
    for (const auto& binding : *bindings) {
        if (context.out.isJson())
            context.out.object(app::toJson(binding));
        else
            table.add({ binding.name, std::string(wordOf(binding.kind)), binding.profile, binding.fencing,
                joined(binding.warnings) });
    }
    if (!context.out.isJson())
        table.show();
    return Exit::Done;
}

int check(Context& context, const CheckOptions& options)
{
    const auto text = profile::readProfileFile(options.file);
    if (!text)
        return context.fail(text.error());
    const auto parsed = profile::parse(*text, options.file);
    if (!parsed)
        return context.fail(parsed.error());
    // Right in itself, but two profiles of one name cannot be told apart.
    const bool taken = profile::isShippedName(parsed->name) && !profile::isShipped(*text);
    if (taken)
        context.out.note("\"" + parsed->name
            + "\" is the name of a profile that comes with Fencepost: to use this one beside it, give it a name of its "
              "own");
    if (context.out.isJson()) {
        auto out = toJson(*parsed);
        out["valid"] = true;
        out["name_taken"] = taken;
        context.out.object(out);
    } else {
        context.out.line("valid: " + printable(parsed->name));
    }
    return Exit::Done;
}

} // namespace

void addProfileCommands(CLI::App& app, Context& context)
{
    auto* profiles = app.add_subcommand("profiles", "How tables are read");
    profiles->require_subcommand(1);
    addCommand<NoOptions>(*profiles, context, "list", "List the profiles at hand", {}, list);
    addCommand<NoOptions>(*profiles, context, "detect", "Recognise the tables of the database", {}, detect);
    addCommand<CheckOptions>(
        *profiles, context, "check", "Check a profile file",
        [](CLI::App& command, CheckOptions& options) {
            command.add_option("file", options.file, "The profile")->required();
        },
        check);
}

} // namespace fencepost::app

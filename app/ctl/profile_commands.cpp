// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/profile_commands.h"

#include "app/ctl/commands.h"
#include "app/ctl/rows.h"
#include "core/binding_notes.h"
#include "core/profile/shipped_profiles.h"
#include "core/shell_word.h"

namespace fencepost::app {

namespace {

struct ShowProfile {
    std::string name;
    bool document = false;
};

json toJson(const profile::Profile& profile)
{
    json verbs = json::array();
    for (const auto& [verb, action] : profile.actions)
        verbs.push_back(verb);
    json states = json::array();
    for (const auto& state : profile.states)
        states.push_back(state.is);
    return { { "profile", profile.name }, { "title", profile.title }, { "kind", wordOf(profile.kind) },
        { "dialects", profile.dialects }, { "fencing", profile.fencing }, { "native", profile.native },
        { "actions", verbs }, { "forbidden", profile.forbidden }, { "external", profile.external },
        { "notes", profile.notes }, { "dangers", profile.dangers }, { "states", states }, { "tables", profile.tables },
        { "required", profile.detect.require }, { "read_only_reason", profile.readOnlyReason },
        { "multi_schema", profile.multiSchema }, { "asks_for_time_zone", profile::asksForZone(profile) },
        { "shipped", profile::isShippedName(profile.name) } };
}

std::string joined(const std::vector<std::string>& words, const char* separator = ",")
{
    std::string text;
    for (const auto& word : words)
        text += (text.empty() ? "" : separator) + word;
    return text;
}

} // namespace

std::string whyUnfit(const Unfit& unfit)
{
    return unfit.table + " is not read as " + unfit.profile + ": " + unfit.why;
}

namespace {

int list(Context& context, const NoOptions&)
{
    auto library = context.profiles();
    if (!library)
        return context.fail(library.error());
    Table table(context.out, { "PROFILE", "KIND", "DIALECTS", "FROM", "TITLE" });
    for (const auto& profile : (*library)->all()) {
        if (context.out.isJson())
            context.out.object(toJson(profile));
        else
            table.add({ profile.name, std::string(wordOf(profile.kind)), joined(profile.dialects),
                profile::isShippedName(profile.name) ? "Fencepost" : "you", profile.title });
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
    Table table(context.out, { "BINDING", "KIND", "PROFILE", "FENCING", "BECAUSE", "WARNINGS" });
    for (const auto& binding : *bindings) {
        if (context.out.isJson())
            context.out.object(app::toJson(binding));
        else {
            auto warnings = binding.warnings;
            for (const auto& absent : binding.absent)
                warnings.push_back("left out: " + absent);
            table.add({ binding.name, std::string(wordOf(binding.kind)), binding.profile, binding.fencing,
                joined(binding.reasons, "; "), joined(warnings, "; ") });
        }
    }
    if (!context.out.isJson())
        table.show();
    for (const auto& binding : *bindings)
        for (const auto& note : binding.notes)
            if (!context.out.isJson() && (isAboutAView(note) || isAboutViewOverAll(note)))
                context.out.note(binding.name + ": " + note);
    const auto unfit = (*backend)->inspector().unfit();
    if (!unfit)
        return context.fail(unfit.error());
    for (const auto& each : *unfit)
        context.out.note(whyUnfit(each));
    return Exit::Done;
}

int check(Context& context, const ProfileFileOptions& options)
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

void listLines(Context& context, const char* title, const std::vector<std::string>& lines)
{
    for (const auto& line : lines)
        context.out.line(std::string(title) + ": " + printable(line));
}

// All that a person has to know of it before they use it.
void describe(Context& context, const profile::Profile& profile)
{
    auto& out = context.out;
    out.line("profile: " + printable(profile.name));
    out.line("title: " + printable(profile.title));
    out.line("kind: " + std::string(wordOf(profile.kind)));
    out.line("dialects: " + joined(profile.dialects, ", "));
    for (const auto& [alias, table] : profile.tables)
        out.line("table " + printable(alias) + ": " + printable(table)
            + (alias == profile.main ? ", whose rows are shown" : ", looked into"));
    out.line("identity: " + printable(joined(profile.identity, ", ")));
    out.line("fencing: " + profile.fencing);
    for (const auto& [verb, action] : profile.actions)
        out.line("action " + verb + ": " + printable(action.title) + " (risk " + action.risk + ")"
            + (action.effect.empty() ? std::string() : "; " + printable(action.effect)));
    for (const auto& [verb, why] : profile.forbidden)
        out.line("forbidden " + verb + ": " + printable(why));
    for (const auto& [verb, command] : profile.external)
        out.line("outside " + verb + ": " + printable(shellLine(command)));
    if (!profile.readOnlyReason.empty())
        out.line("read only: " + printable(profile.readOnlyReason));
    if (profile::asksForZone(profile))
        out.line("asks: the time zone of the application's hosts (--time-zone " + printable(profile.name) + "=ZONE)");
    listLines(context, "note", profile.notes);
    listLines(context, "danger", profile.dangers);
}

// The file of a profile that comes with Fencepost, to be copied and changed under a name of its own.
int showDocument(Context& context, const std::string& name)
{
    for (const auto& file : profile::shippedProfiles()) {
        const auto parsed = profile::parse(file.json, file.name);
        if (!parsed || parsed->name != name)
            continue;
        if (context.out.isJson())
            context.out.object(json::parse(file.json));
        else
            context.out.line(std::string(file.json.substr(0, file.json.find_last_not_of('\n') + 1)));
        return Exit::Done;
    }
    return context.fail({ Failure::NotFound, "There is no profile \"" + name + "\" among those of Fencepost", {}, {},
        "List them with: fencepostctl profiles list" });
}

int show(Context& context, const ShowProfile& options)
{
    if (options.document)
        return showDocument(context, options.name);
    auto library = context.profiles();
    if (!library)
        return context.fail(library.error());
    const auto* profile = (*library)->find(options.name);
    if (profile == nullptr)
        return context.fail({ Failure::NotFound, "There is no profile \"" + options.name + "\"", {}, {},
            "List them with: fencepostctl profiles list" });
    if (context.out.isJson())
        context.out.object(toJson(*profile));
    else
        describe(context, *profile);
    return Exit::Done;
}

} // namespace

void addProfileCommands(CLI::App& app, Context& context)
{
    auto* profiles = app.add_subcommand("profiles", "How tables are read");
    profiles->require_subcommand(1);
    addCommand<NoOptions>(*profiles, context, "list", "List the profiles at hand", {}, list);
    addCommand<NoOptions>(*profiles, context, "detect", "Recognise the tables of the database", {}, detect);
    addCommand<ShowProfile>(
        *profiles, context, "show", "What a profile says, and what is dangerous there",
        [](CLI::App& command, ShowProfile& options) {
            command.add_option("name", options.name, "The profile's name")->required();
            command.add_flag(
                "--document", options.document, "The profile itself, to be copied and changed under a name of its own");
        },
        show);
    addCommand<ProfileFileOptions>(
        *profiles, context, "test", "Read the database through a profile file; its actions are dry runs",
        [](CLI::App& command, ProfileFileOptions& options) {
            command.add_option("file", options.file, "The profile")->required();
        },
        testProfile);
    addCommand<ProfileFileOptions>(
        *profiles, context, "check", "Check a profile file",
        [](CLI::App& command, ProfileFileOptions& options) {
            command.add_option("file", options.file, "The profile")->required();
        },
        check);
}

} // namespace fencepost::app

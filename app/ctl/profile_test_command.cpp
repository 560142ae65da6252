// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "app/ctl/profile_commands.h"
#include "app/ctl/rows.h"

namespace fencepost::app {

namespace {

constexpr auto countBudget = std::chrono::seconds(20);
constexpr auto unchecked = "Not checked: lengths, constraints, foreign keys and triggers, which the database judges "
                           "when something is written";

// Of a dry run: nobody was asked, and any value of the type makes the same statement.
std::string placeholderFor(const ActionParameter& parameter)
{
    if (parameter.type == "duration")
        return "PT1M";
    if (parameter.type == "uuid")
        return "00000000-0000-4000-8000-000000000000";
    return parameter.type == "integer" ? "0" : "(asked for)";
}

std::string namesOf(const std::map<std::string, std::string>& parameters)
{
    std::string names;
    for (const auto& [name, value] : parameters)
        names += (names.empty() ? "" : ", ") + name;
    return names;
}

struct DryRun {
    std::string verb;
    std::string why; // not offered; empty: it is
    std::int64_t rows = 0; // among those that were read
    std::string sql;
};

Result<DryRun> dryRun(
    Inspector& inspector, const Binding& binding, const Capability& capability, const std::vector<Row>& rows)
{
    DryRun result{ capability.verb, capability.why, 0, {} };
    if (!capability.allowed)
        return result;
    std::map<std::string, std::string> parameters;
    for (const auto& parameter : capability.parameters)
        if (parameter.required)
            parameters[parameter.name] = placeholderFor(parameter);
    auto sql = inspector.sqlOf(binding, capability.verb, parameters);
    // A value that the column takes is for whoever is asked to know.
    if (!sql && (parameters.empty() || sql.error().failure != Failure::Invalid))
        return sql.error();
    result.sql =
        sql ? std::move(*sql) : "-- the statement is shown by \"plan\", with what is said for " + namesOf(parameters);
    const auto wanted = ' ' + capability.verb + ' ';
    result.rows = std::count_if(rows.begin(), rows.end(), [&](const Row& row) {
        const auto verbs = row.extra.find(rowActions);
        return verbs != row.extra.end() && (' ' + verbs->second + ' ').find(wanted) != std::string::npos;
    });
    return result;
}

// What a part of the profile is to blame for begins with its place in the file.
std::string withFile(const std::string& file, const std::string& why)
{
    return why.rfind('/', 0) == 0 ? file + ": " + why : why;
}

class Report {
public:
    Report(Context& context, const std::string& file, const Binding& binding, const Counts& counts, std::size_t read)
        : m_context(context)
        , m_file(file)
        , m_binding(binding)
        , m_counts(counts)
        , m_read(read)
    {
    }

    void show(const std::vector<DryRun>& actions) { m_context.out.isJson() ? showJson(actions) : showText(actions); }

private:
    void showJson(const std::vector<DryRun>& actions)
    {
        auto out = toJson(m_binding);
        out["states"] = json::object();
        for (const auto& [state, count] : m_counts.byState)
            out["states"][state] = count.value;
        out["stuck"] = m_counts.stuck.value;
        out["rows_read"] = m_read;
        out["dry_run"] = json::array();
        for (const auto& action : actions)
            out["dry_run"].push_back({ { "verb", action.verb }, { "allowed", action.why.empty() },
                { "why", withFile(m_file, action.why) }, { "rows", action.rows }, { "sql", action.sql },
                { "not_checked", action.why.empty() ? unchecked : "" } });
        m_context.out.object(out);
    }

    void showText(const std::vector<DryRun>& actions)
    {
        auto& out = m_context.out;
        out.line(printable(m_binding.name) + ": " + printable(m_binding.profile));
        for (const auto& reason : m_binding.reasons)
            out.line("  " + printable(reason));
        for (const auto& absent : m_binding.absent)
            out.line("  left out: " + printable(absent));
        for (const auto& warning : m_binding.warnings)
            out.line("  warning: " + printable(warning));
        Table states(out, { "STATE", "COUNT", "EXACTNESS" });
        for (const auto& [state, count] : m_counts.byState)
            states.add({ state, std::to_string(count.value), std::string(wordOf(count.exactness)) });
        states.add({ "(stuck)", std::to_string(m_counts.stuck.value), std::string(wordOf(m_counts.stuck.exactness)) });
        states.show();
        for (const auto& action : actions) {
            if (!action.why.empty()) {
                out.line(action.verb + ": not offered: " + printable(withFile(m_file, action.why)));
                continue;
            }
            out.line(action.verb + ": dry run: it applies to " + std::to_string(action.rows) + " of the "
                + std::to_string(m_read) + " rows that were read; nothing was changed. " + unchecked);
            for (std::size_t at = 0; at < action.sql.size();) {
                const auto end = std::min(action.sql.find('\n', at), action.sql.size());
                out.line(printable(action.sql.substr(at, end - at)));
                at = end + 1;
            }
        }
    }

    Context& m_context;
    const std::string& m_file;
    const Binding& m_binding;
    const Counts& m_counts;
    std::size_t m_read;
};

std::string whyUnread(const std::string& file, const Binding& binding)
{
    constexpr std::string_view unreadable = "the table cannot be read: ";
    std::string why;
    for (const auto& warning : binding.warnings) {
        const bool plain = warning.rfind(unreadable, 0) == 0;
        why += (why.empty() ? "" : "; ") + withFile(file, plain ? warning.substr(unreadable.size()) : warning);
    }
    return why;
}

Error unreadable(const Binding& binding, const std::string& why, Error error)
{
    error.message = "The table " + binding.name + " cannot be read: " + why;
    return error;
}

Status test(Context& context, const std::string& file, Inspector& inspector, const Binding& binding)
{
    if (!binding.canRead)
        return unreadable(binding, whyUnread(file, binding),
            { Failure::Unsupported, {}, {}, {}, "Correct the profile, the table, or the role's rights, as it says" });
    const auto counts = inspector.counts(binding, nullptr, countBudget);
    if (!counts)
        return unreadable(binding, counts.error().message, counts.error());
    const auto page = inspector.page(binding, {});
    if (!page)
        return unreadable(binding, page.error().message, page.error());
    std::vector<DryRun> actions;
    for (const auto& capability : binding.capabilities) {
        if (capability.verb == "note")
            continue;
        auto action = dryRun(inspector, binding, capability, page->rows);
        if (!action)
            return action.error();
        actions.push_back(std::move(*action));
    }
    Report(context, file, binding, *counts, page->rows.size()).show(actions);
    return {};
}

std::string unfitWords(const std::string& file, Unfit unfit)
{
    unfit.why = withFile(file, unfit.why);
    return whyUnfit(unfit);
}

Error recognisesNothing(const std::string& file, const std::vector<Unfit>& unfit)
{
    std::string why;
    for (const auto& each : unfit)
        why += (why.empty() ? "" : "; ") + unfitWords(file, each);
    return { Failure::NotFound, "The profile recognises no table of this database", why, {},
        unfit.empty() ? "No table has the name of /source/tables: correct it, or say which one is meant with "
                        "--read-as TABLE=PROFILE"
                      : "Correct the profile, or the table" };
}

} // namespace

int testProfile(Context& context, const ProfileFileOptions& options)
{
    const auto text = profile::readProfileFile(options.file);
    if (!text)
        return context.fail(text.error());
    if (const auto used = context.useOnly(*text, options.file); !used)
        return context.fail(used.error());
    auto backend = context.open(store::Access::ReadOnly);
    if (!backend)
        return context.fail(backend.error());
    auto& inspector = (*backend)->inspector();
    const auto bindings = inspector.bindings();
    if (!bindings)
        return context.fail(bindings.error());
    if (bindings->empty()) {
        const auto unfit = inspector.unfit();
        return context.fail(unfit ? recognisesNothing(options.file, *unfit) : unfit.error());
    }
    if (const auto unfit = inspector.unfit())
        for (const auto& each : *unfit)
            context.out.note(unfitWords(options.file, each));
    int code = Exit::Done;
    for (const auto& binding : *bindings)
        if (const auto tested = test(context, options.file, inspector, binding); !tested)
            code = context.fail(tested.error());
    return code;
}

} // namespace fencepost::app

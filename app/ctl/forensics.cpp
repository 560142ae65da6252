// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/forensics.h"

#include <algorithm>

#include "core/instant_offset.h"

namespace fencepost::app {

void declareRange(CLI::App& command, RangeWords& words, const char* standard)
{
    command.add_option("--since", words.since, "From this instant (ISO-8601 with its offset; without one it is UTC)");
    command.add_option("--until", words.until, "Up to this instant (now, by the database's clock)");
    command.add_option("--last", words.last, std::string("Without --since: so long before the end (") + standard + ")");
    command.add_flag("--sql", words.sql, "The statements that the figures are of, on standard error");
}

Result<Time> instantOf(Context& context, const char* option, const std::string& text)
{
    const auto instant = parseInstant(text);
    if (instant && !tellsOffset(text))
        context.out.note(std::string(option) + " " + printable(text)
            + " has no offset and was read as UTC: " + formatInstant(*instant));
    return instant;
}

Result<RangeRequest> rangeOf(Context& context, const RangeWords& words, Duration standard)
{
    RangeRequest request;
    request.last = standard;
    const auto read = [&context](const char* option, const std::string& text, std::optional<Time>& into) -> Status {
        if (text.empty())
            return {};
        const auto instant = instantOf(context, option, text);
        if (!instant)
            return instant.error();
        into = *instant;
        return {};
    };
    for (const auto& status :
        { read("--since", words.since, request.from), read("--until", words.until, request.until) })
        if (!status)
            return status.error();
    if (words.last.empty())
        return request;
    if (request.from)
        return Error{ Failure::Invalid, "--since and --last both say when it begins", words.last,
            "Leave one of them out" };
    const auto last = parseDuration(words.last);
    if (!last)
        return last.error();
    if (*last <= Duration::zero())
        return Error{ Failure::Invalid, "--last is a time that is longer than nothing", words.last };
    request.last = *last;
    return request;
}

int forEachTable(Context& context, const std::vector<Kind>& kinds, const std::function<Status(const Asked&)>& ask)
{
    const auto backend = context.open(store::Access::ReadOnly);
    if (!backend)
        return context.fail(backend.error());
    auto& inspector = (*backend)->inspector();
    const auto all = inspector.bindings();
    if (!all)
        return context.fail(all.error());
    const auto& named = context.options.binding;
    int answered = 0;
    std::optional<Error> last;
    std::vector<std::pair<std::string, Error>> unasked;
    for (const auto& binding : *all) {
        const bool wanted =
            named.empty() ? std::find(kinds.begin(), kinds.end(), binding.kind) != kinds.end() : binding.name == named;
        if (!wanted)
            continue;
        const auto status = ask({ *inspector.forensics(), binding, *all });
        if (status) {
            ++answered;
            continue;
        }
        // A filter may name what one kind of table has and another has not.
        if (status.error().failure == Failure::Invalid) {
            unasked.emplace_back(binding.name, status.error());
            continue;
        }
        if (last)
            context.out.error(*last);
        last = status.error();
    }
    if (answered == 0 && !last && !unasked.empty())
        return context.usage(unasked.front().second);
    for (const auto& [name, why] : unasked)
        context.out.note(name + " was not asked: " + why.message);
    if (answered == 0)
        return context.fail(last.value_or(Error{ Failure::NotFound,
            named.empty() ? "There is no table here that this can be asked of"
                          : "There is no table " + named + " that this can be asked of",
            {}, "fencepostctl profiles detect lists what is recognised." }));
    if (last)
        context.out.error(*last);
    return last ? Exit::Failed : Exit::Done;
}

void tellBasis(Context& context, const RangeWords& words, const Binding& binding, const Basis& basis)
{
    for (const auto& what : basis.unread)
        context.out.note(binding.name + ": " + what);
    for (const auto& what : basis.notes)
        context.out.note(binding.name + ": " + what);
    if (words.sql)
        context.out.statements("-- " + binding.name + ", " + std::to_string(basis.cost.rows) + " rows in "
            + formatDuration(basis.cost.time) + "\n" + basis.cost.sql);
}

} // namespace fencepost::app

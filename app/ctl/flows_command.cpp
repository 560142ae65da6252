// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/forensics.h"

namespace fencepost::app {

namespace {

constexpr auto lastHour = std::chrono::hours(1);

json toJson(const Binding& binding, const Flow& flow)
{
    json object{ { "binding", binding.name }, { "kind", wordOf(binding.kind) }, { "from", flow.from },
        { "to", flow.to }, { "event", flow.event }, { "count", flow.count }, { "estimated", flow.estimated },
        { "first_at", formatInstant(flow.firstAt) }, { "last_at", formatInstant(flow.lastAt) },
        { "nature", wordOf(flow.nature) } };
    if (!flow.why.empty())
        object["why"] = flow.why;
    return object;
}

int flows(Context& context, const RangeWords& words)
{
    const auto range = rangeOf(context, words, lastHour);
    if (!range)
        return context.usage(range.error());
    Table table(context.out, { "TABLE", "FROM", "TO", "EVENT", "COUNT", "FIRST", "LAST", "NATURE", "WHY" });
    bool moved = false;
    const std::vector<Kind> kinds{ Kind::Idempotency, Kind::Inbox, Kind::Outbox, Kind::DeadLetter };
    const auto code = forEachTable(context, kinds, [&](const Asked& asked) -> Status {
        const auto found = asked.forensics.flows(asked.binding, *range);
        if (!found)
            return found.error();
        moved = moved || !found->flows.empty();
        for (const auto& flow : found->flows) {
            if (context.out.isJson())
                context.out.object(toJson(asked.binding, flow));
            else
                table.add({ asked.binding.name, flow.from, flow.to, flow.event,
                    (flow.estimated ? "about " : "") + std::to_string(flow.count), formatInstant(flow.firstAt),
                    formatInstant(flow.lastAt), std::string(wordOf(flow.nature)), flow.why });
        }
        if (!context.out.isJson() && found->flows.empty())
            context.out.note(asked.binding.name + ": nothing moved from " + formatInstant(found->basis.range.from)
                + " to " + formatInstant(found->basis.range.until));
        tellBasis(context, words, asked.binding, found->basis);
        return {};
    });
    if (!context.out.isJson() && moved)
        table.show();
    return code;
}

} // namespace

void addFlowsCommand(CLI::App& app, Context& context)
{
    addCommand<RangeWords>(
        app, context, "flows", "How often rows went from one state to another, by table and event",
        [](CLI::App& command, RangeWords& words) { declareRange(command, words, "1h"); }, flows);
}

} // namespace fencepost::app

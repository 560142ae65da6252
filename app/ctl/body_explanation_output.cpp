// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/body_explanation_output.h"

namespace fencepost::app {

json toJson(const BodyExplanation& explanation)
{
    const auto* place = explanation.kind == BodyKind::Json ? "pointer" : "place";
    json out = { { "kind", wordOf(explanation.kind) }, { "same", explanation.same }, { "differences", json::array() },
        { "difference_count", explanation.differenceCount }, { "hidden_count", explanation.hiddenCount },
        { "benign", json::array() }, { "benign_count", explanation.benignCount }, { "notes", explanation.notes } };
    for (const auto& difference : explanation.differences)
        out["differences"].push_back({ { place, difference.place }, { "kind", wordOf(difference.kind) },
            { "before", difference.before }, { "after", difference.after } });
    for (const auto& benign : explanation.benign)
        out["benign"].push_back({ { place, benign.place }, { "kind", wordOf(benign.kind) }, { "before", benign.before },
            { "after", benign.after } });
    return out;
}

void show(Context& context, const BodyExplanation& explanation, bool hasVerdict)
{
    const auto where = [](const std::string& place) { return place.empty() ? std::string("(the whole body)") : place; };
    if (hasVerdict)
        context.out.line(explanation.same ? "The two bodies have the same fingerprint."
                                          : "The two bodies have different fingerprints.");
    Table table(context.out, { "WHAT", "WHERE", "FIRST", "SECOND" });
    for (const auto& difference : explanation.differences)
        table.add(
            { std::string(wordOf(difference.kind)), where(difference.place), difference.before, difference.after });
    for (const auto& benign : explanation.benign)
        table.add({ "benign: " + std::string(wordOf(benign.kind)), where(benign.place), benign.before, benign.after });
    const auto all = explanation.differenceCount + explanation.hiddenCount + explanation.benignCount;
    if (all > 0)
        table.show();
    const auto left = all - explanation.differences.size() - explanation.benign.size();
    if (left > 0)
        context.out.line("… and " + std::to_string(left) + " more");
    for (const auto& note : explanation.notes)
        context.out.line(printable(note));
}

} // namespace fencepost::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/demo/replays.h"

#include "core/operations/replay.h"

namespace fencepost::app {

namespace {

using namespace std::chrono_literals;

struct Task {
    Duration before; // the end
    const char* filter;
    std::map<std::string, std::string> parameters;
    const char* actor;
    const char* reason;
    ReplaySettings settings;
};

Result<Binding> letters(Backend& backend)
{
    const auto bindings = backend.inspector().bindings();
    if (!bindings)
        return bindings.error();
    for (const auto& binding : *bindings)
        if (binding.native && binding.kind == Kind::DeadLetter)
            return binding;
    return Error{ Failure::NotFound, "the demo's dead letters are not recognised", {} };
}

Status carryOut(Backend& backend, Agenda& agenda, const Clock& clock, Random& random, const Task& task,
    const std::function<Status()>& relayPass)
{
    const auto binding = letters(backend);
    if (!binding)
        return binding.error();
    PlanRequest request;
    request.verb = "replay";
    request.filter = task.filter;
    request.parameters = task.parameters;
    request.reason = task.reason;
    request.actor = task.actor;
    const auto plan = makePlan(backend.inspector(), *binding, request, random);
    if (!plan)
        return plan.error();
    Status meanwhile;
    ReplayHooks hooks;
    hooks.order = [&meanwhile] { return meanwhile ? ReplayOrder::Go : ReplayOrder::Leave; };
    hooks.sleep = [&](Duration delay) {
        if (meanwhile)
            meanwhile = relayPass();
        if (meanwhile)
            meanwhile = agenda.wait(delay);
    };
    const auto report = runReplay(backend.inspector(), *plan, task.actor, &task.settings, hooks, clock, random);
    if (!meanwhile)
        return meanwhile;
    return report ? Status() : Status(report.error());
}

} // namespace

void writeReplays(Backend& backend, Agenda& agenda, const Clock& clock, Random& random, Time end,
    const std::function<Status()>& relayPass)
{
    const std::vector<Task> tasks = {
        { 50min, "state = DEAD and error ~ refused", {}, "mara@ops-1", "The partner's endpoint is back, INC-2117",
            { .ramp = { 1, 5 }, .rate = 5, .brake = 0.5, .patience = 10min } },
        { 30min, "state = DEAD and error ~ \"answered 500\"",
            { { "include_unknown", "A receipt that comes twice does no harm" } }, "jonas@ops-2",
            "Mail says that they have mended it", { .ramp = { 1, 5 }, .brake = 0.2, .patience = 10min } },
    };
    for (const auto& task : tasks)
        agenda.at(end - task.before, [&backend, &agenda, &clock, &random, task, relayPass] {
            return carryOut(backend, agenda, clock, random, task, relayPass);
        });
}

} // namespace fencepost::app

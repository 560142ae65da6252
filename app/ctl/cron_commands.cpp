// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/cron_commands.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "app/ctl/commands.h"
#include "app/ctl/cron_target.h"
#include "app/ctl/files.h"
#include "app/ctl/once.h"
#include "app/ctl/service_address.h"
#include "core/without_credentials.h"

namespace fencepost::app {

namespace {

struct CronOptions {
    std::string registry = "fencepost.cron.json";
    std::string now;
};

// Usage: the message begins with the file.
Result<CronRegistry> registryOf(const CronOptions& options)
{
    const auto text = readFile(options.registry);
    if (!text)
        return text.error();
    auto registry = parseCronRegistry(*text);
    if (!registry) {
        auto error = registry.error();
        error.message = options.registry + ": " + error.message;
        return error;
    }
    return registry;
}

Result<Time> instantOf(const CronOptions& options)
{
    return options.now.empty() ? Result<Time>(SystemClock().now()) : parseInstant(options.now);
}

std::string targetOf(const CronJob& job)
{
    std::string text;
    for (const auto& word : job.command)
        text += (text.empty() ? "" : " ") + word;
    if (!job.url.empty())
        return job.url;
    return withoutCredentials(text.empty() ? "$" + job.urlVariable + job.path : text);
}

Result<std::string> urlOf(const CronJob& job)
{
    if (job.urlVariable.empty())
        return job.url;
    const char* base = std::getenv(job.urlVariable.c_str());
    if (base == nullptr || *base == '\0')
        return invalid("The variable " + job.urlVariable + " with the address of " + job.id + " is not set");
    return withoutSlashes(base) + job.path;
}

std::vector<CronSlot> dueIn(const CronRegistry& registry, Time now)
{
    std::vector<CronSlot> due;
    for (const auto& job : registry.jobs)
        for (const auto at : dueSlots(job, now))
            due.push_back({ &job, at });
    std::stable_sort(
        due.begin(), due.end(), [](const CronSlot& one, const CronSlot& other) { return one.at < other.at; });
    return due;
}

int list(Context& context, const CronOptions& options)
{
    const auto registry = registryOf(options);
    const auto now = instantOf(options);
    if (!registry || !now)
        return context.rejectInput(registry ? now.error() : registry.error());
    Table table(context.out, { "JOB", "SCHEDULE", "NEXT", "MISSED", "TARGET" });
    for (const auto& job : registry->jobs) {
        const auto next = job.schedule.nextAfter(*now);
        if (context.out.isJson())
            context.out.object({ { "id", job.id }, { "schedule", job.scheduleText }, { "next", orNull(next) },
                { "missed", wordOf(job.missed) }, { "scopes", job.scopes }, { "target", targetOf(job) } });
        else
            table.add({ printable(job.id), job.scheduleText, next ? formatInstant(*next) : "never",
                std::string(wordOf(job.missed)), printable(targetOf(job)) });
    }
    if (!context.out.isJson())
        table.show();
    return Exit::Done;
}

int check(Context& context, const CronOptions& options)
{
    const auto registry = registryOf(options);
    if (!registry)
        return context.rejectInput(registry.error());
    if (context.out.isJson())
        context.out.object({ { "jobs", registry->jobs.size() } });
    else
        context.out.line(std::to_string(registry->jobs.size()) + " jobs, nothing wrong");
    return Exit::Done;
}

// What the store says of a slot; none: nothing yet.
Result<std::optional<Record>> recordOf(Store& records, const CronSlot& slot)
{
    auto found = records.find(slot.id());
    if (!found)
        return found;
    const auto now = records.now();
    if (!now)
        return now.error();
    return *found && isExpired(**found, *now) && isTerminal((*found)->status) ? std::optional<Record>() : *found;
}

// Every due slot, with what the store says of it.
int forEachDue(Context& context, const CronOptions& options,
    const std::function<void(const CronSlot&, const std::optional<Record>&)>& body)
{
    const auto registry = registryOf(options);
    const auto now = instantOf(options);
    if (!registry || !now)
        return context.rejectInput(registry ? now.error() : registry.error());
    auto records = context.openStore();
    if (!records)
        return context.fail(records.error());
    for (const auto& slot : dueIn(*registry, *now)) {
        const auto record = recordOf(**records, slot);
        if (!record)
            return context.fail(record.error());
        body(slot, *record);
    }
    return Exit::Done;
}

int due(Context& context, const CronOptions& options)
{
    Table table(context.out, { "RUN", "SCOPE", "STATE" });
    const int code = forEachDue(context, options, [&](const CronSlot& slot, const std::optional<Record>& record) {
        const auto state = record ? (record->hold ? State::Held : record->status) : State::Absent;
        const auto id = slot.id();
        if (context.out.isJson())
            context.out.object({ { "run_id", id.key }, { "scope", id.scope }, { "state", wordOf(state) } });
        else
            table.add({ printable(id.key), printable(id.scope), std::string(wordOf(state)) });
    });
    if (code == Exit::Done && !context.out.isJson())
        table.show();
    return code;
}

// As long as a slot is made up for, and once more, its record has to be there.
std::string ttlOf(Context& context, const CronSlot& slot)
{
    const auto policy = context.policy();
    const auto usual = policy ? policy->forRoute(cronScope, slot.job->id).ttl.value : Duration(0);
    return std::to_string(std::max(usual, slot.job->catchUp * 2).count()) + "us";
}

int runSlot(Context& context, const CronSlot& slot)
{
    const auto id = slot.id();
    if (!slot.job->command.empty()) {
        const auto end = runOnce(context,
            { .key = id.key,
                .scope = id.scope,
                .ttl = ttlOf(context, slot),
                .scopes = slot.job->scopes,
                .command = slot.job->command });
        // Somebody else runs it at the moment: that is as good.
        if (end.outcome == wordOf(Outcome::InFlight) || end.outcome == wordOf(Outcome::Replay))
            return Exit::Done;
        const bool failed = end.outcome == wordOf(Outcome::Execute) && end.code != 0;
        if (failed && !context.out.isJson())
            context.out.note(printable(id.key) + " ended with exit code " + std::to_string(end.code));
        return failed ? Exit::Failed : end.code;
    }
    const auto url = urlOf(*slot.job);
    const auto posted =
        url ? postSlot(context, slot, *url) : PostedSlot{ "failed", url.error().message, {}, Exit::Usage };
    if (context.out.isJson())
        context.out.object({ { "run_id", id.key }, { "scope", id.scope }, { "outcome", posted.outcome },
            { "reason", posted.reason }, { "status", orNull(posted.status) } });
    else
        context.out.line(printable(id.key) + "  " + posted.outcome
            + (posted.status ? "  " + std::to_string(*posted.status) : "")
            + (posted.reason.empty() ? "" : "  " + printable(posted.reason)));
    return posted.outcome == wordOf(Outcome::InFlight) ? Exit::Done : posted.code;
}

int run(Context& context, const CronOptions& options)
{
    int worst = Exit::Done;
    const int code = forEachDue(context, options, [&](const CronSlot& slot, const std::optional<Record>& record) {
        if (record && isTerminal(record->status))
            return;
        worst = std::max(worst, runSlot(context, slot));
        context.out.flush();
    });
    return code == Exit::Done ? worst : code;
}

} // namespace

void addCronCommands(CLI::App& app, Context& context)
{
    auto* cron = app.add_subcommand("cron", "A registry of jobs, each of whose slots is carried out once");
    cron->require_subcommand(1);
    const auto declare = [](CLI::App& command, CronOptions& options) {
        command.add_option("--registry", options.registry, "The registry file (fencepost.cron.json)");
        command.add_option("--now", options.now, "As if it were that instant");
    };
    addCommand<CronOptions>(*cron, context, "list", "The jobs and when they are due next", declare, list);
    addCommand<CronOptions>(*cron, context, "check", "Whether the file can be read as a registry", declare, check);
    addCommand<CronOptions>(*cron, context, "due", "The slots that are due, and what has become of them", declare, due);
    addCommand<CronOptions>(
        *cron, context, "run", "Carry out every due slot that nobody has carried out", declare, run);
}

} // namespace fencepost::app

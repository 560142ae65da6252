// SPDX-License-Identifier: GPL-3.0-or-later
#include <QUrl>

#include "app/ctl/commands.h"
#include "app/ctl/completer.h"
#include "app/ctl/files.h"
#include "app/ctl/interrupt.h"
#include "app/ctl/run_client.h"
#include "app/ctl/service_address.h"

namespace fencepost::app {

namespace {

struct CompleteOptions {
    std::string to;
    std::optional<int> batch; // none: the policy's
    int concurrency = 4;
    std::string age;
    std::string lastRun;
    std::string every;
    bool once = false;
    std::string principal = "anonymous";
    std::string principalHeader;
    std::vector<std::string> contentTypes;
    int authorizationFd = -1;
};

Result<std::string> authorizationOf(int descriptor)
{
    if (descriptor < 0)
        return authorizationOfRun();
    return readDescriptor(descriptor, "The credential");
}

Result<std::string> baseOf(const std::string& text)
{
    const QUrl url(QString::fromStdString(text), QUrl::StrictMode);
    const bool plain = url.isValid()
        && (url.scheme() == QLatin1String("http") || url.scheme() == QLatin1String("https")) && !url.host().isEmpty()
        && url.userInfo().isEmpty() && !url.hasQuery() && !url.hasFragment();
    if (!plain)
        return invalid("\"" + text + "\" is no address of a service, such as http://localhost:8080");
    return withoutSlashes(text);
}

Result<CompleterOptions> optionsOf(const CompleteOptions& given)
{
    CompleterOptions options;
    const auto to = baseOf(given.to);
    if (!to)
        return to.error();
    options.to = *to;
    options.concurrency = given.concurrency;
    for (auto [text, length] : { std::pair(&given.age, &options.age), std::pair(&given.lastRun, &options.lastRun) }) {
        if (text->empty())
            continue;
        const auto parsed = parseDuration(*text);
        if (!parsed)
            return parsed.error();
        *length = *parsed;
    }
    options.rules.principal = given.principal;
    options.rules.anyPrincipal = !given.principalHeader.empty();
    options.principalHeader = given.principalHeader;
    options.contentTypes = given.contentTypes;
    const auto authorization = authorizationOf(given.authorizationFd);
    if (!authorization)
        return authorization.error();
    options.authorization = *authorization;
    return options;
}

void show(Context& context, const Completed& completed)
{
    if (context.out.isJson())
        return context.out.object({ { "scope", completed.id.scope }, { "operation", completed.id.operation },
            { "key", completed.id.key }, { "outcome", completed.outcome }, { "reason", completed.reason },
            { "status", orNull(completed.status) },
            { "state", completed.state ? json(wordOf(*completed.state)) : json() } });
    auto line = completed.outcome + "  " + printable(completed.id.operation) + "  " + printable(completed.id.key);
    if (completed.status)
        line += "  " + std::to_string(*completed.status);
    if (!completed.reason.empty())
        line += "  " + printable(completed.reason);
    context.out.line(line);
}

void show(Context& context, const CompletionTotals& totals)
{
    if (context.out.isJson())
        return context.out.object({ { "outcomes", totals.outcomes }, { "skipped", totals.skipped } });
    std::string line;
    for (const auto& [outcome, count] : totals.outcomes)
        line += (line.empty() ? "" : " · ") + outcome + " " + std::to_string(count);
    context.out.line(line.empty() ? "nothing to complete" : line);
    for (const auto& reason : skipReasons())
        if (const auto count = totals.skipped.find(std::string(reason.word)); count != totals.skipped.end())
            context.out.note("skipped " + std::to_string(count->second) + ": " + std::string(reason.sentence));
}

int exitOf(const CompletionTotals& totals)
{
    if (totals.outcomes.contains("elsewhere") || totals.outcomes.contains("refused"))
        return Exit::Refused;
    return totals.outcomes.contains("unreachable") || totals.outcomes.contains("answered") ? Exit::Failed : Exit::Done;
}

int complete(Context& context, const CompleteOptions& given)
{
    auto options = optionsOf(given);
    if (!options)
        return context.usage(options.error());
    auto policy = context.policy();
    if (!policy)
        return context.rejectInput(policy.error());
    options->policy = std::move(*policy);
    options->batch = given.batch.value_or(options->policy.forRoute({}, {}).completerBatch.value);
    std::optional<Duration> every;
    if (!given.every.empty()) {
        const auto parsed = parseDuration(given.every);
        if (!parsed || *parsed < std::chrono::seconds(1) || given.once)
            return context.usage(parsed ? "--every needs at least 1s, and excludes --once" : parsed.error().message);
        every = *parsed;
    }
    auto records = context.openStore();
    if (!records)
        return context.fail(records.error());
    auto connection = context.connect(store::Access::ReadOnly, false);
    if (!connection)
        return context.fail(connection.error());
    http::ClientOptions clientOptions;
    clientOptions.policy.attemptTimeout = std::chrono::seconds(30);
    clientOptions.policy.total.reset();
    RunClient client(context.random, options->authorization, std::move(clientOptions));
    Completer completer(**connection, **records, client.client(), *options);
    const Interrupt interrupt;
    while (true) {
        const auto totals = completer.pass(
            [&](const Completed& completed) { show(context, completed); }, [&] { return interrupt.wasAsked(); });
        if (!totals)
            return context.fail(totals.error());
        show(context, *totals);
        if (!every || interrupt.wasAsked())
            return exitOf(*totals);
        context.out.flush();
        interrupt.wait(*every);
        if (interrupt.wasAsked())
            return exitOf(*totals);
    }
}

} // namespace

void addCompleteCommand(CLI::App& app, Context& context)
{
    addCommand<CompleteOptions>(
        app, context, "complete", "Send abandoned requests to their service again, under their own keys",
        [](CLI::App& command, CompleteOptions& options) {
            command.add_option("--to", options.to, "The service: http://HOST:PORT, before the stored path")->required();
            command
                .add_option("--batch", options.batch, "Most requests in one pass (the policy's completer_batch: 100)")
                ->check(CLI::Range(1, 100'000));
            command.add_option("--concurrency", options.concurrency, "Requests at the same time (4)")
                ->check(CLI::Range(1, 64));
            command.add_option("--age", options.age, "Only requests that began that long ago (the policy's: 300s)");
            command.add_option(
                "--last-run", options.lastRun, "and were not attempted since that long (the policy's: 60s)");
            command.add_flag("--once", options.once, "One pass (the default)");
            command.add_option("--every", options.every, "A pass in that interval, until it is interrupted");
            command.add_option("--principal", options.principal,
                "Whom the service takes this program for; others' requests are skipped (anonymous)");
            command.add_option("--principal-header", options.principalHeader,
                "The service believes this header: each request is sent in the name of who made it");
            command.add_option("--content-type", options.contentTypes,
                "A content type that requests may have had whose headers were not kept, beside the usual ones");
            command.add_option("--authorization-fd", options.authorizationFd,
                "File descriptor to read the Authorization of this run from");
            command.footer("A credential for the run is read from FENCEPOST_AUTHORIZATION or --authorization-fd, and "
                           "kept nowhere. 3: the service refused one or keeps other records; 1: one was not answered.");
        },
        complete);
}

} // namespace fencepost::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include "app/lab/commands.h"
#include "app/lab/faults.h"

namespace fencepost::app {

namespace {

Status readRetries(const ClientWords& words, RoutePolicy& retries)
{
    if (!words.policy.empty()) {
        const auto policy = loadPolicy(words.policy);
        if (!policy)
            return policy.error();
        retries = policy->forRoute("POST_/refunds", "refund.create");
    }
    if (words.preset.empty())
        return {};
    const auto preset = retry::presetOf(words.preset);
    if (!preset)
        return preset.error();
    retries.retryPreset.value = preset->name;
    retries.retryAttempts.value = preset->attempts;
    retries.retryTotal.value = preset->total.value_or(Duration(0));
    retries.attemptTimeout.value = preset->attemptTimeout;
    retries.serverErrors.value = preset->serverErrors;
    return {};
}

} // namespace

void addClientOptions(CLI::App& app, ClientWords& words)
{
    auto& options = words.options;
    app.add_option("--url", options.url, "The lab, as in http://127.0.0.1:8080")->required();
    app.add_option("--requests", options.requests, "How many refunds (100)")->check(CLI::Range(1, 1'000'000));
    app.add_option("--concurrency", options.concurrency, "How many at once (6)")->check(CLI::Range(1, 1000));
    app.add_option("--duplicates", options.duplicates,
           "How often each is sent besides, at the same time and with the same key (0)")
        ->check(CLI::Range(0, 100));
    app.add_option("--faults", options.faults,
        "Faults that the lab is asked for with every request, as in 'reset-after:20%, delay=50ms'");
    app.add_option(
        "--preset", words.preset, "How it retries: playbook, atlas, vendor, aws, … (the policy's: playbook)");
    app.add_option("--policy", words.policy, "fencepost.policy.json: retries, budget and breaker of refund.create");
    app.add_option(
        "--journal", options.journalPath, "SQLite file for the keys; what a process before left in it is sent first");
    app.add_option("--rounds", options.rounds,
           "How often what was not settled is asked for again, with the same keys (5); while its breaker lets nothing "
           "out "
           "it waits")
        ->check(CLI::Range(0, 1000));
    app.add_option("--otlp", options.spansPath, "File for the spans of calls and attempts, as OTLP JSON lines");
    app.add_option("--metrics", options.metricsPath,
        "File for its metrics when it is over, as Prometheus text: retries, delays, budget, breaker, limiter");
    app.add_option("--seed", words.seed, "Of the delays between attempts");
    app.add_flag("--json", words.json, "One JSON object instead of text");
    app.footer(
        "Exit code: 0 when every operation is settled and has exactly its effect, 1 when one is unsettled or the lab\n"
        "does not answer, 2 when it was called wrongly, 3 when an effect was doubled or lost.");
}

int drive(const ClientWords& words)
{
    auto options = words.options;
    if (!words.seed.empty()) {
        std::uint64_t seed = 0;
        if (!CLI::detail::lexical_cast(words.seed, seed)) {
            std::cerr << "fencepost-lab: --seed is a number\n";
            return LabUsage;
        }
        options.seed = seed;
    }
    if (const auto faults = parseFaults(options.faults); !options.faults.empty() && !faults) {
        std::cerr << "fencepost-lab: --faults: " << inWords(faults.error()) << '\n';
        return LabUsage;
    }
    if (const auto retries = readRetries(words, options.policy); !retries) {
        std::cerr << "fencepost-lab: " << inWords(retries.error()) << '\n';
        return LabUsage;
    }
    while (options.url.ends_with('/'))
        options.url.pop_back();
    const auto report = ClientRun(options).carryOut();
    if (!report) {
        std::cerr << "fencepost-lab: " << inWords(report.error()) << '\n' << report.error().detail << '\n';
        return report.error().failure == Failure::Invalid ? LabUsage : LabFailed;
    }
    std::cout << (words.json ? report->json() + '\n' : report->text()) << std::flush;
    for (const auto& file : report->unwritten)
        std::cerr << "fencepost-lab: " << file
                  << " does not hold everything: it could not be written to its end. What was sent is sent, and the "
                     "report says what became of it; a run that is begun anew sends other refunds.\n";
    if (!report->isSound())
        return LabBroken;
    const bool whole = report->unsettled == 0 && report->unjudged.empty() && report->unwritten.empty();
    return whole ? LabDone : LabFailed;
}

} // namespace fencepost::app

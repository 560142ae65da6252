// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/forensics.h"
#include "core/without_credentials.h"

namespace fencepost::app {

namespace {

constexpr auto lastHour = std::chrono::hours(1);

struct HistogramOptions {
    RangeWords range;
    std::string filter;
    std::string preset;
    std::string around;
};

// A policy of its own that was named promises for all; else the policy file's of the scope and operation.
Result<Promise> promiseOf(Context& context, const std::string& preset)
{
    const auto before = [](const retry::Policy& policy, int attempt) -> std::optional<retry::DelayRange> {
        if (attempt < 2)
            return {};
        return retry::rangeOf(policy.backoff, attempt - 1);
    };
    if (!preset.empty()) {
        const auto policy = retry::presetOf(preset);
        if (!policy)
            return policy.error();
        return Promise([before, policy = *policy](
                           const std::string&, const std::string&, int attempt) { return before(policy, attempt); });
    }
    if (context.policyFile().empty())
        return Promise();
    const auto policy = context.policy();
    if (!policy)
        return policy.error();
    return Promise([before, policy = *policy](const std::string& scope, const std::string& operation,
                       int attempt) -> std::optional<retry::DelayRange> {
        if (scope.empty())
            return {};
        return before(retryPolicyOf(policy.forRoute(scope, operation)), attempt);
    });
}

json toJson(const SpanHistogram& histogram)
{
    auto steps = json::array();
    for (const auto& step : histogram.steps())
        steps.push_back(
            { { "from_us", step.from.count() }, { "until_us", step.until.count() }, { "count", step.count } });
    return { { "count", histogram.count() }, { "least_us", histogram.least().count() },
        { "p50_us", histogram.quantile(0.5).count() }, { "p95_us", histogram.quantile(0.95).count() },
        { "most_us", histogram.most().count() }, { "steps", steps } };
}

class JsonRetries {
public:
    JsonRetries(Context& context, const Binding& binding)
        : m_context(context)
        , m_binding(binding)
    {
    }

    void show(const Retries& retries)
    {
        for (const auto& each : retries.attempts)
            figure("attempts", { { "attempts", each.attempts }, { "state", each.state }, { "count", each.count } });
        for (const auto& each : retries.delays)
            showDelays(each);
        if (retries.timeToSuccess.count() > 0)
            figure("time_to_success", toJson(retries.timeToSuccess));
        for (const auto& each : retries.successAfter)
            figure("success_after", { { "attempts", each.attempts }, { "count", each.count } });
        if (!retries.rates.empty())
            showRates(retries);
        if (!retries.arrivals.empty())
            showArrivals(retries);
    }

private:
    void figure(const char* name, const json& members)
    {
        json object{ { "binding", m_binding.name }, { "figure", name } };
        object.update(members);
        m_context.out.object(object);
    }
    void showDelays(const AttemptDelays& each)
    {
        json members{ { "operation", withoutCredentials(each.operation) }, { "attempt", each.attempt },
            { "early", json() }, { "late", json() }, { "promised_us", json() } };
        // Without a promise nothing is early or late.
        if (each.promised) {
            members["promised_us"] = { each.promised->least.count(), each.promised->most.count() };
            members["early"] = each.early;
            members["late"] = each.late;
        }
        members.update(toJson(each.delays));
        figure("delay", members);
    }
    void showRates(const Retries& retries)
    {
        auto rates = json::array();
        for (const auto& rate : retries.rates)
            rates.push_back({ { "from", formatInstant(rate.from) }, { "first", rate.first }, { "again", rate.again } });
        figure("amplification",
            { { "amplification", amplificationOf(retries.rates) }, { "budget", retryBudget },
                { "width_us", retries.rateWidth.count() }, { "rates", rates } });
    }
    void showArrivals(const Retries& retries)
    {
        auto arrivals = json::array();
        for (const auto& arrival : retries.arrivals)
            arrivals.push_back({ { "from", formatInstant(arrival.from) }, { "count", arrival.count } });
        figure("arrivals",
            { { "width_us", arrivalWidth.count() }, { "from", formatInstant(retries.arrivalsRange.from) },
                { "until", formatInstant(retries.arrivalsRange.until) }, { "peak", orNull(retries.peak) },
                { "arrivals", arrivals } });
    }

    Context& m_context;
    const Binding& m_binding;
};

// A second and a half is no second where delays are compared: "1.6s", "1m 30.25s".
std::string precise(Duration duration)
{
    using std::chrono::minutes;
    if (duration < std::chrono::seconds(1))
        return formatDuration(duration);
    const auto whole = std::chrono::floor<minutes>(duration);
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", std::chrono::duration<double>(duration - whole).count());
    std::string seconds = text;
    seconds.erase(seconds.find_last_not_of('0') + 1);
    if (seconds.ends_with('.'))
        seconds.pop_back();
    if (whole == minutes(0))
        return seconds + "s";
    const auto hours = std::chrono::floor<std::chrono::hours>(whole);
    std::string words = hours.count() > 0 ? std::to_string(hours.count()) + "h" : std::string();
    for (const auto& [count, unit] : { std::pair(std::to_string((whole - hours).count()), "m"), { seconds, "s" } })
        if (count != "0")
            words += (words.empty() ? "" : " ") + count + unit;
    return words;
}

std::string promiseInWords(const AttemptDelays& each)
{
    if (!each.promised)
        return "-";
    return precise(each.promised->least) + " to " + precise(each.promised->most);
}

void showTables(Context& context, const Binding& binding, const Retries& retries)
{
    auto& out = context.out;
    out.line(binding.name + ", " + formatInstant(retries.basis.range.from) + " to "
        + formatInstant(retries.basis.range.until));
    if (retries.attempts.empty() && retries.delays.empty())
        out.line("  nothing was tried");
    if (!retries.attempts.empty()) {
        Table table(out, { "ATTEMPTS", "STATE", "ROWS" });
        for (const auto& each : retries.attempts)
            table.add({ std::to_string(each.attempts), each.state, std::to_string(each.count) });
        table.show();
    }
    if (!retries.delays.empty()) {
        Table table(out,
            { "OPERATION", "BEFORE ATTEMPT", "DELAYS", "LEAST", "P50", "P95", "MOST", "PROMISED", "EARLY", "LATE" });
        for (const auto& each : retries.delays)
            table.add({ withoutCredentials(each.operation), std::to_string(each.attempt),
                std::to_string(each.delays.count()), precise(each.delays.least()), precise(each.delays.quantile(0.5)),
                precise(each.delays.quantile(0.95)), precise(each.delays.most()), promiseInWords(each),
                each.promised ? std::to_string(each.early) : "-", each.promised ? std::to_string(each.late) : "-" });
        table.show();
    }
    if (!retries.successAfter.empty()) {
        Table table(out, { "SUCCEEDED AFTER", "RECORDS" });
        for (const auto& each : retries.successAfter)
            table.add({ std::to_string(each.attempts), std::to_string(each.count) });
        table.show();
    }
    if (retries.timeToSuccess.count() > 0)
        out.line("time to success: p50 " + precise(retries.timeToSuccess.quantile(0.5)) + ", p95 "
            + precise(retries.timeToSuccess.quantile(0.95)) + ", most " + precise(retries.timeToSuccess.most()));
    if (const auto amplified = amplificationOf(retries.rates); amplified > 0) {
        char text[80];
        std::snprintf(text, sizeof text, "amplification: %.2f attempts for each first one, the budget is %.2f",
            amplified, 1 + retryBudget);
        out.line(text);
    }
    if (retries.peak)
        out.line("the most failures: from " + formatInstant(*retries.peak));
}

int histogram(Context& context, const HistogramOptions& options)
{
    RetriesRequest request;
    const auto range = rangeOf(context, options.range, lastHour);
    if (!range)
        return context.usage(range.error());
    request.range = *range;
    auto filter = parseFilter(options.filter);
    if (!filter)
        return context.usage(filter.error());
    request.filter = std::move(*filter);
    auto promise = promiseOf(context, options.preset);
    if (!promise)
        return context.usage(promise.error());
    request.promise = std::move(*promise);
    if (!options.around.empty()) {
        const auto around = instantOf(context, "--around", options.around);
        if (!around)
            return context.usage(around.error());
        request.around = *around;
    }
    const std::vector<Kind> kinds{ Kind::Idempotency, Kind::Inbox, Kind::Outbox };
    return forEachTable(context, kinds, [&](const Asked& asked) -> Status {
        const auto found = asked.forensics.retries(asked.binding, request);
        if (!found)
            return found.error();
        if (context.out.isJson())
            JsonRetries(context, asked.binding).show(*found);
        else
            showTables(context, asked.binding, *found);
        tellBasis(context, options.range, asked.binding, found->basis);
        return {};
    });
}

void declareHistogram(CLI::App& command, HistogramOptions& options)
{
    declareRange(command, options.range, "1h");
    command.add_option("--filter", options.filter, "Of the rows that are counted by their attempts");
    command.add_option("--preset", options.preset,
        "What is promised of the delays: playbook, atlas, vendor, aws, … (the policy file's, by scope and operation)");
    command.add_option(
        "--around", options.around, "Instant around which arrivals are shown per 100 ms (the most failures)");
}

} // namespace

void addRetriesCommands(CLI::App& app, Context& context)
{
    auto* retries = app.add_subcommand("retries", "How rows were tried again");
    retries->require_subcommand(1);
    addCommand<HistogramOptions>(*retries, context, "histogram",
        "Attempts by state, delays against what was promised, time to success, amplification and arrivals",
        declareHistogram, histogram);
}

} // namespace fencepost::app

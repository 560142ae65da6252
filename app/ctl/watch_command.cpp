// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>
#include <set>
#include <utility>

#include "app/ctl/commands.h"
#include "app/ctl/interrupt.h"
#include "app/delivery/own_roots.h"
#include "app/delivery/webhook_secrets.h"
#include "core/delivery/alert_webhook.h"
#include "core/retry/steady_clock.h"
#include "core/without_credentials.h"

namespace fencepost::app {

namespace {

struct WatchOptions {
    std::vector<std::string> rules;
    std::string every = "30s";
    std::string webhook;
    bool once = false;
    bool first = false;
    bool list = false;
};

// What a webhook is given to take the last one, when the watch is over.
constexpr auto lastDelivery = std::chrono::seconds(10);

json toJson(const AlertState& state)
{
    const auto& measure = *state.rule.measure;
    json object{ { "rule", textOf(state.rule) }, { "firing", state.firing }, { "since", orNull(state.since) },
        { "value", nullptr }, { "value_in_words", nullptr }, { "exact", nullptr }, { "estimated", nullptr },
        { "binding", nullptr } };
    // What is not known is neither quiet nor over.
    if (state.error) {
        object["firing"] = nullptr;
        object["error"] = state.error->message;
    } else if (state.reading) {
        object["value"] = state.reading->value;
        object["value_in_words"] = alertValueInWords(measure, state.reading->value);
        object["exact"] = state.reading->exact;
        object["estimated"] = state.reading->estimated;
        if (!state.reading->binding.empty())
            object["binding"] = state.reading->binding;
    }
    return object;
}

int listMeasures(Context& context)
{
    Table table(context.out, { "MEASURE", "EXAMPLE", "WHAT IT IS" });
    for (const auto& measure : alertMeasures()) {
        if (context.out.isJson())
            context.out.object(
                { { "measure", measure.id }, { "example", measure.example }, { "what", measure.title } });
        else
            table.add({ measure.id, measure.example, measure.title });
    }
    if (!context.out.isJson())
        table.show();
    return Exit::Done;
}

class Watcher {
public:
    Watcher(Context& context, std::vector<AlertRule> rules, std::unique_ptr<delivery::AlertWebhook> webhook)
        : m_context(context)
        , m_watch(std::move(rules))
        , m_webhook(std::move(webhook))
    {
    }

    // Of one look at all rules: those that changed are told.
    void look(Inspector& inspector, bool shown)
    {
        const auto changes = m_watch.look(inspector);
        for (const auto& change : changes) {
            if (shown)
                show(change);
            if (m_webhook)
                m_webhook->tell(change);
        }
        for (const auto& state : m_watch.states()) {
            auto& said = m_saidOf[textOf(state.rule)];
            const auto problem = state.error ? state.error->message : std::string();
            if (std::exchange(said, problem) != problem && state.error)
                m_context.out.error(*state.error);
        }
        tellWhetherWatched(shown);
        m_context.out.flush();
    }
    void showAll() const
    {
        for (const auto& state : m_watch.states()) {
            if (m_context.out.isJson())
                m_context.out.object(toJson(state));
            else if (state.error)
                m_context.out.line("UNKNOWN " + textOf(state.rule) + ": " + printable(state.error->message));
            else
                m_context.out.line(std::string(state.firing ? "FIRING " : "ok     ") + textOf(state.rule) + ": "
                    + (state.reading->estimated ? "about " : "")
                    + alertValueInWords(*state.rule.measure, state.reading->value)
                    + (state.reading->binding.empty() ? "" : ", most in " + printable(state.reading->binding)));
        }
    }
    void tendWebhook()
    {
        if (!m_webhook)
            return;
        m_webhook->tend();
        if (m_webhook->problem() && m_said.insert(*m_webhook->problem()).second)
            m_context.out.note("the webhook took no alert: " + *m_webhook->problem() + "; it is told again");
    }
    // Whether the webhook has all of it.
    bool deliverTheRest(const Interrupt& interrupt)
    {
        if (!m_webhook)
            return true;
        const retry::SteadyClock steady;
        const auto until = steady.now() + lastDelivery;
        constexpr auto lookEvery = std::chrono::milliseconds(50);
        while ((m_webhook->waiting() > 0 || m_webhook->isSending()) && steady.now() < until && !interrupt.wasAsked())
            interrupt.wait(lookEvery);
        if (m_webhook->waiting() == 0 && !m_webhook->problem())
            return true;
        m_context.out.note(std::to_string(m_webhook->waiting()) + " alerts were not taken by the webhook"
            + (m_webhook->problem() ? ": " + *m_webhook->problem() : std::string()));
        return false;
    }
    [[nodiscard]] bool firing() const { return m_watch.firing(); }
    [[nodiscard]] bool isCutOff() const
    {
        return std::any_of(m_watch.states().begin(), m_watch.states().end(),
            [](const AlertState& state) { return state.error && state.error->failure == Failure::Unavailable; });
    }
    [[nodiscard]] bool failed() const
    {
        return std::any_of(m_watch.states().begin(), m_watch.states().end(),
            [](const AlertState& state) { return state.error.has_value(); });
    }

private:
    // Silence means that all is well only as long as somebody looks.
    void tellWhetherWatched(bool shown)
    {
        if (isCutOff() == m_cutOff)
            return;
        m_cutOff = !m_cutOff;
        const auto now = SystemClock().now();
        if (m_webhook)
            m_webhook->tellWhetherWatched(!m_cutOff, now);
        const auto at = formatInstant(now);
        if (!shown)
            return;
        if (m_context.out.isJson())
            m_context.out.object({ { "watching", !m_cutOff }, { "at", at } });
        else
            m_context.out.line(at
                + (m_cutOff ? "  UNKNOWN  nothing is known of any rule: the connection is lost"
                            : "  WATCHED  the connection is back"));
    }
    void show(const AlertChange& change)
    {
        if (m_context.out.isJson()) {
            auto object = toJson(change.state);
            object["at"] = formatInstant(change.at);
            m_context.out.object(object);
        } else {
            m_context.out.line(formatInstant(change.at) + (change.state.firing ? "  FIRING  " : "  over    ")
                + printable(alertInWords(change)));
        }
    }

    Context& m_context;
    AlertWatch m_watch;
    std::unique_ptr<delivery::AlertWebhook> m_webhook;
    std::set<std::string> m_said; // what was said once needs not be said every time
    std::map<std::string, std::string> m_saidOf; // of each rule
    bool m_cutOff = false;
};

Result<std::vector<AlertRule>> rulesOf(const WatchOptions& options)
{
    std::vector<AlertRule> rules;
    for (const auto& text : options.rules) {
        const auto rule = parseAlertRule(text);
        if (!rule)
            return rule.error();
        rules.push_back(*rule);
    }
    if (rules.empty())
        return Error{ Failure::Invalid, "Say what is to be watched, as in --rule 'stuck > 10'", {}, {},
            "watch --list shows what can be" };
    return rules;
}

int watch(Context& context, const WatchOptions& options)
{
    if (options.list)
        return listMeasures(context);
    auto rules = rulesOf(options);
    if (!rules)
        return context.usage(rules.error());
    const auto every = parseDuration(options.every);
    if (!every || *every < std::chrono::seconds(1))
        return context.usage("--every is a time of 1s or more");
    if (const auto* kind = delivery::targetKindOf(schemeOf(options.webhook)); !options.webhook.empty()) {
        if (kind == nullptr || !kind->signs)
            return context.usage("--webhook is an URL of http or https");
        if (const auto checked = kind->check(options.webhook); !checked)
            return context.usage(checked.error());
    }
    delivery::TargetOptions target;
    auto secrets = webhookSecrets();
    if (!secrets)
        return context.usage(secrets.error());
    target.secrets = std::move(*secrets);
    auto roots = ownRoots();
    if (!roots)
        return context.usage(roots.error());
    target.tls = std::move(*roots);
    auto backend = context.open(store::Access::ReadOnly);
    if (!backend)
        return context.fail(backend.error());
    const auto info = (*backend)->inspector().info();
    if (!info)
        return context.fail(info.error());
    const retry::SteadyClock steady;
    const SystemClock wall;
    std::unique_ptr<delivery::AlertWebhook> webhook;
    if (!options.webhook.empty())
        webhook = std::make_unique<delivery::AlertWebhook>(delivery::TargetParts{ steady, wall, context.random },
            target, options.webhook, "fencepost:" + withoutCredentials(info->location));
    const Interrupt interrupt;
    Watcher watcher(context, std::move(*rules), std::move(webhook));
    while (true) {
        if (backend)
            watcher.look((*backend)->inspector(), !options.once);
        if (options.once || interrupt.wasAsked() || context.out.isClosed() || (options.first && watcher.firing()))
            break;
        interrupt.wait(*every);
        if (interrupt.wasAsked())
            break;
        watcher.tendWebhook();
        if (!backend || watcher.isCutOff())
            backend = context.openAgain(store::Access::ReadOnly);
    }
    if (options.once)
        watcher.showAll();
    const bool told = watcher.deliverTheRest(interrupt);
    if (watcher.firing())
        return Exit::Refused;
    return told && !watcher.failed() ? Exit::Done : Exit::Failed;
}

} // namespace

void addWatchCommand(CLI::App& app, Context& context)
{
    addCommand<WatchOptions>(
        app, context, "watch", "Tell when a figure is over what it may be; exit code 3 while one is",
        [](CLI::App& command, WatchOptions& options) {
            command
                .add_option("--rule", options.rules, "As in 'stuck > 10' or 'dead_letters > 20 in 5m'; may be repeated")
                ->allow_extra_args(false);
            command.add_option("--every", options.every, "Between two looks (30s)");
            command.add_option("--webhook", options.webhook,
                std::string("URL that is told of each change, signed with the secret in ") + webhookSecretVariable);
            command.add_flag("--once", options.once, "One look: what every rule's figure is now");
            command.add_flag("--first", options.first, "End with the first rule that fires");
            command.add_flag("--list", options.list, "What can be watched");
        },
        watch);
}

} // namespace fencepost::app

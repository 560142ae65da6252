// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/policy.h"

#include <algorithm>

#include "core/protocol/policy_knobs.h"
#include "core/protocol/vendor.h"
#include "core/retry/breaker.h"
#include "core/retry/limiter.h"

namespace fencepost {

namespace {

using namespace std::chrono_literals;
using std::chrono::hours;

constexpr hours day{ 24 };
constexpr Duration financialEffects = 400 * day;

// Matches "*" against any text, also none; everything else is itself.
bool matches(std::string_view pattern, std::string_view text)
{
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    std::size_t p = 0;
    std::size_t t = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

template <typename T, typename Source> void follow(Setting<T>& setting, T value, const Setting<Source>& source)
{
    if (!setting.isSaid())
        setting = { std::move(value), source.origin, source.from };
}

void overlay(RoutePolicy& policy, const PolicyLayer& layer, Origin origin, const std::string& from)
{
    for (const auto& knob : knobs())
        knob.overlay(policy, layer, origin, from);
}

RoutePolicy builtIn()
{
    RoutePolicy policy;
    policy.ttl.value = day;
    policy.lease.value = 60s;
    policy.retryAfter.value = 5s;
    policy.tombstone.value = 30 * day;
    policy.grace.value = 1h;
    policy.keyRequired.value = true;
    policy.keyLongest.value = static_cast<int>(longestKey);
    policy.mismatchStatus.value = 409;
    policy.expiredStatus.value = 409;
    policy.wait.value = 2s;
    policy.workTime.value = 30s;
    policy.longestWork.value = 60s;
    policy.longestBody.value = 1 << 20;
    policy.longestStored.value = 256 << 10;
    const retry::LimiterOptions limiter;
    policy.limiterStart.value = limiter.start;
    policy.limiterLeast.value = limiter.least;
    policy.limiterMost.value = limiter.most;
    policy.limiterBackoff.value = limiter.backoffPercent;
    policy.completerAge.value = 300s;
    policy.completerLastRun.value = 60s;
    policy.retryPreset.value = "playbook";
    const retry::FinagleOptions budget;
    policy.budgetPercent.value = budget.percent;
    policy.budgetTtl.value = budget.ttl;
    policy.budgetLeast.value = budget.leastPerSecond;
    policy.budgetDeposit.value = budget.depositOn;
    const retry::BreakerOptions breaker;
    policy.breakerPercent.value = breaker.failurePercent;
    policy.breakerAttempts.value = breaker.minimum;
    policy.breakerWindow.value = breaker.window;
    policy.breakerOpen.value = breaker.openFor;
    policy.breakerLongestOpen.value = breaker.openMost;
    policy.breakerProbes.value = breaker.probes;
    policy.completerBatch.value = 100;
    policy.reaperBatch.value = 500;
    policy.outboxLease.value = 30s;
    policy.outboxBatch.value = 50;
    policy.outboxAttempts.value = 5;
    policy.webhookTimeout.value = 20s;
    policy.webhookTolerance.value = 300s;
    policy.inboxLease.value = 60s;
    policy.inboxAttempts.value = 5;
    policy.vendorTimeout.value = Vendor{}.timeout;
    return policy;
}

std::vector<SettingText> settingsOf(const RoutePolicy& policy, bool all)
{
    std::vector<SettingText> settings;
    for (const auto& knob : knobs()) {
        if (!all && knob.group != KnobGroup::Record)
            continue;
        settings.push_back(knob.text(policy));
        settings.back().name = knob.name;
    }
    return settings;
}

// What is allowed and unusual of what `where` says; what it says not is warned of where it is said.
void warnOf(const RoutePolicy& policy, const std::string& where, Origin origin, std::vector<std::string>& warnings)
{
    const auto warn = [&](const std::string& what) { warnings.push_back(where + ": " + what); };
    const auto says = [&](const auto& setting) { return setting.isSaid() && setting.origin == origin; };
    const bool saysTtl = says(policy.ttl);
    const auto ttl = formatDuration(policy.ttl.value);
    const bool money = policy.financial.value && (origin == Origin::Route || policy.financial.isSaid());
    if (money && policy.ttl.value < 7 * day)
        warn("financial, but its keys are forgotten after " + ttl + ", under 7d");
    else if (saysTtl && policy.ttl.value < day)
        warn("ttl " + ttl + " is under 24h, and no profile says so");
    else if (saysTtl && policy.ttl.value > 3 * day)
        warn("ttl " + ttl + " is over 72h, and no profile says so");
    if (money && policy.staleKey.value == StaleKey::Execute)
        warn("financial, but a key older than its record executes again");
    const bool saysTime = says(policy.attemptTimeout) || says(policy.retryTotal);
    if (saysTime && policy.retryTotal.value > Duration(0) && policy.attemptTimeout.value > policy.retryTotal.value)
        warn("attempt_timeout " + formatDuration(policy.attemptTimeout.value) + " is longer than retry_total "
            + formatDuration(policy.retryTotal.value) + ", which ends it");
}

void followPreset(RoutePolicy& policy)
{
    const auto preset = retry::presetOf(policy.retryPreset.value);
    if (!preset)
        return;
    follow(policy.retryAttempts, preset->attempts, policy.retryPreset);
    follow(policy.retryTotal, preset->total.value_or(Duration(0)), policy.retryPreset);
    follow(policy.attemptTimeout, preset->attemptTimeout, policy.retryPreset);
    follow(policy.serverErrors, preset->serverErrors, policy.retryPreset);
}

} // namespace

std::string_view wordOf(EffectClass effect) noexcept
{
    switch (effect) {
    case EffectClass::LocalTransaction:
        return "local_tx";
    case EffectClass::ExternalIdempotent:
        return "external_idempotent";
    case EffectClass::External:
        return "external";
    }
    return "";
}

std::string_view wordOf(StaleKey staleKey) noexcept
{
    switch (staleKey) {
    case StaleKey::Execute:
        return "execute";
    case StaleKey::Reject:
        return "reject";
    }
    return "";
}

std::string_view wordOf(Origin origin) noexcept
{
    switch (origin) {
    case Origin::Default:
        return "default";
    case Origin::Profile:
        return "profile";
    case Origin::Route:
        return "route";
    }
    return "";
}

std::string_view wordOf(InFlightAnswer answer) noexcept
{
    switch (answer) {
    case InFlightAnswer::Conflict:
        return "409";
    case InFlightAnswer::Accepted:
        return "202";
    case InFlightAnswer::SeeOther:
        return "303";
    case InFlightAnswer::Wait:
        return "wait";
    }
    return "";
}

std::string_view wordOf(ContractMode mode) noexcept
{
    switch (mode) {
    case ContractMode::ReserveFinalize:
        return "reserve_finalize";
    case ContractMode::SingleTransaction:
        return "single_tx";
    }
    return "";
}

std::string_view wordOf(FailureStorage storage) noexcept
{
    switch (storage) {
    case FailureStorage::Classified:
        return "classified";
    case FailureStorage::All:
        return "all";
    case FailureStorage::None:
        return "none";
    }
    return "";
}

Duration renewalOf(Duration lease)
{
    return std::max<Duration>(lease / 3, Duration(1));
}

Duration safetyMarginOf(Duration lease)
{
    return std::min<Duration>(lease / 2, std::max<Duration>(lease / 10, 500ms));
}

std::vector<SettingText> describe(const RoutePolicy& policy)
{
    return settingsOf(policy, false);
}

std::vector<SettingText> describeAll(const RoutePolicy& policy)
{
    return settingsOf(policy, true);
}

retry::Policy retryPolicyOf(const RoutePolicy& policy)
{
    const auto preset = retry::presetOf(policy.retryPreset.value);
    auto own = preset ? *preset : retry::presets().front();
    own.attempts = policy.retryAttempts.value;
    own.total = policy.retryTotal.value > Duration(0) ? std::optional(policy.retryTotal.value) : std::nullopt;
    own.attemptTimeout = policy.attemptTimeout.value;
    own.serverErrors = policy.serverErrors.value;
    return own;
}

Policy::Policy()
{
    PolicyLayer financial;
    financial.financial = true;
    financial.ttl = 7 * day;
    financial.staleKey = StaleKey::Reject;
    PolicyLayer inbox;
    inbox.ttl = 30 * day;
    m_profiles = { { "standard", {}, true }, { "financial", financial, true }, { "inbox", inbox, true } };
}

const PolicyProfile* Policy::profile(std::string_view name, bool builtIn) const
{
    for (const auto& candidate : m_profiles)
        if (candidate.name == name && candidate.builtIn == builtIn)
            return &candidate;
    return nullptr;
}

RoutePolicy Policy::resolve(const PolicyRoute* route, std::size_t index) const
{
    auto policy = builtIn();
    overlay(policy, m_defaults, Origin::Default, "defaults");
    if (route) {
        // A file may refine a built-in profile without repeating it.
        for (const bool builtIn : { true, false })
            if (const auto* named = profile(route->profile, builtIn))
                overlay(policy, named->layer, Origin::Profile, "profiles." + named->name);
        overlay(policy, route->layer, Origin::Route, "routes[" + std::to_string(index) + "]");
    }
    follow(policy.takeover, policy.effect.value == EffectClass::External ? Takeover::Manual : Takeover::Auto,
        policy.effect);
    follow(policy.staleKey, policy.financial.value ? StaleKey::Reject : StaleKey::Execute, policy.financial);
    if (policy.financial.value)
        follow(policy.effects, std::max<Duration>(financialEffects, policy.ttl.value), policy.financial);
    else
        follow(policy.effects, policy.ttl.value, policy.ttl);
    follow(policy.renewEvery, renewalOf(policy.lease.value), policy.lease);
    follow(policy.safetyMargin, safetyMarginOf(policy.lease.value), policy.lease);
    followPreset(policy);
    return policy;
}

RoutePolicy Policy::forRoute(std::string_view scope, std::string_view operation) const
{
    for (std::size_t i = 0; i < m_routes.size(); ++i)
        if (matches(m_routes[i].scope, scope) && matches(m_routes[i].operation, operation))
            return resolve(&m_routes[i], i);
    return resolve(nullptr, 0);
}

std::vector<std::string> Policy::warnings() const
{
    std::vector<std::string> warnings;
    warnOf(resolve(nullptr, 0), "defaults", Origin::Default, warnings);
    for (std::size_t i = 0; i < m_routes.size(); ++i)
        warnOf(resolve(&m_routes[i], i), "routes[" + std::to_string(i) + "]", Origin::Route, warnings);
    return warnings;
}

} // namespace fencepost

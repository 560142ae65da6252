// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/policy.h"

#include <array>

namespace fencepost {

namespace {

using namespace std::chrono_literals;
using std::chrono::hours;

constexpr hours day{ 24 };

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

template <typename T>
void take(Setting<T>& setting, const std::optional<T>& said, Origin origin, const std::string& from)
{
    if (said)
        setting = { *said, origin, from };
}

// Whether takeover and stale key were said anywhere, or have to follow from the rest.
struct Said {
    bool takeover = false;
    bool staleKey = false;
};

void overlay(RoutePolicy& policy, Said& said, const PolicyLayer& layer, Origin origin, const std::string& from)
{
    take(policy.effect, layer.effect, origin, from);
    take(policy.takeover, layer.takeover, origin, from);
    take(policy.financial, layer.financial, origin, from);
    take(policy.staleKey, layer.staleKey, origin, from);
    take(policy.ttl, layer.ttl, origin, from);
    take(policy.lease, layer.lease, origin, from);
    take(policy.maxAttempts, layer.maxAttempts, origin, from);
    take(policy.retryAfter, layer.retryAfter, origin, from);
    take(policy.tombstone, layer.tombstone, origin, from);
    take(policy.grace, layer.grace, origin, from);
    said.takeover = said.takeover || layer.takeover;
    said.staleKey = said.staleKey || layer.staleKey;
}

RoutePolicy builtIn()
{
    RoutePolicy policy;
    policy.ttl.value = day;
    policy.lease.value = 60s;
    policy.retryAfter.value = 5s;
    policy.tombstone.value = 30 * day;
    policy.grace.value = 1h;
    return policy;
}

// Two units are enough for people, but what is shown here may be written back.
std::string exactly(Duration duration)
{
    auto text = formatDuration(duration);
    if (const auto again = parseDuration(text); again && *again == duration)
        return text;
    return std::to_string(duration.count()) + "us";
}

template <typename T> SettingText text(const char* name, const Setting<T>& setting, std::string value)
{
    return { name, std::move(value), setting.origin, setting.from };
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

std::vector<SettingText> describe(const RoutePolicy& policy)
{
    return {
        text("effect", policy.effect, std::string(wordOf(policy.effect.value))),
        text("takeover", policy.takeover, std::string(wordOf(policy.takeover.value))),
        text("financial", policy.financial, policy.financial.value ? "true" : "false"),
        text("stale_key", policy.staleKey, std::string(wordOf(policy.staleKey.value))),
        text("ttl", policy.ttl, exactly(policy.ttl.value)),
        text("lease", policy.lease, exactly(policy.lease.value)),
        text("max_attempts", policy.maxAttempts, std::to_string(policy.maxAttempts.value)),
        text("retry_after", policy.retryAfter, exactly(policy.retryAfter.value)),
        text("tombstone", policy.tombstone, exactly(policy.tombstone.value)),
        text("grace", policy.grace, exactly(policy.grace.value)),
    };
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
    Said said;
    overlay(policy, said, m_defaults, Origin::Default, "defaults");
    if (route) {
        // A file may refine a built-in profile without repeating it.
        for (const bool builtIn : { true, false })
            if (const auto* named = profile(route->profile, builtIn))
                overlay(policy, said, named->layer, Origin::Profile, "profiles." + named->name);
        overlay(policy, said, route->layer, Origin::Route, "routes[" + std::to_string(index) + "]");
    }
    if (!said.takeover)
        policy.takeover = { policy.effect.value == EffectClass::External ? Takeover::Manual : Takeover::Auto,
            policy.effect.origin, policy.effect.from };
    if (!said.staleKey)
        policy.staleKey = { policy.financial.value ? StaleKey::Reject : StaleKey::Execute, policy.financial.origin,
            policy.financial.from };
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
    for (std::size_t i = 0; i < m_routes.size(); ++i) {
        const auto policy = resolve(&m_routes[i], i);
        const auto where = "routes[" + std::to_string(i) + "]: ";
        const auto ttl = formatDuration(policy.ttl.value);
        if (policy.financial.value && policy.ttl.value < 7 * day)
            warnings.push_back(where + "financial, but its keys are forgotten after " + ttl + ", under 7d");
        else if (policy.ttl.origin == Origin::Route && policy.ttl.value < day)
            warnings.push_back(where + "ttl " + ttl + " is under 24h, and no profile says so");
        else if (policy.ttl.origin == Origin::Route && policy.ttl.value > 3 * day)
            warnings.push_back(where + "ttl " + ttl + " is over 72h, and no profile says so");
        if (policy.financial.value && policy.staleKey.value == StaleKey::Execute)
            warnings.push_back(where + "financial, but a key older than its record executes again");
    }
    return warnings;
}

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/transition.h"

namespace fencepost {

// What may happen when an execution is repeated because nobody knows how far it came.
enum class EffectClass {
    LocalTransaction, // committed with the record, or not at all
    ExternalIdempotent, // the provider recognises a repeated call
    External, // a repeated call is a second payment
};

[[nodiscard]] std::string_view wordOf(EffectClass effect) noexcept; // "local_tx", "external_idempotent", "external"
[[nodiscard]] std::string_view wordOf(StaleKey staleKey) noexcept; // "execute", "reject"

enum class Origin { Default, Profile, Route };

[[nodiscard]] std::string_view wordOf(Origin origin) noexcept; // "default", "profile", "route"

// A value and where it was said.
template <typename T> struct Setting {
    T value{};
    Origin origin = Origin::Default;
    std::string from = "built in"; // "built in", "defaults", "profiles.financial", "routes[2]"

    bool operator==(const Setting&) const = default;
};

// What holds for one scope and operation. Where takeover and stale key are said nowhere, they follow from the effect
// and from financial.
struct RoutePolicy {
    Setting<EffectClass> effect;
    Setting<Takeover> takeover;
    Setting<bool> financial;
    Setting<StaleKey> staleKey;
    Setting<Duration> ttl;
    Setting<Duration> lease;
    Setting<int> maxAttempts; // 0: no limit
    Setting<Duration> retryAfter; // told to a duplicate of a running request
    Setting<Duration> tombstone; // refused that long after expiry, where the key is expired by hand
    Setting<Duration> grace; // kept that long after expiry before the reaper takes it

    bool operator==(const RoutePolicy&) const = default;
};

// One setting as text, in the order of the file format.
struct SettingText {
    std::string name; // as in the file: "ttl"
    std::string value; // as it would be written there: "7d"
    Origin origin = Origin::Default;
    std::string from;
};

[[nodiscard]] std::vector<SettingText> describe(const RoutePolicy& policy);

// What a layer of the file says; absent: nothing.
struct PolicyLayer {
    std::optional<EffectClass> effect;
    std::optional<Takeover> takeover;
    std::optional<bool> financial;
    std::optional<StaleKey> staleKey;
    std::optional<Duration> ttl;
    std::optional<Duration> lease;
    std::optional<int> maxAttempts;
    std::optional<Duration> retryAfter;
    std::optional<Duration> tombstone;
    std::optional<Duration> grace;
};

struct PolicyProfile {
    std::string name;
    PolicyLayer layer;
    bool builtIn = false;
};

struct PolicyRoute {
    std::string scope; // "*" stands for any text
    std::string operation;
    std::string profile; // empty: none
    PolicyLayer layer;
};

// fencepost.policy.json: defaults, named profiles over them, routes over those. The first route that matches counts.
class Policy {
public:
    // The built-in defaults and the profiles standard, financial and inbox; no route.
    Policy();

    [[nodiscard]] RoutePolicy forRoute(std::string_view scope, std::string_view operation) const;
    [[nodiscard]] const std::vector<PolicyRoute>& routes() const { return m_routes; }
    [[nodiscard]] const std::vector<PolicyProfile>& profiles() const { return m_profiles; }
    // What is allowed and unusual: "routes[1]: ttl 5m is under 24h, and no profile says so".
    [[nodiscard]] std::vector<std::string> warnings() const;

private:
    friend class PolicyReader;
    [[nodiscard]] RoutePolicy resolve(const PolicyRoute* route, std::size_t index) const;
    [[nodiscard]] const PolicyProfile* profile(std::string_view name, bool builtIn) const;

    PolicyLayer m_defaults;
    std::vector<PolicyProfile> m_profiles;
    std::vector<PolicyRoute> m_routes;
};

// Invalid: the message says where and what: "routes[2].lease: \"6x\" is not a duration".
[[nodiscard]] Result<Policy> parsePolicy(std::string_view text);
[[nodiscard]] Result<Policy> loadPolicy(const std::string& path);

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/key_syntax.h"
#include "core/protocol/transition.h"
#include "core/retry/budget.h"
#include "core/retry/policy.h"

namespace fencepost {

// What may happen when an execution is repeated because nobody knows how far it came.
enum class EffectClass {
    LocalTransaction, // committed with the record, or not at all
    ExternalIdempotent, // the provider recognises a repeated call
    External, // a repeated call is a second payment
};

// What a duplicate of a running request is told (protocol §3.5).
enum class InFlightAnswer {
    Conflict, // 409
    Accepted, // 202 and where to look
    SeeOther, // 303 to where to look
    Wait, // for as long as the route says, then 409
};

enum class ContractMode {
    ReserveFinalize, // reserve, execute, finalize: each a transaction of its own
    SingleTransaction, // all of it in the transaction of the business writes
};

// Which failures of the handler are kept as its answer.
enum class FailureStorage {
    Classified, // terminal ones; transient ones may be tried again
    All,
    None,
};

[[nodiscard]] std::string_view wordOf(InFlightAnswer answer) noexcept; // "409", "202", "303", "wait"
[[nodiscard]] std::string_view wordOf(ContractMode mode) noexcept; // "reserve_finalize", "single_tx"
[[nodiscard]] std::string_view wordOf(FailureStorage storage) noexcept; // "classified", "all", "none"
[[nodiscard]] std::string_view wordOf(EffectClass effect) noexcept; // "local_tx", "external_idempotent", "external"
[[nodiscard]] std::string_view wordOf(StaleKey staleKey) noexcept; // "execute", "reject"

enum class Origin { Default, Profile, Route };

[[nodiscard]] std::string_view wordOf(Origin origin) noexcept; // "default", "profile", "route"

// A value and where it was said.
template <typename T> struct Setting {
    T value{};
    Origin origin = Origin::Default;
    std::string from = "built in"; // "built in", "defaults", "profiles.financial", "routes[2]"

    // Else it may follow from the rest.
    [[nodiscard]] bool isSaid() const { return from != "built in"; }
    bool operator==(const Setting&) const = default;
};

// What holds for one scope and operation (protocol.md §3.11). Where takeover, stale key and effects are said nowhere,
// they follow from the effect, from financial and from both financial and the TTL.
struct RoutePolicy {
    Setting<EffectClass> effect;
    Setting<Takeover> takeover;
    Setting<bool> financial;
    Setting<StaleKey> staleKey;
    Setting<Duration> ttl;
    Setting<Duration> lease;
    Setting<Duration> renewEvery; // of a lease in use; said nowhere: a third of it
    Setting<Duration> safetyMargin; // said nowhere: a tenth of the lease, and no less than 500 ms
    Setting<int> maxAttempts; // 0: no limit
    Setting<Duration> retryAfter; // told to a duplicate of a running request
    Setting<Duration> tombstone; // refused that long after expiry, where the key is expired by hand
    Setting<Duration> grace; // kept that long after expiry before the reaper takes it
    Setting<Duration> effects; // an effect is remembered; said nowhere: the TTL, on financial scopes 400 days
    Setting<bool> keyRequired;
    Setting<int> keyLongest; // characters
    Setting<KeyCharset> keyCharset;
    Setting<int> mismatchStatus;
    Setting<int> expiredStatus;
    Setting<InFlightAnswer> inFlight;
    Setting<Duration> wait;
    Setting<FailureStorage> failureStorage;
    Setting<ContractMode> mode;
    Setting<bool> failOpen;
    Setting<Duration> workTime;
    Setting<Duration> longestWork;
    Setting<int> longestBody; // octets
    Setting<int> longestStored; // octets
    Setting<int> limiterStart;
    Setting<int> limiterLeast;
    Setting<int> limiterMost;
    Setting<int> limiterBackoff; // percent
    Setting<Duration> completerAge;
    Setting<Duration> completerLastRun;
    Setting<std::string> retryPreset;
    Setting<int> retryAttempts; // this and the next three follow from the preset
    Setting<Duration> retryTotal; // zero: the caller's deadline alone
    Setting<Duration> attemptTimeout;
    Setting<retry::ServerErrors> serverErrors;
    Setting<int> budgetPercent;
    Setting<Duration> budgetTtl;
    Setting<int> budgetLeast; // a second
    Setting<retry::DepositOn> budgetDeposit;
    Setting<int> breakerPercent;
    Setting<int> breakerAttempts;
    Setting<Duration> breakerWindow;
    Setting<Duration> breakerOpen;
    Setting<Duration> breakerLongestOpen;
    Setting<int> breakerProbes;
    // Of whole programs, which know no route: what the file's defaults say.
    Setting<int> completerBatch; // requests in one pass
    Setting<int> reaperBatch; // rows in one transaction
    Setting<Duration> outboxLease;
    Setting<int> outboxBatch; // messages claimed at a time
    Setting<int> outboxAttempts; // said nowhere: those of the relay's schedule
    Setting<Duration> webhookTimeout;
    Setting<Duration> webhookTolerance; // between the signer's clock and ours
    Setting<Duration> inboxLease;
    Setting<int> inboxAttempts;
    Setting<Duration> vendorTimeout;

    bool operator==(const RoutePolicy&) const = default;
};

// A third of a lease.
[[nodiscard]] Duration renewalOf(Duration lease);
// A tenth of a lease and no less than 500 ms, but never more than half of it.
[[nodiscard]] Duration safetyMarginOf(Duration lease);

// One setting as text, in the order of the file format.
struct SettingText {
    std::string name; // as in the file: "ttl"
    std::string value; // as it would be written there: "7d"
    Origin origin = Origin::Default;
    std::string from;
};

// Whom a setting is for.
enum class KnobGroup {
    Record, // the life of a record, whoever made it
    Service, // the service that keeps it
    Client, // who calls it, or whom it calls
    Program, // who works for all routes: said in the defaults only
};

// The settings of a record's life.
[[nodiscard]] std::vector<SettingText> describe(const RoutePolicy& policy);
// All of them.
[[nodiscard]] std::vector<SettingText> describeAll(const RoutePolicy& policy);
// How calls are retried by it.
[[nodiscard]] retry::Policy retryPolicyOf(const RoutePolicy& policy);

// What a layer of the file says; absent: nothing.
struct PolicyLayer {
    std::optional<EffectClass> effect;
    std::optional<Takeover> takeover;
    std::optional<bool> financial;
    std::optional<StaleKey> staleKey;
    std::optional<Duration> ttl;
    std::optional<Duration> lease;
    std::optional<Duration> renewEvery;
    std::optional<Duration> safetyMargin;
    std::optional<int> maxAttempts;
    std::optional<Duration> retryAfter;
    std::optional<Duration> tombstone;
    std::optional<Duration> grace;
    std::optional<Duration> effects;
    std::optional<bool> keyRequired;
    std::optional<int> keyLongest;
    std::optional<KeyCharset> keyCharset;
    std::optional<int> mismatchStatus;
    std::optional<int> expiredStatus;
    std::optional<InFlightAnswer> inFlight;
    std::optional<Duration> wait;
    std::optional<FailureStorage> failureStorage;
    std::optional<ContractMode> mode;
    std::optional<bool> failOpen;
    std::optional<Duration> workTime;
    std::optional<Duration> longestWork;
    std::optional<int> longestBody;
    std::optional<int> longestStored;
    std::optional<int> limiterStart;
    std::optional<int> limiterLeast;
    std::optional<int> limiterMost;
    std::optional<int> limiterBackoff;
    std::optional<Duration> completerAge;
    std::optional<Duration> completerLastRun;
    std::optional<std::string> retryPreset;
    std::optional<int> retryAttempts;
    std::optional<Duration> retryTotal;
    std::optional<Duration> attemptTimeout;
    std::optional<retry::ServerErrors> serverErrors;
    std::optional<int> budgetPercent;
    std::optional<Duration> budgetTtl;
    std::optional<int> budgetLeast;
    std::optional<retry::DepositOn> budgetDeposit;
    std::optional<int> breakerPercent;
    std::optional<int> breakerAttempts;
    std::optional<Duration> breakerWindow;
    std::optional<Duration> breakerOpen;
    std::optional<Duration> breakerLongestOpen;
    std::optional<int> breakerProbes;
    std::optional<int> completerBatch;
    std::optional<int> reaperBatch;
    std::optional<Duration> outboxLease;
    std::optional<int> outboxBatch;
    std::optional<int> outboxAttempts;
    std::optional<Duration> webhookTimeout;
    std::optional<Duration> webhookTolerance;
    std::optional<Duration> inboxLease;
    std::optional<int> inboxAttempts;
    std::optional<Duration> vendorTimeout;
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

// Invalid: the message says where, as a JSON Pointer, and what: "/routes/2/lease: \"6x\" is not a duration".
[[nodiscard]] Result<Policy> parsePolicy(std::string_view text);
[[nodiscard]] Result<Policy> loadPolicy(const std::string& path);

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/retry/policy.h"
#include "core/simulation/spread.h"

namespace fencepost::simulation {

// One of a knob's words, kept as its place among them.
template <typename Word> struct Choice {
    int index = 0;

    Choice() = default;
    Choice(Word word)
        : index(static_cast<int>(word))
    {
    }
    operator Word() const { return static_cast<Word>(index); }
};

// The words of each stand in the table of knobs, in this order.
enum class Arrivals { Poisson, Regular, AtOnce };
enum class KeyUse { Operation, Attempt, None, Pool };
enum class BudgetKind { Finagle, Aws, Grpc, Envoy, None };
enum class Contract { ReserveFinalize, SingleTransaction, None };
enum class ScopeOf { Principal, Route };
enum class StoreKind { Durable, Memory };
enum class EffectKind { LocalTransaction, ExternalIdempotent, External };
enum class InFlight { Conflict, Wait };
enum class TakeoverRule { ByEffect, Auto, Manual };
enum class DeadHeadRule { BlockKey, Skip };
enum class Redrive { None, AtOnce, Ramp };
enum class Retries { Auto, Policy, Recorded };
enum class GrowthOf { Preset, Exponential, Series };
enum class RetryAfterOf { Preset, Floor, Clamp };

// Whole requests a second in thousandths; chances in parts of a million; zero lengths and counts mean "as the preset"
// where the table of knobs says so.
struct Load {
    std::int64_t rate = 100'000;
    std::int64_t requests = 0; // no more than these; none: as many as come within the duration
    Duration duration = std::chrono::seconds(60);
    Choice<Arrivals> arrivals;
    // Of the requests, by their numbers; what is left of them is critical.
    std::int64_t criticalPlus = 0;
    std::int64_t sheddablePlus = 0;
    std::int64_t sheddable = 0;
    std::int64_t background = 0; // of those of each priority: nobody waits for them
};

// From one moment to another the load is another one.
struct Phase {
    Duration from{};
    Duration until{};
    std::int64_t rate = 0;
};

struct Client {
    std::int64_t count = 10; // principals
    bool shared = true; // all of them stand behind one budget and one breaker
    Choice<KeyUse> key;
    std::int64_t keys = 1'000; // of a pool
    Choice<Retries> retries;
    int preset = 0; // place among retry::presets()
    std::int64_t attempts = 0;
    Choice<GrowthOf> growth;
    Duration base{};
    Duration throttledBase{};
    std::int64_t factor = 0;
    Duration cap{};
    Duration floor{};
    Choice<RetryAfterOf> retryAfter;
    Duration total{};
    Duration attemptTimeout{};
    int jitter = 0; // 0: the preset's, else 1 + place among the words of Jitter
    Duration deadline{};
    Choice<BudgetKind> budget;
    std::int64_t budgetPercent = 20;
    std::int64_t budgetReserve = 10;
    bool breaker = true;
    bool limiter = false;
    bool throttle = false;
    std::int64_t doubleClick = 0;
    Spread doubleClickAfter{ std::chrono::milliseconds(300) };
    std::int64_t otherPayload = 0; // of the second click: the same key with another body
    std::int64_t returns = 0; // how often a user comes back to what did not end well
    Duration returnsAfter = std::chrono::seconds(30);
};

struct Network {
    Spread latency{ std::chrono::milliseconds(5) };
    std::int64_t loss = 0;
    std::int64_t duplicates = 0;
    Spread duplicateAfter{ std::chrono::milliseconds(20) };
};

struct Service {
    std::int64_t nodes = 2;
    std::int64_t workers = 50;
    std::int64_t queue = 200;
    bool dropsExpired = true; // what waited longer than its client does is not begun
    Spread time{ std::chrono::milliseconds(20) };
    Spread storeTime{ std::chrono::milliseconds(1) };
    std::int64_t errors = 0;
    std::int64_t declines = 0;
    Duration retryAfter{};
    Duration restart = std::chrono::seconds(1);
    Choice<Contract> contract;
    Choice<ScopeOf> scope;
    Choice<StoreKind> store;
    Choice<EffectKind> effect;
    bool effectGuard = true;
    bool fencing = true;
    bool heartbeat = true;
    Duration lease = std::chrono::seconds(60);
    Duration ttl = std::chrono::hours(24);
    Choice<TakeoverRule> takeover;
    std::int64_t maxAttempts = 0;
    Choice<InFlight> inFlight;
    bool nodeClock = false;
    Duration completer{};
};

struct VendorWorld {
    Spread time{ std::chrono::milliseconds(80) };
    Spread latency{ std::chrono::milliseconds(10) };
    Duration timeout = std::chrono::seconds(15);
    Duration remembers = std::chrono::hours(24);
    std::int64_t loss = 0;
    std::int64_t errors = 0;
    bool lookUp = false;
    bool ledger = true;
};

inline constexpr int crashPoints = 22;

struct Events {
    bool on = false;
    std::int64_t keys = 100; // of ordering
    std::int64_t relays = 1;
    std::int64_t batch = 50;
    Duration poll = std::chrono::milliseconds(100);
    Duration lease = std::chrono::seconds(30);
    std::int64_t attempts = 5;
    int preset = 0;
    Choice<DeadHeadRule> deadHead;
    Spread latency{ std::chrono::milliseconds(5) };
    std::int64_t loss = 0;
    std::int64_t ackLoss = 0;
    std::int64_t duplicates = 0;
    Spread duplicateAfter{ std::chrono::milliseconds(50) };
    bool inbox = true;
    std::int64_t consumers = 20; // handlers at once
    Spread time{ std::chrono::milliseconds(10) };
    std::int64_t errors = 0;
    std::int64_t poison = 0;
    bool deadLetters = true;
    Choice<Redrive> redrive;
    Duration redriveAt{};
    std::int64_t redriveRate = 50'000;
};

enum class FaultKind {
    Outage, // the service answers 503
    Silence, // it takes requests and answers nobody
    Brownout, // handlers take so many times as long
    NodeCrash,
    Partition, // between this part of the clients and the service
    Throttle, // 429
    ClockStep, // of a node
    StoreOutage,
    VendorOutage,
    ConsumerOutage,
};

[[nodiscard]] std::string_view wordOf(FaultKind kind) noexcept; // "outage", …

// Something that goes wrong from one moment to another.
struct Fault {
    FaultKind kind = FaultKind::Outage;
    Duration from{};
    Duration length{};
    std::int64_t share = 1'000'000; // of those whom it may strike
    std::int64_t factor = 10; // Brownout
    std::int64_t node = 0; // NodeCrash, ClockStep
    Duration step{}; // ClockStep
    bool back = false; // ClockStep: it goes back
    Duration retryAfter{}; // Outage, Throttle

    [[nodiscard]] Duration until() const { return from + length; }
};

// How one attempt at a request ended when it happened, to be lived through again.
enum class RecordedEnding {
    Answered,
    Failed, // a failure of the handler that is tried again, nothing was done
    Declined, // for good
    Crashed, // whoever ran it never wrote an outcome
    TimedOut, // the server did it, the answer did not come in time
    Lost, // the request never arrived
    ProxyError, // somebody between answered, and the server never saw it
    Throttled,
    Held, // whoever ran it did not know the outcome
    Reset, // the connection broke: behind the execution or before it, as Replayed::resetsArrived has it
    NotSent, // the four of them: nobody can have executed it
    BreakerOpen,
    BudgetEmpty,
    Shed,
    Busy, // an answer for now, such as 409 or 202: whoever got it tried again, and it executed nothing
};

[[nodiscard]] std::string_view wordOf(RecordedEnding ending) noexcept; // "answered", …

struct RecordedAttempt {
    RecordedEnding ending = RecordedEnding::Answered;
    Duration took{};
    int code = 0; // of an answer; 0: the usual one
    std::string note; // for the retry log
    Duration retryAfter{}; // that the answer told
    std::optional<Duration> at{}; // of a table: when it arrived, behind its request's beginning
    std::optional<Duration> delay{}; // of a log: what was waited before it
    Duration lease{}; // of its reservation; zero: nobody knows
    bool silent = false; // its lease ended before it did
};

// What was done to a request's record by somebody else than those who ran it: mostly an operator.
enum class RecordedAct {
    Fence,
    Hold,
    Release,
    Succeed,
    Fail,
    Retry,
    Reopen,
    Come, // the same request once more, from somebody of whom nothing else is known
    TakeOver,
    Expire,
    Unexpire,
};

[[nodiscard]] std::string_view wordOf(RecordedAct act) noexcept; // "fence", …

struct RecordedStep {
    Duration at{}; // behind the request's beginning
    RecordedAct act = RecordedAct::Fence;
};

// Of one request: the number of an attempt travels in so many bits.
inline constexpr std::size_t mostRecordedAttempts = 255;

struct RecordedRequest {
    Duration at{}; // behind the beginning
    std::string key; // empty: one of its own
    std::string payload; // empty: one of its own
    std::string result; // its id; empty: one is made up
    std::vector<RecordedAttempt> attempts; // behind the last one it is answered at once
    std::vector<RecordedStep> steps{};
    Duration ttl{}; // zero: the service's
    bool manual = false; // its takeover
    std::int64_t maxAttempts = 0; // zero: the service's
};

// Where a recording comes from: what its attempts are, and when they come.
enum class RecordedBy {
    Hand, // attempts of a client, tried again by its policy
    Log, // attempts of a client, with what it waited before them
    Table, // executions of a record, with their instants
};

[[nodiscard]] std::string_view wordOf(RecordedBy by) noexcept; // "hand", "log", "table"

// What really happened, as the load of a world: only what may be chosen anew is simulated.
struct Recording {
    std::string source; // in words: what was read; empty: it was written by hand
    RecordedBy by = RecordedBy::Hand;
    std::vector<RecordedRequest> requests;
    std::vector<std::int64_t> attempts; // observed: requests by their number of attempts; 0 stands for none
    std::vector<Duration> delays; // observed, between two attempts
    std::vector<std::pair<std::string, std::int64_t>> observed; // measures that were
    // The usual ones. A record that had another keeps it for as long as the service stands at these.
    Duration lease{};
    Duration ttl{};
};

// What may be chosen about a recording.
struct Replayed {
    std::int64_t crashes = 100; // percent of those that were
    std::int64_t resetsArrived = 500'000; // of a log's resets, those whose request was executed
};

// One event as it was delivered.
struct RecordedDelivery {
    Duration at{};
    std::string event;
    std::string source;
    Duration took{}; // of its handler, if it is the first one
};

// The same world with some of its knobs turned.
struct Variant {
    std::string name; // one word
    std::string title;
    std::vector<std::pair<std::string, std::string>> set; // path and value
    bool violates = false; // as of a scenario
};

struct Scenario {
    std::string name;
    std::string title;
    std::string shows; // what it demonstrates, in sentences
    bool violates = false; // that is a violated invariant, so it is lived through to its end and counted all the same
    std::uint64_t seed = 1;
    Time start = timeFromMicros(1'735'689'600'000'000); // 2025-01-01T00:00:00Z
    Load load;
    std::vector<Phase> phases;
    Client client;
    Network network;
    Service service;
    VendorWorld vendor;
    std::array<std::int64_t, crashPoints + 1> crash{}; // by the number of the point; parts of a million
    std::array<std::int64_t, crashPoints + 1> pause{}; // points 5, 8 and 9
    Duration pauseFor = std::chrono::seconds(90);
    Events events;
    std::vector<Fault> faults;
    std::vector<Variant> variants;
    std::vector<std::string> expect; // measures, compared: "keyless:duplicate_effects > 0"
    std::optional<Recording> recording;
    Replayed replay;
    std::vector<RecordedDelivery> deliveries;
};

// The format of scenario files.
inline constexpr int scenarioFormat = 1;

// A scenario file (JSON). Invalid: the message names the path and what was expected.
[[nodiscard]] Result<Scenario> parseScenario(std::string_view json);
// Turns one knob, as in `--set path=value`: "service.lease", "faults[0].for". One that says how clients try again lets
// them do so where it was recorded, also where it is turned to what it is. Invalid: as above.
Status turn(Scenario& scenario, std::string_view path, std::string_view value);
// What can be asked of one scenario as a whole: a policy that exists, faults on nodes that exist, no more than can be
// simulated.
[[nodiscard]] Status check(const Scenario& scenario);
// Every knob that does not stand at its default, so that the file gives the same world again.
[[nodiscard]] std::string formatScenario(const Scenario& scenario);
// The policy that its clients try by, and that of its relays.
[[nodiscard]] retry::Policy policyOf(const Client& client);
[[nodiscard]] retry::Policy policyOf(const Events& events);
// Whether attempts come as they were recorded: the recording says when, and nobody chose how clients try again.
[[nodiscard]] bool comesAsRecorded(const Scenario& scenario);

// One variant of a scenario, with its own name; the scenario itself where it has no variants.
[[nodiscard]] Result<Scenario> withVariant(const Scenario& scenario, const Variant& variant);

// A scenario that comes with the program.
struct ShippedScenario {
    std::string_view name; // of its file
    std::string_view json;
};

[[nodiscard]] std::span<const ShippedScenario> shippedScenarios() noexcept;

} // namespace fencepost::simulation

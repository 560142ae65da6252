// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/exchange/playbook_csv.h"
#include "core/simulation/dice.h"
#include "core/simulation/measures.h"
#include "core/simulation/scenario.h"

namespace fencepost::simulation {

// A fault of chance that struck: which throw of the dice, whose, and for which time.
struct Strike {
    Throw what = Throw::Fault;
    std::uint64_t who = 0;
    std::uint64_t turn = 0;

    auto operator<=>(const Strike&) const = default;
};

// What is left of a world when it is made as small as it can be: these requests, these faults, and no other.
struct Schedule {
    std::vector<std::uint64_t> requests; // by number, rising; the first one is 1
    std::vector<Strike> strikes; // rising
    std::vector<std::size_t> faults; // of the scenario's list, by place
};

// In the words of the life of a request: its attempts, executions, calls to the vendor and events.
[[nodiscard]] std::vector<std::string> linesOf(const Schedule& schedule, const Scenario& scenario);

// An invariant of protocol §3.3 that did not hold.
struct Violation {
    std::string rule; // "I7"
    std::string what;
    Duration at{}; // behind the beginning
    std::uint64_t request = 0;
};

[[nodiscard]] std::string_view meaningOfRule(std::string_view rule) noexcept;

// One line of what happened, to one request.
struct TraceLine {
    Duration at{};
    std::uint64_t request = 0;
    std::string actor; // "client 3", "node 1", "store", "vendor", "relay", "consumer"
    std::string text;
    // Where a record of the request stands from here on; empty: as before.
    std::string state;
    std::string key = {}; // of that record: a request may have several, one for each attempt
};

struct Progress {
    Duration at{}; // behind the beginning of the world
    std::int64_t requests = 0;
    std::int64_t steps = 0;
};

struct RunOptions {
    const Schedule* only = nullptr; // none: everything
    bool stopsAtViolation = false;
    bool keepsStrikes = false;
    bool tracesAll = false;
    std::optional<std::uint64_t> traced; // the life of one request
    bool keepsLogs = false; // the playbook's three
    std::int64_t mostSteps = 0; // none: to the end
    std::function<bool(const Progress&)> goesOn; // asked now and then; false: it stops
};

// Never more than these are kept, whatever a run does.
inline constexpr std::size_t keptViolations = 100;
inline constexpr std::size_t keptTraceLines = 100'000;
inline constexpr std::size_t keptLogRows = 1'000'000;

struct Outcome {
    std::array<std::int64_t, measureCount> values{};
    Series series{ Duration(0) };
    Lengths latency;
    Lengths delays;
    std::vector<std::int64_t> attempts; // calls by their number of attempts
    std::vector<std::int64_t> executions; // recorded requests by how often their record was acquired
    Lengths betweenExecutions; // of these
    std::vector<Violation> violations; // the first ones
    std::vector<TraceLine> trace;
    Schedule happened;
    std::vector<exchange::RetryLogRow> retryLog;
    std::vector<exchange::ReplayRow> replays;
    std::vector<exchange::InboxRow> inbox;
    Duration lasted{}; // of the world
    bool stopped = false; // somebody stopped it, or a bound did
    std::size_t mostInFlight = 0; // requests that were alive at once: what memory is needed for

    [[nodiscard]] std::int64_t operator[](Measure measure) const { return values[static_cast<std::size_t>(measure)]; }
    [[nodiscard]] std::int64_t& operator[](Measure measure) { return values[static_cast<std::size_t>(measure)]; }
};

// Lives through a scenario's world from its beginning to its end, on a clock of its own and on one thread: the
// protocol's own store, judge, policies, budget, breaker, inbox and ledger, with clients, networks, nodes, vendors and
// brokers that are made up. The same scenario and seed give the same outcome on every machine. Any thread.
[[nodiscard]] Outcome simulate(const Scenario& scenario, const RunOptions& options = {});

} // namespace fencepost::simulation

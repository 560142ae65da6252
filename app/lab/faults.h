// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "core/result.h"
#include "core/time.h"

namespace fencepost::app {

// The moments of protocol §3.12 that a server has.
enum class Point { P1, P2, P3, P4, P5, P6Unsent, P6, P7, P8, P9, P10, P11, P13, P14, P15, P16 };

// Whom a fault befalls, and so when it is drawn.
enum class Bearer {
    Request, // as it comes in
    Event, // as it is written; the fault travels with it in a header Fencepost-Fault, to whoever sends it
    Reception, // of an event, as it comes in
};

struct PointEntry {
    Point point;
    Bearer bearer;
    std::string_view name;
    std::string_view what;
    std::string_view where; // who calls FaultsOfRequest::reach() then
};
[[nodiscard]] std::span<const PointEntry> points() noexcept;
[[nodiscard]] std::string_view nameOf(Point point) noexcept;

enum class FaultKind {
    Delay,
    Pause,
    Crash,
    TimeoutBefore,
    TimeoutAfter,
    ResetBefore,
    ResetAfter,
    TooMany,
    ServerError,
    Duplicate,
    DuplicateEvent,
    ReorderEvent,
    DelayEvent,
    PoisonEvent,
    SlowDatabase,
    DatabaseDown,
};

enum class FaultValue { None, Duration, Status };
enum class FaultPlace { Needed, Optional, None }; // whether it stands at a point

struct FaultEntry {
    FaultKind kind;
    Bearer bearer; // where it stands at a point, the point's
    std::string_view name;
    FaultValue value;
    FaultPlace place;
    std::string_view usual; // the value where none is said
    std::string_view what;
    std::string_view where;
};
[[nodiscard]] std::span<const FaultEntry> faultTable() noexcept;

struct FaultSpec {
    FaultKind kind = FaultKind::Delay;
    std::optional<Point> at{};
    Duration time{}; // FaultValue::Duration
    int status = 503; // FaultValue::Status
    double chance = 1; // of each that may bear it
    std::optional<int> times{}; // at most so often
    std::optional<int> attempt{}; // only of this attempt of a call, as Idempotency-Attempt counts
    std::string text{}; // as it was written
};

// NAME[=VALUE][@POINT][:CHANCE%][:xTIMES][:attemptN], as in crash@p9:x1 or delay=200ms:30%.
[[nodiscard]] Result<FaultSpec> parseFault(std::string_view text);
// Separated by commas.
[[nodiscard]] Result<std::vector<FaultSpec>> parseFaults(std::string_view text);
// The table, the points and the syntax, for --help.
[[nodiscard]] std::string describeFaults();

class Faults;

constexpr const char* faultHeader = "Fencepost-Fault";

// What befalls one request, one event or its reception.
class FaultsOfRequest {
public:
    FaultsOfRequest() = default;
    FaultsOfRequest(Faults& faults, std::vector<FaultSpec> drawn)
        : m_faults(&faults)
        , m_drawn(std::move(drawn))
    {
    }

    [[nodiscard]] const FaultSpec* find(FaultKind kind) const;
    [[nodiscard]] bool isArmed(Point point) const;
    // Waits, stays or dies there, if that is its lot.
    void reach(Point point) const;
    // Those that befall the vendor that is called on its behalf, as a Fencepost-Fault header; empty: none.
    [[nodiscard]] std::string forVendor() const;
    // What befalls an event that the request writes: what the request asks for, and what is drawn now.
    [[nodiscard]] FaultsOfRequest forEvent() const;
    // As parseFaults() reads it, without chances and limits; empty: none.
    [[nodiscard]] std::string written() const;

private:
    Faults* m_faults = nullptr;
    std::vector<FaultSpec> m_drawn;
};

// What goes wrong in the lab. Any thread.
class Faults {
public:
    explicit Faults(std::uint64_t seed);

    // In place of what has the same text, so that adding it twice adds it once.
    void add(FaultSpec spec);
    // Who waits because of a fault goes on.
    void clear();
    struct Listed {
        FaultSpec spec;
        int hits = 0;
    };
    [[nodiscard]] std::vector<Listed> list() const;

    // `own`: what the request itself asks for.
    [[nodiscard]] FaultsOfRequest draw(const std::vector<FaultSpec>& own, int attempt, Bearer bearer = Bearer::Request);

    // Shorter when the lab is told to stop, or its faults are cleared.
    void wait(Duration time, std::optional<Point> at = {});
    // Rises when who waits because of a fault goes on, for who cannot wait here.
    [[nodiscard]] std::uint64_t age() const;
    // How many requests a fault keeps at each point now; those without one are missing.
    [[nodiscard]] std::map<Point, int> standing() const;
    // Of a request that waits for another one, which no fault makes it do: shorter only when the lab is told to stop.
    void pause(Duration time);
    void stop();

private:
    void place(FaultSpec spec);
    static void keepWhatStrikes(std::vector<Listed*>& drawn);
    [[nodiscard]] bool befalls(const Listed& listed, int attempt);

    mutable std::mutex m_mutex;
    std::condition_variable m_over;
    bool m_stopping = false;
    std::uint64_t m_age = 0; // how often it was cleared or stopped
    SeededRandom m_random;
    std::vector<Listed> m_faults;
    std::map<Point, int> m_standing;
};

} // namespace fencepost::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/protocol/outbound_call.h"
#include "core/retry/call.h"
#include "core/simulation/event_queue.h"
#include "core/simulation/memory_store.h"
#include "core/simulation/simulator.h"
#include "core/simulation/slab.h"

namespace fencepost::simulation {

class EventWorld;

// What may happen next, to whom. A thing's number is compared when its time comes: it may be gone.
enum class Happening : std::uint8_t {
    Arrive,
    Begin, // of a call
    Wake, // a call that waited
    Deliver, // a request reaches a node
    Timeout,
    Answer,
    Step, // of an execution
    Renew,
    VendorArrive,
    VendorAnswer,
    VendorTimeout,
    NodeUp,
    FaultBegin,
    FaultEnd,
    Complete, // an abandoned record
    Sample,
    RelayPoll,
    EventArrive,
    EventHandled,
    EventAnswered,
    EventTimeout,
    HandlerUp,
    Redrive,
};

struct What {
    Happening happening = Happening::Arrive;
    std::uint8_t flags = 0;
    std::uint16_t code = 0; // of HTTP
    std::uint32_t place = 0;
    std::uint32_t number = 0; // the lowest digits of the thing's own
    std::uint32_t extra = 0;
};

inline constexpr std::uint32_t nowhere = UINT32_MAX;

// A key's record as the rules see it.
struct Subject {
    RecordId id;
    std::uint32_t uses = 0; // requests and executions that still look at it
    bool kept = false; // of a pool: it stays
    Fence lastFence;
    Fence finalizedFence;
    std::string finalizedBy;
    bool terminal = false;
    int code = 0;
    std::string body; // what the first execution answered
    std::uint64_t answersFor = 0; // the request that the stored answer belongs to

    // The row that makes a local effect unique.
    struct EffectRow {
        std::uint64_t payload = 0;
        Fence fence;
        bool done = false;
        std::string ref;
        std::uint64_t request = 0;
        Time until;
    };
    std::vector<EffectRow> effects;

    // The vendor's side of it, and our ledger of it.
    std::optional<OutboundCall> ledger;
    std::optional<Time> vendorSeen; // when it first did the call
    std::uint64_t vendorRequest = 0;

    void reuse() { *this = {}; }
    void end() { }
};

// What a user wanted to have done, once.
struct Request {
    std::uint64_t number = 0;
    std::uint32_t client = 0;
    std::uint32_t subject = nowhere;
    std::vector<std::uint32_t> others; // subjects of further keys
    std::uint32_t live = 0; // calls, messages and executions that belong to it
    std::uint32_t effects = 0;
    std::uint32_t calls = 0;
    std::int64_t returnsLeft = 0;
    std::uint64_t payload = 0;
    std::uint32_t recorded = nowhere;
    std::uint32_t executions = 0;
    bool toldSuccess = false;
    bool completing = false;
    Time began{};

    void reuse() { *this = {}; }
    void end() { }
};

// The randomness of one call, which no other call touches.
class OwnRandom final : public Random {
public:
    std::uint64_t next() override;
    void begin(std::uint64_t seed) { m_state = seed; }

private:
    std::uint64_t m_state = 0;
};

struct CallState {
    std::uint64_t number = 0;
    std::uint32_t request = nowhere;
    std::uint64_t payload = 0;
    std::uint32_t holds = 0; // messages on their way
    std::uint32_t current = 0; // the attempt that is waited for; 0: none
    std::uint32_t subject = nowhere; // of this attempt's key
    bool over = false;
    bool inDoubt = false;
    Time began{};
    Time sentAt{};
    std::uint32_t attempts = 0;
    Duration lastDelay{};
    std::string note;
    OwnRandom random;
    std::optional<retry::Call> call;

    void reuse() { }
    void end() { call.reset(); }
};

enum class Phase : std::uint8_t { Reserve, Handle, Commit, Finalize, AskVendor, Vendor, VendorDone, Waiting };

struct Execution {
    std::uint64_t number = 0;
    std::uint32_t call = nowhere; // nowhere: a completer's
    std::uint32_t callNumber = 0;
    std::uint32_t attempt = 0;
    std::uint32_t request = nowhere;
    std::uint32_t subject = nowhere;
    std::uint32_t node = 0;
    std::uint32_t place = 0; // among those that run at the node
    Phase phase = Phase::Reserve;
    std::uint64_t payload = 0;
    std::uint32_t turn = 0; // of the request's executions, for its dice
    bool owns = false; // it holds a reservation
    bool paused = false;
    bool finalizedByRecord = false;
    Claim claim;
    Time leaseEnds{};
    Time clientWaitsUntil{};
    std::optional<Record> before; // single_tx: what a rollback brings back
    int code = 201;
    bool retryable = false;
    bool final = false;
    std::string body;
    std::string errorCode;
    int vendorSends = 0;

    void reuse() { *this = {}; }
    void end() { }
};

struct Waiting {
    std::uint32_t call = 0;
    std::uint32_t callNumber = 0;
    std::uint32_t attempt = 0;
    Time until{};
};

struct Node {
    bool up = true;
    std::vector<std::uint32_t> running; // executions
    std::deque<Waiting> queue;
    Duration skew{};
};

// The time at one place.
class PlaceClock final : public Clock {
public:
    explicit PlaceClock(const Time& world)
        : m_world(world)
    {
    }
    [[nodiscard]] Time now() const override { return m_world + m_skew; }
    void setSkew(Duration skew) { m_skew = skew; }

private:
    const Time& m_world;
    Duration m_skew{};
};

// Answers carry what a client decides by.
enum AnswerFlag : std::uint8_t {
    Replayed = 1,
    Foreign = 2,
    NotSent = 4,
    Gone = 8, // reset: it was sent, and nobody answered
    InProgress = 16,
    OutcomeUnknown = 32,
};

class World {
public:
    World(const Scenario& scenario, const RunOptions& options);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    Outcome run();

private:
    friend class EventWorld;

    // The loop and what everybody shares (world.cpp)
    void handle(const What& what);
    void plan(Duration in, const What& what) { m_queue.plan(m_now + in, what); }
    [[nodiscard]] Duration since() const { return m_now - m_scenario.start; }
    [[nodiscard]] bool strikes(Throw what, std::uint64_t who, std::uint64_t turn, std::int64_t perMillion);
    [[nodiscard]] Duration draw(const Spread& spread, Throw what, std::uint64_t who, std::uint64_t turn) const;
    [[nodiscard]] const Fault* active(FaultKind kind, std::uint64_t who);
    void violate(std::string_view rule, std::uint64_t request, std::string what);
    [[nodiscard]] bool traces(std::uint64_t request) const;
    void trace(std::uint64_t request, std::string actor, std::string text, std::string state = {});
    void sample();
    void countArrival();
    void closeArrivals();
    void beginFault(std::size_t index);
    void endFault(std::size_t index);
    void finish();

    // Clients (world_clients.cpp)
    void planArrival();
    void arrive();
    void beginRequest(std::uint64_t number, std::uint32_t recorded);
    std::uint32_t beginCall(std::uint32_t request, std::uint64_t payload, Duration in, bool inDoubt);
    void step(std::uint32_t place);
    void send(std::uint32_t place, const retry::Call::Send& attempt);
    void deliverCopy(std::uint32_t place, std::uint32_t attempt, Duration in);
    void timeout(const What& what);
    void answered(const What& what);
    void settle(std::uint32_t place, const retry::Signal& signal);
    void endCall(std::uint32_t place, const retry::Decision& decision);
    void letGo(std::uint32_t place);
    void release(std::uint32_t request);
    void judge(Request& request);
    [[nodiscard]] std::uint32_t subjectFor(Request& request, std::uint64_t number, std::uint32_t attempt);
    void dropSubject(std::uint32_t place);
    [[nodiscard]] retry::Dependency& dependencyOf(std::uint32_t client);
    void logAttempt(const CallState& call, const retry::Signal& signal);
    [[nodiscard]] const RecordedAttempt* recordedAttempt(const CallState& call) const;

    // The service (world_service.cpp)
    void deliver(const What& what);
    void startExecution(std::uint32_t node, const Waiting& waiting);
    void advance(std::uint32_t place);
    void reserve(std::uint32_t place);
    void handled(std::uint32_t place);
    void commitLocal(std::uint32_t place);
    void finalize(std::uint32_t place);
    void failOrDecline(std::uint32_t place);
    void renew(const What& what);
    void complete(const What& what);
    void answer(std::uint32_t place, int code, std::uint8_t flags, Duration retryAfter);
    void replyTo(std::uint32_t call, std::uint32_t callNumber, std::uint32_t attempt, int code, std::uint8_t flags,
        Duration retryAfter);
    void endExecution(std::uint32_t place);
    void nextInQueue(std::uint32_t node);
    // Whether the node died at this labelled point.
    bool crashesAt(std::uint32_t place, int point);
    bool pausesAt(std::uint32_t place, int point);
    void crashNode(std::uint32_t node);
    void operatorFences(std::uint32_t place);
    void onStoreClock(std::uint32_t node);
    void happened(std::uint32_t place, const std::string& ref, std::string_view how);
    [[nodiscard]] Reservation reservationOf(const Execution& execution, Subject& subject) const;
    [[nodiscard]] Takeover takeover() const;
    void acquired(Subject& subject, const Record& record, std::uint64_t request);
    void ended(Subject& subject, const Record& record, const Claim& claim, std::uint64_t request);
    void replayed(Execution& execution, Subject& subject, const Record& record);
    [[nodiscard]] std::string stateOf(const Subject& subject);
    void logReplay(const Execution& execution, const Subject& subject, const Record& record,
        telemetry::KeyOutcome outcome);
    [[nodiscard]] const RecordedAttempt* recordedFor(const Execution& execution) const;

    // The vendor (world_vendor.cpp)
    void callVendor(std::uint32_t place);
    void sendToVendor(std::uint32_t place, bool hidden);
    void vendorArrive(const What& what);
    void vendorAnswered(const What& what);
    void vendorTimedOut(const What& what);
    [[nodiscard]] CallDecision ledger(Execution& execution, Subject& subject, CallEvent event, Evidence evidence);
    void holdRecord(std::uint32_t place);

    const Scenario& m_scenario;
    const RunOptions& m_options;
    Dice m_dice;
    retry::Policy m_policy;
    Time m_now;
    PlaceClock m_clock;
    PlaceClock m_storeClock;
    EventQueue<What> m_queue;
    MemoryStore m_store;
    Vendor m_vendor;

    Slab<Request> m_requests;
    Slab<CallState> m_calls;
    Slab<Execution> m_executions;
    Slab<Subject> m_subjects;
    std::unordered_map<std::string, std::uint32_t> m_pool; // keys that several requests may have
    std::vector<std::uint64_t> m_arrivedOf; // requests by client
    std::vector<Node> m_nodes;
    struct Guarded {
        explicit Guarded(std::uint64_t seed) { random.begin(seed); }
        OwnRandom random;
        std::unique_ptr<retry::Dependency> dependency;
    };
    std::vector<std::unique_ptr<Guarded>> m_dependencies;
    std::unique_ptr<EventWorld> m_events;

    std::vector<bool> m_active; // faults that last
    int m_activeCount = 0;
    std::optional<Time> m_lastFaultEnd;
    std::uint64_t m_arrived = 0; // throws of the arrival process
    std::uint64_t m_callNumbers = 0;
    std::uint64_t m_executionNumbers = 0;
    std::uint64_t m_effectNumbers = 0;
    bool m_arrivalsOver = false;
    std::set<std::uint64_t> m_onlyRequests;
    std::set<Strike> m_onlyStrikes;

    std::int64_t m_slot = 0; // the tenth of a second that is being counted
    std::int64_t m_slotCount = 0;
    std::int64_t m_herdMost = 0;
    std::int64_t m_herdSum = 0;
    std::int64_t m_faultFirst = 0;
    std::int64_t m_faultRetries = 0;
    bool m_stop = false;

    Outcome m_outcome;
};

} // namespace fencepost::simulation

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/simulation/event_queue.h"
#include "core/simulation/memory_store.h"
#include "core/simulation/simulator.h"
#include "core/simulation/slab.h"
#include "core/simulation/world_things.h"

namespace fencepost::simulation {

class EventWorld;

// What an attempt is answered.
struct Reply {
    int code = 0;
    std::uint8_t flags = 0;
    Duration retryAfter{};
};

// One run of a scenario.
class World {
public:
    // Both outlive it.
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
    // Mostly there is no such chance, no such fault and nobody who looks: that is seen here, at each step.
    [[nodiscard]] bool strikes(Throw what, std::uint64_t who, std::uint64_t turn, std::int64_t perMillion)
    {
        return m_dice.happens(what, who, turn, perMillion) && mayStrike({ what, who, turn });
    }
    [[nodiscard]] const Fault* active(FaultKind kind, std::uint64_t who) const
    {
        return m_activeCount == 0 ? nullptr : firstActive(kind, who);
    }
    [[nodiscard]] bool traces(std::uint64_t request) const
    {
        return m_options.tracesAll || (m_options.traced && *m_options.traced == request);
    }
    [[nodiscard]] Duration draw(const Spread& spread, Throw what, std::uint64_t who, std::uint64_t turn) const
    {
        return spread.isEven() ? spread.mean() : spread.at(m_dice.roll(what, who, turn));
    }
    [[nodiscard]] bool mayStrike(const Strike& strike);
    [[nodiscard]] const Fault* firstActive(FaultKind kind, std::uint64_t who) const;
    void beginFault(std::size_t index);
    void endFault(std::size_t index);
    void comeUp(std::uint32_t node);

    // What is seen of it (world_watch.cpp)
    void violate(std::string_view rule, std::uint64_t request, std::string what);
    // `subject`: whose state is told as well.
    void trace(std::uint64_t request, std::string actor, std::string text, std::uint32_t subject = nowhere);
    void sortLog();
    void sample();
    [[nodiscard]] std::int64_t capacityOf(Duration width) const; // of requests in so long
    void standStillUntil(Duration next);
    void countArrival();
    void lookForRecovery();
    void closeArrivals();
    void finish();

    // Clients (world_clients.cpp, world_calls.cpp)
    void planArrival();
    [[nodiscard]] bool advanceArrival();
    void arrive();
    void beginRequest(std::uint64_t number);
    void takePriority(Request& request);
    void beginCall(std::uint32_t request, std::uint64_t payload, Duration in, bool inDoubt);
    void release(std::uint32_t request);
    void judge(const Request& request);
    [[nodiscard]] bool isDoneByAnother(const Request& request) const;
    [[nodiscard]] std::string scopeOf(const Request& request) const;
    void completeLater(std::uint32_t request, std::uint32_t subject);
    [[nodiscard]] std::uint32_t subjectFor(std::uint32_t request, std::uint32_t call);
    [[nodiscard]] std::uint32_t pooledSubject(const std::string& scope, const std::string& key);
    void leaveBehind(const Subject& subject, std::uint64_t request);
    void dropSubject(std::uint32_t place, std::uint64_t request);
    [[nodiscard]] retry::Dependency& dependencyOf(std::uint32_t client);
    struct Guarded {
        OwnRandom random;
        std::unique_ptr<retry::Dependency> dependency;
    };
    [[nodiscard]] std::unique_ptr<Guarded> makeDependency(std::size_t index) const;
    void start(CallState& call);
    void step(std::uint32_t place);
    void send(std::uint32_t place, const retry::Call::Send& attempt);
    void deliverCopy(std::uint32_t place, Duration in);
    void timeout(const What& what);
    void answered(const What& what);
    void settle(std::uint32_t place, const retry::Signal& signal);
    void endCall(std::uint32_t place, const retry::Decision& decision);
    void letGo(std::uint32_t place);
    // What was recorded (world_recorded.cpp)
    [[nodiscard]] const RecordedRequest* recordedOf(const Request& request) const;
    [[nodiscard]] const RecordedAttempt* recordedOf(const CallState& call, std::uint32_t attempt) const;
    [[nodiscard]] const RecordedAttempt* recordedOf(const Execution& execution) const;
    [[nodiscard]] const RecordedAttempt& servedAs(const RecordedAttempt& attempt, const Execution& execution) const;
    [[nodiscard]] RecordedEnding endingOf(const RecordedAttempt& attempt, const Execution& execution) const;
    void stepAsRecorded(std::uint32_t place);
    void settleAsRecorded(std::uint32_t place, const retry::Signal& signal);
    [[nodiscard]] Time nextAsRecorded(const CallState& call) const;
    [[nodiscard]] std::optional<Duration> returnsIn(const Request& request) const;
    void sendRecorded(std::uint32_t place, const RecordedAttempt& recorded);
    void planSteps(std::uint32_t place);
    void intervene(const What& what);
    void takeRules(Trigger& trigger, const Execution& execution) const;
    [[nodiscard]] Duration ttlOf(const Request& request) const;

    // The service (world_service.cpp, world_execution.cpp)
    void deliver(const What& what);
    void startExecution(std::uint32_t node, const Waiting& waiting);
    void planStep(std::uint32_t place, Duration in);
    void beat(std::uint32_t place);
    void rollBack(Execution& execution);
    void planStoreStep(std::uint32_t place, Stage stage);
    void startHandler(std::uint32_t place);
    void advance(std::uint32_t place);
    void renew(const What& what);
    void complete(const What& what);
    // A node that is up and has a place left; none: there is no such one.
    [[nodiscard]] std::optional<std::uint32_t> freeNode() const;
    void executeForNobody(std::uint32_t node, std::uint32_t request, std::uint32_t subject);
    void answer(std::uint32_t place, const Reply& reply);
    void replyTo(std::uint32_t call, std::uint32_t attempt, const Reply& reply);
    void endExecution(std::uint32_t place);
    void nextInQueue(std::uint32_t node);
    // Whether the node died at this labelled point, and the execution with it.
    [[nodiscard]] bool crashesAt(std::uint32_t place, int point);
    // Whether a labelled point that has several places strikes at this one: each execution has one of them.
    [[nodiscard]] bool strikesAt(const Execution& execution, int point, int at);
    // Whether it stands still there, and comes by again.
    [[nodiscard]] bool restsAt(std::uint32_t place, int point);
    void crashNode(std::uint32_t node);
    // What is left when its process is gone.
    void loseExecution(std::uint32_t place);
    void leave(std::uint32_t place);
    void useClockOf(std::uint32_t node);
    void reserve(std::uint32_t place);
    void reserved(std::uint32_t place, const MemoryStore::Judgement& judged);
    void handled(std::uint32_t place);
    void commitLocal(std::uint32_t place);
    [[nodiscard]] bool commitGuarded(std::uint32_t place);
    void finalize(std::uint32_t place);
    void failOrDecline(std::uint32_t place, bool retryable);
    void fenced(std::uint32_t place);
    void operatorFences(std::uint32_t place);
    void happened(std::uint32_t request, std::uint32_t subject, std::string_view how);

    // The rules and the log (world_oracle.cpp)
    [[nodiscard]] Trigger reservationOf(Execution& execution, const Subject& subject) const;
    [[nodiscard]] Takeover takeover() const;
    void acquired(Execution& execution, Subject& subject, const Record& record);
    void adopt(Subject& subject, const Record& record, std::uint32_t client);
    void ended(const Execution& execution, Subject& subject, const Record& record);
    void replayed(const Execution& execution, Subject& subject, const Record& record);
    void mismatched(const Execution& execution, const Subject& subject, const Record& record);
    // A service that asks nobody whether it is still the owner.
    [[nodiscard]] MemoryStore::Judgement overwrite(const Trigger& trigger);
    [[nodiscard]] std::string stateOf(std::uint32_t subject);
    void logReplay(const Execution& execution, const Record& record, telemetry::KeyOutcome outcome);

    // The vendor (world_vendor.cpp)
    void callVendor(std::uint32_t place);
    [[nodiscard]] Duration leaseForCall() const;
    void sendToVendor(std::uint32_t place);
    void postToVendor(std::uint32_t place);
    void askLater(std::uint32_t place);
    void vendorArrive(const What& what);
    void vendorAnswered(const What& what);
    void vendorTimedOut(const What& what);
    void vendorDone(std::uint32_t place);
    void vendorUnknown(std::uint32_t place);
    [[nodiscard]] CallDecision ledger(const Execution& execution, CallTrigger trigger);
    [[nodiscard]] CallDecision settleCall(const Execution& execution);
    void holdRecord(std::uint32_t place);
    // Whether the reconcile hook learned what became of a held record, so that it may be reserved again.
    [[nodiscard]] bool reconciled(const Execution& execution, const Record& record);

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

    std::vector<std::unique_ptr<Guarded>> m_dependencies; // outlive the calls
    Slab<Request> m_requests;
    Slab<CallState> m_calls;
    Slab<Execution> m_executions;
    Slab<Subject> m_subjects;
    Slab<VendorMessage> m_vendorMessages;
    std::map<std::string, std::uint32_t> m_pool; // keys that several requests may have
    std::vector<Node> m_nodes;
    std::unique_ptr<EventWorld> m_events;

    std::vector<bool> m_active; // faults that last
    int m_activeCount = 0;
    std::optional<Time> m_lastFaultEnd;
    std::optional<std::int64_t> m_recovers; // the slot from which on a herd is looked for
    std::uint64_t m_arrived = 0; // the request whose arrival is planned
    Time m_arrivesAt{};
    std::int64_t m_arrivalRest = 0; // of an even gap that is no whole number of microseconds
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
    bool m_asRecorded = false; // attempts come when they did
    bool m_hasRoom = false; // for all that come: the service that was recorded had it
    std::int64_t m_freshBudget = 0; // of a dependency that nobody has called yet
    std::int64_t m_moreCrashes = 0; // parts of a million of what did not crash when it was recorded

    Outcome m_outcome;
    std::vector<std::uint64_t> m_loggedCalls; // of each row of the retry log
};

} // namespace fencepost::simulation

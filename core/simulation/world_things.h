// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/protocol/outbound_call.h"
#include "core/retry/call.h"
#include "core/simulation/dice.h"
#include "core/simulation/memory_effect_guard.h"

namespace fencepost::simulation {

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
    Intervene, // what an operator did when it was recorded
    // From here on: of events.
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

// Of HTTP.
namespace status {
inline constexpr int good = 200;
inline constexpr int created = 201;
inline constexpr int lastGood = 299;
inline constexpr int lastRedirect = 399;
inline constexpr int firstFailure = 500;
inline constexpr int conflict = 409;
inline constexpr int declined = 422;
inline constexpr int tooManyRequests = 429;
inline constexpr int badGateway = 502;
inline constexpr int unavailable = 503;
} // namespace status

inline constexpr unsigned attemptBits = 8; // of what names an attempt of a call
inline constexpr unsigned callBits = 8; // of a call's number, below its request's
inline constexpr unsigned effectBits = 8; // of an event's number, below its request's
inline constexpr std::uint64_t hiddenTurns = 1'000; // of what is sent to a vendor, away from those of the clients
inline constexpr Duration retryAfterUnit = std::chrono::milliseconds(10); // a Retry-After is told in these
inline constexpr int beatsInLease = 3;
inline constexpr std::int64_t microsPerThousandth = 1'000'000'000; // between two, at a thousandth of one a second

// Some of the points of protocol §3.12.
inline constexpr int firstEventPoint = 13;
inline constexpr int lastEventPoint = 16;
inline constexpr int dyingClient = 21;
inline constexpr int hiddenResend = 22;

// The points of protocol §3.12 as throws of the dice.
[[nodiscard]] inline Throw crashAt(int point)
{
    return Throw(int(Throw::Crash) + point);
}
[[nodiscard]] inline Throw pauseAt(int point)
{
    return Throw(int(Throw::Pause) + point);
}

[[nodiscard]] inline std::uint32_t lowOf(std::uint64_t number)
{
    return static_cast<std::uint32_t>(number);
}

// An acquisition's own, told by its number.
[[nodiscard]] Owner ownerOf(std::uint64_t number);
// What a hash of the payload would be, for all that is asked of it: the same for the same payload.
[[nodiscard]] Bytes hashOf(std::uint64_t payload);

// A key's record as the rules see it, whatever became of the row.
struct Subject {
    RecordId id;
    bool kept = false; // of a pool: it stays
    Fence lastFence;
    Fence finalizedFence;
    KeyLives lives; // of the record, as Store::livesOf()
    bool terminal = false;
    Time answersUntil{}; // of the stored answer
    std::uint32_t answersClient = 0;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> done; // effects by payload, of a recorded key
    std::string body; // what the first execution answered

    std::vector<EffectRow> effects; // what makes a local effect unique

    // The vendor's side of it, and our ledger of it.
    std::optional<OutboundCall> ledger;
    std::optional<Time> vendorSeen; // when it first did the call
    std::string vendorRef; // what the vendor calls it
    Time atVendorFrom{}; // the calls of it that are not carried out yet, from the first one's arrival
    Time atVendorUntil{};
    bool locked = false; // by a transaction that has not ended

    // No record is deleted before it has an outcome, and of earlier lives nobody asks more than when they were over.
    void begins(Fence fence)
    {
        if (lives.empty()) {
            lives.push_back({ fence });
        } else {
            lives.resize(2);
            lives.front().concluded = Fence{ fence.value - 1 };
            lives.back() = { fence };
        }
    }

    void comesToVendor(Time now, Duration way, Duration takes)
    {
        atVendorFrom = now < atVendorUntil ? std::min(atVendorFrom, now + way) : now + way;
        atVendorUntil = std::max(atVendorUntil, now + way + takes);
    }
    [[nodiscard]] bool isAtVendor(Time now) const { return now >= atVendorFrom && now < atVendorUntil; }

    // As new, but for the room that its texts and lists had: millions of them come and go.
    void reuse()
    {
        kept = terminal = locked = false;
        lastFence = finalizedFence = {};
        lives.clear();
        answersUntil = {};
        answersClient = 0;
        done.clear();
        body.clear();
        effects.clear();
        ledger.reset();
        vendorSeen.reset();
        vendorRef.clear();
        atVendorFrom = atVendorUntil = {};
    }
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
    std::uint32_t vendorSends = 0;
    std::int64_t returnsLeft = 0;
    std::uint64_t payload = 0;
    retry::Priority priority = retry::Priority::Critical;
    bool background = false;
    std::uint32_t recorded = nowhere;
    std::uint32_t executions = 0;
    std::uint32_t acquired = 0; // of these, the ones that got the record
    Time acquiredAt{};
    bool toldSuccess = false;
    bool completing = false;

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
    std::uint32_t holds = 0; // requests on their way and executions
    std::uint32_t current = 0; // the attempt that is waited for; 0: none
    std::uint32_t subject = nowhere; // of the last attempt's key
    bool first = false; // of its request
    bool over = false;
    bool inDoubt = false;
    Time began{};
    Time waitsUntil{}; // for the answer of this attempt
    std::uint32_t attempts = 0;
    Time settled{}; // the attempt before
    Duration lastDelay{};
    bool succeeded = false; // the last answer was a good one
    OwnRandom random;
    std::optional<retry::Call> call;

    void reuse()
    {
        request = subject = nowhere;
        holds = current = attempts = 0;
        first = over = inDoubt = succeeded = false;
        lastDelay = {};
    }
    void end() { call.reset(); }
};

enum class Stage : std::uint8_t { Reserve, Handle, Commit, Finalize, AskVendor, Vendor, VendorDone, Waiting };

struct Execution {
    std::uint64_t number = 0; // 0: it is over
    std::uint32_t call = nowhere; // nowhere: a completer's
    std::uint32_t attempt = 0;
    std::uint32_t request = nowhere;
    std::uint32_t subject = nowhere; // nowhere: it has no key
    std::uint32_t node = 0;
    std::uint32_t place = 0; // among those that run at the node
    Stage stage = Stage::Reserve;
    std::uint64_t payload = 0;
    std::uint32_t turn = 0; // of the request's executions, for its dice
    std::uint32_t acquisition = 0; // of the request's; 0: it did not get the record
    int recordAttempt = 1; // at the record, from the store's answer
    Duration lease{};
    bool owns = false; // it holds a reservation
    bool rested = false; // it stood still at this point, and goes on
    bool silent = false; // its heart does not beat
    bool beating = false; // its next beat is planned
    bool uncommitted = false; // a crash rolls its reservation back
    bool asked = false; // the vendor, whether it has done the call
    bool refused = false; // by the vendor
    bool repeats = false; // the effect was there already
    bool waited = false; // for whoever handles its request
    Claim claim;
    Time beatsAt{}; // its lease is renewed
    Time stepsAt{};
    std::optional<Record> before; // single_tx: what a rollback brings back
    int code = status::created;
    std::string body; // what it answers: the effect's name
    std::uint32_t sent = 0; // which of the request's calls to the vendor it waits for

    // As a subject.
    void reuse()
    {
        call = request = subject = nowhere;
        attempt = node = place = turn = acquisition = sent = 0;
        stage = Stage::Reserve;
        payload = 0;
        recordAttempt = 1;
        lease = {};
        owns = rested = silent = beating = uncommitted = asked = refused = repeats = waited = false;
        claim.fence = {};
        beatsAt = stepsAt = {};
        before.reset();
        code = status::created;
        body.clear();
    }
    void end() { number = 0; }
};

// A call on its way to the vendor. It arrives whatever became of its sender.
struct VendorMessage {
    std::uint32_t request = nowhere;
    std::uint32_t subject = nowhere;
    std::uint32_t execution = nowhere;
    std::uint32_t executionNumber = 0;
    std::uint32_t send = 0;
    bool answers = true; // its answer finds the way back

    void reuse() { *this = {}; }
    void end() { }
};

// An attempt that reached a node.
struct Waiting {
    std::uint32_t call = 0;
    std::uint32_t attempt = 0;
    std::uint32_t subject = nowhere; // of its key
    std::uint32_t request = nowhere;
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
namespace answer_flag {
enum AnswerFlag : std::uint8_t {
    Replayed = 1,
    NotSent = 2, // refused: nobody can have executed it
    Gone = 4, // reset: it was sent, and nobody answered
    InProgress = 8,
    OutcomeUnknown = 16,
    Fenced = 32,
};
} // namespace answer_flag
using answer_flag::AnswerFlag;

} // namespace fencepost::simulation

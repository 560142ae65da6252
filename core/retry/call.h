// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <variant>

#include "core/retry/decision.h"
#include "core/retry/dependency.h"

namespace fencepost::retry {

// What is asked of a call: one logical operation with one key, however often it is sent.
struct CallOptions {
    Policy policy{};
    Verb verb = Verb::Unsafe;
    bool hasKey = false;
    bool inDoubt = false; // an earlier life of this call, before a restart, may have been executed
    bool ownsRetries = true; // false inside of a call that retries itself: 3 × 3 attempts help nobody
    bool mayBePoison = false; // see Situation
    std::optional<Time> deadline{}; // by the call's clock
    Priority priority = Priority::Critical;
    bool background = false; // nobody waits for it
};

// One logical call as a machine without a thread, a socket or a sleep, so that an event loop, a blocking service and a
// simulator drive the same code. The layers, from the inside: the timeout of an attempt, which never passes the call's
// end; the breaker and the rest of Dependency for each attempt; retries with jitter around them; a fallback outside.
//
//   next() → Send: send it, wait at most `timeout`, then settle() · Wait: come back then · Decision: it is over
//
// Not thread-safe; its Dependency may be shared. What it holds is given back when it is destroyed.
class Call {
public:
    struct Send {
        int attempt = 1; // counts from 1: Idempotency-Attempt
        Duration timeout{};
    };
    struct Wait {
        Time until{};
        std::string_view reason; // of the attempt before
    };
    using Step = std::variant<Send, Wait, Decision>;

    // All of them outlive the call. The clock only moves forward (SteadyClock); the randomness is the call's own.
    Call(const CallOptions& options, Dependency& dependency, const Clock& clock, Random& random);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    [[nodiscard]] Step next();
    // How the attempt that was to be sent ended. Nothing happens where none is on its way.
    void settle(const Signal& signal);
    // The caller gives up: Unknown where something may have been executed.
    void cancel();

    [[nodiscard]] int attempts() const { return m_situation.attempts; }
    // Why the last step was no attempt: the breaker, the budget, shedding or the deadline. None: it was one.
    [[nodiscard]] const std::optional<Signal>& refusal() const { return m_refusal; }

private:
    [[nodiscard]] std::optional<Step> admit(Duration timeout);
    void decideOn(const Signal& signal);
    void finish();

    CallOptions m_options;
    Dependency& m_dependency;
    const Clock& m_clock;
    Random& m_random;
    Delays m_delays;
    Situation m_situation;
    Time m_notBefore;
    Time m_sentAt{};
    std::optional<Signal> m_refusal;
    Decision m_last; // about the last attempt; the result, once it is over
    bool m_over = false;
    bool m_begun = false;
    std::optional<Admission> m_onItsWay;
};

struct CallResult {
    Decision decision;
    bool fellBack = false;
};

// Drives a call to its end where blocking is fine: sends, and sleeps in between. The fallback is asked only after a
// Stop: while it is unknown whether the call had its effect, another way to have it would be a second one.
CallResult carryOut(Call& call, const std::function<Signal(const Call::Send&)>& send,
    const std::function<void(Time until)>& sleep, const std::function<void(const Decision&)>& fallback = {});

} // namespace fencepost::retry

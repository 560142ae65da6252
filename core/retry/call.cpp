// SPDX-License-Identifier: Apache-2.0
#include "core/retry/call.h"

#include <algorithm>

namespace fencepost::retry {

Call::Call(const CallOptions& options, Dependency& dependency, const Clock& clock, Random& random)
    : m_options(options)
    , m_dependency(dependency)
    , m_clock(clock)
    , m_random(random)
    , m_delays(options.policy.backoff)
    , m_notBefore(clock.now())
{
    m_situation.verb = options.verb;
    m_situation.hasKey = options.hasKey;
    m_situation.inDoubt = options.inDoubt;
    m_situation.ownsRetries = options.ownsRetries;
    m_situation.mayBePoison = options.mayBePoison;
    m_situation.attempts = 0;
    m_situation.startedAt = m_situation.now = m_notBefore;
    m_situation.deadline = options.deadline;
}

Call::~Call()
{
    if (!m_over)
        cancel();
}

Call::Step Call::next()
{
    if (m_over)
        return m_last;
    m_situation.now = m_clock.now();
    if (m_onItsWay)
        return Wait{ m_sentAt + m_options.policy.attemptTimeout, "an attempt is on its way" };
    if (m_situation.now < m_notBefore)
        return Wait{ m_notBefore, m_last.reason };
    const auto timeout = attemptTimeout(m_options.policy, m_situation);
    if (!timeout) {
        Signal over;
        over.ending = Ending::DeadlineOver;
        decideOn(over);
        return m_last;
    }
    if (auto refused = admit(*timeout))
        return *refused;
    return Send{ m_situation.attempts, *timeout };
}

std::optional<Call::Step> Call::admit(Duration timeout)
{
    const Work work{
        .priority = m_options.priority, .retry = m_situation.attempts > 0, .background = m_options.background
    };
    auto admitted = m_dependency.admit(work, m_last.cost, timeout);
    if (const auto* refused = std::get_if<Signal>(&admitted)) {
        decideOn(*refused);
        return m_last;
    }
    if (!m_begun)
        m_dependency.began();
    m_begun = true;
    m_onItsWay.emplace(std::get<Admission>(std::move(admitted)));
    m_sentAt = m_situation.now;
    ++m_situation.attempts;
    return std::nullopt;
}

void Call::settle(const Signal& signal)
{
    if (!m_over && m_onItsWay)
        decideOn(signal);
}

void Call::cancel()
{
    if (m_over)
        return;
    // Nothing is on its way while it waits, so only an attempt before that can be in doubt.
    Signal signal;
    signal.ending = m_onItsWay ? Ending::Cancelled : Ending::DeadlineOver;
    decideOn(signal);
    m_last.reason = "the caller cancelled it";
}

void Call::decideOn(const Signal& signal)
{
    m_refusal = m_onItsWay ? std::nullopt : std::optional(signal);
    m_situation.now = m_clock.now();
    auto policy = m_options.policy;
    policy.attempts = m_dependency.attemptsOf(policy.attempts);
    m_situation.widening = m_dependency.widening();
    m_last = decide(signal, policy, m_situation, m_delays, m_random);
    m_situation.inDoubt = m_last.inDoubt;
    if (m_onItsWay) {
        m_dependency.settle(std::move(*m_onItsWay), m_last, m_situation.now - m_sentAt);
        m_onItsWay.reset();
    }
    if (m_last.verdict == Verdict::Retry)
        m_notBefore = m_situation.now + m_last.delay;
    else
        finish();
}

void Call::finish()
{
    m_over = true;
    if (m_begun)
        m_dependency.ended();
}

CallResult carryOut(Call& call, const std::function<Signal(const Call::Send&)>& send,
    const std::function<void(Time)>& sleep, const std::function<void(const Decision&)>& fallback)
{
    for (;;) {
        const auto step = call.next();
        if (const auto* attempt = std::get_if<Call::Send>(&step)) {
            call.settle(send(*attempt));
        } else if (const auto* wait = std::get_if<Call::Wait>(&step)) {
            sleep(wait->until);
        } else {
            const auto& decision = std::get<Decision>(step);
            const bool fallsBack = fallback && decision.verdict == Verdict::Stop;
            if (fallsBack)
                fallback(decision);
            return { decision, fallsBack };
        }
    }
}

} // namespace fencepost::retry

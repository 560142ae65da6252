// SPDX-License-Identifier: Apache-2.0
#include "core/retry/dependency.h"

#include <algorithm>

namespace fencepost::retry {

namespace {

// A lease outlives the timeout of its attempt, so that only what is lost runs into it.
constexpr Duration leaseMargin = std::chrono::seconds(1);

Settled settledAs(const Decision& decision)
{
    if (decision.verdict == Verdict::Done)
        return Settled::Success;
    return decision.health == Health::Failure || decision.load == Load::Dropped ? Settled::Failure : Settled::Other;
}

Signal refusedAs(Ending ending, std::optional<Duration> retryAfter = {})
{
    Signal signal;
    signal.ending = ending;
    signal.retryAfter = retryAfter;
    return signal;
}

} // namespace

Dependency::Dependency(
    const DependencyOptions& options, const Clock& clock, Random& random, std::unique_ptr<Budget> budget)
    : m_clock(clock)
    , m_random(random)
    , m_budget(budget ? std::move(budget) : std::make_unique<FinagleBudget>(options.budget, clock))
{
    if (options.breaker)
        m_breaker.emplace(*options.breaker, clock, random);
    if (options.limiter)
        m_limiter.emplace(*options.limiter, clock);
    if (options.throttle)
        m_throttle.emplace(*options.throttle);
}

void Dependency::began()
{
    const std::lock_guard lock(m_mutex);
    m_budget->began();
}

void Dependency::ended()
{
    const std::lock_guard lock(m_mutex);
    m_budget->ended();
}

void Dependency::updateLadder()
{
    m_ladder.update(std::max(m_limiter ? m_limiter->load() : 0, m_queueLoad));
}

// A second to five, spread: one value for all would bring them all back together.
Signal Dependency::shed(std::optional<Duration> retryAfter)
{
    if (!retryAfter)
        retryAfter = drawBetween(m_random, std::chrono::seconds(1), std::chrono::seconds(5));
    return refusedAs(Ending::Shed, retryAfter);
}

// The order: what costs nothing and refuses most comes first, what has to be paid for comes last.
std::variant<Admission, Signal> Dependency::admit(const Work& work, Cost cost, Duration timeout)
{
    const std::lock_guard lock(m_mutex);
    updateLadder();
    if (const auto refusal = m_ladder.refusalOf(work, m_random))
        return shed(refusal->retryAfter);
    Admission admission;
    if (m_breaker) {
        admission.permit = m_breaker->admit();
        if (!admission.permit)
            return refusedAs(Ending::BreakerOpen, m_breaker->retryAfter());
    }
    if (m_limiter) {
        admission.slot = m_limiter->acquire(timeout + leaseMargin);
        if (!admission.slot) {
            giveBack(std::move(admission));
            return shed({});
        }
    }
    if (work.retry) {
        admission.charge = m_budget->take(cost);
        if (!admission.charge) {
            giveBack(std::move(admission));
            return refusedAs(Ending::BudgetEmpty);
        }
    }
    // Probes find out whether it accepts again; the chance of a throttle would only delay them.
    const bool isProbe = admission.permit && admission.permit->isProbe();
    if (m_throttle && !m_throttle->admit(m_clock.now(), m_random) && !isProbe) {
        giveBack(std::move(admission));
        return shed({});
    }
    return admission;
}

// Nothing was sent with it.
void Dependency::giveBack(Admission admission)
{
    if (admission.permit)
        m_breaker->settle(std::move(*admission.permit), Health::Neutral, {});
    if (admission.slot)
        m_limiter->release(std::move(*admission.slot), Load::Ignored);
    if (admission.charge)
        m_budget->cancel(*admission.charge);
}

void Dependency::settle(Admission admission, const Decision& decision, Duration took)
{
    const std::lock_guard lock(m_mutex);
    if (admission.permit)
        m_breaker->settle(std::move(*admission.permit), decision.health, took);
    if (admission.slot)
        m_limiter->release(std::move(*admission.slot), decision.load);
    m_budget->settle(admission.charge, settledAs(decision));
    if (m_throttle && decision.load == Load::Success)
        m_throttle->accepted(m_clock.now());
    updateLadder();
}

void Dependency::withdraw(Admission admission)
{
    const std::lock_guard lock(m_mutex);
    giveBack(std::move(admission));
    updateLadder();
}

int Dependency::attemptsOf(int attempts)
{
    const std::lock_guard lock(m_mutex);
    updateLadder();
    return m_ladder.attemptsOf(attempts);
}

int Dependency::widening()
{
    const std::lock_guard lock(m_mutex);
    updateLadder();
    return m_ladder.widening();
}

void Dependency::setQueueLoad(int load)
{
    const std::lock_guard lock(m_mutex);
    m_queueLoad = load;
}

Dependency::Gauges Dependency::gauges()
{
    const std::lock_guard lock(m_mutex);
    return gaugesNow();
}

void Dependency::countChanges(const std::function<void(const Gauges&)>& count)
{
    const std::lock_guard lock(m_mutex);
    const auto gauges = gaugesNow();
    m_counted = gauges.breakerChanges;
    count(gauges);
}

Dependency::Gauges Dependency::gaugesNow()
{
    updateLadder();
    Gauges gauges;
    gauges.budget = m_budget->balance();
    gauges.rung = m_ladder.rung();
    if (m_breaker) {
        gauges.breaker = m_breaker->state();
        gauges.breakerChanges = m_breaker->generation();
        gauges.uncounted = gauges.breakerChanges - m_counted;
        gauges.lastChange = m_breaker->lastChange();
    }
    if (m_limiter) {
        gauges.limit = m_limiter->limit();
        gauges.inFlight = m_limiter->inFlight();
    }
    return gauges;
}

void Dependency::forceOpen(std::string reason)
{
    const std::lock_guard lock(m_mutex);
    if (m_breaker)
        m_breaker->forceOpen(std::move(reason));
}

void Dependency::forceClosed(std::string reason)
{
    const std::lock_guard lock(m_mutex);
    if (m_breaker)
        m_breaker->forceClosed(std::move(reason));
}

void Dependency::release(std::string reason)
{
    const std::lock_guard lock(m_mutex);
    if (m_breaker)
        m_breaker->release(std::move(reason));
}

} // namespace fencepost::retry

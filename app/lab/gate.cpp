// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/gate.h"

#include <array>
#include <charconv>

namespace fencepost::app {

namespace {

constexpr std::string_view service = "lab";
constexpr std::array priorities = { retry::Priority::CriticalPlus, retry::Priority::Critical,
    retry::Priority::SheddablePlus, retry::Priority::Sheddable };

} // namespace

void Gate::open(const RoutePolicy& policy)
{
    const std::lock_guard lock(m_mutex);
    m_limiter.emplace(retry::LimiterOptions{ policy.limiterStart.value, policy.limiterLeast.value,
                          policy.limiterMost.value, policy.limiterBackoff.value },
        m_steady);
    show();
}

std::variant<retry::Slot, TurnedAway> Gate::enter(const retry::Work& work, Duration lease)
{
    const std::lock_guard lock(m_mutex);
    m_shedding.update(m_limiter->load());
    if (const auto refusal = m_shedding.refusalOf(work, m_random))
        return refuse(work, refusal->retryAfter);
    auto slot = m_limiter->acquire(lease);
    if (!slot)
        return refuse(work, std::chrono::seconds(1) + std::chrono::microseconds(m_random.below(4'000'000)));
    show();
    return std::move(*slot);
}

void Gate::leave(retry::Slot slot, retry::Load load)
{
    const std::lock_guard lock(m_mutex);
    m_limiter->release(std::move(slot), load);
    show();
}

TurnedAway Gate::refuse(const retry::Work& work, Duration retryAfter)
{
    m_metrics.add(telemetry::Counter::ShedRejected, { { telemetry::Label::Priority, retry::wordOf(work.priority) } });
    return { 503, retryAfter };
}

void Gate::show()
{
    const telemetry::LabelValues labels = { { telemetry::Label::Dependency, service } };
    m_metrics.set(telemetry::Gauge::LimiterLimit, labels, m_limiter->limit());
    m_metrics.set(telemetry::Gauge::LimiterInFlight, labels, m_limiter->inFlight());
}

int attemptOf(const HttpRequest& request)
{
    int attempt = 1;
    const auto line = lineOf(request.headers, "idempotency-attempt").value_or("");
    std::from_chars(line.data(), line.data() + line.size(), attempt);
    return attempt;
}

retry::Work workOf(const HttpRequest& request, int attempt)
{
    retry::Work work;
    work.retry = attempt > 1;
    const auto said = lineOf(request.headers, "fencepost-priority").value_or("");
    for (const auto priority : priorities)
        if (retry::wordOf(priority) == said)
            work.priority = priority;
    work.background = work.priority >= retry::Priority::SheddablePlus;
    return work;
}

} // namespace fencepost::app

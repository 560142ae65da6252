// SPDX-License-Identifier: Apache-2.0
#include "core/http/timer_alarm.h"

#include <algorithm>

namespace fencepost::http {

namespace {

// QTimer counts to 24 days; a client that is woken early sets it again.
constexpr auto longest = std::chrono::milliseconds(std::chrono::hours(24));

} // namespace

TimerAlarm::TimerAlarm(const Clock& steady)
    : m_clock(steady)
{
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] {
        if (m_ring)
            m_ring();
    });
}

void TimerAlarm::onRing(std::function<void()> ring)
{
    m_ring = std::move(ring);
}

void TimerAlarm::set(std::optional<Time> at)
{
    if (!at) {
        m_timer.stop();
        return;
    }
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*at - m_clock.now());
    m_timer.start(std::clamp(wait, std::chrono::milliseconds(0), longest));
}

} // namespace fencepost::http

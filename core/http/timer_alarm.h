// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>

#include "core/clock.h"
#include "core/http/alarm.h"

namespace fencepost::http {

// Rings by a timer of the thread that made it.
class TimerAlarm final : public Alarm {
public:
    explicit TimerAlarm(const Clock& steady); // outlives it
    void onRing(std::function<void()> ring) override;
    void set(std::optional<Time> at) override;

private:
    const Clock& m_clock;
    QTimer m_timer;
    std::function<void()> m_ring;
};

} // namespace fencepost::http

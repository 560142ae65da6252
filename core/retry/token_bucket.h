// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "core/time.h"

namespace fencepost::retry {

// So many turns a second on average, whoever comes late may catch up with a tenth of a second. Instants are those of
// one clock that never steps. Used by one thread.
class TokenBucket {
public:
    // `perSecond` 0 or less: every turn is granted at once.
    explicit TokenBucket(double perSecond, Time now)
        : m_rate(perSecond)
        , m_at(now)
    {
    }

    void setRate(double perSecond, Time now)
    {
        fill(now);
        m_rate = perSecond;
        m_tokens = std::min(m_tokens, most());
    }

    // Zero: the turn was taken. Else how long until there is one.
    [[nodiscard]] Duration take(Time now)
    {
        if (m_rate <= 0)
            return {};
        fill(now);
        if (m_tokens >= 1) {
            m_tokens -= 1;
            return {};
        }
        constexpr double micros = 1e6;
        return Duration(static_cast<std::int64_t>((1 - m_tokens) / m_rate * micros) + 1);
    }

    [[nodiscard]] double rate() const { return m_rate; }

private:
    [[nodiscard]] double most() const
    {
        constexpr double tenth = 0.1;
        return std::max(1.0, m_rate * tenth);
    }

    void fill(Time now)
    {
        constexpr double micros = 1e6;
        const auto passed = now - m_at;
        if (passed <= Duration::zero())
            return;
        m_tokens = std::min(most(), m_tokens + static_cast<double>(passed.count()) / micros * m_rate);
        m_at = now;
    }

    double m_rate;
    double m_tokens = 1;
    Time m_at;
};

} // namespace fencepost::retry

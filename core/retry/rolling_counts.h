// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/time.h"

namespace fencepost::retry {

// Counts of the last moments, in buckets of equal width; the bucket of now is not full yet. A clock that steps back
// counts into the latest bucket, so nothing is forgotten and nothing revives. Not thread-safe.
template <std::size_t kinds> class RollingCounts {
public:
    RollingCounts(Duration width, std::size_t buckets)
        : m_width(std::max(width, Duration(1)))
        , m_buckets(std::max<std::size_t>(buckets, 1))
    {
    }

    void add(Time now, std::size_t kind, std::int64_t count = 1)
    {
        advance(now);
        at(m_latest)[kind] += count;
        m_sums[kind] += count;
    }
    // Over the last so many buckets, that of now included.
    [[nodiscard]] std::int64_t sum(Time now, std::size_t kind, std::size_t buckets)
    {
        advance(now);
        std::int64_t total = 0;
        for (std::size_t back = 0; back < std::min(buckets, m_buckets.size()); ++back)
            total += at(m_latest - static_cast<std::int64_t>(back))[kind];
        return total;
    }
    // Over all of them: kept, as it is asked for with each attempt.
    [[nodiscard]] std::int64_t sum(Time now, std::size_t kind)
    {
        advance(now);
        return m_sums[kind];
    }
    // Takes back what add counted at `then`, where it still counts.
    void remove(Time now, Time then, std::size_t kind)
    {
        advance(now);
        const auto bucket = std::min(bucketOf(then), m_latest);
        if (m_latest - bucket >= static_cast<std::int64_t>(m_buckets.size()) || at(bucket)[kind] <= 0)
            return;
        --at(bucket)[kind];
        --m_sums[kind];
    }
    void clear()
    {
        std::fill(m_buckets.begin(), m_buckets.end(), Counts{});
        m_sums = Counts{};
    }

private:
    using Counts = std::array<std::int64_t, kinds>;

    [[nodiscard]] std::int64_t bucketOf(Time time) const
    {
        const auto micros = microsOf(time);
        const auto width = m_width.count();
        return micros / width - (micros % width < 0 ? 1 : 0);
    }
    [[nodiscard]] Counts& at(std::int64_t bucket)
    {
        const auto size = static_cast<std::int64_t>(m_buckets.size());
        return m_buckets[static_cast<std::size_t>((bucket % size + size) % size)];
    }
    void advance(Time now)
    {
        const auto latest = bucketOf(now);
        if (!m_started)
            m_latest = latest;
        m_started = true;
        const auto size = static_cast<std::int64_t>(m_buckets.size());
        for (auto bucket = std::max(m_latest + 1, latest - size + 1); bucket <= latest; ++bucket) {
            auto& counts = at(bucket);
            for (std::size_t kind = 0; kind < kinds; ++kind)
                m_sums[kind] -= counts[kind];
            counts = Counts{};
        }
        m_latest = std::max(m_latest, latest);
    }

    Duration m_width;
    std::vector<Counts> m_buckets;
    Counts m_sums{};
    std::int64_t m_latest = 0;
    bool m_started = false;
};

} // namespace fencepost::retry

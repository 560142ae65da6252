// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/range_setting.h"

#include <array>

namespace fencepost::ui {

std::span<const Range> ranges() noexcept
{
    static constexpr std::array known{
        Range{ QT_TRANSLATE_NOOP("RangeSetting", "Last 5 minutes"), std::chrono::seconds(5), 60 },
        Range{ QT_TRANSLATE_NOOP("RangeSetting", "Last hour"), std::chrono::minutes(1), 60 },
        Range{ QT_TRANSLATE_NOOP("RangeSetting", "Last 6 hours"), std::chrono::minutes(6), 60 },
        Range{ QT_TRANSLATE_NOOP("RangeSetting", "Last 24 hours"), std::chrono::minutes(30), 48 },
        Range{ QT_TRANSLATE_NOOP("RangeSetting", "Last 48 hours"), std::chrono::hours(1), 48 },
        Range{ QT_TRANSLATE_NOOP("RangeSetting", "Last 7 days"), std::chrono::hours(3), 56 },
    };
    return known;
}

models::ArrivalsRequest RangeSetting::request() const
{
    const Range& range = ranges()[std::size_t(m_index)];
    models::ArrivalsRequest request;
    request.width = range.width;
    request.count = range.count;
    return request;
}

void RangeSetting::set(int index)
{
    if ((index == m_index && !m_frozen) || index < 0 || std::size_t(index) >= ranges().size())
        return;
    m_index = index;
    m_frozen.reset();
    Q_EMIT changed();
}

void RangeSetting::freeze(const std::optional<TimeRange>& range)
{
    if (m_frozen == range)
        return;
    m_frozen = range;
    Q_EMIT changed();
}

RangeRequest RangeSetting::lookBack() const
{
    RangeRequest request;
    const Range& range = ranges()[std::size_t(m_index)];
    request.last = range.width * range.count;
    if (m_frozen) {
        request.from = m_frozen->from;
        request.until = m_frozen->until;
    }
    return request;
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/range_setting.h"

#include <array>

namespace fencepost::ui {

std::span<const Range> ranges() noexcept
{
    static constexpr std::array known{
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
    if (index == m_index || index < 0 || std::size_t(index) >= ranges().size())
        return;
    m_index = index;
    Q_EMIT changed();
}

} // namespace fencepost::ui

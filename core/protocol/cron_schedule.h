// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/result.h"
#include "core/time.h"

namespace fencepost {

// The five fields of cron, in UTC, so that no slot is left out or comes twice where a clock is changed: minute, hour,
// day of the month, month, day of the week. In each a list of values, ranges and steps ("1-5", "*/15", "0-30/10,45");
// months and days of the week also by three letters, Sunday as 0 or 7. Where both days are restricted, either of them
// is enough.
class CronSchedule {
public:
    // Invalid: the message names the field and what it expects.
    [[nodiscard]] static Result<CronSchedule> parse(std::string_view text);

    // Whether there is a slot at all: a 30th of February never comes.
    [[nodiscard]] bool everComes() const;
    // The first slot behind an instant, and the last one at or before it. None: it never comes.
    [[nodiscard]] std::optional<Time> nextAfter(Time instant) const;
    [[nodiscard]] std::optional<Time> lastUntil(Time instant) const;

    bool operator==(const CronSchedule&) const = default;

private:
    [[nodiscard]] bool matchesDay(std::int64_t day) const;

    std::uint64_t m_minutes = 0; // a bit for each value
    std::uint64_t m_hours = 0;
    std::uint64_t m_days = 0;
    std::uint64_t m_months = 0;
    std::uint64_t m_weekdays = 0;
    bool m_anyDay = false; // the field begins with *
    bool m_anyWeekday = false;
};

} // namespace fencepost

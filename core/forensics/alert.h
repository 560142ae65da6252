// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/forensics/flow.h"
#include "core/inspector.h"
#include "core/time.h"

namespace fencepost {

enum class AlertUnit {
    Rows,
    Span, // seconds
    Part, // of 1; over the whole of it where more is sent again than for the first time
};

// What can be watched. Rows are added up over the tables; of spans the longest counts.
struct AlertMeasure {
    const char* id; // "stuck"
    AlertUnit unit;
    bool within; // counted over a stretch of time before now
    const char* title; // "keys that nobody works on any more"
    const char* example; // "stuck > 10"
};

[[nodiscard]] std::span<const AlertMeasure> alertMeasures() noexcept;

// "stuck > 10", "oldest_lease > 5m", "dead_letters > 20 in 5m", "retries > 20%".
struct AlertRule {
    const AlertMeasure* measure = nullptr;
    double above = 0; // in the measure's unit
    Duration within = std::chrono::minutes(5); // where the measure is counted so

    bool operator==(const AlertRule&) const = default;
};

// Invalid: which part of it is wrong, and what could stand there.
[[nodiscard]] Result<AlertRule> parseAlertRule(std::string_view text);
[[nodiscard]] std::string textOf(const AlertRule& rule); // round-trips
[[nodiscard]] std::string alertValueInWords(const AlertMeasure& measure, double value); // "21 rows", "7m 12s", "31 %"

struct AlertReading {
    double value = 0; // in the measure's unit
    bool exact = true; // false: it is at least so much, because not everything was counted in time
    bool estimated = false; // it is about so much
    std::string binding; // which table has most of it; empty: none has any
};

// Of flows within the rule's stretch; `kind` is that of their table. Unset: they tell nothing of the rule.
struct AlertFlows {
    std::int64_t again = 0; // attempts after the first, beside `first`
    std::int64_t first = 0;
    std::int64_t counted = 0; // events of what the rule counts
    bool estimated = false; // of these, some are
};
[[nodiscard]] AlertFlows alertFlowsOf(const AlertRule& rule, Kind kind, const std::vector<Flow>& flows);

// Reads what the rule is about, each statement within `budget`. Unsupported: no table of the database tells of it.
[[nodiscard]] Result<AlertReading> readAlert(Inspector& inspector, const AlertRule& rule, Duration budget);

struct AlertState {
    AlertRule rule;
    std::optional<AlertReading> reading; // the last one that could be read
    bool firing = false;
    std::optional<Time> since; // firing: when that was seen first, by the database's clock
    std::optional<Error> error; // of the last attempt to read; what was known before stays
};

// A rule that began or ceased to fire.
struct AlertChange {
    AlertState state;
    Time at; // by the database's clock
    std::optional<Duration> lasted; // ceased: how long it had fired
};

// Looks at several rules again and again. What cannot be read neither fires nor ceases. Used by one thread.
class AlertWatch {
public:
    explicit AlertWatch(std::vector<AlertRule> rules);

    std::vector<AlertChange> look(Inspector& inspector, Duration budget = std::chrono::seconds(2));
    [[nodiscard]] const std::vector<AlertState>& states() const { return m_states; }
    [[nodiscard]] bool firing() const;

private:
    std::vector<AlertState> m_states;
};

// What is told to others: no key, no payload and no credential is in it.
[[nodiscard]] std::string alertInWords(const AlertChange& change);

} // namespace fencepost

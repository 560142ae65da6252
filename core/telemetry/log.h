// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>

#include "core/telemetry/event.h"

namespace fencepost::telemetry {

// One event as one JSON object without a line break, the members in the order of protocol §3.10, absent ones null.
// Everything but printable ASCII is escaped; octets that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string jsonLine(const KeyEvent& event, const KeyPrivacy& privacy);

struct LogOptions {
    KeyPrivacy privacy;
    Level least = Level::Info; // what is below it is not written
};

// Writes events as JSON lines. Safe for concurrent use: lines are whole, in the order in which they came.
class JsonLog final : public EventSink {
public:
    // False: the line could not be written. A line comes without its line feed.
    using Write = std::function<bool(const std::string& line)>;

    JsonLog(Write write, LogOptions options);
    // The stream outlives the log, and nobody else writes to it meanwhile.
    JsonLog(std::ostream& stream, LogOptions options);

    void record(const KeyEvent& event) override;
    [[nodiscard]] std::int64_t lost() const; // lines that could not be written

private:
    LogOptions m_options;
    mutable std::mutex m_mutex;
    Write m_write;
    std::int64_t m_lost = 0;
};

} // namespace fencepost::telemetry

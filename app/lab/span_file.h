// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "core/telemetry/trace.h"

namespace fencepost::app {

// Appends spans to a file, as lines of OTLP JSON. Any thread; without a path nowhere.
class SpanFile final : public telemetry::SpanSink {
public:
    // `service`: who sends them, as service.name.
    SpanFile(const std::string& path, std::string service);
    [[nodiscard]] bool isOpen() const { return m_file.is_open(); }
    void write(const std::vector<telemetry::Span>& spans); // as one line
    void record(telemetry::Span span) override;
    [[nodiscard]] std::int64_t lost(); // lines that could not be written

private:
    std::string m_service;
    std::mutex m_mutex;
    std::ofstream m_file;
    std::int64_t m_lost = 0;
    bool m_broken = false; // the last line is none
};

} // namespace fencepost::app

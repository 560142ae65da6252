// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost::test {

struct PrometheusSample {
    std::string name;
    std::map<std::string, std::string> labels;
    double value = 0;
    std::string text; // of the value
};

struct PrometheusFamily {
    std::string help;
    std::string type;
    std::vector<PrometheusSample> samples;
};

struct PrometheusText {
    std::map<std::string, PrometheusFamily> families;
    std::string problem; // empty: it follows the format's grammar and its rules
};

// Reads the text exposition format 0.0.4 by its grammar, and refuses everything that the format calls an error: samples
// without their TYPE before them, a metric in two groups, a label twice, a series twice, buckets that are not
// cumulative.
[[nodiscard]] PrometheusText readPrometheus(std::string_view text);

} // namespace fencepost::test

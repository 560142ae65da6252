// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <vector>

namespace fencepost::test {

// Milliseconds. On a machine that does other things as well, the least and the processor's time say more than the
// median.
struct Figures {
    double least = 0;
    double median = 0;
    double most95 = 0; // 95th percentile
    double most99 = 0; // 99th percentile
    double most = 0;
    double processor = 0; // median, of this process
};

[[nodiscard]] Figures figuresOf(std::vector<double> times, std::vector<double> processor);
// `body` is given its number.
[[nodiscard]] Figures measured(int rounds, const std::function<void(int)>& body);
void print(const char* what, const Figures& figures);

// Of this process, from /proc/self/status: VmRSS now, VmHWM at most.
[[nodiscard]] double residentMegabytes(const char* field);

} // namespace fencepost::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/figures.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

namespace fencepost::test {

namespace {

double processorTime()
{
    return static_cast<double>(std::clock()) * 1000 / CLOCKS_PER_SEC;
}

} // namespace

Figures figuresOf(std::vector<double> times, std::vector<double> processor)
{
    std::sort(times.begin(), times.end());
    std::sort(processor.begin(), processor.end());
    const auto size = times.size();
    return { times.front(), times[size / 2], times[size * 95 / 100], times[size * 99 / 100], times.back(),
        processor[size / 2] };
}

Figures measured(int rounds, const std::function<void(int)>& body)
{
    std::vector<double> times;
    std::vector<double> processor;
    for (int i = 0; i < rounds; ++i) {
        const auto from = std::chrono::steady_clock::now();
        const auto spent = processorTime();
        body(i);
        processor.push_back(processorTime() - spent);
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count());
    }
    return figuresOf(std::move(times), std::move(processor));
}

void print(const char* what, const Figures& figures)
{
    std::printf("%-34s least %8.3f   p50 %8.3f   p95 %8.3f   p99 %8.3f   max %8.3f   own processor %7.3f ms\n", what,
        figures.least, figures.median, figures.most95, figures.most99, figures.most, figures.processor);
    std::fflush(stdout);
}

double residentMegabytes(const char* field)
{
    std::ifstream file("/proc/self/status");
    const auto name = std::string(field) + ":";
    std::string word;
    while (file >> word)
        if (word == name) {
            double kilobytes = 0;
            file >> kilobytes;
            return kilobytes / 1024;
        }
    return 0;
}

} // namespace fencepost::test

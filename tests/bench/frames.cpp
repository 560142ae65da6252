// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/frames.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include <QElapsedTimer>

#include "tests/bench/figures.h"

namespace fencepost::test {

namespace {

constexpr double nanosInMilli = 1e6;

double threadTime()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1000 + double(now.tv_nsec) / nanosInMilli;
}

} // namespace

bool TimedApplication::notify(QObject* receiver, QEvent* event)
{
    if (m_depth++ > 0) {
        const bool done = QApplication::notify(receiver, event);
        --m_depth;
        return done;
    }
    QElapsedTimer timer;
    timer.start();
    const double spent = threadTime();
    const bool done = QApplication::notify(receiver, event);
    busy += double(timer.nsecsElapsed()) / nanosInMilli;
    processor += threadTime() - spent;
    --m_depth;
    return done;
}

double measureFrames(
    TimedApplication& application, const std::string& what, int frames, const std::function<void(int)>& input)
{
    std::vector<double> busy;
    std::vector<double> processor;
    double resident = 0;
    for (int frame = 0; frame < frames; ++frame) {
        application.busy = application.processor = 0;
        QElapsedTimer tick;
        tick.start();
        input(frame);
        while (tick.elapsed() < frameLength)
            QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents,
                int(std::max<qint64>(1, frameLength - tick.elapsed())));
        busy.push_back(application.busy);
        processor.push_back(application.processor);
        resident = std::max(resident, residentMegabytes("VmRSS"));
    }
    const auto over = std::count_if(busy.begin(), busy.end(), [](double each) { return each > frameLength; });
    std::sort(processor.begin(), processor.end());
    const auto processor99 = processor[processor.size() * 99 / 100];
    const auto figures = figuresOf(busy, processor);
    std::printf("%-34s frames %5d   p50 %6.2f   p95 %6.2f   p99 %6.2f   max %6.2f ms   over %d ms %ld   own processor "
                "p99 %6.2f max %6.2f ms   resident %.0f MB\n",
        what.c_str(), frames, figures.median, figures.most95, figures.most99, figures.most, frameLength, long(over),
        processor99, processor.back(), resident);
    std::fflush(stdout);
    return figures.most95;
}

} // namespace fencepost::test

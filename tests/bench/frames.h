// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

#include <QApplication>

namespace fencepost::test {

// Adds up what its thread spends on events, and nothing for waiting.
class TimedApplication final : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override;

    double busy = 0; // milliseconds, as `processor`
    double processor = 0;

private:
    int m_depth = 0;
};

inline constexpr int frameLength = 16; // milliseconds

// How long the window's thread is busy between one input and the next, a frame later. Answers the 95th percentile in
// milliseconds, and prints all of them.
double measureFrames(
    TimedApplication& application, const std::string& what, int frames, const std::function<void(int)>& input);

} // namespace fencepost::test

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <csignal>

namespace fencepost::app {

// While it lives, SIGINT and SIGTERM wait to be asked for instead of ending the program, so that a run can stop between
// two rows and report.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    [[nodiscard]] bool wasAsked() const;

private:
    sigset_t m_before;
};

} // namespace fencepost::app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <csignal>
#include <string>

#include "core/time.h"

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
    // Runs the event loop for that long, or until it is asked.
    void wait(Duration length) const;

private:
    sigset_t m_before;
};

// Of a program that is told to stop while it waits, for a server that does not answer or for a long statement: the
// answer, then exit code 1. `answer` is what is written to standard output, `words` to standard error; both are kept.
// What was written before must have ended with a whole line.
void answerWhenStopped(const std::string& answer, const std::string& words);

// While it lives a signal waits: a line that has begun is written to its end.
class Undisturbed {
public:
    Undisturbed();
    ~Undisturbed();
    Undisturbed(const Undisturbed&) = delete;
    Undisturbed& operator=(const Undisturbed&) = delete;

private:
    sigset_t m_before;
};

} // namespace fencepost::app

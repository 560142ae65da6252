// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/interrupt.h"

#include <array>

namespace fencepost::app {

namespace {

constexpr std::array stopping = { SIGINT, SIGTERM };

} // namespace

Interrupt::Interrupt()
{
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : stopping)
        sigaddset(&blocked, signal);
    pthread_sigmask(SIG_BLOCK, &blocked, &m_before);
}

// A signal that came meanwhile was answered by the report; it must not end the program before it is printed.
Interrupt::~Interrupt()
{
    sigset_t waiting;
    sigemptyset(&waiting);
    for (const int signal : stopping)
        sigaddset(&waiting, signal);
    const timespec atOnce{};
    while (wasAsked())
        sigtimedwait(&waiting, nullptr, &atOnce);
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

bool Interrupt::wasAsked() const
{
    sigset_t waiting;
    sigpending(&waiting);
    for (const int signal : stopping)
        if (sigismember(&waiting, signal) == 1)
            return true;
    return false;
}

} // namespace fencepost::app

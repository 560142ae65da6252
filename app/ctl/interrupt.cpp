// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/interrupt.h"

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include <unistd.h>

#include <QEventLoop>
#include <QTimer>

namespace fencepost::app {

namespace {

constexpr std::array stopping = { SIGINT, SIGTERM };

struct Answer {
    std::string output;
    std::string error;
};

// A handler can be told nothing, so it finds what it has to say here.
std::atomic<const Answer*> current = nullptr;

void answerAndEnd(int)
{
    constexpr int failed = 1;
    if (const auto* answer = current.load()) {
        const bool written = write(STDOUT_FILENO, answer->output.data(), answer->output.size()) >= 0
            && write(STDERR_FILENO, answer->error.data(), answer->error.size()) >= 0;
        static_cast<void>(written);
    }
    _exit(failed);
}

void block(sigset_t& before)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : stopping)
        sigaddset(&blocked, signal);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
}

} // namespace

Interrupt::Interrupt()
{
    block(m_before);
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

void Interrupt::wait(Duration length) const
{
    constexpr auto lookEvery = std::chrono::milliseconds(200);
    QEventLoop loop;
    QTimer poll;
    QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
        if (wasAsked())
            loop.quit();
    });
    poll.start(lookEvery);
    QTimer::singleShot(std::chrono::duration_cast<std::chrono::milliseconds>(length), &loop, &QEventLoop::quit);
    loop.exec();
}

void answerWhenStopped(const std::string& answer, const std::string& words)
{
    // The earlier ones are kept too: a handler may be reading one of them.
    static std::vector<std::unique_ptr<const Answer>> said;
    said.push_back(std::make_unique<const Answer>(Answer{ answer, words }));
    current = said.back().get();
    struct sigaction action = {};
    action.sa_handler = answerAndEnd;
    for (const int signal : stopping)
        sigaction(signal, &action, nullptr);
}

Undisturbed::Undisturbed()
{
    block(m_before);
}

Undisturbed::~Undisturbed()
{
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

} // namespace fencepost::app

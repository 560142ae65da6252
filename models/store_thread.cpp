// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/store_thread.h"

#include <algorithm>
#include <utility>

namespace fencepost::models {

namespace {

std::int64_t steadySecond()
{
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Wrong passwords and broken files do not mend themselves; everything else is worth asking again.
bool mayMend(Failure failure)
{
    return failure == Failure::Unavailable || failure == Failure::TimedOut || failure == Failure::InDoubt;
}

// "Unavailable" also says that a row was locked, so the connection itself is asked.
bool isLost(Backend& backend, const Error& error)
{
    if (error.failure != Failure::Unavailable && error.failure != Failure::InDoubt)
        return false;
    const auto info = backend.inspector().info();
    return !info && info.error().failure != Failure::TimedOut && info.error().failure != Failure::Cancelled;
}

} // namespace

StoreThread::StoreThread(Opener opener, const Clock& clock, Backoff backoff, QObject* parent)
    : QObject(parent)
    , m_opener(std::move(opener))
    , m_clock(clock)
    , m_backoff(backoff)
{
}

StoreThread::~StoreThread()
{
    stop();
    if (m_thread.joinable())
        m_thread.join();
}

void StoreThread::start()
{
    if (m_thread.joinable())
        return;
    change({ .state = Link::State::Connecting });
    m_thread = std::thread([this] { loop(); });
}

void StoreThread::stop()
{
    std::deque<std::unique_ptr<Job>> dropped;
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
        m_interrupt = true;
        dropped.swap(m_queue);
        if (m_backend)
            m_backend->cancel();
    }
    m_wake.notify_all();
}

void StoreThread::cancelRunning()
{
    const std::lock_guard lock(m_mutex);
    if (!m_running || !m_backend)
        return;
    m_interrupt = true;
    m_backend->cancel();
}

void StoreThread::idled(Duration length)
{
    const std::lock_guard lock(m_mutex);
    m_idle += length;
}

void StoreThread::dropCancelled()
{
    const std::lock_guard lock(m_mutex);
    if (!m_running || !m_backend || !m_running->isCancelled())
        return;
    m_interrupt = true;
    m_backend->cancel();
}

void StoreThread::reconnect()
{
    {
        const std::lock_guard lock(m_mutex);
        m_retry = true;
    }
    m_wake.notify_all();
}

Link StoreThread::link() const
{
    const std::lock_guard lock(m_mutex);
    return m_link;
}

Usage StoreThread::usage() const
{
    const std::lock_guard lock(m_mutex);
    Usage usage{ .lastAnswer = m_lastAnswer };
    const auto now = steadySecond();
    for (const auto& second : m_seconds) {
        if (second.at < 0 || now - second.at >= 60)
            continue;
        usage.time += Duration(second.micros);
        usage.rows += second.rows;
        usage.jobs += second.jobs;
    }
    return usage;
}

void StoreThread::enqueue(std::unique_ptr<Job> job)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_stop)
            return;
        m_queue.push_back(std::move(job));
    }
    m_wake.notify_all();
}

void StoreThread::loop()
{
    std::unique_ptr<Backend> backend;
    while (true) {
        if (!backend)
            backend = connectUntilStopped();
        const auto job = backend ? take() : nullptr;
        if (!job)
            break;
        if (!perform(*job, *backend)) {
            {
                const std::lock_guard lock(m_mutex);
                m_backend = nullptr;
            }
            backend.reset();
        }
    }
    {
        const std::lock_guard lock(m_mutex);
        m_backend = nullptr;
    }
    backend.reset();
    change({ .state = Link::State::Stopped });
    Q_EMIT stopped();
}

std::unique_ptr<Backend> StoreThread::connectUntilStopped()
{
    Duration delay = m_backoff.first;
    while (true) {
        {
            const std::lock_guard lock(m_mutex);
            if (m_stop)
                return nullptr;
            m_retry = false;
        }
        auto opened = m_opener();
        if (opened) {
            auto backend = std::move(opened).value();
            {
                const std::lock_guard lock(m_mutex);
                m_backend = backend.get();
            }
            change({ .state = Link::State::Open });
            return backend;
        }
        const bool again = mayMend(opened.error().failure);
        if (!waitToRetry(opened.error(), again ? std::optional(delay) : std::nullopt))
            return nullptr;
        delay = std::min(delay * 2, m_backoff.longest);
    }
}

// Whoever asks meanwhile is answered with the error instead of waiting; false: stopped.
bool StoreThread::waitToRetry(const Error& error, std::optional<Duration> delay)
{
    const auto before = link();
    const bool wasLost = before.state == Link::State::Lost;
    change({ .state = delay ? Link::State::Lost : Link::State::Failed,
        .since = wasLost ? before.since : Time(),
        .error = error,
        .attempt = wasLost ? before.attempt + 1 : 1,
        .retryIn = delay.value_or(Duration()) });
    const auto deadline = std::chrono::steady_clock::now() + delay.value_or(Duration());
    while (true) {
        refuseQueued(error);
        std::unique_lock lock(m_mutex);
        const auto woken = [this] { return m_stop || m_retry || !m_queue.empty(); };
        if (!delay)
            m_wake.wait(lock, woken);
        else if (!m_wake.wait_until(lock, deadline, woken))
            return true;
        if (m_stop)
            return false;
        if (m_retry)
            return true;
    }
}

void StoreThread::refuseQueued(const Error& error)
{
    std::deque<std::unique_ptr<Job>> refused;
    {
        const std::lock_guard lock(m_mutex);
        refused.swap(m_queue);
    }
    for (const auto& job : refused)
        job->refuse(error);
}

std::unique_ptr<StoreThread::Job> StoreThread::take()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        m_wake.wait(lock, [this] { return m_stop || !m_queue.empty(); });
        if (m_stop)
            return nullptr;
        auto job = std::move(m_queue.front());
        m_queue.pop_front();
        if (!job->isCancelled()) {
            m_running = job.get();
            m_interrupt = false;
            return job;
        }
    }
}

// False: the connection is lost.
bool StoreThread::perform(Job& job, Backend& backend)
{
    const auto started = std::chrono::steady_clock::now();
    auto error = job.attempt(backend);
    // An interrupt meant for the statement before may arrive at this one; nothing was changed, so it is run again.
    if (error && error->failure == Failure::Cancelled && !wasInterrupted())
        error = job.attempt(backend);
    {
        const std::lock_guard lock(m_mutex);
        m_running = nullptr;
    }
    const auto spent = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - started);
    account(spent, job.rows(), !error);
    const bool lost = error && isLost(backend, *error);
    // The state changes first, so that whoever receives the error already sees the connection as lost.
    if (lost)
        change({ .state = Link::State::Lost, .error = error });
    job.publish();
    return !lost;
}

bool StoreThread::wasInterrupted() const
{
    const std::lock_guard lock(m_mutex);
    return m_interrupt || m_stop;
}

void StoreThread::account(Duration spent, std::int64_t rows, bool answered)
{
    const std::lock_guard lock(m_mutex);
    const auto now = steadySecond();
    auto& second = m_seconds[static_cast<std::size_t>(now % 60)];
    if (second.at != now)
        second = { .at = now };
    second.micros += std::max(spent - std::exchange(m_idle, Duration::zero()), Duration::zero()).count();
    second.rows += rows;
    ++second.jobs;
    if (answered)
        m_lastAnswer = m_clock.now();
}

void StoreThread::change(Link link)
{
    if (link.since == Time())
        link.since = m_clock.now();
    {
        const std::lock_guard lock(m_mutex);
        m_link = link;
    }
    Q_EMIT linkChanged(link);
}

} // namespace fencepost::models

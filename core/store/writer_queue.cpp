// SPDX-License-Identifier: Apache-2.0
#include "core/store/writer_queue.h"

#include <algorithm>
#include <cerrno>
#include <future>

namespace fencepost::store {

namespace {

// A longer transaction would only make its first caller wait.
constexpr std::size_t perCommit = 256;

using SteadyClock = std::chrono::steady_clock;

} // namespace

Result<std::unique_ptr<WriterQueue>> WriterQueue::open(
    const Target& target, const OpenOptions& options, StoreClock clock)
{
    std::unique_ptr<WriterQueue> queue(new WriterQueue);
    std::promise<Status> opened;
    auto answer = opened.get_future();
    queue->m_thread = std::thread([&queue = *queue, target, options, clock, &opened] {
        queue.work(target, options, clock, [&opened](Status status) { opened.set_value(std::move(status)); });
    });
    if (const auto status = answer.get(); !status)
        return status.error();
    return queue;
}

WriterQueue::~WriterQueue()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
    }
    m_arrived.notify_one();
    if (m_thread.joinable())
        m_thread.join();
}

void WriterQueue::work(
    const Target& target, const OpenOptions& options, StoreClock clock, const std::function<void(Status)>& opened)
{
    auto connection = Connection::open(target, options);
    if (!connection) {
        opened(connection.error());
        return;
    }
    SqlStore store(**connection, clock);
    opened({});
    std::vector<Job*> jobs;
    while (true) {
        if (!awaits(0)) {
            std::unique_lock lock(m_mutex);
            m_arrived.wait(lock, [this] { return m_stopping || !m_jobs.empty(); });
            if (m_jobs.empty())
                return;
        }
        takeInto(jobs);
        carryOut(store, jobs);
        wake(jobs);
        jobs.clear();
    }
}

// A tree: a wake is a system call, and thirty of them take as long as some of the operations.
void WriterQueue::wake(const std::vector<Job*>& jobs)
{
    for (std::size_t below = jobs.size() - 1; below > 0; --below) {
        const auto above = (below - 1) / 2;
        jobs[above]->wakes[(below - 1) % 2] = jobs[below];
    }
    sem_post(&jobs.front()->done);
}

bool WriterQueue::takeInto(std::vector<Job*>& jobs)
{
    const std::lock_guard lock(m_mutex);
    const auto taken = static_cast<std::ptrdiff_t>(std::min(m_jobs.size(), perCommit - jobs.size()));
    jobs.insert(jobs.end(), m_jobs.begin(), m_jobs.begin() + taken);
    m_jobs.erase(m_jobs.begin(), m_jobs.begin() + taken);
    m_waiting = !m_jobs.empty();
    return taken > 0;
}

// Whoever was woken by the commit before is on the way back, mostly with the next operation. To wait for all of them,
// no longer than a commit takes, halves how many commits serve the same callers. A single caller is never waited for.
bool WriterQueue::awaits(std::size_t carriedOut) const
{
    const auto patience = SteadyClock::now() + m_commitTook;
    while (carriedOut < m_expected && m_expected > 1 && !m_waiting && SteadyClock::now() < patience)
        std::this_thread::yield();
    return m_waiting;
}

void WriterQueue::carryOut(SqlStore& store, std::vector<Job*>& jobs)
{
    auto carriedOut = SteadyClock::now();
    const auto committed = store.together([&]() -> Status {
        for (std::size_t next = 0; next < jobs.size() || (awaits(next) && takeInto(jobs)); ++next)
            if (auto status = jobs[next]->run(store); !status)
                return status;
        carriedOut = SteadyClock::now();
        return {};
    });
    m_commitTook = SteadyClock::now() - carriedOut;
    m_expected = jobs.size();
    if (committed || committed.error().failure == Failure::InDoubt) {
        for (auto* job : jobs)
            job->committed = committed;
        return;
    }
    // One of them took all others with it: now each is on its own.
    for (auto* job : jobs)
        job->committed = job->run(store);
}

template <typename T> Result<T> WriterQueue::submit(const std::function<Result<T>(SqlStore&)>& operation)
{
    std::optional<Result<T>> answer;
    Job job;
    job.run = [&](SqlStore& store) -> Status {
        answer.emplace(operation(store));
        return *answer ? Status() : Status(answer->error());
    };
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back(&job);
        m_waiting = true;
    }
    m_arrived.notify_one();
    while (sem_wait(&job.done) != 0 && errno == EINTR) { }
    for (auto* other : job.wakes)
        if (other != nullptr)
            sem_post(&other->done);
    if (!job.committed)
        return job.committed.error();
    return std::move(*answer);
}

Result<Reserved> WriterQueue::reserve(const Reservation& reservation)
{
    return submit<Reserved>([&](SqlStore& store) { return store.reserve(reservation); });
}

Result<Applied> WriterQueue::renew(const Claim& claim, Duration lease)
{
    return submit<Applied>([&](SqlStore& store) { return store.renew(claim, lease); });
}

Result<Applied> WriterQueue::finalize(const Claim& claim, const Completion& completion)
{
    return submit<Applied>([&](SqlStore& store) { return store.finalize(claim, completion); });
}

Result<Applied> WriterQueue::fail(const Claim& claim, const Failing& failing)
{
    return submit<Applied>([&](SqlStore& store) { return store.fail(claim, failing); });
}

Result<Applied> WriterQueue::hold(const Claim& claim, const std::string& reason)
{
    return submit<Applied>([&](SqlStore& store) { return store.hold(claim, reason); });
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <semaphore.h>

#include "core/store/sql_store.h"

namespace fencepost::store {

// One writer for many threads: SQLite lets only one write at a time, so whoever waits for the disk shares the next
// commit. Every caller gets its own answer, after the commit that holds its change. Any thread may call it.
class WriterQueue {
public:
    // The writer's thread opens the connection, uses it and closes it.
    static Result<std::unique_ptr<WriterQueue>> open(
        const Target& target, const OpenOptions& options, StoreClock clock);
    // What is queued is still carried out.
    ~WriterQueue();
    WriterQueue(const WriterQueue&) = delete;
    WriterQueue& operator=(const WriterQueue&) = delete;

    Result<Reserved> reserve(const Reservation& reservation);
    Result<Applied> renew(const Claim& claim, Duration lease);
    Result<Applied> finalize(const Claim& claim, const Completion& completion);
    Result<Applied> fail(const Claim& claim, const Failing& failing);
    Result<Applied> hold(const Claim& claim, const std::string& reason);

private:
    // Lives on its caller's stack until the caller is woken.
    struct Job {
        Job() { sem_init(&done, 0, 0); }
        ~Job() { sem_destroy(&done); }
        Job(const Job&) = delete;
        Job& operator=(const Job&) = delete;

        std::function<Status(SqlStore&)> run; // may be run again: keeps the last answer
        Status committed;
        sem_t done; // of POSIX: the standard library's spins before it sleeps, thirty of them at a time
        std::array<Job*, 2> wakes{}; // by whoever was woken: the writer has the next commit to make
    };

    WriterQueue() = default;
    void work(
        const Target& target, const OpenOptions& options, StoreClock clock, const std::function<void(Status)>& opened);
    // Whether there was one more.
    bool takeInto(std::vector<Job*>& jobs);
    // Whether another operation came while there were reasons to expect one beside the `carriedOut`.
    bool awaits(std::size_t carriedOut) const;
    static void wake(const std::vector<Job*>& jobs);
    void carryOut(SqlStore& store, std::vector<Job*>& jobs);
    template <typename T> Result<T> submit(const std::function<Result<T>(SqlStore&)>& operation);

    std::mutex m_mutex;
    std::condition_variable m_arrived;
    std::vector<Job*> m_jobs;
    std::atomic<bool> m_waiting = false; // whether m_jobs has any
    bool m_stopping = false;
    // The writer's own.
    std::size_t m_expected = 0; // callers that the last commit woke
    std::chrono::steady_clock::duration m_commitTook{};
    std::thread m_thread;
};

} // namespace fencepost::store

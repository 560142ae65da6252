// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <thread>

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
        std::function<Status(SqlStore&)> run; // may be run again: keeps the last answer
        Status committed;
        std::binary_semaphore done{ 0 };
    };

    WriterQueue() = default;
    void work(
        const Target& target, const OpenOptions& options, StoreClock clock, const std::function<void(Status)>& opened);
    // Whether there was one more.
    bool takeInto(std::vector<Job*>& jobs);
    void carryOut(SqlStore& store, std::vector<Job*>& jobs);
    template <typename T> Result<T> submit(const std::function<Result<T>(SqlStore&)>& operation);

    std::mutex m_mutex;
    std::condition_variable m_arrived;
    std::vector<Job*> m_jobs;
    bool m_stopping = false;
    std::thread m_thread;
};

} // namespace fencepost::store

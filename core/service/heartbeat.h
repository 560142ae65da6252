// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "core/store.h"

namespace fencepost {

// How an owner keeps its record (protocol §3.11).
struct LeaseTerms {
    Duration lease{};
    Duration renewEvery{};
    Duration safetyMargin{}; // the owner takes the lease for over that long before its end

    bool operator==(const LeaseTerms&) const = default;
};

// Renews the leases of executions that are at work, on a thread and over a connection of its own, so that a handler
// that takes longer than its lease keeps its record as long as its process lives. Safe for concurrent use.
class Heartbeat {
public:
    using Renew = std::function<Result<Applied>(const Claim& claim, Duration lease)>;
    // Opens a store; called on the heartbeat's own thread, again after the store was lost. What it returns owns the
    // connection, and is used and let go on that thread.
    using Open = std::function<Result<Renew>()>;

    explicit Heartbeat(Open open);
    ~Heartbeat();
    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;

    class Beat;
    // Renews until the beat is gone. It is stopped before the record is finalized, and outlived by the heartbeat.
    [[nodiscard]] std::unique_ptr<Beat> keep(const Claim& claim, const LeaseTerms& terms);

private:
    using Steady = std::chrono::steady_clock;
    struct Kept {
        Claim claim;
        LeaseTerms terms;
        Steady::time_point due;
        Steady::time_point end; // of the lease, less the margin
        bool lost = false;
        bool gone = false;
    };

    void run();
    void renew(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Kept>& kept);
    void forget(const std::shared_ptr<Kept>& kept);
    [[nodiscard]] bool isLost(const std::shared_ptr<Kept>& kept);

    Open m_open;
    Renew m_renew; // of the thread
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::list<std::shared_ptr<Kept>> m_kept;
    bool m_stopping = false;
    std::thread m_thread; // the last member: it uses the others
};

// One execution's part of a heartbeat.
class Heartbeat::Beat {
public:
    Beat(Heartbeat& heartbeat, std::shared_ptr<Kept> kept)
        : m_heartbeat(heartbeat)
        , m_kept(std::move(kept))
    {
    }
    // No renewal of it is under way any more when it returns.
    ~Beat() { m_heartbeat.forget(m_kept); }
    Beat(const Beat&) = delete;
    Beat& operator=(const Beat&) = delete;

    // The record was taken away, or could not be renewed until it was too late: what is not done yet must not be done.
    [[nodiscard]] bool isLost() const { return m_heartbeat.isLost(m_kept); }

private:
    Heartbeat& m_heartbeat;
    std::shared_ptr<Kept> m_kept;
};

} // namespace fencepost

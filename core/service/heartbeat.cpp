// SPDX-License-Identifier: Apache-2.0
#include "core/service/heartbeat.h"

#include <algorithm>

namespace fencepost {

Heartbeat::Heartbeat(Open open)
    : m_open(std::move(open))
    , m_thread([this] { run(); })
{
}

Heartbeat::~Heartbeat()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

std::unique_ptr<Heartbeat::Beat> Heartbeat::keep(const Claim& claim, const LeaseTerms& terms)
{
    const auto now = Steady::now();
    auto kept = std::make_shared<Kept>(Kept{ claim, terms, now + terms.renewEvery, {} });
    kept->end = now + terms.lease - terms.safetyMargin;
    {
        const std::lock_guard lock(m_mutex);
        m_kept.push_back(kept);
    }
    m_changed.notify_all();
    return std::make_unique<Beat>(*this, std::move(kept));
}

void Heartbeat::forget(const std::shared_ptr<Kept>& kept)
{
    std::unique_lock lock(m_mutex);
    kept->gone = true;
    // A renewal that is under way holds it out of the list.
    m_changed.wait(lock, [&] {
        const auto found = std::find(m_kept.begin(), m_kept.end(), kept);
        if (found == m_kept.end())
            return false;
        m_kept.erase(found);
        return true;
    });
}

bool Heartbeat::isLost(const std::shared_ptr<Kept>& kept)
{
    const std::lock_guard lock(m_mutex);
    return kept->lost || Steady::now() >= kept->end;
}

void Heartbeat::run()
{
    std::unique_lock lock(m_mutex);
    while (!m_stopping) {
        const auto next = std::min_element(
            m_kept.begin(), m_kept.end(), [](const auto& one, const auto& other) { return one->due < other->due; });
        if (next == m_kept.end()) {
            m_changed.wait(lock);
            continue;
        }
        // It may be forgotten during the wait.
        const auto due = (*next)->due;
        if (due > Steady::now())
            m_changed.wait_until(lock, due);
        else
            renew(lock, std::shared_ptr<Kept>(*next)); // which the list forgets meanwhile
    }
    lock.unlock();
    m_renew = nullptr;
}

void Heartbeat::renew(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Kept>& kept)
{
    m_kept.remove(kept);
    lock.unlock();
    const auto began = Steady::now();
    Result<Applied> renewed = Error{ Failure::Unavailable, "The store could not be opened", {} };
    if (!m_renew)
        if (auto opened = m_open())
            m_renew = std::move(*opened);
    if (m_renew)
        renewed = m_renew(kept->claim, kept->terms.lease);
    if (!renewed)
        m_renew = nullptr;
    lock.lock();
    if (renewed && renewed->outcome == Outcome::Applied) {
        kept->due = began + kept->terms.renewEvery;
        kept->end = began + kept->terms.lease - kept->terms.safetyMargin;
    } else {
        // A store that does not answer may be back before the lease is over.
        kept->lost = kept->lost || renewed;
        kept->due = kept->lost ? Steady::time_point::max() : Steady::now() + kept->terms.renewEvery / 4;
    }
    m_kept.push_back(kept);
    m_changed.notify_all();
}

} // namespace fencepost

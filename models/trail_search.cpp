// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/trail_search.h"

#include <algorithm>
#include <chrono>

namespace fencepost::models {

namespace {

bool isGone(const Error& error)
{
    return error.failure == Failure::Unavailable;
}

bool wasCancelled(const Trail& trail)
{
    return std::any_of(trail.searched.begin(), trail.searched.end(),
        [](const Searched& searched) { return searched.error && searched.error->failure == Failure::Cancelled; });
}

} // namespace

TrailSearch::TrailSearch(const Clock& clock, QObject* parent)
    : QObject(parent)
    , m_clock(clock)
    , m_thread([this] { loop(); })
{
}

TrailSearch::~TrailSearch()
{
    {
        const std::lock_guard lock(m_mutex);
        m_end = true;
        for (const auto& source : m_sources)
            source.backend->cancel();
    }
    m_wake.notify_all();
    m_thread.join();
}

void TrailSearch::search(std::vector<TrailPlace> places, TrailRequest request)
{
    m_id = request.id;
    m_running = true;
    give({ ++m_number, std::move(places), std::move(request), false });
    Q_EMIT changed();
}

void TrailSearch::stop()
{
    if (!m_running)
        return;
    ++m_number;
    m_running = false;
    interrupt();
    Q_EMIT changed();
}

void TrailSearch::forgetConnections()
{
    stop();
    give({ .number = ++m_number, .forget = true });
}

void TrailSearch::give(Order order)
{
    interrupt();
    {
        const std::lock_guard lock(m_mutex);
        m_order = std::move(order);
    }
    m_wake.notify_all();
}

void TrailSearch::interrupt()
{
    const std::lock_guard lock(m_mutex);
    m_order.reset();
    for (const auto& source : m_sources)
        source.backend->cancel();
}

void TrailSearch::loop()
{
    std::unique_lock lock(m_mutex);
    while (!m_end) {
        m_wake.wait(lock, [this] { return m_end || m_order.has_value(); });
        if (m_end)
            break;
        const auto order = std::move(*m_order);
        m_order.reset();
        lock.unlock();
        if (order.forget) {
            std::vector<Source> closing;
            const std::lock_guard locked(m_mutex);
            closing.swap(m_sources);
        } else {
            auto answer = carryOut(order);
            // The object outlives its thread, and takes the answer on its own.
            QMetaObject::invokeMethod(
                this, [this, number = order.number, answer = std::move(answer)] { take(number, answer); },
                Qt::QueuedConnection);
        }
        lock.lock();
    }
    m_sources.clear();
}

TrailAnswer TrailSearch::carryOut(const Order& order)
{
    TrailAnswer answer;
    std::vector<TrailSource> sources;
    for (const auto& place : order.places)
        if (auto* backend = openPlace(place, answer)) {
            sources.push_back({ place.name.toStdString(), backend });
            answer.names.push_back(place.name);
        }
    const auto began = std::chrono::steady_clock::now();
    auto request = order.request;
    request.stopped = [this, number = order.number] { return number != m_number; };
    answer.id = request.id;
    answer.trail = followId(sources, request);
    // What was meant for the search before may have hit this one.
    if (wasCancelled(answer.trail) && order.number == m_number)
        answer.trail = followId(sources, request);
    answer.time = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - began);
    answer.now = m_clock.now();
    // The next search connects anew.
    for (const auto& searched : answer.trail.searched)
        if (searched.error && isGone(*searched.error)) {
            const std::lock_guard lock(m_mutex);
            std::erase_if(
                m_sources, [&](const Source& source) { return source.name == answer.names[searched.source]; });
        }
    return answer;
}

Backend* TrailSearch::openPlace(const TrailPlace& place, TrailAnswer& answer)
{
    const auto known = std::find_if(
        m_sources.begin(), m_sources.end(), [&](const Source& source) { return source.name == place.name; });
    if (known != m_sources.end()) {
        // A file that was moved away and a server that was restarted are told by any question.
        if (known->backend->inspector().info())
            return known->backend.get();
        const std::lock_guard lock(m_mutex);
        m_sources.erase(known);
    }
    auto opened = place.open();
    if (!opened) {
        answer.closed.emplace_back(place.name, opened.error());
        return nullptr;
    }
    const std::lock_guard lock(m_mutex);
    m_sources.push_back({ place.name, std::move(*opened) });
    return m_sources.back().backend.get();
}

void TrailSearch::take(int number, TrailAnswer answer)
{
    if (number != m_number)
        return;
    m_running = false;
    m_answer = std::move(answer);
    Q_EMIT changed();
}

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/faulty_target.h"

#include <algorithm>

#include "core/protocol/ascii.h"
#include "core/protocol/http_message.h"

namespace fencepost::app {

namespace {

using delivery::DeliveryResult;
using delivery::Parcel;

constexpr auto lookEvery = std::chrono::milliseconds(50);

// What it carries. It is the lab's own, and no receiver's.
FaultsOfRequest takeFaults(Headers& headers, Faults& faults)
{
    std::vector<FaultSpec> specs;
    for (const auto line : linesOf(headers, faultHeader))
        if (const auto read = parseFaults(line))
            specs.insert(specs.end(), read->begin(), read->end());
    const auto own = asciiLower(faultHeader);
    std::erase_if(headers, [&](const auto& header) { return asciiLower(header.first) == own; });
    return { faults, std::move(specs) };
}

} // namespace

FaultyTarget::FaultyTarget(std::unique_ptr<delivery::Target> inner, Faults& faults, const Clock& steady)
    : m_inner(std::move(inner))
    , m_faults(faults)
    , m_steady(steady)
{
    m_look.setInterval(lookEvery);
    QObject::connect(&m_look, &QTimer::timeout, &m_look, [this] {
        letGo([now = m_steady.now(), age = m_faults.age()](
                  const Held& held) { return held.at <= now || held.age != age; });
    });
}

void FaultyTarget::deliver(const Parcel& parcel, Ended ended)
{
    auto made = std::make_shared<Handing>(Handing{ parcel, std::move(ended), {} });
    auto& handing = *made;
    handing.faults = takeFaults(handing.parcel.message.event.headers, m_faults);
    if (handing.faults.find(FaultKind::PoisonEvent) != nullptr)
        handing.parcel.payload.resize(handing.parcel.payload.size() / 2);
    // It was bad luck once.
    if (parcel.message.attempt > 1)
        handing.faults = {};
    if (const auto* delay = handing.faults.find(FaultKind::DelayEvent))
        return hold(std::move(made), Until::Time, delay->time);
    // Whoever overtakes one that is held is out of order already.
    const bool overtakes =
        std::any_of(m_held.begin(), m_held.end(), [&](const Held& held) { return isOvertaken(held, parcel); });
    if (const auto* reorder = handing.faults.find(FaultKind::ReorderEvent); reorder != nullptr && !overtakes)
        return hold(std::move(made), Until::Overtaken, reorder->time);
    handOver(made);
}

void FaultyTarget::hold(std::shared_ptr<const Handing> handing, Until until, Duration longest)
{
    m_held.push_back({ std::move(handing), until, m_steady.now() + longest, m_faults.age() });
    m_look.start();
}

bool FaultyTarget::isOvertaken(const Held& held, const Parcel& by)
{
    const auto& parcel = held.handing->parcel;
    return held.until == Until::Overtaken && parcel.destination == by.destination
        && parcel.message.seq < by.message.seq;
}

void FaultyTarget::letGo(const std::function<bool(const Held&)>& isFree)
{
    std::vector<std::shared_ptr<const Handing>> free;
    std::erase_if(m_held, [&](const Held& held) {
        const bool goes = isFree(held);
        if (goes)
            free.push_back(held.handing);
        return goes;
    });
    if (m_held.empty())
        m_look.stop();
    for (const auto& handing : free)
        handOver(handing);
}

void FaultyTarget::handOver(const std::shared_ptr<const Handing>& handing)
{
    handing->faults.reach(Point::P13);
    m_inner->deliver(handing->parcel, [this, handing](const DeliveryResult& result) {
        if (handing->faults.find(FaultKind::DuplicateEvent) != nullptr)
            handOverAgain(handing, result);
        else
            end(*handing, result);
    });
}

// Whatever became of the first: nobody had heard it by then. Later, because a target may still be busy with the first
// while it says that it has ended.
void FaultyTarget::handOverAgain(const std::shared_ptr<const Handing>& handing, const DeliveryResult& first)
{
    QTimer::singleShot(0, &m_look, [this, handing, first] {
        m_inner->deliver(handing->parcel, [this, handing, first](const DeliveryResult&) { end(*handing, first); });
    });
}

void FaultyTarget::end(const Handing& handing, const DeliveryResult& result)
{
    const bool accepted = result.delivered == delivery::Delivered::Accepted;
    if (accepted)
        handing.faults.reach(Point::P14);
    handing.ended(result);
    if (accepted)
        letGo([&](const Held& held) { return isOvertaken(held, handing.parcel); });
}

} // namespace fencepost::app

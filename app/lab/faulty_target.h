// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <list>

#include <QTimer>

#include "app/lab/faults.h"
#include "core/clock.h"
#include "core/delivery/target.h"

namespace fencepost::app {

// Hands events over with the faults that they carry, on their first attempt: twice, late, behind a later one. What is
// poisoned is so in every attempt, as one id never stands for two payloads. Used by the relay's thread.
class FaultyTarget final : public delivery::Target {
public:
    FaultyTarget(std::unique_ptr<delivery::Target> inner, Faults& faults, const Clock& steady);

    void deliver(const delivery::Parcel& parcel, Ended ended) override;

private:
    struct Handing {
        delivery::Parcel parcel;
        Ended ended;
        FaultsOfRequest faults;
    };
    enum class Until { Time, Overtaken };
    struct Held {
        std::shared_ptr<const Handing> handing;
        Until until;
        Time at; // in any case
        std::uint64_t age; // of the faults; a later one lets it go
    };

    void hold(std::shared_ptr<const Handing> handing, Until until, Duration longest);
    static bool isOvertaken(const Held& held, const delivery::Parcel& by);
    void letGo(const std::function<bool(const Held&)>& isFree);
    void handOver(const std::shared_ptr<const Handing>& handing);
    void handOverAgain(const std::shared_ptr<const Handing>& handing, const delivery::DeliveryResult& first);
    void end(const Handing& handing, const delivery::DeliveryResult& result);

    std::unique_ptr<delivery::Target> m_inner;
    Faults& m_faults;
    const Clock& m_steady;
    std::list<Held> m_held;
    QTimer m_look; // runs while anything is held
};

} // namespace fencepost::app

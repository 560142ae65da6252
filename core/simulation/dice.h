// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/random.h"

namespace fencepost::simulation {

// What a throw of the dice decides. Each has numbers of its own, so that one more throw somewhere changes no other.
enum class Throw : std::uint8_t {
    Gap, // until the next request arrives
    Client, // the randomness of a call: its delays
    Protection, // of what stands in front of a dependency
    DoubleClick,
    DoubleClickAfter,
    Payload,
    Key,
    Node,
    WayThere,
    WayBack,
    LostThere,
    LostBack,
    DuplicatedThere,
    DuplicateAfter,
    StoreTime,
    ServiceTime,
    ServiceError,
    ServiceDeclined,
    VendorThere,
    VendorBack,
    VendorLost,
    VendorTime,
    VendorError,
    Fault, // whether a fault of the schedule that does not strike everybody strikes this one
    Crash, // from here on: one for each labelled point
    Pause = Crash + 32, // one for each labelled point
    EventWay = Pause + 32,
    EventLost,
    EventDuplicated,
    EventDuplicateAfter,
    EventAckLost,
    EventTime,
    EventError,
    EventPoison,
    EventDelay,
    EventKey,
    RecordedCrash,
    RecordedReset,
    Priority,
    Background,
    Place, // at which of its places a labelled point strikes
};

// A number for each question, whoever asks it and in whatever order: what a request throws does not depend on the
// others, so a schedule can be made smaller and stays what it was. SplitMix64's finalizer over a counter.
class Dice {
public:
    explicit Dice(std::uint64_t seed)
        : m_seed(mix(seed + golden))
    {
    }

    [[nodiscard]] std::uint64_t roll(Throw what, std::uint64_t who, std::uint64_t turn = 0) const
    {
        return mix(mix(m_seed ^ (who * golden + std::uint64_t(what))) + turn * golden);
    }
    // In parts of a million.
    [[nodiscard]] bool happens(Throw what, std::uint64_t who, std::uint64_t turn, std::int64_t perMillion) const
    {
        if (perMillion <= 0)
            return false;
        constexpr std::uint64_t million = 1'000'000;
        return below(roll(what, who, turn), million) < static_cast<std::uint64_t>(perMillion);
    }
    // The number's place in [0, bound): by multiplication, which prefers no end.
    [[nodiscard]] static std::uint64_t below(std::uint64_t number, std::uint64_t bound)
    {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>(Wide(number) * bound >> 64U);
    }

private:
    static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;

    static std::uint64_t mix(std::uint64_t z)
    {
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31U);
    }

    std::uint64_t m_seed;
};

} // namespace fencepost::simulation

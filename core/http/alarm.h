// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "core/time.h"

namespace fencepost::http {

// What wakes a client: injected, so that a test's clock and its alarm move together. Used by the client's thread.
class Alarm {
public:
    virtual ~Alarm() = default;
    // Whom to call, from the event loop, once for each set().
    virtual void onRing(std::function<void()> ring) = 0;
    // When, by the client's steady clock, in place of what was set before. None: not at all.
    virtual void set(std::optional<Time> at) = 0;
};

} // namespace fencepost::http

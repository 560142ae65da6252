// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/messaging/inbox.h"

namespace fencepost::delivery {

// Where events come from, one at a time: a broker's queue that delivers again what is not acknowledged. Used by one
// thread, which waits in it.
class Source {
public:
    Source() = default;
    virtual ~Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    // The next one, which takes the place of the one before; none: nothing came in that time. Unavailable: the broker
    // is away, ask again later. What it says is text, and has a name within its consumer.
    virtual Result<std::optional<Delivery>> next(Duration patience) = 0;

    // Of the one that next() answered last. Where one fails the broker delivers it again.
    virtual Status acknowledge() = 0;
    virtual Status deliverAgain(Duration delay) = 0;
    virtual Status extend() = 0; // it is still being worked at
};

} // namespace fencepost::delivery

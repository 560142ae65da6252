// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/messaging/outbox.h"

namespace fencepost::delivery {

// One message with its payload, on its way to where `destination` says.
struct Parcel {
    OutboxMessage message; // attempt counts this delivery
    Bytes payload;
    std::string destination; // the message's own, or what the run sends all of them to
};

enum class Delivered {
    Accepted, // the other side has it
    Failed,
    Gone, // the destination wants nothing any more, now or later
    NotTried, // it was not asked, so that this is no attempt: it is known to be away
};

struct DeliveryResult {
    Delivered delivered = Delivered::Failed;
    std::string code; // a status of HTTP, "timeout", "connection", "connection_lost", "tls", a broker's own word
    std::string error; // in words; never a payload
    std::optional<Duration> asked; // how long it asked to be left alone
    bool retryable = true; // false: it cannot be sent as it is, however often
};

// Where messages are sent to. Works on the event loop of the thread that made it and never waits in it. `ended` is
// called once, later and from the event loop; not at all after the target is gone.
class Target {
public:
    using Ended = std::function<void(const DeliveryResult&)>;

    Target() = default;
    virtual ~Target() = default;
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    virtual void deliver(const Parcel& parcel, Ended ended) = 0;
};

} // namespace fencepost::delivery

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/delivery/targets.h"
#include "core/retry/policy.h"
#include "core/store/outbox.h"

namespace fencepost::delivery {

struct RelayOptions {
    retry::Policy schedule = *retry::presetOf("vendor"); // attempts before a message is dead, and the delays between
    DeadHead deadHead = DeadHead::BlockKey;
    int batch = 50; // claimed at most
    int concurrency = 16; // on their way at the same time
    int perDestination = 4; // of them to one destination, so that one that hangs leaves room for the others
    Duration lease = std::chrono::seconds(30);
    std::string to; // everything goes there; empty: where each message says
    TargetOptions target{};
    std::string by = "relay"; // who disables a destination
    // Around each target as it is made, for who watches deliveries or gets in their way. None: as they are.
    std::function<std::unique_ptr<Target>(std::unique_ptr<Target>)> around{};
};

// One delivery that has ended and what became of its message.
struct Relayed {
    const OutboxMessage& message;
    Delivered delivered = Delivered::Failed;
    OutboxState state = OutboxState::Sent; // Pending: it is sent again
    std::string code;
    std::string error;
};

struct RelayTotals {
    std::int64_t sent = 0;
    std::int64_t failed = 0; // to be sent again
    std::int64_t dead = 0;
    std::int64_t postponed = 0; // not tried
    std::int64_t lost = 0; // another relay's by the time they ended
    std::int64_t disabled = 0; // destinations
};

// Sends what is due in the outbox, each message at least once and under one id. Any number of relays may run at once.
// Used by one thread, on whose event loop it works. Errors are the store's: what is on its way then is somebody else's
// when its lease has ended.
class Relay {
public:
    // The parts and the connection outlive it. The connection is the relay's alone while pass() runs.
    Relay(store::Connection& connection, store::StoreClock clock, const TargetParts& parts, RelayOptions options);
    ~Relay();
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    // Until nothing is due any more, or `stop` answers true: then what has not begun is given back at once, and what is
    // on its way has a second to end.
    // Behind an error it may be called again, and goes on with what is on its way and with what has ended meanwhile.
    Result<RelayTotals> pass(const std::function<void(const Relayed&)>& report, const std::function<bool()>& stop);
    // Of all passes, also of those that ended with an error.
    [[nodiscard]] const RelayTotals& totals() const;
    // From now on, instead of one that was lost. It outlives the relay too.
    void use(store::Connection& connection);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace fencepost::delivery

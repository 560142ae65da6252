// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/clock.h"
#include "core/delivery/source.h"
#include "core/random.h"
#include "core/retry/policy.h"
#include "core/store/inbox.h"

namespace fencepost::delivery {

struct ConsumerOptions {
    retry::Policy schedule = *retry::presetOf("vendor"); // the delays between attempts
    int maxAttempts = 5; // then it is a dead letter
    Duration lease = std::chrono::seconds(60); // of the inbox; renewed while the handler works
};

// What a handler works on, under a lease.
struct Handling {
    const Delivery& delivery;
    int attempt = 1;
    // To be called often; now and then it renews. False: it is somebody else's now, stop at once.
    std::function<bool()> keep;
};

// What a handler answers: nothing, it is done; or why not.
using Handler = std::function<std::optional<HandlingFailure>(const Handling& handling)>;

// What the handler leaves in the inbox's own database, on its connection and in the transaction that marks the event as
// processed: both or neither, so that it happens exactly once. An error undoes both.
using InboxEffect = std::function<Status(const Delivery& delivery)>;

// One delivery and what became of it.
struct Consumed {
    Delivery delivery;
    std::string outcome; // processed, failed, dead, lost; or a word of Reception, where no handler was called
    std::string reason; // in words
    std::optional<HandlingFailure> failure;
    std::optional<InboxMessage> message; // as it is now
    bool acknowledged = false; // false: it is delivered again
};

// Takes events from a source, through an inbox, to a handler: each is handled until the inbox says that it is done, and
// acknowledged only then. An effect outside of the inbox's database happens at least once: a crash behind it repeats
// it; one inside of it is an InboxEffect. Used by one thread. Errors are the store's and the source's: what was in hand
// then is delivered again.
class EventConsumer {
public:
    // All of them outlive it.
    EventConsumer(Source& source, store::Inbox& inbox, const Clock& steady, Random& random, ConsumerOptions options);

    // None: nothing came in that time.
    Result<std::optional<Consumed>> handleNext(
        Duration patience, const Handler& handler, const InboxEffect& effect = nullptr);

private:
    Result<Consumed> handle(Consumed consumed, const Handler& handler, const InboxEffect& effect);
    Result<Consumed> settle(Consumed consumed, const Owner& owner, const InboxEffect& effect);
    Result<Consumed> fail(Consumed consumed, const Owner& owner);
    void acknowledge(Consumed& consumed);

    Source& m_source;
    store::Inbox& m_inbox;
    const Clock& m_steady;
    Random& m_random;
    const ConsumerOptions m_options;
};

} // namespace fencepost::delivery

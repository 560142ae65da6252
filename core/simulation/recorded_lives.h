// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/simulation/scenario.h"

namespace fencepost::simulation {

// A request and when it began, before it is known which one was the first of all.
struct Dated {
    Time at;
    RecordedRequest request;
    std::vector<Duration> delays;
    std::optional<Time> anew; // when its key was reserved as a new one
    bool manual = false; // its takeover was, before somebody let it be taken over
    std::int64_t maxAttempts = 0; // that it had, before somebody gave it more; 0: nobody did
};

// The records of a table as they are read, and what is learnt of their rules on the way.
struct RecordedLives {
    std::vector<Dated> lives;
    std::map<Duration, int> leases; // that were seen, and how often
    std::map<Duration, int> ttls;
    std::int64_t stuck = 0;
    std::int64_t held = 0;
    std::int64_t conflicts = 0;
};

// Where nobody wrote a lease down, it was one of those that were seen elsewhere, the usual one first, and over by the
// time of what needed that.
void guessLeases(RecordedLives& table, Duration usual);
// A key that was reserved as a new one had been forgotten by then, whatever lifetime is the usual one.
void guessLifetimes(RecordedLives& table, Duration usual);

} // namespace fencepost::simulation

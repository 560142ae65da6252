// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/forensics/conflict.h"
#include "core/forensics/flow.h"
#include "core/forensics/invariant.h"
#include "core/forensics/retries.h"
#include "core/inspector.h"

namespace fencepost {

// What is asked about: from ≤ t < until, by the database's clock.
struct TimeRange {
    Time from;
    Time until;

    bool operator==(const TimeRange&) const = default;
};

// As long, and over when `range` begins: what it is compared with.
[[nodiscard]] constexpr TimeRange stretchBefore(const TimeRange& range)
{
    return { range.from - (range.until - range.from), range.from };
}

// A stretch of time as it is asked for: what is not said follows from the database's clock.
struct RangeRequest {
    std::optional<Time> from;
    std::optional<Time> until; // none: now
    Duration last = std::chrono::hours(1); // before `until`, where `from` is none
    Duration budget = std::chrono::seconds(10); // for each of its statements
};

// Every figure of an answer equals what its statements say. What could not be read in time is named, not left out
// without a word.
struct Basis {
    TimeRange range;
    Time now; // the database's clock
    std::vector<std::string> unread; // in words
    std::vector<std::string> notes; // in words: which figures are estimates
    Cost cost;
};

struct Flows {
    std::vector<Flow> flows; // by from, to and event; none is 0
    Basis basis;
};

struct RetriesRequest {
    RangeRequest range;
    FilterPtr filter; // of the rows that are counted by attempts; null: all
    Promise promise; // of the delays; none: nothing is promised
    int rates = 60; // into so many stretches the range is cut
    std::optional<Time> around; // arrivals are shown around it; none: around the most failures
};

// How rows of a table were tried again. What a kind of table does not tell is empty.
struct Retries {
    std::vector<AttemptCount> attempts; // of the rows that were created in the range, as they are now
    std::vector<AttemptDelays> delays; // by operation and attempt
    SpanHistogram timeToSuccess; // from the first reservation of a life
    std::vector<AttemptCount> successAfter; // by attempts; state: SUCCEEDED
    std::vector<AttemptRate> rates; // oldest first, without gaps
    Duration rateWidth{};
    std::vector<ArrivalRate> arrivals; // only those that are not 0
    TimeRange arrivalsRange;
    std::optional<Time> peak; // when the most failed
    Basis basis;
};
inline constexpr Duration arrivalWidth = std::chrono::milliseconds(100);

struct ConflictsRequest {
    RangeRequest range; // some of their arrivals are within
    int most = 1'000;
};

struct Conflicts {
    std::vector<RefusedArrival> newest; // by the last arrival, the newest first
    std::vector<ConflictCluster> clusters; // all of the range, the most keys first
    bool estimated = false; // how many arrivals are within: not all are known
    Basis basis;
};

struct Violations {
    std::vector<Violation> violations; // by the order of the rules
    std::vector<std::string> unjudged; // in words: rows of which nothing here tells whether they keep a rule
    Basis basis; // its range says nothing
};

// What happened, out of the journal and out of what the rows themselves tell. Used by the thread of its inspector; only
// reads.
class Forensics {
public:
    virtual ~Forensics() = default;

    // Of the table's whole machine. Another's table tells only what came and what it is now. Invalid: the range ends
    // before it begins.
    virtual Result<Flows> flows(const Binding& binding, const RangeRequest& request) = 0;
    // Payload mismatches of Fencepost's own records or inbox. Unsupported: the table is another.
    virtual Result<Conflicts> conflicts(const Binding& binding, const ConflictsRequest& request) = 0;
    // Of Fencepost's own records. None: there is no such record.
    virtual Result<std::optional<ConflictCase>> conflictCase(const Binding& binding, const RecordId& id) = 0;
    // What is broken in the table: all rules of its kind, or one of them. Another's table is asked for what its profile
    // tells: stuck rows and states that nobody knows.
    virtual Result<Violations> violations(
        const Binding& binding, std::string_view invariant = {}, Duration budget = std::chrono::seconds(10)) = 0;
    virtual Result<Retries> retries(const Binding& binding, const RetriesRequest& request) = 0;
};

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/body_explanation.h"
#include "core/store.h"

namespace fencepost {

// How many of the arrivals of a conflict came at from ≤ t < until. The first and the last one are known; where others
// came between and not all of that is within, they are taken to have come evenly.
struct ArrivalCount {
    std::int64_t count = 0;
    bool estimated = false;

    bool operator==(const ArrivalCount&) const = default;
};
[[nodiscard]] ArrivalCount arrivalsWithin(const Conflict& conflict, Time from, Time until);
// The same without the first one, which a journal tells of.
[[nodiscard]] ArrivalCount repeatsWithin(const Conflict& conflict, Time from, Time until);

// Another request, or another payload, that came under a used key. Of the inbox: scope is the consumer, operation the
// source, key the event's id.
struct RefusedArrival {
    Conflict conflict;
    std::optional<Bytes> keptHash; // of the first one; none: its row is gone
    std::string state; // of the first one, as stored; empty: its row is gone
    ArrivalCount within; // the range that was asked about; conflict.count: at all
};

// How many followed the first one per hour, up to the last; none: they came within a minute.
[[nodiscard]] std::optional<double> hourlyRate(const Conflict& conflict);

// Who presented them: a client that reuses keys stands out.
struct ConflictCluster {
    std::string principal;
    std::int64_t keys = 0;
    std::int64_t arrivals = 0; // within the range
    Time firstAt; // of all of them, also before it
    Time lastAt;
};

// A record, or an event of the inbox, with all that was refused under its key.
struct ConflictCase {
    // Of the inbox: its id is told as a RefusedArrival's, requestHash is the payload's, and requestBody is there where
    // an outbox beside it still has that payload.
    Record record;
    bool payloadAlone = false; // of the inbox: what else came with a payload is not compared
    Headers keptHeaders; // of the request that was kept; may be empty although the request had some
    std::vector<Conflict> conflicts;
};

// A request that somebody presents for comparison. What is not said is taken from the record.
struct PresentedRequest {
    Bytes body;
    std::optional<std::string> method;
    std::optional<std::string> target; // path and query
    std::optional<std::string> contentType;
    std::vector<std::string> pointers; // what of the body decides; none: all of it
    Headers headers; // those that decide too
};

enum class Match {
    Same, // the request that the record is of: it would have been replayed
    Refused, // one of those that were refused
    Body, // its body is the one that the record is of, by its hash; the rest of it is another one, or not known
    Other, // none of them
    Unknown, // what tells them apart is hidden in this copy, and was not said
};
[[nodiscard]] std::string_view wordOf(Match match) noexcept; // "same", "refused", "body", "other", "unknown"

enum class FailedCheck {
    None,
    Validation, // its body is not what it is said to be: it is refused before its key is looked at
    Body,
    Around, // method, path, query, media type or a header that decides
    NotTold, // the body is the same, and what it was sent with was not kept
    Unknown, // the first request was not kept, or what differs of it is hidden
};
// "none", "validation", "body", "around_the_body", "not_told", "unknown"
[[nodiscard]] std::string_view wordOf(FailedCheck check) noexcept;

struct ConflictExplanation {
    bool payloadAlone = false; // of a ConflictCase of the inbox
    Match match = Match::Other;
    std::optional<Conflict> refused; // Match::Refused: which one
    FailedCheck failed = FailedCheck::Unknown;
    Bytes presentedHash; // 32 octets; of what has no fingerprint, none: FailedCheck::Validation
    std::optional<BodyExplanation> bodies; // where the first one's body was kept: that against this
    std::vector<std::string> notes;
};

// A hash as it is shown: its octets in hexadecimal, a redacted copy's mark as it is.
[[nodiscard]] std::string shownHash(const Bytes& hash);
// Whether the record's hash is one: a redacted copy may have a mark in its place.
[[nodiscard]] bool keepsHash(const Record& record);
// Whether the first request's body is there: in a redacted copy a mark may stand in its place.
[[nodiscard]] bool keepsBody(const Record& record);
// Which of the requests under a key this is, and which check refuses it. Any thread.
[[nodiscard]] ConflictExplanation explainConflict(const ConflictCase& of, const PresentedRequest& presented);

} // namespace fencepost

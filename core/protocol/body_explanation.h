// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/fingerprint.h"

namespace fencepost {

// A body without its Content-Encoding, and what it is said to be; without a type it is examined as in bodyDigest.
struct ComparedBody {
    std::optional<std::string> contentType;
    std::string_view body; // outlives the call
};

enum class BodyKind { Json, Form, Multipart, Text, Octets };
enum class DifferenceKind { Added, Removed, Changed, Hidden }; // Hidden: what stands there in one is not told

// What differs although it decides nothing.
enum class BenignKind {
    MemberOrder, // of an object
    NumberSpelling, // 10.0 and 1e1
    Escapes, // "\u0061" and "a"
    WhiteSpace,
    NotHashed, // outside of the profile's JSON Pointers
    PairOrder, // of a form
    PairSpelling, // a+b and a%20b
    Boundary, // of a multipart body
};

[[nodiscard]] std::string_view wordOf(BodyKind kind) noexcept; // "json", …
[[nodiscard]] std::string_view wordOf(DifferenceKind kind) noexcept; // "added", "removed", "changed", "hidden"
[[nodiscard]] std::string_view wordOf(BenignKind kind) noexcept; // "member_order", …

// One place where two bodies differ. The values are as they are spelled, cut to a line; what is no text is in
// hexadecimal digits. They come from the bodies: whoever shows them redacts first.
struct BodyDifference {
    DifferenceKind kind = DifferenceKind::Changed;
    std::string place; // a JSON Pointer; else a form's name, "part 2", "line 3, column 7", "octet 12"
    std::string before; // in the first body; empty where it has nothing there
    std::string after;

    bool operator==(const BodyDifference&) const = default;
};

struct BenignDifference {
    BenignKind kind = BenignKind::WhiteSpace;
    std::string place;
    std::string before; // empty where there is nothing to show
    std::string after;

    bool operator==(const BenignDifference&) const = default;
};

struct BodyExplanation {
    BodyKind kind = BodyKind::Octets;
    bool same = false; // they have one digest
    std::vector<BodyDifference> differences; // the first ones; members by name
    std::size_t differenceCount = 0; // all of them, but for those that are hidden
    std::size_t hiddenCount = 0;
    std::vector<BenignDifference> benign;
    std::size_t benignCount = 0;
    std::vector<std::string> notes; // sentences: why they were compared as they were, what would make them equal
};

// Why two bodies have different fingerprints, or why they have the same one although they look different. Arrays are
// compared place by place, as JSON Pointers name them. Never keeps more than `most` of each kind of difference. What
// cannot be read as what it is said to be is compared as text, and a note says so. Any thread.
[[nodiscard]] BodyExplanation explainBodies(const ComparedBody& before, const ComparedBody& after,
    const FingerprintProfile& profile = {}, std::size_t most = 100);

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/protocol/json_reader.h"
#include "core/result.h"

namespace fencepost {

// A number that a double cannot hold, and therefore RFC 8785 cannot say.
struct LossyNumber {
    std::string pointer; // RFC 6901 in its JSON string form (§5), so that it has no line break
    std::string decimal; // as normalisedDecimal writes it

    auto operator<=>(const LossyNumber&) const = default;
};

// One JSON document in the form of RFC 8785 (JCS): one text, and one digest, for all of its spellings. Made in one pass
// and n log n at worst; besides the text it keeps only the places of members that were out of order. There is no
// Unicode normalisation.
class CanonicalJson {
public:
    // Refuses what is no I-JSON (protocol §3.2).
    [[nodiscard]] static std::variant<CanonicalJson, JsonFault> read(std::string_view text);

    // RFC 8785. Two documents that differ only in digits beyond a double have one text.
    [[nodiscard]] std::string text() const;
    // SHA-256 of text(); where some number is lossy, followed by 0x00 and one line "pointer=decimal" for each, sorted
    // and joined by a line feed.
    [[nodiscard]] Bytes digest() const;
    // Sorted by pointer.
    [[nodiscard]] const std::vector<LossyNumber>& lossyNumbers() const { return m_lossy; }

private:
    friend class CanonicalWriter;
    struct Range {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    // An object whose members do not stand in canonical order in m_source.
    struct Unordered {
        Range place; // from its brace to its brace
        std::size_t firstMember = 0; // in m_members
        std::size_t members = 0;
        std::size_t after = 0; // index of the first of them that does not stand inside
    };
    void nest();

    template <typename Sink> void writeParts(Range range, Range objects, const Sink& sink) const;

    std::string m_source; // canonical tokens in the order in which they came
    std::vector<Unordered> m_unordered; // by the begin of their place
    std::vector<Range> m_members; // name and value, without the comma; in canonical order per object
    std::vector<LossyNumber> m_lossy;
};

// Invalid, code VALIDATION.body_not_ijson: the text is no I-JSON; the message says where.
[[nodiscard]] Result<std::string> canonicalJson(std::string_view text);
[[nodiscard]] Result<Bytes> jsonDigest(std::string_view text);

// For each JSON Pointer (RFC 6901) the spelling of the value it leads to, or none. The text must be a JSON text that
// CanonicalJson::read takes. Invalid: a pointer is malformed.
[[nodiscard]] Result<std::vector<std::optional<std::string_view>>> valuesAt(
    std::string_view text, const std::vector<std::string>& pointers);

} // namespace fencepost

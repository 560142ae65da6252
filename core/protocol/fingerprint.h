// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/record.h"
#include "core/result.h"

namespace fencepost {

// What a fingerprint is made of.
struct FingerprintRequest {
    std::string method; // as it stands in the request line: methods have a case
    std::string path; // or the route's name, if it begins with a slash
    std::string query; // without the question mark
    Headers headers; // all of them: Content-Type and Content-Encoding are read from here
    std::string_view body; // as it came, still encoded; outlives the call
};

enum class JsonBodies { Canonical, Raw };
enum class FormBodies { Raw, SortedPairs };

// What of a request decides whether it is the same one. Two profiles that hash different things have different tags.
struct FingerprintProfile {
    bool bodyOnly = false; // nothing but the body's digest
    std::vector<std::string> headers; // names, in the order in which they are hashed
    std::vector<std::string> pointers; // JSON Pointers (RFC 6901): only these parts of a JSON body; none: all of it
    JsonBodies json = JsonBodies::Canonical;
    FormBodies form = FormBodies::Raw;
    std::size_t longestBody = std::size_t{ 1 } << 20U; // octets without its Content-Encoding; no part of the tag

    bool operator==(const FingerprintProfile&) const = default;
};

// "v1", or "v1:" and 16 hexadecimal digits of what differs from the default profile. Kept as fingerprint_alg.
[[nodiscard]] std::string tagOf(const FingerprintProfile& profile);

struct Fingerprint {
    std::string alg; // tagOf the profile
    Bytes requestHash; // 32 octets; decides
    Bytes payloadHash; // 32 octets; of the whole body alone, for logs and exports

    bool operator==(const Fingerprint&) const = default;
};

// Version 1:
//   SHA-256("idem-fp-v1\n" METHOD "\n" path "\n" query "\n" media type "\n" headers "\n" body digest)
// with canonicalPath, canonicalPairs of the query, the media type's essence with its charset, "name: value" for each
// line of a selected header that the request has (names in lower case, joined by line feeds), and the 32 octets of the
// body's digest.
//
// Invalid, with the code of what is wrong: VALIDATION.body_not_ijson, VALIDATION.body_too_large,
// VALIDATION.content_type, VALIDATION.content_encoding, VALIDATION.multipart, else VALIDATION.request. Unsupported: a
// Content-Encoding that is not known. Any thread.
[[nodiscard]] Result<Fingerprint> fingerprint(
    const FingerprintRequest& request, const FingerprintProfile& profile = {});

// The digest of a body without its Content-Encoding:
//   JSON: jsonDigest of its canonical form, or of the selected parts as one object {pointer: value};
//   a form: its octets, or canonicalPairs; multipart: multipartDigest; all else: its octets.
// An empty body and one that begins with a byte order mark are hashed as their octets. Without a content type the body
// is examined (RFC 9110 §8.3): it is JSON if it begins as an object or array and is one. Errors as for fingerprint.
[[nodiscard]] Result<Bytes> bodyDigest(
    std::optional<std::string_view> contentType, std::string_view body, const FingerprintProfile& profile = {});

// By which an event's payload is told from another one under its id. An event may come with its media type or without,
// so that the payload is examined: bodyDigest without a type, and of what is no such body the digest of its octets.
[[nodiscard]] Bytes payloadDigest(std::string_view payload);

// Whether a stored fingerprint is this request's. A row that was made with another profile is compared by making that
// one again. Compares in constant time. Unsupported: none of the profiles has the stored tag.
[[nodiscard]] Result<bool> isSameRequest(
    const Record& stored, const FingerprintRequest& request, std::span<const FingerprintProfile> profiles);

} // namespace fencepost

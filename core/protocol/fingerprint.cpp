// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/fingerprint.h"

#include <algorithm>

#include <openssl/crypto.h>

#include "core/in_quotes.h"
#include "core/protocol/ascii.h"
#include "core/protocol/canonical_json.h"
#include "core/protocol/canonical_url.h"
#include "core/protocol/content_coding.h"
#include "core/protocol/digest.h"
#include "core/protocol/http_message.h"
#include "core/protocol/media_type.h"
#include "core/protocol/multipart.h"

namespace fencepost {

namespace {

Error badRequest(std::string message)
{
    return { Failure::Invalid, std::move(message), {}, "VALIDATION.request" };
}

// A field that may be sent once: none where it is not there.
Result<std::optional<std::string_view>> onlyLineOf(const Headers& headers, std::string_view name)
{
    const auto lines = linesOf(headers, name);
    if (lines.size() > 1)
        return badRequest("The header " + std::string(name) + " is given " + std::to_string(lines.size()) + " times");
    return lines.empty() ? std::nullopt : std::optional(lines.front());
}

Result<std::string> selectedHeaders(const Headers& headers, const std::vector<std::string>& names)
{
    std::string out;
    for (const auto& selected : names) {
        const auto name = asciiLower(selected);
        for (const auto value : linesOf(headers, name)) {
            if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos)
                return badRequest("The header " + name + " has a line break");
            out.append(out.empty() ? "" : "\n").append(name).append(": ").append(withoutBlanks(value));
        }
    }
    return out;
}

bool isMethod(std::string_view method)
{
    const auto isMark = [](char c) {
        return c > 0x20 && c < 0x7f && std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
    };
    return !method.empty() && std::all_of(method.begin(), method.end(), isMark);
}

// The selected parts as one document, each as it is spelled; what is not there is left out.
Result<Bytes> subsetDigest(std::string_view body, std::vector<std::string> pointers)
{
    std::sort(pointers.begin(), pointers.end());
    pointers.erase(std::unique(pointers.begin(), pointers.end()), pointers.end());
    const auto values = valuesAt(body, pointers);
    if (!values)
        return values.error();
    std::string subset = "{";
    for (std::size_t i = 0; i < pointers.size(); ++i) {
        if (!(*values)[i])
            continue;
        subset += subset.size() > 1 ? ",\"" : "\"";
        appendCanonical(subset, std::string_view(pointers[i]));
        subset.append("\":").append(*(*values)[i]);
    }
    if (subset.size() == 1)
        return badRequest("None of the selected JSON Pointers leads anywhere in the body");
    return jsonDigest(subset + '}');
}

struct BodyHashes {
    Bytes whole;
    Bytes deciding;
};

Result<BodyHashes> jsonHashes(std::string_view body, const FingerprintProfile& profile, bool examined)
{
    const auto read = CanonicalJson::read(body);
    if (const auto* fault = std::get_if<JsonFault>(&read)) {
        const bool marked = fault->problem == JsonProblem::ByteOrderMark;
        if (!marked && !(examined && fault->problem == JsonProblem::Syntax))
            return inWords(*fault);
        // Parsers read on behind the mark, so what stands there is held to the same rules.
        constexpr std::size_t mark = 3;
        if (marked && !examined) {
            const auto behind = CanonicalJson::read(body.substr(mark));
            if (auto* bad = std::get_if<JsonFault>(&behind)) {
                auto found = *bad;
                found.offset += mark;
                return inWords(found);
            }
        }
        const auto octets = sha256(body);
        return BodyHashes{ octets, octets };
    }
    auto whole = std::get<CanonicalJson>(read).digest();
    if (profile.pointers.empty())
        return BodyHashes{ whole, whole };
    auto subset = subsetDigest(body, profile.pointers);
    if (!subset)
        return subset.error();
    return BodyHashes{ std::move(whole), std::move(*subset) };
}

bool looksLikeJson(std::string_view body)
{
    const auto first = body.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (body[first] == '{' || body[first] == '[');
}

Result<BodyHashes> hashesOf(
    const std::optional<MediaType>& type, std::string_view body, const FingerprintProfile& profile)
{
    const bool examined = !type;
    const bool asJson = !body.empty() && (examined ? looksLikeJson(body) : isJson(*type));
    if (asJson && profile.json == JsonBodies::Canonical)
        return jsonHashes(body, profile, examined);
    Bytes digest;
    if (type && isForm(*type) && profile.form == FormBodies::SortedPairs) {
        digest = sha256(canonicalPairs(decodedPairs(body)));
    } else if (type && isMultipart(*type) && !body.empty()) {
        const auto parts = multipartParts(body, type->boundary.value_or(""));
        if (!parts)
            return parts.error();
        digest = multipartDigest(*parts);
    } else {
        digest = sha256(body);
    }
    return BodyHashes{ digest, digest };
}

Result<std::optional<MediaType>> typeOf(std::optional<std::string_view> contentType)
{
    if (!contentType)
        return std::optional<MediaType>();
    auto type = parseMediaType(*contentType);
    if (!type)
        return type.error();
    return std::optional(std::move(*type));
}

// What decides besides the body, as far as the default profile goes.
Result<std::string> preamble(
    const FingerprintRequest& request, const FingerprintProfile& profile, const std::optional<MediaType>& type)
{
    if (!isMethod(request.method))
        return badRequest(inQuotes(request.method) + " is no method");
    const auto path = canonicalPath(request.path);
    if (!path)
        return badRequest(path.error().message);
    const auto headers = selectedHeaders(request.headers, profile.headers);
    if (!headers)
        return headers.error();
    return "idem-fp-v1\n" + request.method + '\n' + *path + '\n' + canonicalPairs(decodedPairs(request.query)) + '\n'
        + (type ? canonical(*type) : std::string()) + '\n' + *headers + '\n';
}

// One line per member that is not the default's.
std::string differencesOf(const FingerprintProfile& profile)
{
    std::string out;
    if (profile.bodyOnly)
        out += "body\n";
    for (const auto& name : profile.headers)
        out += "header " + asciiLower(name) + '\n';
    auto pointers = profile.pointers;
    std::sort(pointers.begin(), pointers.end());
    for (const auto& pointer : pointers) {
        out += "pointer ";
        appendCanonical(out, std::string_view(pointer));
        out += '\n';
    }
    if (profile.json == JsonBodies::Raw)
        out += "json raw\n";
    if (profile.form == FormBodies::SortedPairs)
        out += "form sorted\n";
    return out;
}

} // namespace

std::string tagOf(const FingerprintProfile& profile)
{
    constexpr std::size_t shown = 8; // octets
    const auto differences = differencesOf(profile);
    return differences.empty() ? "v1" : "v1:" + toHex(sha256(differences).substr(0, shown));
}

Result<Bytes> bodyDigest(
    std::optional<std::string_view> contentType, std::string_view body, const FingerprintProfile& profile)
{
    const auto type = typeOf(contentType);
    if (!type)
        return type.error();
    auto hashes = hashesOf(*type, body, profile);
    if (!hashes)
        return hashes.error();
    return std::move(hashes->deciding);
}

Bytes payloadDigest(std::string_view payload)
{
    auto digest = bodyDigest(std::nullopt, payload);
    return digest ? std::move(*digest) : sha256(payload);
}

Result<Fingerprint> fingerprint(const FingerprintRequest& request, const FingerprintProfile& profile)
{
    const auto contentType = onlyLineOf(request.headers, "content-type");
    if (!contentType)
        return contentType.error();
    const auto type = typeOf(*contentType);
    if (!type)
        return type.error();
    std::string codings;
    for (const auto line : linesOf(request.headers, "content-encoding"))
        codings.append(codings.empty() ? "" : ",").append(line);
    const auto head = preamble(request, profile, *type);
    if (!head)
        return head.error();
    Bytes decoded;
    auto body = request.body;
    if (!codings.empty() || body.size() > profile.longestBody) {
        auto plain = decodeContent(codings, body, profile.longestBody);
        if (!plain)
            return plain.error();
        decoded = std::move(*plain);
        body = decoded;
    }
    auto hashes = hashesOf(*type, body, profile);
    if (!hashes)
        return hashes.error();
    Fingerprint result{ tagOf(profile), hashes->deciding, std::move(hashes->whole) };
    if (!profile.bodyOnly)
        result.requestHash = sha256(*head + hashes->deciding);
    return result;
}

Result<bool> isSameRequest(
    const Record& stored, const FingerprintRequest& request, std::span<const FingerprintProfile> profiles)
{
    const auto profile = std::find_if(profiles.begin(), profiles.end(),
        [&](const FingerprintProfile& known) { return tagOf(known) == stored.fingerprintAlg; });
    if (profile == profiles.end())
        return Error{ Failure::Unsupported,
            "The record's fingerprint was made in a way that is not known here: " + stored.fingerprintAlg, {} };
    const auto presented = fingerprint(request, *profile);
    if (!presented)
        return presented.error();
    const auto& hash = presented->requestHash;
    return stored.requestHash.size() == hash.size()
        && CRYPTO_memcmp(stored.requestHash.data(), hash.data(), hash.size()) == 0;
}

} // namespace fencepost

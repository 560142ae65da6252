// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/multipart.h"

#include "core/protocol/canonical_url.h"
#include "core/protocol/content_coding.h"
#include "core/protocol/media_type.h"
#include "tests/fuzz/fuzz.h"

using namespace fencepost;
using fuzz::require;

namespace {

std::optional<MediaType> checkMediaType(std::string_view value)
{
    const auto type = parseMediaType(value);
    if (!type) {
        require(type.error().code == "VALIDATION.content_type", "the refusal has its code", type.error().code);
        fuzz::requireRefusal(type.error(), value.size());
        return std::nullopt;
    }
    const auto text = canonical(*type);
    const auto again = parseMediaType(text);
    require(
        again && again->essence == type->essence && canonical(*again) == text, "a media type has one spelling", text);
    return *type;
}

void checkParts(std::string_view body, std::string_view boundary)
{
    const auto parts = multipartParts(body, boundary);
    if (!parts) {
        require(parts.error().code == "VALIDATION.multipart", "the refusal has its code", parts.error().code);
        return fuzz::requireRefusal(parts.error(), body.size() + boundary.size());
    }
    std::size_t total = 0;
    std::string rewritten;
    for (const auto& part : *parts) {
        total += part.body.size();
        rewritten += "--another boundary\r\n";
        for (const auto& [name, line] : part.headers)
            rewritten += name + ": " + line + "\r\n";
        rewritten += "\r\n" + std::string(part.body) + "\r\n";
    }
    rewritten += "--another boundary--\r\n";
    require(total <= body.size(), "parts are parts of the body");
    if (body.find("--another boundary") != std::string_view::npos)
        return;
    const auto again = multipartParts(rewritten, "another boundary");
    require(again.has_value(), "the parts are read under another boundary", rewritten);
    require(multipartDigest(*again) == multipartDigest(*parts), "the boundary is no part of the digest", rewritten);
}

void checkUrl(std::string_view text)
{
    const auto path = canonicalPath(text);
    if (path)
        require(
            *canonicalPath(*path) == *path && path->size() <= 3 * text.size() + 1, "a path has one spelling", *path);
    else
        fuzz::requireRefusal(path.error(), text.size());
    const auto pairs = canonicalPairs(decodedPairs(text));
    require(canonicalPairs(decodedPairs(pairs)) == pairs, "a query has one spelling", pairs);
}

void checkCoding(std::string_view coding, std::string_view body)
{
    constexpr std::size_t longest = 1U << 16U;
    const auto decoded = decodeContent(coding, body, longest);
    if (decoded)
        require(decoded->size() <= longest, "no more is made than allowed");
    else
        fuzz::requireRefusal(decoded.error(), coding.size() + body.size());
}

} // namespace

// A content type, a line feed, then a body.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto parts = fuzz::split(fuzz::textOf(data, size), '\n', 2);
    const auto type = checkMediaType(parts.front());
    checkParts(parts.back(), type && type->boundary ? *type->boundary : std::string_view("b"));
    checkUrl(parts.front());
    checkCoding(parts.front(), parts.back());
    checkCoding("gzip, deflate", parts.back());
    return 0;
}

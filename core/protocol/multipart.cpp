// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/multipart.h"

#include <algorithm>

#include "core/protocol/ascii.h"
#include "core/protocol/digest.h"

namespace fencepost {

namespace {

constexpr std::string_view lineEnd = "\r\n";
constexpr std::size_t longestBoundary = 70;

Error badMultipart(std::string message)
{
    return { Failure::Invalid, std::move(message), {}, "VALIDATION.multipart" };
}

// A delimiter line, from its dashes to the end of its line break.
struct Delimiter {
    std::size_t begin = 0; // with the line break before it, which belongs to the delimiter
    std::size_t end = 0;
    bool closes = false;
};

std::optional<Delimiter> delimiterFrom(std::string_view body, std::string_view dashes, std::size_t from)
{
    for (auto at = body.find(dashes, from); at != std::string_view::npos; at = body.find(dashes, at + 1)) {
        const bool lineStart = at == 0 || (at >= 2 && body.substr(at - 2, 2) == lineEnd);
        auto end = at + dashes.size();
        const bool closes = body.substr(end, 2) == "--";
        end += closes ? 2 : 0;
        end = std::min(body.find_first_not_of(" \t", end), body.size());
        const bool ends = body.substr(end, 2) == lineEnd || (closes && end == body.size());
        // The break before a delimiter may be the one that ends the part's headers.
        const auto begin = at >= 2 ? std::max(at - 2, from) : at;
        if (lineStart && ends)
            return Delimiter{ begin, std::min(end + 2, body.size()), closes };
    }
    return std::nullopt;
}

std::optional<MultipartPart> partOf(std::string_view text)
{
    MultipartPart part;
    while (text.substr(0, 2) != lineEnd) {
        const auto end = text.find(lineEnd);
        if (end == std::string_view::npos)
            return std::nullopt;
        const auto line = text.substr(0, end);
        text.remove_prefix(end + 2);
        if (!part.headers.empty() && (line.front() == ' ' || line.front() == '\t')) {
            // A folded line is one space; blanks around the whole are no part of the value.
            auto& value = part.headers.back().second;
            const auto more = withoutBlanks(line);
            value.append(value.empty() || more.empty() ? "" : " ").append(more);
            continue;
        }
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0)
            return std::nullopt;
        auto name = asciiLower(withoutBlanks(line.substr(0, colon)));
        part.headers.emplace_back(std::move(name), withoutBlanks(line.substr(colon + 1)));
    }
    part.body = text.substr(2);
    std::stable_sort(
        part.headers.begin(), part.headers.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return part;
}

} // namespace

Result<std::vector<MultipartPart>> multipartParts(std::string_view body, std::string_view boundary)
{
    if (boundary.empty() || boundary.size() > longestBoundary)
        return badMultipart("A multipart body needs a boundary of 1 to 70 characters");
    const auto dashes = "--" + std::string(boundary);
    std::vector<MultipartPart> parts;
    auto delimiter = delimiterFrom(body, dashes, 0);
    while (delimiter && !delimiter->closes) {
        const auto next = delimiterFrom(body, dashes, delimiter->end);
        if (!next)
            break;
        auto part = partOf(body.substr(delimiter->end, next->begin - delimiter->end));
        if (!part)
            return badMultipart(
                "Part " + std::to_string(parts.size() + 1) + " of the multipart body has no end of headers");
        parts.push_back(std::move(*part));
        delimiter = next;
    }
    if (!delimiter || !delimiter->closes)
        return badMultipart("The multipart body has no closing delimiter");
    return parts;
}

Bytes multipartDigest(const std::vector<MultipartPart>& parts)
{
    Sha256 whole;
    whole.add("multipart\n");
    for (const auto& part : parts) {
        Sha256 digest;
        for (const auto& [name, value] : part.headers)
            for (const std::string_view piece :
                { std::string_view(name), std::string_view(": "), std::string_view(value), std::string_view("\n") })
                digest.add(piece);
        digest.add("\n");
        digest.add(part.body);
        whole.add(digest.finish());
    }
    return whole.finish();
}

} // namespace fencepost

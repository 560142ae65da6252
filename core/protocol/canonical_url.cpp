// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/canonical_url.h"

#include <algorithm>

#include "core/ids.h"
#include "core/in_quotes.h"
#include "core/protocol/ascii.h"

namespace fencepost {

namespace {

bool isUnreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.'
        || c == '_' || c == '~';
}

// RFC 3986 §5.2.4 for an absolute path.
std::string withoutDotSegments(std::string_view path)
{
    std::string out;
    while (!path.empty()) {
        const auto end = std::min(path.find('/', 1), path.size());
        const auto segment = path.substr(0, end);
        path.remove_prefix(end);
        if (segment == "/." || segment == "/..") {
            if (segment == "/..")
                out.erase(std::min(out.rfind('/'), out.size()));
            if (path.empty())
                out += '/';
            continue;
        }
        out += segment;
    }
    return out;
}

std::string decodedForm(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto octet = text[i] == '%' ? percentAt(text, i) : std::nullopt;
        out += octet ? *octet : text[i] == '+' ? ' ' : text[i];
        i += octet ? 2 : 0;
    }
    return out;
}

void appendEncoded(std::string& out, std::string_view text)
{
    for (const char c : text) {
        if (isUnreserved(c))
            out += c;
        else
            appendPercent(out, c);
    }
}

} // namespace

Result<std::string> canonicalPath(std::string_view path)
{
    constexpr std::string_view allowed = "!$&'()*+,;=:@/";
    if (path.empty())
        return std::string("/");
    if (path.front() != '/')
        return invalid("The path " + inQuotes(path) + " does not begin with a slash");
    std::string out;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const char c = path[i];
        if (c == '?' || c == '#')
            return invalid("The path " + inQuotes(path) + " has a query or a fragment");
        if (isUnreserved(c) || allowed.find(c) != std::string_view::npos) {
            out += c;
            continue;
        }
        const auto octet = c == '%' ? percentAt(path, i) : std::optional(c);
        if (!octet)
            return invalid("The path " + inQuotes(path) + " has a percent sign without two digits behind it");
        if (isUnreserved(*octet))
            out += *octet;
        else
            appendPercent(out, *octet);
        i += c == '%' ? 2 : 0;
    }
    return withoutDotSegments(out);
}

Pairs decodedPairs(std::string_view text)
{
    Pairs pairs;
    while (!text.empty()) {
        const auto pair = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(pair.size() + 1, text.size()));
        if (pair.empty())
            continue;
        const auto equals = std::min(pair.find('='), pair.size());
        pairs.emplace_back(
            decodedForm(pair.substr(0, equals)), decodedForm(pair.substr(std::min(equals + 1, pair.size()))));
    }
    return pairs;
}

std::string canonicalPairs(Pairs pairs)
{
    std::sort(pairs.begin(), pairs.end());
    std::string out;
    for (const auto& [name, value] : pairs) {
        out += out.empty() ? "" : "&";
        appendEncoded(out, name);
        out += '=';
        appendEncoded(out, value);
    }
    return out;
}

} // namespace fencepost

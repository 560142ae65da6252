// SPDX-License-Identifier: Apache-2.0
#include "core/service/precondition.h"

#include <algorithm>

#include "core/protocol/ascii.h"
#include "core/service/problem.h"

namespace fencepost {

namespace {

struct Tags {
    bool any = false;
    std::vector<std::string> strong;
};

bool isTagOctet(char c)
{
    const auto octet = static_cast<unsigned char>(c);
    return octet == 0x21 || (octet >= 0x23 && octet != 0x7f);
}

// None: it is no list of entity tags. A comma may stand inside a tag, so it cannot be split at them.
std::optional<Tags> tagsOf(const std::vector<std::string_view>& lines)
{
    Tags tags;
    for (const auto line : lines) {
        auto rest = withoutBlanks(line);
        if (rest == "*") {
            tags.any = true;
            continue;
        }
        while (!rest.empty()) {
            if (rest.front() == ',') {
                rest = withoutBlanks(rest.substr(1));
                continue;
            }
            const bool weak = rest.starts_with("W/");
            if (weak)
                rest.remove_prefix(2);
            const auto end = rest.starts_with('"') ? rest.find('"', 1) : std::string_view::npos;
            if (end == std::string_view::npos)
                return {};
            for (const char c : rest.substr(1, end - 1))
                if (!isTagOctet(c))
                    return {};
            if (!weak)
                tags.strong.emplace_back(rest.substr(0, end + 1));
            rest = withoutBlanks(rest.substr(end + 1));
            if (!rest.empty() && rest.front() != ',')
                return {};
        }
    }
    if (tags.any && lines.size() > 1)
        return {};
    return tags;
}

} // namespace

std::optional<HttpResponse> checkIfMatch(
    const HttpRequest& request, const std::optional<std::string>& current, IfMatch rule)
{
    const auto lines = linesOf(request.headers, "if-match");
    if (lines.empty()) {
        if (rule == IfMatch::Optional)
            return {};
        return problemResponse({ .code = "VALIDATION.if_match",
            .status = 428,
            .detail = "Send the entity tag of the version that you change as If-Match." });
    }
    const auto tags = tagsOf(lines);
    if (!tags)
        return problemResponse({ .code = "VALIDATION.if_match", .detail = "If-Match is no list of entity tags." });
    const bool matches =
        current && (tags->any || std::find(tags->strong.begin(), tags->strong.end(), *current) != tags->strong.end());
    if (matches)
        return {};
    return problemResponse({ .code = "VALIDATION.if_match",
        .status = 412,
        .detail = "The resource is no longer the version that you have seen: read it again." });
}

} // namespace fencepost

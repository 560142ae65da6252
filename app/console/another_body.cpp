// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/another_body.h"

#include <cctype>
#include <vector>

namespace fencepost::app {

namespace {

constexpr std::size_t mostNumbers = 16;

bool isDigit(char octet)
{
    return std::isdigit(static_cast<unsigned char>(octet)) != 0;
}

// Where the numbers of JSON's members end.
std::vector<std::size_t> numberEnds(const std::string& body)
{
    std::vector<std::size_t> ends;
    for (std::size_t at = 0; at < body.size() && ends.size() < mostNumbers; ++at) {
        if (body[at] != ':')
            continue;
        auto from = body.find_first_not_of(' ', at + 1);
        if (from == std::string::npos || !isDigit(body[from]))
            continue;
        while (from < body.size() && isDigit(body[from]))
            ++from;
        ends.push_back(from);
        at = from - 1;
    }
    return ends;
}

} // namespace

std::string anotherBody(const ConflictCase& of)
{
    if (!of.record.requestBody)
        return {};
    const std::string kept = *of.record.requestBody;
    std::string first;
    for (const auto end : numberEnds(kept))
        for (char digit = '0'; digit <= '9'; ++digit) {
            auto body = kept;
            body.insert(end, 1, digit);
            const auto explained = explainConflict(of, { .body = body });
            if (explained.match == Match::Refused)
                return body;
            if (first.empty())
                first = body;
        }
    return first;
}

} // namespace fencepost::app

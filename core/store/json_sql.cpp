// SPDX-License-Identifier: Apache-2.0
#include "core/store/json_sql.h"

namespace fencepost::store {

namespace {

// No JSON has these outside of its strings, and none of them inside: they can stand for what was recognised.
constexpr auto aString = "\x01";
constexpr auto aValue = "\x02";
constexpr auto forbiddenOctets = "[\x01-\x08\x0b\x0c\x0e-\x1f]";

// An escape of a character that PostgreSQL's texts can have: not that of NUL, nor half of a pair.
constexpr auto jsonString = "\"(?:[^\"\\\\\x01-\x1f]|\\\\[\"\\\\/bfnrt]"
                            "|\\\\u(?:0(?:0(?:0[1-9A-Fa-f]|[1-9A-Fa-f][0-9A-Fa-f])|[1-9A-Fa-f][0-9A-Fa-f]{2})"
                            "|[1-9A-CEFa-cef][0-9A-Fa-f]{3}|[dD][0-7][0-9A-Fa-f]{2})"
                            "|\\\\u[dD][89ABab][0-9A-Fa-f]{2}\\\\u[dD][C-Fc-f][0-9A-Fa-f]{2})*\"";
constexpr auto plainValue = "true|false|null|-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?";
constexpr auto innermost = "[[](?:[\x01\x02](?:,[\x01\x02])*)?[]]"
                           "|[{](?:\x01:[\x01\x02](?:,\x01:[\x01\x02])*)?[}]";
constexpr auto deepest = "64";

} // namespace

std::string memberOfText(const std::string& subject, const std::string& path,
    const std::function<std::string(const std::string& text)>& bindText)
{
    const auto replaced = [&](const std::string& text, const char* pattern, const char* by) {
        return "regexp_replace(" + text + ", " + bindText(pattern) + ", " + bindText(by) + ", 'g')";
    };
    const auto letters = replaced(replaced(replaced("j.v", jsonString, aString), plainValue, aValue), "[ \t\n\r]+", "");
    const auto isJson = "(WITH RECURSIVE r(n, s) AS (SELECT 1, " + letters + " UNION ALL SELECT r.n + 1, "
        + replaced("r.s", innermost, aValue) + " FROM r WHERE r.n <= " + deepest + " AND r.s ~ " + bindText(innermost)
        + ") SELECT r.s = " + bindText(aValue) + " FROM r ORDER BY r.n DESC LIMIT 1)";
    // Behind an OFFSET, so that a text that is known beforehand is not cast before it is asked about.
    return "(SELECT CASE WHEN j.v ~ " + bindText("^[ \t\n\r]*[[{]") + " AND j.v !~ " + bindText(forbiddenOctets)
        + " AND " + isJson + " THEN CAST(j.v AS json) #>> " + path + " END FROM (SELECT CAST(" + subject
        + " AS text) AS v OFFSET 0) AS j)";
}

} // namespace fencepost::store

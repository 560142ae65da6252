// SPDX-License-Identifier: Apache-2.0
#include "core/messaging/failure_group.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <arpa/inet.h>

#include "core/protocol/digest.h"
#include "core/protocol/letters.h"

namespace fencepost {

namespace {

constexpr std::size_t longestPattern = 1'000;
// An error may bring its whole payload: what makes it another one is said at its beginning.
constexpr std::size_t longestLook = 16'384;

// Letters of other scripts are several octets of UTF-8, each above those of ASCII.
bool isWordLetter(char c)
{
    return isLetter(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool isWordOctet(char c)
{
    return isDigit(c) || isWordLetter(c) || c == '_';
}

bool isSpace(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

bool joinsNumbers(char c)
{
    return c == '.' || c == ',' || c == ':' || c == '-' || c == '/' || c == '+';
}

// How far a number goes from here, with its parts and what joins them: dates, addresses, amounts, versions.
std::size_t endOfNumber(std::string_view text, std::size_t at)
{
    for (;;) {
        while (at < text.size() && isDigit(text[at]))
            ++at;
        // The T of an instant, with another number behind it, and its Z.
        const bool hasNext = at + 1 < text.size() && isDigit(text[at + 1]);
        if (at < text.size() && hasNext && (joinsNumbers(text[at]) || text[at] == 'T')) {
            ++at;
            continue;
        }
        if (at < text.size() && text[at] == 'Z' && (at + 1 == text.size() || !isWordOctet(text[at + 1])))
            ++at;
        return at;
    }
}

bool isUnit(std::string_view word)
{
    constexpr std::array<std::string_view, 18> units{ "ns", "us", "ms", "s", "m", "h", "d", "B", "k", "K", "kB", "KB",
        "MB", "GB", "KiB", "MiB", "GiB", "x" };
    return std::find(units.begin(), units.end(), word) != units.end();
}

// How far a number with its unit goes from here: 20s, 1.5ms, 1h30m. Without one it ends with the number.
std::size_t endOfQuantity(std::string_view text, std::size_t at)
{
    const auto first = endOfNumber(text, at);
    auto end = first;
    while (end < text.size() && isWordLetter(text[end])) {
        auto unit = end;
        while (unit < text.size() && isWordLetter(text[unit]))
            ++unit;
        if (!isUnit(text.substr(end, unit - end)))
            return first;
        end = unit;
        if (end < text.size() && isDigit(text[end]))
            end = endOfNumber(text, end);
    }
    return end < text.size() && isWordOctet(text[end]) ? first : end;
}

// How far an address of IPv6 goes from here, as 2001:db8::7 or ::ffff:192.0.2.1. Where none begins it ends here.
std::size_t endOfAddress(std::string_view text, std::size_t at)
{
    constexpr std::size_t longest = INET6_ADDRSTRLEN;
    auto end = at;
    while (end < text.size() && end - at < longest
        && (std::isxdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == ':' || text[end] == '.'))
        ++end;
    // What stands behind it in the sentence, and a port behind an address without brackets is none of ours.
    while (end > at && (text[end - 1] == '.' || (text[end - 1] == ':' && !text.substr(at, end - at).ends_with("::"))))
        --end;
    if (end < text.size() && isWordOctet(text[end]))
        return at;
    const std::string candidate(text.substr(at, end - at));
    in6_addr address{};
    return candidate.size() > 2 && candidate.find(':') != std::string::npos
            && inet_pton(AF_INET6, candidate.c_str(), &address) == 1
        ? end
        : at;
}

// How far a name goes from here: its words and the dashes between them, as in a UUID.
std::size_t endOfName(std::string_view text, std::size_t at)
{
    while (at < text.size()
        && (isWordOctet(text[at]) || (text[at] == '-' && at + 1 < text.size() && isWordOctet(text[at + 1]))))
        ++at;
    return at;
}

bool isUpper(char c)
{
    return c >= 'A' && c <= 'Z';
}

bool isLower(char c)
{
    return c >= 'a' && c <= 'z';
}

// As people write one before an id: ch, order, INV, orderId. A few letters that are large or mixed may be any.
bool isPlainWord(std::string_view word)
{
    constexpr std::size_t shortestMixed = 3;
    if (word.empty() || std::any_of(word.begin(), word.end(), isDigit))
        return false;
    if (std::none_of(word.begin(), word.end(), isUpper))
        return word.size() > 1;
    if (word.size() < shortestMixed)
        return false;
    if (std::none_of(word.begin(), word.end(), isLower))
        return true;
    for (std::size_t i = 1; i + 1 < word.size(); ++i)
        if (isUpper(word[i]) && (isUpper(word[i - 1]) || isUpper(word[i + 1])))
            return false;
    return true;
}

// "ch_" of "ch_5d3f", "req_live_" of "req_live_Ab9": the plain words before an id, all in one case, with their marks.
std::string_view prefixOf(std::string_view name)
{
    std::size_t end = 0;
    for (auto mark = name.find_first_of("_-"); mark != std::string_view::npos; mark = name.find_first_of("_-", end)) {
        const auto word = name.substr(end, mark - end);
        if (!isPlainWord(word) || (end > 0 && isUpper(word.front()) != isUpper(name.front())))
            break;
        end = mark + 1;
    }
    return name.substr(0, end);
}

// Places at which no word in camel case turns: one small letter among large ones, several large ones together.
int oddTurns(std::string_view name)
{
    int odd = 0;
    for (std::size_t at = 0; at < name.size();) {
        const bool upper = isUpper(name[at]);
        auto end = at;
        while (end < name.size() && isUpper(name[end]) == upper)
            ++end;
        const bool single = end - at == 1;
        odd += (upper ? !single : single && at > 0) ? 1 : 0;
        at = end;
    }
    return odd;
}

// One id of many has no digit, as cus_HGMgNKTYSAyNHJ: what tells it from NullPointerException is how its case turns.
// Behind a plain prefix less is enough.
bool isRandomName(std::string_view name, std::string_view prefix)
{
    constexpr std::size_t longEnough = 10;
    constexpr std::size_t longAlone = 16;
    constexpr int turns = 2;
    constexpr int turnsAlone = 4;
    const auto rest = name.substr(prefix.size());
    return prefix.empty() ? rest.size() >= longAlone && oddTurns(rest) >= turnsAlone
                          : rest.size() >= longEnough && oddTurns(rest) >= turns;
}

// Hexadecimal digits alone: the random part of an id may begin with a letter.
bool isHexName(std::string_view name)
{
    return std::all_of(name.begin(), name.end(),
        [](char c) { return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '-'; });
}

// In base64 of URLs an id may begin and end with a dash, and have several together.
void addId(std::string_view prefix, std::string& pattern)
{
    const auto last = pattern.find_last_not_of('-');
    const bool dashed = pattern.ends_with('-') && (last == std::string::npos || pattern[last] == ' ');
    if (dashed && prefix.empty())
        pattern.resize(last == std::string::npos ? 0 : last + 1);
    pattern.append(prefix).append("<id>");
}

std::size_t endOfId(std::string_view text, std::size_t at)
{
    while (at < text.size() && (isWordOctet(text[at]) || text[at] == '-'))
        ++at;
    return at;
}

} // namespace

std::string patternOf(std::string_view error)
{
    const auto text = error.substr(0, longestLook);
    std::string pattern;
    for (std::size_t at = 0; at < text.size() && pattern.size() < longestPattern;) {
        const char c = text[at];
        if (isSpace(c)) {
            if (!pattern.empty() && pattern.back() != ' ')
                pattern += ' ';
            ++at;
            continue;
        }
        const bool begins = at == 0 || !(isWordOctet(text[at - 1]) || text[at - 1] == ':');
        if (const auto address = begins ? endOfAddress(text, at) : at; address > at) {
            pattern += "<n>";
            at = address;
            continue;
        }
        if (!isWordOctet(c)) {
            pattern += c;
            ++at;
            continue;
        }
        const auto name = text.substr(at, endOfName(text, at) - at);
        const auto number = isDigit(c) ? endOfQuantity(text, at) : at;
        // Not the digits that a UUID begins with.
        if (isDigit(c) && number >= at + name.size()) {
            pattern += "<n>";
            at = number;
        } else {
            const auto prefix = prefixOf(name);
            const bool digits = std::any_of(name.begin(), name.end(), isDigit);
            if (digits || isRandomName(name, prefix)) {
                addId(digits && isHexName(name) ? std::string_view() : prefix, pattern);
                at = endOfId(text, at + name.size());
            } else {
                pattern += name;
                at += name.size();
            }
        }
    }
    pattern.resize(std::min(pattern.size(), longestPattern));
    while (!pattern.empty() && pattern.back() == ' ')
        pattern.pop_back();
    return pattern;
}

FailureGroup groupOf(std::string_view code, std::string_view error)
{
    FailureGroup group{ {}, patternOf(error) };
    PartsDigest digest("fencepost failure group v1");
    digest.add(code);
    digest.add(group.pattern);
    group.fingerprint = toHex(digest.finish().substr(0, 8));
    return group;
}

} // namespace fencepost

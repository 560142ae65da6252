// SPDX-License-Identifier: Apache-2.0
#include "core/spoken_secrets.h"

#include <algorithm>
#include <array>

#include "core/protocol/letters.h"

namespace fencepost {

namespace {

constexpr std::size_t longestTold = 4096;
constexpr std::size_t farthestBefore = 64; // a look back at every word is no look at the whole text

bool isNamePart(char c)
{
    return isLetter(c) || isDigit(c) || c == '_';
}

bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

bool isKeyPart(char c)
{
    return isNamePart(c) || c == '-' || c == '+' || c == '/' || c == '=';
}

bool isWord(std::string_view text, std::string_view word)
{
    return text.size() == word.size()
        && std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) { return lowered(a) == b; });
}

template <typename Words> bool isAmong(const Words& words, std::string_view text)
{
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return isWord(text, word); });
}

std::size_t behindBlanks(std::string_view text, std::size_t at)
{
    while (at < text.size() && isBlank(text[at]))
        ++at;
    return at;
}

std::size_t behindWord(std::string_view text, std::size_t at)
{
    while (at < text.size() && isLetter(text[at]))
        ++at;
    return at;
}

// The word in front of the one that begins at `at`.
std::string_view wordBefore(std::string_view text, std::size_t at)
{
    const auto first = at - std::min(at, farthestBefore);
    auto end = at;
    while (end > first && (isBlank(text[end - 1]) || text[end - 1] == '-' || text[end - 1] == '_'))
        --end;
    auto begin = end;
    while (begin > first && isLetter(text[begin - 1]))
        --begin;
    return end == at ? std::string_view() : text.substr(begin, end - begin);
}

bool namesSecret(std::string_view text, std::size_t at, std::string_view word)
{
    constexpr std::array<std::string_view, 8> names{ "password", "passwd", "passphrase", "pwd", "secret", "token",
        "apikey", "credential" };
    constexpr std::array<std::string_view, 6> kinds{ "api", "access", "private", "secret", "signing", "auth" };
    return isAmong(names, word) || (isWord(word, "key") && isAmong(kinds, wordBefore(text, at)));
}

// --password, --db-password
bool isOption(std::string_view text, std::size_t at)
{
    const auto first = at - std::min(at, farthestBefore);
    auto begin = at;
    while (begin > first && (isLetter(text[begin - 1]) || text[begin - 1] == '-' || text[begin - 1] == '_'))
        --begin;
    return text.substr(begin, 2) == "--";
}

// What is said of a secret instead of what it is.
bool isRemark(std::string_view word)
{
    constexpr std::array<std::string_view, 34> remarks{ "a", "absent", "an", "bad", "being", "blank", "denied", "empty",
        "expired", "for", "here", "hidden", "in", "incorrect", "invalid", "kept", "malformed", "missing", "needed",
        "no", "not", "null", "of", "refused", "rejected", "required", "revoked", "set", "stored", "the", "too",
        "unknown", "weak", "wrong" };
    return isAmong(remarks, word);
}

bool looksMade(std::string_view token)
{
    constexpr std::size_t shortest = 6;
    return token.size() >= shortest && std::any_of(token.begin(), token.end(), isDigit)
        && std::any_of(token.begin(), token.end(), isLetter);
}

// Up to the quote that closes it, or to what escapes that one.
std::optional<SecretPlace> quoted(std::string_view text, std::size_t at)
{
    const std::array<char, 2> ends{ text[at], '\\' };
    const auto end = text.substr(0, at + longestTold + 1).find_first_of({ ends.data(), ends.size() }, at + 1);
    if (end == std::string_view::npos || end == at + 1)
        return std::nullopt;
    return SecretPlace{ at + 1, end };
}

std::size_t behindEscapes(std::string_view text, std::size_t at)
{
    while (at + 1 < text.size() && text[at] == '\\')
        ++at;
    return at;
}

std::optional<SecretPlace> valueBehind(std::string_view text, std::size_t at, bool isOption)
{
    const bool isNamed = at < text.size() && (text[at] == ':' || text[at] == '=');
    auto begin = behindBlanks(text, isNamed ? at + 1 : at);
    if (begin == at || begin >= text.size())
        return std::nullopt;
    bool isSaid = isNamed;
    const auto verb = text.substr(begin, behindWord(text, begin) - begin);
    if (isWord(verb, "is") || isWord(verb, "was")) {
        const auto next = behindBlanks(text, begin + verb.size());
        isSaid = isSaid || isWord(verb, "is");
        if (next == begin + verb.size() || next >= text.size())
            return std::nullopt;
        begin = next;
    }
    begin = behindEscapes(text, begin);
    if (text[begin] == '\'' || text[begin] == '"' || text[begin] == '`')
        return quoted(text, begin);
    constexpr std::string_view behindValues = " \t\r\n,;()\"'`\\";
    const auto most = text.substr(0, begin + longestTold + 1);
    auto end = std::min(most.find_first_of(behindValues, begin), most.size());
    while (
        end > begin && (text[end - 1] == '.' || text[end - 1] == ':' || text[end - 1] == '!' || text[end - 1] == '?'))
        --end;
    const auto token = text.substr(begin, end - begin);
    if (token.empty() || token.size() > longestTold || (isOption && token.front() == '-'))
        return std::nullopt;
    if (!isOption && !looksMade(token) && (!isSaid || isRemark(token)))
        return std::nullopt;
    return SecretPlace{ begin, end };
}

} // namespace

std::optional<SecretPlace> nextIssuedKey(std::string_view text, std::size_t from)
{
    constexpr std::array<std::string_view, 19> prefixes{ "whsec_", "sk_live_", "sk_test_", "rk_live_", "rk_test_",
        "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-", "xoxs-", "AKIA",
        "ASIA", "AIza" };
    constexpr std::size_t shortest = 8;
    for (auto at = from; at < text.size(); ++at) {
        if (at > 0 && isNamePart(text[at - 1]))
            continue;
        for (const auto prefix : prefixes) {
            if (!text.substr(at).starts_with(prefix))
                continue;
            auto end = at + prefix.size();
            while (end < text.size() && isKeyPart(text[end]))
                ++end;
            if (end - at - prefix.size() >= shortest)
                return SecretPlace{ at, end };
        }
    }
    return std::nullopt;
}

std::optional<SecretPlace> nextSpokenSecret(std::string_view text, std::size_t from)
{
    for (auto at = from; at < text.size();) {
        if (!isLetter(text[at])) {
            ++at;
            continue;
        }
        const auto end = behindWord(text, at);
        if (namesSecret(text, at, text.substr(at, end - at)))
            if (const auto found = valueBehind(text, end, isOption(text, at)))
                return found;
        at = end;
    }
    return std::nullopt;
}

} // namespace fencepost

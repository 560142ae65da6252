// SPDX-License-Identifier: Apache-2.0
#include "core/secret_patterns.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/protocol/letters.h"
#include "core/spoken_secrets.h"
#include "core/without_credentials.h"

namespace fencepost {

namespace {

constexpr std::size_t longestName = 64;
constexpr std::size_t longestValue = 4096;
constexpr std::size_t shortestCard = 13;
constexpr std::size_t longestCard = 19;

bool isAlphanumeric(char c)
{
    return isDigit(c) || isLetter(c);
}

bool isWord(char c)
{
    return isAlphanumeric(c) || c == '_';
}

bool isSpace(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool isOneOf(char c, std::string_view more)
{
    return isAlphanumeric(c) || more.find(c) != std::string_view::npos;
}

bool beginsWord(std::string_view text, std::size_t at)
{
    return at == 0 || !isWord(text[at - 1]);
}

bool endsWord(std::string_view text, std::size_t end)
{
    return end >= text.size() || !isWord(text[end]);
}

std::size_t behindAll(std::string_view text, std::size_t at, std::string_view more)
{
    while (at < text.size() && isOneOf(text[at], more))
        ++at;
    return at;
}

using Found = SecretPlace;

bool passesLuhn(std::string_view digits)
{
    int sum = 0;
    bool twice = false;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, twice = !twice) {
        const int value = *digit - '0';
        sum += twice ? (value > 4 ? 2 * value - 9 : 2 * value) : value;
    }
    return sum % 10 == 0;
}

bool isCardNumber(std::string_view digits)
{
    if (!passesLuhn(digits))
        return false;
    // Issuers' first digits; instants as numbers of micro- or milliseconds begin with 1.
    const auto issuer = std::stoi(std::string(digits.substr(0, 4)));
    return (issuer >= 3000 && issuer < 7000) || (issuer >= 2221 && issuer <= 2720);
}

// 13 to 19 digits, a space or a hyphen between any two.
std::optional<Found> cardAt(std::string_view text, std::size_t at)
{
    if (at > 0 && (isDigit(text[at - 1]) || text[at - 1] == '.'))
        return std::nullopt;
    std::string digits;
    std::array<std::size_t, longestCard> ends{};
    for (auto next = at; next < text.size() && isDigit(text[next]) && digits.size() < longestCard;) {
        digits += text[next++];
        ends[digits.size() - 1] = next;
        if (next + 1 < text.size() && (text[next] == ' ' || text[next] == '-') && isDigit(text[next + 1]))
            ++next;
    }
    for (auto count = digits.size(); count >= shortestCard; --count) {
        const auto end = ends[count - 1];
        if (end < text.size() && (isDigit(text[end]) || text[end] == '.'))
            continue;
        return Found{ at, end, isCardNumber(std::string_view(digits).substr(0, count)) };
    }
    return std::nullopt;
}

std::optional<Found> nextCard(std::string_view text, std::size_t from)
{
    for (auto at = from; at < text.size(); ++at)
        if (isDigit(text[at]))
            if (const auto found = cardAt(text, at))
                return found;
    return std::nullopt;
}

bool isIban(std::string_view text)
{
    std::string compact;
    for (const char c : text)
        if (c != ' ')
            compact += c;
    const auto moved = compact.substr(4) + compact.substr(0, 4);
    int remainder = 0;
    for (const char c : moved) {
        const int value = isDigit(c) ? c - '0' : c - 'A' + 10;
        remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
    }
    return remainder == 1;
}

// Behind as many capitals and digits, a space before them or not; none: there are fewer.
std::optional<std::size_t> behindGroup(std::string_view text, std::size_t at, std::size_t length)
{
    if (at < text.size() && text[at] == ' ')
        ++at;
    if (at + length > text.size())
        return std::nullopt;
    const auto group = text.substr(at, length);
    const bool fits = std::all_of(group.begin(), group.end(), [](char c) { return isDigit(c) || isUpper(c); });
    return fits ? std::optional(at + length) : std::nullopt;
}

// A country, two check digits, two to seven groups of four and the rest of one.
std::optional<Found> ibanAt(std::string_view text, std::size_t at)
{
    constexpr std::size_t fewestGroups = 2;
    constexpr std::size_t mostGroups = 7;
    if (!beginsWord(text, at) || at + 4 > text.size() || !isUpper(text[at]) || !isUpper(text[at + 1])
        || !isDigit(text[at + 2]) || !isDigit(text[at + 3]))
        return std::nullopt;
    std::vector<std::size_t> ends{ at + 4 };
    while (ends.size() <= mostGroups) {
        const auto end = behindGroup(text, ends.back(), 4);
        if (!end)
            break;
        ends.push_back(*end);
    }
    for (auto groups = ends.size() - 1; groups >= fewestGroups; --groups) {
        for (const std::size_t rest : { 3U, 2U, 1U }) {
            const auto end = behindGroup(text, ends[groups], rest);
            if (end && endsWord(text, *end))
                return Found{ at, *end, isIban(text.substr(at, *end - at)) };
        }
        if (endsWord(text, ends[groups]))
            return Found{ at, ends[groups], isIban(text.substr(at, ends[groups] - at)) };
    }
    return std::nullopt;
}

std::optional<Found> nextIban(std::string_view text, std::size_t from)
{
    for (auto at = from; at < text.size(); ++at)
        if (isUpper(text[at]))
            if (const auto found = ibanAt(text, at))
                return found;
    return std::nullopt;
}

std::optional<Found> nextAddress(std::string_view text, std::size_t from)
{
    for (auto at = text.find('@', from); at != std::string_view::npos; at = text.find('@', at + 1)) {
        auto begin = at;
        while (begin > from && isOneOf(text[begin - 1], "._%+-"))
            --begin;
        auto end = behindAll(text, at + 1, "-");
        if (begin == at || end == at + 1)
            continue;
        const auto host = end;
        while (end + 1 < text.size() && text[end] == '.' && isOneOf(text[end + 1], "-"))
            end = behindAll(text, end + 1, "-");
        if (end > host)
            return Found{ begin, end };
    }
    return std::nullopt;
}

// As JSON web tokens are: three parts in base64url, the first of which begins with {".
std::optional<Found> nextToken(std::string_view text, std::size_t from)
{
    constexpr std::size_t shortest = 11;
    auto next = from;
    for (auto at = text.find("eyJ", from); at != std::string_view::npos; at = text.find("eyJ", next)) {
        next = at + 1;
        if (!beginsWord(text, at))
            continue;
        auto end = behindAll(text, at + 3, "_-");
        next = end; // what begins within it ends with it as well
        if (end - at < shortest || end >= text.size() || text[end] != '.')
            continue;
        end = behindAll(text, end + 1, "_-");
        if (end < text.size() && text[end] == '.')
            end = behindAll(text, end + 1, "_-");
        return Found{ at, end };
    }
    return std::nullopt;
}

constexpr std::string_view armour = "-----BEGIN";

// Where a private key ends that begins at `at` with its armour (RFC 7468), in a form or not: behind its last line, or
// with the string that it stands in where it is cut off. None: it is another thing, such as a certificate.
std::optional<std::size_t> behindPrivateKey(std::string_view text, std::size_t at)
{
    constexpr std::size_t longestLabel = 64;
    constexpr std::string_view dashes = "-----";
    const auto behind = text.substr(at + armour.size(), longestLabel);
    const auto label = behind.substr(0, behind.find(dashes));
    if (label.find("PRIVATE") == std::string_view::npos || label.find("KEY") == std::string_view::npos)
        return std::nullopt;
    const auto within = text.substr(0, text.find_first_of("\"'<>&", at));
    const auto last = within.find("-----END", at);
    const auto end = last == std::string_view::npos ? last : within.find(dashes, last + dashes.size());
    if (end != std::string_view::npos)
        return end + dashes.size();
    return within.find_last_not_of('\\') + 1;
}

std::optional<Found> nextPrivateKey(std::string_view text, std::size_t from)
{
    for (auto at = text.find(armour, from); at != std::string_view::npos; at = text.find(armour, at + 1))
        if (const auto end = behindPrivateKey(text, at))
            return Found{ at, *end };
    return std::nullopt;
}

bool startsWithoutCase(std::string_view text, std::size_t at, std::string_view lower)
{
    return text.size() - at >= lower.size()
        && std::equal(lower.begin(), lower.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
            [](char a, char b) { return a == lowered(b); });
}

std::optional<Found> nextCredentials(std::string_view text, std::size_t from)
{
    constexpr std::size_t shortest = 6;
    for (auto at = from; at < text.size(); ++at) {
        if ((text[at] | 0x20) != 'b' || !beginsWord(text, at))
            continue;
        for (const std::string_view scheme : { "bearer", "basic" }) {
            if (!startsWithoutCase(text, at, scheme))
                continue;
            auto begin = at + scheme.size();
            const auto space = begin;
            while (begin < text.size() && text[begin] == ' ')
                ++begin;
            const auto end = behindAll(text, begin, "._~+/=-");
            if (begin > space && end - begin >= shortest)
                return Found{ at, end };
        }
    }
    return std::nullopt;
}

enum Trait : std::uint8_t {
    Digit = 1,
    Upper = 2,
    Separates = 4, // a name from its value, or a scheme from its address; or begins an element
    At = 8,
    Space = 16,
    BeginsScheme = 32,
    Dot = 64,
    Joins = 128,
};

constexpr std::array<std::uint8_t, 256> traits = [] {
    std::array<std::uint8_t, 256> table{};
    for (char c = '0'; c <= '9'; ++c)
        table[static_cast<unsigned char>(c)] = Digit;
    for (char c = 'A'; c <= 'Z'; ++c)
        table[static_cast<unsigned char>(c)] = Upper;
    table[':'] = table['='] = table['<'] = Separates;
    table['@'] = At;
    table[' '] = Space;
    table['.'] = Dot;
    table['_'] = Joins;
    table['b'] = BeginsScheme;
    table['B'] = Upper | BeginsScheme;
    return table;
}();

// What a text has of all that secrets are made of.
struct Traits {
    std::uint8_t seen = 0;
    std::size_t digits = 0;
    std::size_t octets = 0;

    [[nodiscard]] bool has(int wanted) const { return (seen & wanted) == wanted; }
};

Traits traitsOf(std::string_view text)
{
    Traits found;
    found.octets = text.size();
    for (const char c : text) {
        const auto trait = traits[static_cast<unsigned char>(c)];
        found.seen |= trait;
        found.digits += trait & Digit;
    }
    return found;
}

struct SecretPattern {
    std::optional<Found> (*next)(std::string_view text, std::size_t from);
    bool (*fits)(const Traits& text); // false: it is nowhere in such a text
    const char* name;
};

constexpr std::size_t shortestIban = 12;
constexpr std::array patterns = {
    SecretPattern{ nextPrivateKey, [](const Traits& text) { return text.has(Upper); }, "private key" },
    SecretPattern{ nextCard, [](const Traits& text) { return text.digits >= shortestCard; }, "card number" },
    SecretPattern{
        nextIban, [](const Traits& text) { return text.has(Upper | Digit) && text.octets >= shortestIban; }, "IBAN" },
    SecretPattern{ nextAddress, [](const Traits& text) { return text.has(At); }, "e-mail address" },
    SecretPattern{ nextToken, [](const Traits& text) { return text.has(Upper | Dot); }, "token" },
    SecretPattern{ nextCredentials, [](const Traits& text) { return text.has(Space | BeginsScheme); }, "credentials" },
    SecretPattern{
        nextIssuedKey, [](const Traits& text) { return text.has(Joins) || text.has(Upper | Digit); }, "issued key" },
    SecretPattern{ nextSpokenSecret, [](const Traits& text) { return text.has(Space); }, "secret in words" },
};

} // namespace

bool mayTell(std::string_view text) noexcept
{
    const auto found = traitsOf(text);
    return found.has(Separates) || std::any_of(patterns.begin(), patterns.end(), [&](const SecretPattern& pattern) {
        return pattern.fits(found);
    });
}

namespace {

// The opening quote of a value, or the closing one of a name, however often JSON within JSON has escaped it.
std::size_t behindQuote(std::string_view text, std::size_t at)
{
    auto next = at;
    while (next < text.size() && text[next] == '\\')
        ++next;
    return next < text.size() && (text[next] == '"' || text[next] == '\'') ? next + 1 : at;
}

std::size_t behindSpace(std::string_view text, std::size_t at)
{
    while (at < text.size() && isSpace(text[at]))
        ++at;
    return at;
}

std::size_t endOfValue(std::string_view text, std::size_t value, std::size_t quote)
{
    constexpr std::string_view behindValues = "&;,\"'\\";
    if (text.substr(value).starts_with(armour))
        if (const auto key = behindPrivateKey(text, value))
            return *key;
    const auto longest = std::min(text.size(), value + longestValue);
    auto end = value;
    if (quote < value) {
        while (end < longest && text[end] != text[value - 1] && text[end] != '\\' && text[end] != '\n')
            ++end;
        return end;
    }
    while (end < longest && !isSpace(text[end]) && behindValues.find(text[end]) == std::string_view::npos)
        ++end;
    return end;
}

// What an element holds whose name begins at `name`: up to its own end, whatever stands within; without one, up to the
// next tag or line. It has attributes and a prefix or not.
std::optional<NamedText> elementOf(std::string_view text, std::size_t name, std::size_t nameEnd, const NameTells& tells)
{
    constexpr std::size_t longestTag = 512;
    auto begin = name;
    while (begin > 0 && name - begin < longestName && (isWord(text[begin - 1]) || text[begin - 1] == ':'))
        --begin;
    if (begin == 0 || text[begin - 1] != '<' || text.substr(nameEnd, 1) == ":"
        || !tells(text.substr(name, nameEnd - name)))
        return std::nullopt;
    const auto close = text.substr(0, nameEnd + longestTag).find_first_of("<>", nameEnd);
    if (close == std::string_view::npos || text[close] == '<' || text[close - 1] == '/')
        return std::nullopt;
    const auto value = close + 1;
    const auto most = text.substr(0, value + longestValue);
    auto end = most.find("</" + std::string(text.substr(begin, nameEnd - begin)), value);
    if (end == std::string_view::npos) {
        // Optional<Email> is a type, "Dear <email>, …" a template.
        const bool isProse = (begin > 1 && isWord(text[begin - 2])) || text.substr(value, 1).find_first_of(",.;)") == 0;
        if (isProse)
            return std::nullopt;
        end = std::min(most.find_first_of("<\n", value), most.size());
    }
    return end > value ? std::optional(NamedText{ text.substr(name, nameEnd - name), value, end }) : std::nullopt;
}

} // namespace

std::optional<NamedText> nextPair(std::string_view text, std::size_t from, const NameTells& tells)
{
    constexpr std::string_view inNames = "_.-";
    for (auto at = from; at < text.size();) {
        if (!isOneOf(text[at], inNames)) {
            ++at;
            continue;
        }
        const auto end = behindAll(text, at, inNames);
        const auto begin = end - at > longestName ? end - longestName : at;
        at = end;
        if (const auto element = elementOf(text, begin, end, tells))
            return element;
        const auto separator = behindSpace(text, behindQuote(text, end));
        if (end - begin < 2 || separator >= text.size() || (text[separator] != '=' && text[separator] != ':')
            || !tells(text.substr(begin, end - begin)))
            continue;
        const auto quote = behindSpace(text, separator + 1);
        const auto value = behindQuote(text, quote);
        const auto last = endOfValue(text, value, quote);
        if (last > value)
            return NamedText{ text.substr(begin, end - begin), value, last };
    }
    return std::nullopt;
}

std::size_t behindCredentials(std::string_view text, const NamedText& pair)
{
    const auto value = text.substr(pair.value, pair.end - pair.value);
    auto end = pair.end;
    for (const std::string_view scheme : { "bearer", "basic" }) {
        if (value.size() != scheme.size() || !startsWithoutCase(value, 0, scheme))
            continue;
        while (end < text.size() && isSpace(text[end]) && text[end] != '\n')
            ++end;
        while (end < text.size() && !isSpace(text[end]) && text[end] != '"')
            ++end;
    }
    return end;
}

std::string hideSecrets(
    std::string_view text, std::string_view mark, SecretKinds kinds, std::vector<std::string>& hidden)
{
    std::string shown(text);
    if (kinds.urls && text.find("://") != std::string_view::npos) {
        shown = withoutCredentials(shown);
        if (shown != text)
            hidden.emplace_back("credentials");
    }
    if (!kinds.patterns)
        return shown;
    const auto found = traitsOf(shown);
    for (const auto& pattern : patterns) {
        if (!pattern.fits(found))
            continue;
        std::string next;
        std::size_t copied = 0;
        for (auto secret = pattern.next(shown, 0); secret; secret = pattern.next(shown, secret->end)) {
            if (!secret->confirmed)
                continue;
            next.append(shown, copied, secret->begin - copied).append(mark);
            copied = secret->end;
            hidden.emplace_back(pattern.name);
        }
        if (copied > 0)
            shown = next.append(shown, copied);
    }
    return shown;
}

} // namespace fencepost

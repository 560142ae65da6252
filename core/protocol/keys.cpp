// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/keys.h"

#include <algorithm>
#include <cmath>

#include "core/ids.h"
#include "core/protocol/ascii.h"

namespace fencepost {

namespace {

constexpr std::string_view crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::uint64_t timeLimit = std::uint64_t{ 1 } << 48U;
constexpr std::string_view hashMark = "%sha256:";

std::string escapedField(std::string_view field)
{
    std::string out;
    for (const char c : field) {
        if (c > 0x20 && c < 0x7f && c != ':' && c != '%')
            out += c;
        else
            appendPercent(out, c);
    }
    return out;
}

Result<std::string> fitting(std::string key)
{
    if (key.size() > longestKey)
        return invalid("The key would have " + std::to_string(key.size()) + " characters; 128 are allowed");
    return key;
}

// 128 bits as 26 digits of five bits; the first has three.
std::string ulidText(std::uint64_t milliseconds, std::uint64_t high, std::uint64_t low)
{
    std::string text(26, '0');
    for (std::size_t i = 10; i > 0; --i, milliseconds >>= 5U)
        text[i - 1] = crockford[milliseconds & 0x1fU];
    // 80 bits: the 16 high ones and the 64 low ones shift as one number.
    for (std::size_t i = 26; i > 10; --i) {
        text[i - 1] = crockford[low & 0x1fU];
        low = low >> 5U | high << 59U;
        high >>= 5U;
    }
    return text;
}

std::optional<std::uint64_t> ulidTime(std::string_view text) noexcept
{
    constexpr std::uint64_t firstUlid = 1'451'606'400'000; // 2016-01-01: the format is younger
    const auto valueOf = [](char c) { return crockford.find(c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c); };
    const auto isDigit = [&](char c) { return valueOf(c) != std::string_view::npos; };
    if (text.size() != 26 || text.front() > '7' || !std::all_of(text.begin(), text.end(), isDigit))
        return std::nullopt;
    std::uint64_t milliseconds = 0;
    for (const char c : text.substr(0, 10))
        milliseconds = milliseconds << 5U | valueOf(c);
    return milliseconds >= firstUlid ? std::optional(milliseconds) : std::nullopt;
}

std::optional<std::uint64_t> uuid7Time(std::string_view text) noexcept
{
    constexpr std::string_view variants = "89abAB";
    if (!isUuid(text) || text[14] != '7' || variants.find(text[19]) == std::string_view::npos)
        return std::nullopt;
    std::uint64_t milliseconds = 0;
    for (const char c : text.substr(0, 13))
        if (c != '-')
            milliseconds = milliseconds << 4U | static_cast<std::uint64_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    return milliseconds;
}

} // namespace

KeySource::KeySource(const Clock& clock, Random& random)
    : m_clock(clock)
    , m_random(random)
{
}

Status KeySource::advance(Sequence& sequence, unsigned highBits, Step step)
{
    const auto limit = std::uint64_t{ 1 } << highBits;
    const auto now = microsOf(m_clock.now()) / 1000;
    if (now < 0 || static_cast<std::uint64_t>(now) >= timeLimit)
        return invalid("The clock is outside of what a time-bearing key can say");
    if (!sequence.milliseconds || static_cast<std::uint64_t>(now) > *sequence.milliseconds) {
        sequence = { static_cast<std::uint64_t>(now), m_random.next() & (limit - 1), m_random.next() };
        return {};
    }
    const auto low = sequence.low + (step == Step::One ? 1 : 1 + m_random.below(std::uint64_t{ 1 } << 32U));
    const auto high = sequence.high + (low < sequence.low ? 1 : 0);
    if (high >= limit)
        return Error{ Failure::Unavailable, "This millisecond has no further key", {} };
    sequence.high = high;
    sequence.low = low;
    return {};
}

std::string KeySource::uuid4()
{
    return fencepost::uuid4(m_random);
}

Result<std::string> KeySource::uuid7()
{
    if (auto status = advance(m_uuid7, 10, Step::Random); !status)
        return status.error();
    // 74 bits in two fields: 12 before the variant, 62 behind it.
    const auto before = m_uuid7.high << 2U | m_uuid7.low >> 62U;
    const auto behind = m_uuid7.low & (UINT64_MAX >> 2U);
    const auto first = *m_uuid7.milliseconds << 16U | std::uint64_t{ 7 } << 12U | before;
    const auto second = std::uint64_t{ 2 } << 62U | behind;
    Bytes octets;
    for (const auto half : { first, second })
        for (unsigned shift = 64; shift > 0; shift -= 8)
            octets += static_cast<char>(half >> (shift - 8) & 0xffU);
    auto text = toHex(octets);
    for (const std::size_t at : { 20U, 16U, 12U, 8U })
        text.insert(at, "-");
    return text;
}

Result<std::string> KeySource::ulid()
{
    if (auto status = advance(m_ulid, 16, Step::One); !status)
        return status.error();
    return ulidText(*m_ulid.milliseconds, m_ulid.high, m_ulid.low);
}

Result<std::string> KeySource::clientKey(std::string_view client)
{
    if (client.empty())
        return invalid("The client's name must not be empty");
    const auto milliseconds = microsOf(m_clock.now()) / 1000;
    auto bits = m_random.next();
    Bytes octets;
    for (int i = 0; i < 8; ++i, bits >>= 8U)
        octets += static_cast<char>(bits & 0xffU);
    return fitting(escapedField(client) + '-' + std::to_string(milliseconds) + '-' + toHex(octets));
}

Result<std::string> KeySource::customKey(const std::vector<std::string>& parts)
{
    if (parts.empty())
        return invalid("A key of one's own needs a name");
    const auto fresh = ulid();
    if (!fresh)
        return fresh.error();
    std::string key;
    for (const auto& part : parts)
        key += escapedField(part) + ':';
    return fitting(key + *fresh);
}

Result<std::string> naturalKey(const std::vector<std::optional<std::string>>& fields, std::size_t longest)
{
    const auto says = [](const std::optional<std::string>& field) { return field && !field->empty(); };
    if (std::none_of(fields.begin(), fields.end(), says))
        return invalid("The key is missing: none of its fields has a value");
    std::string joined;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        joined += i > 0 ? ":" : "";
        joined += fields[i] ? escapedField(*fields[i]) : "%-";
    }
    if (joined.size() <= longest)
        return joined;
    const auto hashed = std::string(hashMark) + toHex(sha256(joined));
    const auto named = joined.substr(0, joined.find(':')) + ':' + hashed;
    if (named.size() <= longest)
        return named;
    if (hashed.size() > longest)
        return invalid("No natural key fits into " + std::to_string(longest) + " characters: a hashed one has 72");
    return hashed;
}

std::optional<Time> timeOfKey(std::string_view key) noexcept
{
    if (const auto colon = key.rfind(':'); colon != std::string_view::npos)
        key.remove_prefix(colon + 1);
    auto milliseconds = ulidTime(key);
    if (!milliseconds)
        milliseconds = uuid7Time(key);
    if (!milliseconds)
        return std::nullopt;
    return timeFromMicros(static_cast<std::int64_t>(*milliseconds) * 1000);
}

bool isWeakKey(std::string_view key) noexcept
{
    struct Kind {
        std::string_view characters;
        int more; // kinds of characters that it adds to an alphabet
    };
    constexpr Kind kinds[] = { { "0123456789", 10 }, { "abcdef", 6 }, { "ghijklmnopqrstuvwxyz", 20 }, { "ABCDEF", 6 },
        { "GHIJKLMNOPQRSTUVWXYZ", 20 } };
    int alphabet = 0;
    for (const auto& kind : kinds)
        alphabet += key.find_first_of(kind.characters) == std::string_view::npos ? 0 : kind.more;
    const auto different = [&] {
        std::array<bool, 256> seen{};
        for (const char c : key)
            seen[static_cast<unsigned char>(c)] = true;
        return static_cast<int>(std::count(seen.begin(), seen.end(), true));
    }();
    // A repeated character says little, however long the key is.
    const auto bits = static_cast<double>(key.size()) * std::log2(std::max(1, std::min(alphabet, 2 * different)));
    return key.size() < 16 || different < 6 || bits < 64;
}

} // namespace fencepost

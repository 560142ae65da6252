// SPDX-License-Identifier: Apache-2.0
#include "core/ids.h"

#include <array>
#include <utility>

#include <openssl/evp.h>

#include "core/in_quotes.h"

namespace fencepost {

namespace {

constexpr std::string_view hexDigits = "0123456789abcdef";

int hexValue(char c) noexcept
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

// How many octets the sequence that starts here has, or 0 where it is malformed (RFC 3629, table 3-7 of Unicode).
std::size_t sequenceLength(std::string_view text) noexcept
{
    const auto at = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const auto tail = [&](std::size_t i) { return at(i) >= 0x80 && at(i) <= 0xbf; };
    const auto first = at(0);
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return tail(1) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef) {
        const auto low = first == 0xe0 ? 0xa0U : 0x80U;
        const auto high = first == 0xed ? 0x9fU : 0xbfU;
        return at(1) >= low && at(1) <= high && tail(2) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const auto low = first == 0xf0 ? 0x90U : 0x80U;
        const auto high = first == 0xf4 ? 0x8fU : 0xbfU;
        return at(1) >= low && at(1) <= high && tail(2) && tail(3) ? 4 : 0;
    }
    return 0;
}

} // namespace

Owner::Owner(std::string text)
    : uuid(std::move(text))
{
    if (!isUuid(uuid))
        return;
    for (auto& c : uuid)
        if (c >= 'A' && c <= 'F')
            c = static_cast<char>(c - 'A' + 'a');
}

std::string uuid4(Random& random)
{
    std::array<std::uint8_t, 16> octets{};
    for (std::size_t half = 0; half < 2; ++half) {
        auto bits = random.next();
        for (std::size_t i = 0; i < 8; ++i, bits >>= 8U)
            octets[half * 8 + i] = static_cast<std::uint8_t>(bits & 0xffU);
    }
    octets[6] = static_cast<std::uint8_t>((octets[6] & 0x0fU) | 0x40U);
    octets[8] = static_cast<std::uint8_t>((octets[8] & 0x3fU) | 0x80U);
    std::string text;
    for (std::size_t i = 0; i < octets.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text += '-';
        text += hexDigits[octets[i] >> 4U];
        text += hexDigits[octets[i] & 0x0fU];
    }
    return text;
}

bool isUuid(std::string_view text) noexcept
{
    if (text.size() != 36)
        return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : hexValue(text[i]) < 0)
            return false;
    }
    return true;
}

std::string toHex(std::string_view bytes)
{
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto octet = static_cast<unsigned char>(c);
        text += hexDigits[octet >> 4U];
        text += hexDigits[octet & 0x0fU];
    }
    return text;
}

Result<Bytes> fromHex(std::string_view text)
{
    if (text.size() % 2 != 0)
        return Error{ Failure::Invalid, "A hexadecimal value needs an even number of digits", {} };
    Bytes bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hexValue(text[i]);
        const int low = hexValue(text[i + 1]);
        if (high < 0 || low < 0)
            return Error{ Failure::Invalid, inQuotes(text.substr(i, 2)) + " is not a pair of hexadecimal digits", {} };
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

Bytes sha256(std::string_view bytes)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
    return { reinterpret_cast<const char*>(digest.data()), length };
}

bool isBlank(std::string_view text) noexcept
{
    return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

bool isUtf8(std::string_view text) noexcept
{
    while (!text.empty()) {
        const auto length = sequenceLength(text);
        if (length == 0)
            return false;
        text.remove_prefix(length);
    }
    return true;
}

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fencepost {

// Of ASCII alone, whatever the locale is.
constexpr bool isDigit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

constexpr bool isLower(char c) noexcept
{
    return c >= 'a' && c <= 'z';
}

constexpr bool isUpper(char c) noexcept
{
    return c >= 'A' && c <= 'Z';
}

constexpr bool isLetter(char c) noexcept
{
    return isLower(c) || isUpper(c);
}

constexpr char lowered(char c) noexcept
{
    return isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace fencepost

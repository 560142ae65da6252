// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>

#include "core/ids.h"

namespace fencepost::fuzz {

void require(bool holds, std::string_view promise, std::string_view about)
{
    if (holds)
        return;
    std::fprintf(stderr, "broken promise: %.*s\n%.*s\n", static_cast<int>(promise.size()), promise.data(),
        static_cast<int>(about.size()), about.data());
    std::abort();
}

void requireRefusal(const Error& error, std::size_t inputSize)
{
    require(!error.message.empty(), "a refusal has a text");
    require(error.failure != Failure::Internal, "bad input is no bug of ours", error.message);
    require(isUtf8(error.message), "a refusal is text", error.message);
    require(error.message.size() + error.detail.size() <= 2'000 + 6 * inputSize,
        "a refusal is no longer than what it refuses", error.message);
}

std::string_view textOf(const std::uint8_t* data, std::size_t size)
{
    return { reinterpret_cast<const char*>(data), size };
}

std::vector<std::string_view> split(std::string_view text, char separator, std::size_t most)
{
    std::vector<std::string_view> parts;
    while (parts.size() + 1 < most) {
        const auto end = text.find(separator);
        if (end == std::string_view::npos)
            break;
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    parts.push_back(text);
    return parts;
}

} // namespace fencepost::fuzz

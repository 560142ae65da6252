// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/event_sequence.h"

#include <charconv>
#include <limits>

#include "core/in_quotes.h"

namespace fencepost {

Result<SequencedId> parseSequencedId(std::string_view text)
{
    const auto dash = text.rfind('-');
    const auto refuse = [&] {
        return invalid(inQuotes(text) + " is no event id like order-7-42: an aggregate, a dash, a number");
    };
    if (dash == std::string_view::npos || dash == 0)
        return refuse();
    const auto digits = text.substr(dash + 1);
    const bool leadingZero = digits.size() > 1 && digits.front() == '0';
    std::int64_t sequence = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), sequence);
    if (leadingZero || digits.empty() || read.ec != std::errc{} || read.ptr != digits.data() + digits.size())
        return refuse();
    return SequencedId{ std::string(text.substr(0, dash)), sequence };
}

std::string format(const SequencedId& id)
{
    return id.aggregate + '-' + std::to_string(id.sequence);
}

std::optional<std::int64_t> expectedAfter(std::optional<std::int64_t> last, std::int64_t first)
{
    if (!last)
        return first;
    return *last < std::numeric_limits<std::int64_t>::max() ? std::optional(*last + 1) : std::nullopt;
}

Result<Arrival> arrivalOf(const SequencedId& id, std::optional<std::int64_t> last, std::int64_t first)
{
    if (last && id.sequence <= *last && id.sequence >= first)
        return Arrival::Duplicate;
    const auto expected = expectedAfter(last, first);
    if (id.sequence == expected)
        return Arrival::Next;
    const auto words =
        expected ? std::to_string(*expected) + " is expected" : std::string("its sequence is at its end");
    return Error{ Failure::Conflict, format(id) + " does not follow: of " + id.aggregate + ' ' + words, {} };
}

} // namespace fencepost

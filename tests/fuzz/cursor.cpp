// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inspector.h"
#include "tests/fuzz/fuzz.h"

using namespace fencepost;
using fuzz::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::textOf(data, size);
    if (const auto cursor = parseCursor(text))
        require(formatCursor(*cursor) == text, "a cursor has one spelling", text);
    else
        fuzz::requireRefusal(cursor.error(), size);

    Cursor made;
    for (const auto value : fuzz::split(text, '\n', 6))
        made.values.emplace_back(value);
    const auto written = formatCursor(made);
    require(written.size() <= 2 * size + 64, "a cursor is linear");
    const auto read = parseCursor(written);
    require(read.has_value() && *read == made, "a cursor is written as it is read", written);
    // One octet away there is no other cursor.
    auto damaged = written;
    damaged[size % damaged.size()] = damaged[size % damaged.size()] == 'A' ? 'B' : 'A';
    const auto other = parseCursor(damaged);
    require(!other || *other == made, "a damaged cursor is none", damaged);
    return 0;
}

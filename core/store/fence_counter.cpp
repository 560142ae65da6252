// SPDX-License-Identifier: Apache-2.0
#include "core/store/fence_counter.h"

#include <algorithm>
#include <limits>

#include "core/store/native.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

// None: on PostgreSQL the counter is too far behind to get there draw by draw.
Result<std::optional<std::int64_t>> counterAfter(
    Connection& connection, const NamedSql& sql, const Parameters& parameters)
{
    std::optional<std::int64_t> answer;
    const auto read =
        connection.native().run(sql, parameters, [&](const NativeRow& row) { answer = row.optionalInteger(0); });
    if (!read)
        return read.error();
    if (*read != 1)
        return Error{ Failure::Corrupt, "The counter of fences is gone", {} };
    return answer;
}

// PostgreSQL, where somebody wrote a fence around the counter. Two who jumped at once could step back behind a fence
// that was drawn between them, so they wait for each other at the end of the audit's chain: a row that every database
// of ours has and whoever appends to the audit locks last, too.
Status jumpTo(Connection& connection, Fence fence)
{
    const auto locked = connection.native().run(sql::audit_lock, Parameters());
    if (!locked)
        return locked.error();
    if (*locked != 1)
        return Error{ Failure::Corrupt, "The audit has no end", {} };
    const auto jumped = connection.native().run(sql::jump_fence, Parameters().integer("fence", fence.value));
    return jumped ? Status() : Status(jumped.error());
}

} // namespace

Result<Fence> drawFence(Connection& connection, Fence above)
{
    auto* drawnBefore = connection.drawnFence();
    if (drawnBefore != nullptr && *drawnBefore)
        above = std::max(above, **drawnBefore);
    const auto draw = [&]() -> Result<std::optional<std::int64_t>> {
        // Nobody else draws while this transaction holds the write lock.
        if (drawnBefore != nullptr && *drawnBefore && above.value < std::numeric_limits<std::int64_t>::max())
            return std::optional(above.value + 1);
        return counterAfter(connection, sql::next_fence, Parameters().integer("above", above.value));
    };
    auto drawn = draw();
    if (drawn && !*drawn) {
        if (const auto jumped = jumpTo(connection, above); !jumped)
            return jumped.error();
        drawn = draw();
    }
    if (!drawn)
        return drawn.error();
    const Fence fence{ drawn->value_or(0) };
    if (fence <= above)
        return Error{ Failure::Corrupt, "No fence is left above the record's", std::to_string(above.value) };
    if (drawnBefore != nullptr)
        *drawnBefore = fence;
    else if (connection.dialect() == Dialect::Sqlite)
        if (const auto reached = reachFence(connection, fence); !reached)
            return reached.error();
    return fence;
}

Status writeDrawnFence(Connection& connection)
{
    auto* drawn = connection.drawnFence();
    if (drawn == nullptr || !*drawn)
        return {};
    return reachFence(connection, **drawn);
}

Status reachFence(Connection& connection, Fence fence)
{
    const auto parameters = Parameters().integer("fence", fence.value);
    if (connection.dialect() == Dialect::Sqlite) {
        const auto reached = connection.native().run(sql::reach_fence, parameters);
        return reached ? Status() : Status(reached.error());
    }
    const auto reached = counterAfter(connection, sql::reach_fence, parameters);
    if (!reached)
        return reached.error();
    return *reached ? Status() : jumpTo(connection, fence);
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/memory_effect_guard.h"

#include <algorithm>

namespace fencepost::simulation {

MemoryEffectGuard::MemoryEffectGuard(const MemoryStore& store, std::vector<EffectRow>& rows, Time now)
    : m_store(store)
    , m_rows(rows)
    , m_now(now)
{
}

EffectRow* MemoryEffectGuard::find(const std::string& effectId)
{
    const auto row =
        std::find_if(m_rows.begin(), m_rows.end(), [&](const EffectRow& known) { return known.id == effectId; });
    return row == m_rows.end() ? nullptr : &*row;
}

Result<bool> MemoryEffectGuard::owns(const Claim& claim)
{
    const auto* record = m_store.look(claim.id);
    return record && record->status == State::InProgress && record->owner == claim.owner
        && record->fence == claim.fence;
}

Result<EffectVerdict> MemoryEffectGuard::begin(
    const std::string& effectId, Fence fence, const KeyLives& lives, Duration keep)
{
    if (keep <= Duration(0))
        return invalid("An effect is remembered longer than nothing");
    auto* row = find(effectId);
    if (!row) {
        m_rows.push_back({ effectId, fence, false, std::nullopt, m_now + keep });
        return EffectVerdict{ EffectTurn::Do };
    }
    const bool over = row->done && row->until <= m_now && isOfPastLife(row->fence, lives);
    if (row->fence <= fence && (!row->done || over)) {
        *row = { effectId, fence, false, std::nullopt, m_now + keep };
        return EffectVerdict{ EffectTurn::Do };
    }
    if (!row->done)
        return EffectVerdict{};
    row->fence = std::max(row->fence, fence);
    row->until = std::max(row->until, m_now + keep);
    return EffectVerdict{ EffectTurn::AlreadyDone, row->ref };
}

Result<bool> MemoryEffectGuard::done(const std::string& effectId, Fence fence, const std::optional<std::string>& ref)
{
    auto* row = find(effectId);
    if (!row || row->fence != fence || row->done)
        return false;
    row->done = true;
    row->ref = ref;
    return true;
}

} // namespace fencepost::simulation

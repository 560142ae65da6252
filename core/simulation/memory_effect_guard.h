// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/effect_guard.h"
#include "core/simulation/memory_store.h"

namespace fencepost::simulation {

// The row that makes an effect unique.
struct EffectRow {
    std::string id;
    Fence fence;
    bool done = false;
    std::optional<std::string> ref;
    Time until; // afterwards a later life of its key repeats it
};

// The guard over the rows of one record, for one transaction: nothing happens between its begin and its end.
class MemoryEffectGuard final : public EffectGuard {
public:
    // Both outlive it.
    MemoryEffectGuard(const MemoryStore& store, std::vector<EffectRow>& rows, Time now);

    Result<bool> owns(const Claim& claim) override;
    Result<EffectVerdict> begin(
        const std::string& effectId, Fence fence, const KeyLives& lives, Duration keep) override;
    Result<bool> done(const std::string& effectId, Fence fence, const std::optional<std::string>& ref) override;

private:
    [[nodiscard]] EffectRow* find(const std::string& effectId);

    const MemoryStore& m_store;
    std::vector<EffectRow>& m_rows;
    Time m_now;
};

} // namespace fencepost::simulation

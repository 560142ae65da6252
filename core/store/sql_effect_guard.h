// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/clock.h"
#include "core/effect_guard.h"
#include "core/store/database.h"
#include "core/store/sql_store.h"

namespace fencepost::store {

// The guard on the connection that the business transaction runs on. Thread rule of EffectGuard.
class SqlEffectGuard final : public EffectGuard {
public:
    SqlEffectGuard(Connection& connection, StoreClock clock);

    Result<bool> owns(const Claim& claim) override;
    Result<EffectVerdict> begin(
        const std::string& effectId, Fence fence, const KeyLives& lives, Duration keep) override;
    // Whether the record's request has begun it, whatever came of that: in the present life of its key, or in one
    // before that had no outcome or is still remembered.
    Result<bool> isBegun(const std::string& effectId, const RecordId& record);
    Result<bool> done(const std::string& effectId, Fence fence, const std::optional<std::string>& ref) override;

    // Forgets effects whose requests may execute again. In a transaction of its own; answers how many.
    Result<int> purge(int batch);

private:
    Result<std::optional<Fence>> pastFence(const Bytes& effectId, const KeyLives& lives);

    Connection& m_connection;
    StoreClock m_clock;
};

} // namespace fencepost::store

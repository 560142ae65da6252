// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/ids.h"
#include "core/result.h"
#include "core/store.h"
#include "core/time.h"

namespace fencepost {

enum class EffectTurn {
    Do, // carry it out, in this transaction
    AlreadyDone, // it was carried out; `ref` says as what
    NewerOwner, // somebody with a higher fence is at it: roll back
};

struct EffectVerdict {
    EffectTurn turn = EffectTurn::NewerOwner;
    std::optional<std::string> ref = {};
};

// The table `effects` beside the business tables: begin and done are part of the caller's business transaction, so that
// an effect happens once even where the idempotency record is lost. Used by one thread, in an open transaction only.
class EffectGuard {
public:
    virtual ~EffectGuard() = default;

    // Whether the record is still this claim's, and stays so until the transaction ends: asked behind the effect's own
    // writes, it keeps what a fenced owner did from being committed. For records of the same database.
    virtual Result<bool> owns(const Claim& claim) = 0;
    // `effectId`: Execution::effectId(). `lives`: Execution::lives(). What was done longer ago than it was to be
    // remembered is repeated where an earlier life of the key did it, and had an outcome; whoever goes on with a record
    // finds what an attempt before him did, for as long as that record is not at its end, and where nobody knows when
    // its life began, whatever there is. `keep`: from now on, also of what was done before; as long as the record's
    // TTL, or RoutePolicy's for financial scopes.
    virtual Result<EffectVerdict> begin(
        const std::string& effectId, Fence fence, const KeyLives& lives, Duration keep) = 0;
    // False: another fence is at it by now, so roll back. `ref`: what stands for the effect, a business row's id.
    virtual Result<bool> done(const std::string& effectId, Fence fence, const std::optional<std::string>& ref) = 0;
};

} // namespace fencepost

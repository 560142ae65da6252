// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/lab/cashier_parts.h"
#include "app/lab/work.h"
#include "core/service/execution.h"
#include "core/store/sql_effect_guard.h"

namespace fencepost::app {

// Does each effect of a request once, with everything that belongs to it in one transaction. Used by one thread.
class EffectsOnce {
public:
    struct Effect {
        std::string_view step;
        std::function<Result<Work>(const std::string& effectId)> work;
        std::function<Result<Work>(const std::string& ref)> recall; // of one that is done
    };

    // All of it outlives this; `drawn`: of the request that is in work.
    EffectsOnce(const CashierParts& parts, Books& books, const FaultsOfRequest& drawn);

    Handled once(Execution& execution, const Effect& effect);

    // The same in pieces, for what takes several transactions.

    // Before the first attempt: where the key was used before, and both the record and the effect of then are
    // forgotten, the rows of then make room.
    Status makeRoom(Execution& execution, const std::string& effectId);
    // None: it is this execution's turn to carry the effect out.
    Result<std::optional<Work>> doneBefore(Execution& execution, const std::string& effectId,
        const std::function<Result<Work>(const std::string&)>& recalled);
    // What `body` has written is committed, unless it is refused.
    Result<Work> committed(const std::function<Result<Work>()>& body);
    [[nodiscard]] EffectGuard& guard() { return m_guard; }

private:
    Handled unguarded(const Effect& effect);
    Result<EffectVerdict> begin(const Claim& claim, const std::string& effectId, const KeyLives& lives);
    Result<Work> guarded(Execution& execution, const Effect& effect);

    const CashierParts& m_parts;
    Books& m_books;
    const FaultsOfRequest& m_drawn;
    store::SqlEffectGuard m_guard;
};

[[nodiscard]] Error newerOwner();

} // namespace fencepost::app

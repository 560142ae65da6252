// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>

#include "core/backend.h"
#include "core/operations/plan.h"
#include "ui/page.h"

namespace fencepost::ui {

// Where a plan that was frozen before comes from.
enum class PlanSource { Interrupted, File };

// What the dialog of a plan is about: an operation on chosen rows, an earlier request that is taken back, or a plan
// that was frozen before.
struct PlanSubject {
    const Operation* operation = nullptr; // null: an undo
    Selection selection;
    QString requestId = {}; // of the undone request, or of the frozen plan
    std::optional<PlanSource> source = std::nullopt; // none: the plan is made here

    [[nodiscard]] const Binding& binding() const { return selection.binding; }
    // What the profile's own action asks for in this table.
    [[nodiscard]] std::vector<ActionParameter> askedFor() const;
    [[nodiscard]] QString title() const; // "Fence owner", "Undo"
    [[nodiscard]] QString action(std::int64_t count) const; // "Fence 3 owners", "Undo 3 changes"
    [[nodiscard]] QString scope() const; // "3 chosen rows of orders."

    // How it is made anew; not of a frozen one.
    struct Asked {
        std::map<std::string, std::string> parameters;
        std::string actor;
        std::function<bool(const Row& row)> isFinancial = {};
    };
    [[nodiscard]] std::function<Result<Plan>(Backend&)> making(const Asked& asked) const;
};

} // namespace fencepost::ui

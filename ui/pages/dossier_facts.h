// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/inspector.h"
#include "core/messaging/delivery_attempt.h"
#include "models/ownership.h"
#include "models/zone.h"
#include "ui/widgets/field_list.h"

namespace fencepost::ui {

// What the dossier says about one record, as text; tested without a window.
[[nodiscard]] std::vector<FactLine> factsOf(const Row& row, Kind kind, const models::Zone& zone, Time now);
// Who looks after it, and whether it is a known issue.
[[nodiscard]] std::vector<FactLine> ownershipFacts(const models::Ownership& known, const models::Zone& zone, Time now);
// "Lease ends in 42s", "Lease ended 7m 12s ago by the database's clock"; empty: it has none.
[[nodiscard]] QString leaseSentence(const Row& row, Time now);
// The newest failure first: the row's own error, or why it is held.
[[nodiscard]] QString lastError(const RowDetails& details);

// The payload of a message that is the list of its failed attempts.
inline constexpr std::string_view failedDeliveriesName = "failed_attempts";
// The attempts of a message that failed, of all its lives. None: there is no such list. Corrupt: it cannot be read, or
// is longer than what was read of it.
[[nodiscard]] Result<std::optional<std::vector<DeliveryAttempt>>> failedDeliveries(const RowDetails& details);

// One acquisition of the record, as its journal tells it.
struct Attempt {
    int number = 0;
    std::string owner;
    Fence fence;
    Time startedAt;
    std::optional<Time> endedAt; // none: still running, or the worker died
    std::string endState; // IN_PROGRESS: nothing ended it
    std::string reason;

    bool operator==(const Attempt&) const = default;
};
[[nodiscard]] std::vector<Attempt> attemptsOf(const std::vector<JournalEntry>& journal);

} // namespace fencepost::ui

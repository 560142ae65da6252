// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "core/query/row.h"
#include "models/rows_model.h"

namespace fencepost::models {

// The tables of columns for rows of recognised tables.
[[nodiscard]] std::span<const Column<Row>> recordColumns() noexcept;
[[nodiscard]] std::span<const Column<Row>> inboxColumns() noexcept;

[[nodiscard]] Identity identityOf(const Row& row);
// Why it is stuck, in one sentence, from the row's own lease and the database's clock. Empty: it is not.
[[nodiscard]] QString stuckSentence(const Row& row, Time now);

} // namespace fencepost::models

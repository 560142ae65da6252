// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "core/query/row.h"
#include "models/rows_model.h"

namespace fencepost::models {

// The tables of columns for rows of recognised tables.
[[nodiscard]] std::span<const Column<Row>> recordColumns() noexcept;
[[nodiscard]] std::span<const Column<Row>> inboxColumns() noexcept;
[[nodiscard]] std::span<const Column<Row>> outboxColumns() noexcept;
[[nodiscard]] std::span<const Column<Row>> letterColumns() noexcept;

[[nodiscard]] std::span<const Column<Row>> columnsOf(Kind kind) noexcept;
// The text of a column in a file, which is read later and by programs: instants instead of distances, to the
// microsecond, and figures alone.
[[nodiscard]] QString fileText(const Column<Row>& column, const Row& row, const Display& display);

[[nodiscard]] Identity identityOf(const Row& row);
// Why it is stuck, in one sentence, from the row's own lease and the database's clock. Empty: it is not.
[[nodiscard]] QString stuckSentence(const Row& row, Time now);
// Why it is held: the protocol's own words as a sentence for whoever reads them for the first time, a person's as they
// are. Empty: it is not, or nobody said.
[[nodiscard]] QString holdSentence(const Row& row);

} // namespace fencepost::models

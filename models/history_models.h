// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/list_model.h"

namespace fencepost::models {

// The state changes of one record, as its journal has them.
class JournalModel final : public ListModel<JournalEntry> {
    Q_OBJECT

public:
    explicit JournalModel(QObject* parent = nullptr);

protected:
    [[nodiscard]] QVariant mark(const JournalEntry& entry, int role) const override;
};

// Refused arrivals for one record: mismatches and calls of fenced owners.
class ConflictsModel final : public ListModel<Conflict> {
    Q_OBJECT

public:
    explicit ConflictsModel(QObject* parent = nullptr);
};

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/list_model.h"
#include "models/trail_search.h"

namespace fencepost::models {

// One row of a trail, or a run of a plan.
struct TrailEntry {
    QString connection;
    std::string binding;
    Kind kind = Kind::Idempotency;
    Row row; // of a run: its request id as key and identity, its phase as state
    bool isRun = false;
    bool isFound = false; // by the id itself; else linked to what was
    std::string by;
};

[[nodiscard]] std::vector<TrailEntry> entriesOf(const TrailAnswer& answer);

// The rows that an id leads to, then those that hang together with them.
class TrailModel final : public ListModel<TrailEntry> {
    Q_OBJECT

public:
    explicit TrailModel(QObject* parent = nullptr);

    void reload() override { }
    void refresh() override { }
    [[nodiscard]] bool loading() const override { return false; }

protected:
    [[nodiscard]] QVariant mark(const TrailEntry& entry, int role) const override;
};

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/forensics/invariant.h"
#include "models/list_model.h"

namespace fencepost::models {

// The rows of one violation: the first of them, as many as it names.
class BrokenRowsModel final : public ListModel<BrokenRow> {
    Q_OBJECT

public:
    explicit BrokenRowsModel(QObject* parent = nullptr);
};

} // namespace fencepost::models

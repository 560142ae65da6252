// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/page_model.h"

namespace fencepost::models {

// Idempotency keys: the rows of Keys and, with the filter `stuck`, of Stuck.
class RecordsModel final : public PageModel {
    Q_OBJECT

public:
    explicit RecordsModel(StoreThread& thread, QObject* parent = nullptr);
};

} // namespace fencepost::models

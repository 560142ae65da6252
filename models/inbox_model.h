// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/page_model.h"

namespace fencepost::models {

// Messages that a consumer has received.
class InboxModel final : public PageModel {
    Q_OBJECT

public:
    explicit InboxModel(StoreThread& thread, QObject* parent = nullptr);
};

} // namespace fencepost::models

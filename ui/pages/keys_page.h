// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/table_page.h"

namespace fencepost::ui {

// All idempotency keys of a table.
class KeysPage final : public TablePage {
    Q_OBJECT
public:
    explicit KeysPage(PageContext& context, QWidget* parent = nullptr);
};

[[nodiscard]] Page* makeKeysPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui

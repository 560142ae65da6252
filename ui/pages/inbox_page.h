// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/table_page.h"

namespace fencepost::ui {

// Messages that consumers received, for reading only.
class InboxPage final : public TablePage {
    Q_OBJECT
public:
    explicit InboxPage(PageContext& context, QWidget* parent = nullptr);
};

[[nodiscard]] Page* makeInboxPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui

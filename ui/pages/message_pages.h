// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/table_page.h"

namespace fencepost::ui {

// Messages that consumers received, that relays send, and that were given up: for reading only.
[[nodiscard]] Page* makeInboxPage(PageContext& context, QWidget* parent);
[[nodiscard]] Page* makeOutboxPage(PageContext& context, QWidget* parent);
[[nodiscard]] Page* makeDeadLettersPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui

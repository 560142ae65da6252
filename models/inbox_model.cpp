// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/inbox_model.h"

namespace fencepost::models {

InboxModel::InboxModel(StoreThread& thread, QObject* parent)
    : PageModel(inboxColumns(), thread, parent)
{
}

} // namespace fencepost::models

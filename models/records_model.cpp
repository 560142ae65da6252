// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/records_model.h"

namespace fencepost::models {

RecordsModel::RecordsModel(StoreThread& thread, QObject* parent)
    : PageModel(recordColumns(), thread, parent)
{
}

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/keys_page.h"

#include "models/records_model.h"

namespace fencepost::ui {

KeysPage::KeysPage(PageContext& context, QWidget* parent)
    : TablePage(
        context,
        { .id = "keys", .rows = tr("keys"), .one = tr("key"), .order = QStringLiteral("created"), .strip = true },
        [](models::StoreThread& reads, QObject* owner) -> models::PageModel* {
            return new models::RecordsModel(reads, owner);
        },
        parent)
{
}

Page* makeKeysPage(PageContext& context, QWidget* parent)
{
    return new KeysPage(context, parent);
}

} // namespace fencepost::ui

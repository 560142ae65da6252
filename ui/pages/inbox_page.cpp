// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/inbox_page.h"

#include "models/inbox_model.h"

namespace fencepost::ui {

InboxPage::InboxPage(PageContext& context, QWidget* parent)
    : TablePage(
        context,
        { .id = "inbox",
            .kind = Kind::Inbox,
            .rows = tr("messages"),
            .one = tr("message"),
            .order = QStringLiteral("created"),
            .chips = { .stuck = true,
                .arrivals = false,
                .states = false,
                .example = tr("Filter: state = FAILED and age > 5m") },
            .operations = false },
        [](models::StoreThread& reads, QObject* owner) -> models::PageModel* {
            return new models::InboxModel(reads, owner);
        },
        parent)
{
}

Page* makeInboxPage(PageContext& context, QWidget* parent)
{
    return new InboxPage(context, parent);
}

} // namespace fencepost::ui

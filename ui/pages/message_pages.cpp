// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/message_pages.h"

#include "models/row_columns.h"

namespace fencepost::ui {

namespace {

template <auto columns> models::PageModel* makeModel(models::StoreThread& reads, QObject* owner)
{
    return new models::PageModel(columns(), reads, owner);
}

} // namespace

Page* makeInboxPage(PageContext& context, QWidget* parent)
{
    return new TablePage(context,
        { .id = "inbox",
            .kind = Kind::Inbox,
            .rows = TablePage::tr("messages"),
            .one = TablePage::tr("message"),
            .order = QStringLiteral("created"),
            .chips = { .stuck = true,
                .arrivals = false,
                .states = false,
                .example = TablePage::tr("Filter: state = FAILED and age > 5m") },
            .operations = false },
        makeModel<models::inboxColumns>, parent);
}

Page* makeOutboxPage(PageContext& context, QWidget* parent)
{
    return new TablePage(context,
        { .id = "outbox",
            .kind = Kind::Outbox,
            .rows = TablePage::tr("messages"),
            .one = TablePage::tr("message"),
            .order = QStringLiteral("created"),
            .chips = { .stuck = true,
                .arrivals = false,
                .states = false,
                .example = TablePage::tr("Filter: state = PENDING and age > 5m") },
            .operations = false },
        makeModel<models::outboxColumns>, parent);
}

Page* makeDeadLettersPage(PageContext& context, QWidget* parent)
{
    return new TablePage(context,
        { .id = "dlq",
            .kind = Kind::DeadLetter,
            .rows = TablePage::tr("dead letters"),
            .one = TablePage::tr("dead letter"),
            .order = QStringLiteral("created"),
            .chips = { .stuck = false,
                .arrivals = false,
                .states = false,
                .example = TablePage::tr("Filter: state = DEAD and error ~ timeout") },
            .operations = false },
        makeModel<models::letterColumns>, parent);
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/message_pages.h"

#include "models/row_columns.h"

namespace fencepost::ui {

namespace {

template <auto columns> models::PageModel* makeModel(models::StoreThread& reads, QObject* owner)
{
    return new models::PageModel(columns(), reads, owner);
}

TablePage::Traits messages(
    const char* id, Kind kind, const QString& rows, const QString& one, bool stuck, const QString& example)
{
    return { .id = id,
        .kind = kind,
        .rows = rows,
        .one = one,
        .order = QStringLiteral("created"),
        .chips = { .stuck = stuck, .arrivals = false, .states = false, .example = example },
        // What is on its way is its relay's and its consumer's; what was given up is the operator's.
        .operations = kind == Kind::DeadLetter };
}

} // namespace

Page* makeInboxPage(PageContext& context, QWidget* parent)
{
    return new TablePage(context,
        messages("inbox", Kind::Inbox, TablePage::tr("messages"), TablePage::tr("message"), true,
            TablePage::tr("Filter: state = FAILED and age > 5m")),
        makeModel<models::inboxColumns>, parent);
}

Page* makeOutboxPage(PageContext& context, QWidget* parent)
{
    return new TablePage(context,
        messages("outbox", Kind::Outbox, TablePage::tr("messages"), TablePage::tr("message"), true,
            TablePage::tr("Filter: state = PENDING and age > 5m")),
        makeModel<models::outboxColumns>, parent);
}

Page* makeDeadLettersPage(PageContext& context, QWidget* parent)
{
    return new TablePage(context,
        messages("dlq", Kind::DeadLetter, TablePage::tr("dead letters"), TablePage::tr("dead letter"), false,
            TablePage::tr("Filter: state = DEAD and error ~ timeout")),
        makeModel<models::letterColumns>, parent);
}

} // namespace fencepost::ui

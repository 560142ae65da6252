// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/message_pages.h"

#include <QPushButton>

#include "core/messaging/letter_group_limit.h"
#include "core/operations/operation.h"
#include "models/backlog_model.h"
#include "models/filter_term.h"
#include "models/letter_groups_model.h"
#include "models/row_columns.h"
#include "models/session.h"
#include "ui/widgets/row_panel.h"
#include "ui/words.h"

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

OutboxPage::OutboxPage(PageContext& pageContext, QWidget* parent)
    : PanelPage(pageContext,
        messages(
            "outbox", Kind::Outbox, tr("messages"), tr("message"), true, tr("Filter: state = PENDING and age > 5m")),
        makeModel<models::outboxColumns>, tr("Backlog"), parent)
{
    if (!context().session)
        return;
    m_backlog = new models::BacklogModel(context().session->reads(), this);
    setPanelModel(m_backlog, tr("blocked heads"));
}

void OutboxPage::bind(const models::BindingPtr& binding)
{
    m_backlog->setBinding(binding);
}

QString OutboxPage::summaryOf() const
{
    const auto& backlog = m_backlog->backlog();
    if (!backlog)
        return tr("Being counted…");
    if (backlog->pending + backlog->sending == 0 && backlog->blockedKeys == 0)
        return tr("Everything was sent.");
    QStringList parts{ tr("%1 to send").arg(numberText(backlog->pending + backlog->sending)) };
    if (backlog->oldest)
        parts += tr("the oldest is of %1").arg(models::relativeText(*backlog->oldest, backlog->now));
    parts += backlog->lag() > Duration::zero()
        ? tr("lag %1, %2 due").arg(models::durationText(backlog->lag()), numberText(backlog->due))
        : tr("none is due");
    parts += backlog->blockedKeys == 0
        ? tr("nothing is blocked")
        : tr("%1 wait behind %2")
              .arg(numberText(backlog->blockedMessages),
                  counted(backlog->blockedKeys, tr("blocked head"), tr("blocked heads")));
    if (backlog->disabledDestinations > 0)
        parts += counted(backlog->disabledDestinations, tr("destination is disabled"), tr("destinations are disabled"));
    return parts.join(QStringLiteral(" · "));
}

QString OutboxPage::filterOf(int row) const
{
    const auto& key = m_backlog->rowAt(row);
    return models::equalTerm(Field::Queue, key.destination) + QStringLiteral(" and ")
        + models::equalTerm(Field::OrderKey, key.orderingKey) + QStringLiteral(" and not state = SENT");
}

DeadLettersPage::DeadLettersPage(PageContext& pageContext, QWidget* parent)
    : PanelPage(pageContext,
        messages("dlq", Kind::DeadLetter, tr("dead letters"), tr("dead letter"), false,
            tr("Filter: state = DEAD and error ~ timeout")),
        makeModel<models::letterColumns>, tr("Failures"), parent)
    , m_replay(panel().addButton({}))
{
    m_replay->hide();
    if (!context().session)
        return;
    m_groups = new models::LetterGroupsModel(context().session->reads(), this);
    setPanelModel(m_groups, tr("failures"));
    connect(m_replay, &QPushButton::clicked, this, &DeadLettersPage::replayGroup);
}

void DeadLettersPage::bind(const models::BindingPtr& binding)
{
    m_groups->setBinding(binding);
}

QString DeadLettersPage::summaryOf() const
{
    if (!m_groups->loadedAt())
        return tr("Being counted…");
    std::int64_t waiting = 0;
    std::int64_t lastHour = 0;
    std::int64_t since = 0;
    bool replayed = false;
    for (int row = 0; row < m_groups->rowCount(); ++row) {
        const auto& group = m_groups->rowAt(row);
        waiting += group.dead;
        lastHour += group.lastHour;
        since += group.sinceReplay;
        replayed = replayed || group.replayedAt;
    }
    if (m_groups->rowCount() == 0)
        return tr("Nothing has died.");
    const bool all = std::size_t(m_groups->rowCount()) < mostLetterGroups;
    QStringList parts{ all ? counted(m_groups->rowCount(), tr("kind of failure"), tr("kinds of failure"))
                           : tr("The %1 most frequent kinds of failure").arg(numberText(m_groups->rowCount())),
        all ? tr("%1 waiting for a decision").arg(numberText(waiting))
            : tr("%1 of them waiting for a decision").arg(numberText(waiting)),
        tr("%1 in the last hour").arg(numberText(lastHour)) };
    if (replayed)
        parts += tr("%1 new since their replay").arg(numberText(since));
    return parts.join(QStringLiteral(" · "));
}

QString DeadLettersPage::filterOf(int row) const
{
    return models::equalTerm(Field::Group, m_groups->rowAt(row).fingerprint);
}

void DeadLettersPage::panelMoved()
{
    const int row = panel().currentRow();
    const bool any = row >= 0 && row < m_groups->rowCount() && m_groups->rowAt(row).dead > 0;
    m_replay->setVisible(any);
    if (any)
        m_replay->setText(m_groups->rowAt(row).dead == 1
                ? tr("Replay the group’s 1…")
                : tr("Replay the group’s %1…").arg(numberText(m_groups->rowAt(row).dead)));
}

// Everything that matches when the plan is made, not only what was counted.
void DeadLettersPage::replayGroup()
{
    const int row = panel().currentRow();
    if (row < 0 || row >= m_groups->rowCount() || !model()->binding())
        return;
    Selection group;
    group.binding = *model()->binding();
    group.all = true;
    group.filter = filterOf(row) + QStringLiteral(" and state = DEAD");
    group.matching = { m_groups->rowAt(row).dead, Exactness::Exact };
    context().navigation.plan(*findOperation("replay"), group);
}

Page* makeOutboxPage(PageContext& context, QWidget* parent)
{
    return new OutboxPage(context, parent);
}

Page* makeDeadLettersPage(PageContext& context, QWidget* parent)
{
    return new DeadLettersPage(context, parent);
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/table_list.h"

#include <QHeaderView>
#include <QSignalBlocker>

#include "ui/theme.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

enum Column { Table, KindColumn, Profile, Rows, Stuck, Held, Certainty, columnTotal };

const char* iconOf(Kind kind)
{
    return kind == Kind::Inbox     ? "inbox"
        : kind == Kind::Outbox     ? "outbox"
        : kind == Kind::DeadLetter ? "letters"
                                   : "keys";
}

} // namespace

QString kindText(Kind kind)
{
    switch (kind) {
    case Kind::Idempotency:
        return TableList::tr("Idempotency keys");
    case Kind::Inbox:
        return TableList::tr("Inbox");
    case Kind::Outbox:
        return TableList::tr("Outbox");
    case Kind::DeadLetter:
        return TableList::tr("Dead letters");
    case Kind::Job:
        return TableList::tr("Jobs");
    case Kind::Lock:
        return TableList::tr("Locks");
    }
    return {};
}

TableList::TableList(const Theme& theme, QWidget* parent)
    : QTableWidget(0, columnTotal, parent)
    , m_theme(theme)
{
    setHorizontalHeaderLabels(
        { tr("Table"), tr("Kind"), tr("Profile"), tr("Rows"), tr("Stuck"), tr("Held"), tr("Count") });
    setAccessibleName(tr("Recognised tables"));
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(32);
    setShowGrid(false);
    setWordWrap(false); // the names of two rows would touch
    setEditTriggers(NoEditTriggers);
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setTabKeyNavigation(false);
    setFrameShape(NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setSectionResizeMode(Table, QHeaderView::Stretch);
    horizontalHeader()->setSectionResizeMode(Profile, QHeaderView::Stretch);
    static constexpr std::pair<int, int> widths[] = { { KindColumn, 144 }, { Rows, 96 }, { Stuck, 72 }, { Held, 72 },
        { Certainty, 88 } };
    for (const auto& [column, width] : widths)
        setColumnWidth(column, width);
    for (const int column : { Rows, Stuck, Held })
        horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (const int column : { Table, KindColumn, Profile, Certainty })
        horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(this, &QTableWidget::currentCellChanged, this, [this](int row) {
        if (row >= 0 && item(row, Table))
            Q_EMIT chosen(item(row, Table)->data(Qt::UserRole).toString());
    });
}

void TableList::show(const std::vector<models::OverviewEntry>& entries, const QString& current)
{
    const QSignalBlocker quiet(this);
    setRowCount(static_cast<int>(entries.size()));
    for (int row = 0; row < rowCount(); ++row) {
        const models::OverviewEntry& entry = entries[static_cast<std::size_t>(row)];
        showRow(row, entry);
        if (text(entry.binding->name) == current && currentRow() != row)
            setCurrentCell(row, Table);
    }
    setFixedHeight(horizontalHeader()->sizeHint().height() + rowCount() * 32 + 4);
}

void TableList::showRow(int row, const models::OverviewEntry& entry)
{
    const Binding& binding = *entry.binding;
    const auto put = [this, row](int column, const QString& words, Role role = Role::Text) {
        QTableWidgetItem* cell = item(row, column);
        if (!cell) {
            cell = new QTableWidgetItem;
            setItem(row, column, cell);
        }
        cell->setText(words);
        cell->setForeground(m_theme.color(role));
        if (column == Rows || column == Stuck || column == Held) {
            cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            cell->setFont(m_theme.font(Text::Mono));
        }
        return cell;
    };
    QTableWidgetItem* name = put(Table, text(binding.name));
    name->setData(Qt::UserRole, text(binding.name));
    name->setIcon(m_theme.icon(iconOf(binding.kind), Role::Muted));
    QStringList warnings;
    for (const std::string& warning : binding.warnings)
        warnings += withStop(sentence(warning));
    name->setToolTip(plainToolTip(warnings.join(QLatin1Char('\n'))));
    put(KindColumn, kindText(binding.kind), Role::Muted);
    put(Profile, text(binding.title), Role::Muted)->setToolTip(plainToolTip(text(binding.title)));
    if (!entry.counts) {
        put(Rows, {});
        put(Stuck, {});
        put(Held, {});
        put(Certainty,
            entry.error            ? tr("failed")
                : !binding.canRead ? tr("no right")
                                   : tr("counting"),
            entry.error ? Role::Danger : Role::Muted);
        return;
    }
    const Counts& counts = *entry.counts;
    const auto held = counts.byState.find("HELD");
    put(Rows, countText(counts.total));
    put(Stuck, countText(counts.stuck), counts.stuck.value > 0 ? Role::Warning : Role::Muted);
    const Count holds = held != counts.byState.end()
        ? held->second
        : Count{ 0, binding.mayHideRows ? Exactness::AtLeast : Exactness::Exact };
    put(Held, countText(holds), holds.value == 0 ? Role::Muted : Role::Held);
    put(Certainty, exactnessText(counts.total.exactness), Role::Muted)
        ->setToolTip(tr("Counted in %1").arg(text(formatDuration(counts.cost.time))));
    // Rows that nobody knows how to read are said before how exactly they were counted.
    const auto unknown = counts.byState.find("UNKNOWN");
    if (unknown != counts.byState.end() && unknown->second.value > 0)
        put(Certainty, tr("%1 UNKNOWN").arg(countText(unknown->second)), Role::Warning)
            ->setToolTip(tr("Their state is one that the profile does not know."));
}

} // namespace fencepost::ui

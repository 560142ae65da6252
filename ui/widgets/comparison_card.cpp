// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/comparison_card.h"

#include <algorithm>

#include <QBoxLayout>
#include <QHeaderView>

#include "ui/theme.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_table.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

enum Column { StateColumn, CreatedColumn, BeforeColumn, ChangeColumn };

Count countOf(const Counts& counts, const std::string& state)
{
    const auto found = counts.byState.find(state);
    // A state that nothing has is as certain as all of them together.
    return found == counts.byState.end() ? Count{ 0, counts.total.exactness } : found->second;
}

// A minimum says nothing of how far apart two counts are.
QString changeText(const Count& now, const Count& before)
{
    if (now.exactness == Exactness::AtLeast || before.exactness == Exactness::AtLeast)
        return QStringLiteral("–");
    const auto change = now.value - before.value;
    if (change == 0)
        return QStringLiteral("0");
    return (change > 0 ? QStringLiteral("+") : QStringLiteral("−")) + numberText(std::abs(change));
}

QString secondsText(const models::Zone& zone, Time time)
{
    return zone.format(time, models::Precision::Seconds);
}

} // namespace

ComparisonCard::ComparisonCard(const Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_sentence(new PlainLabel(this))
    , m_caption(new PlainLabel(this))
    , m_table(new PlainTable(theme,
          { { .title = tr("State now"), .width = 0, .state = true },
              { .title = tr("Created"), .width = 72, .number = true },
              { .title = tr("Before"), .width = 72, .number = true },
              { .title = tr("Change"), .width = 72, .number = true } },
          this))
{
    setPart(this, "card");
    m_sentence->setFont(theme.font(Text::Section));
    m_sentence->setWordWrap(true);
    m_caption->setFont(theme.font(Text::Caption));
    m_caption->setWordWrap(true);
    setTone(m_caption, "muted");
    m_table->setAccessibleName(tr("Created in this time and in the time before it, by state"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::large, space::medium, space::large, space::medium);
    layout->setSpacing(space::tiny);
    layout->addWidget(m_sentence);
    layout->addWidget(m_caption);
    layout->addWidget(m_table);
    layout->addStretch();
    connect(m_table, &QTableWidget::cellClicked, this, &ComparisonCard::choose);
    connect(m_table, &QTableWidget::cellActivated, this, &ComparisonCard::choose);
    show({}, {}, false, models::Zone::utc());
}

void ComparisonCard::say(const QString& sentence, const QString& caption)
{
    m_sentence->setText(sentence);
    m_caption->setText(caption);
}

void ComparisonCard::show(const std::optional<models::Comparison>& comparison, const std::vector<std::string>& states,
    bool frozen, const models::Zone& zone)
{
    m_comparison = comparison;
    m_states.clear();
    const bool counted = comparison && comparison->skipped.isEmpty();
    m_table->setVisible(counted);
    const auto name = frozen ? tr("The frozen time and the time before it") : tr("The last hour and the hour before");
    if (!counted)
        return say(name, comparison ? comparison->skipped : tr("Counting"));
    const auto& now = comparison->counts;
    const auto& before = comparison->before;
    std::vector<QStringList> lines;
    const auto add = [&](const QString& word, const Count& is, const Count& was) {
        lines.push_back({ word, countText(is), countText(was), changeText(is, was) });
    };
    // The lines sum up to the totals above them, whatever the states are called.
    auto all = states;
    for (const auto* counts : { &now, &before })
        for (const auto& [state, unused] : counts->byState)
            if (std::find(all.begin(), all.end(), state) == all.end())
                all.push_back(state);
    for (const auto& state : all) {
        const auto is = countOf(now, state);
        const auto was = countOf(before, state);
        if (is.value == 0 && was.value == 0)
            continue;
        m_states.push_back(state);
        add(text(state), is, was);
    }
    m_table->setLines(lines);
    m_table->setVisible(!lines.empty());
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() + m_table->verticalHeader()->length()
        + 2 * m_table->frameWidth());
    const auto caption =
        tr("Created from %1 to %2, by the state that they have now")
            .arg(secondsText(zone, comparison->range.from), secondsText(zone, comparison->range.until));
    const auto rows = tr("%1 %2 in %3")
                          .arg(countText(now.total), now.total.value == 1 ? tr("row") : tr("rows"),
                              frozen ? tr("the frozen time") : tr("the last hour"));
    const auto earlier = frozen ? tr("the time before it") : tr("the hour before");
    const auto change = now.total.value - before.total.value;
    if (changeText(now.total, before.total) == QStringLiteral("–"))
        return say(tr("%1, %2 in %3").arg(rows, countText(before.total), earlier), caption);
    if (change == 0)
        return say(tr("%1, as many as in %2").arg(rows, earlier), caption);
    say((change > 0 ? tr("%1, %2 more than in %3") : tr("%1, %2 fewer than in %3"))
            .arg(rows, numberText(std::abs(change)), earlier),
        caption);
}

QString ComparisonCard::sentence() const
{
    return m_sentence->text();
}

void ComparisonCard::choose(int row, int column)
{
    if (!m_comparison || row < 0 || std::size_t(row) >= m_states.size())
        return;
    const auto range = column == BeforeColumn ? stretchBefore(m_comparison->range) : m_comparison->range;
    Q_EMIT chosen(
        QStringLiteral("created >= %1 and created < %2 and state = %3")
            .arg(text(formatInstant(range.from)), text(formatInstant(range.until)), text(m_states[std::size_t(row)])));
}

} // namespace fencepost::ui

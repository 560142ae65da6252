// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/filter_bar.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>

#include "ui/theme.h"
#include "ui/widgets/filter_field.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/words.h"

namespace fencepost::ui {

FilterBar::FilterBar(const Theme& theme, Chips wanted, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_tables(new QComboBox(this))
    , m_field(new FilterField(theme, this))
    , m_mistake(new QLabel(this))
    , m_summary(new QLabel(this))
    , m_views(new QMenu(this))
    , m_columns(new QMenu(this))
    , m_chipRow(new QWidget(this))
{
    m_tables->setAccessibleName(tr("Table"));
    m_tables->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_tables->setMaximumWidth(280);
    m_mistake->setTextFormat(Qt::PlainText);
    m_summary->setTextFormat(Qt::PlainText);
    setTone(m_mistake, "danger");
    setTone(m_summary, "muted");
    m_mistake->setFont(theme.font(Text::Caption));
    m_summary->setFont(theme.font(Text::Caption));

    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addWidget(m_tables);
    line->addWidget(m_field, 1);
    auto* views = addTool(tr("Views"), "bookmark", tr("Saved views"));
    views->setMenu(m_views);
    auto* columns = addTool(tr("Columns"), "columns", tr("Which columns are shown"));
    columns->setMenu(m_columns);
    auto* statement = addTool(tr("SQL"), "code", tr("Show the statement and the plan that the database chose"));
    for (auto* tool : { views, columns, statement }) {
        tool->setPopupMode(QToolButton::InstantPopup);
        line->addWidget(tool);
    }

    auto* chips = new QHBoxLayout(m_chipRow);
    chips->setContentsMargins(0, 0, 0, 0);
    chips->setSpacing(space::tiny);
    if (wanted.stuck)
        addChip(tr("Stuck"), tr("In progress, its lease is past"), "stuck", Flag::Stuck, {});
    addChip(tr("Held"), tr("Waits for a person"), "state-held", Flag::Held, {});
    addChip(tr("Conflict"), tr("Refused arrivals are recorded for the key"), "conflicts", Flag::Conflict, {});
    if (wanted.states)
        for (const auto state : { State::InProgress, State::Succeeded, State::FailedRetryable, State::FailedFinal })
            addChip(stateLook(wordOf(state)).word, {}, stateLook(wordOf(state)).icon, std::nullopt,
                std::string(wordOf(state)));
    auto* below = new QHBoxLayout;
    below->setSpacing(space::medium);
    below->addWidget(m_chipRow);
    below->addWidget(m_mistake, 1);
    below->addWidget(m_summary, 1);
    // A long message never widens the page; it is whole in its tooltip.
    for (auto* label : { m_mistake, m_summary }) {
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    m_mistake->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_mistake->hide();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::large, space::medium, space::large, space::small);
    layout->setSpacing(space::small);
    layout->addLayout(line);
    layout->addLayout(below);

    connect(m_field, &QLineEdit::returnPressed, this, [this] {
        if (!m_field->mistake())
            apply(m_field->text());
    });
    // The clear button is a decision already.
    connect(m_field, &QLineEdit::textChanged, this, [this](const QString& typed) {
        if (typed.isEmpty() && !m_filter.isEmpty() && m_field->hasFocus())
            apply({});
    });
    connect(m_field, &FilterField::mistakeChanged, this, &FilterBar::showMistake);
    connect(m_tables, &QComboBox::textActivated, this, &FilterBar::tableChosen);
    connect(statement, &QToolButton::clicked, this, &FilterBar::statementAsked);
    setTables({}, {});
}

QToolButton* FilterBar::addTool(const QString& title, const char* icon, const QString& tip)
{
    auto* tool = new QToolButton(this);
    setKind(tool, "button");
    tool->setText(title);
    tool->setIcon(m_theme.icon(icon));
    tool->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    tool->setToolTip(tip);
    tool->setAccessibleName(tip);
    return tool;
}

void FilterBar::addChip(
    const QString& title, const QString& tip, const char* icon, std::optional<Flag> flag, std::string state)
{
    auto* button = addTool(title, icon, tip.isEmpty() ? tr("Only %1").arg(title) : tip);
    setKind(button, "chip");
    button->setFont(m_theme.font(Text::Caption));
    button->setIconSize({ 14, 14 });
    button->setCheckable(true);
    m_chipRow->layout()->addWidget(button);
    const Chip chip{ button, flag, std::move(state) };
    connect(button, &QToolButton::clicked, this, [this, chip](bool on) { toggleChip(chip, on); });
    m_chips.push_back(chip);
}

void FilterBar::setTables(const QStringList& names, const QString& chosen)
{
    const QSignalBlocker blocker(m_tables);
    m_tables->clear();
    m_tables->addItems(names);
    m_tables->setCurrentText(chosen);
    m_tables->setVisible(names.size() > 1);
}

QString FilterBar::table() const
{
    return m_tables->currentText();
}

void FilterBar::setFilter(const QString& text)
{
    m_filter = text;
    if (m_field->text() != text)
        m_field->setText(text);
    showChips();
}

void FilterBar::setSummary(const QString& summary)
{
    m_summary->setText(summary);
}

QString FilterBar::summary() const
{
    return m_summary->text();
}

void FilterBar::toggleChip(const Chip& chip, bool on)
{
    const auto changed =
        chip.flag ? withFlag(m_field->text(), *chip.flag, on) : withState(m_field->text(), chip.state, on);
    if (changed)
        apply(*changed);
    else
        showChips();
}

void FilterBar::apply(const QString& text)
{
    setFilter(text);
    Q_EMIT filterApplied(text);
}

void FilterBar::showMistake()
{
    const auto& mistake = m_field->mistake();
    const auto words = mistake ? tr("at %1: %2").arg(mistake->at + 1).arg(mistake->message) : QString();
    m_mistake->setText(words);
    m_mistake->setToolTip(plainToolTip(words));
    m_mistake->setVisible(mistake.has_value());
    m_summary->setVisible(!mistake);
}

void FilterBar::showChips()
{
    const auto parsed = parseFilter(m_filter.toStdString());
    for (const auto& chip : m_chips) {
        const bool on = parsed && (chip.flag ? asksFor(*parsed, *chip.flag) : asksFor(*parsed, chip.state));
        chip.button->setChecked(on);
    }
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/filter_bar.h"

#include <algorithm>

#include <QBoxLayout>
#include <QComboBox>
#include <QMenu>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>

#include "ui/shown_states.h"
#include "ui/theme.h"
#include "ui/widgets/filter_field.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int shownTables = 24; // of the list that opens; more of them are scrolled

// A label that ends in an ellipsis instead of being cut.
class OneLine final : public PlainLabel {
public:
    using PlainLabel::PlainLabel;

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setPen(palette().color(foregroundRole()));
        painter.drawText(
            rect(), int(alignment()) | Qt::TextSingleLine, fontMetrics().elidedText(text(), Qt::ElideRight, width()));
    }
};

} // namespace

FilterBar::FilterBar(const Theme& theme, Chips wanted, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_tables(new QComboBox(this))
    , m_field(new FilterField(theme, this))
    , m_mistake(new OneLine(this))
    , m_summary(new OneLine(this))
    , m_views(new QMenu(this))
    , m_columns(new QMenu(this))
    , m_chipRow(new QWidget(this))
{
    m_tables->setAccessibleName(tr("Table"));
    m_tables->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_tables->setMaximumWidth(280);
    m_tables->setMaxVisibleItems(shownTables);
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
    m_tools = { views, columns, statement };
    for (auto* tool : m_tools) {
        if (tool->menu())
            tool->setPopupMode(QToolButton::InstantPopup);
        line->addWidget(tool);
    }

    auto* chips = new QHBoxLayout(m_chipRow);
    chips->setContentsMargins(0, 0, 0, 0);
    chips->setSpacing(space::tiny);
    if (wanted.stuck)
        addChip(tr("Stuck"), tr("In progress, its lease is past"), "stuck", Flag::Stuck);
    if (wanted.arrivals) {
        addChip(tr("Held"), tr("Waits for a person"), "state-held", Flag::Held);
        addChip(tr("Conflict"), tr("Refused arrivals are recorded for the key"), "conflicts", Flag::Conflict);
    }
    if (wanted.states)
        addStates();

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
    if (!wanted.example.isEmpty())
        m_field->setPlaceholderText(wanted.example);
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

void FilterBar::addChip(const QString& title, const QString& tip, const char* icon, Flag flag)
{
    auto* button = addTool(title, icon, tip);
    setKind(button, "chip");
    button->setFont(m_theme.font(Text::Caption));
    button->setIconSize({ 14 + space::tiny, 14 });
    button->setCheckable(true);
    m_chipRow->layout()->addWidget(button);
    connect(
        button, &QToolButton::clicked, this, [this, flag](bool on) { toggle(withFlag(m_field->text(), flag, on)); });
    m_chips.push_back({ button, flag });
}

void FilterBar::addStates()
{
    m_states = addTool(tr("State"), "state-in-progress", tr("Only rows of one state"));
    setKind(m_states, "chip");
    m_states->setFont(m_theme.font(Text::Caption));
    m_states->setIconSize({ 14, 14 });
    m_states->setPopupMode(QToolButton::InstantPopup);
    m_states->setCheckable(true);
    m_chipRow->layout()->addWidget(m_states);
    m_states->setMenu(new QMenu(m_states));
}

void FilterBar::fillStates(const std::vector<std::string>& states)
{
    const bool same = std::equal(states.begin(), states.end(), m_stateChoices.begin(), m_stateChoices.end(),
        [](const std::string& word, const StateChoice& choice) { return word == choice.state; });
    if (same)
        return;
    auto* menu = m_states->menu();
    menu->clear();
    m_stateChoices.clear();
    for (const std::string& word : states) {
        const auto look = stateLook(word);
        auto* action = menu->addAction(m_theme.icon(look.icon, look.role), look.word);
        action->setCheckable(true);
        connect(action, &QAction::triggered, this, [this, word](bool on) {
            auto changed = std::optional(m_field->text());
            // One state at a time: a row has no two.
            for (const auto& choice : m_stateChoices)
                if (changed && choice.state != word)
                    changed = withState(*changed, choice.state, false);
            toggle(changed ? withState(*changed, word, on) : changed);
        });
        m_stateChoices.push_back({ action, word });
    }
}

void FilterBar::setRows(const Binding& binding)
{
    for (const auto& chip : m_chips)
        chip.button->setVisible(chip.flag == Flag::Held ? tellsHolds(binding)
                : chip.flag == Flag::Conflict           ? tellsConflicts(binding)
                                                        : true);
    auto states = expectedStates(binding);
    states.emplace_back("UNKNOWN");
    QStringList words;
    for (const auto& state : states)
        words += text(state);
    m_field->setStates(words);
    if (m_states)
        fillStates(states);
    showChips();
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

// Nothing: the line has a mistake, and a chip must not guess what was meant.
void FilterBar::toggle(const std::optional<QString>& changed)
{
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
    for (const auto& chip : m_chips)
        chip.button->setChecked(parsed && asksFor(*parsed, chip.flag));
    if (!m_states)
        return;
    QString chosen;
    for (const auto& choice : m_stateChoices) {
        const bool on = parsed && asksFor(*parsed, choice.state);
        choice.action->setChecked(on);
        if (on)
            chosen = choice.action->text();
    }
    m_states->setChecked(!chosen.isEmpty());
    m_states->setText(chosen.isEmpty() ? tr("State") : chosen);
}

void FilterBar::fit()
{
    constexpr int roomForWords = 820;
    for (auto* tool : m_tools)
        setWords(*tool, width() >= roomForWords);
}

void FilterBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

} // namespace fencepost::ui

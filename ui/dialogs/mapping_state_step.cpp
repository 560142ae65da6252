// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/mapping_state_step.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedWidget>

#include "core/profile/words.h"
#include "core/redaction.h"
#include "models/mapping_draft.h"
#include "models/visible_text.h"
#include "ui/dialogs/field_name.h"
#include "ui/theme.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

using profile::StateStyle;

constexpr int longestWait = 30 * 24 * 60; // minutes

struct StyleWords {
    StateStyle style;
    const char* title;
    const char* note;
};

constexpr StyleWords styles[] = {
    { StateStyle::Values, QT_TRANSLATE_NOOP("MappingStateStep", "Words or numbers in a column"),
        QT_TRANSLATE_NOOP("MappingStateStep",
            "Say what each value means. A value that nobody explains is shown and counted as UNKNOWN.") },
    { StateStyle::NullResponse, QT_TRANSLATE_NOOP("MappingStateStep", "No response yet: in progress"),
        QT_TRANSLATE_NOOP("MappingStateStep",
            "A row is in progress until its response is there. Whether anybody still works on it, the table does not "
            "tell.") },
    { StateStyle::WriteOnce, QT_TRANSLATE_NOOP("MappingStateStep", "Written once, when the work is done"),
        QT_TRANSLATE_NOOP("MappingStateStep", "Every row is done. What is in progress is never visible here.") },
    { StateStyle::Instant, QT_TRANSLATE_NOOP("MappingStateStep", "An instant, set when it is done"),
        QT_TRANSLATE_NOOP("MappingStateStep", "A row waits until the instant is there.") },
    { StateStyle::Flag, QT_TRANSLATE_NOOP("MappingStateStep", "A flag, true when it is done"),
        QT_TRANSLATE_NOOP("MappingStateStep", "A row waits while the flag is false or missing.") },
};

} // namespace

MappingStateStep::MappingStateStep(const Theme& theme, models::MappingDraft& draft, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_draft(draft)
    , m_style(new QComboBox(this))
    , m_column(new QComboBox(this))
    , m_trap(new PlainLabel(this))
    , m_note(new PlainLabel(this))
    , m_banner(new ErrorBanner(theme, this))
    , m_stack(new QStackedWidget(this))
    , m_stuck(new QSpinBox(this))
{
    m_style->setObjectName(QStringLiteral("style"));
    m_style->setAccessibleName(tr("How the state is stored"));
    for (const auto& words : styles)
        m_style->addItem(tr(words.title), static_cast<int>(words.style));
    m_column->setObjectName(QStringLiteral("stateColumn"));
    m_column->setAccessibleName(tr("Column of the state"));
    m_column->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_column->setMinimumContentsLength(24);
    for (auto* label : { m_trap, m_note })
        label->setWordWrap(true);
    m_trap->setObjectName(QStringLiteral("trap"));
    setTone(m_trap, "warning");
    setTone(m_note, "muted");
    m_stuck->setObjectName(QStringLiteral("stuckAfter"));
    m_stuck->setAccessibleName(tr("Stuck after minutes"));
    m_stuck->setRange(0, longestWait);
    m_stuck->setSuffix(tr(" min"));
    m_stuck->setSpecialValueText(tr("never"));
    m_stack->addWidget(makeValues());
    m_stack->addWidget(makeEnds());
    auto* head = new QHBoxLayout;
    head->setSpacing(space::small);
    head->addWidget(fieldName(tr("The state is stored as"), m_style));
    head->addWidget(m_style);
    head->addSpacing(space::large);
    head->addWidget(fieldName(tr("Column"), m_column));
    head->addWidget(m_column);
    head->addSpacing(space::large);
    head->addWidget(fieldName(tr("Stuck after"), m_stuck));
    head->addWidget(m_stuck);
    head->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, 0, space::huge, 0);
    layout->setSpacing(space::medium);
    layout->addLayout(head);
    layout->addWidget(m_trap);
    layout->addWidget(m_note);
    layout->addWidget(m_banner);
    layout->addWidget(m_stack, 1);
    m_banner->clear();

    connect(m_style, &QComboBox::activated, this,
        [this] { m_draft.setStyle(static_cast<StateStyle>(m_style->currentData().toInt())); });
    connect(m_column, &QComboBox::activated, this,
        [this] { m_draft.setStateColumn(m_column->currentData().toString().toStdString()); });
    connect(m_done, &QComboBox::activated, this,
        [this] { m_draft.setDone(m_done->currentData().toString().toStdString()); });
    connect(m_open, &QComboBox::activated, this,
        [this] { m_draft.setOpen(m_open->currentData().toString().toStdString()); });
    connect(m_stuck, &QSpinBox::valueChanged, this, [this](int minutes) {
        m_draft.setStuckAfter(minutes > 0 ? std::optional(Duration(std::chrono::minutes(minutes))) : std::nullopt);
    });
    connect(&draft, &models::MappingDraft::changed, this, &MappingStateStep::fill);
    connect(&draft, &models::MappingDraft::valuesChanged, this, &MappingStateStep::fillValues);
}

QWidget* MappingStateStep::makeValues()
{
    auto* scroll = new QScrollArea(m_stack);
    scroll->setObjectName(QStringLiteral("stateValues"));
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(scroll);
    setPart(content, "transparent");
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    m_lines = new QWidget(content);
    m_grid = new QGridLayout(m_lines);
    m_grid->setContentsMargins(0, 0, space::small, 0);
    column->setSpacing(space::small);
    column->addWidget(m_lines);
    m_more = new QLineEdit(content);
    m_more->setObjectName(QStringLiteral("moreValue"));
    m_more->setAccessibleName(tr("Another value of the state"));
    m_more->setPlaceholderText(tr("Another value, which no row has yet"));
    m_more->setFixedWidth(280);
    auto* add = new QPushButton(m_theme.icon("add"), tr("Add it"), content);
    add->setObjectName(QStringLiteral("addValue"));
    add->setAutoDefault(false);
    auto* more = new QHBoxLayout;
    more->setSpacing(space::small);
    more->addWidget(m_more);
    more->addWidget(add);
    more->addStretch(1);
    column->addLayout(more);
    column->addStretch(1);
    scroll->setWidget(content);
    connect(add, &QPushButton::clicked, this, &MappingStateStep::addValue);
    return scroll;
}

QWidget* MappingStateStep::makeEnds()
{
    auto* ends = new QWidget(m_stack);
    m_done = new QComboBox(ends);
    m_done->setObjectName(QStringLiteral("done"));
    m_done->setAccessibleName(tr("State of rows that are done"));
    m_open = new QComboBox(ends);
    m_open->setObjectName(QStringLiteral("open"));
    m_open->setAccessibleName(tr("State of rows that are not done"));
    m_openName = fieldName(tr("Not done"), m_open);
    auto* grid = new QGridLayout(ends);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::medium);
    grid->setVerticalSpacing(space::small);
    grid->addWidget(fieldName(tr("Done"), m_done), 0, 0);
    grid->addWidget(m_done, 0, 1);
    grid->addWidget(m_openName, 1, 0);
    grid->addWidget(m_open, 1, 1);
    grid->setColumnStretch(2, 1);
    grid->setRowStretch(2, 1);
    return ends;
}

void MappingStateStep::focusFirst()
{
    m_style->setFocus(Qt::TabFocusReason);
}

void MappingStateStep::fillStates(QComboBox& box, bool unknown) const
{
    const QSignalBlocker quiet(&box);
    box.clear();
    for (const auto word : profile::stateWordsOf(m_draft.mapping().kind)) {
        const auto look = stateLook(word);
        const auto name = text(word);
        if (name != QLatin1String("UNKNOWN"))
            box.addItem(m_theme.icon(look.icon, look.role), name, name);
    }
    if (unknown) {
        const auto look = stateLook("UNKNOWN");
        box.insertItem(0, m_theme.icon(look.icon, look.role), tr("UNKNOWN: nobody knows"), QString());
    }
}

void MappingStateStep::fillColumns()
{
    const QSignalBlocker quiet(m_column);
    m_column->clear();
    const auto& mapping = m_draft.mapping();
    for (const auto& column : m_draft.table().columns) {
        using Type = profile::ColumnType;
        const bool fits = mapping.style == StateStyle::Flag
            ? column.kind == Type::Boolean || column.kind == Type::Integer || column.kind == Type::Number
            : mapping.style == StateStyle::Values ? column.kind != Type::Octets && column.kind != Type::Json
                                                  : !column.notNull;
        if (fits || column.name == mapping.stateColumn)
            m_column->addItem(models::visibleText(column.name), QString::fromStdString(column.name));
    }
    if (mapping.stateColumn.empty())
        m_column->insertItem(0, tr("Choose…"), QString());
    m_column->setCurrentIndex(m_column->findData(QString::fromStdString(mapping.stateColumn)));
    m_column->setEnabled(mapping.style != StateStyle::WriteOnce);
}

void MappingStateStep::fill()
{
    const auto& mapping = m_draft.mapping();
    m_style->setCurrentIndex(m_style->findData(static_cast<int>(mapping.style)));
    fillColumns();
    const bool values = mapping.style == StateStyle::Values;
    m_stack->setCurrentIndex(values ? 0 : 1);
    if (!values) {
        fillStates(*m_done, false);
        fillStates(*m_open, false);
        m_done->setCurrentIndex(m_done->findData(text(mapping.done)));
        m_open->setCurrentIndex(m_open->findData(text(mapping.open)));
        const bool once = mapping.style == StateStyle::WriteOnce;
        m_open->setVisible(!once);
        m_openName->setVisible(!once);
    }
    const QSignalBlocker quiet(m_stuck);
    m_stuck->setValue(
        mapping.stuckAfter ? int(std::chrono::duration_cast<std::chrono::minutes>(*mapping.stuckAfter).count()) : 0);
    m_stuck->setEnabled(mapping.style != StateStyle::WriteOnce && profile::tellsSince(mapping));
    // The choices themselves are kept where only a choice has changed.
    if (m_states.size() != mapping.values.size())
        fillValues();
    for (std::size_t i = 0; i < m_states.size(); ++i) {
        const QSignalBlocker still(m_states[i]);
        m_states[i]->setCurrentIndex(m_states[i]->findData(text(mapping.values[i].state)));
    }
    showNotes();
}

void MappingStateStep::showNotes()
{
    const auto& mapping = m_draft.mapping();
    QStringList traps;
    for (const auto& column : m_draft.guess().columns)
        if (!column.warning.empty())
            traps += models::visibleText(column.warning);
    m_trap->setText(traps.join(u'\n'));
    m_trap->setVisible(!traps.isEmpty());
    QString note;
    for (const auto& words : styles)
        if (words.style == mapping.style)
            note = tr(words.note);
    if (const auto& values = m_draft.values(); values && mapping.style == StateStyle::Values) {
        if (values->values.empty())
            note += u' ' + tr("No row has a value yet: name those that the application writes.");
        if (!values->allRows)
            note +=
                u' ' + tr("The first %1 rows were read: others may hold more values.").arg(numberText(values->rows));
        if (!values->allValues)
            note += u' ' + tr("There are more values than are listed: a state has few.");
        if (values->longer > 0)
            note += u' '
                + tr("%1 hold a text that is too long to be a state: they are shown as UNKNOWN.")
                      .arg(counted(values->longer, tr("row"), tr("rows")));
    }
    if (mapping.style != StateStyle::WriteOnce && !profile::tellsSince(mapping))
        note += u' '
            + (profile::tellsLease(mapping) ? tr(
                   "No column says since when rows wait: they are stuck when their lease is over, never without one.")
                                            : tr("No column says since when rows wait: nothing is called stuck."));
    m_note->setText(note);
    m_banner->clear();
    if (const auto why = m_draft.whyNoValues(); !why.isEmpty())
        m_banner->tell("warning", why);
    else if (const auto& error = m_draft.valuesError())
        m_banner->report(tr("read the values of this column"), *error);
}

void MappingStateStep::addValue()
{
    m_draft.addValue(m_more->text().trimmed().toStdString());
    m_more->clear();
    m_more->setFocus(Qt::TabFocusReason);
}

void MappingStateStep::fillValues()
{
    m_states.clear();
    delete m_grid;
    qDeleteAll(m_lines->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
    m_grid = new QGridLayout(m_lines);
    m_grid->setContentsMargins(0, 0, space::small, 0);
    m_grid->setHorizontalSpacing(space::large);
    m_grid->setVerticalSpacing(space::tiny);
    m_grid->setColumnStretch(3, 1);
    const Redactor redactor;
    const auto& mapping = m_draft.mapping();
    for (std::size_t i = 0; i < mapping.values.size(); ++i) {
        const auto& value = mapping.values[i].value;
        auto* name =
            new PlainLabel(value ? models::visibleText(redactor.text(*value).text) : tr("no value (NULL)"), m_lines);
        name->setFont(m_theme.font(value ? Text::Mono : Text::Body));
        name->setMinimumWidth(160);
        const auto rows = m_draft.values() && i < m_draft.values()->values.size()
            ? counted(m_draft.values()->values[i].rows, tr("row"), tr("rows"))
            : QString();
        auto* count = new PlainLabel(rows, m_lines);
        setTone(count, "muted");
        count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        auto* state = new QComboBox(m_lines);
        state->setObjectName(QStringLiteral("state%1").arg(i));
        state->setAccessibleName(tr("State of the value %1").arg(name->text()));
        fillStates(*state, true);
        state->setCurrentIndex(state->findData(text(mapping.values[i].state)));
        name->setBuddy(state);
        connect(state, &QComboBox::activated, this,
            [this, i, state] { m_draft.setState(i, state->currentData().toString().toStdString()); });
        m_grid->addWidget(name, int(i), 0);
        m_grid->addWidget(count, int(i), 1);
        m_grid->addWidget(state, int(i), 2);
        m_states.push_back(state);
    }
    showNotes();
}

} // namespace fencepost::ui

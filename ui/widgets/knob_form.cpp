// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/knob_form.h"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include "models/knobs_model.h"
#include "ui/theme.h"
#include "ui/widgets/form_field.h"
#include "ui/widgets/list_form.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

using models::KnobScale;
using models::KnobsModel;
using simulation::scenarioKnobs;

constexpr int fieldWidth = 132;
constexpr int sliderWidth = 72;

QString groupOf(const QString& path)
{
    return path.section(QLatin1Char('.'), 0, 0);
}

} // namespace

KnobForm::KnobForm(const Theme& theme, KnobsModel& model, QWidget* parent)
    : QWidget(parent)
    , m_model(model)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    for (const auto& knob : scenarioKnobs()) {
        const auto group = groupOf(text(knob.path));
        if (m_groups.empty() || m_groups.back().name != group) {
            // The load by its phases, and what goes wrong behind those who notice.
            if (!m_groups.empty() && m_groups.back().name == QLatin1String("load"))
                m_phases = addList(theme, QStringLiteral("phases"));
            if (!m_groups.empty() && m_groups.back().name == QLatin1String("client"))
                m_faults = addList(theme, QStringLiteral("faults"));
            addGroup(theme, group);
        }
        auto* grid = qobject_cast<QGridLayout*>(m_groups.back().body->layout());
        addRow(theme, static_cast<int>(m_rows.size()), *grid);
        m_groups.back().end = static_cast<int>(m_rows.size());
    }
    layout->addStretch();
    connect(&model, &KnobsModel::dataChanged, this, [this](const QModelIndex& first, const QModelIndex& last) {
        for (int row = first.row(); row <= last.row(); ++row)
            showRow(row);
        fold();
    });
    connect(&model, &KnobsModel::refused, this, &KnobForm::showProblem);
    for (int row = 0; row < model.rowCount(); ++row)
        showRow(row);
    setGroupOpen(QStringLiteral("load"), true);
    setGroupOpen(QStringLiteral("client"), true);
}

KnobForm::Group& KnobForm::addGroup(const Theme& theme, const QString& name)
{
    Group group;
    group.name = name;
    group.first = group.end = static_cast<int>(m_rows.size());
    group.head = new QToolButton(this);
    group.head->setText(name.left(1).toUpper() + name.mid(1));
    group.head->setCheckable(true);
    group.head->setIcon(theme.icon("chevron-right", Role::Muted));
    group.head->setFont(theme.font(Text::Strong));
    group.head->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setWords(*group.head, true);
    setKind(group.head, "flat");
    group.body = new QWidget(this);
    auto* grid = new QGridLayout(group.body);
    grid->setContentsMargins(space::small, 0, 0, space::small);
    grid->setHorizontalSpacing(space::small);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(0, 1);
    group.body->hide();
    connect(group.head, &QToolButton::toggled, this, [this, &theme, head = group.head](bool open) {
        head->setIcon(theme.icon(open ? "chevron-down" : "chevron-right", Role::Muted));
        fold();
    });
    layout()->addWidget(group.head);
    layout()->addWidget(group.body);
    return m_groups.emplace_back(group);
}

ListForm* KnobForm::addList(const Theme& theme, const QString& name)
{
    auto& group = addGroup(theme, name);
    auto* list = new ListForm(theme, m_model, name, group.body);
    group.list = list;
    auto* grid = qobject_cast<QGridLayout*>(group.body->layout());
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(list, 0, 0);
    nameList(group);
    connect(list, &ListForm::changed, this, [this, name] {
        for (const auto& one : m_groups)
            if (one.name == name)
                nameList(one);
    });
    return list;
}

// With how many there are; a fold hides none that nobody knows of.
void KnobForm::nameList(const Group& group)
{
    const auto name = group.name.left(1).toUpper() + group.name.mid(1);
    const int entries = group.list->entries();
    group.head->setText(entries == 0 ? name : QStringLiteral("%1 (%2)").arg(name).arg(entries));
    if (entries > 0)
        group.head->setChecked(true);
}

void KnobForm::addRow(const Theme& theme, int row, QGridLayout& grid)
{
    const auto& knob = scenarioKnobs()[std::size_t(row)];
    Row made;
    made.path = text(knob.path);
    made.name = new PlainLabel(made.path.section(QLatin1Char('.'), 1), grid.parentWidget());
    made.name->setFont(theme.font(Text::Caption));
    made.name->setToolTip(QStringLiteral("%1: %2").arg(made.path, text(knob.meaning)));
    if (knob.form == simulation::KnobForm::Flag)
        makeFlag(made, row);
    else if (knob.form == simulation::KnobForm::Word)
        makeWords(made, row);
    else
        makeField(made, row);
    made.editor->setAccessibleName(made.path);
    made.editor->setToolTip(made.name->toolTip());
    const int line = grid.rowCount();
    grid.addWidget(made.name, line, 0);
    if (made.field) {
        makeSlider(made, row);
        grid.addWidget(made.slider, line, 1);
    }
    if (made.words)
        grid.addWidget(made.words, line, 1, 1, 2); // a word may be longer than a number
    else
        grid.addWidget(made.editor, line, 2);
    if (made.field) {
        made.problem = makeProblemLine(grid.parentWidget());
        grid.addWidget(made.problem, line + 1, 0, 1, 3);
    }
    m_rows.push_back(made);
}

void KnobForm::makeField(Row& made, int row)
{
    made.field = new QLineEdit;
    made.field->setFixedWidth(fieldWidth);
    made.editor = made.field;
    connect(
        made.field, &QLineEdit::editingFinished, this, [this, row, field = made.field] { write(row, field->text()); });
}

void KnobForm::makeWords(Row& made, int row)
{
    made.words = new QComboBox;
    made.words->setMinimumWidth(fieldWidth);
    leaveWheelToForm(*made.words);
    made.words->addItems(text(scenarioKnobs()[std::size_t(row)].words).split(QLatin1Char(' ')));
    made.editor = made.words;
    connect(made.words, &QComboBox::textActivated, this, [this, row](const QString& word) { write(row, word); });
}

void KnobForm::makeFlag(Row& made, int row)
{
    made.flag = new QCheckBox;
    made.editor = made.flag;
    connect(made.flag, &QCheckBox::toggled, this,
        [this, row](bool on) { write(row, on ? QStringLiteral("true") : QStringLiteral("false")); });
}

void KnobForm::makeSlider(Row& made, int row)
{
    made.slider = new QSlider(Qt::Horizontal);
    made.slider->setRange(0, KnobScale::positions);
    made.slider->setMinimumWidth(sliderWidth);
    leaveWheelToForm(*made.slider);
    made.slider->setAccessibleName(made.path);
    made.slider->setToolTip(made.name->toolTip());
    connect(made.slider, &QSlider::valueChanged, this,
        [this, row](int place) { write(row, KnobScale(scenarioKnobs()[std::size_t(row)]).valueAt(place)); });
}

void KnobForm::write(int row, const QString& value)
{
    const auto index = m_model.index(row, KnobsModel::Value);
    if (m_showing || !m_model.setData(index, value))
        return;
    // A value that it has already changes nothing, and still mends a field that had none. The slider stays where it is:
    // several of its places may be one value.
    const auto& one = m_rows[std::size_t(row)];
    if (!one.field)
        return;
    if (const auto shown = index.data().toString(); shown != one.field->text()) {
        one.field->setText(shown);
        one.field->setCursorPosition(0);
    }
    ui::showProblem(*one.field, *one.problem, {});
}

void KnobForm::showRow(int row)
{
    const auto& shown = m_rows[std::size_t(row)];
    const auto index = m_model.index(row, KnobsModel::Value);
    const auto value = index.data().toString();
    const bool before = std::exchange(m_showing, true);
    if (shown.field && shown.field->text() != value) {
        shown.field->setText(value);
        shown.field->setCursorPosition(0); // of what is longer than its field the beginning is what counts
    }
    if (shown.words)
        shown.words->setCurrentText(value);
    if (shown.flag)
        shown.flag->setChecked(value == QLatin1String("true"));
    const auto& knob = scenarioKnobs()[std::size_t(row)];
    if (shown.slider && !shown.slider->isSliderDown())
        shown.slider->setValue(KnobScale(knob).positionOf(m_model.scenario()));
    m_showing = before;
    if (shown.field)
        ui::showProblem(*shown.field, *shown.problem, {});
    setTone(shown.name, index.data(KnobsModel::IsTurned).toBool() ? "accent" : "");
}

void KnobForm::showProblem(int row, const QString& problem)
{
    const auto& shown = m_rows[std::size_t(row)];
    if (shown.field)
        ui::showProblem(*shown.field, *shown.problem, problem);
}

void KnobForm::takePending()
{
    for (int row = 0; row < static_cast<int>(m_rows.size()); ++row) {
        const auto& one = m_rows[std::size_t(row)];
        if (one.field && one.field->text() != m_model.index(row, KnobsModel::Value).data().toString())
            write(row, one.field->text());
    }
    m_phases->takePending();
    m_faults->takePending();
}

QString KnobForm::problem() const
{
    for (const auto& one : m_rows)
        if (one.problem && !one.problem->text().isEmpty())
            return one.problem->text();
    const auto ofPhases = m_phases->problem();
    return ofPhases.isEmpty() ? m_faults->problem() : ofPhases;
}

void KnobForm::chooseProblem()
{
    for (const auto& one : m_rows)
        if (one.problem && !one.problem->text().isEmpty()) {
            setGroupOpen(groupOf(one.path), true);
            return one.field->setFocus();
        }
    auto* list = m_phases->problem().isEmpty() ? m_faults : m_phases;
    setGroupOpen(list == m_faults ? QStringLiteral("faults") : QStringLiteral("phases"), true);
    list->chooseProblem();
}

void KnobForm::setFilter(const QString& words)
{
    m_filter = words.trimmed();
    fold();
}

void KnobForm::setGroupOpen(const QString& group, bool open)
{
    for (const auto& one : m_groups)
        if (one.name == group)
            one.head->setChecked(open);
    fold();
}

void KnobForm::fold()
{
    for (const auto& group : m_groups) {
        bool any = group.list != nullptr && (m_filter.isEmpty() || group.list->fits(m_filter));
        for (int row = group.first; row < group.end; ++row) {
            const auto& one = m_rows[std::size_t(row)];
            const bool fits = m_filter.isEmpty() || one.name->toolTip().contains(m_filter, Qt::CaseInsensitive);
            const bool sliding = one.slider && KnobScale::has(scenarioKnobs()[std::size_t(row)], m_model.scenario());
            any = any || fits;
            one.name->setVisible(fits);
            one.editor->setVisible(fits);
            if (one.slider)
                one.slider->setVisible(fits && sliding);
            if (one.problem)
                one.problem->setVisible(fits && !one.problem->text().isEmpty());
        }
        group.head->setVisible(any);
        group.body->setVisible(any && (!m_filter.isEmpty() || group.head->isChecked()));
    }
}

const KnobForm::Row* KnobForm::rowOf(const QString& path) const
{
    const auto found = std::find_if(m_rows.begin(), m_rows.end(), [&](const Row& row) { return row.path == path; });
    return found == m_rows.end() ? nullptr : &*found;
}

bool KnobForm::isShown(const QString& path) const
{
    const auto* row = rowOf(path);
    return row && row->editor->isVisibleTo(this);
}

QSlider* KnobForm::slider(const QString& path) const
{
    const auto* row = rowOf(path);
    return row ? row->slider : nullptr;
}

QLineEdit* KnobForm::field(const QString& path) const
{
    const auto* row = rowOf(path);
    return row ? row->field : nullptr;
}

} // namespace fencepost::ui

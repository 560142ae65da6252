// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/list_form.h"

#include <algorithm>
#include <utility>

#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include "models/knobs_model.h"
#include "ui/theme.h"
#include "ui/widgets/form_field.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

using models::KnobsModel;

constexpr int memberWidth = 132;

// "node_crash" as "Node crash".
QString kindName(std::string_view word)
{
    auto name = text(word).replace(QLatin1Char('_'), QLatin1Char(' '));
    return name.left(1).toUpper() + name.mid(1);
}

} // namespace

ListForm::ListForm(const Theme& theme, KnobsModel& model, QString list, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_model(model)
    , m_list(std::move(list))
    , m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(space::small, 0, 0, space::small);
    m_layout->setSpacing(space::tiny);
    m_layout->addWidget(makeAdder());
    build();
    connect(&model, &KnobsModel::listsChanged, this, &ListForm::refresh);
    connect(&model, &KnobsModel::listRefused, this, &ListForm::showRefusal);
}

QString ListForm::pathOf(int entry, const QString& member) const
{
    return QStringLiteral("%1[%2].%3").arg(m_list).arg(entry).arg(member);
}

QWidget* ListForm::makeAdder()
{
    auto* adder = new QToolButton(this);
    adder->setObjectName(QStringLiteral("add-") + m_list);
    adder->setIcon(m_theme.icon("add"));
    setWords(*adder, true);
    setKind(adder, "flat");
    if (!isFaults()) {
        adder->setText(tr("Add a phase"));
        adder->setToolTip(tr("From one moment to another the load is another one"));
        connect(adder, &QToolButton::clicked, this, [this] { m_model.addPhase(); });
        return adder;
    }
    adder->setText(tr("Add a fault"));
    adder->setToolTip(tr("Something that goes wrong from one moment to another"));
    adder->setPopupMode(QToolButton::InstantPopup);
    adder->setProperty("menu", QStringLiteral("none"));
    auto* menu = new QMenu(adder);
    const auto kinds = simulation::faultKinds();
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        menu->addAction(kindName(kinds[kind]), this, [this, kind] { m_model.addFault(simulation::FaultKind(kind)); });
    adder->setMenu(menu);
    return adder;
}

std::vector<int> ListForm::kindsNow() const
{
    const auto& world = m_model.scenario();
    if (!isFaults())
        return std::vector<int>(world.phases.size(), 0);
    std::vector<int> kinds;
    for (const auto& fault : world.faults)
        kinds.push_back(static_cast<int>(fault.kind));
    return kinds;
}

// Anew: another kind has other members.
void ListForm::build()
{
    const bool before = std::exchange(m_showing, true);
    if (m_body) {
        m_body->hide();
        m_body->deleteLater();
    }
    m_showing = before;
    m_fields.clear();
    m_kindFields.clear();
    m_kinds = kindsNow();
    m_body = new QWidget(this);
    auto* grid = new QGridLayout(m_body);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::small);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(0, 1);
    for (int entry = 0; entry < entries(); ++entry) {
        addHead(*grid, entry);
        if (isFaults())
            for (const auto member : simulation::membersOf(simulation::FaultKind(m_kinds[std::size_t(entry)])))
                addMember(*grid, entry, text(member));
        else
            for (const auto member : simulation::phaseMembers())
                addMember(*grid, entry, text(member));
        grid->setRowMinimumHeight(grid->rowCount(), space::small);
    }
    m_layout->insertWidget(0, m_body);
    m_body->setVisible(entries() > 0);
    showValues(true);
}

void ListForm::addHead(QGridLayout& grid, int entry)
{
    const int line = grid.rowCount();
    auto* remove = new QToolButton(m_body);
    remove->setObjectName(QStringLiteral("remove-%1-%2").arg(m_list).arg(entry));
    remove->setIcon(m_theme.icon("remove"));
    remove->setAccessibleName(isFaults() ? tr("Remove fault %1").arg(entry + 1) : tr("Remove phase %1").arg(entry + 1));
    remove->setToolTip(remove->accessibleName());
    setKind(remove, "flat");
    connect(remove, &QToolButton::clicked, this, [this, entry] { m_model.removeEntry(m_list.toStdString(), entry); });
    if (!isFaults()) {
        auto* name = new PlainLabel(tr("Phase %1").arg(entry + 1), m_body);
        name->setFont(m_theme.font(Text::Strong));
        grid.addWidget(name, line, 0);
        grid.addWidget(remove, line, 1, Qt::AlignRight);
        return;
    }
    auto* kind = new QComboBox(m_body);
    const auto kinds = simulation::faultKinds();
    for (const auto word : kinds)
        kind->addItem(kindName(word), text(word));
    kind->setAccessibleName(tr("Kind of fault %1").arg(entry + 1));
    leaveWheelToForm(*kind);
    connect(kind, &QComboBox::activated, this,
        [this, kind, entry] { write(pathOf(entry, QStringLiteral("kind")), kind->currentData().toString()); });
    m_kindFields.push_back(kind);
    grid.addWidget(kind, line, 0);
    grid.addWidget(remove, line, 1, Qt::AlignRight);
}

void ListForm::addMember(QGridLayout& grid, int entry, const QString& member)
{
    Field made;
    made.path = pathOf(entry, member);
    const auto words = QStringLiteral("%1: %2").arg(made.path, text(simulation::meaningOfMember(member.toStdString())));
    auto* name = new PlainLabel(member, m_body);
    name->setFont(m_theme.font(Text::Caption));
    name->setToolTip(words);
    made.edit = new QLineEdit(m_body);
    made.edit->setFixedWidth(memberWidth);
    made.edit->setAccessibleName(made.path);
    made.edit->setToolTip(words);
    made.problem = makeProblemLine(m_body);
    connect(made.edit, &QLineEdit::editingFinished, this,
        [this, path = made.path, edit = made.edit] { write(path, edit->text()); });
    const int line = grid.rowCount();
    grid.addWidget(name, line, 0);
    grid.addWidget(made.edit, line, 1);
    grid.addWidget(made.problem, line + 1, 0, 1, 2);
    m_fields.push_back(made);
}

// `all`: also what was typed and refused.
void ListForm::showValues(bool all)
{
    const bool before = std::exchange(m_showing, true);
    for (std::size_t i = 0; i < m_kindFields.size(); ++i)
        m_kindFields[i]->setCurrentIndex(m_kinds[i]);
    for (const auto& one : m_fields) {
        const auto value = m_model.member(one.path);
        if (!all && !one.problem->text().isEmpty())
            continue;
        if (one.edit->text() != value)
            one.edit->setText(value);
        showProblem(*one.edit, *one.problem, {});
    }
    m_showing = before;
}

void ListForm::refresh(bool whole)
{
    if (kindsNow() == m_kinds)
        return showValues(whole);
    build();
    Q_EMIT changed();
}

void ListForm::write(const QString& path, const QString& value)
{
    if (m_showing)
        return;
    for (const auto& one : m_fields)
        if (one.path == path)
            showProblem(*one.edit, *one.problem, {});
    m_model.setMember(path, value);
}

void ListForm::showRefusal(const QString& path, const QString& problem)
{
    for (const auto& one : m_fields)
        if (one.path == path)
            showProblem(*one.edit, *one.problem, problem);
}

void ListForm::takePending()
{
    // A kind that is taken would build them anew, a member does not.
    for (const auto& one : m_fields)
        if (one.edit->text() != m_model.member(one.path))
            write(one.path, one.edit->text());
}

QString ListForm::problem() const
{
    for (const auto& one : m_fields)
        if (!one.problem->text().isEmpty())
            return one.problem->text();
    return {};
}

void ListForm::chooseProblem()
{
    for (const auto& one : m_fields)
        if (!one.problem->text().isEmpty())
            return one.edit->setFocus();
}

bool ListForm::fits(const QString& words) const
{
    const auto has = [&](const QString& name) { return name.contains(words, Qt::CaseInsensitive); };
    if (has(m_list))
        return true;
    if (isFaults())
        return std::any_of(simulation::faultKinds().begin(), simulation::faultKinds().end(),
            [&](std::string_view kind) { return has(text(kind)) || has(kindName(kind)); });
    return std::any_of(simulation::phaseMembers().begin(), simulation::phaseMembers().end(),
        [&](std::string_view member) { return has(text(member)); });
}

QLineEdit* ListForm::field(const QString& path) const
{
    const auto found =
        std::find_if(m_fields.begin(), m_fields.end(), [&](const Field& one) { return one.path == path; });
    return found == m_fields.end() ? nullptr : found->edit;
}

QComboBox* ListForm::kind(int entry) const
{
    return entry < static_cast<int>(m_kindFields.size()) ? m_kindFields[std::size_t(entry)] : nullptr;
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/plan_form.h"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QFontDatabase>
#include <QGridLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/ids.h"
#include "core/time.h"
#include "ui/theme.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int formLabelWidth = 240; // the longest parameter fits two lines
constexpr int documentLines = 4;
constexpr auto pauseOfTyping = std::chrono::milliseconds(250);

} // namespace

PlanForm::PlanForm(
    const Operation* operation, bool ownTable, QWidget* parent, const std::vector<ActionParameter>& asked)
    : QWidget(parent)
    , m_operation(operation)
    , m_reason(new QPlainTextEdit(this))
{
    const bool note = operation && std::string_view(operation->id) == "note";
    m_reason->setTabChangesFocus(true);
    m_reason->setFixedHeight((note ? 4 : 2) * m_reason->fontMetrics().lineSpacing() + 2 * space::medium);
    m_reason->setAccessibleName(note ? tr("Note") : tr("Reason"));
    m_reason->setPlaceholderText(
        note ? tr("What the next engineer should know") : tr("Why, with the incident's number"));

    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::medium);
    grid->setVerticalSpacing(space::small);
    grid->setColumnStretch(1, 1);
    int row = 0;
    const auto addReason = [&] {
        auto* name = new PlainLabel(note ? tr("Note *") : tr("Reason *"), this);
        name->setBuddy(m_reason);
        name->setFixedWidth(formLabelWidth);
        setTone(name, "muted");
        // In line with the first line of what is typed.
        name->setContentsMargins(0, space::small - 1, 0, 0);
        grid->addWidget(name, row, 0, Qt::AlignTop);
        grid->addWidget(m_reason, row++, 1);
    };
    // A note is its words; what else it says about the record comes below them.
    if (note)
        addReason();
    addAsked(asked, ownTable);
    std::vector<const Parameter*> parameters;
    for (const auto& parameter : operation ? operation->parameters : std::span<const Parameter>())
        if (ownTable || !parameter.ownTables)
            parameters.push_back(&parameter);
    for (const auto& own : m_asked)
        parameters.push_back(&own->parameter);
    for (const auto* shown : parameters) {
        const auto& parameter = *shown;
        auto* field = addEntry(parameter);
        if (parameter.flag) {
            grid->addWidget(field, row++, 1);
            continue;
        }
        auto* name =
            new PlainLabel(parameter.required ? tr("%1 *").arg(tr(parameter.title)) : tr(parameter.title), this);
        name->setWordWrap(true);
        name->setFixedWidth(formLabelWidth);
        name->setBuddy(field);
        setTone(name, "muted");
        if (parameter.document)
            name->setContentsMargins(0, space::small - 1, 0, 0);
        grid->addWidget(name, row, 0, parameter.document ? Qt::AlignTop : Qt::Alignment());
        grid->addWidget(field, row++, 1);
    }
    if (!note) {
        addReason();
        // As they are read: the reason was made before the fields above it.
        if (!m_entries.empty())
            setTabOrder(fieldOf(m_entries.back()), m_reason);
    }
    connect(m_reason, &QPlainTextEdit::textChanged, this, &PlanForm::reasonChanged);
    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseOfTyping);
    connect(&m_pause, &QTimer::timeout, this, &PlanForm::tellChange);
}

// What the operation asks for itself is asked once; in another's table it asks for less.
void PlanForm::addAsked(const std::vector<ActionParameter>& asked, bool ownTable)
{
    for (const auto& said : asked) {
        const bool own = m_operation
            && std::any_of(
                m_operation->parameters.begin(), m_operation->parameters.end(), [&](const Parameter& parameter) {
                    return said.name == parameter.id && (ownTable || !parameter.ownTables);
                });
        if (own)
            continue;
        auto entry = std::make_unique<Asked>(Asked{ said, said.label.empty() ? said.name : said.label, {} });
        entry->parameter.id = entry->said.name.c_str();
        entry->parameter.title = entry->title.c_str();
        entry->parameter.required = said.required;
        m_asked.push_back(std::move(entry));
    }
}

const PlanForm::Asked* PlanForm::askedOf(const Parameter& parameter) const
{
    for (const auto& asked : m_asked)
        if (&asked->parameter == &parameter)
            return asked.get();
    return nullptr;
}

// Why a value that was typed is none of the parameter's type; empty: it is.
QString PlanForm::whyNotAsked() const
{
    for (const auto& entry : m_entries) {
        const auto* asked = askedOf(*entry.parameter);
        const auto value = asked ? valueOf(entry) : std::string();
        if (value.empty())
            continue;
        const auto title = text(asked->title);
        bool whole = false;
        (void)text(value).toLongLong(&whole);
        if (asked->said.type == "duration" && !parseDuration(value))
            return tr("%1 is a duration like 5m or PT5M.").arg(title);
        if (asked->said.type == "uuid" && !isUuid(value))
            return tr("%1 is a UUID.").arg(title);
        if (asked->said.type == "integer" && !whole)
            return tr("%1 is a whole number.").arg(title);
    }
    return {};
}

QWidget* PlanForm::addEntry(const Parameter& parameter)
{
    Entry entry{ .parameter = &parameter };
    QWidget* field = nullptr;
    if (parameter.flag) {
        field = entry.flag = new QCheckBox(tr(parameter.title), this);
        connect(entry.flag, &QCheckBox::toggled, this, &PlanForm::tellChange);
    } else if (parameter.document) {
        field = addDocument(entry);
    } else if (!parameter.choices.empty()) {
        field = entry.choice = new QComboBox(this);
        entry.choice->addItem(parameter.required ? tr("Choose…") : tr("As it is"), QString());
        for (const auto& choice : parameter.choices)
            entry.choice->addItem(tr(choice.title), text(choice.value));
        connect(entry.choice, &QComboBox::currentIndexChanged, this, &PlanForm::tellChange);
    } else {
        field = entry.line = new QLineEdit(this);
        if (const auto* asked = askedOf(parameter))
            entry.line->setPlaceholderText(asked->said.standard.empty()
                    ? text(asked->said.type)
                    : tr("%1, unless something else is said").arg(text(asked->said.standard)));
        connect(entry.line, &QLineEdit::textEdited, this, &PlanForm::noteTyping);
        connect(entry.line, &QLineEdit::editingFinished, this, &PlanForm::tellChange);
    }
    auto* named = entry.document ? entry.document : field;
    named->setObjectName(QLatin1String(parameter.id));
    named->setAccessibleName(tr(parameter.title));
    m_entries.push_back(entry);
    return field;
}

QWidget* PlanForm::addDocument(Entry& entry)
{
    auto* whole = new QWidget(this);
    entry.document = new QPlainTextEdit(whole);
    entry.document->setTabChangesFocus(true);
    entry.document->setLineWrapMode(QPlainTextEdit::NoWrap);
    entry.document->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    entry.document->setFixedHeight(documentLines * entry.document->fontMetrics().lineSpacing() + 2 * space::medium);
    auto* present = new QPushButton(tr("Begin with the present one (the look is audited)"), whole);
    setKind(present, "link");
    present->setCursor(Qt::PointingHandCursor);
    auto* column = new QVBoxLayout(whole);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::tiny);
    column->addWidget(entry.document);
    column->addWidget(present, 0, Qt::AlignLeft);
    // Where room is short it is taken from the table below, which can be scrolled.
    whole->setMinimumHeight(column->sizeHint().height());
    connect(entry.document, &QPlainTextEdit::textChanged, this, &PlanForm::noteTyping);
    connect(present, &QPushButton::clicked, this,
        [this, id = QString::fromLatin1(entry.parameter->id)] { Q_EMIT presentAsked(id); });
    return whole;
}

QWidget* PlanForm::fieldOf(const Entry& entry)
{
    if (entry.flag)
        return entry.flag;
    if (entry.document)
        return entry.document;
    return entry.choice ? static_cast<QWidget*>(entry.choice) : entry.line;
}

void PlanForm::focusFirst()
{
    for (const auto& entry : m_entries)
        if (entry.parameter->required && valueOf(entry).empty())
            return fieldOf(entry)->setFocus(Qt::TabFocusReason);
    m_reason->setFocus(Qt::TabFocusReason);
}

std::string PlanForm::valueOf(const Entry& entry)
{
    if (entry.flag)
        return entry.flag->isChecked() ? "1" : "";
    if (entry.choice)
        return entry.choice->currentData().toString().toStdString();
    // Octet by octet what is to be sent.
    if (entry.document)
        return entry.document->toPlainText().toStdString();
    return entry.line->text().trimmed().toStdString();
}

void PlanForm::noteTyping()
{
    m_pause.start();
    Q_EMIT typed();
}

// A field that only lost the focus changed nothing: the plan that is under review stays the one to be confirmed.
void PlanForm::tellChange()
{
    m_pause.stop();
    auto now = parameters();
    if (now == m_told)
        return void(Q_EMIT typed());
    m_told = std::move(now);
    Q_EMIT parametersChanged();
}

std::map<std::string, std::string> PlanForm::parameters() const
{
    std::map<std::string, std::string> given;
    for (const auto& entry : m_entries)
        if (const auto value = valueOf(entry); !value.empty())
            given[entry.parameter->id] = value;
    return given;
}

QString PlanForm::reason() const
{
    return m_reason->toPlainText().trimmed();
}

void PlanForm::setReason(const QString& reason)
{
    m_reason->setPlainText(reason);
    m_reason->moveCursor(QTextCursor::End);
}

void PlanForm::setParameter(std::string_view id, const QString& value)
{
    for (const auto& entry : m_entries) {
        if (id != entry.parameter->id)
            continue;
        if (entry.flag)
            entry.flag->setChecked(!value.isEmpty());
        else if (entry.document)
            entry.document->setPlainText(value);
        else if (entry.choice)
            entry.choice->setCurrentIndex(entry.choice->findData(value));
        else
            entry.line->setText(value);
    }
    tellChange();
}

QString PlanForm::whyIncomplete() const
{
    for (const auto& entry : m_entries)
        if (entry.parameter->required && valueOf(entry).empty())
            return tr("%1 is missing.").arg(tr(entry.parameter->title));
    if (!m_operation)
        return {};
    if (const auto why = whyNotAsked(); !why.isEmpty())
        return why;
    auto given = parameters();
    for (const auto& asked : m_asked)
        given.erase(asked->said.name);
    const auto checked = checkParameters(*m_operation, given);
    return checked ? QString() : text(checked.error().message);
}

} // namespace fencepost::ui

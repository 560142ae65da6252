// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/operation_bar.h"

#include <algorithm>

#include <QBoxLayout>
#include <QEvent>
#include <QKeySequence>
#include <QToolButton>

#include "core/operations/operation.h"
#include "ui/operation_words.h"
#include "ui/theme.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

// A table of jobs has eight operations, whose icons stand beside each other in the narrowest dossier.
int gapOf(bool words)
{
    return words ? space::tiny : space::tiny / 2;
}

} // namespace

OperationBar::OperationBar(const Theme& theme, QWidget* parent)
    : QWidget(parent)
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    for (const auto& operation : operations()) {
        auto* button = new QToolButton(this);
        setKind(button, "button");
        button->setIcon(theme.icon(operation.id));
        button->setIconSize({ space::icon + space::tiny, space::icon });
        const auto verb = tr(operation.verb);
        button->setText(verb.contains(u' ') ? tr(operation.title) : verb);
        button->setAccessibleName(tr(operation.title));
        layout->addWidget(button);
        connect(button, &QToolButton::clicked, this, [this, &operation] { Q_EMIT chosen(operation); });
        m_entries.push_back({ &operation, button });
    }
    layout->addStretch(1);
    layout->setSizeConstraint(QLayout::SetNoConstraint);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setRows(Kind::Idempotency);
    setTarget({}, {});
}

void OperationBar::setRows(Kind kind)
{
    for (auto& [operation, button] : m_entries)
        button->setVisible(isFor(*operation, kind));
    fit();
}

// A profile may offer what rows of that kind have not by themselves: the replay of a job.
void OperationBar::setTable(const Binding& binding)
{
    for (auto& [operation, button] : m_entries) {
        const bool offered = std::any_of(binding.capabilities.begin(), binding.capabilities.end(),
            [operation = operation](const Capability& capability) {
                return capability.verb == operation->id && (capability.allowed || !capability.external.empty());
            });
        // What is in an inbox of ours is its consumer's alone.
        const bool usual = isFor(*operation, binding.kind) && !(binding.native && binding.kind == Kind::Inbox);
        button->setVisible(offered || usual);
    }
    fit();
}

QSize OperationBar::minimumSizeHint() const
{
    return { m_narrow, m_entries.front().button->sizeHint().height() };
}

// Measured again when the font or the style changes.
void OperationBar::fit()
{
    for (const auto style : { Qt::ToolButtonTextBesideIcon, Qt::ToolButtonIconOnly }) {
        int& whole = style == Qt::ToolButtonIconOnly ? m_narrow : m_wide;
        whole = 0;
        for (const auto& entry : m_entries) {
            if (entry.button->isHidden())
                continue;
            setWords(*entry.button, style == Qt::ToolButtonTextBesideIcon);
            whole += entry.button->sizeHint().width() + gapOf(style == Qt::ToolButtonTextBesideIcon);
        }
    }
    showWords();
    updateGeometry();
}

void OperationBar::showWords()
{
    const bool shown = width() >= m_wide;
    layout()->setSpacing(gapOf(shown));
    for (const auto& entry : m_entries)
        setWords(*entry.button, shown);
}

void OperationBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    showWords();
}

bool OperationBar::event(QEvent* event)
{
    if (event->type() == QEvent::Polish || event->type() == QEvent::StyleChange || event->type() == QEvent::FontChange
        || event->type() == QEvent::Show)
        fit();
    return QWidget::event(event);
}

QToolButton* OperationBar::button(std::string_view operation) const
{
    const auto found = std::find_if(m_entries.begin(), m_entries.end(),
        [operation](const Entry& entry) { return operation == entry.operation->id; });
    return found == m_entries.end() ? nullptr : found->button;
}

QString OperationBar::whyNot(const Operation& operation, const Selection& selection, Time now)
{
    if (selection.isEmpty())
        return tr("nothing is selected");
    for (const auto& capability : selection.binding.capabilities)
        if (capability.verb == operation.id && !capability.allowed)
            return text(capability.why);
    if (selection.all)
        return {};
    // One row that it applies to is enough: the plan lists the others with their reasons.
    QString why;
    for (const auto& row : selection.rows) {
        why = text(operation.whyNot(selection.binding, row, now));
        if (why.isEmpty())
            return {};
    }
    return why;
}

void OperationBar::setTarget(const Selection& selection, Time now)
{
    if (!selection.isEmpty())
        setTable(selection.binding);
    for (const auto& [operation, button] : m_entries) {
        const auto why = whyNot(*operation, selection, now);
        button->setEnabled(why.isEmpty());
        const auto keys = QKeySequence(QLatin1String(operation->shortcut)).toString(QKeySequence::NativeText);
        const auto title = titleIn(selection.binding, *operation);
        const auto tip = why.isEmpty() ? tr("%1 (%2)\n%3").arg(title, keys, summaryIn(selection.binding, *operation))
                                       : tr("%1: %2").arg(title, withStop(sentence(why.toStdString())));
        button->setToolTip(plainToolTip(tip));
        button->setAccessibleDescription(why);
    }
}

} // namespace fencepost::ui

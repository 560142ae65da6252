// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/shortcut_sheet.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QKeySequenceEdit>
#include <QPushButton>
#include <QScrollArea>

#include "ui/commands.h"
#include "ui/theme.h"
#include "ui/widgets/plain_label.h"

namespace fencepost::ui {

namespace {

constexpr int columns = 3;

} // namespace

QWidget* ShortcutSheet::makeGroup(const QString& group)
{
    auto* block = new QWidget;
    auto* grid = new QGridLayout(block);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::medium);
    grid->setVerticalSpacing(space::tiny);
    auto* title = new PlainLabel(group, block);
    title->setFont(m_theme.font(Text::Section));
    grid->addWidget(title, 0, 0, 1, 2);
    int row = 1;
    for (const Commands::Entry& entry : m_commands.entries()) {
        if (entry.group != group)
            continue;
        auto* name = new PlainLabel(entry.title, block);
        name->setToolTip(entry.summary);
        auto* cap = new QPushButton(block);
        cap->setFont(m_theme.font(Text::MonoCaption));
        cap->setAutoDefault(false);
        setKind(cap, "keycap");
        // A key of the widget that has the focus is that widget's.
        cap->setEnabled(entry.reach != Reach::Focus);
        connect(cap, &QPushButton::clicked, this, [this, id = entry.id] { ask(id); });
        m_caps[entry.id] = cap;
        grid->addWidget(cap, row, 0, Qt::AlignLeft);
        grid->addWidget(name, row, 1);
        ++row;
    }
    grid->setColumnMinimumWidth(0, 108);
    grid->setColumnStretch(1, 1);
    block->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    return block;
}

void ShortcutSheet::showKeys()
{
    for (const Commands::Entry& entry : m_commands.entries()) {
        const QString keys = entry.action->shortcut().toString(QKeySequence::NativeText);
        QPushButton* cap = m_caps.at(entry.id);
        cap->setText(keys.isEmpty() ? tr("none") : keys);
        cap->setAccessibleName(tr("%1: %2").arg(entry.title, cap->text()));
        cap->setToolTip(cap->isEnabled() ? tr("Press to choose another key") : QString());
    }
}

// The field takes the cap's place until its keys are pressed or the focus leaves it.
void ShortcutSheet::ask(const QString& command)
{
    QPushButton* before = m_caps.at(command);
    auto* field = new QKeySequenceEdit(before->parentWidget());
    field->setAccessibleName(tr("New key"));
    field->setFixedWidth(100);
    auto* grid = static_cast<QGridLayout*>(before->parentWidget()->layout());
    int row = 0;
    int column = 0;
    int span = 1;
    grid->getItemPosition(grid->indexOf(before), &row, &column, &span, &span);
    before->hide();
    grid->addWidget(field, row, column, Qt::AlignLeft);
    m_message->setText(tr("Press the new key, or two one after the other. Backspace leaves the command without one."));
    ui::setTone(m_message, "muted");
    connect(field, &QKeySequenceEdit::editingFinished, this, [this, command, field] { choose(command, field); });
    field->setFocus(Qt::OtherFocusReason);
}

void ShortcutSheet::choose(const QString& command, QKeySequenceEdit* field)
{
    if (!field->isVisible())
        return;
    field->hide();
    field->deleteLater();
    QPushButton* cap = m_caps.at(command);
    cap->show();
    cap->setFocus(Qt::OtherFocusReason);
    const auto pressed = field->keySequence();
    const bool none = pressed == QKeySequence(Qt::Key_Backspace) || pressed == QKeySequence(Qt::Key_Delete);
    const auto id = command.toStdString();
    if (pressed.isEmpty())
        return m_message->clear();
    const QString taken = m_commands.remap(id, none ? QKeySequence() : pressed);
    ui::setTone(m_message, taken.isEmpty() ? "good" : "danger");
    m_message->setText(taken.isEmpty() ? tr("“%1” is changed.").arg(m_commands.action(id)->text())
                                       : tr("%1 belongs to “%2” already; nothing was changed.")
                                             .arg(pressed.toString(QKeySequence::NativeText), taken));
}

QPushButton* ShortcutSheet::cap(const QString& command) const
{
    const auto found = m_caps.find(command);
    return found == m_caps.end() ? nullptr : found->second;
}

QString ShortcutSheet::message() const
{
    return m_message->text();
}

ShortcutSheet::ShortcutSheet(const Theme& theme, Commands& commands, QWidget* parent)
    : QDialog(parent)
    , m_theme(theme)
    , m_commands(commands)
    , m_message(new PlainLabel(this))
{
    setWindowTitle(tr("Shortcuts"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* title = new PlainLabel(tr("Shortcuts"), this);
    title->setFont(theme.font(Text::Title));
    auto* hint = new PlainLabel(tr("Shift on an operation means “I am sure” — it only ever opens the plan. Single keys "
                                   "rest while a text field has the focus. Press a key to choose another one."),
        this);
    setTone(hint, "muted");
    hint->setWordWrap(true);

    auto* content = new QWidget;
    content->setProperty("part", QStringLiteral("background"));
    auto* grid = new QHBoxLayout(content);
    grid->setContentsMargins(0, 0, space::small, 0);
    grid->setSpacing(space::huge);
    QStringList groups;
    for (const Commands::Entry& entry : commands.entries()) {
        if (!groups.contains(entry.group))
            groups += entry.group;
    }
    std::vector<QVBoxLayout*> stacks;
    for (int column = 0; column < columns; ++column) {
        stacks.push_back(new QVBoxLayout);
        stacks.back()->setSpacing(space::large);
        grid->addLayout(stacks.back(), 1);
    }
    // Three columns of about the same length.
    const QStringList first{ Commands::tr("Pages"), Commands::tr("Operations"), Commands::tr("Plans") };
    const QStringList last{ Commands::tr("Connection"), Commands::tr("Rows") };
    for (const QString& group : groups) {
        const std::size_t column = first.contains(group) ? 0 : last.contains(group) ? 2 : 1;
        stacks[column]->addWidget(makeGroup(group));
    }
    for (QVBoxLayout* stack : stacks)
        stack->addStretch();
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setWidget(content);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* restore = new QPushButton(tr("Standard keys"), this);
    restore->setAutoDefault(false);
    setKind(restore, "flat");
    auto* close = new QPushButton(tr("Close"), this);
    close->setDefault(true);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_message, 1);
    buttons->addWidget(restore);
    buttons->addWidget(close);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, space::huge, space::huge, space::large);
    layout->setSpacing(space::small);
    layout->addWidget(title);
    layout->addWidget(hint);
    layout->addSpacing(space::small);
    layout->addWidget(scroll, 1);
    layout->addLayout(buttons);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    connect(restore, &QPushButton::clicked, &m_commands, &Commands::restoreKeys);
    connect(&m_commands, &Commands::keysChanged, this, &ShortcutSheet::showKeys);
    showKeys();
    close->setFocus();
    resize(1080, 560);
}

} // namespace fencepost::ui

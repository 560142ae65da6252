// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/shortcut_sheet.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>

#include "ui/commands.h"
#include "ui/theme.h"

namespace fencepost::ui {

namespace {

constexpr int columns = 3;

QWidget* makeGroup(const Theme& theme, const Commands& commands, const QString& group)
{
    auto* block = new QWidget;
    auto* grid = new QGridLayout(block);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::medium);
    grid->setVerticalSpacing(space::tiny + 2);
    auto* title = new QLabel(group, block);
    title->setFont(theme.font(Text::Section));
    grid->addWidget(title, 0, 0, 1, 2);
    int row = 1;
    for (const Commands::Entry& entry : commands.entries()) {
        if (entry.group != group)
            continue;
        auto* name = new QLabel(entry.title, block);
        name->setToolTip(entry.summary);
        const QString keys = entry.action->shortcut().toString(QKeySequence::NativeText);
        auto* cap = new QLabel(keys.isEmpty() ? ShortcutSheet::tr("menu") : keys, block);
        cap->setFont(theme.font(Text::MonoCaption));
        if (keys.isEmpty())
            setTone(cap, "muted");
        else
            setPart(cap, "keycap");
        cap->setAccessibleName(ShortcutSheet::tr("%1: %2").arg(entry.title, keys));
        grid->addWidget(cap, row, 0, Qt::AlignLeft);
        grid->addWidget(name, row, 1);
        ++row;
    }
    grid->setColumnMinimumWidth(0, 108);
    grid->setColumnStretch(1, 1);
    block->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    return block;
}

} // namespace

ShortcutSheet::ShortcutSheet(const Theme& theme, const Commands& commands, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Shortcuts"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* title = new QLabel(tr("Shortcuts"), this);
    title->setFont(theme.font(Text::Title));
    auto* hint = new QLabel(tr("Shift on an operation means “I am sure” — it only ever opens the plan. Single keys "
                               "rest while a text field has the focus."),
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
        stacks[column]->addWidget(makeGroup(theme, commands, group));
    }
    for (QVBoxLayout* stack : stacks)
        stack->addStretch();
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setWidget(content);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* close = new QPushButton(tr("Close"), this);
    close->setDefault(true);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, space::huge, space::huge, space::large);
    layout->setSpacing(space::small);
    layout->addWidget(title);
    layout->addWidget(hint);
    layout->addSpacing(space::small);
    layout->addWidget(scroll, 1);
    layout->addWidget(close, 0, Qt::AlignRight);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    resize(1080, 560);
}

} // namespace fencepost::ui

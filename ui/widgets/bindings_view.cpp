// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/bindings_view.h"

#include <algorithm>

#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/binding_notes.h"
#include "core/operations/operation.h"
#include "ui/operation_words.h"
#include "ui/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/table_list.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int titleWidth = 176;

// What the profile says of its own action; else what Fencepost's own operation does.
QString summaryOf(const Binding& binding, const Capability& capability)
{
    const Operation* operation = findOperation(capability.verb);
    return operation ? summaryIn(binding, *operation) : withStop(sentence(capability.effect));
}

QString listed(const std::vector<std::string>& names)
{
    QStringList words;
    for (const auto& name : names)
        words += text(name);
    return words.join(QStringLiteral(", "));
}

QLabel* makeNote(const Theme& theme, const char* icon, Role role, const QString& words, QVBoxLayout& layout)
{
    auto* row = new QHBoxLayout;
    row->setSpacing(space::small);
    auto* picture = new PlainLabel;
    picture->setPixmap(theme.icon(icon, role).pixmap(QSize(space::icon, space::icon), 2));
    picture->setFixedSize(space::icon, space::icon);
    picture->setScaledContents(true);
    auto* label = new PlainLabel(breakable(words));
    label->setWordWrap(true);
    row->addWidget(picture, 0, Qt::AlignTop);
    row->addWidget(label, 1);
    layout.addLayout(row);
    return label;
}

} // namespace

BindingsView::BindingsView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(space::medium);
}

void BindingsView::show(const std::vector<Binding>& bindings, const QString& otherwise)
{
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (bindings.empty()) {
        auto* none = new PlainLabel(otherwise, this);
        none->setWordWrap(true);
        setTone(none, "muted");
        m_layout->addWidget(none);
    }
    for (const Binding& binding : bindings)
        m_layout->addWidget(makeBinding(binding));
}

QWidget* BindingsView::makeBinding(const Binding& binding)
{
    auto* block = new QFrame(this);
    setPart(block, "card");
    auto* layout = new QVBoxLayout(block);
    layout->setContentsMargins(space::large, space::medium, space::large, space::medium);
    layout->setSpacing(space::small);
    auto* head = new QHBoxLayout;
    auto* name = new PlainLabel(text(binding.name), block);
    name->setFont(m_theme.font(Text::Strong));
    auto* kind = new PlainLabel(kindText(binding.kind), block);
    setPart(kind, "pill");
    head->addWidget(name);
    head->addWidget(kind);
    head->addStretch();
    auto* profile = new PlainLabel(tr("%1 · %2").arg(text(binding.title), text(binding.profile)), block);
    profile->setFont(m_theme.font(Text::Caption));
    setTone(profile, "muted");
    layout->addLayout(head);
    layout->addWidget(profile);
    for (const std::string& reason : binding.reasons)
        setTone(makeNote(m_theme, "search", Role::Muted, withStop(sentence(reason)), *layout), "muted");
    if (!binding.members.empty())
        setTone(makeNote(m_theme, "table", Role::Muted, tr("One view of %1.").arg(listed(binding.members)), *layout),
            "muted");
    for (const std::string& warning : binding.warnings)
        makeNote(m_theme, "warning", Role::Warning, withStop(sentence(warning)), *layout);
    if (!binding.choices.empty())
        layout->addLayout(makeChoice(binding, block));
    if (std::find(binding.warnings.begin(), binding.warnings.end(), zoneUnsaid) != binding.warnings.end()) {
        auto* zone = new QPushButton(m_theme.icon("zone"), tr("Say its time zone…"), block);
        zone->setObjectName(QStringLiteral("sayZoneOf"));
        connect(
            zone, &QPushButton::clicked, this, [this, profile = text(binding.profile)] { Q_EMIT zoneAsked(profile); });
        layout->addWidget(zone, 0, Qt::AlignLeft);
    }
    for (const std::string& note : binding.notes)
        if (isDanger(note))
            setTone(makeNote(m_theme, "warning", Role::Danger, withStop(sentence(note)), *layout), "danger");
    for (const std::string& note : binding.notes)
        if (!isDanger(note))
            setTone(makeNote(m_theme, "information", Role::Muted, withStop(sentence(note)), *layout), "muted");
    if (!binding.capabilities.empty())
        layout->addWidget(makeCapabilities(binding));
    return block;
}

// Its warning says that several profiles fit it; here one of them is chosen, or another one made.
QLayout* BindingsView::makeChoice(const Binding& binding, QWidget* block)
{
    const auto schema = text(binding.schema);
    const auto table = text(binding.table);
    auto* choose = new QPushButton(tr("Choose its profile"), block);
    choose->setObjectName(QStringLiteral("chooseAmong"));
    choose->setMenu(new QMenu(choose));
    for (const std::string& candidate : binding.choices) {
        const auto name = text(candidate);
        connect(choose->menu()->addAction(name), &QAction::triggered, this,
            [this, schema, table, name] { Q_EMIT profileChosen(schema, table, name); });
    }
    auto* map = new QPushButton(tr("Map this table…"), block);
    map->setObjectName(QStringLiteral("mapAmbiguous"));
    connect(map, &QPushButton::clicked, this, [this, schema, table] { Q_EMIT mapAsked(schema, table); });
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addWidget(choose);
    line->addWidget(map);
    line->addStretch(1);
    return line;
}

QWidget* BindingsView::makeCapabilities(const Binding& binding)
{
    auto* block = new QWidget(this);
    auto* grid = new QGridLayout(block);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::small);
    grid->setVerticalSpacing(space::tiny + 2);
    // A reason that several verbs share is said once.
    std::vector<std::pair<QString, QString>> refused; // why, verbs
    const auto refuse = [&refused](const QString& title, const QString& why) {
        for (auto& [known, verbs] : refused)
            if (known == why) {
                verbs += QStringLiteral(", ") + title.toLower();
                return;
            }
        refused.emplace_back(why, title);
    };
    int row = 0;
    for (const Capability& capability : binding.capabilities) {
        if (!capability.allowed) {
            refuse(titleOf(capability), withStop(sentence(capability.why)));
            continue;
        }
        addCapability(*grid, row++, titleOf(capability), summaryOf(binding, capability), true);
    }
    for (const auto& [why, verbs] : refused)
        addCapability(*grid, row++, verbs, why, false);
    for (const Capability& capability : binding.capabilities)
        if (!capability.external.empty())
            addCommand(*grid, row++, capability);
    grid->setColumnStretch(2, 1);
    return block;
}

// What the framework itself does about it: for the clipboard, never run from here.
void BindingsView::addCommand(QGridLayout& grid, int row, const Capability& capability)
{
    auto* block = grid.parentWidget();
    auto* title = new PlainLabel(tr("%1, outside").arg(titleOf(capability)), block);
    title->setWordWrap(true);
    title->setFixedWidth(titleWidth);
    setTone(title, "muted");
    auto* command = new ElidedLabel(m_theme, true, block);
    command->setObjectName(QStringLiteral("command"));
    command->setText(commandText(capability.external));
    command->setAccessibleName(tr("The framework's own command for %1").arg(titleOf(capability)));
    auto* copy = new QToolButton(block);
    copy->setIcon(m_theme.icon("copy", Role::Muted));
    copy->setToolTip(tr("Copy the command"));
    copy->setAccessibleName(tr("Copy the command for %1").arg(titleOf(capability)));
    connect(copy, &QToolButton::clicked, this,
        [words = commandText(capability.external)] { QGuiApplication::clipboard()->setText(words); });
    auto* line = new QHBoxLayout;
    line->setSpacing(space::tiny);
    line->addWidget(command, 1);
    line->addWidget(copy);
    grid.addWidget(title, row, 1, Qt::AlignTop);
    grid.addLayout(line, row, 2);
}

void BindingsView::addCapability(QGridLayout& grid, int row, const QString& titles, const QString& words, bool allowed)
{
    auto* block = grid.parentWidget();
    auto* picture = new PlainLabel(block);
    const QIcon icon = m_theme.icon(allowed ? "state-succeeded" : "lock", allowed ? Role::Succeeded : Role::Muted);
    picture->setPixmap(icon.pixmap(QSize(14, 14), devicePixelRatioF()));
    picture->setAccessibleName(allowed ? tr("%1: possible").arg(titles) : tr("%1: not possible").arg(titles));
    auto* title = new PlainLabel(titles, block);
    title->setWordWrap(true);
    title->setFixedWidth(titleWidth);
    auto* effect = new PlainLabel(breakable(words), block);
    effect->setWordWrap(true);
    setTone(effect, "muted");
    if (!allowed)
        setTone(title, "muted");
    grid.addWidget(picture, row, 0, Qt::AlignTop);
    grid.addWidget(title, row, 1, Qt::AlignTop);
    grid.addWidget(effect, row, 2, Qt::AlignTop);
}

} // namespace fencepost::ui

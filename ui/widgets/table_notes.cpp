// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/table_notes.h"

#include <algorithm>

#include <QClipboard>
#include <QGuiApplication>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/binding_notes.h"
#include "ui/operation_words.h"
#include "ui/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

TableNotes::TableNotes(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(0, space::small, 0, 0);
    m_layout->setSpacing(space::small);
    hide();
}

void TableNotes::addNote(const char* icon, const char* tone, const QString& words)
{
    auto* picture = new PlainLabel(this);
    const std::string_view kind = tone;
    const auto role = kind == "danger" ? Role::Danger : kind == "warning" ? Role::Warning : Role::Muted;
    picture->setPixmap(m_theme.icon(icon, role).pixmap(QSize(space::icon, space::icon), 2));
    picture->setFixedSize(space::icon, space::icon);
    picture->setScaledContents(true);
    auto* label = new PlainLabel(words, this);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (kind != "warning")
        setTone(label, tone);
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addWidget(picture, 0, Qt::AlignTop);
    line->addWidget(label, 1);
    m_layout->addLayout(line);
}

void TableNotes::addCommand(const Capability& capability)
{
    const auto words = commandText(capability.external);
    addNote("command", "muted", tr("%1 is done by the framework's own command:").arg(titleOf(capability)));
    auto* command = new ElidedLabel(m_theme, true, this);
    command->setObjectName(QStringLiteral("command"));
    command->setText(words);
    command->setAccessibleName(tr("The framework's own command for %1").arg(titleOf(capability)));
    auto* copy = new QToolButton(this);
    copy->setIcon(m_theme.icon("copy", Role::Muted));
    copy->setToolTip(tr("Copy the command"));
    copy->setAccessibleName(tr("Copy the command for %1").arg(titleOf(capability)));
    connect(copy, &QToolButton::clicked, this, [words] { QGuiApplication::clipboard()->setText(words); });
    auto* line = new QHBoxLayout;
    line->setContentsMargins(space::icon + space::small, 0, 0, 0);
    line->addWidget(command, 1);
    line->addWidget(copy);
    m_layout->addLayout(line);
}

void TableNotes::show(const Binding& binding)
{
    // A live record is read again and again: what stays stands still.
    QString said = text(binding.name + '\n' + binding.profile);
    for (const auto* list : { &binding.warnings, &binding.notes })
        for (const auto& words : *list)
            said += u'\n' + text(words);
    if (said == m_shown)
        return;
    m_shown = said;
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        delete item->layout();
        delete item->widget();
    }
    qDeleteAll(findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
    if (binding.native || binding.profile.empty())
        return hide();
    auto* title = new PlainLabel(tr("About this table"), this);
    title->setFont(m_theme.font(Text::Section));
    m_layout->addWidget(title);
    addNote("table", "muted", tr("%1 · %2").arg(text(binding.title), text(binding.profile)));
    if (binding.mayHideRows)
        addNote("warning", "warning", tr("Row-level security is in force for this role: rows may be hidden."));
    for (const auto& warning : binding.warnings)
        if (!binding.mayHideRows || warning.find("rows may be hidden") == std::string::npos)
            addNote("warning", "warning", withStop(sentence(warning)));
    for (const auto& note : binding.notes)
        if (isDanger(note))
            addNote("warning", "danger", withStop(sentence(note)));
    for (const auto& note : binding.notes)
        if (!isDanger(note))
            addNote("information", "muted", withStop(sentence(note)));
    std::vector<std::pair<QString, QString>> refused; // why, verbs
    for (const auto& capability : binding.capabilities) {
        if (!capability.external.empty()) {
            addCommand(capability);
            continue;
        }
        if (capability.allowed || capability.why.empty())
            continue;
        const auto why = withStop(sentence(capability.why));
        const auto known =
            std::find_if(refused.begin(), refused.end(), [&](const auto& entry) { return entry.first == why; });
        if (known == refused.end())
            refused.emplace_back(why, titleOf(capability));
        else
            known->second += QStringLiteral(", ") + titleOf(capability).toLower();
    }
    for (const auto& [why, verbs] : refused)
        addNote("lock", "muted", tr("%1: %2").arg(verbs, why));
    QWidget::show();
}

} // namespace fencepost::ui

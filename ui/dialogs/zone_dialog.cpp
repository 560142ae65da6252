// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/zone_dialog.h"

#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/clock.h"
#include "ui/theme.h"
#include "ui/widgets/plain_label.h"

namespace fencepost::ui {

ZoneDialog::ZoneDialog(const Theme& theme, const models::Zone& current, QWidget* parent)
    : ZoneDialog(theme, current,
        { tr("Time zone of every instant shown"),
            tr("Grid, charts, clipboard and exports follow. The offset is always written."), true },
        parent)
{
}

ZoneDialog::ZoneDialog(const Theme& theme, const models::Zone& current, const Question& question, QWidget* parent)
    : QDialog(parent)
    , m_current(current.name())
    , m_local(question.local)
    , m_search(new QLineEdit(this))
    , m_list(new QListWidget(this))
    , m_none(new PlainLabel(this))
    , m_choose(new QPushButton(tr("Use this zone"), this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Time zone"));
    auto* title = new PlainLabel(question.title, this);
    title->setFont(theme.font(Text::Title));
    auto* note = new PlainLabel(question.note, this);
    note->setWordWrap(true);
    setTone(note, "muted");
    m_search->setPlaceholderText(tr("Search: Berlin, America, UTC"));
    m_search->setAccessibleName(tr("Search time zones"));
    m_list->setAccessibleName(tr("Time zones"));
    m_none->setWordWrap(true);
    setTone(m_none, "muted");
    setKind(m_choose, "primary");
    auto* cancel = new QPushButton(tr("Cancel"), this);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_choose);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, space::huge, space::huge, space::huge);
    layout->setSpacing(space::small);
    layout->addWidget(title);
    layout->addWidget(note);
    layout->addWidget(m_search);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_none, 1, Qt::AlignTop);
    layout->addLayout(buttons);
    resize(520, 480);
    m_choose->setDefault(true);
    connect(m_search, &QLineEdit::textChanged, this, &ZoneDialog::fill);
    connect(m_list, &QListWidget::itemDoubleClicked, this, &ZoneDialog::choose);
    connect(m_choose, &QPushButton::clicked, this, &ZoneDialog::choose);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    fill();
    m_search->setFocus();
}

void ZoneDialog::fill()
{
    m_list->clear();
    QStringList names{ QStringLiteral("UTC") };
    if (m_local)
        names += QStringLiteral("local");
    for (const QString& name : models::Zone::available()) {
        if (!names.contains(name))
            names += name;
    }
    const Time now = SystemClock().now();
    for (const QString& name : names) {
        if (!name.contains(m_search->text().trimmed(), Qt::CaseInsensitive))
            continue;
        const auto zone = models::Zone::named(name);
        if (!zone)
            continue;
        auto* item = new QListWidgetItem(zone->label(now), m_list);
        item->setData(Qt::UserRole, name);
        item->setSizeHint({ 0, space::row });
        if (name == m_current)
            m_list->setCurrentItem(item);
    }
    if (!m_list->currentItem())
        m_list->setCurrentRow(0);
    const bool none = m_list->count() == 0;
    m_none->setText(tr("No zone has “%1” in its name.").arg(m_search->text().trimmed()));
    m_none->setVisible(none);
    m_list->setVisible(!none);
    m_choose->setEnabled(!none);
}

void ZoneDialog::choose()
{
    if (!m_list->currentItem())
        return;
    const auto zone = models::Zone::named(m_list->currentItem()->data(Qt::UserRole).toString());
    if (zone)
        Q_EMIT chosen(*zone);
    accept();
}

} // namespace fencepost::ui

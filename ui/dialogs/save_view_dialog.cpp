// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/save_view_dialog.h"

#include <algorithm>

#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "models/saved_views.h"
#include "ui/theme.h"
#include "ui/widgets/field_list.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/wrapped.h"

namespace fencepost::ui {

namespace {

constexpr int dialogWidth = 520;

}

SaveViewDialog::SaveViewDialog(const Theme& theme, const models::SavedViews& views, const Kept& kept, QWidget* parent)
    : QDialog(parent)
    , m_views(views)
    , m_kind(kept.kind)
    , m_name(new QLineEdit(this))
    , m_note(new PlainLabel(this))
    , m_save(new QPushButton(tr("Save view"), this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Save this view"));
    auto* title = new PlainLabel(windowTitle(), this);
    title->setFont(theme.font(Text::Title));
    m_name->setPlaceholderText(tr("Night shift: payouts that wait"));
    m_name->setAccessibleName(tr("Name of the view"));
    auto* name = new PlainLabel(tr("Name"), this);
    name->setBuddy(m_name);
    setTone(name, "muted");
    auto* facts = new FieldList(theme, this);
    facts->setLines({ { tr("Filter"), kept.filter, {}, true, nullptr },
        { tr("Columns"), kept.columns, {}, false, nullptr }, { tr("Order"), kept.order, {}, false, nullptr } });
    m_note->setText(tr("A file in %1, so that a team can share it.").arg(views.folder()));
    wrapWithin(*m_note, dialogWidth - 2 * space::huge);
    setTone(m_note, "muted");
    setKind(m_save, "primary");
    auto* cancel = new QPushButton(tr("Cancel"), this);
    setTabOrder(m_name, cancel);
    setTabOrder(cancel, m_save);

    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_save);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, space::large, space::huge, space::large);
    layout->setSpacing(space::small);
    layout->addWidget(title);
    layout->addWidget(name);
    layout->addWidget(m_name);
    layout->addSpacing(space::tiny);
    layout->addWidget(facts);
    layout->addSpacing(space::tiny);
    layout->addWidget(m_note);
    layout->addSpacing(space::small);
    layout->addLayout(buttons);
    setFixedWidth(dialogWidth);

    m_save->setDefault(true);
    cancel->setAutoDefault(false);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_name, &QLineEdit::textChanged, this, &SaveViewDialog::showName);
    connect(m_save, &QPushButton::clicked, this, [this] {
        Q_EMIT named(m_name->text().trimmed());
        accept();
    });
    showName();
    m_name->setFocus();
}

void SaveViewDialog::showName()
{
    const QString name = m_name->text().trimmed();
    const auto known = m_views.of(m_kind);
    const auto same =
        std::find_if(known.begin(), known.end(), [&name](const models::SavedView& view) { return view.name == name; });
    const bool taken = same != known.end();
    const bool shipped = taken && same->shipped;
    m_save->setEnabled(!name.isEmpty() && !shipped);
    m_save->setText(taken && !shipped ? tr("Replace view") : tr("Save view"));
    m_note->setText(shipped ? tr("%1 comes with the program: choose another name.").arg(name)
            : taken         ? tr("A view of this name is there already, and would be replaced.")
                            : tr("A file in %1, so that a team can share it.").arg(m_views.folder()));
    setTone(m_note, taken ? "warning" : "muted");
}

} // namespace fencepost::ui

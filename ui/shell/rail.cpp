// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/rail.h"

#include <QAction>
#include <QButtonGroup>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/commands.h"
#include "ui/pages.h"
#include "ui/theme.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int wide = 176;
constexpr int narrow = 56;
constexpr int lowest = 24; // of an item, in a window that is short
constexpr int highest = 34;
constexpr int between = 2;

} // namespace

Rail::Rail(const Theme& theme, const Commands& commands, QWidget* parent)
    : QWidget(parent)
{
    setObjectName(QStringLiteral("rail"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Pages"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::small, space::medium, space::small, space::small);
    layout->setSpacing(between);
    auto* group = new QButtonGroup(this);
    for (const PageEntry& page : pages()) {
        QToolButton* button = makeButton(theme.icon(page.icon), tr(page.title));
        button->setCheckable(true);
        group->addButton(button);
        const QAction* action = commands.action("page." + std::string(page.id));
        button->setToolTip(tr("%1 (%2)").arg(tr(page.title), action->shortcut().toString(QKeySequence::NativeText)));
        // Connections stand apart: they are where the others look, not another look at the same rows.
        if (std::string_view(page.id) == "connections")
            layout->addSpacing(space::large);
        layout->addWidget(button);
        m_items.push_back({ QLatin1String(page.id), tr(page.title), button });
        connect(button, &QToolButton::clicked, this, [this, id = QLatin1String(page.id)] { Q_EMIT chosen(id); });
    }
    layout->addStretch();
    m_collapse = makeButton(theme.icon("rail", Role::Muted), tr("Collapse"));
    layout->addWidget(m_collapse);
    connect(m_collapse, &QToolButton::clicked, this, [this] { setCollapsed(!m_collapsed); });
    setFixedWidth(wide);
}

void Rail::setCurrent(std::string_view page)
{
    for (const Item& item : m_items)
        item.button->setChecked(item.page == text(page));
}

void Rail::setCollapsed(bool collapsed)
{
    if (m_collapsed == collapsed)
        return;
    m_collapsed = collapsed;
    arrange();
    Q_EMIT collapsedChanged(collapsed);
}

void Rail::setNarrow(bool tight)
{
    if (m_narrow == tight)
        return;
    m_narrow = tight;
    arrange();
}

void Rail::arrange()
{
    const bool collapsed = m_collapsed || m_narrow;
    const auto style = collapsed ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon;
    for (const Item& item : m_items)
        item.button->setToolButtonStyle(style);
    m_collapse->setToolButtonStyle(style);
    m_collapse->setAccessibleName(m_collapsed ? tr("Expand the rail") : tr("Collapse the rail"));
    setFixedWidth(collapsed ? narrow : wide);
    m_collapse->setVisible(!m_narrow);
}

QToolButton* Rail::makeButton(const QIcon& icon, const QString& title)
{
    auto* button = new QToolButton(this);
    button->setIcon(icon);
    button->setIconSize({ space::railIcon, space::railIcon });
    button->setText(QStringLiteral("  ") + title);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    button->setMinimumHeight(lowest);
    button->setMaximumHeight(highest);
    button->setAccessibleName(title);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>

#include "ui/dialogs/text_dialog.h"
#include "ui/theme.h"

namespace fencepost::ui {

ChartMenu::ChartMenu(const Theme& theme, QWidget& chart, QWidget* parent)
    : QToolButton(parent)
    , m_theme(theme)
    , m_chart(chart)
{
    setIcon(theme.icon("more", Role::Muted));
    setAccessibleName(tr("What to do with this chart"));
    setToolTip(tr("Query, picture and numbers of this chart"));
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::TabFocus);
    setProperty("menu", QStringLiteral("none"));
    setKind(this, "chart");
    auto* menu = new QMenu(this);
    m_queryAction = menu->addAction(theme.icon("code"), tr("Show the query"), this, &ChartMenu::showQuery);
    menu->addAction(theme.icon("copy"), tr("Copy as PNG"), this, &ChartMenu::copyPicture);
    m_csvAction = menu->addAction(theme.icon("copy"), tr("Copy as CSV"), this, [this] {
        if (m_csv)
            QApplication::clipboard()->setText(m_csv());
    });
    setMenu(menu);
}

void ChartMenu::setTitle(const QString& title)
{
    m_title = title;
}

void ChartMenu::setNumbers(std::function<QString()> csv, std::function<QString()> query)
{
    m_csv = std::move(csv);
    m_query = std::move(query);
    m_csvAction->setVisible(bool(m_csv));
    m_queryAction->setVisible(bool(m_query));
}

// With the title, on the card's ground: a chart that travels alone still says what it is.
void ChartMenu::copyPicture()
{
    QPixmap picture(m_chart.size() * m_chart.devicePixelRatioF());
    picture.setDevicePixelRatio(m_chart.devicePixelRatioF());
    picture.fill(m_theme.color(Role::Surface));
    m_chart.render(&picture);
    QApplication::clipboard()->setPixmap(picture);
}

void ChartMenu::showQuery()
{
    (new TextDialog(
         m_theme, tr("The query behind “%1”").arg(m_title), m_query ? m_query() : QString(), m_chart.window()))
        ->open();
}

} // namespace fencepost::ui

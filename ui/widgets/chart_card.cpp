// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_card.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/chart_style.h"
#include "ui/dialogs/text_dialog.h"
#include "ui/theme.h"
#include "ui/widgets/empty_state.h"

namespace fencepost::ui {

ChartCard::ChartCard(const Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_theme(theme)
    , m_title(new QLabel(this))
    , m_caption(new QLabel(this))
    , m_view(new QChartView(this))
    , m_empty(new EmptyState(theme, this))
{
    setPart(this, "card");
    m_title->setFont(theme.font(Text::Section));
    m_title->setWordWrap(true);
    m_caption->setFont(theme.font(Text::Caption));
    m_caption->setWordWrap(true);
    setTone(m_caption, "muted");
    styleView(*m_view);
    m_view->setMinimumHeight(140);

    auto* more = new QToolButton(this);
    more->setIcon(theme.icon("more", Role::Muted));
    more->setAccessibleName(tr("What to do with this chart"));
    more->setPopupMode(QToolButton::InstantPopup);
    more->setProperty("menu", QStringLiteral("none"));
    auto* menu = new QMenu(more);
    menu->addAction(theme.icon("code"), tr("Show the query"), this, &ChartCard::showQuery);
    menu->addAction(theme.icon("copy"), tr("Copy as PNG"), this, &ChartCard::copyPicture);
    menu->addAction(theme.icon("copy"), tr("Copy as CSV"), this, [this] {
        if (m_csv)
            QApplication::clipboard()->setText(m_csv());
    });
    more->setMenu(menu);

    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_title);
    words->addWidget(m_caption);
    auto* head = new QHBoxLayout;
    head->addLayout(words, 1);
    head->addWidget(more, 0, Qt::AlignTop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::large, space::medium, space::small, space::small);
    layout->setSpacing(space::small);
    layout->addLayout(head);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_empty, 1);
    m_empty->hide();
}

void ChartCard::setTitle(const QString& finding, const QString& caption)
{
    m_title->setText(finding);
    m_caption->setText(caption);
    m_caption->setVisible(!caption.isEmpty());
    m_view->setAccessibleName(finding);
}

void ChartCard::showChart()
{
    m_empty->hide();
    m_view->show();
}

void ChartCard::showEmpty(const QString& title, const QString& why)
{
    m_view->hide();
    m_empty->show(Emptiness::NotLoaded, title, why);
}

void ChartCard::setNumbers(std::function<QString()> csv, std::function<QString()> query)
{
    m_csv = std::move(csv);
    m_query = std::move(query);
}

// With the title, on the card's ground: a chart that travels alone still says what it is.
void ChartCard::copyPicture()
{
    QPixmap picture(size() * devicePixelRatioF());
    picture.setDevicePixelRatio(devicePixelRatioF());
    picture.fill(m_theme.color(Role::Surface));
    render(&picture);
    QApplication::clipboard()->setPixmap(picture);
}

void ChartCard::showQuery()
{
    (new TextDialog(
         m_theme, tr("The query behind “%1”").arg(m_title->text()), m_query ? m_query() : QString(), window()))
        ->open();
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_card.h"

#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/chart_style.h"
#include "ui/theme.h"
#include "ui/widgets/chart_menu.h"
#include "ui/widgets/empty_state.h"

namespace fencepost::ui {

ChartCard::ChartCard(const Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_title(new QLabel(this))
    , m_caption(new QLabel(this))
    , m_view(new QChartView(this))
    , m_menu(new ChartMenu(theme, *this, this))
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

    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_title);
    words->addWidget(m_caption);
    auto* head = new QHBoxLayout;
    head->addLayout(words, 1);
    head->addWidget(m_menu, 0, Qt::AlignTop);
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
    m_menu->setTitle(finding);
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
    m_menu->setNumbers(std::move(csv), std::move(query));
}

} // namespace fencepost::ui

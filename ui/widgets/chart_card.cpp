// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_card.h"

#include <QPainter>
#include <QVBoxLayout>

#include "ui/chart_style.h"
#include "ui/theme.h"
#include "ui/widgets/chart_menu.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/state_legend.h"

namespace fencepost::ui {

ChartCard::ChartCard(const Theme& theme, QWidget* parent)
    : ChartCard(theme, new QChartView, parent)
{
    m_view = static_cast<QChartView*>(m_body);
    styleView(*m_view);
    m_view->setMinimumHeight(140);
}

ChartCard::ChartCard(const Theme& theme, QWidget* body, QWidget* parent)
    : QFrame(parent)
    , m_title(new PlainLabel(this))
    , m_caption(new PlainLabel(this))
    , m_body(body)
    , m_tools(new QHBoxLayout)
    , m_menu(new ChartMenu(theme, *this, this))
    , m_legend(new StateLegend(theme, this))
    , m_empty(new EmptyState(theme, this))
{
    setPart(this, "card");
    m_title->setFont(theme.font(Text::Section));
    m_title->setWordWrap(true);
    m_caption->setFont(theme.font(Text::Caption));
    m_caption->setWordWrap(true);
    setTone(m_caption, "muted");

    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_title);
    words->addWidget(m_caption);
    m_tools->addLayout(words, 1);
    m_tools->addWidget(m_menu, 0, Qt::AlignTop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::large, space::medium, space::small, space::small);
    layout->setSpacing(space::small);
    layout->addLayout(m_tools);
    layout->addWidget(m_legend);
    layout->addWidget(m_body, 1);
    layout->addWidget(m_empty, 1);
    m_legend->hide();
    m_empty->hide();
}

void ChartCard::setLegend(const std::vector<std::string>& states)
{
    m_legend->setStates(states);
    m_legend->setVisible(!states.empty() && !m_body->isHidden());
}

void ChartCard::setTitle(const QString& finding, const QString& caption)
{
    m_title->setText(finding);
    m_menu->setTitle(finding);
    m_caption->setText(caption);
    m_caption->setVisible(!caption.isEmpty());
    m_body->setAccessibleName(finding);
}

void ChartCard::showChart()
{
    m_empty->hide();
    m_body->show();
    m_legend->setVisible(!m_legend->states().empty());
}

void ChartCard::showEmpty(const QString& title, const QString& why, Emptiness emptiness)
{
    m_body->hide();
    m_legend->hide();
    m_empty->show(emptiness, title, why);
}

void ChartCard::addTool(QWidget* tool)
{
    m_tools->insertWidget(m_tools->count() - 1, tool, 0, Qt::AlignTop);
}

QString ChartCard::title() const
{
    return m_title->text();
}

void ChartCard::setNumbers(std::function<QString()> csv, std::function<QString()> query)
{
    m_menu->setNumbers(std::move(csv), std::move(query));
}

} // namespace fencepost::ui

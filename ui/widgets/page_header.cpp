// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/page_header.h"

#include <QHBoxLayout>

#include "ui/theme.h"
#include "ui/widgets/plain_label.h"

namespace fencepost::ui {

PageHeader::PageHeader(const Theme& theme, const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_subtitle(new PlainLabel(this))
    , m_right(new QHBoxLayout)
{
    auto* heading = new PlainLabel(title, this);
    heading->setFont(theme.font(Text::Title));
    m_subtitle->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setTone(m_subtitle, "muted");
    m_subtitle->hide();
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(heading);
    words->addWidget(m_subtitle);
    m_right->setSpacing(space::small);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(words, 1);
    layout->addLayout(m_right);
}

void PageHeader::setSubtitle(const QString& subtitle)
{
    m_subtitle->setText(subtitle);
    m_subtitle->setVisible(!subtitle.isEmpty());
}

void PageHeader::addRight(QWidget* widget)
{
    m_right->addWidget(widget, 0, Qt::AlignVCenter);
}

} // namespace fencepost::ui

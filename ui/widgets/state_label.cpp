// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/state_label.h"

#include <QPainter>

#include "ui/theme.h"

namespace fencepost::ui {

StateLabel::StateLabel(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void StateLabel::setState(const std::string& state, bool stuck)
{
    m_state = state;
    m_stuck = stuck;
    setAccessibleName(stateLook(state).word + (stuck ? tr(", stuck") : QString()));
    updateGeometry();
    update();
}

void StateLabel::setFramed(bool framed)
{
    m_framed = framed;
    updateGeometry();
    update();
}

QSize StateLabel::sizeHint() const
{
    return { m_theme.widthOf({ .state = m_state, .stuck = m_stuck, .framed = m_framed }) + 2, 24 };
}

void StateLabel::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    m_theme.paintState(
        painter, rect(), { .state = m_state, .stuck = m_stuck, .dimmed = !isEnabled(), .framed = m_framed });
}

} // namespace fencepost::ui

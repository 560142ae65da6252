// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/state_legend.h"

#include <algorithm>

#include <QPainter>

#include "ui/theme.h"

namespace fencepost::ui {

namespace {

constexpr int lineHeight = 18;
constexpr int iconSize = 12;

} // namespace

StateLegend::StateLegend(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setFixedHeight(lineHeight);
    setAccessibleName(tr("Colours of the states"));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void StateLegend::setStates(std::vector<std::string> states)
{
    if (m_states == states)
        return;
    m_states = std::move(states);
    QStringList words;
    for (const auto& state : m_states)
        words += stateLook(state).word;
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    updateGeometry();
    fit();
    update();
}

// Not by a height for a width: layouts within a scrolled grid give such a widget the height of its hint.
void StateLegend::fit()
{
    setFixedHeight(heightFor(width()));
}

void StateLegend::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

int StateLegend::widthOf(const std::string& state) const
{
    return iconSize + space::tiny + QFontMetrics(m_theme.font(Text::Caption)).horizontalAdvance(stateLook(state).word)
        + 1;
}

std::vector<QRect> StateLegend::places(int width) const
{
    std::vector<QRect> places;
    int left = 0;
    int top = 0;
    for (const auto& state : m_states) {
        const int wide = widthOf(state);
        if (left > 0 && left + wide > width) {
            left = 0;
            top += lineHeight;
        }
        places.emplace_back(left, top, wide, lineHeight);
        left += wide + space::medium;
    }
    return places;
}

QSize StateLegend::sizeHint() const
{
    int wide = 0;
    for (const auto& state : m_states)
        wide += widthOf(state) + space::medium;
    return { std::max(0, wide - space::medium), lineHeight };
}

QSize StateLegend::minimumSizeHint() const
{
    int widest = 0;
    for (const auto& state : m_states)
        widest = std::max(widest, widthOf(state));
    return { widest, lineHeight };
}

// A line is kept for those that come.
int StateLegend::heightFor(int width) const
{
    return m_states.empty() ? lineHeight : places(width).back().bottom() + 1;
}

void StateLegend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(m_theme.font(Text::Caption));
    const auto all = places(width());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto look = stateLook(m_states[i]);
        const auto colour = m_theme.color(look.role);
        const QRectF place(all[i]);
        m_theme.paintIcon(
            painter, QRectF(place.left(), place.center().y() - iconSize / 2.0, iconSize, iconSize), look.icon, colour);
        painter.setPen(colour);
        painter.drawText(place.adjusted(iconSize + space::tiny, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, look.word);
    }
}

} // namespace fencepost::ui

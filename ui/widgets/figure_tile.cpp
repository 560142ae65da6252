// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/figure_tile.h"

#include <QFontMetrics>
#include <QPainter>

namespace fencepost::ui {

FigureTile::FigureTile(const Theme& theme, const char* icon, const QString& caption, QWidget* parent)
    : QAbstractButton(parent)
    , m_theme(theme)
    , m_icon(icon)
{
    setText(caption);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    setFigure(QStringLiteral("–"), {});
}

void FigureTile::setFigure(const QString& figure, const QString& note, Role role)
{
    m_figure = figure;
    m_note = note;
    m_role = role;
    setAccessibleName(tr("%1: %2. %3").arg(text(), figure, note));
    setToolTip(note);
    update();
}

void FigureTile::setDimmed(bool dimmed)
{
    m_dimmed = dimmed;
    update();
}

void FigureTile::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setBrush(isDown()             ? m_theme.tint(Role::Accent, 16)
            : underMouse() && isEnabled() ? m_theme.tint(Role::Accent, 8)
                                          : m_theme.color(Role::Surface));
    painter.setPen(hasFocus() ? QPen(m_theme.color(Role::Accent), 2) : QPen(m_theme.color(Role::Border), 1));
    painter.drawRoundedRect(hasFocus() ? frame.adjusted(0.5, 0.5, -0.5, -0.5) : frame, space::radius, space::radius);

    const QRect inner = rect().adjusted(space::large, space::medium, -space::medium, -space::medium);
    const QColor muted = m_theme.color(Role::Muted);
    m_theme.paintIcon(painter, QRectF(inner.left(), inner.top(), space::icon, space::icon), m_icon,
        m_dimmed ? muted : m_theme.color(m_role == Role::Text ? Role::Muted : m_role));
    const auto line = [&painter, &inner](const QFont& font, const QColor& colour, int top, int height, int indent,
                          const QString& words) {
        painter.setFont(font);
        painter.setPen(colour);
        const QRect place(inner.left() + indent, inner.top() + top, inner.width() - indent, height);
        painter.drawText(place, Qt::AlignVCenter, QFontMetrics(font).elidedText(words, Qt::ElideRight, place.width()));
    };
    line(m_theme.font(Text::Body), muted, 0, space::icon, space::icon + space::small, text());
    line(m_theme.font(Text::Figure), m_dimmed ? muted : m_theme.color(m_role), 20, 40, 0, m_figure);
    line(m_theme.font(Text::Caption), muted, 63, 16, 0, m_note);
}

void FigureTile::enterEvent(QEnterEvent* event)
{
    QAbstractButton::enterEvent(event);
    update();
}

void FigureTile::leaveEvent(QEvent* event)
{
    QAbstractButton::leaveEvent(event);
    update();
}

} // namespace fencepost::ui

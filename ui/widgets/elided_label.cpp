// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QTimer>

#include "ui/theme.h"
#include "ui/widgets/payload_text.h"
#include "ui/widgets/plain_tooltip.h"

namespace fencepost::ui {

namespace {

constexpr int iconRoom = 20;

}

ElidedLabel::ElidedLabel(const Theme& theme, bool monospace, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setFont(theme.font(monospace ? fencepost::ui::Text::Mono : fencepost::ui::Text::Body));
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void ElidedLabel::setText(const QString& text)
{
    m_text = text;
    m_shown = visible(text);
    m_copied = false;
    setToolTip(plainToolTip(tr("%1\n\nClick to copy").arg(m_shown)));
    setAccessibleName(m_shown.left(400));
    updateGeometry();
    update();
}

void ElidedLabel::setFont(const QFont& font)
{
    QWidget::setFont(font);
    updateGeometry();
}

QSize ElidedLabel::sizeHint() const
{
    return { fontMetrics().horizontalAdvance(m_shown.left(80)) + iconRoom, fontMetrics().height() + 4 };
}

QSize ElidedLabel::minimumSizeHint() const
{
    return { 60, fontMetrics().height() + 4 };
}

void ElidedLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool icon = m_hovered || m_copied || hasFocus();
    const int room = width() - (icon ? iconRoom : 0);
    constexpr qsizetype longest = 2000;
    const auto shown = fontMetrics().elidedText(
        m_shown.size() > longest ? m_shown.left(longest / 2) + u'…' + m_shown.right(longest / 2) : m_shown,
        Qt::ElideMiddle, room);
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(QRect(0, 0, room, height()), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, shown);
    if (icon)
        m_theme.paintIcon(painter,
            QRectF(std::min(room, fontMetrics().horizontalAdvance(shown)) + 5, (height() - 13) / 2.0, 13, 13),
            m_copied ? "good" : "copy", m_theme.color(m_copied ? Role::Succeeded : Role::Muted));
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 1.5));
        painter.drawLine(QPointF(0, height() - 1), QPointF(width(), height() - 1));
    }
}

void ElidedLabel::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint()))
        copy();
}

void ElidedLabel::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy) || event->key() == Qt::Key_Return || event->key() == Qt::Key_Space)
        return copy();
    QWidget::keyPressEvent(event);
}

void ElidedLabel::enterEvent(QEnterEvent* event)
{
    m_hovered = true;
    update();
    QWidget::enterEvent(event);
}

void ElidedLabel::leaveEvent(QEvent* event)
{
    m_hovered = false;
    update();
    QWidget::leaveEvent(event);
}

void ElidedLabel::copy()
{
    QGuiApplication::clipboard()->setText(m_text);
    m_copied = true;
    update();
    QTimer::singleShot(1500, this, [this] {
        m_copied = false;
        update();
    });
    Q_EMIT copied();
}

} // namespace fencepost::ui

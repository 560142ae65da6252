// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/environment_band.h"

#include <QFontMetrics>
#include <QPainter>

#include "ui/theme.h"

namespace fencepost::ui {

namespace {

EnvironmentLook lookOf(const QString& environment)
{
    return environmentLook(environment.toStdString());
}

QFont wordFont(const Theme& theme)
{
    QFont font = theme.font(Text::Caption);
    font.setWeight(QFont::DemiBold);
    font.setLetterSpacing(QFont::AbsoluteSpacing, 0.6);
    return font;
}

} // namespace

EnvironmentBand::EnvironmentBand(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void EnvironmentBand::show(const QString& environment, const QString& place)
{
    m_environment = environment;
    m_place = place;
    setAccessibleName(tr("Environment %1, %2").arg(lookOf(environment).word, place));
    update();
}

void EnvironmentBand::paintEvent(QPaintEvent* /*event*/)
{
    const EnvironmentLook look = lookOf(m_environment);
    const QColor colour = m_theme.color(look.role);
    QPainter painter(this);
    if (look.hatched) {
        painter.fillRect(rect(), m_theme.color(Role::DangerFill));
        QColor stroke = m_theme.color(Role::OnDanger);
        stroke.setAlphaF(0.18F);
        m_theme.paintHatch(painter, rect(), stroke);
    } else {
        painter.fillRect(rect(), m_theme.tint(look.role, 12));
        painter.fillRect(QRect(0, 0, 4, height()), colour);
    }
    const QColor ink = look.hatched ? m_theme.color(Role::OnDanger) : colour;
    const QFont bold = wordFont(m_theme);
    const QFontMetrics metrics(bold);
    const int left = space::large + space::icon + space::small;
    const int words = metrics.horizontalAdvance(look.word);
    if (look.hatched) // words never stand on strokes
        painter.fillRect(QRect(space::large - space::small, 0,
                             space::icon + words + 4 * space::small
                                 + QFontMetrics(m_theme.font(Text::Caption)).horizontalAdvance(m_place),
                             height()),
            m_theme.color(Role::DangerFill));
    m_theme.paintIcon(
        painter, QRectF(space::large, (height() - space::icon) / 2.0, space::icon, space::icon), look.icon, ink);
    painter.setPen(ink);
    painter.setFont(bold);
    painter.drawText(QRect(left, 0, words, height()), Qt::AlignVCenter, look.word);
    painter.setFont(m_theme.font(Text::Caption));
    painter.setPen(look.hatched ? ink : m_theme.color(Role::Text));
    const QRect rest(left + words + space::medium, 0, width() - left - words - space::medium - space::large, height());
    painter.drawText(
        rest, Qt::AlignVCenter, QFontMetrics(painter.font()).elidedText(m_place, Qt::ElideMiddle, rest.width()));
}

EnvironmentChip::EnvironmentChip(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void EnvironmentChip::setEnvironment(const QString& environment)
{
    m_environment = environment;
    setAccessibleName(tr("Environment %1").arg(lookOf(environment).word));
    updateGeometry();
    update();
}

QSize EnvironmentChip::sizeHint() const
{
    const int words = QFontMetrics(wordFont(m_theme)).horizontalAdvance(lookOf(m_environment).word);
    return { words + space::icon + 3 * space::small, 22 };
}

void EnvironmentChip::paintEvent(QPaintEvent* /*event*/)
{
    const EnvironmentLook look = lookOf(m_environment);
    const QColor colour = m_theme.color(look.role);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(m_theme.tint(look.role, 8));
    painter.setPen(QPen(m_theme.tint(look.role, 50), 1));
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.drawRoundedRect(frame, space::radius, space::radius);
    if (look.hatched)
        m_theme.paintHatch(painter, QRectF(1.5, 3, 4, height() - 6), colour);
    m_theme.paintIcon(painter, QRectF(space::small, (height() - 14) / 2.0, 14, 14), look.icon, colour);
    painter.setPen(colour);
    painter.setFont(wordFont(m_theme));
    painter.drawText(rect().adjusted(space::small + space::icon + 2, 0, 0, 0), Qt::AlignVCenter, look.word);
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/drawing.h"

#include <algorithm>
#include <cmath>

#include <QBuffer>
#include <QHelpEvent>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <QToolTip>
#include <QWheelEvent>

#include "models/files.h"
#include "ui/theme.h"
#include "ui/widgets/plain_tooltip.h"

namespace fencepost::ui {

namespace {

constexpr double smallestZoom = 0.5;
constexpr double largestZoom = 3;
constexpr double zoomStep = 1.2;
constexpr double pictureScale = 2; // of a PNG: for a report on paper or a sharp screen
constexpr int vectorScale = 3; // of an SVG's coordinates: its icons are pictures
constexpr int screenResolution = 96; // of those who show an SVG: as large as in the window
// Where an SVG is shown, the console's own fonts need not be installed.
constexpr QLatin1String fontsElsewhere("font-family=\"Inter, 'Helvetica Neue', Arial, sans-serif\"");
constexpr int titleFlags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;

} // namespace

Drawing::Drawing(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&theme, &Theme::changed, this, [this] { layOutAgain(); });
}

void Drawing::setZoom(double zoom)
{
    zoom = std::clamp(zoom, smallestZoom, largestZoom);
    if (zoom == m_zoom)
        return;
    m_zoom = zoom;
    updateGeometry();
    update();
    Q_EMIT zoomChanged(zoom);
}

void Drawing::zoomIn()
{
    setZoom(m_zoom * zoomStep);
}

void Drawing::zoomOut()
{
    setZoom(m_zoom / zoomStep);
}

bool Drawing::zoomByKey(int key)
{
    switch (key) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomIn();
        return true;
    case Qt::Key_Minus:
        zoomOut();
        return true;
    case Qt::Key_0:
        setZoom(1);
        return true;
    default:
        return false;
    }
}

QPointF Drawing::origin() const
{
    const auto size = drawingSize() * scale();
    return { std::max(0.0, (width() - size.width()) / 2), std::max(0.0, (height() - size.height()) / 2) };
}

void Drawing::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    painter.translate(origin());
    painter.scale(scale(), scale());
    draw(painter);
}

QRectF Drawing::titleBox(const QString& title) const
{
    if (title.isEmpty())
        return {};
    const QRectF room(space::medium, space::medium, drawingSize().width() - 2 * space::medium, 1'000);
    return QFontMetricsF(m_theme.font(Text::Strong)).boundingRect(room, titleFlags, title);
}

void Drawing::drawSheet(QPainter& painter, const QString& title) const
{
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    if (const auto box = titleBox(title); !box.isEmpty()) {
        painter.setFont(m_theme.font(Text::Strong));
        painter.setPen(m_theme.color(Role::Text));
        painter.drawText(box, titleFlags, title);
        painter.translate(0, std::ceil(box.bottom()) + space::small);
    }
    draw(painter);
}

Status Drawing::save(const QString& path, const QString& title) const
{
    const auto box = titleBox(title);
    const double above = box.isEmpty() ? 0 : std::ceil(box.bottom()) + space::small;
    const QSize sheet = (drawingSize() + QSizeF(0, above)).toSize();
    QByteArray octets;
    QBuffer buffer(&octets);
    buffer.open(QIODevice::WriteOnly);
    if (path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize(sheet);
        generator.setResolution(screenResolution);
        generator.setViewBox(QRect(QPoint(), sheet * vectorScale));
        // The generator writes it as it is.
        generator.setTitle(title.toHtmlEscaped());
        QPainter painter(&generator);
        painter.scale(vectorScale, vectorScale);
        painter.fillRect(QRect(QPoint(), sheet), m_theme.color(Role::Surface));
        drawSheet(painter, title);
    } else if (path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) {
        QImage image(sheet * pictureScale, QImage::Format_ARGB32_Premultiplied);
        image.fill(m_theme.color(Role::Surface));
        {
            QPainter painter(&image);
            painter.scale(pictureScale, pictureScale);
            drawSheet(painter, title);
        }
        image.setText(QStringLiteral("Title"), title);
        image.save(&buffer, "PNG");
    } else {
        return Error{ Failure::Invalid, "A diagram is saved as .svg or .png", path.toStdString() };
    }
    octets.replace("font-family=\"" + QByteArray(tabularFamily.data()) + '"', fontsElsewhere.data());
    return models::replaceFile(path, octets);
}

void Drawing::wheelEvent(QWheelEvent* event)
{
    if (!event->modifiers().testFlag(Qt::ControlModifier))
        return QWidget::wheelEvent(event);
    setZoom(m_zoom * std::pow(zoomStep, event->angleDelta().y() / 120.0));
    event->accept();
}

void Drawing::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        layOutAgain();
    QWidget::changeEvent(event);
}

bool Drawing::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), plainToolTip(tipAt(help->pos())), this);
    return true;
}

} // namespace fencepost::ui

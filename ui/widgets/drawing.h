// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/result.h"

namespace fencepost::ui {

class Theme;

// A diagram that is zoomed (Ctrl and the wheel; plus, minus and 0) and saved for a report. Whoever draws it is asked
// in logical pixels.
class Drawing : public QWidget {
    Q_OBJECT
public:
    // 1: as large as there is room for.
    [[nodiscard]] double zoom() const { return m_zoom; }
    void setZoom(double zoom);
    void zoomIn();
    void zoomOut();

    // The drawing below its title: SVG or PNG, by the name's end. An error is Invalid, Denied or Full, and no file is
    // left then that was not there before.
    [[nodiscard]] Status save(const QString& path, const QString& title) const;

Q_SIGNALS:
    void zoomChanged(double zoom);

protected:
    Drawing(const Theme& theme, QWidget* parent);

    [[nodiscard]] const Theme& theme() const { return m_theme; }
    [[nodiscard]] virtual QSizeF drawingSize() const = 0;
    virtual void draw(QPainter& painter) const = 0;
    // Of what is drawn to the widget.
    [[nodiscard]] virtual double scale() const = 0;
    [[nodiscard]] virtual QPointF origin() const;
    // Where the pointer is, in what is drawn.
    [[nodiscard]] QPointF drawnPoint(const QPointF& position) const { return (position - origin()) / scale(); }
    // What is said about this place; empty: nothing.
    [[nodiscard]] virtual QString tipAt(const QPointF& position) const = 0;
    // Its fonts or its colours are others.
    virtual void layOutAgain() = 0;
    // False: the key has nothing to do with the zoom.
    [[nodiscard]] bool zoomByKey(int key);

    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRectF titleBox(const QString& title) const;
    void drawSheet(QPainter& painter, const QString& title) const;

    const Theme& m_theme;
    double m_zoom = 1;
};

} // namespace fencepost::ui

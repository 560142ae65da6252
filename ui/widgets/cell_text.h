// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCache>
#include <QFont>
#include <QStaticText>
#include <QString>

class QPainter;
class QRect;

namespace fencepost::ui {

// Paints the texts of a grid's cells, one line each, elided to their places. Shaping is most of what a cell costs, and
// most cells of a frame were in the frame before: what was shaped is kept.
class CellText {
public:
    // Of a face whose characters are all of one width, the place in a text can be told without shaping it.
    enum class Face { Proportional, Monospace };

    CellText(const QFont& font, Face face);

    void paint(QPainter& painter, const QRect& place, Qt::Alignment alignment, const QString& text,
        Qt::TextElideMode elision) const;

private:
    struct Key {
        QString text;
        int width = 0;
        Qt::TextElideMode elision = Qt::ElideNone;
        bool operator==(const Key&) const = default;
    };
    friend size_t qHash(const Key& key, size_t seed) { return qHashMulti(seed, key.text, key.width, int(key.elision)); }

    [[nodiscard]] QStaticText shaped(const QString& text) const;
    [[nodiscard]] QStaticText fitted(const Key& key) const;
    [[nodiscard]] QString cut(const QString& text, int characters, Qt::TextElideMode elision) const;

    QFont m_font;
    qreal m_advance = 0; // of every character; 0: they differ
    mutable QCache<Key, QStaticText> m_shaped;
};

} // namespace fencepost::ui

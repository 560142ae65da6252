// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/cell_text.h"

#include <algorithm>

#include <QFontMetricsF>
#include <QPainter>
#include <QTextOption>
#include <QTransform>

namespace fencepost::ui {

namespace {

constexpr int kept = 2000; // some screens full
constexpr QChar ellipsis(u'…');

// One cell of the face each, never joined with the next.
bool isPlain(const QString& text)
{
    return std::all_of(text.begin(), text.end(), [](QChar each) { return each >= u' ' && each <= u'~'; });
}

} // namespace

CellText::CellText(const QFont& font, Face face)
    : m_font(font)
    , m_shaped(kept)
{
    constexpr int sample = 64;
    if (face == Face::Monospace)
        m_advance = QFontMetricsF(font).horizontalAdvance(QString(sample, u'0')) / sample;
}

void CellText::paint(QPainter& painter, const QRect& place, Qt::Alignment alignment, const QString& text,
    Qt::TextElideMode elision) const
{
    if (text.isEmpty() || place.width() <= 0)
        return;
    const Key key{ text, place.width(), elision };
    const auto* found = m_shaped.object(key);
    if (!found) {
        m_shaped.insert(key, new QStaticText(fitted(key)));
        found = m_shaped.object(key);
    }
    const auto size = found->size();
    qreal left = place.left();
    if (alignment.testFlag(Qt::AlignRight))
        left += place.width() - size.width();
    else if (alignment.testFlag(Qt::AlignHCenter))
        left += (place.width() - size.width()) / 2;
    painter.setFont(m_font);
    painter.drawStaticText(QPointF(left, place.top() + (place.height() - int(size.height())) / 2), *found);
}

QStaticText CellText::shaped(const QString& text) const
{
    // A line feed would make two lines of it.
    QStaticText result(QString(text).replace(u'\n', u' '));
    result.setTextFormat(Qt::PlainText);
    // Alignment follows the column, never the direction of the data.
    result.setTextOption(QTextOption(Qt::AlignLeft | Qt::AlignAbsolute));
    result.prepare(QTransform(), m_font);
    return result;
}

QStaticText CellText::fitted(const Key& key) const
{
    if (m_advance > 0 && isPlain(key.text))
        return shaped(cut(key.text, int(key.width / m_advance), key.elision));
    const auto whole = shaped(key.text);
    if (whole.size().width() <= key.width)
        return whole;
    return shaped(QFontMetrics(m_font).elidedText(key.text, key.elision, key.width));
}

QString CellText::cut(const QString& text, int characters, Qt::TextElideMode elision) const
{
    if (text.size() <= characters || characters < 1)
        return characters < 1 ? QString() : text;
    const int left = elision == Qt::ElideMiddle ? characters / 2 : characters - 1;
    return text.left(left) + ellipsis + text.right(characters - 1 - left);
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/filter_field.h"

#include <algorithm>

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStringListModel>
#include <QStyle>

#include "ui/theme.h"

namespace fencepost::ui {

FilterField::FilterField(const Theme& theme, QWidget* parent)
    : QLineEdit(parent)
    , m_theme(theme)
    , m_words(new QStringListModel(this))
    , m_completer(new QCompleter(m_words, this))
{
    setFont(theme.font(Text::Mono));
    setPlaceholderText(tr("Filter: stuck and scope = payments and age > 5m"));
    addClearButton(*this, theme);
    setAccessibleName(tr("Filter"));
    addAction(theme.icon("filter", Role::Muted), QLineEdit::LeadingPosition);
    // Not QLineEdit's own completer: that one completes the whole line, this one the word at the cursor.
    m_completer->setWidget(this);
    m_completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this, &FilterField::take);
    connect(this, &QLineEdit::textChanged, this, &FilterField::check);
    setPart(m_completer->popup(), "offers");
    // Who clears the line wants to see all rows, not what could be written there.
    connect(this, &QLineEdit::textEdited, this, [this](const QString& typed) {
        if (typed.isEmpty())
            m_completer->popup()->hide();
        else
            offer();
    });
}

void FilterField::setStates(const QStringList& states)
{
    m_states = states;
}

QStringList FilterField::offers() const
{
    return completionsAt(text(), cursorPosition(), m_states).words;
}

void FilterField::check()
{
    const auto parsed = parseFilter(text().toStdString());
    m_mistake = parsed ? std::nullopt : std::optional(mistakeOf(parsed.error(), text().size()));
    setProperty("invalid", m_mistake.has_value());
    style()->unpolish(this);
    style()->polish(this);
    setAccessibleDescription(
        m_mistake ? tr("Mistake at %1: %2").arg(m_mistake->at + 1).arg(m_mistake->message) : QString());
    Q_EMIT mistakeChanged();
    update();
}

void FilterField::offer()
{
    const auto words = offers();
    m_words->setStringList(words);
    if (words.isEmpty()) {
        m_completer->popup()->hide();
        return;
    }
    const int left = cursorRect().left() - fontMetrics().horizontalAdvance(u'm') * 2;
    m_completer->complete(QRect(std::max(0, left), 0, 220, height() + 2));
    m_completer->popup()->setCurrentIndex(m_words->index(-1));
}

void FilterField::take(const QString& word)
{
    const auto completion = completionsAt(text(), cursorPosition(), m_states);
    const auto before = text().left(completion.from);
    const auto after = text().mid(completion.from + completion.length);
    const auto space = after.startsWith(u' ') ? QString() : QStringLiteral(" ");
    setText(before + word + space + after);
    setCursorPosition(int(before.size() + word.size() + 1));
    Q_EMIT textEdited(text());
}

void FilterField::keyPressEvent(QKeyEvent* event)
{
    // The popup's keys come through its widget: what chooses there must not also apply the filter.
    if (m_completer->popup()->isVisible()) {
        const bool chosen = m_completer->popup()->currentIndex().isValid();
        switch (event->key()) {
        case Qt::Key_Tab:
            take(m_words->data(m_words->index(std::max(0, m_completer->popup()->currentIndex().row()))).toString());
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (chosen)
                return event->ignore();
            m_completer->popup()->hide();
            break;
        case Qt::Key_Escape:
            return event->ignore();
        default:
            break;
        }
    } else if (event->key() == Qt::Key_Down) {
        return offer();
    }
    QLineEdit::keyPressEvent(event);
}

void FilterField::paintEvent(QPaintEvent* event)
{
    QLineEdit::paintEvent(event);
    if (!m_mistake || text().isEmpty())
        return;
    const auto shown = text();
    const auto from = std::min(m_mistake->at, std::max<qsizetype>(0, shown.size() - 1));
    auto to = from;
    while (to < shown.size() && !shown.at(to).isSpace())
        ++to;
    const auto metrics = fontMetrics();
    const auto advance = [&](qsizetype length) { return metrics.horizontalAdvance(shown.left(length)); };
    const int origin = cursorRect().center().x() - advance(cursorPosition());
    const int left = origin + advance(from);
    const int right = std::max(left + 6, origin + advance(to));
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.color(Role::Danger), 1.25));
    QPainterPath wave(QPointF(left, height() - 6));
    for (int x = left; x < right; x += 4) {
        wave.lineTo(x + 2, height() - 8);
        wave.lineTo(x + 4, height() - 6);
    }
    painter.drawPath(wave);
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/payload_view.h"

#include <algorithm>

#include <QBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>

#include "ui/theme.h"
#include "ui/widgets/payload_text.h"
#include "ui/words.h"

namespace fencepost::ui {

PayloadView::PayloadView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_name(new QLabel(this))
    , m_caption(new QLabel(this))
    , m_reveal(new QPushButton(this))
    , m_text(new QPlainTextEdit(this))
{
    m_name->setTextFormat(Qt::PlainText);
    m_name->setFont(theme.font(Text::Strong));
    m_caption->setTextFormat(Qt::PlainText);
    m_caption->setFont(theme.font(Text::Caption));
    setTone(m_caption, "muted");
    setKind(m_reveal, "flat");
    m_reveal->setIcon(theme.icon("reveal"));
    m_text->setReadOnly(true);
    m_text->setFont(theme.font(Text::Mono));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    // The structure of a payload reads from the left, whatever the direction of its values.
    auto option = m_text->document()->defaultTextOption();
    option.setTextDirection(Qt::LeftToRight);
    m_text->document()->setDefaultTextOption(option);
    m_text->setUndoRedoEnabled(false);
    setPart(m_text, "code");

    auto* line = new QHBoxLayout;
    line->addWidget(m_name);
    line->addSpacing(space::small);
    line->addWidget(m_caption, 1);
    line->addWidget(m_reveal);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    layout->addLayout(line);
    layout->addWidget(m_text, 1);

    m_timer.setSingleShot(true);
    m_timer.setInterval(std::chrono::minutes(1));
    connect(&m_timer, &QTimer::timeout, this, &PayloadView::mask);
    connect(m_reveal, &QPushButton::clicked, this, [this] {
        if (m_revealed)
            mask();
        else
            Q_EMIT revealAsked(text(m_payload.name));
    });
}

void PayloadView::setPayload(const Payload& payload)
{
    m_payload = payload;
    m_revealed = false;
    m_timer.stop();
    m_name->setText(text(payload.name).replace(u'_', u' '));
    m_text->setAccessibleName(m_name->text());
    showText();
}

void PayloadView::reveal()
{
    m_revealed = true;
    m_timer.start();
    showText();
}

void PayloadView::mask()
{
    m_revealed = false;
    m_timer.stop();
    showText();
}

QString PayloadView::shownText() const
{
    return m_text->toPlainText();
}

QString PayloadView::caption() const
{
    return m_caption->text();
}

void PayloadView::showText()
{
    const auto shown = read(m_payload);
    m_caption->setText(
        m_revealed || shown.form == PayloadForm::Empty ? shown.caption : tr("%1 · masked").arg(shown.caption));
    m_reveal->setVisible(shown.form != PayloadForm::Empty);
    m_reveal->setText(m_revealed ? tr("Mask") : tr("Reveal"));
    m_reveal->setToolTip(
        m_revealed ? tr("Hide the values again") : tr("Show the values. Who looked is written into the audit."));
    m_reveal->setAccessibleName(tr("%1 %2").arg(m_reveal->text(), m_name->text()));
    m_text->setPlainText(m_revealed ? shown.text : masked(m_payload));
    // Few lines need no box of many.
    const int lines = std::clamp(m_text->document()->blockCount(), 2, 16);
    m_text->setFixedHeight(lines * m_text->fontMetrics().lineSpacing() + 2 * space::small);
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/payload_view.h"

#include <algorithm>

#include <QBoxLayout>
#include <QMenu>
#include <QPlainTextEdit>
#include <QToolButton>

#include "ui/theme.h"
#include "ui/widgets/payload_text.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

PayloadView::PayloadView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_name(new PlainLabel(this))
    , m_caption(new PlainLabel(this))
    , m_reveal(new QToolButton(this))
    , m_menu(new QMenu(m_reveal))
    , m_text(new QPlainTextEdit(this))
{
    m_name->setFont(theme.font(Text::Strong));
    m_caption->setFont(theme.font(Text::Caption));
    setTone(m_caption, "muted");
    m_reveal->setIcon(theme.icon("reveal"));
    m_reveal->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_reveal->setPopupMode(QToolButton::InstantPopup);
    m_reveal->setMenu(m_menu);
    m_reveal->setToolTip(tr("Show hidden values for a minute. Who looked at what is written into the audit."));
    m_text->setReadOnly(true);
    m_text->setFont(theme.font(Text::Mono));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    // The structure of a payload reads from the left, whatever the direction of its values.
    auto option = m_text->document()->defaultTextOption();
    option.setTextDirection(Qt::LeftToRight);
    m_text->document()->setDefaultTextOption(option);
    m_text->setUndoRedoEnabled(false);
    setPart(m_text, "code");

    m_caption->setWordWrap(true);

    // The button stands beside both, so that the box below begins where it would without one.
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(m_name);
    words->addWidget(m_caption);
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addLayout(words, 1);
    line->addWidget(m_reveal);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    layout->addLayout(line);
    layout->addWidget(m_text, 1);

    m_timer.setSingleShot(true);
    m_timer.setInterval(std::chrono::minutes(1));
    connect(&m_timer, &QTimer::timeout, this, &PayloadView::hideAgain);
    connect(m_menu, &QMenu::aboutToShow, this, &PayloadView::fillMenu);
}

void PayloadView::setPayload(const Payload& payload)
{
    m_payload = payload;
    m_revealed.clear();
    m_all = false;
    m_timer.stop();
    m_name->setText(visible(sentence(payload.name).replace(u'_', u' ')));
    m_text->setAccessibleName(m_name->text());
    showText();
}

void PayloadView::reveal(const QString& pointer)
{
    if (pointer == everything)
        m_all = true;
    else
        m_revealed.insert(pointer.toStdString());
    m_timer.start();
    showText();
}

void PayloadView::hideAgain()
{
    m_all = false;
    m_revealed.clear();
    m_timer.stop();
    showText();
}

void PayloadView::fillMenu()
{
    m_menu->clear();
    const auto name = text(m_payload.name);
    for (const auto& pointer : m_hidden) {
        const auto shown = visible(text(pointer));
        connect(m_menu->addAction(shown), &QAction::triggered, this,
            [this, name, pointer] { Q_EMIT revealAsked(name, text(pointer)); });
    }
    m_menu->addSeparator();
    connect(m_menu->addAction(tr("Everything")), &QAction::triggered, this,
        [this, name] { Q_EMIT revealAsked(name, everything); });
    if (m_all || !m_revealed.empty())
        connect(m_menu->addAction(tr("Hide again")), &QAction::triggered, this, &PayloadView::hideAgain);
}

QString PayloadView::shownText() const
{
    return m_text->toPlainText();
}

QString PayloadView::caption() const
{
    return m_caption->text();
}

// Octets that are no text have no names to hide values by: all of them stay hidden until they are asked for.
void PayloadView::showText()
{
    const auto whole = read(m_payload);
    auto shown = whole;
    m_hidden.clear();
    if (whole.form == PayloadForm::Hex && !m_all) {
        m_hidden = { "" };
        shown.text = tr("%1 of octets, hidden").arg(sizeText(m_payload.size));
    } else if (whole.form != PayloadForm::Empty && !m_all) {
        auto payload = m_payload;
        auto redacted = m_redactor.payload(payload.bytes, payload.contentType, m_revealed);
        m_hidden = std::move(redacted.hidden);
        payload.bytes = std::move(redacted.text);
        payload.size = std::int64_t(payload.bytes.size());
        shown.text = read(payload).text;
    }
    const auto count = std::int64_t(m_hidden.size());
    m_caption->setText(count == 0
            ? whole.caption
            : tr("%1 · %2").arg(whole.caption, counted(count, tr("value hidden"), tr("values hidden"))));
    m_reveal->setVisible(count > 0 || m_all || !m_revealed.empty());
    m_reveal->setText(tr("Reveal"));
    m_reveal->setAccessibleName(tr("Reveal values of %1").arg(m_name->text()));
    m_text->setPlainText(shown.text);
    // Few lines need no box of many.
    const int lines = std::clamp(m_text->document()->blockCount(), 2, 16);
    m_text->setFixedHeight(
        lines * QFontMetrics(m_theme.font(Text::Mono)).lineSpacing() + 2 * space::small + space::medium);
}

} // namespace fencepost::ui

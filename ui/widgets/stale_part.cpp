// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/stale_part.h"

#include <QBoxLayout>
#include <QEvent>
#include <QPainter>

#include "ui/theme.h"
#include "ui/widgets/plain_label.h"

namespace fencepost::ui {

namespace {

// An opacity effect would leave behind a table what was painted there before: Qt takes what a table covers for covered
// also where an effect lets it through.
class Veil final : public QWidget {
public:
    Veil(const Theme& theme, QWidget* parent)
        : QWidget(parent)
        , m_theme(theme)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        constexpr float covering = 0.55F;
        auto color = m_theme.color(Role::Surface);
        color.setAlphaF(covering);
        QPainter(this).fillRect(rect(), color);
    }

private:
    const Theme& m_theme;
};

} // namespace

StalePart::StalePart(const Theme& theme, const QString& words, QWidget* shown, QWidget* parent)
    : QWidget(parent)
    , m_words(new PlainLabel(words, this))
    , m_shown(shown)
    , m_veil(new Veil(theme, this))
{
    m_words->setWordWrap(true);
    setTone(m_words, "warning");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::small);
    layout->addWidget(m_words);
    layout->addWidget(m_shown, 1);
    m_shown->installEventFilter(this);
    setStale(false);
}

void StalePart::setStale(bool stale)
{
    m_isStale = stale;
    m_words->setVisible(stale);
    m_veil->setVisible(stale);
    cover();
}

void StalePart::cover()
{
    m_veil->setGeometry(m_shown->geometry());
    m_veil->raise();
}

bool StalePart::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_shown && (event->type() == QEvent::Resize || event->type() == QEvent::Move))
        cover();
    return QWidget::eventFilter(watched, event);
}

} // namespace fencepost::ui

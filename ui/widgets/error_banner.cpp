// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/error_banner.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPushButton>
#include <QRegularExpression>

#include "ui/theme.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

QString actionFor(Failure failure)
{
    switch (failure) {
    case Failure::Unavailable:
    case Failure::TimedOut:
    case Failure::Full:
    case Failure::Cancelled:
        return ErrorBanner::tr("Retry");
    case Failure::Conflict:
    case Failure::NotFound:
        return ErrorBanner::tr("Reload");
    case Failure::InDoubt:
        return ErrorBanner::tr("Look up");
    case Failure::Denied:
        return ErrorBanner::tr("Connections");
    case Failure::Invalid:
    case Failure::Corrupt:
    case Failure::Unsupported:
    case Failure::Internal:
        return {};
    }
    return {};
}

QString withoutSecrets(const QString& text)
{
    static const QRegularExpression pair(
        QStringLiteral("(password|passwd|pwd|secret|token)(\\s*[=:]\\s*)('[^']*'|\"[^\"]*\"|[^\\s,;&]+)"),
        QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression url(QStringLiteral("(://[^:/@\\s]+):[^@\\s]+@"));
    QString result = text;
    result.replace(pair, QStringLiteral("\\1\\2***"));
    result.replace(url, QStringLiteral("\\1:***@"));
    return result;
}

ErrorBanner::ErrorBanner(const Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_theme(theme)
    , m_icon(new PlainLabel(this))
    , m_sentence(new PlainLabel(this))
    , m_detail(new PlainLabel(this))
    , m_action(new QPushButton(this))
    , m_copy(new QPushButton(tr("Copy report"), this))
    , m_close(new QPushButton(tr("Dismiss"), this))
{
    setObjectName(QStringLiteral("banner"));
    setFocusPolicy(Qt::NoFocus);
    // What is escaped is read as it was meant, also where nothing in it is bold.
    m_sentence->setTextFormat(Qt::RichText);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_detail->setWordWrap(true);
    m_detail->setFont(theme.font(Text::MonoCaption));
    m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse);
    ui::setTone(m_detail, "muted");
    setKind(m_copy, "flat");
    setKind(m_close, "flat");

    auto* words = new QVBoxLayout;
    words->setSpacing(space::tiny);
    words->addWidget(m_sentence);
    words->addWidget(m_detail);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(space::medium, space::small, space::medium, space::small);
    layout->setSpacing(space::small);
    layout->addWidget(m_icon, 0, Qt::AlignTop);
    layout->addLayout(words, 1);
    layout->addWidget(m_action, 0, Qt::AlignTop);
    layout->addWidget(m_copy, 0, Qt::AlignTop);
    layout->addWidget(m_close, 0, Qt::AlignTop);

    connect(m_action, &QPushButton::clicked, this, [this] {
        if (m_offers)
            Q_EMIT accepted();
        else
            Q_EMIT acted(m_error.failure);
    });
    connect(m_copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(reportText()); });
    connect(m_close, &QPushButton::clicked, this, &ErrorBanner::clear);
    connect(&theme, &Theme::changed, this, [this] {
        if (m_showIcon)
            m_showIcon();
    });
    hide();
}

void ErrorBanner::report(const QString& attempted, const Error& error)
{
    m_attempted = attempted;
    m_error = error;
    const QString what = withoutSecrets(text(inWords(error)));
    m_sentence->setText(tr("<b>Could not %1.</b> %2").arg(attempted.toHtmlEscaped(), what.toHtmlEscaped()));
    QString detail = withoutSecrets(text(error.detail)).simplified();
    if (!error.code.empty() && !detail.contains(text(error.code)))
        detail += (detail.isEmpty() ? QString() : QStringLiteral(" · ")) + tr("code %1").arg(text(error.code));
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
    m_offers = false;
    m_action->setText(actionFor(error.failure));
    m_action->setVisible(!actionFor(error.failure).isEmpty());
    m_copy->setVisible(true);
    const bool doubt = error.failure == Failure::InDoubt || error.failure == Failure::TimedOut
        || error.failure == Failure::Cancelled || error.failure == Failure::Unavailable;
    setTone(doubt ? "warning" : "danger", doubt ? "warning" : "error");
    setAccessibleName(tr("Error: could not %1. %2").arg(attempted, what));
    show();
}

void ErrorBanner::tell(const char* tone, const QString& sentence, const QString& action)
{
    m_attempted.clear();
    m_error = {};
    m_sentence->setText(sentence.toHtmlEscaped());
    m_detail->hide();
    m_offers = !action.isEmpty();
    m_action->setText(action);
    m_action->setVisible(m_offers);
    m_copy->hide();
    const bool bad = qstrcmp(tone, "warning") == 0 || qstrcmp(tone, "danger") == 0;
    setTone(tone, bad ? "warning" : qstrcmp(tone, "good") == 0 ? "good" : "information");
    setAccessibleName(sentence);
    show();
}

void ErrorBanner::clear()
{
    m_attempted.clear();
    m_sentence->clear();
    m_detail->clear();
    hide();
}

void ErrorBanner::settle(const QString& attempted)
{
    if (m_attempted == attempted)
        clear();
}

QString ErrorBanner::sentence() const
{
    QString plain = m_sentence->text();
    plain.remove(QStringLiteral("<b>")).remove(QStringLiteral("</b>"));
    return plain.replace(QStringLiteral("&quot;"), QStringLiteral("\""))
        .replace(QStringLiteral("&lt;"), QStringLiteral("<"))
        .replace(QStringLiteral("&gt;"), QStringLiteral(">"))
        .replace(QStringLiteral("&amp;"), QStringLiteral("&"));
}

QString ErrorBanner::reportText() const
{
    return tr("Fencepost %1\nCould not %2.\n%3\n%4\nFailure: %5 %6\nServer: %7\n")
        .arg(QStringLiteral(FENCEPOST_VERSION), m_attempted, withoutSecrets(text(m_error.message)),
            text(advice(m_error)), QLatin1String(nameOf(m_error.failure)), text(m_error.code),
            withoutSecrets(text(m_error.detail)));
}

void ErrorBanner::setTone(const char* tone, const char* icon)
{
    ui::setTone(this, tone);
    const Role role = qstrcmp(tone, "danger") == 0 ? Role::Danger
        : qstrcmp(tone, "warning") == 0            ? Role::Warning
        : qstrcmp(tone, "good") == 0               ? Role::Succeeded
                                                   : Role::Accent;
    m_showIcon = [this, icon, role] {
        m_icon->setPixmap(m_theme.icon(icon, role).pixmap(QSize(20, 20), devicePixelRatioF()));
    };
    m_showIcon();
}

} // namespace fencepost::ui

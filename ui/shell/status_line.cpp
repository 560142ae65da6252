// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/status_line.h"

#include <algorithm>

#include <QLabel>
#include <QPainter>
#include <QStyle>
#include <QToolButton>

#include "models/session.h"
#include "ui/page.h"
#include "ui/theme.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr Duration noticeableSkew = std::chrono::seconds(1);
constexpr int leastField = 80;
constexpr int narrowLine = 1000; // the zone must stay in sight, what the console costs need not

QString linkText(const models::SessionStatus& session)
{
    const QString place = session.info ? text(session.info->location) : QString();
    switch (session.link.state) {
    case models::Link::State::Open:
        return place;
    case models::Link::State::Connecting:
        return StatusLine::tr("Connecting…");
    case models::Link::State::Lost:
        return StatusLine::tr("Connection lost, next attempt in %1").arg(models::durationText(session.link.retryIn));
    case models::Link::State::Failed:
        return StatusLine::tr("Not connected");
    case models::Link::State::Stopped:
        return StatusLine::tr("Closed");
    }
    return {};
}

QString skewText(Duration skew)
{
    if (std::chrono::abs(skew) < noticeableSkew)
        return StatusLine::tr("Clock in step");
    const QString size = models::durationText(std::chrono::abs(skew));
    return skew > Duration() ? StatusLine::tr("Database clock %1 ahead").arg(size)
                             : StatusLine::tr("Database clock %1 behind").arg(size);
}

// Ends with an ellipsis where there is no room for all of it.
class Field final : public PlainLabel {
public:
    using PlainLabel::PlainLabel;

    [[nodiscard]] QSize minimumSizeHint() const override
    {
        const auto whole = PlainLabel::minimumSizeHint();
        return { std::min(whole.width(), leastField), whole.height() };
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const auto place = contentsRect();
        style()->drawItemText(&painter, place, int(alignment()), palette(), isEnabled(),
            fontMetrics().elidedText(text(), Qt::ElideRight, place.width()), foregroundRole());
    }
};

} // namespace

StatusLine::StatusLine(const Theme& theme, const ZoneSetting& zone, QWidget* parent)
    : QStatusBar(parent)
    , m_theme(theme)
    , m_zone(zone)
    , m_environment(new EnvironmentChip(theme, this))
    , m_link(field(QStringLiteral("link"), tr("Where the rows come from")))
    , m_rows(field(QStringLiteral("rows"), tr("Rows of the page in front, and how exact the number is")))
    , m_skew(field(QStringLiteral("skew"),
          tr("The database's clock against this computer's. Leases are judged by the database's")))
    , m_cost(field(QStringLiteral("cost"), tr("What this console asked of the database within the last minute")))
    , m_refreshed(field(QStringLiteral("refreshed"), tr("The database's last answer")))
    , m_zoneButton(new QToolButton(this))
    , m_alerts(new QToolButton(this))
{
    setSizeGripEnabled(false);
    setFixedHeight(28);
    setContentsMargins(space::medium, 0, space::small, 0);
    m_zoneButton->setObjectName(QStringLiteral("zone"));
    m_zoneButton->setFont(theme.font(Text::Caption));
    m_zoneButton->setIcon(theme.icon("zone", Role::Muted));
    m_zoneButton->setIconSize({ 14, 14 });
    m_zoneButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_zoneButton->setFocusPolicy(Qt::TabFocus);
    m_alerts->setObjectName(QStringLiteral("alerts"));
    m_alerts->setFont(theme.font(Text::Caption));
    m_alerts->setIconSize({ 14, 14 });
    m_alerts->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_alerts->setFocusPolicy(Qt::TabFocus);
    m_alerts->setToolTip(tr("Rules that are over what they may be. Press to see them"));
    m_alerts->hide();
    addWidget(m_rows);
    addWidget(m_environment);
    // A long path is cut before the zone is.
    m_link->setMinimumWidth(leastField);
    m_link->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    addWidget(m_link, 1);
    m_environment->hide();
    addPermanentWidget(m_alerts);
    addPermanentWidget(m_skew);
    addPermanentWidget(m_cost);
    addPermanentWidget(m_refreshed);
    addPermanentWidget(m_zoneButton);
    connect(m_zoneButton, &QToolButton::clicked, this, &StatusLine::zoneRequested);
    connect(m_alerts, &QToolButton::clicked, this, &StatusLine::alertsRequested);
    connect(&zone, &ZoneSetting::changed, this, &StatusLine::showZone);
    showZone();
}

void StatusLine::show(const models::SessionStatus* session, const PageStatus& page)
{
    m_rows->setText(page.rows);
    m_rows->setVisible(!page.rows.isEmpty());
    m_environment->setVisible(session != nullptr);
    if (session)
        m_environment->setEnvironment(session->environmentWord());
    m_link->setText(session ? linkText(*session) : tr("No connection is open"));
    m_link->setToolTip(plainToolTip(tr("Where the rows come from: %1").arg(m_link->text())));
    const bool lost = session && session->link.state == models::Link::State::Lost;
    setTone(m_link, lost ? "warning" : "muted");
    // A snapshot's clock stands still where it was taken.
    const auto skew = session && !session->snapshot ? session->skew : std::nullopt;
    const bool skewed = skew && std::chrono::abs(*skew) >= noticeableSkew;
    m_skew->setText(lost ? tr("Clock unknown") : skew ? skewText(*skew) : QString());
    setTone(m_skew, skewed ? "warning" : "muted");
    m_cost->setText(session ? tr("Cost %1 · %2 in 1m")
                                  .arg(models::durationText(session->usage.time),
                                      counted(session->usage.jobs, tr("query"), tr("queries")))
                            : QString());
    m_cost->setToolTip(
        m_cost->text() + QStringLiteral(". ") + tr("What this console asked of the database within the last minute"));
    const auto refreshed = session ? session->refreshedAt : std::nullopt;
    m_refreshed->setText(refreshed
            ? tr("Refreshed %1")
                  .arg(m_zone.value().format(*refreshed, models::Precision::Seconds).section(QLatin1Char('T'), 1))
            : QString());
    setTone(m_refreshed, page.stale || lost ? "warning" : "muted");
    for (QLabel* label : { m_skew, m_cost, m_refreshed })
        label->setVisible(!label->text().isEmpty());
    if (width() < narrowLine)
        m_cost->hide();
}

void StatusLine::showAlerts(const QString& words, bool warns)
{
    m_alerts->setVisible(!words.isEmpty());
    m_alerts->setText(words);
    m_alerts->setAccessibleName(tr("%1, press to see the rules").arg(words));
    m_alerts->setIcon(m_theme.icon("alerts", warns ? Role::Warning : Role::Muted));
    setTone(m_alerts, warns ? "warning" : "muted");
}

QLabel* StatusLine::field(const QString& name, const QString& tip)
{
    auto* label = new Field(this);
    label->setObjectName(name);
    label->setFont(m_theme.font(Text::Caption));
    label->setToolTip(tip);
    label->setContentsMargins(0, 0, space::medium, 0);
    return label;
}

void StatusLine::showZone()
{
    const QString name = m_zone.value().name();
    m_zoneButton->setText(name + QStringLiteral(" ▾"));
    m_zoneButton->setToolTip(tr("Time zone of every instant shown. Z switches between UTC and local"));
    m_zoneButton->setAccessibleName(tr("Time zone %1, press to choose").arg(name));
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/freeze_strip.h"

#include <QBoxLayout>
#include <QPushButton>

#include "ui/range_setting.h"
#include "ui/theme.h"
#include "ui/widgets/arrivals_strip.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/state_legend.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

FreezeStrip::FreezeStrip(const Theme& theme, RangeSetting& range, const ZoneSetting& zone, QWidget* parent)
    : QWidget(parent)
    , m_range(range)
    , m_zone(zone)
    , m_bars(new ArrivalBars(theme, this))
    , m_words(new PlainLabel(this))
    , m_legend(new StateLegend(theme, this))
    , m_release(new QPushButton(theme.icon("live"), tr("Up to now again"), this))
{
    m_words->setFont(theme.font(Text::Caption));
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addWidget(m_words, 1);
    line->addWidget(m_release);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    layout->addWidget(m_bars);
    layout->addLayout(line);
    // A line of its own: the words of what is frozen are longer, and would fold it.
    layout->addWidget(m_legend);
    // The button comes and goes, and nothing below it moves.
    QSizePolicy kept = m_release->sizePolicy();
    kept.setRetainSizeWhenHidden(true);
    m_release->setSizePolicy(kept);
    connect(m_bars, &ArrivalBars::chosen, this, [this](Time from, Time until) {
        m_range.freeze(TimeRange{ from, until });
    });
    connect(m_release, &QPushButton::clicked, this, [this] { m_range.freeze({}); });
    connect(&range, &RangeSetting::changed, this, &FreezeStrip::showRange);
    connect(&zone, &ZoneSetting::changed, this, &FreezeStrip::showRange);
    showRange();
}

void FreezeStrip::show(const std::optional<models::Arrivals>& arrivals)
{
    m_bars->show(arrivals, m_zone.value());
    m_legend->setStates(m_bars->states());
}

void FreezeStrip::showRange()
{
    const auto& frozen = m_range.frozen();
    m_bars->mark(frozen);
    m_release->setVisible(frozen.has_value());
    setTone(m_words, frozen ? "warning" : "muted");
    m_words->setText(frozen ? tr("Flows, retries and conflicts stay with %1 to %2")
                                  .arg(m_zone.value().format(frozen->from, models::Precision::Seconds),
                                      m_zone.value().format(frozen->until, models::Precision::Seconds))
                            : tr("Drag across the bars to freeze the time of an incident"));
}

QString FreezeStrip::words() const
{
    return m_words->text();
}

} // namespace fencepost::ui

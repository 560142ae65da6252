// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/range_field.h"

#include <utility>

#include <QBoxLayout>
#include <QLineEdit>
#include <QStyle>
#include <QToolButton>

#include "ui/range_setting.h"
#include "ui/theme.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

bool isMistaken(const QLineEdit& field)
{
    return field.property("invalid").toBool();
}

} // namespace

RangeField::RangeField(const Theme& theme, RangeSetting& range, ZoneSetting& zone, QWidget* parent)
    : QWidget(parent)
    , m_range(range)
    , m_zone(zone)
    , m_from(new QLineEdit(this))
    , m_until(new QLineEdit(this))
    , m_freeze(new QToolButton(this))
{
    for (auto* field : { m_from, m_until }) {
        field->setFont(theme.font(Text::MonoCaption));
        field->setFixedWidth(
            QFontMetrics(field->font()).horizontalAdvance(QStringLiteral("2026-11-20T23:45:47+05:30")) + space::huge);
        connect(field, &QLineEdit::editingFinished, this, &RangeField::take);
    }
    m_from->setAccessibleName(tr("From"));
    m_until->setAccessibleName(tr("Until"));
    m_freeze->setCheckable(true);
    m_freeze->setIcon(theme.icon("pause"));
    m_freeze->setText(tr("Freeze"));
    m_freeze->setToolTip(tr("Stay with this time: the window of an incident"));
    setWords(*m_freeze, true);
    auto* dash = new PlainLabel(QStringLiteral("–"), this);
    setTone(dash, "muted");
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    layout->addWidget(m_from);
    layout->addWidget(dash);
    layout->addWidget(m_until);
    layout->addWidget(m_freeze);
    connect(m_freeze, &QToolButton::clicked, this, [this](bool on) { m_range.freeze(on ? m_shown : std::nullopt); });
    connect(&range, &RangeSetting::changed, this, &RangeField::showRange);
    connect(&zone, &ZoneSetting::changed, this, &RangeField::showRange);
    showRange();
}

std::optional<TimeRange> RangeField::shown() const
{
    return m_range.frozen() ? m_range.frozen() : m_shown;
}

void RangeField::setShown(const TimeRange& range)
{
    m_shown = range;
    showRange();
}

void RangeField::showRange()
{
    const bool frozen = m_range.frozen().has_value();
    m_freeze->setChecked(frozen);
    m_freeze->setEnabled(frozen || m_shown);
    const auto& range = frozen ? m_range.frozen() : m_shown;
    for (auto* field : { m_from, m_until }) {
        // What was typed and is not understood stays until it is mended or emptied.
        if (isMistaken(*field) || (field->hasFocus() && field->isModified()))
            continue;
        field->setPlaceholderText(field == m_from ? m_range.title() : tr("now"));
        const auto at = [&] { return field == m_from ? range->from : range->until; };
        field->setText(range ? m_zone.value().format(at(), models::Precision::Seconds) : QString());
        field->setModified(false);
    }
}

void RangeField::mark(QLineEdit& field, const QString& mistake)
{
    field.setProperty("invalid", !mistake.isEmpty());
    field.style()->unpolish(&field);
    field.style()->polish(&field);
    field.setAccessibleDescription(mistake);
    field.setToolTip(mistake.isEmpty() ? QString() : plainToolTip(mistake));
}

void RangeField::tellMistake()
{
    const auto* field = isMistaken(*m_from) ? m_from : m_until;
    const auto told = field->accessibleDescription();
    if (std::exchange(m_told, told) != told)
        Q_EMIT mistaken(told);
}

// Both emptied: it moves again. One that cannot be read stays as it was typed.
void RangeField::take()
{
    if (!m_from->isModified() && !m_until->isModified())
        return;
    const bool emptied = m_from->text().trimmed().isEmpty() && m_until->text().trimmed().isEmpty();
    const auto read = [this](QLineEdit& field) {
        auto instant = parseInstant(field.text().trimmed().toStdString());
        mark(field, instant ? QString() : text(instant.error().message));
        return instant;
    };
    if (!emptied) {
        const auto from = read(*m_from);
        const auto until = read(*m_until);
        const bool good = from && until && *from < *until;
        if (from && until && !good)
            mark(*m_until, tr("The end is not after the beginning"));
        tellMistake();
        if (good)
            settle(TimeRange{ *from, *until });
        return;
    }
    mark(*m_from, {});
    mark(*m_until, {});
    tellMistake();
    settle({});
    showRange();
}

void RangeField::settle(const std::optional<TimeRange>& range)
{
    m_from->setModified(false);
    m_until->setModified(false);
    m_range.freeze(range);
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/zone.h"

#include <array>
#include <cstdio>

#include <QDateTime>

namespace fencepost::models {

namespace {

QString offsetText(std::chrono::seconds offset)
{
    const auto total = offset.count();
    const auto absolute = total < 0 ? -total : total;
    std::array<char, 16> text{};
    if (absolute % 60 == 0)
        std::snprintf(text.data(), text.size(), "%c%02d:%02d", total < 0 ? '-' : '+', static_cast<int>(absolute / 3600),
            static_cast<int>(absolute / 60 % 60));
    else
        // Local mean times of the nineteenth century have seconds.
        std::snprintf(text.data(), text.size(), "%c%02d:%02d:%02d", total < 0 ? '-' : '+',
            static_cast<int>(absolute / 3600), static_cast<int>(absolute / 60 % 60), static_cast<int>(absolute % 60));
    return QString::fromLatin1(text.data());
}

} // namespace

Zone::Zone(Kind kind, QTimeZone zone)
    : m_kind(kind)
    , m_zone(std::move(zone))
{
}

Zone Zone::utc()
{
    return { Kind::Utc, QTimeZone::utc() };
}

Zone Zone::local()
{
    return { Kind::Local, QTimeZone::systemTimeZone() };
}

Result<Zone> Zone::named(const QString& name)
{
    if (name.compare(QLatin1String("UTC"), Qt::CaseInsensitive) == 0)
        return utc();
    if (name.compare(QLatin1String("local"), Qt::CaseInsensitive) == 0)
        return local();
    const QTimeZone zone(name.toUtf8());
    if (!zone.isValid())
        return Error{ Failure::Invalid, "There is no time zone “" + name.toStdString() + "”.",
            "Use UTC, local or an IANA name such as Europe/Berlin." };
    return Zone(Kind::Named, zone);
}

QStringList Zone::available()
{
    QStringList names{ QStringLiteral("UTC"), QStringLiteral("local") };
    for (const auto& id : QTimeZone::availableTimeZoneIds()) {
        const auto name = QString::fromUtf8(id);
        if (name.contains(QLatin1Char('/')))
            names.append(name);
    }
    return names;
}

QString Zone::name() const
{
    switch (m_kind) {
    case Kind::Utc:
        return QStringLiteral("UTC");
    case Kind::Local:
        return QStringLiteral("local");
    case Kind::Named:
        return QString::fromUtf8(m_zone.id());
    }
    return {};
}

QString Zone::label(Time at) const
{
    if (m_kind == Kind::Utc)
        return name();
    return name() + QLatin1Char(' ') + offsetText(offsetAt(at));
}

std::chrono::seconds Zone::offsetAt(Time at) const
{
    if (m_kind == Kind::Utc)
        return {};
    const auto millis = std::chrono::floor<std::chrono::milliseconds>(at).time_since_epoch().count();
    return std::chrono::seconds(m_zone.offsetFromUtc(QDateTime::fromMSecsSinceEpoch(millis, Qt::UTC)));
}

QString Zone::format(Time time, Precision precision) const
{
    const auto offset = offsetAt(time);
    auto text = QString::fromStdString(formatInstant(time + offset));
    text.chop(1);
    const auto point = text.lastIndexOf(QLatin1Char('.'));
    if (precision == Precision::Seconds)
        text.truncate(point);
    else if (precision == Precision::Milliseconds)
        text.truncate(point + 4);
    return text + (m_kind == Kind::Utc ? QStringLiteral("Z") : offsetText(offset));
}

QString Zone::format(const std::optional<Time>& time, Precision precision) const
{
    return time ? format(*time, precision) : QString();
}

QString durationText(Duration duration)
{
    // Below a minute tenths would flicker; people read whole seconds.
    if (duration >= std::chrono::seconds(1) || duration <= std::chrono::seconds(-1))
        duration = std::chrono::duration_cast<std::chrono::seconds>(duration);
    return QString::fromStdString(formatDuration(duration));
}

QString relativeText(Time time, Time now)
{
    if (time > now)
        return QStringLiteral("in ") + durationText(time - now);
    return durationText(now - time) + QStringLiteral(" ago");
}

} // namespace fencepost::models

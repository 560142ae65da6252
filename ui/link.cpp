// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/link.h"

#include <QUrl>
#include <QUrlQuery>

#include "ui/words.h"

namespace fencepost::ui {

namespace {

QString encoded(const QString& part)
{
    return QString::fromLatin1(QUrl::toPercentEncoding(part));
}

QString decoded(const QString& part)
{
    return QUrl::fromPercentEncoding(part.toLatin1());
}

constexpr auto scheme = "fencepost://";

} // namespace

// Put together by hand: a URL's host would lose the case and the spaces of a connection's name.
QString formatLink(const Link& link)
{
    QString result = QLatin1String(scheme) + encoded(link.connection) + QLatin1Char('/') + encoded(link.page);
    if (!link.binding.isEmpty())
        result += QLatin1Char('/') + encoded(link.binding);
    QStringList parameters;
    if (!link.filter.isEmpty())
        parameters += QStringLiteral("filter=") + encoded(link.filter);
    for (const std::string& value : link.identity)
        parameters += QStringLiteral("id=") + encoded(text(value));
    if (link.range) {
        parameters += QStringLiteral("from=") + encoded(text(formatInstant(link.range->from)));
        parameters += QStringLiteral("until=") + encoded(text(formatInstant(link.range->until)));
    }
    if (!parameters.isEmpty())
        result += QLatin1Char('?') + parameters.join(QLatin1Char('&'));
    return result;
}

bool isDeepLink(const QString& text)
{
    return text.startsWith(QLatin1String(scheme), Qt::CaseInsensitive);
}

Result<Link> parseLink(const QString& text)
{
    if (!isDeepLink(text))
        return Error{ Failure::Invalid, "A link starts with fencepost:// and names a connection.", {} };
    const QString rest = text.mid(static_cast<qsizetype>(qstrlen(scheme)));
    const qsizetype question = rest.indexOf(QLatin1Char('?'));
    const QStringList path = rest.left(question).split(QLatin1Char('/'));
    Link link{
        .connection = decoded(path.value(0)), .page = decoded(path.value(1)), .binding = decoded(path.value(2))
    };
    if (link.connection.isEmpty() || path.size() > 3)
        return Error{ Failure::Invalid, "The link names no connection, or has too many parts.", {} };
    if (question < 0)
        return link;
    std::optional<Time> from;
    std::optional<Time> until;
    for (const QString& parameter : rest.mid(question + 1).split(QLatin1Char('&'), Qt::SkipEmptyParts)) {
        const QString name = parameter.section(QLatin1Char('='), 0, 0);
        const QString value = decoded(parameter.section(QLatin1Char('='), 1));
        if (name == QLatin1String("filter"))
            link.filter = value;
        else if (name == QLatin1String("id"))
            link.identity.push_back(value.toStdString());
        else if (name == QLatin1String("from") || name == QLatin1String("until")) {
            const auto at = parseInstant(value.toStdString());
            if (!at)
                return at.error();
            (name == QLatin1String("from") ? from : until) = *at;
        } else
            return Error{ Failure::Invalid, "The link has the unknown parameter \"" + name.toStdString() + "\".", {} };
    }
    if (link.binding.isEmpty() && !link.identity.empty())
        return Error{ Failure::Invalid, "The link leads to a record and names no table.", {}, {},
            "A link to a record is fencepost://CONNECTION/PAGE/TABLE?id=…" };
    if (from.has_value() != until.has_value() || (from && *from >= *until))
        return Error{ Failure::Invalid, "The link's time has no from and until, one before the other.", {} };
    if (from)
        link.range = TimeRange{ *from, *until };
    return link;
}

} // namespace fencepost::ui

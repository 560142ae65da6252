// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/visible_text.h"

#include <algorithm>
#include <utility>

#include "core/ids.h"
#include "core/without_credentials.h"

namespace fencepost::models {

namespace {

// Characters of format: joiners, marks and overrides of direction, fillers. From, to.
constexpr std::pair<char16_t, char16_t> formats[] = { { 0x00ad, 0x00ad }, { 0x034f, 0x034f }, { 0x061c, 0x061c },
    { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
    { 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff9, 0xfffb } };

// Tags stand beyond the first plane; all of them begin with this half.
constexpr char16_t tagHalf = 0xdb40;

bool drawsNothing(QChar character, bool lines)
{
    const char16_t c = character.unicode();
    if (c == u'\n' || c == u'\t')
        return !lines;
    if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == tagHalf)
        return true;
    return std::any_of(std::begin(formats), std::end(formats),
        [c](const auto& range) { return c >= range.first && c <= range.second; });
}

QString escapeOf(QChar character)
{
    if (character == u'\n')
        return QStringLiteral("\\n");
    if (character == u'\r')
        return QStringLiteral("\\r");
    if (character == u'\t')
        return QStringLiteral("\\t");
    return QStringLiteral("\\u%1").arg(int(character.unicode()), 4, 16, QLatin1Char('0'));
}

QString escaped(const QString& text, bool lines)
{
    if (std::none_of(text.begin(), text.end(), [lines](QChar c) { return drawsNothing(c, lines); }))
        return text;
    QString shown;
    shown.reserve(text.size() + 16);
    bool tag = false;
    for (const QChar c : text) {
        // The other half of a tag is none of its own.
        if (std::exchange(tag, c.unicode() == tagHalf) || drawsNothing(c, lines))
            shown += escapeOf(c);
        else
            shown += c;
    }
    return shown;
}

QString octetsShown(const std::string& text)
{
    QString shown;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) >= 0x80)
            shown += QStringLiteral("\\x") + QString::fromStdString(toHex(std::string_view(&c, 1)));
        else
            shown += QLatin1Char(c);
    }
    return shown;
}

} // namespace

QString visibleLine(const QString& text)
{
    return escaped(text, false);
}

QString visibleLines(const QString& text)
{
    return escaped(text, true);
}

QString visibleText(const std::string& text)
{
    const auto shown = withoutCredentials(text);
    return visibleLine(isUtf8(shown) ? QString::fromStdString(shown) : octetsShown(shown));
}

QString visibleText(const std::optional<std::string>& text)
{
    return text ? visibleText(*text) : QString();
}

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabular_font.h"

#include <map>
#include <optional>

namespace fencepost::ui {

namespace {

using Glyphs = std::map<quint32, quint32>; // of characters

// A font is a file of somebody else's: whatever lies outside of it reads as 0.
class Reader {
public:
    explicit Reader(QByteArrayView bytes, qsizetype from = 0)
        : m_bytes(bytes)
        , m_from(from)
    {
    }

    [[nodiscard]] quint32 u16(qsizetype at) const { return number<quint16>(at); }
    [[nodiscard]] quint32 u32(qsizetype at) const { return number<quint32>(at); }
    [[nodiscard]] bool hasTag(qsizetype at, const char* tag) const
    {
        return m_from + at + 4 <= m_bytes.size() && m_bytes.sliced(m_from + at, 4) == QByteArrayView(tag, 4);
    }
    [[nodiscard]] Reader part(quint32 offset) const { return Reader(m_bytes, m_from + qsizetype(offset)); }

private:
    template <typename Number> [[nodiscard]] Number number(qsizetype at) const
    {
        const qsizetype place = m_from + at;
        if (place < 0 || place + qsizetype(sizeof(Number)) > m_bytes.size())
            return 0;
        quint32 value = 0;
        for (qsizetype i = 0; i < qsizetype(sizeof(Number)); ++i)
            value = value << 8 | quint8(m_bytes[place + i]);
        return Number(value);
    }

    QByteArrayView m_bytes; // outlives the reader
    qsizetype m_from;
};

class Writer {
public:
    Writer& u16(quint32 value) { return number(quint16(value)); }
    Writer& u32(quint32 value) { return number(value); }
    QByteArray bytes;

private:
    template <typename Number> Writer& number(Number value)
    {
        for (int shift = 8 * (int(sizeof(Number)) - 1); shift >= 0; shift -= 8)
            bytes.append(char(quint8(quint32(value) >> shift)));
        return *this;
    }
};

// Where the directory speaks of a table.
std::optional<qsizetype> recordOf(const QByteArray& font, const char* table)
{
    const Reader file(font);
    for (quint32 i = 0; i < file.u16(4); ++i)
        if (file.hasTag(12 + 16 * qsizetype(i), table))
            return 12 + 16 * qsizetype(i);
    return std::nullopt;
}

std::optional<Reader> tableOf(const QByteArray& font, const char* table)
{
    const auto record = recordOf(font, table);
    return record ? std::optional(Reader(font, qsizetype(Reader(font).u32(*record + 8)))) : std::nullopt;
}

void readSegments(const Reader& map, Glyphs& glyphs)
{
    const quint32 segments = map.u16(6) / 2;
    for (quint32 i = 0; i < segments; ++i) {
        const auto place = 2 * qsizetype(i);
        const quint32 last = map.u16(14 + place);
        const quint32 first = map.u16(16 + 2 * qsizetype(segments) + place);
        const quint32 delta = map.u16(16 + 4 * qsizetype(segments) + place);
        const qsizetype offsets = 16 + 6 * qsizetype(segments) + place;
        const quint32 offset = map.u16(offsets);
        for (quint32 c = first; c <= last && c != 0xffff; ++c) {
            quint32 glyph = c;
            if (offset != 0)
                glyph = map.u16(offsets + qsizetype(offset) + 2 * qsizetype(c - first));
            if (offset == 0 || glyph != 0)
                glyphs[c] = (glyph + delta) & 0xffff;
        }
    }
}

void readGroups(const Reader& map, Glyphs& glyphs)
{
    for (quint32 i = 0; i < map.u32(12); ++i) {
        const auto group = map.part(16 + 12 * i);
        for (quint32 c = group.u32(0); c <= group.u32(4) && c <= 0x10ffff; ++c)
            glyphs[c] = group.u32(8) + c - group.u32(0);
    }
}

Glyphs glyphsOf(const Reader& characters)
{
    Glyphs glyphs;
    for (quint32 i = 0; i < characters.u16(2); ++i) {
        const auto map = characters.part(characters.u32(8 + 8 * qsizetype(i)));
        if (map.u16(0) == 4 && glyphs.empty())
            readSegments(map, glyphs);
        else if (map.u16(0) == 12)
            readGroups(map, glyphs);
    }
    return glyphs;
}

// The place of a glyph among those that a substitution covers.
std::optional<quint32> coveredAt(const Reader& coverage, quint32 glyph)
{
    const bool list = coverage.u16(0) == 1;
    for (quint32 i = 0; i < coverage.u16(2); ++i) {
        const auto entry = coverage.part(4 + (list ? 2 : 6) * i);
        if (list && entry.u16(0) == glyph)
            return i;
        if (!list && glyph >= entry.u16(0) && glyph <= entry.u16(2))
            return entry.u16(4) + glyph - entry.u16(0);
    }
    return std::nullopt;
}

std::optional<quint32> substituted(const Reader& lookup, quint32 glyph)
{
    for (quint32 i = 0; i < lookup.u16(4); ++i) {
        auto table = lookup.part(lookup.u16(6 + 2 * qsizetype(i)));
        auto kind = lookup.u16(0);
        if (kind == 7) {
            kind = table.u16(2);
            table = table.part(table.u32(4));
        }
        const auto place = kind == 1 ? coveredAt(table.part(table.u16(2)), glyph) : std::nullopt;
        if (place)
            return table.u16(0) == 1 ? (glyph + table.u16(4)) & 0xffff : table.u16(6 + 2 * qsizetype(*place));
    }
    return std::nullopt;
}

std::optional<quint32> tabular(const Reader& substitutions, quint32 glyph)
{
    const auto features = substitutions.part(substitutions.u16(6));
    const auto lookups = substitutions.part(substitutions.u16(8));
    for (quint32 i = 0; i < features.u16(0); ++i) {
        if (!features.hasTag(2 + 6 * qsizetype(i), "tnum"))
            continue;
        const auto feature = features.part(features.u16(6 + 6 * qsizetype(i)));
        for (quint32 each = 0; each < feature.u16(2); ++each) {
            const auto lookup = lookups.part(lookups.u16(2 + 2 * qsizetype(feature.u16(4 + 2 * qsizetype(each)))));
            if (const auto other = substituted(lookup, glyph))
                return other;
        }
    }
    return std::nullopt;
}

QByteArray charactersOf(const Glyphs& glyphs)
{
    Writer table;
    const auto count = quint32(glyphs.size());
    // Said twice, as Unicode's own map and as that of Windows: without the first FreeType makes one of the glyphs'
    // names.
    table.u16(0).u16(2).u16(0).u16(4).u32(20).u16(3).u16(10).u32(20);
    table.u16(12).u16(0).u32(16 + 12 * count).u32(0).u32(count);
    for (const auto& [character, glyph] : glyphs)
        table.u32(character).u32(character).u32(glyph);
    return table.bytes;
}

QByteArray namesOf(const QString& family, const QString& style)
{
    const QString whole = family + QLatin1Char(' ') + style;
    const std::pair<quint32, QString> names[] = { { 1, whole }, { 2, QStringLiteral("Regular") }, { 4, whole },
        { 6, QString(whole).remove(QLatin1Char(' ')) }, { 16, family }, { 17, style } };
    Writer table;
    Writer strings;
    table.u16(0).u16(quint32(std::size(names))).u16(6 + 12 * quint32(std::size(names)));
    for (const auto& [id, name] : names) {
        table.u16(3).u16(1).u16(0x409).u16(id).u16(2 * quint32(name.size())).u16(quint32(strings.bytes.size()));
        for (const QChar c : name)
            strings.u16(c.unicode());
    }
    return table.bytes + strings.bytes;
}

// The new table stands at the end, and the directory leads there.
bool replace(QByteArray& font, const char* table, const QByteArray& bytes)
{
    const auto record = recordOf(font, table);
    if (!record)
        return false;
    font.append((4 - font.size() % 4) % 4, '\0');
    Writer place;
    place.u32(quint32(font.size())).u32(quint32(bytes.size()));
    font.replace(*record + 8, 8, place.bytes);
    font.append(bytes);
    return true;
}

} // namespace

QByteArray withTabularFigures(const QByteArray& font, const QString& family, const QString& style)
{
    const auto characters = tableOf(font, "cmap");
    const auto substitutions = tableOf(font, "GSUB");
    if (!characters || !substitutions)
        return {};
    Glyphs glyphs = glyphsOf(*characters);
    for (quint32 figure = u'0'; figure <= u'9'; ++figure) {
        const auto usual = glyphs.find(figure);
        const auto other = usual == glyphs.end() ? std::nullopt : tabular(*substitutions, usual->second);
        if (!other)
            return {};
        usual->second = *other;
    }
    QByteArray changed = font;
    const bool done =
        replace(changed, "cmap", charactersOf(glyphs)) && replace(changed, "name", namesOf(family, style));
    return done ? changed : QByteArray();
}

} // namespace fencepost::ui

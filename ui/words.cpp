// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/words.h"

#include <array>
#include <cmath>

namespace fencepost::ui {

namespace {

constexpr QChar thinSpace(0x2009);

QString estimateText(std::int64_t number)
{
    static constexpr std::array<std::pair<double, char>, 3> units{ { { 1e9, 'G' }, { 1e6, 'M' }, { 1e3, 'k' } } };
    for (const auto& [size, letter] : units) {
        if (static_cast<double>(number) >= size * 10 || (letter != 'k' && static_cast<double>(number) >= size)) {
            const double value = static_cast<double>(number) / size;
            return QString::number(value, 'f', value < 100 ? 1 : 0) + QLatin1Char(letter);
        }
    }
    return numberText(number);
}

} // namespace

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QString sentence(std::string_view utf8)
{
    QString words = text(utf8);
    if (!words.isEmpty())
        words.front() = words.front().toUpper();
    return words;
}

QString withStop(const QString& sentence)
{
    return sentence.isEmpty() || sentence.endsWith(u'.') ? sentence : sentence + u'.';
}

QString numberText(std::int64_t number)
{
    QString digits = QString::number(number);
    const qsizetype first = digits.startsWith(QLatin1Char('-')) ? 1 : 0;
    for (qsizetype place = digits.size() - 3; place > first; place -= 3)
        digits.insert(place, thinSpace);
    return digits;
}

QString countText(const Count& count)
{
    switch (count.exactness) {
    case Exactness::Exact:
        return numberText(count.value);
    case Exactness::AtLeast:
        // "At least none" says nothing, and reads like good news.
        return count.value == 0 ? QStringLiteral("–") : QStringLiteral("≥") + thinSpace + numberText(count.value);
    case Exactness::Estimate:
        return QStringLiteral("≈") + thinSpace + estimateText(count.value);
    }
    return {};
}

bool isUnknown(const Count& count)
{
    return count.value == 0 && count.exactness == Exactness::AtLeast;
}

QString exactnessText(Exactness exactness)
{
    switch (exactness) {
    case Exactness::Exact:
        return QStringLiteral("exact");
    case Exactness::AtLeast:
        return QStringLiteral("at least");
    case Exactness::Estimate:
        return QStringLiteral("estimated");
    }
    return {};
}

QString counted(std::int64_t number, const QString& one, const QString& many)
{
    return numberText(number) + QLatin1Char(' ') + (number == 1 ? one : many);
}

QString elidedId(const QString& id, int length)
{
    if (id.size() <= length)
        return id;
    const qsizetype tail = std::min<qsizetype>(6, length / 3);
    return id.left(length - tail - 1) + QStringLiteral("…") + id.right(tail);
}

QString lastSix(const std::string& owner)
{
    const auto whole = text(owner);
    return whole.size() <= 6 ? whole : u'…' + whole.right(6);
}

QString sizeText(std::int64_t octets)
{
    if (octets < 1024)
        return counted(octets, QStringLiteral("byte"), QStringLiteral("bytes"));
    static constexpr std::array units{ "KiB", "MiB", "GiB", "TiB" };
    double value = static_cast<double>(octets);
    std::size_t unit = 0;
    for (value /= 1024; value >= 1024 && unit + 1 < units.size(); value /= 1024)
        ++unit;
    return QString::number(value, 'f', value < 10 ? 1 : 0) + QLatin1Char(' ') + QLatin1String(units[unit]);
}

QString breakable(const QString& words)
{
    constexpr qsizetype longest = 32;
    constexpr QChar mayBreak(0x200B);
    QString broken;
    qsizetype since = 0; // the last place where it may be broken
    for (qsizetype i = 0; i < words.size(); ++i) {
        const QChar sign = words[i];
        broken += sign;
        ++since;
        const bool joint = !sign.isLetterOrNumber() && !sign.isSpace();
        const bool long_ = i + 1 < words.size() && since >= longest;
        if (sign.isSpace()) {
            since = 0;
        } else if (long_ || (joint && since > longest / 2)) {
            broken += mayBreak;
            since = 0;
        }
    }
    return broken;
}

} // namespace fencepost::ui

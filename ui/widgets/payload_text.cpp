// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/payload_text.h"

#include <algorithm>

#include <QCoreApplication>

#include "core/ids.h"
#include "models/visible_text.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

QString payloadWord(const char* text)
{
    return QCoreApplication::translate("Payload", text);
}

bool isTextual(std::string_view bytes)
{
    return std::none_of(bytes.begin(), bytes.end(), [](char c) {
        const auto octet = static_cast<unsigned char>(c);
        return octet == 0 || (octet < 0x20 && c != '\n' && c != '\r' && c != '\t');
    });
}

// A cut in the middle of a character does not make a text binary.
std::string_view withoutCutCharacter(std::string_view bytes)
{
    for (std::size_t cut = 0; cut < 4 && cut < bytes.size(); ++cut)
        if (isUtf8(bytes.substr(0, bytes.size() - cut)))
            return bytes.substr(0, bytes.size() - cut);
    return bytes;
}

// A line is laid out as a whole, and one of 64 KiB takes a second to.
constexpr qsizetype longestLine = 1000;

QString withShortLines(const QString& text)
{
    QString shown;
    shown.reserve(text.size() + text.size() / longestLine);
    qsizetype length = 0;
    for (const QChar c : text) {
        // The two halves of a character stay together.
        if (length >= longestLine && !c.isLowSurrogate()) {
            shown += u'\n';
            length = 0;
        }
        length = c == u'\n' ? 0 : length + 1;
        shown += c;
    }
    return shown;
}

QString captionOf(const Payload& payload)
{
    if (payload.size > std::int64_t(payload.bytes.size()))
        return QStringLiteral("%1 · %2").arg(QString::fromStdString(payload.contentType),
            payloadWord("first %1 of %2").arg(sizeText(std::int64_t(payload.bytes.size())), sizeText(payload.size)));
    return QStringLiteral("%1 · %2").arg(QString::fromStdString(payload.contentType), sizeText(payload.size));
}

} // namespace

PayloadText read(const Payload& payload)
{
    const bool cut = payload.size > std::int64_t(payload.bytes.size());
    const auto bytes = cut ? withoutCutCharacter(payload.bytes) : std::string_view(payload.bytes);
    PayloadText shown{ .form = PayloadForm::Empty, .text = {}, .caption = captionOf(payload) };
    if (bytes.empty())
        return shown;
    if (!isUtf8(bytes) || !isTextual(bytes)) {
        shown.form = PayloadForm::Hex;
        shown.text = hexDump(bytes);
        return shown;
    }
    const bool json = payload.contentType.find("json") != std::string::npos;
    shown.form = json ? PayloadForm::Json : PayloadForm::Text;
    const auto text = json ? indentJson(bytes) : std::string(bytes);
    const auto whole = models::visibleLines(QString::fromUtf8(text.data(), qsizetype(text.size())));
    shown.text = withShortLines(whole);
    if (shown.text.size() != whole.size())
        shown.caption = payloadWord("%1 · long lines are broken").arg(shown.caption);
    return shown;
}

std::string indentJson(std::string_view json)
{
    constexpr int deepest = 64;
    std::string out;
    out.reserve(json.size() + json.size() / 4);
    int depth = 0;
    bool inString = false;
    const auto newLine = [&] { out += '\n' + std::string(std::size_t(2 * std::min(depth, deepest)), ' '); };
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (inString) {
            out += c;
            if (c == '\\' && i + 1 < json.size())
                out += json[++i];
            else if (c == '"')
                inString = false;
            continue;
        }
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
            continue;
        if (c == '"')
            inString = true;
        if (c == '{' || c == '[') {
            const auto next = json.find_first_not_of(" \n\r\t", i + 1);
            if (next != std::string_view::npos && (json[next] == '}' || json[next] == ']')) {
                out += { c, json[next] };
                i = next;
                continue;
            }
            out += c;
            ++depth;
            newLine();
        } else if (c == '}' || c == ']') {
            depth = std::max(0, depth - 1);
            newLine();
            out += c;
        } else if (c == ',') {
            out += c;
            newLine();
        } else if (c == ':') {
            out += ": ";
        } else {
            out += c;
        }
    }
    return out;
}

QString hexDump(std::string_view bytes)
{
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::size_t width = 16;
    std::string out;
    out.reserve((bytes.size() / width + 1) * 78);
    for (std::size_t line = 0; line < bytes.size(); line += width) {
        for (int shift = 28; shift >= 0; shift -= 4)
            out += digits[(line >> shift) & 0xf];
        out += "  ";
        const auto part = bytes.substr(line, width);
        for (std::size_t i = 0; i < width; ++i) {
            const auto octet = i < part.size() ? static_cast<unsigned char>(part[i]) : 0;
            out += i < part.size() ? std::string{ digits[octet >> 4], digits[octet & 0xf], ' ' } : std::string(3, ' ');
            if (i == 7)
                out += ' ';
        }
        out += ' ';
        for (const char c : part)
            out += c >= 0x20 && c < 0x7f ? c : '.';
        out += '\n';
    }
    return QString::fromLatin1(out.data(), qsizetype(out.size()));
}

QString visible(const QString& text)
{
    return models::visibleLine(text);
}

QString visible(std::string_view utf8)
{
    return visible(QString::fromUtf8(utf8.data(), qsizetype(utf8.size())));
}

} // namespace fencepost::ui

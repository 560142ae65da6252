// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

#include <unistd.h>

#include <QByteArray>

#include "app/ctl/interrupt.h"
#include "core/ids.h"
#include "core/without_credentials.h"

namespace fencepost::app {

namespace {

constexpr std::size_t widest = 64;

// The code point at `at` and its length; 0: no UTF-8 there.
std::pair<char32_t, std::size_t> decode(std::string_view text, std::size_t at)
{
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t size = lead < 0x80 ? 1
        : lead < 0xC0                    ? 0
        : lead < 0xE0                    ? 2
        : lead < 0xF0                    ? 3
        : lead < 0xF8                    ? 4
                                         : 0;
    if (size == 0 || at + size > text.size() || !isUtf8(text.substr(at, size)))
        return { 0, 0 };
    if (size == 1)
        return { lead, 1 };
    char32_t code = lead & (0x7FU >> size);
    for (std::size_t i = 1; i < size; ++i)
        code = (code << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    return { code, size };
}

// Controls, line and paragraph separators, marks that turn or hide the text around them.
bool drivesTheTerminal(char32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD || (code >= 0x200B && code <= 0x200F)
        || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF
        || (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F);
}

void appendEscape(std::string& out, char32_t code)
{
    switch (code) {
    case '\n':
        out += "\\n";
        return;
    case '\r':
        out += "\\r";
        return;
    case '\t':
        out += "\\t";
        return;
    default:
        break;
    }
    char text[16];
    std::snprintf(text, sizeof text, code < 0x100 ? "\\x%02x" : "\\u{%x}", static_cast<unsigned>(code));
    out += text;
}

std::string lineOf(const json& object)
{
    return object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

std::string lineOf(const Error& error)
{
    return lineOf(json{ { "error",
        { { "failure", nameOf(error.failure) }, { "message", withoutCredentials(error.message) },
            { "detail", withoutCredentials(error.detail) }, { "code", error.code }, { "advice", advice(error) } } } });
}

std::string wordsOf(const Error& error)
{
    auto text = "fencepostctl: " + sentence(printable(withoutCredentials(error.message)));
    if (!error.detail.empty())
        text += " (" + printable(withoutCredentials(error.detail)) + ')';
    return text + ' ' + advice(error) + '\n';
}

std::size_t widthOf(std::string_view text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

} // namespace

std::string printable(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto [code, size] = decode(text, at);
        if (size == 0) {
            appendEscape(out, static_cast<unsigned char>(text[at]));
            ++at;
            continue;
        }
        if (drivesTheTerminal(code))
            appendEscape(out, code);
        else
            out.append(text.substr(at, size));
        at += size;
    }
    return out;
}

void addBytes(json& object, const std::string& name, const std::optional<std::string>& bytes)
{
    if (!bytes) {
        object[name] = nullptr;
    } else if (isUtf8(*bytes)) {
        object[name] = *bytes;
    } else {
        object[name] = nullptr;
        object[name + "_base64"] =
            QByteArray(bytes->data(), static_cast<qsizetype>(bytes->size())).toBase64().toStdString();
    }
}

json orNull(const std::optional<Time>& time)
{
    return time ? json(formatInstant(*time)) : json();
}

Output::Output()
    : m_terminal(isatty(STDOUT_FILENO) == 1)
{
}

void Output::write(std::string_view text)
{
    constexpr std::size_t enough = 16'384;
    if (m_closed)
        return;
    m_waiting += text;
    if (m_waiting.size() >= enough || m_terminal)
        send();
}

// In one piece, so that whoever stops the program leaves no half of a line behind.
void Output::send()
{
    const Undisturbed whole;
    const bool sent =
        std::fwrite(m_waiting.data(), 1, m_waiting.size(), stdout) == m_waiting.size() && std::fflush(stdout) == 0;
    m_waiting.clear();
    if (!sent)
        close();
}

void Output::object(const json& object)
{
    write(lineOf(object));
}

void Output::line(std::string_view text)
{
    write(std::string(text) + '\n');
}

void Output::octets(std::string_view octets)
{
    write(octets);
}

void Output::flush()
{
    if (!m_closed)
        send();
}

void Output::close()
{
    m_closed = true;
    // A reader that has seen enough closes its end; anything else has lost the answer.
    m_lost = errno != EPIPE;
    if (m_lost)
        std::fprintf(stderr,
            "fencepostctl: The answer could not be written to its end. (%s) What was to be changed was changed.\n",
            std::strerror(errno));
}

void Output::error(const Error& error)
{
    if (m_json)
        write(lineOf(error));
    flush();
    std::fputs(wordsOf(error).c_str(), stderr);
}

void Output::answerStop(const Error& error) const
{
    answerWhenStopped(m_json ? lineOf(error) : std::string(), wordsOf(error));
}

void Output::note(const std::string& text)
{
    std::fputs(("fencepostctl: " + printable(withoutCredentials(text)) + '\n').c_str(), stderr);
}

void Output::statements(const std::string& text)
{
    std::istringstream lines(withoutCredentials(text));
    for (std::string line; std::getline(lines, line);)
        std::fputs((printable(line) + '\n').c_str(), stderr);
}

Table::Table(Output& output, std::vector<std::string> titles)
    : m_output(output)
    , m_titles(std::move(titles))
{
    for (const auto& title : m_titles)
        m_widths.push_back(widthOf(title));
}

void Table::add(std::vector<std::string> cells)
{
    for (auto& cell : cells)
        cell = printable(cell);
    m_rows.push_back(std::move(cells));
}

void Table::show()
{
    for (const auto& row : m_rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            m_widths[i] = std::max(m_widths[i], std::min(widthOf(row[i]), widest));
    if (!m_titled)
        print(m_titles);
    m_titled = true;
    for (const auto& row : m_rows)
        print(row);
    m_rows.clear();
}

void Table::print(const std::vector<std::string>& cells)
{
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        text += cells[i];
        if (i + 1 < cells.size())
            text.append(2 + m_widths[i] - std::min(m_widths[i], widthOf(cells[i])), ' ');
    }
    m_output.line(text);
}

} // namespace fencepost::app

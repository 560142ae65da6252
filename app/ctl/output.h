// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/result.h"
#include "core/time.h"

namespace fencepost::app {

using nlohmann::json;

// What comes from a database is data: control characters, bidirectional overrides and octets that are no UTF-8 are
// shown as escapes, so that no row can drive the terminal.
[[nodiscard]] std::string printable(std::string_view text);
// As it is where it is UTF-8, else with the member's name and "_base64" behind it.
void addBytes(json& object, const std::string& name, const std::optional<std::string>& bytes);
[[nodiscard]] json orNull(const std::optional<Time>& time);
template <typename T> [[nodiscard]] json orNull(const std::optional<T>& value)
{
    return value ? json(*value) : json();
}

// Standard output: text for people or one JSON object per line. Errors go to standard error, with --json to both.
class Output {
public:
    Output();

    void setJson(bool on) { m_json = on; }
    [[nodiscard]] bool isJson() const { return m_json; }
    // The reader is gone: there is no use in reading on.
    [[nodiscard]] bool isClosed() const { return m_closed; }
    // Not all of it could be written, and that was not the reader's wish.
    [[nodiscard]] bool isLost() const { return m_lost; }

    void object(const json& object);
    void line(std::string_view text);
    void octets(std::string_view octets); // as they are, with nothing behind them
    void error(const Error& error);
    void note(const std::string& text); // for people, beside the output
    void statements(const std::string& text); // beside the output, to be copied as they stand
    void flush();
    // From here on a signal that stops the program is answered with this.
    void answerStop(const Error& error) const;

private:
    void write(std::string_view text);
    void send();
    void close();

    std::string m_waiting; // whole lines, and the octets of a text

    bool m_json = false;
    bool m_terminal = false; // somebody reads along
    bool m_closed = false;
    bool m_lost = false;
};

// Aligned columns. The widths follow the first rows that are shown together, later ones keep them.
class Table {
public:
    Table(Output& output, std::vector<std::string> titles);
    void add(std::vector<std::string> cells);
    // Shows what was added since; the titles once.
    void show();

private:
    void print(const std::vector<std::string>& cells);

    Output& m_output;
    std::vector<std::string> m_titles;
    std::vector<std::size_t> m_widths;
    std::vector<std::vector<std::string>> m_rows;
    bool m_titled = false;
};

} // namespace fencepost::app

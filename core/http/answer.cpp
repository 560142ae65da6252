// SPDX-License-Identifier: Apache-2.0
#include "core/http/answer.h"

#include <algorithm>
#include <array>

#include "core/protocol/ascii.h"
#include "core/protocol/json_reader.h"

namespace fencepost::http {

namespace {

// No error is explained at greater length; what is longer is some document.
constexpr std::size_t longestProblem = std::size_t{ 64 } << 10U;

struct CodeReader {
    std::optional<JsonFault> fault;
    std::optional<std::string> code;
    int said = 0;

    bool beginObject(std::size_t)
    {
        m_topIsObject = m_topIsObject || m_depth == 0;
        ++m_depth;
        return true;
    }
    bool endObject(std::size_t) { return leave(); }
    bool beginArray(std::size_t)
    {
        m_expected = false;
        ++m_depth;
        return true;
    }
    bool endArray(std::size_t) { return leave(); }
    bool name(JsonString name)
    {
        m_expected = m_depth == 1 && m_topIsObject && decoded(name) == "error_code";
        said += m_expected ? 1 : 0;
        return true;
    }
    bool string(JsonString text)
    {
        if (m_expected)
            code = decoded(text);
        m_expected = false;
        return true;
    }
    bool number(std::string_view) { return other(); }
    bool literal(std::string_view) { return other(); }

private:
    bool leave()
    {
        --m_depth;
        return other();
    }
    bool other()
    {
        m_expected = false;
        return true;
    }

    int m_depth = 0;
    bool m_topIsObject = false;
    bool m_expected = false;
};

bool isWeekday(std::string_view text)
{
    constexpr std::array<std::string_view, 7> days = { "mon", "tue", "wed", "thu", "fri", "sat", "sun" };
    const auto lower = asciiLower(text);
    return lower.find(' ') == std::string::npos
        && std::any_of(days.begin(), days.end(), [&](std::string_view day) { return lower.starts_with(day); });
}

bool isControl(std::string_view lowerName)
{
    constexpr std::array<std::string_view, 4> names = { "retry-after", "idempotency-status", "idempotency-should-retry",
        "stripe-should-retry" };
    return std::find(names.begin(), names.end(), lowerName) != names.end();
}

} // namespace

std::optional<std::string> errorCodeOf(std::string_view body)
{
    if (body.size() > longestProblem)
        return std::nullopt;
    CodeReader reader;
    if (JsonReader(body, reader).read() || reader.said != 1)
        return std::nullopt;
    return reader.code;
}

Headers separated(std::string_view name, std::string_view joined)
{
    const auto lower = asciiLower(name);
    const char between = lower == "set-cookie" ? '\n' : ',';
    if (!isControl(lower) && between == ',')
        return { { std::string(name), std::string(joined) } };
    Headers lines;
    std::string line;
    while (true) {
        const auto end = joined.find(between);
        line += joined.substr(0, end);
        const auto value = withoutBlanks(line);
        // A date has a comma of its own behind its weekday.
        if (end != std::string_view::npos && isWeekday(value)) {
            line += between;
        } else {
            lines.emplace_back(std::string(name), std::string(value));
            line.clear();
        }
        if (end == std::string_view::npos)
            return lines;
        joined.remove_prefix(end + 1);
    }
}

retry::Signal signalOf(const HttpResponse& response, Time now)
{
    auto signal = retry::signalOfAnswer(response.status, response.headers, now);
    // Of a success whose body is the caller's own only one that may speak of a request in flight is looked at.
    const auto type = asciiLower(lineOf(response.headers, "content-type").value_or(""));
    if (response.status >= 300 || response.status == 202 || type.starts_with("application/problem+json"))
        signal.errorCode = errorCodeOf(response.body);
    return signal;
}

} // namespace fencepost::http

// SPDX-License-Identifier: Apache-2.0
#include "core/evidence/playbook_lines.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/telemetry/event.h"

namespace fencepost {

namespace {

using exchange::ReplayRow;
using exchange::ReplayStatus;
using exchange::RetryLogRow;
using telemetry::KeyOutcome;

constexpr auto longestLog = std::chrono::years(100);
constexpr int clientErrors = 400;
constexpr int tooManyRequests = 429;
constexpr int serverErrors = 500;

RecordId unnamed(std::string key)
{
    return { std::string(untold), std::string(untold), std::move(key) };
}

std::string joined(const std::vector<std::string>& parts)
{
    std::string text;
    for (const auto& part : parts)
        if (!part.empty())
            text += (text.empty() ? "" : ", ") + part;
    return text;
}

// The notes, where they are what the library writes there.
std::optional<KeyOutcome> outcomeOf(const ReplayRow& row)
{
    constexpr std::array told{ KeyOutcome::Created, KeyOutcome::Replayed, KeyOutcome::InProgress };
    if (row.status == ReplayStatus::Conflict)
        return KeyOutcome::Conflict;
    const auto found = std::find_if(
        told.begin(), told.end(), [&row](KeyOutcome outcome) { return row.notes == telemetry::wordOf(outcome); });
    return found == told.end() ? std::nullopt : std::optional(*found);
}

// A conflict says nothing of what is stored. What failed and is answered again is final: what may be tried again is not
// stored in the playbook's table.
std::optional<State> stateOf(ReplayStatus status)
{
    switch (status) {
    case ReplayStatus::Complete:
        return State::Succeeded;
    case ReplayStatus::Pending:
        return State::InProgress;
    case ReplayStatus::Failed:
        return State::FailedFinal;
    case ReplayStatus::Conflict:
        return {};
    }
    return {};
}

// In the playbook other requests are told by the hash of their payload alone.
void takeHash(const std::string& hash, LogLine& line)
{
    takePayloadHash(hash, line);
    if (line.outcome != telemetry::wordOf(KeyOutcome::Conflict))
        line.requestHash = line.payloadHash;
}

std::optional<int> codeOf(const RetryLogRow& row)
{
    if (row.code)
        return row.code;
    int code = 0;
    const auto* const end = row.status.data() + row.status.size();
    const auto read = std::from_chars(row.status.data(), end, code);
    return read.ec == std::errc() && read.ptr == end ? std::optional(code) : std::nullopt;
}

// What the client saw at the end of an attempt. A word has been chosen for what has no answer.
State endOf(const RetryLogRow& row)
{
    const auto code = codeOf(row);
    const bool answered = row.status == "answered" || row.status == "4xx" || row.status == "5xx"
        || row.status.find_first_not_of("0123456789") == std::string::npos;
    if (row.status == "4xx" && !code)
        return State::FailedFinal;
    if (row.status == "answered" && !code)
        return State::Unknown;
    if (!answered || !code || *code == tooManyRequests || *code >= serverErrors)
        return State::FailedRetryable;
    return *code < clientErrors ? State::Succeeded : State::FailedFinal;
}

} // namespace

LogLine logLineOf(const ReplayRow& row, Time at)
{
    LogLine line{ .at = at, .id = unnamed(row.key) };
    const auto outcome = outcomeOf(row);
    line.to = stateOf(row.status);
    line.status = line.to;
    if (outcome) {
        line.outcome = std::string(telemetry::wordOf(*outcome));
        const bool made = *outcome == KeyOutcome::Created;
        line.event = !made ? "reserve" : line.to == State::FailedFinal ? "fail" : "finalize";
        // An answer is made by who works on it; who is told what is there changes nothing.
        line.from = made ? State::InProgress : line.to;
    }
    takeHash(row.payloadHash, line);
    if (line.to && isTerminal(*line.to)) {
        line.responseCode = row.httpCode;
        line.resultId = row.resultId;
    }
    const auto note = joined({ row.httpCode ? std::to_string(*row.httpCode) : "", row.resultId.value_or(""),
        line.otherHash ? "payload hash " + row.payloadHash : "", line.outcome == row.notes ? "" : row.notes });
    if (!note.empty())
        line.note = note;
    return line;
}

RetryLogLines::RetryLogLines(std::string name, Time at)
    : m_name(std::move(name))
    , m_first(at)
    , m_at(at)
{
}

Result<std::vector<LogLine>> RetryLogLines::add(std::int64_t line, const RetryLogRow& row)
{
    using std::chrono::milliseconds;
    if (milliseconds(row.delayMs) > std::chrono::floor<milliseconds>(longestLog - span()))
        return invalid("with its delay the file would span more than a hundred years");
    const bool another = m_row && row.attempt > m_row->attempt;
    auto before = attempt(another);
    if (another) {
        m_from = before.back().to;
    } else {
        m_key = m_name + ':' + std::to_string(line);
        m_from = row.attempt == 1 ? std::optional(State::Absent) : std::nullopt;
    }
    // What a file begins with was waited for before the time that it is about.
    if (m_row)
        m_at += milliseconds(row.delayMs);
    m_row = row;
    return before;
}

std::vector<LogLine> RetryLogLines::finish()
{
    auto last = attempt(false);
    m_row.reset();
    return last;
}

// Nothing, where none is kept. What was tried again could be, whatever its answer was.
std::vector<LogLine> RetryLogLines::attempt(bool another) const
{
    if (!m_row)
        return {};
    LogLine begun{ .at = m_at, .id = unnamed(m_key) };
    begun.event = "reserve";
    begun.from = m_from;
    begun.to = State::InProgress;
    begun.status = begun.to;
    begun.attempt = m_row->attempt;
    auto ended = begun;
    auto end = endOf(*m_row);
    if (another && end == State::FailedFinal)
        end = State::FailedRetryable;
    ended.event = end == State::Succeeded ? "finalize" : "fail";
    if (end == State::Unknown)
        ended.event.reset();
    ended.from = begun.to;
    ended.to = end;
    ended.status = end;
    if (isTerminal(end))
        ended.responseCode = codeOf(*m_row);
    const auto code = m_row->code ? std::to_string(*m_row->code) : std::string();
    ended.note = joined({ m_row->status, code == m_row->status ? "" : code, m_row->notes });
    return { begun, ended };
}

} // namespace fencepost

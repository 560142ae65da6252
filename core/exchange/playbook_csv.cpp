// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/playbook_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "core/in_quotes.h"
#include "core/instant_offset.h"
#include "core/retry/decision.h"

namespace fencepost::exchange {

namespace {

constexpr std::array<std::string_view, 4> replayWords = { "complete", "conflict", "pending", "failed" };
constexpr std::array<std::string_view, 4> inboxWords = { "ok", "replayed", "failed", "dead" };

// What is wrong with a cell is said as it stands behind its name: "is empty".
template <typename T> Status takeNumber(const std::string& cell, T& target, T least, T most)
{
    T number{};
    const auto* const end = cell.data() + cell.size();
    const auto read = std::from_chars(cell.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || number < least || number > most)
        return invalid("is not a whole number from " + std::to_string(least)
            + (most == std::numeric_limits<T>::max() ? "" : " to " + std::to_string(most)));
    target = number;
    return {};
}

Status takeCode(const std::string& cell, std::optional<int>& target)
{
    return cell.empty() ? Status() : takeNumber(cell, target.emplace(), 100, 599);
}

Status takeText(const std::string& cell, std::string& target)
{
    if (cell.empty())
        return invalid("is empty");
    target = cell;
    return {};
}

Status takeInstant(const std::string& cell, Time& target, bool& withoutOffset)
{
    const auto instant = parseInstant(cell);
    constexpr std::string_view yearNone = "0000";
    if (!instant || cell.starts_with(yearNone))
        return invalid("is not an instant such as 2025-09-15T12:00:00Z");
    target = *instant;
    withoutOffset = withoutOffset || !tellsOffset(cell);
    return {};
}

template <typename T, std::size_t N>
Status takeWord(const std::string& cell, T& target, const std::array<std::string_view, N>& words)
{
    std::string expected;
    for (std::size_t i = 0; i < N; ++i) {
        if (cell == words[i]) {
            target = static_cast<T>(i);
            return {};
        }
        expected += (i == 0 ? "" : ", ") + std::string(words[i]);
    }
    return invalid("is none of " + expected);
}

Status takeStatus(const std::string& cell, std::string& target)
{
    constexpr std::array<std::string_view, 4> words{ "timeout", "reset", "4xx", "5xx" };
    bool known = std::find(words.begin(), words.end(), cell) != words.end();
    for (int ending = 0; ending <= static_cast<int>(retry::Ending::Shed); ++ending)
        known = known || cell == retry::wordOf(static_cast<retry::Ending>(ending));
    int code = 0;
    if (!known && !takeNumber(cell, code, 100, 599))
        return invalid("is not a status; expected timeout, reset, 4xx, 5xx, a code such as 429 or 200, or why nothing "
                       "was sent, such as breaker_open");
    target = cell;
    return {};
}

template <typename T> std::string textOf(const std::optional<T>& number)
{
    return number ? std::to_string(*number) : std::string();
}

// Seconds since 1970 that the instant has begun, as YYYY-MM-DDTHH:MM:SSZ.
std::string secondsText(Time time)
{
    auto text = formatInstant(std::chrono::floor<std::chrono::seconds>(time));
    return text.erase(text.find('.')) + 'Z';
}

// One column: how it is called, how its cell is read into a row and written from it.
template <typename Row> struct Column {
    std::string_view name;
    Status (*take)(const std::string& cell, Row& row);
    std::string (*write)(const Row& row);
};

constexpr std::array retryLogColumns = {
    Column<RetryLogRow>{ "attempt",
        [](const std::string& cell, RetryLogRow& row) {
            return takeNumber(cell, row.attempt, 1, std::numeric_limits<int>::max());
        },
        [](const RetryLogRow& row) { return std::to_string(row.attempt); } },
    Column<RetryLogRow>{ "delay_ms",
        [](const std::string& cell, RetryLogRow& row) {
            return takeNumber(cell, row.delayMs, std::int64_t{ 0 }, std::numeric_limits<std::int64_t>::max());
        },
        [](const RetryLogRow& row) { return std::to_string(row.delayMs); } },
    Column<RetryLogRow>{ "status",
        [](const std::string& cell, RetryLogRow& row) { return takeStatus(cell, row.status); },
        [](const RetryLogRow& row) { return row.status; } },
    Column<RetryLogRow>{ "code", [](const std::string& cell, RetryLogRow& row) { return takeCode(cell, row.code); },
        [](const RetryLogRow& row) { return textOf(row.code); } },
    Column<RetryLogRow>{ "notes",
        [](const std::string& cell, RetryLogRow& row) -> Status {
            row.notes = cell;
            return {};
        },
        [](const RetryLogRow& row) { return row.notes; } },
};

constexpr std::array replayColumns = {
    Column<ReplayRow>{ "key", [](const std::string& cell, ReplayRow& row) { return takeText(cell, row.key); },
        [](const ReplayRow& row) { return row.key; } },
    Column<ReplayRow>{ "payload_hash",
        [](const std::string& cell, ReplayRow& row) { return takeText(cell, row.payloadHash); },
        [](const ReplayRow& row) { return row.payloadHash; } },
    Column<ReplayRow>{ "status",
        [](const std::string& cell, ReplayRow& row) { return takeWord(cell, row.status, replayWords); },
        [](const ReplayRow& row) { return std::string(wordOf(row.status)); } },
    Column<ReplayRow>{ "http_code",
        [](const std::string& cell, ReplayRow& row) { return takeCode(cell, row.httpCode); },
        [](const ReplayRow& row) { return textOf(row.httpCode); } },
    Column<ReplayRow>{ "result_id",
        [](const std::string& cell, ReplayRow& row) -> Status {
            if (!cell.empty())
                row.resultId = cell;
            return {};
        },
        [](const ReplayRow& row) { return row.resultId.value_or(""); } },
    Column<ReplayRow>{ "notes",
        [](const std::string& cell, ReplayRow& row) -> Status {
            row.notes = cell;
            return {};
        },
        [](const ReplayRow& row) { return row.notes; } },
};

constexpr std::array inboxColumns = {
    Column<InboxRow>{ "event_id", [](const std::string& cell, InboxRow& row) { return takeText(cell, row.eventId); },
        [](const InboxRow& row) { return row.eventId; } },
    Column<InboxRow>{ "source", [](const std::string& cell, InboxRow& row) { return takeText(cell, row.source); },
        [](const InboxRow& row) { return row.source; } },
    Column<InboxRow>{ "first_seen",
        [](const std::string& cell, InboxRow& row) { return takeInstant(cell, row.firstSeen, row.withoutOffset); },
        [](const InboxRow& row) { return secondsText(row.firstSeen); } },
    Column<InboxRow>{ "processed",
        [](const std::string& cell, InboxRow& row) {
            return cell.empty() ? Status() : takeInstant(cell, row.processed.emplace(), row.withoutOffset);
        },
        [](const InboxRow& row) { return row.processed ? secondsText(*row.processed) : std::string(); } },
    Column<InboxRow>{ "result",
        [](const std::string& cell, InboxRow& row) {
            return cell.empty() ? Status() : takeWord(cell, row.result.emplace(), inboxWords);
        },
        [](const InboxRow& row) { return row.result ? std::string(wordOf(*row.result)) : std::string(); } },
};

template <typename Row> std::vector<std::string> namesOf(std::span<const Column<Row>> columns)
{
    std::vector<std::string> names;
    for (const auto& column : columns)
        names.emplace_back(column.name);
    return names;
}

template <typename Row> std::string headerOf(std::span<const Column<Row>> columns)
{
    auto line = csvLine(namesOf(columns), CsvStyle::Exact);
    line.pop_back();
    return line;
}

// For each column its place in the header.
template <typename Row>
Result<std::vector<std::size_t>> findColumns(const CsvRow& header, std::span<const Column<Row>> columns)
{
    std::vector<std::size_t> places;
    for (const auto& column : columns) {
        const auto isIt = [&](const CsvCell& cell) { return cell.text == column.name; };
        const auto found = std::find_if(header.begin(), header.end(), isIt);
        if (found == header.end())
            return csvError(header.front().place,
                "the header has no column " + std::string(column.name) + "; expected " + headerOf(columns));
        if (const auto again = std::find_if(found + 1, header.end(), isIt); again != header.end())
            return csvError(again->place, "the header has a second column " + std::string(column.name));
        places.push_back(static_cast<std::size_t>(found - header.begin()));
    }
    return places;
}

// What is wrong with a row. Without a cell: it has more or less of them than the header.
struct RowFault {
    CsvPlace place;
    std::string column;
    const CsvCell* cell = nullptr;
    std::string what;
};

template <typename Row>
std::optional<RowFault> takeCells(const CsvRow& cells, std::size_t width, const std::vector<std::size_t>& places,
    std::span<const Column<Row>> columns, Row& row)
{
    // A comma that was not quoted shifts everything behind it, so neither less nor more is guessed at.
    if (cells.size() != width)
        return RowFault{ cells.back().place, {}, nullptr,
            "the line has " + std::to_string(cells.size()) + " cells, the header " + std::to_string(width) };
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto& cell = cells[places[c]];
        if (const auto taken = columns[c].take(cell.text, row); !taken)
            return RowFault{ cell.place, std::string(columns[c].name), &cell, taken.error().message };
    }
    return {};
}

template <typename Row> Result<std::vector<Row>> readRows(std::string_view csv, std::span<const Column<Row>> columns)
{
    const auto lines = parseCsv(csv);
    if (!lines)
        return lines.error();
    if (lines->empty())
        return csvError({}, "there is not even a header");
    const auto& header = lines->front();
    const auto places = findColumns(header, columns);
    if (!places)
        return places.error();
    std::vector<Row> rows;
    for (std::size_t i = 1; i < lines->size(); ++i) {
        const auto fault = takeCells((*lines)[i], header.size(), *places, columns, rows.emplace_back());
        if (!fault)
            continue;
        if (!fault->cell)
            return csvError(fault->place, fault->what);
        const auto& text = fault->cell->text;
        return csvError(
            fault->place, fault->column + ": " + (text.empty() ? "it" : inQuotes(text)) + ' ' + fault->what);
    }
    return rows;
}

// One format, for who does not know which it is.
struct Format {
    PlaybookFormat format;
    std::string (*header)();
    Result<std::vector<std::size_t>> (*find)(const CsvRow& header);
    Result<PlaybookRow> (*read)(const CsvRow& cells, std::size_t width, const std::vector<std::size_t>& places);
};

template <typename Row, const auto& columns> constexpr Format formatOf(PlaybookFormat format)
{
    return { format, [] { return headerOf<Row>(columns); },
        [](const CsvRow& header) { return findColumns<Row>(header, columns); },
        [](const CsvRow& cells, std::size_t width, const std::vector<std::size_t>& places) -> Result<PlaybookRow> {
            Row row;
            if (const auto fault = takeCells<Row>(cells, width, places, columns, row))
                return invalid(fault->column + (fault->cell ? " " : "") + fault->what);
            return PlaybookRow(std::move(row));
        } };
}

constexpr std::array formats = {
    formatOf<RetryLogRow, retryLogColumns>(PlaybookFormat::RetryLog),
    formatOf<ReplayRow, replayColumns>(PlaybookFormat::ReplayOutcomes),
    formatOf<InboxRow, inboxColumns>(PlaybookFormat::Inbox),
};

template <typename Row>
std::string writeRows(std::span<const Row> rows, std::span<const Column<Row>> columns, CsvStyle style)
{
    std::string csv = csvLine(namesOf(columns), CsvStyle::Exact);
    for (const auto& row : rows) {
        std::vector<std::string> cells;
        for (const auto& column : columns)
            cells.push_back(column.write(row));
        csv += csvLine(cells, style);
    }
    return csv;
}

std::string statusOf(const retry::Signal& signal)
{
    switch (signal.ending) {
    case retry::Ending::TimedOut:
        return "timeout";
    case retry::Ending::Lost:
        return "reset";
    case retry::Ending::Answered:
        if (signal.status < 400)
            return "200";
        if (signal.status == 429)
            return "429";
        return signal.status < 500 ? "4xx" : "5xx";
    case retry::Ending::NotSent:
    case retry::Ending::Cancelled:
    case retry::Ending::DeadlineOver:
    case retry::Ending::BreakerOpen:
    case retry::Ending::BudgetEmpty:
    case retry::Ending::Shed:
        return std::string(wordOf(signal.ending));
    }
    return {};
}

ReplayStatus statusOf(State state)
{
    switch (state) {
    case State::Succeeded:
        return ReplayStatus::Complete;
    case State::FailedRetryable:
    case State::FailedFinal:
        return ReplayStatus::Failed;
    case State::Absent:
    case State::InProgress:
    case State::Held:
    case State::Expired:
    case State::Unknown:
        return ReplayStatus::Pending;
    }
    return ReplayStatus::Pending;
}

} // namespace

std::string_view wordOf(ReplayStatus status) noexcept
{
    return replayWords[static_cast<std::size_t>(status)];
}

std::string_view wordOf(InboxResult result) noexcept
{
    return inboxWords[static_cast<std::size_t>(result)];
}

RetryLogRow retryLogRow(int attempt, Duration delay, const retry::Signal& signal, const std::string& notes)
{
    const bool answered = signal.ending == retry::Ending::Answered;
    return { attempt, std::chrono::ceil<std::chrono::milliseconds>(delay).count(), statusOf(signal),
        answered ? std::optional(signal.status) : std::nullopt, notes };
}

ReplayRow replayRow(const Record& record, const std::string& payloadHash, telemetry::KeyOutcome outcome)
{
    if (outcome == telemetry::KeyOutcome::Conflict)
        return { record.id.key, payloadHash, ReplayStatus::Conflict, 409, std::nullopt, "payload mismatch" };
    return { record.id.key, payloadHash, statusOf(record.status), record.response.code, record.response.refId,
        std::string(telemetry::wordOf(outcome)) };
}

Result<std::vector<RetryLogRow>> readRetryLog(std::string_view csv)
{
    return readRows<RetryLogRow>(csv, retryLogColumns);
}

Result<std::vector<ReplayRow>> readReplayOutcomes(std::string_view csv)
{
    return readRows<ReplayRow>(csv, replayColumns);
}

Result<std::vector<InboxRow>> readInbox(std::string_view csv)
{
    return readRows<InboxRow>(csv, inboxColumns);
}

PlaybookReader::PlaybookReader(PlaybookFormat format, std::size_t width, std::vector<std::size_t> places)
    : m_format(format)
    , m_width(width)
    , m_places(std::move(places))
{
}

std::optional<PlaybookReader> PlaybookReader::recognise(const CsvRow& header)
{
    std::optional<PlaybookReader> found;
    for (const auto& format : formats) {
        auto places = format.find(header);
        if (!places)
            continue;
        if (found)
            return {};
        found = PlaybookReader(format.format, header.size(), std::move(*places));
    }
    return found;
}

Result<PlaybookRow> PlaybookReader::read(const CsvRow& cells) const
{
    return formats[static_cast<std::size_t>(m_format)].read(cells, m_width, m_places);
}

std::vector<std::string> playbookHeaders()
{
    std::vector<std::string> headers;
    for (const auto& format : formats)
        headers.push_back(format.header());
    return headers;
}

std::string writeRetryLog(std::span<const RetryLogRow> rows, CsvStyle style)
{
    return writeRows<RetryLogRow>(rows, retryLogColumns, style);
}

std::string writeReplayOutcomes(std::span<const ReplayRow> rows, CsvStyle style)
{
    return writeRows<ReplayRow>(rows, replayColumns, style);
}

std::string writeInbox(std::span<const InboxRow> rows, CsvStyle style)
{
    return writeRows<InboxRow>(rows, inboxColumns, style);
}

} // namespace fencepost::exchange

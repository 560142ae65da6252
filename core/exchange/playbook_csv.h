// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/exchange/csv.h"
#include "core/retry/decision.h"
#include "core/telemetry/event.h"

namespace fencepost::exchange {

// attempt,delay_ms,status,code,notes: what a client did, one line per attempt.
struct RetryLogRow {
    int attempt = 1;
    std::int64_t delayMs = 0; // before it was sent
    std::string status; // timeout, reset, 429, 4xx, 5xx, 200 for every success, or a word of retry::Ending
    std::optional<int> code; // the answer's; none: there was no answer
    std::string notes;

    bool operator==(const RetryLogRow&) const = default;
};

// An attempt as the playbook writes it down. Delays are rounded up: nobody came earlier than it says.
[[nodiscard]] RetryLogRow retryLogRow(
    int attempt, Duration delay, const retry::Signal& signal, const std::string& notes);

enum class ReplayStatus { Complete, Conflict, Pending, Failed };

[[nodiscard]] std::string_view wordOf(ReplayStatus status) noexcept; // "complete", "conflict", "pending", "failed"

// key,payload_hash,status,http_code,result_id,notes: what a server answered, one line per request. Status and notes are
// the answer's, not what is stored.
struct ReplayRow {
    std::string key;
    std::string payloadHash; // as presented
    ReplayStatus status = ReplayStatus::Complete;
    std::optional<int> httpCode;
    std::optional<std::string> resultId;
    std::string notes;

    bool operator==(const ReplayRow&) const = default;
};

// An answer as the playbook writes it down: "created", "replayed", "payload mismatch".
[[nodiscard]] ReplayRow replayRow(const Record& record, const std::string& payloadHash, telemetry::KeyOutcome outcome);

enum class InboxResult { Ok, Replayed, Failed, Dead };

[[nodiscard]] std::string_view wordOf(InboxResult result) noexcept; // "ok", "replayed", "failed", "dead"

// event_id,source,first_seen,processed,result: what a consumer received, one line per delivery.
struct InboxRow {
    std::string eventId;
    std::string source;
    Time firstSeen; // written in whole seconds
    std::optional<Time> processed;
    std::optional<InboxResult> result; // none: not processed yet
    bool withoutOffset = false; // read: one of its times, which is taken for UTC

    bool operator==(const InboxRow&) const = default;
};

// The columns are found by their names, others are passed over; an empty cell is an absent value. Invalid, code
// VALIDATION.csv: the message says line, column and what was expected.
[[nodiscard]] Result<std::vector<RetryLogRow>> readRetryLog(std::string_view csv);
[[nodiscard]] Result<std::vector<ReplayRow>> readReplayOutcomes(std::string_view csv);
[[nodiscard]] Result<std::vector<InboxRow>> readInbox(std::string_view csv);

enum class PlaybookFormat { RetryLog, ReplayOutcomes, Inbox };

// In the order of the formats.
using PlaybookRow = std::variant<RetryLogRow, ReplayRow, InboxRow>;

// Reads a file row by row, in whichever of the formats it is.
class PlaybookReader {
public:
    // By the names in the first row. None: they are those of no format, of two, or one of them is there twice.
    [[nodiscard]] static std::optional<PlaybookReader> recognise(const CsvRow& header);

    [[nodiscard]] PlaybookFormat format() const { return m_format; }
    // Invalid: which column, and what was expected; the message has nothing of the row in it.
    [[nodiscard]] Result<PlaybookRow> read(const CsvRow& cells) const;

private:
    PlaybookReader(PlaybookFormat format, std::size_t width, std::vector<std::size_t> places);

    PlaybookFormat m_format;
    std::size_t m_width; // of the header
    std::vector<std::size_t> m_places; // of the format's columns in it
};

// The headers of the three formats, each a line without its end.
[[nodiscard]] std::vector<std::string> playbookHeaders();

// UTF-8 without a byte order mark, line feeds, the header as in the playbook.
[[nodiscard]] std::string writeRetryLog(std::span<const RetryLogRow> rows, CsvStyle style = CsvStyle::Exact);
[[nodiscard]] std::string writeReplayOutcomes(std::span<const ReplayRow> rows, CsvStyle style = CsvStyle::Exact);
[[nodiscard]] std::string writeInbox(std::span<const InboxRow> rows, CsvStyle style = CsvStyle::Exact);

} // namespace fencepost::exchange

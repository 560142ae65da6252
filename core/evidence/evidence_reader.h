// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evidence/log_line.h"
#include "core/exchange/playbook_csv.h"

namespace fencepost {

enum class EvidenceFormat { JsonLines, RetryLog, ReplayOutcomes, Inbox };

[[nodiscard]] std::string_view wordOf(EvidenceFormat format) noexcept; // "JSON lines", "retry log" …
[[nodiscard]] bool tellsTime(EvidenceFormat format) noexcept;

// One line of a file, or one row of a CSV file, and what it tells.
struct EvidenceRow {
    std::int64_t line = 0; // where it begins, from 1
    std::string leftOut; // why it is not understood, with nothing of it; empty: it is
    Bytes digest; // 32 octets, alike for what was told before
    std::vector<LogLine> lines; // of keys
    std::optional<exchange::InboxRow> delivery;
};

class EvidenceParser;

// Reads one file that comes piece by piece, and keeps no more than one line of it. Its first line says what it is: the
// header of one of the playbook's CSV files, or else JSON lines. A line of JSON was told before where the same octets
// were; a row of a CSV file, where the file says the same up to it, for two rows may be alike and mean two things.
class EvidenceReader {
public:
    struct File {
        std::string name; // names what has no key of its own
        Time at; // of lines that tell no time: of the first one, and of all that have no delay
    };
    // False: no more is wanted.
    using Visit = std::function<bool(const EvidenceRow& row)>;

    explicit EvidenceReader(File file);
    ~EvidenceReader();
    EvidenceReader(const EvidenceReader&) = delete;
    EvidenceReader& operator=(const EvidenceReader&) = delete;

    // Both answer whether more is wanted.
    bool add(std::string_view piece, const Visit& visit);
    bool finish(const Visit& visit);

    // Of an empty file it is JSON lines.
    [[nodiscard]] EvidenceFormat format() const;
    // From the first line to the last, where they lie apart by delays.
    [[nodiscard]] Duration span() const;

private:
    bool begin(std::string_view firstLine, const Visit& visit);

    const File m_file;
    std::string m_head; // until the first line is there
    std::unique_ptr<EvidenceParser> m_parser;
};

} // namespace fencepost

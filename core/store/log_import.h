// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/copier.h"
#include "core/evidence/line_reader.h"
#include "core/protocol/digest.h"
#include "core/random.h"
#include "core/snapshot/manifest.h"
#include "core/snapshot/redaction_rules.h"
#include "core/time.h"

namespace fencepost {
struct LogLine;
}

namespace fencepost::store {

class SnapshotFile;

struct LogImportRequest {
    std::string path;
    bool replace = false; // an existing file
    RedactionRules rules;
    std::string actor; // user@host
    std::string program; // "fencepostctl 1.0.0"
    Time now;
    std::function<bool()> stopped; // asked every some hundred lines
};

// A line that was left out.
struct LeftOutLine {
    std::string file;
    std::int64_t line = 0;
    std::string reason;
};

// Makes a sealed file, which is read like a snapshot, of the JSON lines of logs. They come piece by piece; nothing is
// left behind where it does not finish.
class LogImport {
public:
    // Conflict: the file is there, or somebody else writes it now.
    static Result<std::unique_ptr<LogImport>> create(LogImportRequest request);
    ~LogImport();
    LogImport(const LogImport&) = delete;
    LogImport& operator=(const LogImport&) = delete;

    void beginFile(const std::string& name);
    Status add(std::string_view piece);
    Status endFile();
    // Invalid: nothing was understood, and there is no file.
    Result<SnapshotManifest> finish(Random& random);

    [[nodiscard]] const std::vector<LeftOutLine>& leftOut() const { return m_leftOut; } // the first ten
    [[nodiscard]] std::int64_t linesRead() const { return m_lines; }

private:
    explicit LogImport(LogImportRequest request);
    bool takeLine(const LineReader::Line& line);
    void leaveOut(std::int64_t number, const std::string& reason);
    Status keep(const LogLine& line, std::string_view text);
    [[nodiscard]] bool isStopped() const;
    SnapshotManifest manifest() const;
    void warn(SnapshotManifest& manifest) const;

    LogImportRequest m_request;
    std::unique_ptr<SnapshotFile> m_file;
    std::vector<CopiedTable> m_tables;
    std::vector<ImportedFile> m_files;
    std::vector<LeftOutLine> m_leftOut;
    std::unique_ptr<LineReader> m_reader; // of the file that is being read
    std::unique_ptr<Sha256> m_digest;
    std::optional<Error> m_failed;
    std::optional<Time> m_before; // the file's line before
    std::int64_t m_lines = 0;
    std::int64_t m_understood = 0;
    std::int64_t m_backwards = 0;
    std::int64_t m_hashedKeys = 0;
    std::int64_t m_highestFence = 0;
};

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/copier.h"
#include "core/evidence/evidence_reader.h"
#include "core/evidence/import_request.h"
#include "core/protocol/digest.h"
#include "core/random.h"

namespace fencepost::store {

class SnapshotFile;

// Makes a sealed file, which is read like a snapshot, of logs: JSON lines and the playbook's CSV files. They come piece
// by piece; nothing is left behind where it does not finish.
class LogImport {
public:
    // Conflict: the file is there, or somebody else writes it now.
    static Result<std::unique_ptr<LogImport>> create(ImportRequest request);
    ~LogImport();
    LogImport(const LogImport&) = delete;
    LogImport& operator=(const LogImport&) = delete;

    // `changed`: when it was, last.
    void beginFile(const std::string& name, Time changed);
    Status add(std::string_view piece);
    Status endFile();
    // Invalid: nothing was understood, and there is no file.
    Result<SnapshotManifest> finish(Random& random);

    [[nodiscard]] const std::vector<LeftOutLine>& leftOut() const { return m_leftOut; } // the first ten
    [[nodiscard]] std::int64_t linesRead() const { return m_lines; }

private:
    explicit LogImport(ImportRequest request);
    bool takeRow(const EvidenceRow& row);
    Status keep(const EvidenceRow& row);
    Result<bool> addLine(const LogLine& line, const EvidenceRow& row, std::int64_t part);
    Result<bool> addDelivery(const exchange::InboxRow& delivery, const Bytes& digest);
    [[nodiscard]] std::string keyName(const std::string& name);
    [[nodiscard]] bool isStopped() const;
    [[nodiscard]] Result<Time> readAsOf() const;
    [[nodiscard]] SnapshotManifest manifest(Time asOf) const;
    void warn(SnapshotManifest& manifest) const;

    ImportRequest m_request;
    std::unique_ptr<SnapshotFile> m_file;
    std::vector<CopiedTable> m_tables;
    std::vector<ImportedFile> m_files;
    std::vector<LeftOutLine> m_leftOut;
    std::unique_ptr<EvidenceReader> m_reader; // of the file that is being read
    std::unique_ptr<Sha256> m_digest;
    std::map<std::string, std::string> m_keyNames; // and of which file each is
    Time m_fileAt;
    std::int64_t m_fileFirst = 0; // lines that were kept before it
    std::optional<Error> m_failed;
    std::optional<Time> m_before; // the file's line before
    std::int64_t m_lines = 0;
    std::int64_t m_understood = 0;
    std::int64_t m_kept = 0;
    std::int64_t m_untimed = 0;
    std::int64_t m_backwards = 0;
    std::int64_t m_hashedKeys = 0;
    std::int64_t m_withoutOffset = 0;
    std::int64_t m_otherHashes = 0;
    std::int64_t m_highestFence = 0;
};

} // namespace fencepost::store

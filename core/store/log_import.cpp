// SPDX-License-Identifier: Apache-2.0
#include "core/store/log_import.h"

#include <algorithm>

#include "core/evidence/log_line.h"
#include "core/ids.h"
#include "core/store/imported_rows.h"
#include "core/store/native.h"
#include "core/store/schema.h"
#include "core/store/snapshot_file.h"
#include "core/store/statements.h"
#include "core/without_credentials.h"

namespace fencepost::store {

namespace {

constexpr std::int64_t linesBetweenLooks = 500;
constexpr std::size_t namedLines = 10;

std::optional<std::string> wordOrNone(const std::optional<State>& state)
{
    return state ? std::optional(std::string(wordOf(*state))) : std::nullopt;
}

const Error importStopped{ Failure::Cancelled, "The import was stopped, and no file is left of it", {} };

} // namespace

LogImport::LogImport(LogImportRequest request)
    : m_request(std::move(request))
{
}

LogImport::~LogImport() = default;

Result<std::unique_ptr<LogImport>> LogImport::create(LogImportRequest request)
{
    std::unique_ptr<LogImport> import(new LogImport(std::move(request)));
    auto file = SnapshotFile::create(import->m_request.path, import->m_request.replace);
    if (!file)
        return file.error();
    import->m_file = std::move(*file);
    auto tables = import->m_file->makeOwnTables(import->m_request.now);
    if (!tables)
        return tables.error();
    import->m_tables = std::move(*tables);
    for (const auto* text : { sql::imported_create.sqlite, "BEGIN" })
        if (const auto done = import->m_file->connection().execute(text); !done)
            return done.error();
    return import;
}

void LogImport::beginFile(const std::string& name)
{
    m_files.push_back({ .name = withoutCredentials(name) });
    m_reader = std::make_unique<LineReader>();
    m_digest = std::make_unique<Sha256>();
    m_before.reset();
}

Status LogImport::add(std::string_view piece)
{
    m_files.back().size += static_cast<std::int64_t>(piece.size());
    m_digest->add(piece);
    const bool goesOn = m_reader->add(piece, [this](const LineReader::Line& line) { return takeLine(line); });
    if (m_failed)
        return *m_failed;
    return goesOn && !isStopped() ? Status() : Status(importStopped);
}

Status LogImport::endFile()
{
    m_reader->finish([this](const LineReader::Line& line) { return takeLine(line); });
    m_files.back().sha256 = toHex(m_digest->finish());
    return m_failed ? Status(*m_failed) : Status();
}

bool LogImport::isStopped() const
{
    return m_request.stopped && m_request.stopped();
}

void LogImport::leaveOut(std::int64_t number, const std::string& reason)
{
    ++m_files.back().leftOut;
    if (m_leftOut.size() < namedLines)
        m_leftOut.push_back({ m_files.back().name, number, reason });
}

bool LogImport::takeLine(const LineReader::Line& line)
{
    if (line.text.empty() && !line.tooLong)
        return true;
    ++m_files.back().lines;
    if (++m_lines % linesBetweenLooks == 0 && isStopped())
        return false;
    if (line.tooLong) {
        leaveOut(line.number, "it is longer than 1 MiB");
        return true;
    }
    const auto parsed = parseLogLine(line.text);
    if (!parsed) {
        leaveOut(line.number, parsed.error().message + (line.ended ? "" : ", and is the last one, without its end"));
        return true;
    }
    if (const auto kept = keep(*parsed, line.text); !kept)
        m_failed = kept.error();
    return !m_failed;
}

Status LogImport::keep(const LogLine& line, std::string_view text)
{
    const auto digest = sha256(text);
    const auto status = wordOrNone(line.status);
    const auto from = wordOrNone(line.from);
    const auto to = wordOrNone(line.to);
    const auto added = m_file->connection().native().run(sql::imported_add,
        Parameters()
            .octets("digest", digest)
            .text("scope", line.id.scope)
            .text("operation", line.id.operation)
            .text("key", line.id.key)
            .time("at", line.at)
            .text("event", line.event)
            .text("status", status)
            .text("from_state", from)
            .text("to_state", to)
            .text("outcome", line.outcome)
            .octets("payload_hash", line.payloadHash)
            .integer("attempt", line.attempt)
            .integer("fence", line.fence)
            .text("owner", line.owner)
            .text("error_code", line.errorCode)
            .text("correlation_id", line.correlationId));
    if (!added)
        return added.error();
    ++m_understood;
    m_highestFence = std::max(m_highestFence, line.fence.value_or(0));
    if (*added == 0)
        ++m_files.back().repeated;
    else if (line.hashedKey)
        ++m_hashedKeys;
    if (m_before && line.at < *m_before)
        ++m_backwards;
    m_before = line.at;
    return {};
}

SnapshotManifest LogImport::manifest() const
{
    SnapshotManifest manifest;
    for (const auto& file : m_files)
        manifest.location += (manifest.location.empty() ? "imported from " : ", ") + file.name;
    manifest.product = "JSON lines";
    manifest.schemaVersion = currentSchemaVersion;
    manifest.takenAt = m_request.now;
    manifest.takenBy = m_request.actor;
    manifest.program = m_request.program;
    manifest.rules = m_request.rules.name;
    manifest.rulesDigest = m_request.rules.digest;
    manifest.rulesInWords = m_request.rules.inWords();
    manifest.saltKept = m_request.rules.salt.has_value();
    manifest.imported = m_files;
    warn(manifest);
    return manifest;
}

void LogImport::warn(SnapshotManifest& manifest) const
{
    manifest.warnings.emplace_back(
        "It was made of logs, which tell no request, answer, lease or expiry: empty is what they do not tell, a fence "
        "or "
        "an attempt of 0 is unknown, and a record that did not expire in them is shown to expire in the year 9999. "
        "Invariants about them "
        "prove nothing here, such as that of a success without a response");
    if (m_hashedKeys > 0)
        manifest.warnings.push_back(std::to_string(m_hashedKeys)
            + " lines have the hash of a key in its place: \"sha256:\" and the hash is shown as the key");
    if (m_backwards > 0)
        manifest.warnings.push_back(std::to_string(m_backwards)
            + " lines are earlier than the one before them: of one key the highest fence counts, then the latest time");
}

Result<SnapshotManifest> LogImport::finish(Random& random)
{
    if (m_understood == 0) {
        auto nothing = invalid("No line was understood, and no file was written");
        nothing.next = "Give it JSON lines with ts, idempotency_key or key_hash, and event, outcome or to_state";
        return nothing;
    }
    const SnapshotRedaction redaction(m_request.rules, m_request.rules.salt.value_or(uuid4(random)));
    if (const auto written = writeImportedRows(*m_file, m_tables, redaction, m_request.stopped); !written)
        return written.error();
    // What was given out was drawn: without it every fence would be one that nobody knows of.
    const auto reached =
        m_file->connection().native().run(sql::reach_fence, Parameters().integer("fence", m_highestFence));
    if (!reached)
        return reached.error();
    return m_file->finish(manifest(), m_tables, m_request.stopped);
}

} // namespace fencepost::store

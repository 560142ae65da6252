// SPDX-License-Identifier: Apache-2.0
#include "core/store/log_import.h"

#include <algorithm>

#include "core/ids.h"
#include "core/store/imported_rows.h"
#include "core/store/native.h"
#include "core/store/read_rows.h"
#include "core/store/schema.h"
#include "core/store/snapshot_file.h"
#include "core/store/statements.h"
#include "core/without_credentials.h"

namespace fencepost::store {

namespace {

constexpr std::int64_t linesBetweenLooks = 500;
constexpr std::size_t namedLines = 10;
constexpr auto beyondLast = std::chrono::seconds(1);

std::optional<std::string> wordOrNone(const std::optional<State>& state)
{
    return state ? std::optional(std::string(wordOf(*state))) : std::nullopt;
}

const Error importStopped{ Failure::Cancelled, "The import was stopped, and no file is left of it", {} };

} // namespace

LogImport::LogImport(ImportRequest request)
    : m_request(std::move(request))
{
}

LogImport::~LogImport() = default;

Result<std::unique_ptr<LogImport>> LogImport::create(ImportRequest request)
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
    for (const auto* text : { sql::imported_create.sqlite, sql::imported_create_deliveries.sqlite, "BEGIN" })
        if (const auto done = import->m_file->connection().execute(text); !done)
            return done.error();
    return import;
}

// Of what has no key of its own: the file's name without its folder, where no other file has the same.
std::string LogImport::keyName(const std::string& name)
{
    const auto base = name.substr(name.rfind('/') + 1);
    const auto& owner = m_keyNames.try_emplace(base, name).first->second;
    return owner == name ? base : name;
}

void LogImport::beginFile(const std::string& name, Time changed)
{
    m_files.push_back({ .name = withoutCredentials(name) });
    m_fileAt = m_request.at.value_or(changed);
    m_fileFirst = m_kept;
    m_reader = std::make_unique<EvidenceReader>(EvidenceReader::File{ keyName(m_files.back().name), m_fileAt });
    m_digest = std::make_unique<Sha256>();
    m_before.reset();
}

Status LogImport::add(std::string_view piece)
{
    m_files.back().size += static_cast<std::int64_t>(piece.size());
    m_digest->add(piece);
    const bool goesOn = m_reader->add(piece, [this](const EvidenceRow& row) { return takeRow(row); });
    if (m_failed)
        return *m_failed;
    return goesOn && !isStopped() ? Status() : Status(importStopped);
}

Status LogImport::endFile()
{
    auto& file = m_files.back();
    const bool whole = m_reader->finish([this](const EvidenceRow& row) { return takeRow(row); });
    if (m_failed || !whole)
        return m_failed.value_or(importStopped);
    file.sha256 = toHex(m_digest->finish());
    file.format = wordOf(m_reader->format());
    if (!tellsTime(m_reader->format())) {
        file.linesAt = m_fileAt;
        m_untimed += file.lines - file.leftOut;
    }
    if (m_reader->span() == Duration(0))
        return {};
    const auto shifted = m_file->connection().native().run(
        sql::imported_shift, Parameters().integer("span", m_reader->span().count()).integer("before", m_fileFirst));
    return shifted ? Status() : Status(shifted.error());
}

bool LogImport::isStopped() const
{
    return m_request.stopped && m_request.stopped();
}

bool LogImport::takeRow(const EvidenceRow& row)
{
    auto& file = m_files.back();
    ++file.lines;
    if (++m_lines % linesBetweenLooks == 0 && isStopped())
        return false;
    if (!row.leftOut.empty()) {
        ++file.leftOut;
        // Ten bad lines of one file do not hide that another one is no log at all.
        if (m_leftOut.size() < namedLines || file.leftOut == 1)
            m_leftOut.push_back({ file.name, row.line, row.leftOut });
        return true;
    }
    if (const auto kept = keep(row); !kept)
        m_failed = kept.error();
    return !m_failed;
}

Status LogImport::keep(const EvidenceRow& row)
{
    ++m_understood;
    bool added = false;
    if (row.delivery) {
        const auto done = addDelivery(*row.delivery, row.digest);
        if (!done)
            return done.error();
        added = *done;
    }
    for (std::size_t part = 0; part < row.lines.size(); ++part) {
        const auto done = addLine(row.lines[part], row, static_cast<std::int64_t>(part));
        if (!done)
            return done.error();
        added = added || *done;
    }
    m_files.back().repeated += added ? 0 : 1;
    return {};
}

Result<bool> LogImport::addDelivery(const exchange::InboxRow& delivery, const Bytes& digest)
{
    const auto result = delivery.result ? std::optional(static_cast<std::int64_t>(*delivery.result)) : std::nullopt;
    const auto added = m_file->connection().native().run(sql::imported_delivery_add,
        Parameters()
            .octets("digest", digest)
            .text("source", delivery.source)
            .text("event_id", delivery.eventId)
            .time("first_seen", delivery.firstSeen)
            .time("processed", delivery.processed)
            .integer("result", result));
    if (!added)
        return added.error();
    m_withoutOffset += *added > 0 && delivery.withoutOffset ? 1 : 0;
    return *added > 0;
}

Result<bool> LogImport::addLine(const LogLine& line, const EvidenceRow& row, std::int64_t part)
{
    const auto status = wordOrNone(line.status);
    const auto from = wordOrNone(line.from);
    const auto to = wordOrNone(line.to);
    const auto added = m_file->connection().native().run(sql::imported_add,
        Parameters()
            .octets("digest", row.digest)
            .integer("part", part)
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
            .octets("request_hash", line.requestHash)
            .integer("attempt", line.attempt)
            .integer("fence", line.fence)
            .text("owner", line.owner)
            .text("error_code", line.errorCode)
            .text("correlation_id", line.correlationId)
            .integer("response_code", line.responseCode)
            .text("result_id", line.resultId)
            .text("note", line.note));
    if (!added)
        return added.error();
    m_highestFence = std::max(m_highestFence, line.fence.value_or(0));
    if (m_before && line.at < *m_before)
        ++m_backwards;
    m_before = line.at;
    if (*added == 0)
        return false;
    ++m_kept;
    m_hashedKeys += line.hashedKey ? 1 : 0;
    m_withoutOffset += line.withoutOffset ? 1 : 0;
    m_otherHashes += line.otherHash ? 1 : 0;
    return true;
}

// A log is read as of its end: whatever is asked of the last hour is asked of its last one.
Result<Time> LogImport::readAsOf() const
{
    const auto last = firstOf(readRows(m_file->connection(), sql::imported_end, Parameters(),
        [](const NativeRow& row) -> Result<Time> { return timeFromMicros(row.integer(0)); }));
    if (!last)
        return last.error();
    return std::min(m_request.now, last->value_or(m_request.now) + beyondLast);
}

SnapshotManifest LogImport::manifest(Time asOf) const
{
    SnapshotManifest manifest;
    for (const auto& file : m_files)
        manifest.location += (manifest.location.empty() ? "imported from " : ", ") + file.name;
    for (const auto& file : m_files)
        if (manifest.product.find(file.format) == std::string::npos)
            manifest.product += (manifest.product.empty() ? "" : ", ") + file.format;
    manifest.schemaVersion = currentSchemaVersion;
    manifest.takenAt = asOf;
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
    const auto isThere = [this](EvidenceFormat format) {
        return std::any_of(
            m_files.begin(), m_files.end(), [format](const auto& file) { return file.format == wordOf(format); });
    };
    const auto counted = [](std::int64_t lines) {
        return lines == 1 ? std::string("1 line has") : std::to_string(lines) + " lines have";
    };
    const auto time = m_request.at ? "the one that was given" : "when it was last changed";
    const std::pair<bool, std::string> all[] = {
        { true,
            "It was made " + formatInstant(m_request.now)
                + " of logs, as of whose end it is read, and which tell no request, lease or expiry, and of an answer "
                  "at most its status and what it made: empty is what they do not tell, a fence or an attempt of 0 is "
                  "unknown, and a record that did not expire in them is shown to expire in the year 9999. Invariants "
                  "about them prove nothing here, such as that of a success without a response" },
        { m_untimed > 0,
            counted(m_untimed) + " no time: they stand in their order at the time of their file, " + time
                + ", which is not when they happened" },
        { isThere(EvidenceFormat::ReplayOutcomes),
            "Replay outcomes tell what was answered, and neither scope nor operation: the state of a key is that of "
            "its last line, and what failed is taken for final" },
        { isThere(EvidenceFormat::RetryLog),
            "A retry log tells what a client saw, and no key: its operations are named by their file and the line "
            "where they begin, their attempts lie apart by their delays alone, as if none had taken any time, and one "
            "that timed out or was reset may have been executed all the same" },
        { isThere(EvidenceFormat::Inbox),
            "An inbox file tells neither consumer nor payload: its consumer is called unknown, and what failed or "
            "died has no reason" },
        { m_withoutOffset > 0,
            counted(m_withoutOffset)
                + " a time without an offset, which was read as UTC: where it is another zone's, "
                  "what is told of it is as much too early or too late" },
        { m_hashedKeys > 0,
            counted(m_hashedKeys) + " the hash of a key in its place: \"sha256:\" and the hash is shown as the key" },
        { m_otherHashes > 0,
            counted(m_otherHashes) + " a payload hash that is no SHA-256: that of its text stands for it" },
        { m_backwards > 0,
            std::to_string(m_backwards)
                + " lines are earlier than the one before them: of one key the highest fence counts, then the latest "
                  "time" },
    };
    for (const auto& [holds, warning] : all)
        if (holds)
            manifest.warnings.push_back(warning);
}

Result<SnapshotManifest> LogImport::finish(Random& random)
{
    if (m_understood == 0) {
        auto nothing = invalid("No line was understood, and no file was written");
        nothing.next =
            "Give it JSON lines with ts, idempotency_key or key_hash, and event, outcome or to_state, or CSV "
            "files that begin with";
        const auto headers = exchange::playbookHeaders();
        for (std::size_t i = 0; i < headers.size(); ++i)
            nothing.next += (i == 0 ? " " : " or ") + headers[i];
        return nothing;
    }
    const auto asOf = readAsOf();
    if (!asOf)
        return asOf.error();
    const SnapshotRedaction redaction(m_request.rules, m_request.rules.salt.value_or(uuid4(random)));
    if (const auto written = writeImportedRows(*m_file, m_tables, redaction, m_request.stopped); !written)
        return written.error();
    // What was given out was drawn: without it every fence would be one that nobody knows of.
    const auto reached =
        m_file->connection().native().run(sql::reach_fence, Parameters().integer("fence", m_highestFence));
    if (!reached)
        return reached.error();
    return m_file->finish(manifest(*asOf), m_tables, m_request.stopped);
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#include "core/store/snapshot_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/catalog.h"
#include "core/store/native.h"
#include "core/store/redacted_rows.h"
#include "core/store/schema.h"
#include "core/store/snapshot_seal.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

std::string partOf(const std::string& path)
{
    return path + ".part";
}

Error fileProblem(const std::string& what, const std::string& path)
{
    const int code = errno;
    const auto failure = code == ENOSPC || code == EDQUOT ? Failure::Full
        : code == EACCES || code == EROFS                 ? Failure::Denied
        : code == ENOENT || code == ENOTDIR               ? Failure::NotFound
                                                          : Failure::Unavailable;
    return { failure, what + ' ' + path, std::strerror(code) };
}

// Hashes and what rows are found by are told apart; every other column of ours is a field.
ColumnUse useOf(const CatalogColumn& column)
{
    return column.keyPosition > 0 || isLink(column.name) ? ColumnUse::Key : ColumnUse::Field;
}

// A declared type is any text; only what is a type in every database is repeated.
std::string declaredType(const std::string& type)
{
    const bool plain = std::all_of(type.begin(), type.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || std::string_view("_ (),").find(c) != std::string_view::npos;
    });
    return plain && std::count(type.begin(), type.end(), '(') == std::count(type.begin(), type.end(), ')') ? type
                                                                                                           : "BLOB";
}

std::string listOf(const std::vector<std::string>& columns)
{
    std::string text;
    for (const auto& column : columns)
        text += (text.empty() ? "" : ", ") + quotedName(column);
    return text;
}

std::vector<std::string> keyOf(const CopiedTable& table)
{
    std::vector<const CopiedColumn*> key;
    for (const auto& column : table.columns)
        if (column.keyPosition > 0)
            key.push_back(&column);
    std::sort(key.begin(), key.end(), [](const auto* a, const auto* b) { return a->keyPosition < b->keyPosition; });
    std::vector<std::string> names;
    for (const auto* column : key)
        names.push_back(column->name);
    return names;
}

int bind(sqlite3_stmt* statement, int index, const CopiedValue& value)
{
    const char* data = value.octets.data() == nullptr ? "" : value.octets.data();
    switch (value.kind) {
    case CopiedValue::Kind::Null:
        return sqlite3_bind_null(statement, index);
    case CopiedValue::Kind::Integer:
        return sqlite3_bind_int64(statement, index, value.integer);
    case CopiedValue::Kind::Real:
        return sqlite3_bind_double(statement, index, value.real);
    case CopiedValue::Kind::Text:
        return sqlite3_bind_text64(statement, index, data, value.octets.size(), SQLITE_STATIC, SQLITE_UTF8);
    case CopiedValue::Kind::Octets:
        return sqlite3_bind_blob64(statement, index, data, value.octets.size(), SQLITE_STATIC);
    }
    return SQLITE_MISUSE;
}

} // namespace

// Keeps others from writing the same file, for as long as it is open.
struct SnapshotFile::Lock {
    int file = -1;

    explicit Lock(int opened)
        : file(opened)
    {
    }
    ~Lock() { ::close(file); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    static Result<std::unique_ptr<Lock>> take(const std::string& part)
    {
        // Whoever was before may have given the locked file its name between the opening and the lock.
        constexpr int attempts = 10;
        for (int attempt = 0; attempt < attempts; ++attempt) {
            const int opened = ::open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
            if (opened < 0)
                return fileProblem("Cannot write", part);
            auto lock = std::make_unique<Lock>(opened);
            if (::flock(opened, LOCK_EX | LOCK_NB) != 0)
                return Error{ Failure::Conflict, "Another program writes this snapshot at the moment", part, {},
                    "Wait for it, or choose another name" };
            struct stat mine { };
            struct stat named { };
            if (::fstat(opened, &mine) != 0 || ::stat(part.c_str(), &named) != 0 || mine.st_ino != named.st_ino)
                continue;
            if (::ftruncate(opened, 0) != 0 || ::fchmod(opened, S_IRUSR | S_IWUSR) != 0)
                return fileProblem("Cannot write", part);
            return lock;
        }
        return Error{ Failure::Unavailable, "The file changes all the time", part };
    }
};

struct SnapshotFile::Target {
    sqlite3_stmt* statement = nullptr;
    Added added;
    RedactedRows rows;

    Target(std::size_t columns, RedactedRows::Redact redact, RedactedRows::Put put)
        : rows(columns, std::move(redact), std::move(put))
    {
    }
    ~Target() { sqlite3_finalize(statement); }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
};

SnapshotFile::SnapshotFile(std::string path, std::unique_ptr<Lock> lock)
    : m_path(std::move(path))
    , m_lock(std::move(lock))
{
}

SnapshotFile::~SnapshotFile()
{
    m_target.reset();
    m_connection.reset();
    if (m_finished)
        return;
    const auto part = partOf(m_path);
    for (const auto* tail : { "-journal", "-wal", "-shm", "" })
        ::unlink((part + tail).c_str());
}

Result<std::unique_ptr<SnapshotFile>> SnapshotFile::create(const std::string& path, bool replace)
{
    std::error_code problem;
    const auto there = std::filesystem::symlink_status(path, problem);
    if (std::filesystem::is_directory(there))
        return invalid("The snapshot's name is that of a folder", path);
    if (std::filesystem::exists(there) && !replace)
        return Error{ Failure::Conflict, "There is such a file already: " + path, {}, {},
            "Choose another name, or say --force to replace it" };
    // Replacing a device, a pipe or a link would take it from everybody else who uses it.
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
        return Error{ Failure::Invalid, "That is no plain file, and is not replaced: " + path, {}, {},
            "Choose another name" };
    auto lock = Lock::take(partOf(path));
    if (!lock)
        return lock.error();
    std::unique_ptr<SnapshotFile> file(new SnapshotFile(path, std::move(*lock)));
    store::Target target;
    target.path = partOf(path);
    auto opened =
        Connection::open(target, { .access = Access::ReadWrite, .statementTimeout = Duration(0), .create = true });
    if (!opened)
        return opened.error();
    file->m_connection = std::move(*opened);
    if (const auto prepared = file->prepareWriting(); !prepared)
        return prepared.error();
    return file;
}

// Nothing of it matters before it is whole: it is written without a journal and brought to the disk at the end. Its
// indexes, a third of the time, are sorted beside the reading.
Status SnapshotFile::prepareWriting()
{
    for (const auto* text : { "PRAGMA page_size=16384", "PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF",
             "PRAGMA locking_mode=EXCLUSIVE", "PRAGMA foreign_keys=OFF", "PRAGMA ignore_check_constraints=ON",
             "PRAGMA cache_size=-65536", "PRAGMA threads=2" })
        if (const auto set = m_connection->execute(text); !set)
            return set;
    return {};
}

Error SnapshotFile::error() const
{
    auto* database = static_cast<sqlite3*>(m_connection->handle());
    return errorOf(Dialect::Sqlite, std::to_string(sqlite3_extended_errcode(database)), sqlite3_errmsg(database));
}

Result<std::vector<CopiedTable>> SnapshotFile::makeOwnTables(Time at)
{
    if (const auto made = initSchema(*m_connection, false, at); !made)
        return made.error();
    // The schema turned it on: a snapshot is one file.
    if (const auto prepared = prepareWriting(); !prepared)
        return prepared.error();
    // Filled one row after the other, an index costs more than one that is made of all of them.
    std::vector<std::string> names;
    const auto read = m_connection->native().run(sql::index_texts, {}, [&](const NativeRow& row) {
        names.push_back(row.text(0));
        m_indexes.push_back(row.text(1));
    });
    if (!read)
        return read.error();
    for (const auto& name : names)
        if (const auto dropped = m_connection->execute("DROP INDEX " + quotedName(name)); !dropped)
            return dropped.error();
    const auto catalog = readCatalog(*m_connection);
    if (!catalog)
        return catalog.error();
    std::vector<CopiedTable> tables;
    for (const auto& table : *catalog) {
        // The copy has the version of its own tables, whatever the source's is.
        if (table.name == "fencepost_schema")
            continue;
        CopiedTable own{ table.name, {}, table.name, {}, true, {}, {} };
        for (const auto& column : table.columns)
            own.columns.push_back({ column.name, column.type, column.notNull, column.keyPosition, useOf(column) });
        tables.push_back(std::move(own));
    }
    return tables;
}

Status SnapshotFile::makeTable(const CopiedTable& table)
{
    std::string columns;
    bool keyNeverNull = true;
    for (const auto& column : table.columns) {
        columns += (columns.empty() ? "" : ", ") + quotedName(column.name) + ' ' + declaredType(column.type)
            + (column.notNull ? " NOT NULL" : "");
        keyNeverNull = keyNeverNull && (column.keyPosition == 0 || column.notNull);
    }
    const auto key = keyOf(table);
    const bool withKey = !key.empty();
    if (withKey)
        columns += ", PRIMARY KEY (" + listOf(key) + ')';
    const auto made = m_connection->execute("CREATE TABLE " + quotedName(table.name) + " (" + columns + ')'
        + (withKey && keyNeverNull ? " WITHOUT ROWID" : ""));
    if (!made)
        return made;
    for (std::size_t i = 0; i < table.indexes.size(); ++i) {
        const auto& index = table.indexes[i];
        if (index.columns != key)
            m_indexes.push_back("CREATE INDEX " + quotedName(table.name + "_index_" + std::to_string(i + 1)) + " ON "
                + quotedName(table.name) + " (" + listOf(index.columns) + ')');
    }
    return {};
}

Status SnapshotFile::into(const CopiedTable& table, const SnapshotRedaction& redaction)
{
    return aim(table, redaction, {});
}

Status SnapshotFile::intoOnce(const CopiedTable& table, const SnapshotRedaction& redaction, Added added)
{
    const auto key = keyOf(table);
    const auto aimed =
        aim(table, redaction, key.empty() ? std::string() : " ON CONFLICT (" + listOf(key) + ") DO NOTHING");
    if (aimed)
        m_target->added = std::move(added);
    return aimed;
}

Status SnapshotFile::aim(const CopiedTable& table, const SnapshotRedaction& redaction, const std::string& onConflict)
{
    if (auto flushed = flush(); !flushed)
        return flushed;
    m_target.reset();
    std::vector<std::optional<RedactionAction>> actions;
    std::vector<std::string> names;
    std::string places;
    for (const auto& column : table.columns) {
        names.push_back(column.name);
        places += places.empty() ? "?" : ", ?";
        if (table.own && redaction.takesAway(table.name, column))
            return Error{ Failure::Invalid,
                "The rules take away " + table.name + '.' + column.name + ", by which the copy itself is read",
                "No copy was made", {}, "Leave it out of the rules: it tells of states and times, and of nobody" };
        actions.push_back(redaction.actionOn(table.name, column));
    }
    auto target = std::make_unique<Target>(
        table.columns.size(),
        [&redaction, columns = table.columns, actions = std::move(actions)](
            std::size_t i, const CopiedValue& value) { return redaction.replacing(columns[i], actions[i], value); },
        [this](auto read, auto written) { return put(read, written); });
    const auto text =
        "INSERT INTO " + quotedName(table.name) + " (" + listOf(names) + ") VALUES (" + places + ')' + onConflict;
    auto* database = static_cast<sqlite3*>(m_connection->handle());
    if (sqlite3_prepare_v3(database, text.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &target->statement, nullptr)
        != SQLITE_OK)
        return error();
    if (!m_connection->inTransaction())
        if (const auto begun = m_connection->execute("BEGIN"); !begun)
            return begun;
    m_target = std::move(target);
    return {};
}

Status SnapshotFile::add(std::span<const CopiedValue> row)
{
    return m_target->rows.add(row);
}

Status SnapshotFile::flush()
{
    return m_target ? m_target->rows.flush() : Status();
}

Status SnapshotFile::put(std::span<const CopiedValue> read, std::span<const CopiedValue> written)
{
    auto* statement = m_target->statement;
    for (std::size_t i = 0; i < written.size(); ++i)
        if (bind(statement, static_cast<int>(i) + 1, written[i]) != SQLITE_OK)
            return error();
    if (sqlite3_step(statement) != SQLITE_DONE) {
        auto failed = error();
        sqlite3_reset(statement);
        return failed;
    }
    const bool added = sqlite3_changes(static_cast<sqlite3*>(m_connection->handle())) > 0;
    sqlite3_reset(statement);
    return added && m_target->added ? m_target->added(read) : Status();
}

Status SnapshotFile::seal(SnapshotManifest& manifest, const std::vector<CopiedTable>& tables)
{
    const auto catalog = readCatalog(*m_connection);
    if (!catalog)
        return catalog.error();
    for (const auto& table : *catalog) {
        const auto content = contentOf(*m_connection, table);
        if (!content)
            return content.error();
        SnapshotTable sealed{ table.name, {}, {}, content->rows, content->sha256 };
        for (const auto& copied : tables)
            if (copied.name == table.name) {
                sealed.source = copied.schema.empty() ? copied.source : copied.schema + '.' + copied.source;
                sealed.binding = copied.binding;
            }
        manifest.tables.push_back(std::move(sealed));
    }
    if (const auto made = m_connection->execute(sql::create_snapshot.sqlite); !made)
        return made;
    const auto text = textOf(manifest);
    const auto put = m_connection->native().run(sql::snapshot_put,
        Parameters().integer("format", manifest.format).text("manifest", text).text("seal", sealOf(text)), nullptr);
    return put ? Status() : put.error();
}

Status SnapshotFile::publish()
{
    const auto part = partOf(m_path);
    if (::fsync(m_lock->file) != 0)
        return fileProblem("Cannot write", part);
    if (::rename(part.c_str(), m_path.c_str()) != 0)
        return fileProblem("Cannot give the snapshot its name:", m_path);
    m_finished = true;
    auto folder = std::filesystem::path(m_path).parent_path().string();
    const int opened = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened >= 0) {
        (void)::fsync(opened);
        ::close(opened);
    }
    return {};
}

Result<SnapshotManifest> SnapshotFile::finish(
    SnapshotManifest manifest, const std::vector<CopiedTable>& tables, const std::function<bool()>& stopped)
{
    const Error cancelled{ Failure::Cancelled, "The snapshot was stopped, and no file is left of it", {} };
    if (const auto flushed = flush(); !flushed)
        return flushed.error();
    m_target.reset();
    if (!m_connection->inTransaction())
        if (const auto begun = m_connection->execute("BEGIN"); !begun)
            return begun.error();
    for (const auto& index : m_indexes) {
        if (stopped && stopped())
            return cancelled;
        if (const auto made = m_connection->execute(index); !made)
            return made.error();
    }
    m_connection->forgetStatements();
    if (const auto sealed = seal(manifest, tables); !sealed)
        return sealed.error();
    // Estimates of the rows, which pages are planned by, of a few of them.
    for (const auto* text : { "COMMIT", "PRAGMA analysis_limit=400", "ANALYZE" })
        if (const auto done = m_connection->execute(text); !done)
            return done.error();
    m_connection.reset();
    if (stopped && stopped())
        return cancelled;
    if (const auto published = publish(); !published)
        return published.error();
    return manifest;
}

} // namespace fencepost::store

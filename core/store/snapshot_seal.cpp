// SPDX-License-Identifier: Apache-2.0
#include "core/store/snapshot_seal.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/ids.h"
#include "core/protocol/digest.h"
#include "core/store/native.h"
#include "core/store/read_transaction.h"
#include "core/store/sql_text.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

struct SealedText {
    std::string manifest;
    std::string seal;
};

Result<std::optional<SealedText>> sealedText(Connection& connection)
{
    const auto snapshot = isSnapshot(connection);
    if (!snapshot)
        return snapshot.error();
    if (!*snapshot)
        return std::optional<SealedText>();
    std::optional<SealedText> found;
    const auto read = connection.native().run(sql::snapshot_find, {}, [&](const NativeRow& row) {
        found = SealedText{ row.text(0), row.text(1) };
    });
    if (!read)
        return read.error();
    if (!found)
        return Error{ Failure::Corrupt, "The file has the table of a snapshot, but no manifest", {}, {},
            "It was not written to its end, or was changed: use another copy" };
    return found;
}

// The canonical form of a value: its kind, its length, its octets.
class RowDigest {
public:
    void text(std::string_view octets) { add('t', octets); }
    void value(const CopiedValue& value)
    {
        switch (value.kind) {
        case CopiedValue::Kind::Null:
            add('n', {});
            return;
        case CopiedValue::Kind::Integer:
            add('i', octetsOf(static_cast<std::uint64_t>(value.integer)));
            return;
        case CopiedValue::Kind::Real: {
            std::uint64_t bits = 0;
            std::memcpy(&bits, &value.real, sizeof bits);
            add('r', octetsOf(bits));
            return;
        }
        case CopiedValue::Kind::Text:
            add('t', value.octets);
            return;
        case CopiedValue::Kind::Octets:
            add('b', value.octets);
            return;
        }
    }
    void endOfRow() { m_digest.add("."); }
    [[nodiscard]] std::string finish() { return toHex(m_digest.finish()); }

private:
    std::string_view octetsOf(std::uint64_t bits)
    {
        for (std::size_t i = 0; i < m_number.size(); ++i)
            m_number[i] = static_cast<char>(static_cast<unsigned char>(bits >> (8U * (7 - i)) & 0xffU));
        return { m_number.data(), m_number.size() };
    }
    void add(char kind, std::string_view octets)
    {
        std::array<char, 9> head{};
        head[0] = kind;
        for (std::size_t i = 0; i < 8; ++i)
            head[i + 1] = static_cast<char>(static_cast<unsigned char>(octets.size() >> (8U * (7 - i)) & 0xffU));
        m_digest.add({ head.data(), head.size() });
        m_digest.add(octets);
    }

    std::array<char, 8> m_number{};
    Sha256 m_digest;
};

SealVerdict changed(std::string table, std::string reason)
{
    return { false, std::move(table), std::move(reason) };
}

// A table that nobody sealed says as little as one that is gone.
std::optional<SealVerdict> compareNames(const SnapshotManifest& manifest, const std::vector<CatalogTable>& catalog)
{
    const auto sealed = [&](const std::string& name) {
        return std::any_of(
            manifest.tables.begin(), manifest.tables.end(), [&](const SnapshotTable& t) { return t.name == name; });
    };
    for (const auto& table : catalog)
        if (table.name != "fencepost_snapshot" && !sealed(table.name))
            return changed(table.name, "the table " + table.name + " was added after it was sealed");
    for (const auto& table : manifest.tables)
        if (std::none_of(
                catalog.begin(), catalog.end(), [&](const CatalogTable& other) { return other.name == table.name; }))
            return changed(table.name, "the table " + table.name + " is gone");
    return std::nullopt;
}

} // namespace

Result<bool> isSnapshot(Connection& connection)
{
    if (connection.dialect() != Dialect::Sqlite)
        return false;
    bool found = false;
    const auto read =
        connection.native().run(sql::snapshot_exists, {}, [&](const NativeRow& row) { found = row.integer(0) != 0; });
    return read ? Result<bool>(found) : read.error();
}

Status refuseSnapshot(Connection& connection)
{
    const auto snapshot = isSnapshot(connection);
    if (!snapshot)
        return snapshot.error();
    if (!*snapshot)
        return {};
    return Error{ Failure::Denied, "This is a snapshot: it shows what was, and nothing can be changed in it",
        connection.target().path, {}, "Connect to the database itself to change something" };
}

Result<std::optional<SnapshotManifest>> manifestOf(Connection& connection)
{
    const auto text = sealedText(connection);
    if (!text)
        return text.error();
    if (!*text)
        return std::optional<SnapshotManifest>();
    auto manifest = parseManifest((*text)->manifest);
    if (!manifest)
        return manifest.error();
    return std::optional(std::move(*manifest));
}

std::vector<const CatalogColumn*> sortingColumns(const CatalogTable& table)
{
    std::vector<const CatalogColumn*> sorted;
    for (const auto& column : table.columns)
        if (column.keyPosition > 0)
            sorted.push_back(&column);
    std::sort(
        sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->keyPosition < b->keyPosition; });
    if (sorted.empty())
        for (const auto& column : table.columns)
            sorted.push_back(&column);
    return sorted;
}

Result<TableContent> contentOf(Connection& connection, const CatalogTable& table)
{
    RowDigest digest;
    SqlText text;
    std::string columns;
    std::string order;
    for (const auto& column : table.columns) {
        digest.text(column.name);
        columns += (columns.empty() ? "" : ", ") + quotedName(column.name);
    }
    for (const auto* column : sortingColumns(table))
        order += (order.empty() ? "" : ", ") + quotedName(column->name);
    digest.endOfRow();
    text.sql = "SELECT " + columns + " FROM " + qualified(table) + " ORDER BY " + order;
    TableContent content;
    const int count = static_cast<int>(table.columns.size());
    const auto read = connection.native().stream(text, [&](const NativeRow& row) {
        for (int column = 0; column < count; ++column)
            digest.value(row.stored(column));
        digest.endOfRow();
        ++content.rows;
        return true;
    });
    if (!read)
        return read.error();
    content.sha256 = digest.finish();
    return content;
}

Result<SealVerdict> verifySnapshot(Connection& connection)
{
    const auto transaction = ReadTransaction::begin(connection);
    if (!transaction)
        return transaction.error();
    connection.limitStatements(Duration(0));
    const auto text = sealedText(connection);
    if (!text)
        return text.error();
    if (!*text)
        return Error{ Failure::Unsupported, "The database is no snapshot, so there is no seal to verify", {}, {},
            "Take one with: fencepostctl snapshot OUT" };
    if (sealOf((*text)->manifest) != (*text)->seal)
        return changed("fencepost_snapshot", "the manifest was changed after it was sealed");
    const auto manifest = parseManifest((*text)->manifest);
    if (!manifest)
        return manifest.error();
    const auto catalog = readCatalog(connection);
    if (!catalog)
        return catalog.error();
    if (const auto different = compareNames(*manifest, *catalog))
        return *different;
    // A snapshot has none, and one would change what is read into a copy of it.
    std::optional<SealVerdict> trigger;
    const auto triggers = connection.native().run(sql::snapshot_triggers, {}, [&](const NativeRow& row) {
        trigger = changed(row.text(1), "the trigger " + row.text(0) + " was added after it was sealed");
    });
    if (!triggers)
        return triggers.error();
    if (trigger)
        return *trigger;
    for (const auto& sealed : manifest->tables) {
        const auto table = std::find_if(
            catalog->begin(), catalog->end(), [&](const CatalogTable& other) { return other.name == sealed.name; });
        const auto content = contentOf(connection, *table);
        if (!content)
            return content.error();
        if (content->rows != sealed.rows)
            return changed(sealed.name,
                "the table " + sealed.name + " had " + std::to_string(sealed.rows) + " rows when it was sealed and has "
                    + std::to_string(content->rows));
        if (content->sha256 != sealed.sha256)
            return changed(sealed.name, "a row of the table " + sealed.name + " was changed after it was sealed");
    }
    return SealVerdict{ true, {}, {} };
}

} // namespace fencepost::store

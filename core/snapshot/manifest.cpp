// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/manifest.h"

#include <array>

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/protocol/digest.h"

namespace fencepost {

namespace {

using nlohmann::json;

struct TextMember {
    const char* name;
    std::string SnapshotManifest::*member;
};

constexpr std::array texts = {
    TextMember{ "location", &SnapshotManifest::location },
    TextMember{ "product", &SnapshotManifest::product },
    TextMember{ "version", &SnapshotManifest::version },
    TextMember{ "identity", &SnapshotManifest::identity },
    TextMember{ "taken_by", &SnapshotManifest::takenBy },
    TextMember{ "program", &SnapshotManifest::program },
    TextMember{ "filter", &SnapshotManifest::filter },
    TextMember{ "filter_table", &SnapshotManifest::filterTable },
    TextMember{ "rules", &SnapshotManifest::rules },
    TextMember{ "rules_sha256", &SnapshotManifest::rulesDigest },
};

struct TableMember {
    const char* name;
    std::string SnapshotTable::*member;
};

constexpr std::array tableTexts = {
    TableMember{ "name", &SnapshotTable::name },
    TableMember{ "source", &SnapshotTable::source },
    TableMember{ "binding", &SnapshotTable::binding },
    TableMember{ "sha256", &SnapshotTable::sha256 },
};

Error broken(const std::string& what)
{
    return { Failure::Corrupt, "The snapshot's manifest cannot be read: " + what, {}, {},
        "Take the snapshot again, or use another copy of the file" };
}

bool readText(const json& object, const char* name, std::string& text)
{
    const auto found = object.find(name);
    if (found == object.end() || !found->is_string())
        return false;
    text = found->get<std::string>();
    return true;
}

bool readTexts(const json& object, const char* name, std::vector<std::string>& list)
{
    const auto found = object.find(name);
    if (found == object.end() || !found->is_array())
        return false;
    for (const auto& element : *found) {
        if (!element.is_string())
            return false;
        list.push_back(element.get<std::string>());
    }
    return true;
}

Status readTables(const json& object, SnapshotManifest& manifest)
{
    const auto tables = object.find("tables");
    if (tables == object.end() || !tables->is_array())
        return broken("it has no list of tables");
    for (const auto& entry : *tables) {
        SnapshotTable table;
        if (!entry.is_object() || !entry.contains("rows") || !entry["rows"].is_number_integer())
            return broken("a table has no count of rows");
        table.rows = entry["rows"].get<std::int64_t>();
        for (const auto& text : tableTexts)
            if (!readText(entry, text.name, table.*text.member))
                return broken("a table has no \"" + std::string(text.name) + '"');
        manifest.tables.push_back(std::move(table));
    }
    return {};
}

struct ImportedCount {
    const char* name;
    std::int64_t ImportedFile::*member;
};

constexpr std::array importedCounts = {
    ImportedCount{ "size", &ImportedFile::size },
    ImportedCount{ "lines", &ImportedFile::lines },
    ImportedCount{ "left_out", &ImportedFile::leftOut },
    ImportedCount{ "repeated", &ImportedFile::repeated },
};

json toJson(const ImportedFile& file)
{
    json entry = { { "name", file.name }, { "sha256", file.sha256 } };
    for (const auto& count : importedCounts)
        entry[count.name] = file.*count.member;
    if (!file.format.empty())
        entry["format"] = file.format;
    if (file.linesAt)
        entry["lines_at"] = formatInstant(*file.linesAt);
    return entry;
}

Status readImported(const json& object, SnapshotManifest& manifest)
{
    const auto files = object.find("imported");
    if (files == object.end())
        return {};
    if (!files->is_array())
        return broken("its imported files are no list");
    for (const auto& entry : *files) {
        ImportedFile file;
        if (!entry.is_object() || !readText(entry, "name", file.name) || !readText(entry, "sha256", file.sha256))
            return broken("an imported file has no name or digest");
        for (const auto& count : importedCounts) {
            const auto found = entry.find(count.name);
            if (found == entry.end() || !found->is_number_integer())
                return broken("an imported file has no \"" + std::string(count.name) + '"');
            file.*count.member = found->get<std::int64_t>();
        }
        (void)readText(entry, "format", file.format);
        if (std::string at; readText(entry, "lines_at", at)) {
            const auto linesAt = parseInstant(at);
            if (!linesAt)
                return broken("the time of an imported file is no instant");
            file.linesAt = *linesAt;
        }
        manifest.imported.push_back(std::move(file));
    }
    return {};
}

} // namespace

std::string textOf(const SnapshotManifest& manifest)
{
    json object = { { "format", manifest.format }, { "taken_at", formatInstant(manifest.takenAt) },
        { "schema_version", manifest.schemaVersion ? json(*manifest.schemaVersion) : json() },
        { "rules_in_words", manifest.rulesInWords }, { "salt_kept", manifest.saltKept },
        { "warnings", manifest.warnings }, { "tables", json::array() } };
    for (const auto& text : texts)
        object[text.name] = manifest.*text.member;
    for (const auto& table : manifest.tables) {
        json entry = { { "rows", table.rows } };
        for (const auto& text : tableTexts)
            entry[text.name] = table.*text.member;
        object["tables"].push_back(std::move(entry));
    }
    // Only where there are some: the text of other snapshots, and so their seal, stays what it was.
    for (const auto& file : manifest.imported)
        object["imported"].push_back(toJson(file));
    return object.dump(1, ' ', false, json::error_handler_t::replace);
}

Result<SnapshotManifest> parseManifest(std::string_view text)
{
    const auto object = json::parse(text.begin(), text.end(), nullptr, false);
    if (!object.is_object() || !object.contains("format") || !object["format"].is_number_integer())
        return broken("it is no JSON object with a format");
    SnapshotManifest manifest;
    manifest.format = object["format"].get<int>();
    if (manifest.format > snapshotFormat)
        return Error{ Failure::Unsupported,
            "The snapshot has format " + std::to_string(manifest.format) + ", this Fencepost knows up to "
                + std::to_string(snapshotFormat),
            {}, {}, "Use a newer Fencepost" };
    for (const auto& member : texts)
        if (!readText(object, member.name, manifest.*member.member))
            return broken("it has no \"" + std::string(member.name) + '"');
    std::string at;
    const auto takenAt = readText(object, "taken_at", at) ? parseInstant(at) : Result<Time>(broken("no instant"));
    if (!takenAt)
        return broken("it does not say when it was taken");
    manifest.takenAt = *takenAt;
    if (object.contains("schema_version") && object["schema_version"].is_number_integer())
        manifest.schemaVersion = object["schema_version"].get<int>();
    manifest.saltKept = object.value("salt_kept", json(false)) == json(true);
    if (!readTexts(object, "rules_in_words", manifest.rulesInWords)
        || !readTexts(object, "warnings", manifest.warnings))
        return broken("its rules or warnings are no lists of texts");
    for (const auto& read : { readTables(object, manifest), readImported(object, manifest) })
        if (!read)
            return read.error();
    return manifest;
}

std::string sealOf(std::string_view manifestText)
{
    PartsDigest digest("fencepost snapshot");
    digest.add(manifestText);
    return toHex(digest.finish());
}

} // namespace fencepost

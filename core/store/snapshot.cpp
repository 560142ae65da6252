// SPDX-License-Identifier: Apache-2.0
#include "core/store/snapshot.h"

#include <algorithm>

#include "core/ids.h"
#include "core/store/fence_counter.h"
#include "core/store/native.h"
#include "core/store/snapshot_closure.h"
#include "core/store/snapshot_file.h"
#include "core/store/statements.h"
#include "core/without_credentials.h"

namespace fencepost::store {

namespace {

constexpr std::int64_t rowsBetweenLooks = 500;
constexpr int keysAtOnce = 20'000; // some megabytes; a table without an index of the keys is read once for them

// The copy ends with whoever has begun it.
class Reading {
public:
    explicit Reading(Copier& copier)
        : m_copier(copier)
    {
    }
    ~Reading() { m_copier.end(); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

private:
    Copier& m_copier;
};

class Taking {
public:
    Taking(Copier& copier, const SnapshotRequest& request, SnapshotFile& file, const SnapshotRedaction& redaction)
        : m_copier(copier)
        , m_request(request)
        , m_file(file)
        , m_redaction(redaction)
        , m_closure(file.connection())
    {
    }

    Status run(const CopySource& source)
    {
        if (const auto made = makeTables(source); !made)
            return made;
        return m_request.filter ? copyFiltered() : copyAll();
    }

    [[nodiscard]] const std::vector<CopiedTable>& tables() const { return m_tables; }
    [[nodiscard]] std::int64_t matched() const { return m_matched; }

private:
    Status makeTables(const CopySource& source)
    {
        if (source.info.schemaVersion) {
            const auto own = m_file.makeOwnTables(source.info.now);
            if (!own)
                return own.error();
            for (const auto& table : *own) {
                auto found = m_copier.ownTable(table.name, table.columns);
                if (!found)
                    return found.error();
                if (*found)
                    m_tables.push_back(std::move(**found));
            }
        }
        for (const auto& table : source.tables) {
            const bool taken = std::any_of(
                m_tables.begin(), m_tables.end(), [&](const CopiedTable& own) { return own.name == table.name; });
            if (taken)
                return Error{ Failure::Unsupported,
                    "The table " + table.binding + " has the name of one of Fencepost's own in a snapshot", {}, {},
                    "Take a snapshot of its schema alone: connect with ?schema=" + table.schema };
            if (const auto made = m_file.makeTable(table); !made)
                return made;
            m_tables.push_back(table);
        }
        if (!m_tables.empty())
            return {};
        return Error{ Failure::Unsupported, "There is nothing to take a snapshot of: no table was recognised", {}, {},
            "Look at what is recognised: fencepostctl profiles list" };
    }

    // Rows of the schema's beginning, such as the end of an empty chain, make room for the source's.
    Status empty(const CopiedTable& table) { return m_file.connection().execute("DELETE FROM \"" + table.name + '"'); }

    Status copyAll()
    {
        for (const auto& table : m_tables) {
            if (const auto emptied = empty(table); !emptied)
                return emptied;
            if (const auto copied = copy(table, nullptr, nullptr); !copied)
                return copied;
        }
        return {};
    }

    Status copyFiltered()
    {
        if (const auto prepared = m_closure.prepare(); !prepared)
            return prepared;
        bool taken = false;
        for (const auto& table : m_tables) {
            const bool asked = m_request.binding.empty() || m_request.binding == table.binding;
            if (table.binding.empty() || !asked || !m_copier.takes(table, *m_request.filter))
                continue;
            taken = true;
            const auto leaving = SnapshotClosure::leaving(table);
            if (const auto copied = copy(table, m_request.filter, &leaving); !copied)
                return copied;
        }
        m_matched = m_rows;
        if (!taken)
            return invalid("No table that is copied has all fields of the filter", m_request.filterText);
        return follow();
    }

    // Until nothing hangs on anything any more.
    Status follow()
    {
        for (bool found = true; found;) {
            found = false;
            for (std::size_t link = 0; link < snapshotLinks().size(); ++link) {
                const auto keys = m_closure.take(link, keysAtOnce);
                if (!keys)
                    return keys.error();
                if (keys->empty())
                    continue;
                found = true;
                if (const auto copied = copyLinked(snapshotLinks()[link], *keys); !copied)
                    return copied;
            }
        }
        return {};
    }

    Status copyLinked(const SnapshotLink& link, const std::vector<std::vector<std::string>>& keys)
    {
        for (const auto& table : m_tables) {
            const auto has = [&](const std::string& name) {
                return std::any_of(table.columns.begin(), table.columns.end(),
                    [&](const CopiedColumn& column) { return column.name == name; });
            };
            if (!table.own || (!link.into.empty() && link.into != table.name)
                || !std::all_of(link.to.begin(), link.to.end(), has))
                continue;
            const auto leaving = SnapshotClosure::leaving(table);
            const auto copied = walked(table, &leaving, false,
                [&](const CopyVisitor& visit) { return m_copier.rowsOf(table, link.to, keys, visit); });
            if (!copied)
                return copied;
        }
        return {};
    }

    Status copy(const CopiedTable& table, const FilterPtr& filter, const std::vector<SnapshotClosure::Leaving>* leaving)
    {
        return walked(
            table, leaving, true, [&](const CopyVisitor& visit) { return m_copier.rows(table, filter, visit); });
    }

    template <typename Walk>
    Status walked(
        const CopiedTable& table, const std::vector<SnapshotClosure::Leaving>* leaving, bool seed, const Walk& walk)
    {
        const auto came = [this, leaving, seed](
                              std::span<const CopiedValue> row) { return m_closure.came(*leaving, row, seed); };
        const auto ready =
            leaving != nullptr ? m_file.intoOnce(table, m_redaction, came) : m_file.into(table, m_redaction);
        if (!ready)
            return ready;
        Status taken;
        const auto read = walk([&](std::span<const CopiedValue> row) {
            taken = m_file.add(row);
            if (++m_rows % rowsBetweenLooks == 0) {
                tellProgress(table);
                if (m_request.stopped && m_request.stopped())
                    taken = Error{ Failure::Cancelled, "The snapshot was stopped, and no file is left of it", {} };
            }
            return taken.has_value();
        });
        if (!taken)
            return taken;
        if (!read)
            return read;
        tellProgress(table);
        return m_file.flush();
    }

    void tellProgress(const CopiedTable& table) const
    {
        if (m_request.progress)
            m_request.progress(table.name, m_rows);
    }

    Copier& m_copier;
    const SnapshotRequest& m_request;
    SnapshotFile& m_file;
    const SnapshotRedaction& m_redaction;
    SnapshotClosure m_closure;
    std::vector<CopiedTable> m_tables;
    std::int64_t m_rows = 0; // read so far
    std::int64_t m_matched = 0; // of them, those that the filter found
};

SnapshotManifest manifestOf(const CopySource& source, const SnapshotRequest& request)
{
    SnapshotManifest manifest;
    manifest.location = withoutCredentials(source.info.location);
    manifest.product = source.info.product;
    manifest.version = source.info.version;
    manifest.identity = withoutCredentials(source.info.identity);
    manifest.schemaVersion = source.info.schemaVersion;
    manifest.takenAt = source.info.now;
    manifest.takenBy = request.actor;
    manifest.program = request.program;
    manifest.filter = request.filterText;
    manifest.filterTable = request.binding;
    manifest.rules = request.rules.name;
    manifest.rulesDigest = request.rules.digest;
    manifest.rulesInWords = request.rules.inWords();
    manifest.saltKept = request.rules.salt.has_value();
    manifest.warnings = source.warnings;
    return manifest;
}

// Else every record's fence were one that was never drawn.
Status reachCounter(Connection& file, std::optional<Fence> last, SnapshotManifest& manifest)
{
    if (last)
        return reachFence(file, *last);
    std::optional<std::int64_t> highest;
    const auto read =
        file.native().run(sql::highest_fence, {}, [&](const NativeRow& row) { highest = row.optionalInteger(0); });
    if (!read)
        return read.error();
    if (highest.value_or(0) <= 0)
        return {};
    manifest.warnings.emplace_back("the counter of fences cannot be read by this role: whether every fence of the "
                                   "snapshot was drawn is not known");
    return reachFence(file, Fence{ *highest });
}

} // namespace

Result<SnapshotManifest> takeSnapshot(Copier& copier, const SnapshotRequest& request, Random& random)
{
    if (const auto known = copier.manifest(); !known)
        return known.error();
    else if (*known)
        return invalid("This is a snapshot already, taken " + formatInstant((*known)->takenAt),
            "Copy the file, or take a snapshot of " + (*known)->location);
    if (copier.isIn(request.path))
        return invalid("The snapshot would take the place of the database that it is taken of: " + request.path,
            "Nothing was written: name another file");
    auto file = SnapshotFile::create(request.path, request.replace);
    if (!file)
        return file.error();
    const SnapshotRedaction redaction(request.rules, request.rules.salt.value_or(uuid4(random)));
    Taking taking(copier, request, **file, redaction);
    SnapshotManifest manifest;
    {
        const auto source = copier.begin();
        const Reading reading(copier);
        if (!source)
            return source.error();
        manifest = manifestOf(*source, request);
        if (const auto copied = taking.run(*source); !copied)
            return copied.error();
        if (request.filter && taking.matched() == 0)
            manifest.warnings.push_back("the filter found no row: " + request.filterText);
        for (const auto& rule : redaction.unmet())
            manifest.warnings.push_back(
                "the rule \"" + rule + "\" met nothing of what was copied: is it spelled right?");
    }
    if (manifest.schemaVersion) {
        const auto fence = copier.lastFence();
        if (!fence)
            return fence.error();
        const auto counted = reachCounter((*file)->connection(), *fence, manifest);
        if (!counted)
            return counted.error();
    }
    return (*file)->finish(std::move(manifest), taking.tables(), request.stopped);
}

} // namespace fencepost::store

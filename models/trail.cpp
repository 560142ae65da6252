// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/trail.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/ids.h"
#include "models/happenings.h"

namespace fencepost::models {

namespace {

constexpr std::size_t mostLinked = 200;
constexpr std::size_t mostTold = 100; // rows whose story is read
constexpr std::int64_t attemptsRead = 256 * 1024;
constexpr int auditRead = 200; // entries of one row or run
constexpr Duration leastLook = std::chrono::milliseconds(1); // worth another statement
constexpr std::size_t mostReadings = 16; // of a scope-qualified key
constexpr std::size_t mostIds = 64; // whose scope, operation and key stand in one text

// Where a scope, an operation and a key were written as one text.
constexpr std::string_view separators = "/ :|,#";

bool isAbout(const std::string& text, const RecordId& record)
{
    std::string rest = text;
    for (const auto& part : { record.scope, record.operation }) {
        if (part.empty() || !rest.starts_with(part))
            continue;
        rest.erase(0, part.size());
        rest.erase(0, std::min(rest.find_first_not_of(separators), rest.size()));
    }
    return rest.size() < text.size() && rest == record.key;
}

// "acme/POST /refunds/k": an operation and a key may have slashes of their own.
std::vector<RecordId> idsIn(const std::string& text)
{
    std::vector<RecordId> ids;
    const auto next = [&](std::size_t from) { return text.find('/', from); };
    for (auto scope = next(0); scope != std::string::npos; scope = next(scope + 1))
        for (auto operation = next(scope + 1); operation != std::string::npos; operation = next(operation + 1))
            if (operation + 1 < text.size() && ids.size() < mostIds)
                ids.push_back({ text.substr(0, scope), text.substr(scope + 1, operation - scope - 1),
                    text.substr(operation + 1) });
    return ids;
}

// What is known of a row that is gone and stands in no journal.
std::string callsInWords(const Row& row)
{
    std::string words;
    for (const auto& [name, what] :
        { std::pair(rowCallsDone, ", done by vendors: "), { rowCallsOpen, ", unknown at vendors: " } })
        if (const auto found = row.extra.find(name); found != row.extra.end())
            words += what + found->second;
    return words;
}

RecordId idOf(const Row& row)
{
    return { row.scope.value_or(""), row.operation.value_or(""), row.key };
}

class Follower {
public:
    Follower(const std::vector<TrailSource>& sources, const TrailRequest& request)
        : m_sources(sources)
        , m_request(request)
    {
    }

    Trail follow()
    {
        readBindings();
        findByIndex();
        if (m_trail.found.empty())
            findQualified();
        findRuns();
        bool isFound = !m_trail.found.empty() || !m_trail.runs.empty();
        if (!isFound) {
            findWritten();
            isFound = findGone();
        }
        if (m_request.scan > Duration::zero() && (m_request.alwaysScan || !isFound))
            scan();
        link();
        tell();
        return std::move(m_trail);
    }

private:
    struct Table {
        std::size_t source = 0;
        Binding binding;
        std::size_t searched = 0; // which entry of the trail's
    };

    [[nodiscard]] bool isStopped() const { return m_request.stopped && m_request.stopped(); }
    [[nodiscard]] Finder* finder(std::size_t source) const { return m_sources[source].backend->finder(); }
    [[nodiscard]] Inspector& inspector(std::size_t source) const { return m_sources[source].backend->inspector(); }

    void cannot(std::size_t source, const std::string& what, const Error& error)
    {
        m_trail.searched.push_back({ .source = source, .binding = what, .error = error });
    }

    void readBindings()
    {
        for (std::size_t source = 0; source < m_sources.size(); ++source) {
            const auto all = inspector(source).bindings();
            if (!all)
                cannot(source, "tables", all.error());
            else
                for (const auto& binding : *all) {
                    m_tables.push_back({ source, binding, m_trail.searched.size() });
                    m_trail.searched.push_back({ .source = source, .binding = binding.name });
                }
        }
    }

    [[nodiscard]] bool isKnown(const TrailRow& row) const
    {
        const auto same = [&](const TrailRow& known) {
            return known.source == row.source && known.binding == row.binding && known.row.identity == row.row.identity;
        };
        return std::any_of(m_trail.found.begin(), m_trail.found.end(), same)
            || std::any_of(m_trail.linked.begin(), m_trail.linked.end(), same);
    }

    void addFound(const Table& table, Lead lead)
    {
        TrailRow row{ table.source, table.binding.name, table.binding.kind, std::move(lead.row), std::move(lead.by) };
        if (!isKnown(row))
            m_trail.found.push_back(std::move(row));
    }

    void findByIndex()
    {
        for (const auto& table : m_tables) {
            if (isStopped())
                return;
            auto& searched = m_trail.searched[table.searched];
            auto fields = finder(table.source)->indexedFields(table.binding);
            auto leads = fields ? finder(table.source)->byIndex(table.binding, m_request.id)
                                : Result<std::vector<Lead>>(fields.error());
            if (!leads) {
                searched.error = leads.error();
                continue;
            }
            searched.fields = std::move(*fields);
            for (auto& lead : *leads)
                addFound(table, std::move(lead));
        }
    }

    // "tenant:north/POST /refunds/key": every end of it may be the key, and the row tells which one is.
    [[nodiscard]] std::vector<std::string> readings() const
    {
        std::vector<std::string> keys;
        for (std::size_t at = m_request.id.find_first_of(separators);
             at != std::string::npos && at + 1 < m_request.id.size() && keys.size() < mostReadings;
             at = m_request.id.find_first_of(separators, at + 1))
            keys.push_back(m_request.id.substr(at + 1));
        return keys;
    }

    void findQualified()
    {
        for (const auto& key : readings())
            for (const auto& table : m_tables) {
                if (m_trail.searched[table.searched].error)
                    continue;
                auto leads = finder(table.source)->byIndex(table.binding, key);
                if (!leads)
                    continue;
                for (auto& lead : *leads)
                    if (isAbout(m_request.id, idOf(lead.row)))
                        addFound(table, { std::move(lead.row), "scope and key" });
            }
    }

    // Of a record that is gone, what it wrote still tells the key.
    void findWritten()
    {
        findWrittenWith(m_request.id, [](const Table&, const Row&) { return true; });
        for (const auto& key : readings())
            findWrittenWith(key, [this](const Table& table, const Row& row) {
                const auto writer = finder(table.source)->writerOf(table.binding, row.identity);
                return writer && *writer && isAbout(m_request.id, **writer);
            });
    }

    // Of a record that is gone, the journal and what vendors were sent are found by its whole id.
    bool findGone()
    {
        bool any = false;
        for (const auto& id : idsIn(m_request.id))
            for (const auto& table : m_tables) {
                if (isStopped())
                    return any;
                if (!table.binding.native || table.binding.kind != Kind::Idempotency
                    || m_trail.searched[table.searched].error)
                    continue;
                auto details =
                    inspector(table.source).details(table.binding, { id.scope, id.operation, id.key }, attemptsRead);
                if (!details || !*details)
                    continue;
                any = true;
                addFound(table,
                    { std::move((**details).row), (**details).journal.empty() ? "its calls" : "key in the journal" });
            }
        return any;
    }

    template <typename Predicate> void findWrittenWith(const std::string& key, const Predicate& isIt)
    {
        for (const auto& table : m_tables) {
            if (!table.binding.native || table.binding.kind != Kind::Outbox || m_trail.searched[table.searched].error)
                continue;
            auto written = finder(table.source)->writtenBy(table.binding, RecordId{ {}, {}, key });
            if (!written)
                continue;
            for (auto& row : *written)
                if (isIt(table, row))
                    addFound(table, { std::move(row), "idempotency_key" });
        }
    }

    void findRuns()
    {
        if (!isUuid(m_request.id))
            return;
        for (std::size_t source = 0; source < m_sources.size(); ++source) {
            if (auto* runs = inspector(source).runs()) {
                const auto run = runs->find(m_request.id);
                if (run && *run)
                    m_trail.runs.push_back({ source, **run });
                else if (!run && run.error().failure != Failure::Unsupported)
                    cannot(source, "runs", run.error());
            }
            AuditRequest request;
            request.requestId = m_request.id;
            addAudit(source, request);
        }
    }

    void addAudit(std::size_t source, AuditRequest request)
    {
        request.limit = auditRead;
        const auto entries = inspector(source).audit(request);
        if (!entries) {
            if (m_unaudited.insert(source).second)
                cannot(source, "audit", entries.error());
            return;
        }
        for (const auto& entry : *entries)
            if (m_told.insert({ source, entry.seq }).second)
                m_trail.happenings.push_back(happeningOf(source, entry));
    }

    // What no index leads to: rows of a table, or the journal beside it.
    struct Look {
        const Table* table;
        bool journal;
        ScanPlace place;
    };

    // Each gets its part of the time. What those leave that are through, the others get.
    void scan()
    {
        std::vector<Look> looks;
        for (const auto& table : m_tables)
            for (const bool journal : { false, true })
                if (!m_trail.searched[table.searched].error)
                    looks.push_back({ &table, journal, {} });
        auto left = m_request.scan;
        while (!looks.empty()) {
            std::vector<Look> unfinished;
            for (std::size_t i = 0; i < looks.size(); ++i) {
                if (isStopped())
                    return;
                const auto began = std::chrono::steady_clock::now();
                if (auto next = look(looks[i], left / static_cast<int>(looks.size() - i)))
                    unfinished.push_back({ looks[i].table, looks[i].journal, std::move(*next) });
                left -= std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - began);
                left = std::max(left, Duration::zero());
            }
            looks = left > leastLook ? std::move(unfinished) : std::vector<Look>();
        }
    }

    // Where it goes on; none: there is nothing left to look at.
    std::optional<ScanPlace> look(const Look& what, Duration budget)
    {
        const auto& table = *what.table;
        auto& searched = m_trail.searched[table.searched];
        auto* const finding = finder(table.source);
        auto scanned = what.journal ? finding->scanJournal(table.binding, m_request.id, budget, what.place)
                                    : finding->scan(table.binding, m_request.id, budget, what.place);
        if (!scanned) {
            searched.error = scanned.error();
            return std::nullopt;
        }
        for (auto& lead : scanned->leads)
            addFound(table, std::move(lead));
        scanned->leads.clear();
        auto next = std::exchange(scanned->next, std::nullopt);
        if (what.journal && scanned->all && scanned->looked == 0 && !searched.journal)
            return next;
        auto& told = what.journal ? searched.journal : searched.scanned;
        if (told)
            scanned->looked += told->looked;
        if (scanned->all)
            scanned->of = Count{ scanned->looked, Exactness::Exact };
        else if (scanned->of && scanned->of->value < scanned->looked)
            scanned->of.reset();
        told = std::move(*scanned);
        return next;
    }

    // From the found rows to what hangs together with them, and once more from there.
    void link()
    {
        const auto found = m_trail.found;
        for (const auto& row : found)
            linkFrom(row);
        const auto near = m_trail.linked;
        for (const auto& row : near)
            linkFrom(row);
    }

    void addLinked(const Table& table, Row row, const std::string& by)
    {
        TrailRow linked{ table.source, table.binding.name, table.binding.kind, std::move(row), by };
        if (isKnown(linked))
            return;
        m_trail.cut = m_trail.cut || m_trail.linked.size() >= mostLinked;
        if (!m_trail.cut)
            m_trail.linked.push_back(std::move(linked));
    }

    void linkFrom(const TrailRow& from)
    {
        const auto record = from.kind == Kind::Idempotency ? std::optional(idOf(from.row)) : writerOf(from);
        for (const auto& table : m_tables) {
            if (!record || !table.binding.native)
                continue;
            if (table.binding.kind == Kind::Outbox)
                if (auto written = finder(table.source)->writtenBy(table.binding, *record))
                    for (auto& row : *written)
                        addLinked(table, std::move(row), "written with the key " + record->key);
            if (table.binding.kind == Kind::Idempotency && from.kind != Kind::Idempotency)
                if (auto row =
                        inspector(table.source).row(table.binding, { record->scope, record->operation, record->key });
                    row && *row)
                    addLinked(table, std::move(**row), "wrote the event " + from.row.key);
        }
        linkAlike(from.row.key, from.kind == Kind::Idempotency ? "the key " : "the event ");
        if (from.row.correlationId)
            linkAlike(*from.row.correlationId, "the correlation id ");
    }

    [[nodiscard]] std::optional<RecordId> writerOf(const TrailRow& from) const
    {
        for (const auto& table : m_tables)
            if (table.source == from.source && table.binding.name == from.binding)
                if (auto writer = finder(table.source)->writerOf(table.binding, from.row.identity))
                    return *writer;
        return std::nullopt;
    }

    // Each value is asked for once.
    void linkAlike(const std::string& value, const char* what)
    {
        if (value.empty() || value == m_request.id || !m_asked.insert(value).second)
            return;
        for (const auto& table : m_tables) {
            if (isStopped())
                return;
            if (m_trail.searched[table.searched].error)
                continue;
            auto leads = finder(table.source)->byIndex(table.binding, value);
            if (!leads)
                continue;
            for (auto& lead : *leads)
                addLinked(table, std::move(lead.row), what + value);
        }
    }

    void tell()
    {
        std::size_t told = 0;
        for (auto* rows : { &m_trail.found, &m_trail.linked })
            for (auto& row : *rows) {
                if (isStopped())
                    return;
                if (told++ == mostTold) {
                    m_trail.cut = true;
                    break;
                }
                tellOf(row);
            }
        std::stable_sort(m_trail.happenings.begin(), m_trail.happenings.end(),
            [](const Happening& a, const Happening& b) { return a.at < b.at; });
    }

    void tellOf(TrailRow& row)
    {
        for (const auto& table : m_tables) {
            if (table.source != row.source || table.binding.name != row.binding)
                continue;
            const auto details = inspector(row.source).details(table.binding, row.row.identity, attemptsRead);
            if (details && *details && row.row.state == wordOf(State::Absent))
                row.by += callsInWords((*details)->row);
            if (details && *details)
                for (auto& happening : happeningsOf(row, **details))
                    m_trail.happenings.push_back(std::move(happening));
            else if (!details)
                cannot(row.source, row.binding, details.error());
        }
        AuditRequest request;
        request.binding = row.binding;
        request.identity = row.row.identity;
        addAudit(row.source, request);
    }

    const std::vector<TrailSource>& m_sources;
    const TrailRequest& m_request;
    Trail m_trail;
    std::vector<Table> m_tables;
    std::set<std::string> m_asked;
    std::set<std::size_t> m_unaudited;
    std::set<std::pair<std::size_t, std::int64_t>> m_told;
};

} // namespace

bool Trail::isByIndexAlone() const
{
    return std::none_of(
        searched.begin(), searched.end(), [](const Searched& table) { return table.scanned || table.journal; });
}

Trail followId(const std::vector<TrailSource>& sources, const TrailRequest& request)
{
    return Follower(sources, request).follow();
}

} // namespace fencepost::models

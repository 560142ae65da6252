// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "core/backend.h"
#include "tests/support/fake_store.h"

namespace fencepost::testing {

// A table of any size whose rows are computed, with faults to inject. Shared by the test and the store thread.
class FakeDatabase {
public:
    explicit FakeDatabase(std::int64_t rows)
        : m_rows(rows)
    {
    }

    static constexpr std::int64_t epoch = 1'790'000'000'000'000; // in microseconds
    static constexpr std::int64_t step = 1000; // between the instants of two rows
    static constexpr std::int64_t stride = 1000; // one row in so many matches a filter

    static std::string idOf(std::int64_t row)
    {
        char text[32];
        std::snprintf(text, sizeof text, "key-%012lld", static_cast<long long>(row));
        return text;
    }
    static std::int64_t rowOfId(const std::string& id) { return std::stoll(id.substr(4)); }

    void addRows(std::int64_t count)
    {
        const std::lock_guard lock(m_mutex);
        m_rows += count;
    }
    void remove(std::int64_t row)
    {
        const std::lock_guard lock(m_mutex);
        m_removed.insert(row);
    }
    void setState(std::int64_t row, const std::string& state)
    {
        const std::lock_guard lock(m_mutex);
        m_states[row] = state;
    }
    // Every statement answers this until it is cleared.
    void breakWith(std::optional<Error> error)
    {
        const std::lock_guard lock(m_mutex);
        m_error = std::move(error);
    }
    // The connection is gone: statements and new connections are refused until it is back.
    void lose() { breakWith(Error{ Failure::Unavailable, "The server closed the connection.", "57P01", "57P01" }); }
    void restore() { breakWith(std::nullopt); }

    // Statements wait until release() or an interrupt.
    void block()
    {
        const std::lock_guard lock(m_mutex);
        m_blocked = true;
    }
    void release()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_blocked = false;
        }
        m_wake.notify_all();
    }
    void interrupt()
    {
        {
            const std::lock_guard lock(m_mutex);
            if (m_waiting == 0)
                return;
            ++m_interrupts;
        }
        m_wake.notify_all();
    }
    [[nodiscard]] int waiting() const
    {
        const std::lock_guard lock(m_mutex);
        return m_waiting;
    }
    [[nodiscard]] int interrupts() const
    {
        const std::lock_guard lock(m_mutex);
        return m_interrupts;
    }
    [[nodiscard]] int pages() const { return m_pages; }
    [[nodiscard]] std::int64_t rows() const
    {
        const std::lock_guard lock(m_mutex);
        return m_rows;
    }

    // Called by every statement.
    Status enter()
    {
        std::unique_lock lock(m_mutex);
        if (m_blocked) {
            const int seen = m_interrupts;
            ++m_waiting;
            m_wake.wait(lock, [&] { return !m_blocked || m_interrupts != seen; });
            --m_waiting;
            if (m_interrupts != seen)
                return Error{ Failure::Cancelled, "The statement was stopped.", {}, "57014" };
        }
        if (m_error)
            return *m_error;
        return {};
    }

    Result<Page> page(const PageRequest& request)
    {
        ++m_pages;
        if (const auto entered = enter(); !entered)
            return entered.error();
        const std::lock_guard lock(m_mutex);
        const std::int64_t every = request.filter ? stride : 1;
        const std::int64_t size = (m_rows + every - 1) / every;
        const auto rowAt = [&](std::int64_t place) { return (request.descending ? size - 1 - place : place) * every; };
        // The first place behind the instant, in the order of the page.
        const auto placeBehind = [&](const Cursor& cursor, bool including) {
            const auto instant = std::stoll(cursor.values.at(2));
            std::int64_t low = 0;
            std::int64_t high = size;
            while (low < high) {
                const auto middle = (low + high) / 2;
                const auto at = epoch + rowAt(middle) * step;
                const bool ahead = request.descending ? at > instant : at < instant;
                if (ahead || (at == instant && !including))
                    low = middle + 1;
                else
                    high = middle;
            }
            return low;
        };
        Page page;
        page.now = nowOf();
        const auto limit = static_cast<std::size_t>(request.limit);
        const bool backward = request.before.has_value() || request.fromEnd;
        std::int64_t place = 0;
        if (request.after)
            place = placeBehind(*request.after, false);
        else if (request.before)
            place = placeBehind(*request.before, true) - 1;
        else if (request.fromEnd)
            place = size - 1;
        std::vector<std::int64_t> taken;
        const std::int64_t start = place;
        for (; place >= 0 && place < size && taken.size() <= limit; place += backward ? -1 : 1) {
            if (!m_removed.contains(rowAt(place)))
                taken.push_back(rowAt(place));
        }
        const bool more = taken.size() > limit;
        if (more)
            taken.pop_back();
        if (backward)
            std::reverse(taken.begin(), taken.end());
        page.moreBefore = backward ? more : start > 0;
        page.moreAfter = backward ? start + 1 < size : more;
        for (const auto row : taken) {
            page.rows.push_back(make(row));
            page.cursors.push_back({ { "created", "0", std::to_string(epoch + row * step), idOf(row) } });
        }
        page.cost.rows = static_cast<std::int64_t>(taken.size());
        page.cost.time = std::chrono::milliseconds(1);
        return page;
    }

    Result<std::optional<Row>> row(const std::vector<std::string>& identity)
    {
        if (const auto entered = enter(); !entered)
            return entered.error();
        const std::lock_guard lock(m_mutex);
        const auto number = rowOfId(identity.front());
        if (number >= m_rows || m_removed.contains(number))
            return std::optional<Row>();
        return std::optional(make(number));
    }

    Result<ItemOutcome> apply(const Change& change)
    {
        if (const auto entered = enter(); !entered)
            return entered.error();
        const std::lock_guard lock(m_mutex);
        if (m_applied.contains({ change.requestId, change.item }))
            return ItemOutcome{ .result = ItemResult::AlreadyDone };
        const auto number = rowOfId(change.identity.front());
        const auto state = make(number).state;
        if (state != change.seenState)
            return ItemOutcome{ .result = ItemResult::Skipped, .reason = "it moved on: " + state };
        m_applied.insert({ change.requestId, change.item });
        m_states[number] = "HELD";
        return ItemOutcome{ .result = ItemResult::Changed, .before = "{}", .after = "{}" };
    }

    Counts counts(const FilterPtr& filter)
    {
        const std::lock_guard lock(m_mutex);
        Counts counts;
        counts.total = { .value = filter ? (m_rows + stride - 1) / stride : m_rows, .exactness = Exactness::Estimate };
        counts.byState["SUCCEEDED"] = counts.total;
        counts.now = nowOf();
        return counts;
    }

    Result<AuditEntry> record(AuditEntry entry)
    {
        if (const auto entered = enter(); !entered)
            return entered.error();
        const std::lock_guard lock(m_mutex);
        entry.seq = static_cast<std::int64_t>(m_audit.size()) + 1;
        entry.at = nowOf();
        m_audit.push_back(entry);
        return entry;
    }
    [[nodiscard]] std::vector<AuditEntry> audit() const
    {
        const std::lock_guard lock(m_mutex);
        return m_audit;
    }
    std::vector<AuditEntry> audit(const AuditRequest& request) const
    {
        const std::lock_guard lock(m_mutex);
        std::vector<AuditEntry> entries;
        for (auto entry = m_audit.rbegin(); entry != m_audit.rend(); ++entry) {
            if (request.beforeSeq && entry->seq >= *request.beforeSeq)
                continue;
            if (static_cast<int>(entries.size()) == request.limit)
                break;
            entries.push_back(*entry);
        }
        return entries;
    }

    static Binding binding()
    {
        Binding binding;
        binding.name = "idempotency_records";
        binding.table = "idempotency_records";
        binding.fields = { "key", "created", "state" };
        binding.orders = { "created" };
        binding.fencing = "owner_cas";
        binding.native = true;
        return binding;
    }
    [[nodiscard]] static Time nowOf() { return timeFromMicros(epoch + 100'000'000'000); }

private:
    Row make(std::int64_t number) const
    {
        Row row;
        row.key = idOf(number);
        row.identity = { row.key };
        const auto state = m_states.find(number);
        row.state = state == m_states.end() ? "SUCCEEDED" : state->second;
        row.rawState = row.state;
        row.fence = number + 1;
        row.attempts = 1;
        row.createdAt = timeFromMicros(epoch + number * step);
        row.owner = "0b9f3c9e-0000-4000-8000-000000000000";
        row.scope = "payments";
        row.operation = "capture";
        return row;
    }

    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::int64_t m_rows;
    std::set<std::int64_t> m_removed;
    std::map<std::int64_t, std::string> m_states;
    std::optional<Error> m_error;
    std::set<std::pair<std::string, int>> m_applied;
    std::vector<AuditEntry> m_audit;
    bool m_blocked = false;
    int m_waiting = 0;
    int m_interrupts = 0;
    std::atomic<int> m_pages = 0;
};

class FakeInspector final : public Inspector {
public:
    explicit FakeInspector(FakeDatabase& database)
        : m_database(database)
    {
    }

    Result<DatabaseInfo> info() override
    {
        if (const auto entered = m_database.enter(); !entered)
            return entered.error();
        DatabaseInfo info;
        info.product = "Fake";
        info.identity = "fake";
        info.now = FakeDatabase::nowOf();
        return info;
    }
    Result<std::vector<Binding>> bindings(bool) override
    {
        if (const auto entered = m_database.enter(); !entered)
            return entered.error();
        return std::vector{ FakeDatabase::binding() };
    }
    Result<Page> page(const Binding&, const PageRequest& request) override { return m_database.page(request); }
    Result<Counts> counts(const Binding&, const FilterPtr& filter, Duration) override
    {
        if (const auto entered = m_database.enter(); !entered)
            return entered.error();
        return m_database.counts(filter);
    }
    Result<std::optional<Row>> row(const Binding&, const std::vector<std::string>& identity) override
    {
        return m_database.row(identity);
    }
    Result<std::optional<RowDetails>> details(
        const Binding&, const std::vector<std::string>& identity, std::int64_t) override
    {
        auto row = m_database.row(identity);
        if (!row)
            return row.error();
        if (!*row)
            return std::optional<RowDetails>();
        return std::optional(RowDetails{ .row = **row, .now = FakeDatabase::nowOf() });
    }
    Result<LetterGroups> letterGroups(const Binding&) override
    {
        return Error{ Failure::Unsupported, "no groups", {} };
    }
    Result<OutboxBacklog> outboxBacklog(const Binding&) override
    {
        return Error{ Failure::Unsupported, "no outbox", {} };
    }
    Result<std::string> explain(const Binding&, const PageRequest&) override { return std::string("a walk in memory"); }
    Result<std::string> sqlOf(const Binding&, const std::string&, const std::map<std::string, std::string>&) override
    {
        return std::string("a change in memory");
    }
    Result<ItemOutcome> apply(const Binding&, const Change& change) override { return m_database.apply(change); }
    Result<bool> hasAudit() override { return true; }
    Status installAudit() override { return {}; }
    Result<std::vector<AuditEntry>> audit(const AuditRequest& request) override
    {
        if (const auto entered = m_database.enter(); !entered)
            return entered.error();
        return m_database.audit(request);
    }
    Result<AuditVerdict> verifyAudit() override { return AuditVerdict(); }
    Result<AuditEntry> record(const AuditEntry& entry) override { return m_database.record(entry); }

private:
    FakeDatabase& m_database;
};

class FakeBackend final : public Backend {
public:
    explicit FakeBackend(FakeDatabase& database)
        : m_database(database)
        , m_inspector(database)
    {
    }
    Store& store() override { return m_store; }
    Inspector& inspector() override { return m_inspector; }
    void cancel() override { m_database.interrupt(); }

private:
    FakeDatabase& m_database;
    FakeStore m_store;
    FakeInspector m_inspector;
};

// Opens the fake database, or fails as it does.
[[nodiscard]] inline auto openerOf(FakeDatabase& database)
{
    return [&database]() -> Result<std::unique_ptr<Backend>> {
        if (const auto entered = database.enter(); !entered)
            return entered.error();
        return std::unique_ptr<Backend>(std::make_unique<FakeBackend>(database));
    };
}

} // namespace fencepost::testing

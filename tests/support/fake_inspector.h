// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <set>

#include "core/inspector.h"

namespace fencepost::test {

// A table in memory with the compare-and-swap and the audit of a real one, and failures where a test wants them.
class FakeInspector : public Inspector {
public:
    explicit FakeInspector(Time now)
    {
        m_info.product = "Fake";
        m_info.identity = "fake:1";
        m_info.readOnly = false;
        m_info.now = now;
        Binding binding;
        binding.name = "idempotency_records";
        binding.profile = "fencepost.records";
        binding.native = true;
        binding.fencing = "owner_cas";
        binding.orders = { "created" };
        for (const auto* verb : { "fence", "release", "expire", "resolve", "fail", "note" })
            binding.capabilities.push_back({ verb, "", "medium", "", true, "", true });
        m_bindings = { binding };
    }

    void add(Row row) { m_rows[row.identity] = std::move(row); }
    void remove(const std::vector<std::string>& identity) { m_rows.erase(identity); }
    Row& rowOf(const std::vector<std::string>& identity) { return m_rows.at(identity); }
    [[nodiscard]] const std::map<std::vector<std::string>, Row>& rows() const { return m_rows; }
    DatabaseInfo& information() { return m_info; }
    Binding& binding() { return m_bindings.front(); }
    // Called before each apply; an error is its answer.
    std::function<std::optional<Error>(const Change&)> fault;
    std::vector<Change> changes; // as they arrived
    int pages = 0;

    Result<DatabaseInfo> info() override { return m_info; }
    Result<std::vector<Binding>> bindings(bool) override { return m_bindings; }

    Result<Page> page(const Binding&, const PageRequest& request) override
    {
        ++pages;
        Page page;
        page.now = m_info.now;
        for (const auto& [identity, row] : m_rows) {
            if (request.after && identity <= request.after->values)
                continue;
            if (static_cast<int>(page.rows.size()) == request.limit) {
                page.moreAfter = true;
                break;
            }
            page.rows.push_back(row);
            page.cursors.push_back({ identity });
        }
        return page;
    }

    Result<Counts> counts(const Binding&, const FilterPtr&, Duration) override { return Counts{}; }

    Result<std::optional<Row>> row(const Binding&, const std::vector<std::string>& identity) override
    {
        const auto found = m_rows.find(identity);
        return found == m_rows.end() ? std::nullopt : std::optional(found->second);
    }

    Result<std::optional<RowDetails>> details(const Binding&, const std::vector<std::string>&, std::int64_t) override
    {
        return std::optional<RowDetails>();
    }

    Result<LetterGroups> letterGroups(const Binding&) override
    {
        return Error{ Failure::Unsupported, "no groups", {} };
    }
    Result<OutboxBacklog> outboxBacklog(const Binding&) override
    {
        return Error{ Failure::Unsupported, "no outbox", {} };
    }
    Result<std::string> explain(const Binding&, const PageRequest&) override { return std::string(); }

    Result<std::string> sqlOf(
        const Binding&, const std::string& verb, const std::map<std::string, std::string>&) override
    {
        return "statement of " + verb;
    }

    Result<ItemOutcome> apply(const Binding& binding, const Change& change) override
    {
        changes.push_back(change);
        if (fault)
            if (auto error = fault(change))
                return *error;
        if (m_done.contains({ change.requestId, change.item }))
            return ItemOutcome{ ItemResult::AlreadyDone, "", "", "" };
        const auto found = m_rows.find(change.identity);
        if (found == m_rows.end() || found->second.fence != change.seenFence)
            return ItemOutcome{ ItemResult::Skipped, "it moved on", "", "" };
        return changeRow(binding, change, found->second);
    }

    Result<bool> hasAudit() override { return true; }
    Status installAudit() override { return {}; }

    Result<std::vector<AuditEntry>> audit(const AuditRequest& request) override
    {
        std::vector<AuditEntry> out;
        for (auto entry = m_audit.rbegin(); entry != m_audit.rend(); ++entry) {
            if (request.requestId && entry->requestId != *request.requestId)
                continue;
            if (request.beforeSeq && entry->seq >= *request.beforeSeq)
                continue;
            if (static_cast<int>(out.size()) == request.limit)
                break;
            out.push_back(*entry);
        }
        return out;
    }

    Result<AuditVerdict> verifyAudit() override { return AuditVerdict{}; }
    Result<AuditEntry> record(const AuditEntry& entry) override { return entry; }

private:
    static std::string image(const Row& row)
    {
        return "{\"fence\":" + std::to_string(row.fence.value_or(0))
            + ",\"expires_at\":" + std::to_string(row.expiresAt ? microsOf(*row.expiresAt) : 0) + '}';
    }

    Result<ItemOutcome> changeRow(const Binding& binding, const Change& change, Row& row)
    {
        AuditEntry entry;
        entry.before = image(row);
        row.fence = row.fence.value_or(0) + 1;
        if (change.verb == "unexpire")
            row.expiresAt = timeFromMicros(std::stoll(change.parameters.at("expires_at")));
        if (change.verb == "expire")
            row.expiresAt = m_info.now;
        entry.after = image(row);
        entry.seq = static_cast<std::int64_t>(m_audit.size()) + 1;
        entry.requestId = change.requestId;
        entry.item = change.item;
        entry.verb = change.verb;
        entry.binding = binding.name;
        entry.identity =
            "[\"" + change.identity[0] + "\",\"" + change.identity[1] + "\",\"" + change.identity[2] + "\"]";
        entry.outcome = "changed";
        m_audit.push_back(entry);
        m_done.insert({ change.requestId, change.item });
        return ItemOutcome{ ItemResult::Changed, "", entry.before, entry.after };
    }

    DatabaseInfo m_info;
    std::vector<Binding> m_bindings;
    std::map<std::vector<std::string>, Row> m_rows;
    std::vector<AuditEntry> m_audit;
    std::set<std::pair<std::string, int>> m_done;
};

// A record in progress with a lease that ended five minutes ago.
inline Row stuckRow(const std::string& key, Time now, std::int64_t fence = 7)
{
    Row row;
    row.identity = { "pay", "charge", key };
    row.key = key;
    row.scope = "pay";
    row.operation = "charge";
    row.state = "IN_PROGRESS";
    row.rawState = "IN_PROGRESS";
    row.stuck = true;
    row.owner = "7d9f6d2e-0000-4000-8000-000000000abc";
    row.fence = fence;
    row.takeover = "auto";
    row.leaseUntil = now - std::chrono::minutes(5);
    row.createdAt = now - std::chrono::minutes(6);
    row.expiresAt = now + std::chrono::hours(24);
    return row;
}

} // namespace fencepost::test

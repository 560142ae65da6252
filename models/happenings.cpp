// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/happenings.h"

#include <nlohmann/json.hpp>

#include "core/messaging/delivery_attempt.h"
#include "core/redaction.h"

namespace fencepost::models {

namespace {

constexpr std::string_view failedAttempts = "failed_attempts"; // of the profiles of messages

struct Milestone {
    Kind kind;
    std::optional<Time> Row::*at;
    const char* what;
};

// Of tables without a journal.
constexpr Milestone milestones[] = {
    { Kind::Idempotency, &Row::createdAt, "reserved" },
    { Kind::Idempotency, &Row::startedAt, "started" },
    { Kind::Idempotency, &Row::finishedAt, "finished" },
    { Kind::Inbox, &Row::createdAt, "received" },
    { Kind::Inbox, &Row::finishedAt, "processed" },
    { Kind::Outbox, &Row::createdAt, "written" },
    { Kind::Outbox, &Row::finishedAt, "sent" },
    { Kind::DeadLetter, &Row::startedAt, "first tried" },
    { Kind::DeadLetter, &Row::createdAt, "died" },
    { Kind::DeadLetter, &Row::finishedAt, "decided" },
    { Kind::Job, &Row::createdAt, "created" },
    { Kind::Job, &Row::startedAt, "started" },
    { Kind::Job, &Row::finishedAt, "finished" },
    { Kind::Lock, &Row::createdAt, "taken" },
};

class Story {
public:
    explicit Story(const TrailRow& row)
        : m_row(row)
    {
    }

    void add(Time at, const std::string& what, const std::string& detail = {})
    {
        m_happenings.push_back({ at, m_row.source, m_row.binding, m_row.row.identity, fencepost::withoutSecrets(what),
            fencepost::withoutSecrets(detail) });
    }
    std::vector<Happening> take() { return std::move(m_happenings); }

private:
    const TrailRow& m_row;
    std::vector<Happening> m_happenings;
};

void addJournal(Story& story, const std::vector<JournalEntry>& journal)
{
    for (const auto& entry : journal) {
        auto detail = (entry.fromState.empty() ? "" : entry.fromState + " -> ") + entry.toState + ", attempt "
            + std::to_string(entry.attempt) + ", fence " + std::to_string(entry.fence.value);
        if (!entry.actor.empty() && entry.actor != entry.owner)
            detail += ", by " + entry.actor;
        if (!entry.reason.empty())
            detail += ": " + entry.reason;
        story.add(entry.at, entry.event, detail);
    }
}

std::string detailOf(const Milestone& milestone, const Row& row)
{
    if (row.error && milestone.at == &Row::createdAt && milestone.kind == Kind::DeadLetter)
        return *row.error;
    if (milestone.kind == Kind::DeadLetter && milestone.at == &Row::finishedAt)
        return row.state + (row.owner ? " by " + *row.owner : "");
    return milestone.at == &Row::finishedAt ? row.state : std::string();
}

} // namespace

std::vector<Happening> happeningsOf(const TrailRow& row, const RowDetails& details)
{
    Story story(row);
    addJournal(story, details.journal);
    if (details.journal.empty())
        for (const auto& milestone : milestones)
            if (const auto& at = details.row.*milestone.at; milestone.kind == row.kind && at)
                story.add(*at, milestone.what, detailOf(milestone, details.row));
    for (const auto& payload : details.payloads)
        if (payload.name == failedAttempts)
            if (const auto attempts = parseAttempts(payload.bytes))
                for (const auto& attempt : *attempts)
                    story.add(attempt.at, "attempt " + std::to_string(attempt.number) + " failed",
                        attempt.code + (attempt.error.empty() ? "" : ": " + attempt.error));
    for (const auto& conflict : details.conflicts) {
        const auto by = conflict.principal.empty() ? std::string() : "by " + conflict.principal;
        story.add(conflict.firstAt, conflict.kind + " refused", by);
        if (conflict.count > 1)
            story.add(conflict.lastAt, conflict.kind + " refused for the last time",
                std::to_string(conflict.count) + " in all" + (by.empty() ? "" : ", " + by));
    }
    return story.take();
}

Happening happeningOf(std::size_t source, const AuditEntry& entry)
{
    std::vector<std::string> identity;
    const auto parsed = nlohmann::json::parse(entry.identity, nullptr, /*allow_exceptions=*/false);
    if (parsed.is_array())
        for (const auto& part : parsed)
            identity.push_back(part.is_string() ? part.get<std::string>() : part.dump());
    auto detail = entry.outcome + " by " + entry.actor;
    if (!entry.detail.empty())
        detail += ", " + entry.detail;
    if (!entry.reason.empty())
        detail += ": " + entry.reason;
    return { entry.at, source, entry.binding, std::move(identity), "operator: " + entry.verb,
        fencepost::withoutSecrets(detail) };
}

} // namespace fencepost::models

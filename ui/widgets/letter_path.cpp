// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <map>

#include <QJsonDocument>
#include <QJsonObject>

#include "core/messaging/dead_letter.h"
#include "ui/widgets/path_walk.h"

namespace fencepost::ui {

namespace {

constexpr qint64 endOfYears = 253'402'300'799'999'999; // of those with four digits, in microseconds

// What an operator did to a dead letter, as the audit has it.
struct LetterDecided {
    std::string from;
    std::string to;
    std::int64_t deaths = 0; // at that time
    std::optional<Time> deadAt;
    const AuditEntry* entry = nullptr;
};

QJsonObject imageOf(const std::string& json)
{
    return QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
}

// Oldest first. A note or a look changes no state, and what was skipped changed nothing.
std::vector<LetterDecided> decisionsOf(const std::vector<AuditEntry>& audit)
{
    const auto wordIn = [](const QJsonObject& image) { return image[QLatin1String("state")].toString().toStdString(); };
    std::vector<LetterDecided> decisions;
    for (const auto& entry : audit) {
        const auto before = imageOf(entry.before);
        LetterDecided decided{ .from = wordIn(before), .to = wordIn(imageOf(entry.after)), .entry = &entry };
        if (entry.outcome != wordOf(ItemResult::Changed) || decided.from.empty() || decided.to.empty())
            continue;
        decided.deaths = before[QLatin1String("deaths")].toInteger();
        if (const auto at = before[QLatin1String("dead_at")].toInteger(); at > 0 && at <= endOfYears)
            decided.deadAt = timeFromMicros(at);
        decisions.push_back(std::move(decided));
    }
    std::reverse(decisions.begin(), decisions.end());
    return decisions;
}

std::string extraOf(const Row& row, const char* name)
{
    const auto found = row.extra.find(name);
    return found == row.extra.end() ? std::string() : found->second;
}

std::int64_t deathsOf(const Row& row)
{
    const auto words = extraOf(row, rowDeaths);
    std::int64_t deaths = 0;
    std::from_chars(words.data(), words.data() + words.size(), deaths);
    return std::max<std::int64_t>(deaths, 1);
}

// The last attempt of each life, as numbers that begin anew tell them apart.
std::vector<DeliveryAttempt> lastOfLives(const std::vector<DeliveryAttempt>& attempts)
{
    std::vector<DeliveryAttempt> last;
    for (std::size_t i = 0; i < attempts.size(); ++i)
        if (i + 1 == attempts.size() || attempts[i + 1].number <= attempts[i].number)
            last.push_back(attempts[i]);
    return last;
}

class LetterWalk {
public:
    explicit LetterWalk(const MessageHistory& history)
        : m_row(history.row)
        , m_conflict(extraOf(history.row, rowDiedAs) == wordOf(DeadLetterKind::Conflict))
        , m_deaths(deathsOf(history.row))
        , m_decisions(decisionsOf(history.audit))
        , m_lives(lastOfLives(history.failures.value_or(std::vector<DeliveryAttempt>())))
        , m_walk(history)
    {
        // Longer histories lose their beginning.
        m_whole = history.failures && history.failures->size() < keptAttempts
            && static_cast<std::int64_t>(m_lives.size()) == m_deaths;
        for (const auto& decided : m_decisions)
            if (decided.deadAt)
                m_deathAt[decided.deaths] = *decided.deadAt;
        if (m_row.createdAt)
            m_deathAt[m_deaths] = *m_row.createdAt;
        if (!history.native)
            m_walk.remark(pathWord("This table keeps no history: only what the row itself tells is drawn."));
    }

    StatePath path()
    {
        for (const auto& decided : m_decisions) {
            dieUpTo(std::clamp<std::int64_t>(decided.deaths, 1, m_deaths));
            if (m_walk.state() != decided.from)
                m_walk.jump(decided.from);
            m_walk.go(decided.to,
                { .event = decided.entry->verb,
                    .actor = decided.entry->actor,
                    .reason = decided.entry->reason,
                    .at = decided.entry->at });
        }
        dieUpTo(m_deaths);
        finish();
        return m_walk.take();
    }

private:
    // What is known of its nth death.
    [[nodiscard]] PathStep death(std::int64_t number) const
    {
        PathStep step{ .event = m_conflict ? "conflict" : "die" };
        const bool latest = number == m_deaths && !m_lives.empty();
        if (m_whole || latest) {
            const auto& attempt = latest ? m_lives.back() : m_lives[static_cast<std::size_t>(number - 1)];
            step.attempt = attempt.number;
            step.owner = attempt.owner;
            step.reason = attempt.code;
            // A lease ends some time before anybody finds that out.
            if (attempt.code != lapseCode)
                step.at = attempt.at;
        }
        if (const auto at = m_deathAt.find(number); at != m_deathAt.end())
            step.at = at->second;
        return step;
    }

    void dieUpTo(std::int64_t number)
    {
        if (m_died == 0 && number > 0)
            dieFirst();
        while (m_died < number) {
            if (m_conflict)
                return comeAgain(number);
            // Each by itself where it is known; else together.
            const auto next = m_whole || m_walk.state() != "DEAD" ? m_died + 1 : number;
            if (m_walk.state() == "DEAD") {
                m_walk.go("REDRIVEN", { .event = "redrive", .times = next - m_died, .inferred = true });
                m_walk.remark(pathWord("It died again, so it was redriven. Who did that, and when, is not recorded."));
            }
            auto step = death(next);
            step.times = next - m_died;
            m_walk.go("DEAD", std::move(step));
            m_died = next;
        }
    }

    void dieFirst()
    {
        auto step = death(1);
        if (m_conflict)
            step.at = m_row.startedAt;
        else if (step.at && m_row.startedAt && *step.at > *m_row.startedAt) {
            step.since = *step.at - *m_row.startedAt;
            step.sinceWhat = pathWord("its first attempt");
        }
        m_walk.go("DEAD", std::move(step));
        m_died = 1;
    }

    // The other payload came again: the first and the last time are known.
    void comeAgain(std::int64_t number)
    {
        auto step = death(number);
        step.times = number - m_died;
        m_walk.go("DEAD", std::move(step));
        m_died = number;
    }

    void finish()
    {
        if (m_walk.state() == m_row.state)
            return;
        const bool redriven = m_row.state == wordOf(DeadLetterState::Redriven);
        if (!redriven && m_row.state != wordOf(DeadLetterState::Discarded))
            return m_walk.jump(m_row.state);
        m_walk.go(m_row.state,
            { .event = redriven ? "redrive" : "discard",
                .actor = m_row.owner.value_or(""),
                .reason = m_row.resultRef.value_or(""),
                .at = m_row.finishedAt });
    }

    const Row& m_row;
    const bool m_conflict;
    const std::int64_t m_deaths;
    const std::vector<LetterDecided> m_decisions;
    const std::vector<DeliveryAttempt> m_lives;
    std::map<std::int64_t, Time> m_deathAt;
    bool m_whole = false; // each death has its life among the attempts
    PathWalk m_walk;
    std::int64_t m_died = 0;
};

} // namespace

StatePath letterPath(const MessageHistory& history)
{
    return LetterWalk(history).path();
}

} // namespace fencepost::ui

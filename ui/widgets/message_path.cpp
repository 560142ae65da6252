// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_path.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/forensics/row_machine.h"
#include "models/visible_text.h"
#include "ui/widgets/path_walk.h"
#include "ui/widgets/state_places.h"

namespace fencepost::ui {

namespace {

constexpr std::string_view deadWord = "DEAD";
constexpr std::string_view discardedWord = "DISCARDED";

// What a message goes through in one of its lives.
struct MessageLife {
    Kind kind;
    const char* begun; // and what began it
    const char* arrival;
    const char* running;
    const char* start;
    const char* failed; // to be tried again
    const char* done;
    const char* end;
};
constexpr std::array messageLives = {
    MessageLife{ Kind::Inbox, "RECEIVED", "receive", "PROCESSING", "handle", "FAILED", "PROCESSED", "process" },
    MessageLife{ Kind::Outbox, "PENDING", "write", "SENDING", "claim", "PENDING", "SENT", "send" },
    MessageLife{ Kind::Job, "PENDING", "insert", "IN_PROGRESS", "start", "FAILED_RETRYABLE", "SUCCEEDED", "finish" },
};

// What somebody else's outbox says where ours says SENT.
constexpr const char* dispatchedWord = "DISPATCHED";

MessageLife lifeOf(Kind kind, std::string_view state)
{
    auto life = *std::find_if(
        messageLives.begin(), messageLives.end(), [kind](const MessageLife& one) { return one.kind == kind; });
    if (kind == Kind::Outbox && state == dispatchedWord)
        life.done = dispatchedWord;
    return life;
}

class MessageWalk {
public:
    explicit MessageWalk(const MessageHistory& history)
        : m_row(history.row)
        , m_life(lifeOf(history.kind, history.row.state))
        , m_failures(history.failures.value_or(std::vector<DeliveryAttempt>()))
        , m_tells(history.native)
        , m_walk(history)
    {
        if (!history.native)
            m_walk.remark(pathWord("This table keeps no history: only what the row itself tells is drawn."));
        else if (!history.failures)
            m_walk.remark(pathWord("The list of its failed attempts cannot be read, so they are left out."));
    }

    StatePath path()
    {
        m_walk.go(m_life.begun, { .event = m_life.arrival, .at = m_row.createdAt });
        if (!m_failures.empty() && m_failures.front().number > 1)
            m_walk.remark(pathWord("Its attempts before attempt %1 are not recorded.").arg(m_failures.front().number));
        for (std::size_t i = 0; i < m_failures.size(); ++i)
            fail(i);
        if (beginsAnew())
            redrive();
        finish();
        return m_walk.take();
    }

private:
    [[nodiscard]] bool is(std::string_view state) const { return m_row.state == state; }
    [[nodiscard]] int present() const
    {
        return static_cast<int>(std::clamp<std::int64_t>(m_row.attempts.value_or(0), 0, 2'000'000'000));
    }

    // An attempt that is numbered anew is of another life. Of the present one the row has the number.
    [[nodiscard]] bool beginsAnew() const
    {
        if (m_number == 0 || !m_row.attempts)
            return false;
        // Processed without an attempt of its own, it still has the owner of the one that failed.
        if (is(m_life.done) && m_life.kind == Kind::Inbox && present() == m_number)
            return m_row.owner != m_failures.back().owner;
        if (is(m_life.running) || is(m_life.done))
            return present() <= m_number;
        const bool rests = is(deadWord) || is(discardedWord) || is(m_life.failed) || is(m_life.begun);
        return rests && present() < m_number;
    }

    void start(int attempt, const std::string& owner)
    {
        m_walk.go(m_life.running, { .event = m_life.start, .attempt = attempt, .owner = owner });
        m_walk.remark(pathWord("The row tells when an attempt failed, not when it began."));
    }

    void redrive()
    {
        m_walk.go(m_life.begun, { .event = "redrive", .inferred = true });
        m_walk.remark(pathWord("An attempt that is numbered anew shows that the event was redriven before, which is "
                               "drawn as if the attempt before had been its last. Its dead letter tells when."));
        m_number = 0;
    }

    void fail(std::size_t at)
    {
        const auto& failure = m_failures[at];
        if (failure.number <= m_number)
            redrive();
        m_number = failure.number;
        start(failure.number, failure.owner);
        const bool last = at + 1 == m_failures.size();
        const bool over = last ? beginsAnew() : m_failures[at + 1].number <= failure.number;
        const bool dead = over || (last && (is(deadWord) || is(discardedWord)));
        const bool lapsed = failure.code == lapseCode;
        // A delivery that finds its handler lost takes the event over where it is.
        const bool takenOver = lapsed && !dead && m_life.kind == Kind::Inbox && !(last && is(m_life.failed));
        m_walk.go(dead      ? deadWord
                : takenOver ? m_life.running
                            : m_life.failed,
            { .event = dead  ? "die"
                    : lapsed ? "lapse"
                             : "fail",
                .attempt = failure.number,
                .owner = failure.owner,
                .reason = failure.code,
                .at = failure.at,
                .inferred = over });
    }

    void finish()
    {
        const bool further = present() > m_number;
        if (is(m_life.running))
            return start(present(), m_row.owner.value_or(""));
        if (is(m_life.done))
            return finishDone(further);
        if (is(discardedWord) && m_walk.state() != deadWord)
            die(further);
        if (is(discardedWord))
            return m_walk.go(discardedWord, { .event = "discard", .at = m_row.updatedAt });
        if (is(deadWord) && m_walk.state() != deadWord)
            return die(further);
        if (is(m_life.failed) && m_walk.state() != m_life.failed && further)
            start(present(), {});
        if (m_walk.state() != m_row.state)
            m_walk.jump(m_row.state);
    }

    void finishDone(bool further)
    {
        if (further)
            start(present(), m_row.owner.value_or(""));
        // Without an attempt of its own: its effect was another event's, or it was overtaken.
        const bool passedOver = m_tells && !further && m_life.kind == Kind::Inbox;
        m_walk.go(m_life.done,
            { .event = passedOver ? "pass over" : m_life.end,
                .attempt = further ? present() : 0,
                .owner = further ? m_row.owner.value_or("") : std::string(),
                .at = m_row.finishedAt });
    }

    // It died of an attempt that is not among those that failed.
    void die(bool further)
    {
        if (further)
            start(present(), {});
        m_walk.jump(deadWord);
    }

    const Row& m_row;
    const MessageLife m_life;
    const std::vector<DeliveryAttempt> m_failures;
    const bool m_tells;
    PathWalk m_walk;
    int m_number = 0; // of the last attempt of the present life that is known
};

} // namespace

PathWalk::PathWalk(const MessageHistory& history)
    : m_native(history.native)
{
    m_path.kind = history.kind;
    m_path.native = history.native;
    m_path.stuck = history.row.stuck;
    m_path.current = placed(history.row.state);
    if (m_path.current != history.row.state)
        remark(pathWord("Its state %1 is none of this machine.").arg(models::visibleText(history.row.state)));
}

std::string PathWalk::placed(std::string_view state) const
{
    const auto places = planOf(m_path.kind).places;
    const bool known =
        std::any_of(places.begin(), places.end(), [state](const StatePlace& place) { return place.state == state; });
    return std::string(known ? state : "UNKNOWN");
}

void PathWalk::go(std::string_view to, PathStep step)
{
    step.from = std::exchange(m_state, placed(to));
    step.to = m_state;
    // Of another's table nobody knows by which way its rows go.
    step.legal = !m_native || isLegal(m_path.kind, step.from, step.to);
    append(m_path, std::move(step));
}

void PathWalk::jump(std::string_view to)
{
    go(to, { .event = std::string(notRecorded) });
}

void PathWalk::remark(const QString& sentence)
{
    if (!m_path.remarks.contains(sentence))
        m_path.remarks += sentence;
}

StatePath messagePath(const MessageHistory& history)
{
    return MessageWalk(history).path();
}

StatePath pathOf(const MessageHistory& history)
{
    return history.kind == Kind::DeadLetter ? letterPath(history) : messagePath(history);
}

} // namespace fencepost::ui

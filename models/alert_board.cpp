// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/alert_board.h"

#include <algorithm>

#include <QUuid>

#include "core/retry/steady_clock.h"
#include "models/notebook.h"
#include "models/session.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

constexpr std::size_t mostEvents = 1'000;
// Nobody waits for a look: it takes little of the database.
constexpr auto lookBudget = std::chrono::milliseconds(500);
// So many intervals without an answer: it is not watched.
constexpr int missedLooks = 4;

// What costs more is looked at less often: less than a four-hundredth of the database's time goes to it.
constexpr int idleShare = 400;

Result<AlertLook> lookAtRule(Inspector& inspector, const AlertRule& rule)
{
    const retry::SteadyClock steady;
    const Time before = steady.now();
    const auto reading = readAlert(inspector, rule, lookBudget);
    // What the thread must know: the connection is gone, or the look was dropped.
    if (!reading && (reading.error().failure == Failure::Unavailable || reading.error().failure == Failure::Cancelled))
        return reading.error();
    AlertLook look{ .spent = steady.now() - before };
    if (reading)
        look.reading = *reading;
    else
        look.error = reading.error();
    return look;
}

WatchedRule watchedOf(const KeptRule& kept)
{
    WatchedRule watched;
    watched.kept = kept;
    const auto parsed = parseAlertRule(kept.text.toStdString());
    if (parsed)
        watched.rule = *parsed;
    else
        watched.error = parsed.error();
    return watched;
}

} // namespace

AlertBoard::AlertBoard(const Clock& clock, Notebook* notebook, QObject* parent)
    : QObject(parent)
    , m_clock(clock)
    , m_notebook(notebook)
{
    m_timer.setTimerType(Qt::CoarseTimer);
    connect(&m_timer, &QTimer::timeout, this, &AlertBoard::look);
}

void AlertBoard::watch(Session* session, const QString& connection, const AlertSetup& setup)
{
    leave();
    m_session = session;
    m_connection = connection;
    m_webhook = setup.webhook;
    m_sound = setup.sound;
    m_since = m_clock.now();
    for (const auto& kept : setup.rules)
        m_rules.push_back(watchedOf(kept));
    endSilence();
    connect(session, &Session::statusChanged, this, &AlertBoard::changed);
    connect(session, &Session::bindingsChanged, this, &AlertBoard::look);
    setInterval(m_interval);
    look();
    Q_EMIT changed();
}

void AlertBoard::leave()
{
    if (m_session) {
        m_load.drop(m_session->reads());
        m_session->disconnect(this);
    }
    m_timer.stop();
    m_session.clear();
    m_connection.clear();
    m_rules.clear();
    m_events.clear();
    m_queue.clear();
    m_lookedAt.reset();
    Q_EMIT changed();
}

void AlertBoard::setInterval(Duration interval)
{
    m_interval = interval;
    waitForNext();
}

void AlertBoard::look()
{
    if (!m_session || !m_queue.empty() || m_load.pending())
        return;
    endSilence();
    // Before the tables are known every rule would be said not to fit them.
    if (m_session->lost() || m_session->bindings().empty())
        return Q_EMIT changed();
    for (const auto& watched : m_rules)
        if (watched.isWatched())
            m_queue.push_back(watched.kept.id);
    m_answered = true;
    m_spent = {};
    lookNext();
}

void AlertBoard::lookNext()
{
    const WatchedRule* next = nullptr;
    while (next == nullptr && !m_queue.empty()) {
        next = find(m_queue.front());
        if (next == nullptr || !next->isWatched()) {
            next = nullptr;
            m_queue.erase(m_queue.begin());
        }
    }
    if (next == nullptr) {
        if (m_answered)
            m_lookedAt = m_clock.now();
        waitForNext();
        return Q_EMIT changed();
    }
    m_queue.erase(m_queue.begin());
    m_load.start(
        m_session->reads(), [rule = *next->rule](Backend& backend) { return lookAtRule(backend.inspector(), rule); },
        [this, id = next->kept.id](const Result<AlertLook>& answer) { take(id, answer); });
}

void AlertBoard::take(const QString& id, const Result<AlertLook>& answer)
{
    if (!answer) {
        // That nobody is watching is said once for all rules.
        m_answered = false;
        m_queue.clear();
        return lookNext();
    }
    m_spent += answer->spent;
    if (auto* watched = rule(id)) {
        watched->error = answer->error;
        if (answer->reading)
            judge(*watched, *answer->reading);
    }
    lookNext();
}

void AlertBoard::waitForNext()
{
    if (m_session)
        m_timer.start(std::chrono::duration_cast<std::chrono::milliseconds>(std::max(m_interval, m_spent * idleShare)));
}

void AlertBoard::judge(WatchedRule& watched, const AlertReading& reading)
{
    const Time now = m_session->databaseNow();
    watched.reading = reading;
    watched.readAt = now;
    if (reading.value > watched.rule->above) {
        watched.calm = 0;
        if (watched.over)
            return;
        watched.over = now;
        return tell(watched, true, {});
    }
    // What was not counted whole may be over it all the same.
    if (!watched.over || !reading.exact || ++watched.calm < calmLooks)
        return;
    const Duration lasted = now - *watched.over;
    watched.over.reset();
    watched.calm = 0;
    tell(watched, false, lasted);
    if (std::exchange(watched.kept.silentWhileOver, false)) {
        watched.silent = isSilent(watched.kept);
        keep();
    }
}

void AlertBoard::tell(const WatchedRule& watched, bool firing, std::optional<Duration> lasted)
{
    AlertEvent event;
    event.number = ++m_told;
    event.change = { { *watched.rule, watched.reading, firing, watched.over, {} }, *watched.readAt, lasted };
    event.silent = watched.silent;
    m_events.push_front(event);
    if (m_events.size() > mostEvents)
        m_events.pop_back();
    note(event);
    Q_EMIT happened(event);
}

void AlertBoard::note(const AlertEvent& event)
{
    if (m_notebook == nullptr)
        return;
    Note written;
    written.actor = QString::fromStdString(m_session->actor());
    written.connection = m_session->notedUnder(m_connection);
    written.text = (event.change.state.firing ? QStringLiteral("Alert: ") : QStringLiteral("Alert ended: "))
        + visibleText(alertInWords(event.change));
    written.ofAlert = true;
    if (const auto added = m_notebook->add(written); !added)
        Q_EMIT notebookFailed(added.error());
}

bool AlertBoard::isSilent(const KeptRule& kept) const
{
    return kept.silentWhileOver || (kept.silentUntil && *kept.silentUntil > m_clock.now());
}

void AlertBoard::endSilence()
{
    for (auto& watched : m_rules)
        watched.silent = isSilent(watched.kept);
}

AlertBoard::Watch AlertBoard::state() const
{
    const bool none =
        std::none_of(m_rules.begin(), m_rules.end(), [](const WatchedRule& watched) { return watched.isWatched(); });
    if (!m_session || none)
        return Watch::Idle;
    const Time last = m_lookedAt.value_or(*m_since);
    if (m_session->lost() || m_clock.now() - last > std::max(m_interval, m_spent * idleShare) * missedLooks)
        return Watch::NotWatched;
    return m_lookedAt ? Watch::Watching : Watch::Waiting;
}

int AlertBoard::over() const
{
    return int(std::count_if(m_rules.begin(), m_rules.end(),
        [](const WatchedRule& watched) { return watched.isWatched() && watched.over.has_value(); }));
}

int AlertBoard::unread() const
{
    return int(std::count_if(m_rules.begin(), m_rules.end(),
        [](const WatchedRule& watched) { return watched.kept.on && watched.error.has_value(); }));
}

const WatchedRule* AlertBoard::find(const QString& id) const
{
    const auto found = std::find_if(
        m_rules.begin(), m_rules.end(), [&id](const WatchedRule& watched) { return watched.kept.id == id; });
    return found == m_rules.end() ? nullptr : &*found;
}

WatchedRule* AlertBoard::rule(const QString& id)
{
    const auto found = std::find_if(
        m_rules.begin(), m_rules.end(), [&id](const WatchedRule& watched) { return watched.kept.id == id; });
    return found == m_rules.end() ? nullptr : &*found;
}

} // namespace fencepost::models

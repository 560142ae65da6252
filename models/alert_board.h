// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QTimer>

#include "core/clock.h"
#include "core/forensics/alert.h"
#include "models/alert_setup.h"
#include "models/deliver.h"

namespace fencepost::models {

class Notebook;
class Session;

// A rule and what is known of its figure.
struct WatchedRule {
    KeptRule kept;
    std::optional<AlertRule> rule; // none: its text cannot be read
    std::optional<Error> error; // of its text, or of the last attempt to read its figure
    std::optional<AlertReading> reading; // the last one
    std::optional<Time> readAt; // by the database's clock
    std::optional<Time> over; // since when
    int calm = 0; // looks in a row at which it was not over any more
    bool silent = false; // now

    [[nodiscard]] bool isWatched() const { return kept.on && rule.has_value(); }
};

// One look at one rule.
struct AlertLook {
    std::optional<AlertReading> reading;
    std::optional<Error> error;
    Duration spent{}; // of the read thread
};

// A rule began to be over, or ceased.
struct AlertEvent {
    int number = 0;
    AlertChange change;
    bool silent = false; // in the list and the notebook only
};

// Watches the figures of the open connection on its read thread, one rule after the other, so that other reads go in
// between. A rule begins with the first look that finds it over and ceases with the third in a row that does not, so
// that what swings around its threshold is told once. Meant for the GUI thread.
class AlertBoard : public QObject {
    Q_OBJECT

public:
    enum class Watch {
        Idle, // no connection, or no rule that is on
        Waiting, // for the first look
        Watching,
        NotWatched, // the connection is lost, or did not answer for several looks
    };
    static constexpr int calmLooks = 3;

    // `notebook`: null: events are written nowhere.
    AlertBoard(const Clock& clock, Notebook* notebook, QObject* parent = nullptr);

    // What was known of the connection of before is forgotten. `connection`: its id, for the notebook.
    void watch(Session* session, const QString& connection, const AlertSetup& setup);
    void leave();
    void setInterval(Duration interval);
    [[nodiscard]] Duration interval() const { return m_interval; }
    // All rules that are on, now.
    void look();

    [[nodiscard]] const std::vector<WatchedRule>& rules() const { return m_rules; }
    [[nodiscard]] const WatchedRule* find(const QString& id) const;
    [[nodiscard]] const std::deque<AlertEvent>& events() const { return m_events; } // the newest first
    [[nodiscard]] AlertSetup setup() const;
    [[nodiscard]] const QString& connection() const { return m_connection; }
    [[nodiscard]] bool hasSession() const { return !m_session.isNull(); }
    [[nodiscard]] Watch state() const;
    [[nodiscard]] std::optional<Time> lookedAt() const { return m_lookedAt; } // by this computer's clock
    [[nodiscard]] int over() const;
    // Rules that are on and have no figure.
    [[nodiscard]] int unread() const;

    // Invalid: what is wrong with the text. A rule that is there already is not added twice.
    Status add(const QString& text);
    // What was known of its figure is forgotten.
    Status edit(const QString& id, const QString& text);
    void remove(const QString& id);
    void setOn(const QString& id, bool on);
    void silenceFor(const QString& id, Duration duration);
    void silenceWhileOver(const QString& id);
    void unsilence(const QString& id);
    void suggest();
    void setDelivery(const QString& webhook, bool sound);

Q_SIGNALS:
    void changed(); // anything that is shown
    void setupChanged();
    void happened(const fencepost::models::AlertEvent& event);
    void notebookFailed(const fencepost::Error& error);

private:
    WatchedRule* rule(const QString& id);
    void keep();
    void lookNext();
    void take(const QString& id, const Result<AlertLook>& answer);
    void waitForNext();
    void judge(WatchedRule& watched, const AlertReading& reading);
    void tell(const WatchedRule& watched, bool firing, std::optional<Duration> lasted);
    void note(const AlertEvent& event);
    void endSilence();
    [[nodiscard]] bool isSilent(const KeptRule& kept) const;

    const Clock& m_clock;
    Notebook* const m_notebook;
    QPointer<Session> m_session;
    QString m_connection;
    std::vector<WatchedRule> m_rules;
    std::deque<AlertEvent> m_events;
    QString m_webhook;
    bool m_sound = false;
    Duration m_interval = std::chrono::seconds(15);
    QTimer m_timer;
    Latest<Result<AlertLook>> m_load;
    Duration m_spent{}; // by this round
    std::vector<QString> m_queue; // ids that this round has yet to look at
    bool m_answered = true; // this round, by the database
    std::optional<Time> m_lookedAt;
    std::optional<Time> m_since; // watched
    int m_told = 0;
};

} // namespace fencepost::models

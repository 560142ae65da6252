// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QTimer>

#include "core/copier.h"
#include "core/random.h"
#include "models/environment.h"
#include "models/page_model.h"
#include "models/run.h"
#include "models/store_thread.h"

namespace fencepost::models {

struct SessionRequest {
    QString name; // as the user calls the connection
    Environment environment = Environment::Local;
    Opener openReads; // a read-only connection, enforced by the database
    Opener openWrites; // used while armed only; none: this session can never be armed
    Opener openLongReads; // read-only, for what reads whole tables: no limit of a statement's time; none: as openReads
    std::string actor; // user@host
    Duration idleLimit = std::chrono::minutes(5); // armed without any use for so long: disarmed
    Backoff backoff;
};

enum class Arming { ReadOnly, Arming, Armed };
enum class DisarmReason { Asked, TimeOver, Idle, Suspended, ConnectionLost, Closed };

// The open database is a snapshot.
struct SnapshotStatus {
    SnapshotManifest manifest;
    std::optional<Result<SealVerdict>> seal; // none: it is being checked
};

// All that title and status bar say about a connection.
struct SessionStatus {
    QString name;
    Environment environment = Environment::Local;
    Link link;
    std::optional<DatabaseInfo> info;
    std::optional<Duration> skew; // the database's clock minus this computer's
    std::optional<Time> refreshedAt; // last answer, by this computer's clock
    Usage usage; // of reads and writes together
    Arming arming = Arming::ReadOnly;
    std::optional<Duration> armedFor; // what is left
    QString armedReason;
    std::optional<SnapshotStatus> snapshot;

    // The environment's word; "snapshot" of what is none.
    [[nodiscard]] QString environmentWord() const
    {
        return snapshot ? QStringLiteral("snapshot") : wordOf(environment);
    }
};

// One open connection. Reads have a thread of their own; the thread for writes exists only while armed. Meant for the
// GUI thread.
class Session : public QObject {
    Q_OBJECT

public:
    Session(SessionRequest request, const Clock& clock, QObject* parent = nullptr);
    ~Session() override;

    void open();
    // Ends both threads without waiting; `closed` follows.
    void close();

    [[nodiscard]] SessionStatus status() const;
    // Nothing can be read until it is there again: the window says so, no page has to.
    [[nodiscard]] bool lost() const;
    // The database's clock, by this computer's and how far the two were apart.
    [[nodiscard]] Time databaseNow() const { return m_clock.now() + m_skew.value_or(Duration()); }
    [[nodiscard]] const Clock& clock() const { return m_clock; } // this computer's
    [[nodiscard]] StoreThread& reads() { return m_reads; }
    [[nodiscard]] StoreThread* writes() { return m_arming == Arming::Armed ? m_writes.get() : nullptr; }
    [[nodiscard]] const std::vector<BindingPtr>& bindings() const { return m_bindings; }
    [[nodiscard]] BindingPtr binding(const QString& name) const; // null: there is none
    [[nodiscard]] const std::string& actor() const { return m_request.actor; }
    // What the notebook calls it: the id of the connection, and of one in no list what tells the database from others.
    [[nodiscard]] QString notedUnder(const QString& connectionId) const
    {
        return !connectionId.isEmpty() || !m_info ? connectionId : QString::fromStdString(m_info->identity);
    }
    void reloadBindings();
    // The list of tables was read, whatever it holds.
    [[nodiscard]] bool bindingsRead() const { return m_bindingsRead; }
    // Why it could not be read when it was last asked for.
    [[nodiscard]] const std::optional<Error>& bindingsError() const { return m_bindingsError; }

    // A snapshot is never armed.
    [[nodiscard]] bool canArm() const { return m_request.openWrites != nullptr && !m_snapshot; }
    [[nodiscard]] bool isSnapshot() const { return m_snapshot.has_value(); }
    [[nodiscard]] const Opener& openReads() const { return m_request.openReads; }
    [[nodiscard]] const Opener& openLongReads() const
    {
        return m_request.openLongReads ? m_request.openLongReads : m_request.openReads;
    }
    [[nodiscard]] bool armed() const { return m_arming == Arming::Armed; }
    // Opens the write connection and audits the arming; `armed` or `armingFailed` follows. Without its audit entry a
    // session is not armed.
    Status arm(Duration duration, const QString& reason);
    void disarm(DisarmReason why = DisarmReason::Asked);
    // Begins a confirmed plan. While it runs, time and idleness do not disarm; disarming by hand, sleep and closing
    // stop it. Denied: not armed. The run belongs to `parent`. `pace`: rows per second at most. `replay`:
    // of a plan that is one; none: what its run has.
    Result<Run*> carryOut(const Plan& plan, const std::shared_ptr<const PlanFolder>& folder, QObject* parent,
        std::optional<double> pace = {}, std::optional<ReplaySettings> replay = usualReplay());
    [[nodiscard]] bool running() const { return !m_runs.empty(); }

public Q_SLOTS:
    void touch(); // the user did something
    void suspend(); // the computer goes to sleep or the screen is locked
    void tick(); // once a second: countdown, idleness, clock jumps
    void refreshInfo();

Q_SIGNALS:
    void statusChanged();
    void bindingsChanged();
    void bindingsFailed(const fencepost::Error& error);
    void armingChanged(fencepost::models::Arming arming);
    void armingFailed(const fencepost::Error& error);
    void disarmed(fencepost::models::DisarmReason why);
    // A plan was carried out, whole or in part: who shows its rows brings them up to date.
    void carriedOut(const fencepost::Plan& plan, const fencepost::RunReport& report);
    void closed();

private:
    struct InfoAnswer {
        DatabaseInfo info;
        Duration skew{};
        std::optional<SnapshotManifest> snapshot;
    };
    struct Parting {
        std::unique_ptr<StoreThread> thread;
        QFuture<Result<AuditEntry>> farewell; // cancelled: there is none
    };

    void linkMoved(const Link& link);
    void takeInfo(const InfoAnswer& answer);
    void checkSeal();
    void recordArming();
    void armingRecorded(const Result<AuditEntry>& answer);
    void runEnded(Run* run);
    void parted(StoreThread* writes);
    void finishClosing();
    [[nodiscard]] AuditEntry disarmEntry(DisarmReason why) const;
    void change(Arming arming);
    void dropWrites(std::optional<AuditEntry> farewell);
    [[nodiscard]] AuditEntry armingEntry(const std::string& verb, const std::string& parameters) const;

    const SessionRequest m_request;
    const Clock& m_clock;
    SystemRandom m_random;
    StoreThread m_reads;
    std::unique_ptr<StoreThread> m_writes;
    std::unique_ptr<StoreThread> m_sealReads; // while a snapshot's seal is checked
    std::vector<Parting> m_parting; // disarmed, writing their last audit entry
    Latest<Result<InfoAnswer>> m_infoLoad;
    Latest<Result<std::vector<Binding>>> m_bindingsLoad;
    QTimer m_ticks;
    std::vector<BindingPtr> m_bindings;
    bool m_bindingsRead = false;
    std::optional<Error> m_bindingsError;
    std::optional<DatabaseInfo> m_info;
    std::optional<Duration> m_skew;
    std::optional<SnapshotStatus> m_snapshot;
    Arming m_arming = Arming::ReadOnly;
    Duration m_armFor{};
    Time m_armedUntil;
    Time m_lastTouch;
    Time m_lastTick;
    QString m_reason;
    std::string m_armingId; // request id of the arming in the audit
    std::vector<QPointer<Run>> m_runs;
    int m_sinceInfo = 0;
    bool m_closing = false;
};

} // namespace fencepost::models

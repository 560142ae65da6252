// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/session.h"

#include <algorithm>
#include <utility>

namespace fencepost::models {

namespace {

constexpr int secondsBetweenInfo = 10;
// Ticks come every second; a longer silence means that the computer slept.
constexpr Duration sleepGap = std::chrono::seconds(60);

const char* wordOf(DisarmReason why)
{
    switch (why) {
    case DisarmReason::Asked:
        return "asked";
    case DisarmReason::TimeOver:
        return "time over";
    case DisarmReason::Idle:
        return "idle";
    case DisarmReason::Suspended:
        return "suspended";
    case DisarmReason::ConnectionLost:
        return "connection lost";
    case DisarmReason::Closed:
        return "closed";
    }
    return "";
}

} // namespace

Session::Session(SessionRequest request, const Clock& clock, QObject* parent)
    : QObject(parent)
    , m_request(std::move(request))
    , m_clock(clock)
    , m_reads(m_request.openReads, clock, m_request.backoff)
    , m_lastTick(clock.now())
{
    m_ticks.setInterval(std::chrono::seconds(1));
    connect(&m_ticks, &QTimer::timeout, this, &Session::tick);
    connect(&m_reads, &StoreThread::linkChanged, this, [this](const Link& link) { linkMoved(link); });
    connect(&m_reads, &StoreThread::stopped, this, &Session::finishClosing);
}

// The last audit entries are waited for here, also those of a disarming or a close() just before: a program that quits
// handles no more events. A lost connection refuses them at once.
Session::~Session()
{
    for (auto& parting : m_parting)
        parting.farewell.waitForFinished();
    if (m_arming == Arming::ReadOnly)
        return;
    for (const auto& run : m_runs) {
        if (run)
            run->stop();
    }
    m_writes
        ->run(
            [entry = disarmEntry(DisarmReason::Closed)](Backend& backend) { return backend.inspector().record(entry); })
        .waitForFinished();
}

void Session::open()
{
    m_lastTick = m_clock.now();
    m_reads.start();
    m_ticks.start();
    refreshInfo();
    reloadBindings();
}

void Session::close()
{
    m_closing = true;
    m_ticks.stop();
    disarm(DisarmReason::Closed);
    if (m_sealReads)
        m_sealReads->stop();
    m_reads.stop();
}

SessionStatus Session::status() const
{
    SessionStatus status{ .name = m_request.name,
        .environment = m_request.environment,
        .link = m_reads.link(),
        .info = m_info,
        .skew = m_skew,
        .usage = m_reads.usage(),
        .arming = m_arming,
        .snapshot = m_snapshot };
    status.refreshedAt = status.usage.lastAnswer;
    if (m_writes) {
        const auto writes = m_writes->usage();
        status.usage.time += writes.time;
        status.usage.rows += writes.rows;
        status.usage.jobs += writes.jobs;
    }
    if (m_arming == Arming::Armed) {
        status.armedFor = std::max(Duration(), m_armedUntil - m_clock.now());
        status.armedReason = m_reason;
    }
    return status;
}

bool Session::lost() const
{
    return m_reads.link().isLost();
}

BindingPtr Session::binding(const QString& name) const
{
    for (const auto& binding : m_bindings) {
        if (binding->name == name.toStdString())
            return binding;
    }
    return nullptr;
}

void Session::reloadBindings()
{
    m_bindingsLoad.start(
        m_reads, [](Backend& backend) { return backend.inspector().bindings(true); },
        [this](const Result<std::vector<Binding>>& answer) {
            if (!answer) {
                m_bindingsError = answer.error();
                Q_EMIT bindingsFailed(answer.error());
                return;
            }
            m_bindingsRead = true;
            m_bindingsError.reset();
            m_bindings.clear();
            for (const auto& binding : *answer)
                m_bindings.push_back(std::make_shared<const Binding>(binding));
            Q_EMIT bindingsChanged();
        });
}

void Session::refreshInfo()
{
    m_sinceInfo = 0;
    m_infoLoad.start(
        m_reads,
        [clock = &m_clock](Backend& backend) -> Result<InfoAnswer> {
            const auto before = clock->now();
            auto info = backend.inspector().info();
            if (!info)
                return info.error();
            const auto after = clock->now();
            InfoAnswer answer{ .info = *info, .skew = info->now - (before + (after - before) / 2) };
            auto* copier = backend.inspector().copier();
            auto snapshot =
                copier == nullptr ? Result<std::optional<SnapshotManifest>>(std::nullopt) : copier->manifest();
            if (!snapshot)
                return snapshot.error();
            answer.snapshot = std::move(*snapshot);
            return answer;
        },
        [this](const Result<InfoAnswer>& answer) {
            if (answer)
                takeInfo(*answer);
            Q_EMIT statusChanged();
        });
}

void Session::takeInfo(const InfoAnswer& answer)
{
    m_info = answer.info;
    m_skew = answer.skew;
    if (!answer.snapshot || m_snapshot)
        return;
    m_snapshot = SnapshotStatus{ *answer.snapshot, {} };
    checkSeal();
}

// Once, on a connection of its own: it reads the whole file, and the pages do not wait for it.
void Session::checkSeal()
{
    m_sealReads = std::make_unique<StoreThread>(openLongReads(), m_clock, m_request.backoff);
    m_sealReads->start();
    deliver(m_sealReads->run([](Backend& backend) -> Result<SealVerdict> {
        auto* copier = backend.inspector().copier();
        return copier == nullptr ? Result<SealVerdict>(SealVerdict()) : copier->verifySeal();
    }),
        this, [this](const Result<SealVerdict>& answer) {
            m_snapshot->seal = answer;
            m_sealReads->stop();
            Q_EMIT statusChanged();
        });
}

void Session::linkMoved(const Link& link)
{
    if (link.state == Link::State::Open) {
        refreshInfo();
        if (m_bindings.empty())
            reloadBindings();
    }
    Q_EMIT statusChanged();
}

Status Session::arm(Duration duration, const QString& reason)
{
    if (m_snapshot)
        return Error{ Failure::Denied, "This is a snapshot: it is evidence, and nothing is written to it.", {}, {},
            "Open the database that it was taken of." };
    if (!canArm())
        return Error{ Failure::Denied, "This connection is read-only and cannot be armed.", {} };
    if (m_arming != Arming::ReadOnly)
        return Error{ Failure::Conflict, "This connection is armed already.", {} };
    if (duration <= Duration())
        return Error{ Failure::Invalid, "Say for how long to arm the connection.", {} };
    if (reason.trimmed().isEmpty())
        return Error{ Failure::Invalid, "Say why the connection is armed.", {} };
    m_reason = reason.trimmed();
    m_armFor = duration;
    m_armingId = uuid4(m_random);
    m_writes = std::make_unique<StoreThread>(m_request.openWrites, m_clock, m_request.backoff);
    connect(m_writes.get(), &StoreThread::linkChanged, this, [this](const Link& link) {
        if (link.isLost() && m_arming == Arming::Armed)
            disarm(DisarmReason::ConnectionLost);
    });
    m_writes->start();
    change(Arming::Arming);
    recordArming();
    return {};
}

AuditEntry Session::armingEntry(const std::string& verb, const std::string& parameters) const
{
    AuditEntry entry;
    entry.requestId = m_armingId;
    entry.item = verb == "arm" ? 0 : 1;
    entry.verb = verb;
    entry.identity = "[]";
    entry.outcome = "changed";
    entry.parameters = parameters;
    entry.actor = m_request.actor;
    entry.reason = m_reason.toStdString();
    return entry;
}

AuditEntry Session::disarmEntry(DisarmReason why) const
{
    return armingEntry("disarm", std::string(R"({"why":")") + wordOf(why) + R"("})");
}

void Session::recordArming()
{
    const auto entry = armingEntry("arm", R"({"for":")" + formatDuration(m_armFor) + R"("})");
    auto* writes = m_writes.get();
    deliver(writes->run([entry](Backend& backend) { return backend.inspector().record(entry); }), writes,
        [this](const Result<AuditEntry>& answer) { armingRecorded(answer); });
}

void Session::armingRecorded(const Result<AuditEntry>& answer)
{
    if (m_arming != Arming::Arming)
        return;
    if (!answer) {
        dropWrites(std::nullopt);
        change(Arming::ReadOnly);
        Q_EMIT armingFailed(answer.error());
        return;
    }
    m_lastTouch = m_clock.now();
    m_armedUntil = m_lastTouch + m_armFor;
    change(Arming::Armed);
}

void Session::disarm(DisarmReason why)
{
    if (m_arming == Arming::ReadOnly)
        return;
    for (const auto& run : m_runs) {
        if (run)
            run->stop();
    }
    // An arming that is still being written has begun as well: its end stands in the audit behind it.
    dropWrites(disarmEntry(why));
    change(Arming::ReadOnly);
    Q_EMIT disarmed(why);
}

// The thread lives on until its last entry is written, and nobody waits for it.
void Session::dropWrites(std::optional<AuditEntry> farewell)
{
    if (!m_writes)
        return;
    auto* writes = m_writes.get();
    m_parting.push_back({ std::move(m_writes), {} });
    disconnect(writes, nullptr, this, nullptr);
    connect(writes, &StoreThread::stopped, this, [this, writes] { parted(writes); });
    if (!farewell) {
        writes->stop();
        return;
    }
    auto& last = m_parting.back().farewell;
    last = writes->run([entry = *farewell](Backend& backend) { return backend.inspector().record(entry); });
    deliver(last, writes, [writes](const Result<AuditEntry>&) { writes->stop(); });
}

void Session::parted(StoreThread* writes)
{
    const auto gone = std::find_if(
        m_parting.begin(), m_parting.end(), [writes](const Parting& each) { return each.thread.get() == writes; });
    if (gone != m_parting.end()) {
        gone->thread.release()->deleteLater();
        m_parting.erase(gone);
    }
    finishClosing();
}

void Session::finishClosing()
{
    if (m_closing && m_parting.empty() && m_reads.link().state == Link::State::Stopped)
        Q_EMIT closed();
}

Result<Run*> Session::carryOut(const Plan& plan, const std::shared_ptr<const PlanFolder>& folder, QObject* parent,
    std::optional<double> pace, std::optional<ReplaySettings> replay)
{
    if (m_arming != Arming::Armed)
        return Error{ Failure::Denied, "This connection is read-only until it is armed.", {}, {}, "Arm it first." };
    auto* run = new Run(*m_writes, plan, m_request.actor, folder, parent);
    // A replay that goes on has a pace of its own.
    if (pace || replay || !isStaged(plan))
        run->setPace(pace);
    run->setReplay(std::move(replay));
    connect(run, &Run::finished, this, [this, run] { runEnded(run); });
    connect(run, &QObject::destroyed, this, [this] { runEnded(nullptr); });
    if (const auto started = run->start(); !started) {
        delete run;
        return started.error();
    }
    m_runs.emplace_back(run);
    return run;
}

void Session::runEnded(Run* run)
{
    std::erase_if(m_runs, [run](const QPointer<Run>& each) { return each.isNull() || each == run; });
    if (run)
        Q_EMIT carriedOut(run->plan(), run->report());
    touch();
    tick();
}

void Session::touch()
{
    m_lastTouch = m_clock.now();
}

void Session::suspend()
{
    disarm(DisarmReason::Suspended);
}

void Session::tick()
{
    const auto now = m_clock.now();
    const bool slept = now - std::exchange(m_lastTick, now) > sleepGap;
    if (m_arming == Arming::Armed) {
        if (slept)
            disarm(DisarmReason::Suspended);
        else if (m_runs.empty() && now >= m_armedUntil)
            disarm(DisarmReason::TimeOver);
        else if (m_runs.empty() && now - m_lastTouch >= m_request.idleLimit)
            disarm(DisarmReason::Idle);
    }
    if (++m_sinceInfo >= secondsBetweenInfo && !m_infoLoad.pending())
        refreshInfo();
    Q_EMIT statusChanged();
}

void Session::change(Arming arming)
{
    m_arming = arming;
    Q_EMIT armingChanged(arming);
    Q_EMIT statusChanged();
}

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <chrono>
#include <functional>

#include <QProcessEnvironment>

#include "app/ctl/command_process.h"
#include "app/ctl/commands.h"
#include "app/ctl/interrupt.h"
#include "app/ctl/once.h"
#include "core/in_quotes.h"
#include "core/protocol/cron_registry.h"
#include "core/protocol/digest.h"
#include "core/protocol/key_syntax.h"
#include "core/service/insistence.h"
#include "core/shell_word.h"
#include "core/store/schema.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t keptOutput = std::size_t{ 256 } << 10U; // octets of each stream
constexpr int notStarted = 127; // as a shell says it
constexpr int bySignal = 128;
constexpr auto beforeAskingAgain = std::chrono::seconds(1); // before a database that does not answer is asked again

// A slot of a job: what is due then is done once.
struct Slot {
    std::string job;
    Time at;
    std::string runId;
};

// The same instant has one spelling, however it is written.
Result<Slot> slotOf(const std::string& key)
{
    const auto mark = key.rfind('@');
    if (mark == std::string::npos || mark == 0)
        return invalid("\"" + key + "\" is no JOB@INSTANT, such as nightly-report@2026-11-20T02:00:00Z");
    const auto at = parseInstant(key.substr(mark + 1));
    if (!at)
        return at.error();
    if (std::any_of(key.begin(), key.end(), [](char c) { return c < ' ' || c > '~'; }))
        return invalid("The key " + inQuotes(key)
            + " has a character outside of ASCII or a control; a run's id is an Idempotency-Key, which has none: name "
              "the job without them");
    Slot slot{ key.substr(0, mark), *at, {} };
    slot.runId = runIdOf(slot.job, *at);
    if (const auto checked = keyOfField(quotedKey(slot.runId)); !checked)
        return checked.error();
    return slot;
}

Bytes hashOf(const std::vector<std::string>& command)
{
    PartsDigest digest("fencepost-once-v1");
    for (const auto& argument : command)
        digest.add(argument);
    return digest.finish();
}

Status addLength(const std::string& text, Duration& length)
{
    if (text.empty())
        return {};
    const auto parsed = parseDuration(text);
    if (!parsed)
        return parsed.error();
    length = *parsed;
    return {};
}

// A command's effect is nobody's to know after a crash, so it is held then, unless somebody says that it may be
// repeated.
Result<Reservation> reservationOf(Context& context, const OnceOptions& options, const Slot& slot)
{
    const auto policy = context.policy();
    if (!policy)
        return policy.error();
    const auto route = policy->forRoute(options.scope, slot.job);
    Reservation reservation{ .id = { options.scope, slot.job, slot.runId },
        .requestHash = hashOf(options.command),
        .owner = { uuid4(context.random) },
        .lease = route.lease.value,
        .ttl = route.ttl.value,
        .takeover = route.takeover.origin == Origin::Default ? Takeover::Manual : route.takeover.value,
        .maxAttempts = route.maxAttempts.value,
        .principal = models::actorName() };
    if (const auto added = addLength(options.ttl, reservation.ttl); !added)
        return added.error();
    if (const auto added = addLength(options.lease, reservation.lease); !added)
        return added.error();
    if (const auto takeover = takeoverOf(options.takeover))
        reservation.takeover = *takeover;
    return reservation;
}

// What a run left: as much of its output as is kept.
struct Run {
    int exitCode = 0;
    bool started = true;
    bool fenced = false; // it was stopped because its record was taken away
    std::string out;
    std::string err;
    bool cut = false;
};

json jsonOf(const Run& run)
{
    json object = { { "exit_code", run.exitCode } };
    addBytes(object, "stdout", run.out);
    addBytes(object, "stderr", run.err);
    object["cut"] = run.cut;
    return object;
}

std::optional<std::string> octetsOf(const json& object, const char* name)
{
    if (const auto text = object.find(name); text != object.end() && text->is_string())
        return text->get<std::string>();
    const auto coded = object.find(std::string(name) + "_base64");
    if (coded == object.end() || !coded->is_string())
        return {};
    return QByteArray::fromBase64(QByteArray::fromStdString(coded->get<std::string>())).toStdString();
}

// None: the record is not one of ours.
std::optional<Run> runOf(const Record& record)
{
    const auto object = json::parse(record.response.body.value_or(""), nullptr, false);
    if (!object.is_object() || !object.contains("exit_code") || !object["exit_code"].is_number_integer())
        return {};
    const auto out = octetsOf(object, "stdout");
    const auto err = octetsOf(object, "stderr");
    if (!out || !err)
        return {};
    return Run{ object["exit_code"].get<int>(), true, false, *out, *err, object.value("cut", false) };
}

void keep(Run& run, std::string& kept, const QByteArray& piece)
{
    const auto room = keptOutput - std::min(keptOutput, kept.size());
    run.cut = run.cut || static_cast<std::size_t>(piece.size()) > room;
    kept.append(piece.constData(), std::min(room, static_cast<std::size_t>(piece.size())));
}

// Shows what the command says while it says it.
void drain(Context& context, QProcess& process, Run& run)
{
    const auto out = process.readAllStandardOutput();
    const auto err = process.readAllStandardError();
    keep(run, run.out, out);
    keep(run, run.err, err);
    if (context.out.isJson())
        return;
    context.out.octets({ out.constData(), static_cast<std::size_t>(out.size()) });
    context.out.flush();
    std::fwrite(err.constData(), 1, static_cast<std::size_t>(err.size()), stderr);
}

// A run's way to its record, opened again where the connection was lost meanwhile: the command knows nothing of it.
class RecordLine {
public:
    RecordLine(Context& context, Store& store)
        : m_context(context)
        , m_store(&store)
    {
    }
    Result<Applied> change(const std::function<Result<Applied>(Store&)>& ask)
    {
        if (m_store == nullptr) {
            if (const auto opened = m_context.openAgain(store::Access::ReadWrite); !opened)
                return opened.error();
            const auto again = m_context.openStore();
            if (!again)
                return again.error();
            m_store = *again;
        }
        auto applied = ask(*m_store);
        if (!applied && isLost(applied.error()))
            m_store = nullptr;
        return applied;
    }
    static bool isLost(const Error& error)
    {
        return error.failure == Failure::Unavailable || error.failure == Failure::InDoubt;
    }

private:
    Context& m_context;
    Store* m_store;
};

class Heartbeat {
public:
    Heartbeat(RecordLine& line, const Claim& claim, Duration lease)
        : m_line(line)
        , m_claim(claim)
        , m_lease(lease)
    {
    }
    // When somebody else may take the record.
    [[nodiscard]] SteadyClock::time_point leaseEnds() const { return m_renewed + m_lease; }
    // False: somebody else owns the record now. A store that cannot be reached is asked again until the lease is over.
    bool beat()
    {
        const auto now = SteadyClock::now();
        if (now - m_tried < m_lease / 3 && now - m_tried < std::chrono::seconds(20))
            return true;
        m_tried = now;
        const auto renewed = m_line.change([&](Store& store) { return store.renew(m_claim, m_lease); });
        if (renewed)
            m_renewed = now;
        return renewed ? renewed->outcome == Outcome::Applied : now - m_renewed < m_lease;
    }

private:
    RecordLine& m_line;
    const Claim& m_claim;
    Duration m_lease;
    SteadyClock::time_point m_tried = SteadyClock::now();
    SteadyClock::time_point m_renewed = m_tried;
};

Run carryOut(Context& context, const OnceOptions& options, Heartbeat& heartbeat, const Claim& claim, Takeover takeover)
{
    constexpr int slice = 100; // milliseconds
    const Interrupt interrupt;
    QProcess process;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("FENCEPOST_RUN_ID"), QString::fromStdString(claim.id.key));
    environment.insert(QStringLiteral("FENCEPOST_SCOPE"), QString::fromStdString(claim.id.scope));
    environment.insert(QStringLiteral("FENCEPOST_FENCE"), QString::number(claim.fence.value));
    QStringList scopes;
    for (const auto& scope : options.scopes)
        scopes << QString::fromStdString(scope);
    if (!scopes.isEmpty())
        environment.insert(QStringLiteral("FENCEPOST_SCOPES"), scopes.join(QLatin1Char(' ')));
    process.setProcessEnvironment(environment);
    process.setInputChannelMode(QProcess::ForwardedInputChannel);
    Run run;
    // Of a run that is held what it still does is wanted: somebody looks at it before the next.
    const auto orphan = takeover == Takeover::Auto ? Orphan::Ends : Orphan::RunsOn;
    if (!startCommand(process, options.command, Terminal::Shared, orphan)) {
        run.started = false;
        run.exitCode = notStarted;
        run.err = process.errorString().toStdString();
        return run;
    }
    bool asked = false;
    while (!process.waitForFinished(slice) && process.state() != QProcess::NotRunning) {
        drain(context, process, run);
        if (!heartbeat.beat()) {
            run.fenced = true;
            stopCommand(process);
            break;
        }
        if (interrupt.wasAsked() && !asked) {
            asked = true;
            process.terminate();
        }
    }
    drain(context, process, run);
    run.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : bySignal + process.exitCode();
    return run;
}

Completion completionOf(const Run& run)
{
    Completion completion;
    completion.response.headers = { { "Content-Type", "application/json" } };
    completion.response.body = jsonOf(run).dump();
    completion.response.bodyDigest = sha256(*completion.response.body);
    if (run.exitCode != 0)
        completion.errorCode = "INTERNAL.uncaught";
    return completion;
}

// What the command did cannot be asked for again, so a database that is not there is waited for until the lease ends.
Result<Applied> settle(Context& context, RecordLine& line, const Heartbeat& heartbeat, const Claim& claim,
    const OnceOptions& options, const Run& run)
{
    const auto keep = [&](Store& store) {
        if (run.exitCode == 0)
            return store.finalize(claim, completionOf(run));
        return store.fail(claim, { .retryable = !run.started || options.retryFailed, .completion = completionOf(run) });
    };
    const auto attempt = [&] { return insistently([&] { return line.change(keep); }); };
    const Interrupt interrupt;
    auto applied = attempt();
    if (!applied && RecordLine::isLost(applied.error()) && SteadyClock::now() < heartbeat.leaseEnds())
        context.out.note("The command has ended; its outcome is kept as soon as the database answers");
    while (!applied && RecordLine::isLost(applied.error()) && SteadyClock::now() < heartbeat.leaseEnds()
        && !interrupt.wasAsked()) {
        interrupt.wait(beforeAskingAgain);
        applied = attempt();
    }
    return applied;
}

void report(Context& context, const Slot& slot, std::string_view outcome, const std::optional<Run>& run)
{
    if (!context.out.isJson())
        return;
    auto object = run ? jsonOf(*run) : json({ { "exit_code", nullptr } });
    object["outcome"] = outcome;
    object["run_id"] = slot.runId;
    context.out.object(object);
}

int replay(Context& context, const Slot& slot, const Record& record)
{
    const auto run = runOf(record);
    if (!run && record.status == State::Succeeded) {
        // Somebody has found out that it was done: that is its outcome, and its output nobody has.
        report(context, slot, "replay", run);
        context.out.note("The run has succeeded, as was found out by somebody else; its output was not kept.");
        return Exit::Done;
    }
    if (!run)
        return context.fail(Error{ Failure::Unsupported, "The run has failed, and its output is not kept here", {} });
    report(context, slot, "replay", run);
    if (!context.out.isJson()) {
        context.out.octets(run->out);
        std::fwrite(run->err.data(), 1, run->err.size(), stderr);
    }
    if (run->cut)
        context.out.note("Only the first 256 KiB of each of its outputs were kept.");
    return run->exitCode;
}

// Why nothing is run and what to do next, for a person.
std::string reasonOf(const Slot& slot, const Reservation& asked, const Reserved& reserved)
{
    const auto key = shellWord(asked.id.scope) + ' ' + shellWord(slot.job) + ' ' + shellWord(slot.runId);
    const auto said = [&](const char* what, const std::string& next) {
        return std::string(what) + ": " + printable(slot.runId) + ". Nothing was run now. " + next;
    };
    switch (reserved.outcome) {
    case Outcome::InFlight:
        return said("It is running", "Ask again under this key when it has ended, and hear what it said.");
    case Outcome::Mismatch:
        return said("Another command was run under this key",
            "Give that one, argument for argument, to hear what it said, or this one a key of its own. What is known "
            "of it: fencepostctl keys show "
                + key);
    case Outcome::Held:
        return said("Nobody knows whether it was run",
            "Find out, and say it with fencepostctl plan resolve --key " + key
                + ": --as succeeded lets it rest, --as retryable has it run again.");
    case Outcome::RetryLater:
        return said("It failed and may not be tried again yet",
            "Ask again"
                + (reserved.record && reserved.record->notBefore
                        ? " from " + formatInstant(*reserved.record->notBefore) + " on."
                        : std::string(" later.")));
    default:
        return said("The key is older than what is remembered",
            "Whether it was run is not known here any more: see what the job left before it is given a key of a new "
            "instant.");
    }
}

int conclude(Context& context, const Slot& slot, Takeover takeover, const Run& run, const Result<Applied>& applied)
{
    if (!applied) {
        report(context, slot, "unrecorded", run);
        auto error = applied.error();
        error.message =
            "The command ended with " + std::to_string(run.exitCode) + ", and that could not be kept: " + error.message;
        // The command has run, whatever is known of it.
        error.failure = Failure::InDoubt;
        error.next = takeover == Takeover::Auto
            ? "When the lease of its key ends, the next run under it runs the command once more: resolve it before, "
              "if that must not be"
            : "Its key is in progress until the lease ends, and held from then on: resolve it";
        return context.fail(error);
    }
    const bool own = applied->outcome == Outcome::Applied;
    report(context, slot, own ? "execute" : "fenced", run);
    if (!own) {
        context.out.note("The run was taken away from this owner: its outcome was not kept.");
        return Exit::Refused;
    }
    if (!run.started)
        context.out.note("The command could not be started: " + run.err);
    return run.exitCode;
}

// A computer's first run of a job needs no preparation: where there are no tables yet, they are made.
Status makeTables(Context& context)
{
    const auto absent = context.absentFile();
    auto connection = context.connect(store::Access::ReadWrite, true);
    if (!connection)
        return connection.error();
    // A path with a slip of the pen knows nothing of what was run.
    if (absent)
        context.out.note("There was no database " + printable(*absent)
            + ", so it was made. If there should have been one, stop here: what was run before is known in that one.");
    const auto status = store::schemaStatus(**connection);
    if (!status)
        return status.error();
    return status->version ? Status() : store::initSchema(**connection, false);
}

int once(Context& context, const OnceOptions& options)
{
    return runOnce(context, options).code;
}

} // namespace

OnceEnd runOnce(Context& context, const OnceOptions& options)
{
    const auto slot = slotOf(options.key);
    if (!slot)
        return { "failed", context.usage(slot.error()) };
    const auto reservation = reservationOf(context, options, *slot);
    if (!reservation)
        return { "failed", context.usage(reservation.error()) };
    if (const auto made = makeTables(context); !made)
        return { "failed", context.fail(made.error()) };
    auto records = context.openStore();
    if (!records)
        return { "failed", context.fail(records.error()) };
    const auto reserved = (*records)->reserve(*reservation);
    if (!reserved)
        return { "failed", context.rejectInput(reserved.error()) };
    const std::string outcome(wordOf(reserved->outcome));
    if (reserved->outcome == Outcome::Replay)
        return { outcome, replay(context, *slot, *reserved->record) };
    if (reserved->outcome != Outcome::Execute) {
        report(context, *slot, outcome, {});
        context.out.note(reasonOf(*slot, *reservation, *reserved));
        return { outcome, Exit::Refused };
    }
    const Claim claim{ reservation->id, reservation->owner, reserved->record->fence };
    RecordLine line(context, **records);
    Heartbeat heartbeat(line, claim, reservation->lease);
    const auto run = carryOut(context, options, heartbeat, claim, reservation->takeover);
    return { outcome,
        conclude(context, *slot, reservation->takeover, run, settle(context, line, heartbeat, claim, options, run)) };
}

void addOnceCommand(CLI::App& app, Context& context)
{
    addCommand<OnceOptions>(
        app, context, "once", "Run a command once per key, and repeat what it said",
        [](CLI::App& command, OnceOptions& options) {
            command.add_option("--key", options.key, "JOB@INSTANT: the job and when it was due")->required();
            command.add_option("--scope", options.scope, "Scope of the key (cron)");
            command.add_option("--ttl", options.ttl, "How long it is remembered (the policy's, 24h)");
            command.add_option(
                "--lease", options.lease, "After so long without a sign of life it is held (the policy's, 60s)");
            command
                .add_option("--takeover", options.takeover,
                    "After a crash: manual holds it, auto runs it again; so that none runs beside the next, the "
                    "command "
                    "is killed with its caller, but not what it started in turn (the policy's, manual)")
                ->check(CLI::IsMember({ "auto", "manual" }));
            command.add_flag("--retry-failed", options.retryFailed, "Run it again under this key if it fails");
            command.add_option("command", options.command, "Behind --: the command and its arguments")->required();
            command.footer(
                "The exit code is the command's, 127 where it cannot be started, 128 and the signal's number "
                "where one ended it; 1, 2 and 3 without a run mean what they always mean here. Of each of its "
                "outputs the first 256 KiB are kept, and given again.");
        },
        once);
}

} // namespace fencepost::app

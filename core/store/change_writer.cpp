// SPDX-License-Identifier: Apache-2.0
#include "core/store/change_writer.h"

#include <filesystem>
#include <set>
#include <thread>
#include <tuple>

#include <nlohmann/json.hpp>

#include "core/error_report.h"
#include "core/operations/shown_parameters.h"
#include "core/store/blocking_row.h"
#include "core/store/replica.h"
#include "core/store/schema.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

// SQLite has waited for its lock already when it says that it is busy.
int attemptsOn(const Connection& connection)
{
    return connection.dialect() == Dialect::Sqlite ? 2 : 8;
}

constexpr std::string_view noteVerb = "note";
constexpr int firstWithAudit = 2; // version of the schema

ItemOutcome outcomeOf(const RowChange& done)
{
    return { done.result, done.reason, done.before, done.after };
}

ItemOutcome failed(const Error& error)
{
    return { ItemResult::Failed, rowReport(error), {}, {} };
}

// What tells one entry from another wherever it stands: the numbers of the file and of the table are not the same.
using Mark = std::tuple<std::string, int, std::string, Time>;

Mark markOf(const AuditEntry& entry)
{
    return { entry.requestId, entry.item, entry.outcome, entry.at };
}

Result<std::set<Mark>> marksIn(AuditLog& log)
{
    std::set<Mark> known;
    const auto read = forEachEntry(
        {}, [&](const AuditRequest& page) { return log.list(page, {}); },
        [&](const AuditEntry& entry) { known.insert(markOf(entry)); });
    if (!read)
        return read.error();
    return known;
}

bool isChange(const std::optional<AuditEntry>& entry)
{
    return entry && entry->outcome == wordOf(ItemResult::Changed);
}

// Errors of this one row, worth an audit entry; the others say that nothing can be written at all.
bool concernsTheRow(const Error& error)
{
    return error.failure == Failure::Invalid || error.failure == Failure::NotFound || error.failure == Failure::Conflict
        || error.failure == Failure::TimedOut || error.failure == Failure::Internal;
}

} // namespace

ChangeWriter::ChangeWriter(Connection& connection, Bindings& bindings, ChangeSettings settings)
    : m_connection(connection)
    , m_bindings(bindings)
    , m_settings(std::move(settings))
    , m_log(connection)
{
}

DecidingClock ChangeWriter::deciding() const
{
    const auto& clock = m_settings.clock ? *m_settings.clock : m_systemClock;
    if (m_connection.dialect() == Dialect::Sqlite || m_settings.bindClock)
        return clock.now();
    return std::nullopt;
}

Result<Time> ChangeWriter::now()
{
    auto statement = m_connection.prepare(sql::now);
    if (!statement)
        return statement.error();
    if (auto status = (*statement)->bindTime("now", deciding()).run(); !status)
        return status.error();
    if (!(*statement)->next())
        return Error{ Failure::Internal, "The database does not say what time it is", {} };
    const auto time = timeFromMicros((*statement)->integer(0));
    (*statement)->finish();
    return time;
}

Result<ItemOutcome> ChangeWriter::apply(const Binding& binding, const Change& change)
{
    if (m_connection.access() == Access::ReadOnly)
        return Error{ Failure::Denied, "The session is read-only", {}, {}, "Arm it before writing" };
    auto bound = m_bindings.find(binding);
    if (!bound)
        return bound.error();
    if (bound.value()->binding.native) {
        if (!bound.value()->binding.reachable)
            return Error{ Failure::Unsupported,
                "The table " + binding.name + " is not of the schema that this session works on", {}, {},
                "Connect with ?schema=" + bound.value()->table.schema };
        if (auto known = checkVersion(); !known)
            return known.error();
    }
    auto here = hasAudit();
    if (!here)
        return here.error();
    letOthersIn();
    if (*here)
        return applyBeside(**bound, change);
    auto outcome = applyWithIntent(**bound, change);
    return outcome ? outcome : withBlockingRow(m_connection, **bound, change, deciding(), outcome.error());
}

// SQLite gives its lock to whoever asks in the right moment. Row after row there is none, and who wants to pause what
// goes on here would wait in vain.
void ChangeWriter::letOthersIn()
{
    if (m_connection.dialect() != Dialect::Sqlite)
        return;
    constexpr auto atATime = std::chrono::milliseconds(50);
    constexpr auto pause = std::chrono::milliseconds(5);
    const auto now = std::chrono::steady_clock::now();
    if (now - m_othersWereIn < atATime)
        return;
    std::this_thread::sleep_for(pause);
    m_othersWereIn = now + pause;
}

// Tables of a newer build may mean something else by the same columns.
Status ChangeWriter::checkVersion()
{
    if (m_versionIsKnown)
        return {};
    const auto status = schemaStatus(m_connection);
    if (!status)
        return status.error();
    if (status->version.value_or(0) > currentSchemaVersion)
        return newerSchema(*status->version);
    m_versionIsKnown = true;
    return {};
}

// Again after a deadlock, a serialization failure or a locked file; never after an outcome that is in doubt.
Result<ItemOutcome> ChangeWriter::applyBeside(const BoundProfile& bound, const Change& change)
{
    std::optional<Result<ItemOutcome>> outcome;
    const auto status = retrying(attemptsOn(m_connection), [&]() -> Status {
        outcome = applyOnce(bound, change);
        return *outcome ? Status() : Status(outcome->error());
    });
    if (status) {
        if ((*outcome)->result == ItemResult::Skipped)
            auditRefusal(bound, change, **outcome);
        return *outcome;
    }
    if (!concernsTheRow(status.error()))
        return status.error();
    const auto error = withBlockingRow(m_connection, bound, change, deciding(), status.error());
    auditRefusal(bound, change, failed(error));
    return error;
}

// The request's item was carried out before: the same again, or an edited plan that borrows the number.
Result<ItemOutcome> ChangeWriter::repeated(const BoundProfile& bound, const Change& what, const AuditEntry& earlier)
{
    const auto entry = "audit entry " + std::to_string(earlier.seq);
    if (earlier.verb != what.verb || earlier.binding != bound.binding.name
        || earlier.identity != identityText(what.identity))
        return invalid("The request has done something else under this item's number (" + entry
            + "): the plan was edited after it was made");
    return ItemOutcome{ ItemResult::AlreadyDone, entry, {}, {} };
}

// One transaction: the end of the chain, the row, the entry. The order of the locks is the same for everybody.
Result<ItemOutcome> ChangeWriter::applyOnce(const BoundProfile& bound, const Change& what)
{
    auto transaction = Transaction::begin(m_connection, Begin::Immediate);
    if (!transaction)
        return transaction.error();
    if (auto status = m_log.lock(); !status)
        return status.error();
    auto earlier = m_log.find(what.requestId, what.item);
    if (!earlier)
        return earlier.error();
    if (isChange(*earlier))
        return repeated(bound, what, **earlier);
    auto done = change(bound, what);
    if (!done)
        return done.error();
    if (done->result != ItemResult::Changed)
        return outcomeOf(*done);
    auto entry = entryOf(bound, what, *done);
    if (!entry)
        return entry.error();
    if (auto appended = m_log.append(*entry); !appended)
        return appended.error();
    if (auto status = transaction->commit(); !status)
        return status.error();
    return outcomeOf(*done);
}

Result<RowChange> ChangeWriter::change(const BoundProfile& bound, const Change& what)
{
    if (what.verb == noteVerb)
        return note(bound, what);
    auto& random = m_settings.random ? *m_settings.random : m_systemRandom;
    if (bound.binding.native && bound.binding.kind == Kind::DeadLetter)
        return changeLetter(m_connection, what, { m_settings.clock, m_settings.bindClock });
    if (bound.binding.native)
        return changeRecord(m_connection, what, deciding(), random);
    return changeForeignRow(m_connection, bound, what, deciding(), random);
}

// The audit entry is the note; the row only has to exist.
Result<RowChange> ChangeWriter::note(const BoundProfile& bound, const Change& what)
{
    const auto image = readImage(m_connection, bound, what.identity);
    if (!image)
        return image.error();
    if (!*image)
        return RowChange{ ItemResult::Skipped, "there is no such row", {}, {} };
    return RowChange{ ItemResult::Changed, {}, {}, {} };
}

// A refusal changes nothing, so its entry has a transaction of its own. The same refusal is written once: running a
// plan again must not grow the audit. Where it cannot be written, the answer to the operator says what happened all the
// same.
void ChangeWriter::auditRefusal(const BoundProfile& bound, const Change& change, const ItemOutcome& outcome)
{
    (void)retrying(attemptsOn(m_connection), [&]() -> Status {
        auto transaction = Transaction::begin(m_connection, Begin::Immediate);
        if (!transaction)
            return transaction.error();
        if (auto status = m_log.lock(); !status)
            return status;
        auto earlier = m_log.find(change.requestId, change.item);
        if (!earlier)
            return earlier.error();
        const bool known =
            *earlier && (*earlier)->outcome == wordOf(outcome.result) && (*earlier)->detail == outcome.reason;
        if (isChange(*earlier) || known)
            return {};
        auto entry = entryOf(bound, change, { outcome.result, outcome.reason, {}, {} });
        if (!entry)
            return entry.error();
        if (auto appended = m_log.append(*entry); !appended)
            return appended.error();
        return transaction->commit();
    });
}

Result<AuditEntry> ChangeWriter::entryOf(const BoundProfile& bound, const Change& change, const RowChange& done)
{
    auto at = now();
    if (!at)
        return at.error();
    AuditEntry entry;
    entry.requestId = change.requestId;
    entry.item = change.item;
    entry.verb = change.verb;
    entry.database = m_settings.database;
    entry.binding = bound.binding.name;
    entry.identity = identityText(change.identity);
    entry.outcome = wordOf(done.result);
    entry.detail = done.reason;
    entry.before = done.before;
    entry.after = done.after;
    entry.parameters = nlohmann::json(shownParameters(change.parameters))
                           .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    entry.actor = change.actor;
    entry.reason = change.reason;
    entry.at = *at;
    return entry;
}

Result<bool> ChangeWriter::hasAudit()
{
    if (m_hasAudit.value_or(false))
        return true;
    auto there = m_log.exists();
    if (there)
        m_hasAudit = *there;
    return there;
}

Error ChangeWriter::auditIsLost()
{
    return { Failure::Corrupt,
        "Fencepost's own tables have lost their audit: idempotency_audit or idempotency_chain is "
        "missing",
        {}, {}, "Restore both from a backup, or begin a new audit with: fencepostctl audit install" };
}

// Fencepost's own tables are made together with their audit: where it is missing, somebody has taken it away.
Result<bool> ChangeWriter::lostAudit()
{
    const auto here = hasAudit();
    if (!here || *here)
        return here ? Result<bool>(false) : here;
    const auto status = schemaStatus(m_connection);
    // Who may not read it has no table of ours to ask about.
    if (!status)
        return status.error().failure == Failure::Denied ? Result<bool>(false) : Result<bool>(status.error());
    return status->version.value_or(0) >= firstWithAudit;
}

Status ChangeWriter::checkAudit()
{
    const auto lost = lostAudit();
    if (!lost)
        return lost.error();
    return *lost ? Status(auditIsLost()) : Status();
}

Status ChangeWriter::installAudit()
{
    m_hasAudit.reset();
    if (auto status = m_log.install(); !status)
        return withReplicaNamed(m_connection, status);
    if (m_settings.auditPath.empty() || !std::filesystem::exists(m_settings.auditPath))
        return {};
    auto own = ownAudit();
    if (!own)
        return own.error();
    if (auto settled = settleIntents(); !settled)
        return settled;
    return takeOver(**own);
}

// What was done here before there was a table for it: a plan that is run again, an undo and the list must find it. The
// file keeps its entries too; what the table has already is passed over.
Status ChangeWriter::takeOver(OwnAudit& own)
{
    std::vector<AuditEntry> earlier;
    const auto read = forEachEntry(
        {}, [&](const AuditRequest& page) { return own.list(page, m_settings.database); },
        [&](AuditEntry entry) {
            if (entry.seq != 0)
                earlier.push_back(std::move(entry));
        });
    if (!read || earlier.empty())
        return read;
    return retrying(attemptsOn(m_connection), [&]() -> Status {
        auto transaction = Transaction::begin(m_connection, Begin::Immediate);
        if (!transaction)
            return transaction.error();
        if (auto locked = m_log.lock(); !locked)
            return locked;
        const auto known = marksIn(m_log);
        if (!known)
            return known.error();
        for (auto entry = earlier.rbegin(); entry != earlier.rend(); ++entry)
            if (known->count(markOf(*entry)) == 0)
                if (auto appended = m_log.append(*entry); !appended)
                    return appended.error();
        return transaction->commit();
    });
}

Result<OwnAudit*> ChangeWriter::ownAudit()
{
    if (m_own)
        return m_own.get();
    if (m_settings.auditPath.empty())
        return Error{ Failure::Unsupported,
            "This database has no audit table and the console has no audit file of its own", {}, {},
            "Install the table with: fencepostctl audit install" };
    auto opened = OwnAudit::open(m_settings.auditPath);
    if (!opened)
        return opened.error();
    m_own = std::move(*opened);
    return m_own.get();
}

Result<std::vector<AuditEntry>> ChangeWriter::audit(const AuditRequest& request)
{
    auto here = hasAudit();
    if (!here)
        return here.error();
    if (*here)
        return m_log.list(request, {});
    if (auto checked = checkAudit(); !checked)
        return checked.error();
    // Looking must not make the file.
    if (!m_own && !m_settings.auditPath.empty() && !std::filesystem::exists(m_settings.auditPath))
        return std::vector<AuditEntry>();
    auto own = ownAudit();
    if (!own)
        return own.error();
    if (auto settled = settleIntents(); !settled)
        return settled.error();
    return (*own)->list(request, m_settings.database);
}

Result<AuditVerdict> ChangeWriter::verifyAudit()
{
    auto here = hasAudit();
    if (!here)
        return here.error();
    if (*here)
        return m_log.verify();
    const auto lost = lostAudit();
    if (!lost)
        return lost.error();
    if (*lost)
        return AuditVerdict{ false, 0, {}, auditIsLost().message, {} };
    auto own = ownAudit();
    if (!own)
        return own.error();
    // An audit that is not whole is not written to, and says so itself.
    (void)settleIntents();
    return (*own)->verify();
}

Result<AuditEntry> ChangeWriter::append(const AuditEntry& entry)
{
    std::optional<Result<AuditEntry>> appended;
    const auto status = retrying(attemptsOn(m_connection), [&]() -> Status {
        auto transaction = Transaction::begin(m_connection, Begin::Immediate);
        if (!transaction)
            return transaction.error();
        if (auto locked = m_log.lock(); !locked)
            return locked;
        appended = m_log.append(entry);
        if (!*appended)
            return appended->error();
        return transaction->commit();
    });
    if (!status)
        return status.error();
    return *appended;
}

Result<AuditEntry> ChangeWriter::record(AuditEntry entry)
{
    entry.database = m_settings.database;
    if (entry.at == Time()) {
        auto at = now();
        if (!at)
            return at.error();
        entry.at = *at;
    }
    auto here = hasAudit();
    if (!here)
        return here.error();
    if (auto checked = checkAudit(); !checked)
        return checked.error();
    // A read-only session cannot write to the target, and what was looked at is recorded all the same.
    if (*here && m_connection.access() == Access::ReadWrite)
        return append(entry);
    auto own = ownAudit();
    if (!own)
        return own.error();
    return (*own)->conclude(entry);
}

} // namespace fencepost::store

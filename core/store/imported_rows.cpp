// SPDX-License-Identifier: Apache-2.0
#include "core/store/imported_rows.h"

#include <algorithm>

#include "core/evidence/deliveries.h"
#include "core/evidence/log_line.h"
#include "core/evidence/logged_step.h"
#include "core/protocol/record.h"
#include "core/protocol/shown_step.h"
#include "core/store/native.h"
#include "core/store/record_row.h"
#include "core/store/sql_text.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr std::int64_t rowsBetweenQuestions = 500;
constexpr auto refType = "result";
constexpr std::int64_t untoldExpiry = 253402300799'000000; // the last second of the year 9999

// Nothing of a log belongs to a table that is not there in this build.
Result<CopiedTable> withColumns(
    const std::vector<CopiedTable>& tables, const std::string& name, const std::vector<std::string>& columns)
{
    for (const auto& table : tables) {
        if (table.name != name)
            continue;
        CopiedTable chosen = table;
        chosen.columns.clear();
        for (const auto& wanted : columns)
            for (const auto& column : table.columns)
                if (column.name == wanted)
                    chosen.columns.push_back(column);
        if (chosen.columns.size() == columns.size())
            return chosen;
    }
    return Error{ Failure::Internal, "The table " + name + " is not as an import needs it", {} };
}

CopiedValue textValue(std::string_view text)
{
    return { CopiedValue::Kind::Text, 0, 0, text };
}

CopiedValue integerValue(std::int64_t number)
{
    return { CopiedValue::Kind::Integer, number };
}

CopiedValue timeValue(Time time)
{
    return integerValue(microsOf(time));
}

exchange::InboxRow deliveryFrom(const NativeRow& row)
{
    exchange::InboxRow delivery{ row.text(0), row.text(1), row.time(2), row.optionalTime(3), {} };
    if (const auto result = row.optionalInteger(4))
        delivery.result = static_cast<exchange::InboxResult>(*result);
    return delivery;
}

// What a column of the record is made of.
struct ImportedRecord {
    State to = State::Unknown;
    std::optional<State> status;
    std::int64_t at = 0;

    [[nodiscard]] State stored() const
    {
        if (isStored(to))
            return to;
        return status && isStored(*status) ? *status : to == State::Held ? State::InProgress : State::Unknown;
    }
};

class ImportedRows {
public:
    ImportedRows(SnapshotFile& file, const std::vector<CopiedTable>& tables, const SnapshotRedaction& redaction,
        const std::function<bool()>& stopped)
        : m_file(file)
        , m_tables(tables)
        , m_redaction(redaction)
        , m_stopped(stopped)
    {
    }

    // What each line is among those of its key, for all that is written of it.
    Status steps()
    {
        for (const auto* sql : { &sql::imported_steps, &sql::imported_attempts })
            if (const auto done = m_file.connection().native().run(*sql, {}); !done)
                return done.error();
        return {};
    }

    Status journal()
    {
        const auto correlation = withColumns(m_tables, "idempotency_records", { "correlation_id" });
        if (!correlation)
            return correlation.error();
        const auto action = m_redaction.actionOn("idempotency_records", correlation->columns.front());
        const bool hidesCorrelation = action && *action != RedactionAction::Keep;
        return write(sql::imported_journal, "idempotency_transitions",
            { "seq", "scope", "operation_type", "idempotency_key", "from_state", "to_state", "event", "fence",
                "attempt", "owner", "actor", "reason", "at" },
            hidesCorrelation ? asStepWithoutCorrelation : asStep);
    }

    Status conflicts()
    {
        return write(sql::imported_conflicts, "idempotency_conflicts",
            { "scope", "operation_type", "idempotency_key", "slot", "presented_hash", "kind", "principal", "count",
                "first_at", "last_at" },
            asRead);
    }

    Status records()
    {
        return write(sql::imported_records, "idempotency_records",
            { "scope", "operation_type", "idempotency_key", "request_hash", "fingerprint_alg", "payload_hash", "status",
                "owner_execution_id", "fence", "attempt", "hold", "hold_reason", "error_code", "correlation_id",
                "created_at", "started_at", "updated_at", "completed_at", "expires_at", "response_code",
                "response_ref_type", "response_ref_id" },
            asRecord);
    }

    Status messages()
    {
        Values values;
        return fold("inbox_messages",
            { "consumer", "source", "event_id", "payload_hash", "status", "receive_count", "attempt", "received_at",
                "processed_at", "result", "attempts" },
            [&](const Deliveries& deliveries) -> Status {
                const auto& message = deliveries.message();
                const auto attempts = formatAttempts(message.attempts);
                values = { textValue(message.id.consumer), textValue(message.id.source), textValue(message.id.eventId),
                    { CopiedValue::Kind::Octets }, textValue(wordOf(message.state)), integerValue(message.receiveCount),
                    integerValue(message.attempt), timeValue(message.receivedAt),
                    message.processedAt ? timeValue(*message.processedAt) : CopiedValue(),
                    message.result ? textValue(*message.result) : CopiedValue(), textValue(attempts) };
                return add(values);
            });
    }

    Status letters()
    {
        Values values;
        return fold("dead_letters",
            { "id", "kind", "consumer", "source", "event_id", "destination", "type", "state", "deaths", "code",
                "reason", "fingerprint", "pattern", "attempts", "headers", "payload_hash", "first_at", "dead_at" },
            [&](const Deliveries& deliveries) -> Status {
                const auto letter = deliveries.letter();
                if (!letter)
                    return {};
                const auto attempts = formatAttempts(letter->attempts);
                const auto headers = headersText(letter->headers);
                values = { textValue(letter->id), textValue(wordOf(letter->kind)), textValue(letter->consumer),
                    textValue(letter->source), textValue(letter->eventId), textValue(letter->destination),
                    textValue(letter->type), textValue(wordOf(letter->state)), integerValue(letter->deaths),
                    textValue(letter->code), textValue(letter->reason), textValue(letter->group.fingerprint),
                    textValue(letter->group.pattern), textValue(attempts), textValue(headers),
                    { CopiedValue::Kind::Octets }, timeValue(letter->firstAt), timeValue(letter->deadAt) };
                return add(values);
            });
    }

private:
    using Values = std::vector<CopiedValue>;

    static void asRead(const NativeRow& row, Values& values, std::string& /*words*/)
    {
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = row.stored(static_cast<int>(i));
    }

    // What is called as the log does not call it keeps the word of the log in front of its reason.
    static void asStep(const NativeRow& row, Values& values, std::string& words)
    {
        enum Column { From = 4, To, Word, Reason = 11, Told = 13, Begins, Before };
        asRead(row, values, words);
        const auto stateAt = [&row](Column column) { return stateOf(row.octets(column)).value_or(State::Unknown); };
        LoggedStep step{ stateAt(From), stateAt(To), row.octets(Word), row.octets(Told), row.integer(Begins) != 0 };
        // The record was where the line before has left it, as far as a rule leads on from there.
        const auto before = stateAt(Before);
        const auto own = eventOf(step.word);
        if (step.from == State::Unknown && step.to != State::Unknown && before != State::Unknown
            && leads(before, step.to)) {
            step.from = before;
            values[From] = textValue(wordOf(before));
        }
        const auto event = eventOf(step);
        if (own && event != step.word && event != step.outcome) {
            words = std::string(step.word) + (values[Reason].octets.empty() ? "" : ": ");
            words += values[Reason].octets;
            values[Reason].octets = words;
        }
        values[Word] = textValue(event);
    }

    // What the record may not tell, its journal does not tell either.
    static void asStepWithoutCorrelation(const NativeRow& row, Values& values, std::string& words)
    {
        constexpr std::size_t reasonColumn = 11;
        constexpr std::string_view told = "correlation_id=";
        asStep(row, values, words);
        auto& reason = values[reasonColumn].octets;
        if (reason.starts_with(told))
            reason = {};
        else if (const auto at = reason.rfind(": " + std::string(told)); at != std::string_view::npos)
            reason = reason.substr(0, at);
    }

    // In the order of the statement's columns.
    static void asRecord(const NativeRow& row, Values& values, std::string& /*words*/)
    {
        enum Column {
            Scope,
            Operation,
            Key,
            StatusWord,
            To,
            FenceNumber,
            Attempt,
            OwnerText,
            ErrorCode,
            FirstAt,
            At,
            Hash,
            Correlation,
            ResponseCode,
            ResultId,
            RequestHash
        };
        const ImportedRecord record{ stateOf(row.octets(To)).value_or(State::Unknown),
            row.isNull(StatusWord) ? std::nullopt : stateOf(row.octets(StatusWord)), row.integer(At) };
        const auto stored = record.stored();
        const bool held = record.to == State::Held;
        const auto orZero = [&row](int column) { return row.isNull(column) ? integerValue(0) : row.stored(column); };
        values = { row.stored(Scope), row.stored(Operation), row.stored(Key),
            row.isNull(RequestHash) ? CopiedValue{ CopiedValue::Kind::Octets } : row.stored(RequestHash),
            textValue(untold), row.stored(Hash), textValue(wordOf(stored)),
            row.isNull(OwnerText) ? textValue("") : row.stored(OwnerText), orZero(FenceNumber), orZero(Attempt),
            integerValue(held ? 1 : 0), held ? row.stored(ErrorCode) : CopiedValue(), row.stored(ErrorCode),
            row.stored(Correlation), row.stored(FirstAt), row.stored(FirstAt), row.stored(At),
            isTerminal(stored) ? row.stored(At) : CopiedValue(),
            integerValue(record.to == State::Expired ? record.at : untoldExpiry), row.stored(ResponseCode),
            row.isNull(ResultId) ? CopiedValue() : textValue(refType), row.stored(ResultId) };
    }

    Status write(const NamedSql& sql, const std::string& name, const std::vector<std::string>& columns,
        void (*fill)(const NativeRow& row, Values& values, std::string& words))
    {
        if (const auto ready = into(name, columns); !ready)
            return ready;
        Values values(columns.size());
        std::string words; // what a value is that does not stand in the row
        return stream(sql, [&](const NativeRow& row) {
            fill(row, values, words);
            return add(values);
        });
    }

    // All deliveries of one event come one after the other.
    Status fold(const std::string& name, const std::vector<std::string>& columns,
        const std::function<Status(const Deliveries& deliveries)>& give)
    {
        if (const auto ready = into(name, columns); !ready)
            return ready;
        std::optional<Deliveries> deliveries;
        const auto read = stream(sql::imported_deliveries, [&](const NativeRow& row) -> Status {
            const auto delivery = deliveryFrom(row);
            if (deliveries && deliveries->takes(delivery)) {
                deliveries->add(delivery);
                return {};
            }
            const auto given = deliveries ? give(*deliveries) : Status();
            deliveries.emplace(delivery);
            return given;
        });
        return read && deliveries ? give(*deliveries) : read;
    }

    Status into(const std::string& name, const std::vector<std::string>& columns)
    {
        const auto table = withColumns(m_tables, name, columns);
        return table ? m_file.into(*table, m_redaction) : Status(table.error());
    }

    Status add(const Values& values)
    {
        if (auto added = m_file.add(values); !added)
            return added;
        if (++m_rows % rowsBetweenQuestions == 0 && m_stopped && m_stopped())
            return Error{ Failure::Cancelled, "The import was stopped, and no file is left of it", {} };
        return {};
    }

    Status stream(const NamedSql& sql, const std::function<Status(const NativeRow& row)>& each)
    {
        SqlText text;
        text.sql = sql.sqlite;
        Status taken;
        const auto read = m_file.connection().native().stream(text, [&](const NativeRow& row) {
            taken = each(row);
            return taken.has_value();
        });
        return taken ? read : taken;
    }

    SnapshotFile& m_file;
    const std::vector<CopiedTable>& m_tables;
    const SnapshotRedaction& m_redaction;
    const std::function<bool()>& m_stopped;
    std::int64_t m_rows = 0;
};

} // namespace

Status writeImportedRows(SnapshotFile& file, const std::vector<CopiedTable>& tables, const SnapshotRedaction& redaction,
    const std::function<bool()>& stopped)
{
    ImportedRows rows(file, tables, redaction, stopped);
    for (const auto step : { &ImportedRows::steps, &ImportedRows::journal, &ImportedRows::conflicts,
             &ImportedRows::records, &ImportedRows::messages, &ImportedRows::letters })
        if (const auto done = (rows.*step)(); !done)
            return done;
    return file.flush();
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#include "core/store/imported_rows.h"

#include <algorithm>

#include "core/protocol/record.h"
#include "core/store/native.h"
#include "core/store/sql_text.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr std::int64_t rowsBetweenQuestions = 500;
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

// What a column of the record is made of.
struct ImportedRecord {
    State to = State::Unknown;
    std::optional<State> status;
    std::int64_t at = 0;

    [[nodiscard]] State stored() const
    {
        if (isStored(to))
            return to;
        return status.value_or(to == State::Held ? State::InProgress : State::Unknown);
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

    Status journal()
    {
        return write(sql::imported_journal, "idempotency_transitions",
            { "seq", "scope", "operation_type", "idempotency_key", "from_state", "to_state", "event", "fence",
                "attempt", "owner", "actor", "reason", "at" },
            asRead);
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
            { "scope", "operation_type", "idempotency_key", "request_hash", "payload_hash", "status",
                "owner_execution_id", "fence", "attempt", "hold", "hold_reason", "error_code", "correlation_id",
                "created_at", "started_at", "updated_at", "completed_at", "expires_at" },
            asRecord);
    }

private:
    using Values = std::vector<CopiedValue>;

    static void asRead(const NativeRow& row, Values& values)
    {
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = row.stored(static_cast<int>(i));
    }

    // In the order of the statement's columns.
    static void asRecord(const NativeRow& row, Values& values)
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
            Correlation
        };
        const ImportedRecord record{ stateOf(row.octets(To)).value_or(State::Unknown),
            row.isNull(StatusWord) ? std::nullopt : stateOf(row.octets(StatusWord)), row.integer(At) };
        const auto stored = record.stored();
        const bool held = record.to == State::Held;
        const auto orZero = [&row](int column) { return row.isNull(column) ? integerValue(0) : row.stored(column); };
        values = { row.stored(Scope), row.stored(Operation), row.stored(Key), { CopiedValue::Kind::Octets },
            row.stored(Hash), textValue(wordOf(stored)), row.isNull(OwnerText) ? textValue("") : row.stored(OwnerText),
            orZero(FenceNumber), orZero(Attempt), integerValue(held ? 1 : 0),
            held ? row.stored(ErrorCode) : CopiedValue(), row.stored(ErrorCode), row.stored(Correlation),
            row.stored(FirstAt), row.stored(FirstAt), row.stored(At),
            isTerminal(stored) ? row.stored(At) : CopiedValue(),
            integerValue(record.to == State::Expired ? record.at : untoldExpiry) };
    }

    Status write(const NamedSql& sql, const std::string& name, const std::vector<std::string>& columns,
        void (*fill)(const NativeRow& row, Values& values))
    {
        const auto table = withColumns(m_tables, name, columns);
        if (!table)
            return table.error();
        if (const auto ready = m_file.into(*table, m_redaction, false); !ready)
            return ready;
        Values values(columns.size());
        std::optional<Error> failed;
        std::int64_t rows = 0;
        SqlText text;
        text.sql = sql.sqlite;
        const auto read = m_file.connection().native().stream(text, [&](const NativeRow& row) {
            fill(row, values);
            if (const auto added = m_file.add(values); !added)
                failed = added.error();
            else if (++rows % rowsBetweenQuestions == 0 && m_stopped && m_stopped())
                failed = Error{ Failure::Cancelled, "The import was stopped, and no file is left of it", {} };
            return !failed.has_value();
        });
        return failed ? Status(*failed) : read;
    }

    SnapshotFile& m_file;
    const std::vector<CopiedTable>& m_tables;
    const SnapshotRedaction& m_redaction;
    const std::function<bool()>& m_stopped;
};

} // namespace

Status writeImportedRows(SnapshotFile& file, const std::vector<CopiedTable>& tables, const SnapshotRedaction& redaction,
    const std::function<bool()>& stopped)
{
    ImportedRows rows(file, tables, redaction, stopped);
    for (const auto step : { &ImportedRows::journal, &ImportedRows::conflicts, &ImportedRows::records })
        if (const auto done = (rows.*step)(); !done)
            return done;
    return {};
}

} // namespace fencepost::store

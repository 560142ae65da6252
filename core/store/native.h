// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <QVarLengthArray>

#include "core/copied_value.h"
#include "core/result.h"
#include "core/store/named_sql.h"
#include "core/time.h"

namespace fencepost::store {

class Connection;
struct SqlText;

// The values of one call, by the names in the statement. Texts and octets are views: they must outlive the call.
class Parameters {
public:
    enum class Kind { Text, Octets, Integer, Time, Boolean };
    struct Entry {
        std::string_view name;
        Kind kind = Kind::Text;
        bool null = false;
        std::string_view octets = {};
        std::int64_t integer = 0;
    };

    Parameters& text(std::string_view name, std::string_view value) { return add({ name, Kind::Text, false, value }); }
    Parameters& text(std::string_view name, const std::optional<std::string>& value)
    {
        return value ? text(name, std::string_view(*value)) : add({ name, Kind::Text, true });
    }
    Parameters& text(std::string_view name, const std::string& value) { return text(name, std::string_view(value)); }
    Parameters& text(std::string_view name, const char* value) { return text(name, std::string_view(value)); }
    Parameters& octets(std::string_view name, std::string_view value)
    {
        return add({ name, Kind::Octets, false, value });
    }
    Parameters& octets(std::string_view name, const std::string& value)
    {
        return octets(name, std::string_view(value));
    }
    Parameters& octets(std::string_view name, const std::optional<std::string>& value)
    {
        return value ? octets(name, std::string_view(*value)) : add({ name, Kind::Octets, true });
    }
    Parameters& integer(std::string_view name, std::optional<std::int64_t> value)
    {
        return add({ name, Kind::Integer, !value, {}, value.value_or(0) });
    }
    Parameters& time(std::string_view name, std::optional<Time> value)
    {
        return add({ name, Kind::Time, !value, {}, value ? microsOf(*value) : 0 });
    }
    Parameters& boolean(std::string_view name, bool value) { return add({ name, Kind::Boolean, false, {}, value }); }

    [[nodiscard]] std::span<const Entry> entries() const
    {
        return { m_entries.data(), static_cast<std::size_t>(m_entries.size()) };
    }

private:
    Parameters& add(Entry entry)
    {
        m_entries.append(entry);
        return *this;
    }

    // On the stack: the hot path would ask the heap for a large piece at every statement.
    static constexpr qsizetype usual = 40;
    QVarLengthArray<Entry, usual> m_entries;
};

// One row while it is read. Views end with the reader's call.
class NativeRow {
public:
    virtual ~NativeRow() = default;
    [[nodiscard]] virtual bool isNull(int column) const = 0;
    [[nodiscard]] virtual std::string_view octets(int column) const = 0;
    [[nodiscard]] virtual std::int64_t integer(int column) const = 0;
    [[nodiscard]] virtual Time time(int column) const = 0;
    // As identities and cursors keep a plain column that was read as it is: what is no text, no UTF-8 or looks like a
    // hex form as "\\x…", SQLite's blobs as "\\b…". PostgreSQL's columns have been cast to text.
    [[nodiscard]] virtual std::optional<std::string> exact(int column) const = 0;
    // For the eye: valid UTF-8 in any case.
    [[nodiscard]] virtual std::optional<std::string> shown(int column) const = 0;
    // Octets as hex; SQLite's texts as they are.
    [[nodiscard]] virtual std::optional<std::string> hex(int column) const = 0;

    // As it is stored; PostgreSQL's values are octets of its binary form.
    [[nodiscard]] virtual CopiedValue stored(int column) const = 0;

    [[nodiscard]] std::string text(int column) const { return std::string(octets(column)); }
    // As far as an int goes: a column of a foreign or broken table may hold more.
    [[nodiscard]] int number(int column) const
    {
        using Limits = std::numeric_limits<int>;
        return static_cast<int>(std::clamp<std::int64_t>(integer(column), Limits::min(), Limits::max()));
    }
    [[nodiscard]] std::optional<std::string> optionalText(int column) const
    {
        return isNull(column) ? std::nullopt : std::optional(text(column));
    }
    [[nodiscard]] std::optional<std::int64_t> optionalInteger(int column) const
    {
        return isNull(column) ? std::nullopt : std::optional(integer(column));
    }
    [[nodiscard]] std::optional<Time> optionalTime(int column) const
    {
        return isNull(column) ? std::nullopt : std::optional(time(column));
    }
};

using RowReader = std::function<void(const NativeRow& row)>;

// Anew: for the table as it is now, where a plan that met an empty table would read it whole ever after.
enum class Planned { Once, Anew };

struct NativeCall {
    const NamedSql* sql = nullptr;
    Parameters parameters;
};

// Prepared statements on the live handle of Qt's own connection, for what Qt's drivers cannot do: octets exactly as
// they are (keys that are no UTF-8), several statements in one round trip, and no conversion on the hot path.
class Native {
public:
    static std::unique_ptr<Native> on(Connection& connection);
    virtual ~Native() = default;

    // Runs it and reads its rows; answers how many rows it changed or returned. A statement that may have written
    // outside a transaction when the connection was lost is InDoubt.
    virtual Result<int> run(const NamedSql& sql, const Parameters& parameters, const RowReader& read) = 0;
    Result<int> run(const NamedSql& sql, const Parameters& parameters) { return run(sql, parameters, nullptr); }

    // Planned anew for the table as it is now, where that is worth more than a plan that is kept: a statement over many
    // rows that met an empty table would read it whole ever after.
    virtual Result<int> runPlanned(const NamedSql& sql, const Parameters& parameters, const RowReader& read) = 0;

    // A query of the compiler, prepared once per text. Integers that PostgreSQL is to answer as such must be of an
    // integer type, instants timestamptz.
    virtual Result<int> read(const SqlText& text, const RowReader& read) = 0;

    // The same for any number of rows, none of which is kept. `visit` answers whether it wants the next one; the
    // statement is stopped where it does not.
    virtual Status stream(const SqlText& text, const std::function<bool(const NativeRow& row)>& visit) = 0;

    // One text without values and rows.
    virtual Status execute(const std::string& sql) = 0;

    // All calls in one transaction, in as few round trips as the database allows. `read` also gets the call's index.
    virtual Status runAll(
        const std::vector<NativeCall>& calls, const std::function<void(std::size_t, const NativeRow&)>& read) = 0;
};

} // namespace fencepost::store

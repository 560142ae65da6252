// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/query/row.h"
#include "core/store/expression_sql.h"
#include "core/store/native.h"

namespace fencepost::store {

// What a row is read as: identity and compared columns exactly, state and flags decided in SQL, canonical fields. A
// field that is nothing but a column is read as it is and once, whatever it serves for: the conversions that a database
// would do cost more than the row itself.
class RowProjection {
public:
    explicit RowProjection(ExpressionSql& sql);

    // One more column, as a cursor keeps it; answers its place. Before columns() is asked for.
    int addExact(const ExpressionSql& sql, const CatalogColumn& column);
    int addNumber(const std::string& expression) { return add(expression); }
    [[nodiscard]] const std::string& columns() const { return m_columns; }
    [[nodiscard]] int count() const { return static_cast<int>(m_places.size()); }
    // The identity as a cursor keeps it.
    [[nodiscard]] std::vector<std::string> identityForCursor(const NativeRow& row) const;
    // `identity` is the row's, of identityForCursor().
    [[nodiscard]] Row decode(const NativeRow& row, const std::vector<std::string>& identity) const;

private:
    enum class Form {
        Absent, // the table has no such field
        Text,
        Hex,
        Integer,
        IntegerText, // of a type that only the database can write
        Micros, // since 1970
        Written, // as text
        Instant, // PostgreSQL's own
    };
    struct Source {
        Form form = Form::Absent;
        int place = 0;
    };
    static constexpr std::size_t textFields = 10;
    static constexpr std::size_t integerFields = 4;
    static constexpr std::size_t instantFields = 7;
    static constexpr std::size_t extraFields = 6;

    int add(const std::string& expression);
    [[nodiscard]] Source textSource(ExpressionSql& sql, const profile::Expression& field);
    [[nodiscard]] Source integerSource(ExpressionSql& sql, const profile::Expression& field);
    [[nodiscard]] Source instantSource(ExpressionSql& sql, const profile::Expression& field);
    void addRelations(ExpressionSql& sql);
    void addActions(ExpressionSql& sql);
    void decodeRelations(const NativeRow& source, Row& row) const;
    template <typename Make> Source projected(std::string_view name, const Make& make);

    [[nodiscard]] static std::optional<std::string> text(const NativeRow& row, const Source& source);
    [[nodiscard]] static std::optional<std::int64_t> integer(const NativeRow& row, const Source& source);
    [[nodiscard]] static std::optional<Time> instant(const NativeRow& row, const Source& source);
    [[nodiscard]] bool isPastExpiry(const NativeRow& row) const;
    // `decided`: the column in which the database says so, if it does.
    [[nodiscard]] bool isPast(const NativeRow& row, const Source& source, const std::optional<int>& decided) const;

    const BoundProfile* m_bound;
    std::string m_columns;
    std::unordered_map<std::string, int> m_places; // by the expression
    std::vector<int> m_identity;
    std::vector<std::pair<std::string, int>> m_compared;
    int m_keyOfIdentity = -1; // which part of the identity the key is
    int m_mapped = 0; // the state before expiry comes over it
    std::optional<int> m_expired; // where it may, and the database decides
    std::optional<int> m_lapsed; // where there is a lease, and the database decides
    DecidingClock m_now; // none: the database decides, else the instants that are read
    std::vector<std::string> m_verbs; // in the order of the bits of m_actions
    std::optional<int> m_actions; // those whose conditions the row meets
    std::optional<int> m_ownerAlive;
    std::optional<int> m_behind;
    int m_stuck = 0;
    int m_conflict = 0;
    Source m_key;
    Source m_rawState;
    Source m_hold;
    std::array<Source, textFields> m_texts;
    std::array<Source, integerFields> m_integers;
    std::array<Source, instantFields> m_instants;
    std::array<Source, extraFields> m_extras;
};

} // namespace fencepost::store

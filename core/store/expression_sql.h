// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/native.h"
#include "core/store/profile_compiler.h"
#include "core/store/zone_sql.h"

namespace fencepost::store {

// An instant to compare with: absolute, or so far from the deciding clock's now.
struct Cut {
    std::optional<Time> at;
    Duration fromNow{};
};

// The one place where a profile's expressions become SQL: one visitor, two dialects. Columns come out of the catalog,
// values are bound into the statement that is being built. The table is aliased as t.
class ExpressionSql {
public:
    ExpressionSql(const BoundProfile& bound, SqlText& out, DecidingClock now);

    // Parameters of the profile; those not given take their standard.
    void setParameters(std::map<std::string, std::string> parameters) { m_parameters = std::move(parameters); }
    [[nodiscard]] const std::map<std::string, std::string>& parameters() const { return m_parameters; }
    void setSeen(const std::map<std::string, std::string>* seen) { m_seen = seen; }

    // Known to be true. Row-level security may hide rows of a table beside: what was not seen there may be there all
    // the same, and possible() is what is not known to be false.
    [[nodiscard]] std::string predicate(const profile::Expression& expression);
    [[nodiscard]] std::string possible(const profile::Expression& expression);
    [[nodiscard]] std::string natural(const profile::Expression& expression); // in its own type
    [[nodiscard]] std::string text(const profile::Expression& expression);
    [[nodiscard]] std::string micros(const profile::Expression& expression); // epoch microseconds
    // The column that an expression is, where it holds texts of which microsOfWritten() reads what micros() would.
    [[nodiscard]] const CatalogColumn* writtenInstant(const profile::Expression& expression);

    // Sargable where the column's type and encoding allow it.
    [[nodiscard]] std::string compareInstant(
        const profile::Expression& time, std::string_view comparison, const Cut& cut);
    [[nodiscard]] std::string nowMicros();
    [[nodiscard]] const DecidingClock& decidingClock() const { return m_now; }

    [[nodiscard]] std::string reference(const CatalogColumn& column) const; // t."name"
    // What NativeRow::exact() reads as a text that exactEquals() finds again.
    [[nodiscard]] std::string exact(const CatalogColumn& column) const;
    [[nodiscard]] std::string exactEquals(const CatalogColumn& column, const std::string& value);
    // Bound in the column's type, for row values of a keyset.
    // A number that is not whole, of a column of numbers.
    [[nodiscard]] static std::optional<double> fractionIn(const CatalogColumn& column, const std::string& value);
    [[nodiscard]] std::string exactValue(const CatalogColumn& column, const std::string& value);
    [[nodiscard]] std::string unchanged(const CatalogColumn& column, const std::optional<std::string>& value);
    // The right side of SET. `name` is what the profile calls the column, of another table with its alias.
    [[nodiscard]] std::string assigned(
        const CatalogColumn& column, const std::string& name, const profile::Expression& value);
    // The value, an array of PostgreSQL as JSON.
    [[nodiscard]] std::string jsonOf(const profile::Expression& expression);
    // The column that a value is taken from as it is, be it another table's; null: it is made of more.
    [[nodiscard]] const CatalogColumn* typeOf(const profile::Expression& expression);
    [[nodiscard]] std::string assignedExact(const CatalogColumn& column, const std::optional<std::string>& value);

    // How a word stands in a statement.
    using WordSql = std::function<std::string(std::string_view word)>;
    [[nodiscard]] static std::string quotedWord(std::string_view word);
    // The state that is shown, as a word: UNKNOWN where no case knows it, else HELD, else EXPIRED, else what is stored.
    [[nodiscard]] std::string stateWord(const WordSql& wordOf = quotedWord);
    [[nodiscard]] std::string stateIs(std::string_view word);
    // Before expiry comes over it.
    [[nodiscard]] std::string mappedWord();
    // Of a profile that derives expiry: whether it is past, and whether it comes over that state.
    [[nodiscard]] std::string pastExpiry();
    [[nodiscard]] static bool mayExpire(std::string_view word);
    [[nodiscard]] static std::string complement(const std::string& condition);
    // Of that expression's condition, in a form that an index serves where there is one.
    [[nodiscard]] std::string complementOf(const profile::Expression& expression, const std::string& condition);

    // Whether the row's owner lives, of a profile with owners: 'yes', 'no', or NULL where there is none.
    [[nodiscard]] std::string ownerAlive();
    // The key of the row that a row waits for, of a profile with a lane.
    [[nodiscard]] std::string headKey();

    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    std::string fail(Failure failure, std::string message);

    [[nodiscard]] Dialect dialect() const { return m_bound.dialect; }
    [[nodiscard]] const BoundProfile& bound() const { return m_bound; }
    std::string bind(SqlValue value) { return m_out.bind(std::move(value)); }
    // Once for each value, however often it is named: a shorter statement is planned faster, and one condition is
    // written in the same way everywhere. CAST to text and bigint in PostgreSQL.
    std::string bindText(const std::string& value);
    std::string bindInteger(std::int64_t value);

private:
    [[nodiscard]] bool sqlite() const { return m_bound.dialect == Dialect::Sqlite; }
    [[nodiscard]] std::string exactText(const CatalogColumn& column, const std::string& value);
    [[nodiscard]] const CatalogColumn* column(const profile::Expression& expression);
    [[nodiscard]] std::string encodingOf(const profile::Expression& expression, const CatalogColumn& column);
    [[nodiscard]] std::string encodingOf(const std::string& name, const CatalogColumn& column);
    [[nodiscard]] std::string columnMicros(const std::string& reference, const std::string& encoding);
    [[nodiscard]] std::string encoded(const std::string& encoding, const std::string& micros);
    [[nodiscard]] std::string localMicros(const std::string& encoding, const std::string& micros);
    // Exact: with its fraction also where nothing in the row has one.
    [[nodiscard]] std::string assignedInstant(
        const CatalogColumn& column, const std::string& name, const std::string& micros, bool exact = false);
    [[nodiscard]] std::string exactly(const std::string& encoding, const std::string& micros);
    [[nodiscard]] std::vector<std::string> textsLike(
        const CatalogColumn& column, const std::string& name, const std::string& encoding);
    [[nodiscard]] bool isTextOfTime(const profile::Expression& expression);
    [[nodiscard]] bool isTimeColumn(const CatalogColumn& column, const std::string& name) const;
    [[nodiscard]] std::optional<std::vector<const profile::Expression*>> timeColumnsOf(
        const profile::Expression& expression);
    [[nodiscard]] bool areComparedAsTheyAre(const std::vector<const profile::Expression*>& columns);
    [[nodiscard]] std::optional<std::string> comparedInstants(
        const profile::Expression& left, std::string_view comparison, const profile::Expression& right);
    [[nodiscard]] std::optional<Cut> cutOf(const profile::Expression& expression);
    [[nodiscard]] bool isOtherInstant(
        const CatalogColumn& column, const std::string& name, const profile::Expression& value);
    [[nodiscard]] std::string instant(const Cut& cut);
    [[nodiscard]] std::string cutMicros(const Cut& cut);
    [[nodiscard]] std::optional<profile::Scalar> constant(const profile::Expression& expression);
    [[nodiscard]] std::string scalar(const profile::Scalar& value);
    [[nodiscard]] std::string scalarAs(const CatalogColumn& column, const profile::Scalar& value);
    [[nodiscard]] std::string compared(const profile::Expression& expression, std::string_view comparison);
    [[nodiscard]] std::string membership(const profile::Expression& expression);
    [[nodiscard]] std::string operand(const profile::Expression& expression, const profile::Expression& peer);
    [[nodiscard]] const CatalogColumn* chosenType(const profile::Expression& expression);
    // The values among which one is chosen, in one type.
    [[nodiscard]] std::vector<std::string> choices(const profile::Expression& expression);
    [[nodiscard]] static std::string firstOf(const std::vector<std::string>& values);
    [[nodiscard]] std::string alternatives(const profile::Expression& expression);
    [[nodiscard]] std::string joined(
        const profile::Expression& expression, std::string_view joint, std::string_view function);
    [[nodiscard]] std::optional<Zone> zoneOf(const std::string& encoding);
    [[nodiscard]] std::string test(const profile::Expression& expression);
    [[nodiscard]] std::string negated(const profile::Expression& expression);
    [[nodiscard]] const CatalogTable* other(const std::string& alias);
    [[nodiscard]] std::string existing(const profile::Expression& expression);
    [[nodiscard]] std::string fetched(const profile::Expression& expression, const std::string& value);
    [[nodiscard]] bool hides(const std::string& alias) const;
    [[nodiscard]] bool looksIntoHidden(const profile::Expression& expression) const;
    [[nodiscard]] std::string ofHidden(const profile::Expression& expression);
    [[nodiscard]] bool isNoLabelOf(const profile::Expression& value, const profile::Expression& peer);
    [[nodiscard]] std::string greatest(const std::vector<std::string>& values) const;
    [[nodiscard]] std::string wordOfCases(const WordSql& wordOf);
    [[nodiscard]] std::string dayBound(
        const profile::Expression& time, const CatalogColumn& column, std::string_view comparison, const Cut& cut);
    [[nodiscard]] std::string hex(const profile::Expression& expression);
    [[nodiscard]] std::string cases(const profile::Expression& expression);
    [[nodiscard]] std::string member(const profile::Expression& expression);
    [[nodiscard]] std::string mappedIs(std::string_view word);
    [[nodiscard]] Duration span(const profile::Expression& expression);

    const BoundProfile& m_bound;
    SqlText& m_out;
    DecidingClock m_now;
    std::map<std::string, std::string> m_parameters;
    std::map<std::string, std::string> m_boundTexts; // placeholders
    std::map<std::int64_t, std::string> m_boundIntegers;
    const std::map<std::string, std::string>* m_seen = nullptr;
    bool m_mayBe = false; // while possible() is written
    std::optional<Error> m_error;
};

// PostgreSQL sends these as they are, in the binary form as well.
[[nodiscard]] bool isSentAsText(const CatalogColumn& column);

// NativeRow::exact() of a value that ExpressionSql::exact() selected: a text that only looks like the form of octets is
// in that form itself, so that no two values have one.
[[nodiscard]] std::optional<std::string> exactForm(
    const NativeRow& row, int place, Dialect dialect, const CatalogColumn& column);
// What people call it: the text itself wherever there is one.
[[nodiscard]] std::string readableForm(const std::string& form, Dialect dialect, const CatalogColumn& column);

// NativeRow::exact() as the world sees it: octets of a column that is made for them are "\x…" in both databases. "\b…"
// is a blob of SQLite that stands where a text is expected, and is another row than the text of the same octets.
[[nodiscard]] std::string publicForm(std::string exact, Dialect dialect, const CatalogColumn& column);

[[nodiscard]] bool octetForm(std::string_view text);
// What stands for NULL among the parts of an identity or of a cursor: no exact form has such an octet. In public, an
// empty text stands for it.
inline constexpr std::string_view nullPart{ "\0", 1 };
// The text of a hex form "\x…" or "\b…" as octets; nothing where it is neither.
[[nodiscard]] std::optional<std::string> octetsOf(const std::string& exact);
// What stands in the table, of an exact form of either kind.
[[nodiscard]] std::string storedText(const std::string& exact);

} // namespace fencepost::store

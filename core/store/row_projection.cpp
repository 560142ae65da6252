// SPDX-License-Identifier: Apache-2.0
#include "core/store/row_projection.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "core/inspector.h"
#include "core/operations/applicability.h"
#include "core/store/action_needs.h"
#include "core/store/far_instants.h"
#include "core/store/filter_sql.h"
#include "core/store/written_instant.h"

namespace fencepost::store {

namespace {

struct TextField {
    std::string_view name;
    std::optional<std::string> Row::*member;
};
struct IntegerField {
    std::string_view name;
    std::optional<std::int64_t> Row::*member;
};
struct InstantField {
    std::string_view name;
    std::optional<Time> Row::*member;
};

constexpr std::array texts = {
    TextField{ "scope", &Row::scope },
    TextField{ "operation", &Row::operation },
    TextField{ "queue", &Row::queue },
    TextField{ "hold_reason", &Row::holdReason },
    TextField{ "owner", &Row::owner },
    TextField{ "takeover", &Row::takeover },
    TextField{ "request_hash", &Row::requestHash },
    TextField{ "result_ref", &Row::resultRef },
    TextField{ "error", &Row::error },
    TextField{ "correlation_id", &Row::correlationId },
};
constexpr std::array integers = {
    IntegerField{ "fence", &Row::fence },
    IntegerField{ "attempts", &Row::attempts },
    IntegerField{ "max_attempts", &Row::maxAttempts },
    IntegerField{ "response_code", &Row::responseCode },
};
constexpr std::array instants = {
    InstantField{ "lease_until_us", &Row::leaseUntil },
    InstantField{ "started_us", &Row::startedAt },
    InstantField{ "updated_us", &Row::updatedAt },
    InstantField{ "created_us", &Row::createdAt },
    InstantField{ "finished_us", &Row::finishedAt },
    InstantField{ "next_attempt_us", &Row::nextAttemptAt },
    InstantField{ "expires_us", &Row::expiresAt },
};
constexpr std::size_t leaseEnd = 0;
constexpr std::size_t expiry = instants.size() - 1;
static_assert(instants[leaseEnd].name == "lease_until_us" && instants[expiry].name == "expires_us");

// Fields of the format that Row has no member for.
constexpr std::array<std::string_view, 6> extras = { "order_key", "version", "stuck_reason", "group", "died_as",
    rowSchema };

bool isSentAsInteger(const CatalogColumn& column)
{
    return column.typeClass == TypeClass::Integer;
}

const CatalogColumn* plain(const ExpressionSql& sql, const profile::Expression& field)
{
    using Op = profile::Expression::Op;
    return field.op == Op::Column ? sql.bound().column(field.name) : nullptr;
}

std::string numbered(const std::string& condition)
{
    return "CASE WHEN " + condition + " THEN 1 ELSE 0 END";
}

bool isOrphaned(const Row& row)
{
    const auto alive = row.extra.find(rowOwnerAlive);
    return alive != row.extra.end() && alive->second == "no";
}

// Who took it away ended its lease with the same write and left it to the next same request.
bool isFree(const Row& row)
{
    const bool spent = row.maxAttempts.value_or(0) > 0 && row.attempts.value_or(0) >= *row.maxAttempts;
    return row.takeover == wordOf(Takeover::Auto) && row.leaseUntil && row.leaseUntil == row.updatedAt && !spent;
}

} // namespace

RowProjection::RowProjection(ExpressionSql& sql)
    : m_bound(&sql.bound())
{
    static_assert(texts.size() == textFields && integers.size() == integerFields && instants.size() == instantFields
        && extras.size() == extraFields);
    const auto identity = m_bound->identity();
    const auto* keyColumn = m_bound->plainColumn("key");
    for (std::size_t i = 0; i < identity.size(); ++i) {
        m_identity.push_back(addExact(sql, *identity[i]));
        if (identity[i] == keyColumn)
            m_keyOfIdentity = static_cast<int>(i);
    }
    for (const auto& name : m_bound->comparedColumns())
        if (const auto* column = m_bound->column(name); column != nullptr && column->canSelect)
            m_compared.emplace_back(name, addExact(sql, *column));
    const bool sqlite = sql.dialect() == Dialect::Sqlite;
    m_mapped = add(sqlite ? sql.mappedWord() : "CAST(" + sql.mappedWord() + " AS text)");
    // A text is read as an instant but once. What a column of our own holds may be no number, which SQLite itself
    // knows.
    if (sqlite && !m_bound->profile->native)
        m_now = sql.decidingClock();
    if (m_bound->derivesExpiry() && !m_now)
        m_expired = add(numbered(sql.pastExpiry()));
    if (const auto lease = m_bound->fields.find(std::string(instants[leaseEnd].name));
        lease != m_bound->fields.end() && !m_now && !m_bound->profile->native)
        m_lapsed = add(numbered(sql.compareInstant(*lease->second, "<=", {})));
    m_stuck = add(numbered(stuckCondition(sql)));
    m_conflict = add(numbered(conflictOf(sql)));
    const auto asText = [&](const auto& field) { return textSource(sql, field); };
    if (m_keyOfIdentity < 0)
        m_key = projected("key", asText);
    m_rawState = projected("raw_state", asText);
    m_hold = projected("hold", [&](const auto& field) {
        return Source{ Form::Integer, add(numbered(sql.natural(field) + " IS TRUE")) };
    });
    for (std::size_t i = 0; i < textFields; ++i)
        m_texts[i] = projected(texts[i].name, asText);
    for (std::size_t i = 0; i < integerFields; ++i)
        m_integers[i] = projected(integers[i].name, [&](const auto& field) { return integerSource(sql, field); });
    for (std::size_t i = 0; i < instantFields; ++i)
        m_instants[i] = projected(instants[i].name, [&](const auto& field) { return instantSource(sql, field); });
    for (std::size_t i = 0; i < extraFields; ++i)
        m_extras[i] = projected(extras[i], asText);
    addRelations(sql);
    addActions(sql);
}

void RowProjection::addRelations(ExpressionSql& sql)
{
    const auto& profile = *m_bound->profile;
    const auto asText = [&](const std::string& value) {
        return add(sql.dialect() == Dialect::Sqlite ? value : "CAST(" + value + " AS text)");
    };
    if (profile.owners)
        m_ownerAlive = asText(sql.ownerAlive());
    if (profile.lane)
        m_behind = asText(sql.headKey());
}

// So that a plan leaves out what its write would skip.
void RowProjection::addActions(ExpressionSql& sql)
{
    if (m_bound->profile->native)
        return;
    std::string bits;
    for (const auto& capability : m_bound->binding.capabilities) {
        const auto* action = capability.allowed ? actionOf(*m_bound->profile, capability.verb) : nullptr;
        if (action == nullptr)
            continue;
        std::string condition = "1 = 1";
        // A condition that names a parameter which is asked for is only known with it.
        if (!namesAsked(*m_bound->profile, *action->steps.front().when, sql.parameters())) {
            condition = "(" + sql.predicate(*action->steps.front().when) + ")";
            if (needsStuck(*action))
                condition += " AND (" + stuckCondition(sql) + ")";
        }
        bits += (bits.empty() ? "" : " + ") + ("(CASE WHEN " + condition + " THEN ")
            + std::to_string(1 << m_verbs.size()) + " ELSE 0 END)";
        m_verbs.push_back(capability.verb);
    }
    if (!bits.empty())
        m_actions = add(bits);
}

void RowProjection::decodeRelations(const NativeRow& source, Row& row) const
{
    if (m_ownerAlive && !source.isNull(*m_ownerAlive))
        row.extra[rowOwnerAlive] = source.text(*m_ownerAlive);
    if (m_behind && !source.isNull(*m_behind))
        row.extra[rowBehind] = source.text(*m_behind);
    if (!m_actions)
        return;
    const auto bits = source.integer(*m_actions);
    std::string verbs;
    for (std::size_t i = 0; i < m_verbs.size(); ++i)
        if ((bits & (std::int64_t{ 1 } << i)) != 0)
            verbs += (verbs.empty() ? "" : " ") + m_verbs[i];
    row.extra[rowActions] = std::move(verbs);
}

int RowProjection::add(const std::string& expression)
{
    const auto [entry, added] = m_places.emplace(expression, static_cast<int>(m_places.size()));
    if (added)
        m_columns += (entry->second > 0 ? ", " : "") + expression;
    return entry->second;
}

int RowProjection::addExact(const ExpressionSql& sql, const CatalogColumn& column)
{
    return add(sql.exact(column));
}

template <typename Make> RowProjection::Source RowProjection::projected(std::string_view name, const Make& make)
{
    const auto found = m_bound->fields.find(std::string(name));
    return found == m_bound->fields.end() ? Source{} : make(*found->second);
}

RowProjection::Source RowProjection::textSource(ExpressionSql& sql, const profile::Expression& field)
{
    using Op = profile::Expression::Op;
    const bool sqlite = sql.dialect() == Dialect::Sqlite;
    const auto& inner = field.op == Op::Text || field.op == Op::Hex ? *field.arguments[0] : field;
    const auto* column = plain(sql, inner);
    const bool octets = column != nullptr && !sqlite && column->typeClass == TypeClass::Octets;
    if (column != nullptr && (octets || (sqlite && field.op == Op::Hex)))
        return { Form::Hex, add(sql.reference(*column)) };
    if (column != nullptr && (sqlite || isSentAsText(*column)))
        return { Form::Text, add(sql.reference(*column)) };
    return { Form::Text, add(sqlite ? sql.text(field) : "CAST(" + sql.text(field) + " AS text)") };
}

RowProjection::Source RowProjection::integerSource(ExpressionSql& sql, const profile::Expression& field)
{
    const auto value = sql.natural(field);
    if (sql.dialect() == Dialect::Sqlite)
        return { Form::Integer, add(value) };
    const auto* column = plain(sql, field);
    if (column != nullptr && isSentAsInteger(*column))
        return { Form::Integer, add(value) };
    return { Form::IntegerText, add("CAST(" + value + " AS text)") };
}

RowProjection::Source RowProjection::instantSource(ExpressionSql& sql, const profile::Expression& field)
{
    if (const auto* written = sql.writtenInstant(field))
        return { Form::Written, add(sql.reference(*written)) };
    if (sql.dialect() == Dialect::Sqlite)
        return { Form::Micros, add(sql.micros(field)) };
    const auto* column = plain(sql, field);
    if (column != nullptr && column->typeClass == TypeClass::Instant)
        return { Form::Instant, add(sql.reference(*column)) };
    return { Form::Micros, add("CAST(" + sql.micros(field) + " AS bigint)") };
}

std::vector<std::string> RowProjection::identityForCursor(const NativeRow& row) const
{
    std::vector<std::string> values;
    values.reserve(m_identity.size());
    const auto columns = m_bound->identity();
    for (std::size_t i = 0; i < m_identity.size(); ++i)
        values.push_back(exactForm(row, m_identity[i], m_bound->dialect, *columns[i]).value_or(std::string(nullPart)));
    return values;
}

std::optional<std::string> RowProjection::text(const NativeRow& row, const Source& source)
{
    if (source.form == Form::Absent)
        return std::nullopt;
    return source.form == Form::Hex ? row.hex(source.place) : row.shown(source.place);
}

std::optional<std::int64_t> RowProjection::integer(const NativeRow& row, const Source& source)
{
    if (source.form == Form::Absent || row.isNull(source.place))
        return std::nullopt;
    if (source.form == Form::IntegerText)
        return std::strtoll(row.text(source.place).c_str(), nullptr, 10);
    return row.integer(source.place);
}

std::optional<Time> RowProjection::instant(const NativeRow& row, const Source& source)
{
    if (source.form == Form::Absent || row.isNull(source.place))
        return std::nullopt;
    if (source.form == Form::Micros)
        return instantWithin(row.integer(source.place));
    if (source.form == Form::Written) {
        const auto value = row.stored(source.place);
        const auto micros =
            value.kind == CopiedValue::Kind::Text ? microsOfWritten(value.octets) : std::optional<std::int64_t>();
        return micros ? std::optional(instantWithin(*micros)) : std::nullopt;
    }
    // PostgreSQL writes its infinities as the ends of the range.
    using Range = std::numeric_limits<std::int64_t>;
    const auto raw = row.integer(source.place);
    return raw == Range::min() || raw == Range::max() ? std::nullopt : std::optional(row.time(source.place));
}

bool RowProjection::isPastExpiry(const NativeRow& row) const
{
    return m_bound->derivesExpiry() && isPast(row, m_instants[expiry], m_expired);
}

bool RowProjection::isPast(const NativeRow& row, const Source& source, const std::optional<int>& decided) const
{
    if (decided || !m_now)
        return decided && row.integer(*decided) != 0;
    const auto at = instant(row, source);
    return at && *at <= *m_now;
}

Row RowProjection::decode(const NativeRow& source, const std::vector<std::string>& identity) const
{
    Row row;
    row.identity.reserve(identity.size());
    const auto columns = m_bound->identity();
    for (std::size_t i = 0; i < identity.size(); ++i)
        row.identity.push_back(
            identity[i] == nullPart ? std::string() : publicForm(identity[i], m_bound->dialect, *columns[i]));
    if (std::any_of(m_identity.begin(), m_identity.end(), [&](int place) { return source.isNull(place); }))
        row.extra[operation::rowNameless] = "true";
    for (const auto& [name, place] : m_compared) {
        const auto& column = *m_bound->column(name);
        if (auto value = exactForm(source, place, m_bound->dialect, column))
            row.cas[name] = publicForm(std::move(*value), m_bound->dialect, column);
    }
    row.state = source.text(m_mapped);
    if (ExpressionSql::mayExpire(row.state) && isPastExpiry(source)) {
        row.status = std::move(row.state);
        row.state = "EXPIRED";
    }
    row.stuck = source.integer(m_stuck) != 0;
    row.conflict = source.integer(m_conflict) != 0;
    // The identity keeps what is no UTF-8, which the plain text has lost.
    const auto key = static_cast<std::size_t>(std::max(m_keyOfIdentity, 0));
    row.key = m_keyOfIdentity >= 0 ? readableForm(row.identity[key], m_bound->dialect, *columns[key])
                                   : text(source, m_key).value_or(std::string());
    row.rawState = text(source, m_rawState).value_or(std::string());
    row.hold = integer(source, m_hold).value_or(0) != 0;
    for (std::size_t i = 0; i < textFields; ++i)
        row.*texts[i].member = text(source, m_texts[i]);
    for (std::size_t i = 0; i < integerFields; ++i)
        row.*integers[i].member = integer(source, m_integers[i]);
    for (std::size_t i = 0; i < instantFields; ++i)
        row.*instants[i].member = instant(source, m_instants[i]);
    for (std::size_t i = 0; i < extraFields; ++i)
        if (auto value = text(source, m_extras[i]))
            row.extra[std::string(extras[i])] = std::move(*value);
    decodeRelations(source, row);
    if (row.stuck) {
        const auto said = row.extra.find("stuck_reason");
        // To our own tables nothing else is stuck that has a lease.
        const bool isLapsed =
            m_bound->profile->native ? row.leaseUntil.has_value() : isPast(source, m_instants[leaseEnd], m_lapsed);
        row.stuckReason = said != row.extra.end()     ? said->second
            : m_bound->profile->native && isFree(row) ? "free"
            : isOrphaned(row)                         ? "dead_owner"
            : row.extra.contains(rowBehind)           ? "blocked_by_head"
            : isLapsed                                ? "lease_expired"
                                                      : "too_old";
    }
    return row;
}

} // namespace fencepost::store

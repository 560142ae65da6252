// SPDX-License-Identifier: Apache-2.0
#include "core/store/row_projection.h"

#include <array>

#include "core/store/filter_sql.h"

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

// Fields of the format that Row has no member for.
constexpr std::array<std::string_view, 3> extras = { "order_key", "version", "stuck_reason" };

} // namespace

RowProjection::RowProjection(ExpressionSql& sql)
    : m_bound(&sql.bound())
    , m_compared(sql.bound().comparedColumns())
{
    for (const auto* column : m_bound->identity())
        add(sql.exact(*column));
    std::erase_if(m_compared, [&](const std::string& name) { return m_bound->column(name) == nullptr; });
    for (const auto& name : m_compared)
        add(sql.exact(*m_bound->column(name)));
    add(sql.stateWord());
    add("CASE WHEN " + stuckCondition(sql) + " THEN 1 ELSE 0 END");
    add("CASE WHEN " + conflictCondition(sql) + " THEN 1 ELSE 0 END");
    const auto& fields = m_bound->fields;
    add(sql.text(*fields.at("key")));
    const auto projected = [&](std::string_view name, auto compile) {
        const auto found = fields.find(std::string(name));
        add(found == fields.end() ? "NULL" : compile(*found->second));
    };
    projected("raw_state", [&](const auto& field) { return sql.text(field); });
    projected(
        "hold", [&](const auto& field) { return "CASE WHEN " + sql.natural(field) + " IS TRUE THEN 1 ELSE 0 END"; });
    for (const auto& field : texts)
        projected(field.name, [&](const auto& value) { return sql.text(value); });
    for (const auto& field : integers)
        projected(field.name, [&](const auto& value) { return sql.natural(value); });
    for (const auto& field : instants)
        projected(field.name, [&](const auto& value) { return sql.micros(value); });
    for (const auto& field : extras)
        projected(field, [&](const auto& value) { return sql.text(value); });
}

void RowProjection::add(const std::string& expression)
{
    m_columns += (m_size++ > 0 ? ", " : "") + expression;
}

std::vector<std::string> RowProjection::identityForCursor(const Statement& row) const
{
    std::vector<std::string> values;
    for (int i = 0; i < static_cast<int>(m_bound->profile->identity.size()); ++i)
        values.push_back(cursorText(row, i, m_bound->dialect).value_or(std::string()));
    return values;
}

Row RowProjection::decode(const Statement& statement) const
{
    Row row;
    int at = 0;
    const auto columns = m_bound->identity();
    const auto* keyColumn = m_bound->plainColumn("key");
    std::optional<std::string> exactKey;
    for (const auto* column : columns) {
        row.identity.push_back(exactText(statement, at++, m_bound->dialect).value_or(std::string()));
        if (column == keyColumn)
            exactKey = row.identity.back();
    }
    for (const auto& name : m_compared) {
        if (auto value = exactText(statement, at, m_bound->dialect))
            row.cas[name] = *value;
        ++at;
    }
    row.state = statement.text(at++);
    row.stuck = statement.integer(at++) != 0;
    row.conflict = statement.integer(at++) != 0;
    // The identity keeps what is no UTF-8, which the plain text has lost.
    row.key = exactKey ? *exactKey : statement.text(at);
    ++at;
    row.rawState = statement.optionalText(at++).value_or(std::string());
    row.hold = statement.integer(at++) != 0;
    for (const auto& field : texts)
        row.*field.member = statement.optionalText(at++);
    for (const auto& field : integers)
        row.*field.member = statement.optionalInteger(at++);
    for (const auto& field : instants)
        row.*field.member = statement.time(at++);
    for (const auto& field : extras) {
        if (auto value = statement.optionalText(at))
            row.extra[std::string(field)] = *value;
        ++at;
    }
    if (row.stuck) {
        const auto said = row.extra.find("stuck_reason");
        row.stuckReason = said != row.extra.end() ? said->second : row.leaseUntil ? "lease_expired" : "too_old";
    }
    return row;
}

} // namespace fencepost::store

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/table_access.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/ids.h"
#include "core/store/expression_sql.h"
#include "core/store/schema.h"

namespace fencepost::app {

namespace {

bool isAbsent(const std::string& part)
{
    return part.empty() || part == "-";
}

FilterPtr equals(Field field, const std::string& text)
{
    auto test = std::make_shared<Filter>();
    test->op = Filter::Op::Test;
    test->field = field;
    test->comparison = Comparison::Equal;
    test->values = { FilterValue{ text, {} } };
    return test;
}

// As the identity has a text of that shape.
std::string asText(const std::string& part)
{
    return store::octetForm(part) ? "\\x" + toHex(part) : part;
}

Result<bool> hasRow(const OpenTable& table, const std::vector<std::string>& identity)
{
    const auto row = table.inspector->row(table.binding, identity);
    return row ? Result<bool>(row->has_value()) : Result<bool>(row.error());
}

// "\x…" and "\b…" are no text that a filter could compare: the row goes by its identity as it is listed. Empty: none of
// the parts is such a form, or they are not the identity.
std::vector<std::string> octetIdentity(const Binding& binding, const std::vector<std::string>& parts)
{
    if (std::none_of(parts.begin(), parts.end(), store::octetForm))
        return {};
    std::vector<std::string> given;
    std::copy_if(
        parts.begin(), parts.end(), std::back_inserter(given), [](const auto& part) { return !isAbsent(part); });
    if (given.size() != binding.identityColumns.size())
        return {};
    return given;
}

// Our own tables: what is typed is the key itself, and only where there is no such row the form in which octets that
// are no text are listed.
Result<std::vector<std::string>> ownIdentity(const OpenTable& table, const std::vector<std::string>& parts)
{
    if (std::none_of(parts.begin(), parts.end(), store::octetForm))
        return parts;
    std::vector<std::string> texts;
    std::transform(parts.begin(), parts.end(), std::back_inserter(texts), asText);
    for (const auto& identity : { texts, parts }) {
        const auto found = hasRow(table, identity);
        if (!found)
            return found.error();
        if (*found)
            return identity;
    }
    return texts;
}

// A message of our own outbox by its number, a dead letter by its UUID; their events are looked for by their ids.
bool isOwnNumber(const Binding& binding, const std::vector<std::string>& parts)
{
    if (!binding.native || parts.size() != 1 || binding.identityColumns.size() != 1)
        return false;
    constexpr std::size_t longestNumber = 18;
    const auto& part = parts.front();
    if (binding.kind == Kind::DeadLetter)
        return isUuid(part);
    return binding.kind == Kind::Outbox && !part.empty() && part.size() <= longestNumber
        && part.find_first_not_of("0123456789") == std::string::npos;
}

bool has(const Binding& binding, const char* field)
{
    return std::find(binding.fields.begin(), binding.fields.end(), field) != binding.fields.end();
}

// What would tell them apart: of a view over several schemas the schema, which is the first part of the identity.
std::string severalRows(const Binding& binding, bool byScope)
{
    const std::string what = "Several rows have this " + std::string(byScope ? "key" : "name") + ": ";
    if (binding.members.empty() && byScope)
        return what + "name scope and operation too";
    std::string columns;
    for (const auto& column : binding.identityColumns)
        columns += (columns.empty() ? "" : " ") + column;
    return what + "name one by its identity (" + columns + ")";
}

std::string listed(const std::vector<Row>& rows)
{
    std::string text;
    for (const auto& row : rows) {
        text += text.empty() ? "Among them: " : ", ";
        for (std::size_t i = 0; i < row.identity.size(); ++i)
            text += (i > 0 ? " " : "") + row.identity[i];
    }
    return text;
}

} // namespace

Result<OpenTable> openTable(Context& context, std::optional<Kind> kind, store::Access access)
{
    auto backend = context.open(access);
    if (!backend)
        return backend.error();
    auto binding = kind ? context.binding(*kind) : context.binding();
    if (!binding)
        return binding.error();
    // Zero rows is a claim: whoever reads it must know what may be hidden.
    for (const auto& warning : binding->warnings)
        context.out.note("warning: " + binding->name + ": " + warning);
    return OpenTable{ &(*backend)->inspector(), std::move(*binding) };
}

// To a role whose rows are filtered, what is hidden and what is not there look the same.
Error noSuchKey(const Binding& binding)
{
    std::string said;
    for (const auto& warning : binding.warnings)
        said += (said.empty() ? "" : "; ") + warning;
    return { Failure::NotFound,
        "There is no such key in " + binding.name + (said.empty() ? "" : " that can be seen here"), std::move(said) };
}

Result<std::vector<std::string>> identityOf(const OpenTable& table, const std::vector<std::string>& parts)
{
    // Fencepost's own tables and those shaped like them are looked up by their primary key at once.
    if (table.binding.native && parts.size() == 3)
        return ownIdentity(table, parts);
    if (isOwnNumber(table.binding, parts)) {
        const auto found = hasRow(table, parts);
        if (!found)
            return found.error();
        if (*found)
            return parts;
    }
    if (parts.size() != 1 && parts.size() != 3)
        return Error{ Failure::Invalid, "A key is named by SCOPE OPERATION KEY, or by KEY alone", {} };
    const bool keys = table.binding.kind != Kind::Inbox && table.binding.kind != Kind::Outbox
        && table.binding.kind != Kind::DeadLetter;
    if (!keys && parts.size() != 1)
        return Error{ Failure::Invalid, "A message of this table is named by its event alone", {} };
    auto all = std::make_shared<Filter>();
    all->op = Filter::Op::And;
    all->children.push_back(equals(Field::Key, parts.back()));
    if (parts.size() == 3) {
        constexpr std::array fields = { std::pair(Field::Scope, "scope"), std::pair(Field::Operation, "operation") };
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (has(table.binding, fields[i].second))
                all->children.push_back(equals(fields[i].first, parts[i]));
            else if (!isAbsent(parts[i]))
                return Error{ Failure::Invalid,
                    "The table " + table.binding.name + " has no " + fields[i].second + ": say - for it", {} };
        }
    }
    PageRequest request;
    request.filter = all->children.size() == 1 ? all->children.front() : all;
    request.limit = 2;
    auto page = table.inspector->page(table.binding, request);
    if (!page)
        return page.error();
    if (page->rows.empty()) {
        auto identity = octetIdentity(table.binding, parts);
        const auto found = identity.empty() ? Result<bool>(false) : hasRow(table, identity);
        if (!found)
            return found.error();
        return *found ? Result<std::vector<std::string>>(std::move(identity)) : noSuchKey(table.binding);
    }
    if (page->rows.size() > 1)
        return Error{ Failure::Conflict, severalRows(table.binding, keys && parts.size() == 1), listed(page->rows) };
    return page->rows.front().identity;
}

Result<std::vector<std::string>> identityOrKey(const OpenTable& table, const std::vector<std::string>& parts)
{
    if (parts.size() == table.binding.identityColumns.size()) {
        const auto found = hasRow(table, parts);
        // What is no value of the columns, as a word where a number is the identity, may be a key.
        if (found && *found)
            return parts;
    }
    return identityOf(table, parts);
}

Result<std::unique_ptr<store::Connection>> messagesOf(Context& context, store::Access access)
{
    auto connection = context.connect(access, false);
    if (!connection)
        return connection.error();
    const auto status = store::schemaStatus(**connection);
    if (!status)
        return status.error();
    if (status->version.value_or(0) < store::schemaOfDestinations)
        return store::olderSchema(status->version, store::schemaOfDestinations);
    return connection;
}

} // namespace fencepost::app

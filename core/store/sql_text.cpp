// SPDX-License-Identifier: Apache-2.0
#include "core/store/sql_text.h"

#include "core/ids.h"

namespace fencepost::store {

namespace {

struct Binder {
    Statement& statement;
    const char* name;

    void operator()(std::monostate) const { statement.bindText(name, std::optional<std::string>()); }
    void operator()(std::int64_t value) const { statement.bindInt(name, value); }
    void operator()(double value) const { statement.bind(name, QVariant(value)); }
    void operator()(const std::string& value) const { statement.bindText(name, value); }
    void operator()(const Octets& value) const { statement.bindBytes(name, value.bytes); }
};

struct Writer {
    std::string operator()(std::monostate) const { return "NULL"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return std::to_string(value); }
    std::string operator()(const std::string& value) const
    {
        std::string text = "'";
        for (const char c : value)
            text += c == '\'' ? "''" : std::string(1, c);
        return text + '\'';
    }
    std::string operator()(const Octets& value) const { return "x'" + toHex(value.bytes) + '\''; }
};

} // namespace

std::string SqlText::bind(SqlValue value)
{
    auto name = "v" + std::to_string(values.size());
    values.emplace_back(name, std::move(value));
    return ':' + name;
}

std::optional<Error> malformedText(const std::string& name, const SqlValue& value)
{
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr ? std::nullopt : malformedText(name, std::string_view(*text));
}

std::string listed(const std::vector<std::string>& parts)
{
    std::string text;
    for (const auto& part : parts)
        text += (text.empty() ? "" : ", ") + part;
    return text;
}

Result<Statement*> prepared(Connection& connection, const SqlText& text)
{
    auto statement = connection.prepare(text.sql);
    if (!statement)
        return statement.error();
    for (const auto& [name, value] : text.values)
        std::visit(Binder{ **statement, name.c_str() }, value);
    return *statement;
}

std::string describe(const SqlText& text)
{
    std::string result = text.sql;
    for (const auto& [name, value] : text.values)
        result += "\n-- :" + name + " = " + std::visit(Writer{}, value);
    return result;
}

} // namespace fencepost::store

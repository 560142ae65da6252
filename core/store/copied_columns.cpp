// SPDX-License-Identifier: Apache-2.0
#include "core/store/copied_columns.h"

namespace fencepost::store {

namespace {

using Form = ColumnReading::Form;

constexpr std::string_view naiveWord = "naive:";

// Outside of these a text has no year to write; the infinities are far beyond.
constexpr std::int64_t earliestCopied = -62'135'596'800'000'000;
constexpr std::int64_t latestCopied = 253'402'300'799'999'999;

// What the profile says of a column's instants in one database; empty: nothing.
std::string encodingIn(const profile::Profile& profile, const std::string& column, const char* dialect)
{
    const std::map<std::string, std::string>* encodings = nullptr;
    for (const auto& [name, declared] : profile.time)
        if (std::string_view(name).substr(name.find('.') + 1) == column || (name == "*" && encodings == nullptr))
            encodings = &declared;
    if (encodings != nullptr)
        for (const auto* word : { dialect, "*" })
            if (const auto found = encodings->find(word); found != encodings->end())
                return found->second;
    return {};
}

// Everything but the units is read as text there.
Form formOf(const std::string& encoding)
{
    return encoding == "epoch_us" ? Form::Micros
        : encoding == "epoch_ms"  ? Form::Millis
        : encoding == "epoch_s"   ? Form::Seconds
        : encoding == "isoZ"      ? Form::IsoZ
                                  : Form::Iso;
}

const char* declaredFor(Form form)
{
    return form == Form::Micros || form == Form::Millis || form == Form::Seconds ? "INTEGER" : "TEXT";
}

std::string reference(const CatalogColumn& column)
{
    return "t." + quotedName(column.name);
}

bool isPlainText(const CatalogColumn& column)
{
    return column.type == "text" || column.type == "character varying";
}

// Types that SQLite has; instants are decided by the caller.
ColumnReading typedReading(const CatalogColumn& column)
{
    const auto plain = reference(column);
    const auto text = "CAST(" + plain + " AS text)";
    switch (column.typeClass) {
    case TypeClass::Text:
        return { isPlainText(column) ? plain : text, Form::Text, "TEXT" };
    case TypeClass::Integer:
        return { plain, Form::Integer, "INTEGER" };
    case TypeClass::Boolean:
        return { plain, Form::Integer, "BOOLEAN" };
    case TypeClass::Octets:
        return { plain, Form::Octets, "BLOB" };
    case TypeClass::Number:
        // Its affinity makes a number of the text, and leaves alone what it could not keep.
        return { text, Form::Text, "NUMERIC" };
    case TypeClass::Instant:
    case TypeClass::LocalInstant:
    case TypeClass::Uuid:
    case TypeClass::Json:
    case TypeClass::Enum:
    case TypeClass::Other:
        break;
    }
    return { text, Form::Text, "TEXT" };
}

// An integer that is an instant in one unit there and in another way in SQLite.
std::string asInstant(const std::string& number, const std::string& encoding)
{
    const auto seconds = encoding == "epoch_s" ? "1" : encoding == "epoch_ms" ? "1000" : "1000000";
    return "(timestamptz 'epoch' + " + number + " * (interval '1 second' / " + seconds + "))";
}

CopiedValue timeValue(Form form, Time time, std::string& text)
{
    const auto micros = microsOf(time);
    switch (form) {
    case Form::Micros:
        return { CopiedValue::Kind::Integer, micros };
    case Form::Millis:
        return { CopiedValue::Kind::Integer, micros / 1'000 };
    case Form::Seconds:
        return { CopiedValue::Kind::Integer, micros / 1'000'000 };
    default:
        break;
    }
    if (micros < earliestCopied || micros > latestCopied)
        return {};
    text = formatInstant(time);
    if (form == Form::Iso) {
        text[text.find('T')] = ' ';
        text.pop_back();
    }
    return { CopiedValue::Kind::Text, 0, 0, text };
}

} // namespace

ColumnReading ownReading(Dialect dialect, const CatalogColumn& column)
{
    if (dialect == Dialect::Sqlite)
        return { reference(column), Form::Stored, column.type };
    if (column.typeClass == TypeClass::Instant)
        return { reference(column), Form::Micros, "INTEGER" };
    return typedReading(column);
}

ColumnReading foreignReading(const BoundProfile& bound, const CatalogColumn& column, SqlText& text)
{
    if (bound.dialect == Dialect::Sqlite)
        return { reference(column), Form::Stored, column.type };
    const auto there = encodingIn(*bound.profile, column.name, "postgresql");
    const auto here = encodingIn(*bound.profile, column.name, "sqlite");
    const auto form = formOf(here);
    if (column.typeClass == TypeClass::Instant)
        return { reference(column), form, declaredFor(form) };
    if (column.typeClass == TypeClass::LocalInstant) {
        const auto zone = there.rfind(naiveWord, 0) == 0 ? there.substr(naiveWord.size()) : std::string("UTC");
        return { "(" + reference(column) + " AT TIME ZONE CAST(" + text.bind(zone) + " AS text))", form,
            declaredFor(form) };
    }
    const bool counted = there.rfind("epoch_", 0) == 0;
    if (counted && there != here && column.typeClass == TypeClass::Integer)
        return { asInstant(reference(column), there), form, declaredFor(form) };
    return typedReading(column);
}

RowCopy::RowCopy(std::vector<ColumnReading::Form> forms)
    : m_forms(std::move(forms))
    , m_values(m_forms.size())
    , m_texts(m_forms.size())
{
}

std::span<const CopiedValue> RowCopy::read(const NativeRow& row)
{
    for (std::size_t i = 0; i < m_forms.size(); ++i) {
        const int column = static_cast<int>(i);
        auto& value = m_values[i];
        if (m_forms[i] == Form::Stored)
            value = row.stored(column);
        else if (row.isNull(column))
            value = {};
        else if (m_forms[i] == Form::Text)
            value = { CopiedValue::Kind::Text, 0, 0, row.octets(column) };
        else if (m_forms[i] == Form::Octets)
            value = { CopiedValue::Kind::Octets, 0, 0, row.octets(column) };
        else if (m_forms[i] == Form::Integer)
            value = { CopiedValue::Kind::Integer, row.integer(column) };
        else
            value = timeValue(m_forms[i], row.time(column), m_texts[i]);
    }
    return m_values;
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#include "core/profile/mapping.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/in_quotes.h"
#include "core/profile/document.h"
#include "core/profile/library.h"
#include "core/profile/words.h"

namespace fencepost::profile {

namespace {

using M = Meaning;
using T = ColumnType;

constexpr int sureEnough = 40; // a guess below that is left to the reader
constexpr std::size_t longestName = 128;
constexpr auto usualStuckAfter = std::chrono::minutes(15);

struct KindWords {
    Kind kind;
    std::string_view open;
    std::string_view done;
};

constexpr std::array kindWordsOf = {
    KindWords{ Kind::Idempotency, "IN_PROGRESS", "SUCCEEDED" },
    KindWords{ Kind::Inbox, "RECEIVED", "PROCESSED" },
    KindWords{ Kind::Outbox, "PENDING", "DISPATCHED" },
    KindWords{ Kind::DeadLetter, "DEAD", "REDRIVEN" },
    KindWords{ Kind::Job, "PENDING", "SUCCEEDED" },
    KindWords{ Kind::Lock, "IN_PROGRESS", "SUCCEEDED" },
};

const KindWords& wordsFor(Kind kind)
{
    return *std::find_if(
        kindWordsOf.begin(), kindWordsOf.end(), [kind](const KindWords& words) { return words.kind == kind; });
}

std::optional<std::string> columnWith(
    const TableFacts& table, const std::map<std::string, Meaning>& meanings, Meaning meaning)
{
    for (const auto& column : table.columns)
        if (const auto found = meanings.find(column.name); found != meanings.end() && found->second == meaning)
            return column.name;
    return std::nullopt;
}

bool isFitName(const std::string& name)
{
    return !name.empty() && name.size() <= longestName && std::none_of(name.begin(), name.end(), [](char c) {
        const auto octet = static_cast<unsigned char>(c);
        return octet < ' ' || octet == 0x7f || c == '"' || c == '\'' || c == '`' || c == '\\';
    });
}

std::string unfitName(const std::string& what, const std::string& name)
{
    return what + ' ' + inQuotes(name)
        + " cannot be part of a profile: names with quotes, backslashes or control characters, and names of more than "
          "128 octets, are refused.";
}

// Columns that the profile would name.
std::vector<std::string> usedColumns(const TableFacts& table, const Mapping& mapping)
{
    std::set<std::string> used(mapping.identity.begin(), mapping.identity.end());
    for (const auto& [column, meaning] : mapping.meanings)
        if (meaning != M::None)
            used.insert(column);
    if (mapping.style != StateStyle::WriteOnce)
        used.insert(mapping.stateColumn);
    std::vector<std::string> ordered;
    for (const auto& column : table.columns)
        if (used.count(column.name) > 0)
            ordered.push_back(column.name);
    return ordered;
}

void askForNames(const TableFacts& table, const Mapping& mapping, std::vector<std::string>& questions)
{
    if (!isFitName(table.name))
        questions.push_back(unfitName("The table", table.name));
    for (const auto& column : usedColumns(table, mapping))
        if (!isFitName(column))
            questions.push_back(unfitName("The column", column));
    if (!isFitName(mapping.name))
        questions.push_back("The profile needs a name without quotes, backslashes and control characters.");
    if (isShippedName(mapping.name))
        questions.push_back(inQuotes(mapping.name)
            + " is a name of the profiles that come with Fencepost: choose another for this one.");
}

void askForIdentity(const TableFacts& table, const Mapping& mapping, std::vector<std::string>& questions)
{
    if (!columnWith(table, mapping.meanings, M::Key))
        questions.emplace_back("No column is the key: choose the one by which people know a row.");
    if (mapping.identity.empty())
        questions.emplace_back(
            "Nothing tells one row from another: choose the columns of a primary key or of a unique index.");
    for (const auto& column : mapping.identity)
        if (table.find(column) == nullptr)
            questions.push_back("The table has no column " + inQuotes(column) + '.');
    for (const auto& entry : meanings()) {
        const auto count = std::count_if(mapping.meanings.begin(), mapping.meanings.end(),
            [&](const auto& pair) { return pair.second == entry.meaning; });
        if (!entry.several && count > 1)
            questions.push_back(std::to_string(count) + " columns are " + inQuotes(entry.title) + ": choose one.");
    }
}

void askForState(const TableFacts& table, const Mapping& mapping, std::vector<std::string>& questions)
{
    const auto& words = stateWordsOf(mapping.kind);
    const auto isWord = [&](const std::string& word) {
        return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (mapping.style != StateStyle::WriteOnce && table.find(mapping.stateColumn) == nullptr)
        questions.emplace_back("No column is chosen from which the state is read.");
    if (mapping.style == StateStyle::Values) {
        bool any = false;
        for (const auto& value : mapping.values) {
            any = any || !value.state.empty();
            if (!value.state.empty() && !isWord(value.state))
                questions.push_back(inQuotes(value.state) + " is no state of such rows.");
        }
        if (!any)
            questions.emplace_back("No value has a state yet: say of at least one what it means.");
        return;
    }
    if (!isWord(mapping.done))
        questions.emplace_back("Say which state the rows have that are done.");
    if (mapping.style != StateStyle::WriteOnce && !isWord(mapping.open))
        questions.emplace_back("Say which state the rows have that are not done.");
}

void askForTimes(const TableFacts& table, const Mapping& mapping, std::vector<std::string>& questions)
{
    for (const auto& [column, meaning] : mapping.meanings) {
        if (!entryOf(meaning).instant || table.find(column) == nullptr)
            continue;
        const auto encoding = mapping.encodings.find(column);
        if (encoding == mapping.encodings.end() || encoding->second.empty())
            questions.push_back("Say how the times of the column " + inQuotes(column)
                + " are written, and in which time zone, or do not use it.");
    }
}

bool isDigits(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Ten digits are seconds since 1970 until the year 2286, thirteen milliseconds, sixteen microseconds.
std::string epochOf(const std::string& text)
{
    const auto whole = text.substr(0, text.find('.'));
    if (!isDigits(whole))
        return {};
    if (whole.size() >= 9 && whole.size() <= 11)
        return "epoch_s";
    if (whole.size() >= 12 && whole.size() <= 14)
        return "epoch_ms";
    return whole.size() >= 15 && whole.size() <= 17 ? "epoch_us" : "";
}

EncodingGuess numberEncoding(const ColumnValues* values)
{
    if (values == nullptr || values->texts.empty())
        return { {}, false, "whole numbers, and no values to tell seconds from milliseconds by" };
    const auto first = epochOf(values->texts.front());
    for (const auto& text : values->texts)
        if (epochOf(text) != first)
            return { {}, false, "its numbers are not all of one size" };
    if (first.empty())
        return { {}, false, "its numbers are no instants since 1970" };
    return { first, false,
        first == "epoch_s"        ? "numbers of ten digits: seconds since 1970"
            : first == "epoch_ms" ? "numbers of thirteen digits: milliseconds since 1970"
                                  : "numbers of sixteen digits: microseconds since 1970" };
}

bool looksIso(const std::string& text)
{
    return text.size() >= 10 && isDigits(text.substr(0, 4)) && text[4] == '-' && text[7] == '-';
}

bool hasOffset(const std::string& text)
{
    // Behind the minutes: seconds, a fraction, and a zone like Z, UTC, GMT, +02 or -0330.
    return text.size() > 16 && text.find_first_of("+-ZUG", 16) != std::string::npos;
}

EncodingGuess textEncoding(const ColumnValues* values)
{
    if (values == nullptr || values->texts.empty())
        return { "iso", true, "text, and no values to see how it is written" };
    const auto& texts = values->texts;
    if (const auto numbers = numberEncoding(values); !numbers.encoding.empty())
        return numbers;
    if (!std::all_of(texts.begin(), texts.end(), looksIso))
        return { {}, false, "its texts are no dates like 2026-11-20T23:45:47Z" };
    const bool zulu = std::all_of(texts.begin(), texts.end(),
        [](const auto& text) { return text.size() > 10 && text[10] == 'T' && text.back() == 'Z'; });
    if (zulu)
        return { "isoZ", false, "texts with T and Z" };
    const auto offsets = std::count_if(texts.begin(), texts.end(), hasOffset);
    if (offsets == std::ssize(texts))
        return { "iso", false, "texts with an offset from UTC" };
    return { "iso", true,
        offsets > 0 ? "texts with an offset from UTC, and some that name no time zone"
                    : "texts of dates and times that name no time zone" };
}

} // namespace

EncodingGuess encodingOf(std::string_view dialect, const ColumnFacts& column, const ColumnValues* values)
{
    switch (column.kind) {
    case T::Instant:
        return { "tz", false, "a timestamp with time zone" };
    case T::LocalInstant:
        // SQLite has no such type: the values are text or numbers all the same.
        if (dialect == "sqlite")
            return textEncoding(values);
        return { {}, true, "a timestamp without time zone" };
    case T::Integer:
    case T::Number:
        return numberEncoding(values);
    default:
        return textEncoding(values);
    }
}

std::string_view doneState(Kind kind) noexcept
{
    return wordsFor(kind).done;
}

std::string_view openState(Kind kind) noexcept
{
    return wordsFor(kind).open;
}

std::string columnFor(StateStyle style, const TableFacts& table, const std::map<std::string, Meaning>& meanings)
{
    const auto first = [&](std::initializer_list<Meaning> wanted) {
        for (const auto meaning : wanted)
            if (auto column = columnWith(table, meanings, meaning))
                return *column;
        return std::string();
    };
    switch (style) {
    case StateStyle::Values:
        return first({ M::State });
    case StateStyle::NullResponse:
        return first({ M::Response, M::ResponseCode, M::ResultRef });
    case StateStyle::Instant:
        return first({ M::Finished });
    case StateStyle::Flag:
        return first({ M::State });
    case StateStyle::WriteOnce:
        break;
    }
    return {};
}

StyleGuess styleOf(const TableFacts& table, const std::map<std::string, Meaning>& meanings)
{
    if (const auto column = columnWith(table, meanings, M::State)) {
        if (const auto* facts = table.find(*column); facts != nullptr && facts->kind == T::Boolean)
            return { StateStyle::Flag, *column, "a boolean: true where the row is done" };
        return { StateStyle::Values, *column, "a column of states" };
    }
    if (const auto column = columnWith(table, meanings, M::Finished))
        if (const auto* facts = table.find(*column); facts != nullptr && !facts->notNull)
            return { StateStyle::Instant, *column, "there is an instant once the row is done" };
    for (const auto meaning : { M::Response, M::ResponseCode, M::ResultRef })
        if (const auto column = columnWith(table, meanings, meaning))
            if (const auto* facts = table.find(*column); facts != nullptr && !facts->notNull)
                return { StateStyle::NullResponse, *column, "there is a response once the row is done" };
    return { StateStyle::WriteOnce, {}, "nothing tells a row that is done from one that is not" };
}

std::string profileNameFor(const TableFacts& table)
{
    std::string name = "mapped.";
    for (const char c :
        table.schema.empty() || table.schema == "public" ? table.name : table.schema + '.' + table.name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
            || c == '.' || c == '-';
        name += plain ? c : '_';
    }
    return name.substr(0, 100);
}

Mapping proposedMapping(const TableFacts& table, const TableGuess& guess, const SampledValues& values)
{
    Mapping mapping;
    mapping.name = profileNameFor(table);
    mapping.title = "Mapped by hand: " + (table.schema.empty() ? table.name : table.schema + '.' + table.name);
    mapping.kind = guess.kind;
    if (!table.uniqueKeys.empty())
        mapping.identity = table.uniqueKeys.front();
    for (const auto& column : guess.columns)
        if (column.best.meaning != M::None && column.best.score >= sureEnough && isIdentifier(column.column))
            mapping.meanings[column.column] = column.best.meaning;
    const auto style = styleOf(table, mapping.meanings);
    mapping.style = style.style;
    mapping.stateColumn = style.column;
    mapping.done = doneState(guess.kind);
    mapping.open = openState(guess.kind);
    for (const auto& [name, meaning] : mapping.meanings) {
        const auto* column = table.find(name);
        if (column == nullptr || !entryOf(meaning).instant)
            continue;
        const auto sampled = values.find(name);
        const auto encoding = encodingOf(table.dialect, *column, sampled == values.end() ? nullptr : &sampled->second);
        mapping.encodings[name] = encoding.asksForZone ? std::string() : encoding.encoding;
    }
    if (guess.kind != Kind::DeadLetter)
        mapping.stuckAfter = usualStuckAfter;
    return mapping;
}

std::vector<std::string> openQuestions(const TableFacts& table, const Mapping& mapping)
{
    std::vector<std::string> questions;
    askForNames(table, mapping, questions);
    askForIdentity(table, mapping, questions);
    askForState(table, mapping, questions);
    askForTimes(table, mapping, questions);
    return questions;
}

} // namespace fencepost::profile

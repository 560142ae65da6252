// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <nlohmann/json.hpp>

#include "core/profile/mapping.h"
#include "core/profile/profile.h"

namespace fencepost::profile {

namespace {

using json = nlohmann::ordered_json;
using M = Meaning;
using T = ColumnType;

constexpr std::size_t listedColumns =
    64; // of those that are not mapped: what makes the table known by more than its name

json columnRef(const std::string& name)
{
    return json::array({ "col", name });
}

std::optional<std::int64_t> wholeNumber(const std::string& text)
{
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || std::to_string(number) != text)
        return std::nullopt;
    return number;
}

std::string trimmedDuration(Duration duration)
{
    return "PT" + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(duration).count()) + "S";
}

// Writes one mapping as a document.
class Writer {
public:
    Writer(const TableFacts& table, const Mapping& mapping)
        : m_table(table)
        , m_mapping(mapping)
    {
    }

    json write()
    {
        json document;
        document["profile"] = m_mapping.name;
        document["format"] = 1;
        document["kind"] = std::string(wordOf(m_mapping.kind));
        document["title"] = m_mapping.title;
        document["dialects"] = json::array({ m_table.dialect });
        document["detect"] = detect();
        document["source"]["tables"]["t"] = m_table.name;
        document["identity"] = m_mapping.identity;
        const auto stuck = stuckWhen();
        if (!stuck.is_null() && m_usesAge)
            document["params"]["stuckAfter"] = { { "type", "duration" },
                { "default", trimmedDuration(*m_mapping.stuckAfter) }, { "label", "Stuck after" } };
        if (const auto times = encodings(); !times.empty())
            document["time"] = times;
        document["fields"] = fields();
        if (const auto bodies = payloads(); !bodies.empty())
            document["payload"] = bodies;
        document["state"] = states();
        if (!stuck.is_null())
            document["stuck"] = stuck;
        document["fencing"] = m_mapping.style == StateStyle::WriteOnce ? "not_applicable" : "none";
        document["actions"] = json::object();
        document["readOnlyReason"] = unreviewed;
        if (auto told = notes(); !told.empty())
            document["notes"] = std::move(told);
        return document;
    }

private:
    [[nodiscard]] std::vector<std::string> columnsWith(M meaning) const
    {
        std::vector<std::string> found;
        for (const auto& column : m_table.columns)
            if (const auto entry = m_mapping.meanings.find(column.name);
                entry != m_mapping.meanings.end() && entry->second == meaning)
                found.push_back(column.name);
        return found;
    }

    [[nodiscard]] std::set<std::string> used() const
    {
        std::set<std::string> columns(m_mapping.identity.begin(), m_mapping.identity.end());
        for (const auto& [column, meaning] : m_mapping.meanings)
            if (meaning != M::None)
                columns.insert(column);
        if (m_mapping.style != StateStyle::WriteOnce)
            columns.insert(m_mapping.stateColumn);
        return columns;
    }

    [[nodiscard]] static bool isPlain(const std::string& name)
    {
        return name.size() <= 128 && std::all_of(name.begin(), name.end(), [](char c) {
            return static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\'' && c != '`' && c != '\\' && c != 0x7f;
        });
    }

    [[nodiscard]] json detect() const
    {
        const auto needed = used();
        json required = json::array();
        json optional = json::array();
        // Ten for each column that is required and one for each that is optional: who names all of them twice fits
        // better than any other.
        for (const auto& column : m_table.columns) {
            const bool isUsed = needed.count(column.name) > 0;
            const bool nameable = isPlain(column.name);
            if (isUsed || (m_table.contested && nameable))
                required.push_back(column.name);
            if ((!isUsed || m_table.contested) && nameable && (m_table.contested || optional.size() < listedColumns))
                optional.push_back(column.name);
        }
        json result;
        result["require"]["t"] = std::move(required);
        if (!optional.empty())
            result["optional"] = std::move(optional);
        if (m_mapping.style == StateStyle::Values) {
            json known = json::array();
            for (const auto& value : m_mapping.values)
                if (value.value && !value.state.empty())
                    known.push_back(*value.value);
            if (!known.empty())
                result["values"][m_mapping.stateColumn] = std::move(known);
        }
        return result;
    }

    // As text where the database would not take it for one by itself.
    [[nodiscard]] json value(const std::string& name, M meaning) const
    {
        const auto* column = m_table.find(name);
        const auto kind = column == nullptr ? T::Text : column->kind;
        if (kind == T::Octets)
            return json::array({ "hex", columnRef(name) });
        const bool counts = meaning == M::Attempts || meaning == M::MaxAttempts || meaning == M::ResponseCode;
        if (entryOf(meaning).instant || counts || kind == T::Text || kind == T::Integer)
            return columnRef(name);
        return json::array({ "text", columnRef(name) });
    }

    [[nodiscard]] json fields() const
    {
        json result = json::object();
        for (const auto& entry : meanings()) {
            if (*entry.field == '\0')
                continue;
            const auto columns = columnsWith(entry.meaning);
            if (columns.empty())
                continue;
            if (columns.size() == 1) {
                result[entry.field] = value(columns.front(), entry.meaning);
                continue;
            }
            json joined = json::array({ "concat" });
            for (const auto& column : columns) {
                if (joined.size() > 1)
                    joined.push_back(entry.meaning == M::ResultRef ? ":" : " ");
                joined.push_back(value(column, entry.meaning));
            }
            result[entry.field] = std::move(joined);
        }
        if (m_mapping.style != StateStyle::WriteOnce && m_mapping.style != StateStyle::Instant
            && m_mapping.style != StateStyle::NullResponse && !result.contains("raw_state"))
            result["raw_state"] = value(m_mapping.stateColumn, M::State);
        return result;
    }

    [[nodiscard]] json payloads() const
    {
        json result = json::object();
        for (const auto& column : m_table.columns)
            if (const auto entry = m_mapping.meanings.find(column.name);
                entry != m_mapping.meanings.end() && isBody(entry->second))
                result[column.name] = column.kind == T::Text || column.kind == T::Octets
                    ? columnRef(column.name)
                    : json::array({ "text", columnRef(column.name) });
        return result;
    }

    [[nodiscard]] json encodings() const
    {
        json result = json::object();
        for (const auto& [column, encoding] : m_mapping.encodings)
            if (const auto entry = m_mapping.meanings.find(column);
                entry != m_mapping.meanings.end() && entryOf(entry->second).instant)
                result[column] = encoding;
        return result;
    }

    [[nodiscard]] json literal(const std::string& text) const
    {
        const auto* column = m_table.find(m_mapping.stateColumn);
        if (column != nullptr && column->kind == T::Integer)
            if (const auto number = wholeNumber(text))
                return *number;
        return text;
    }

    // Conditions of one state; several values of it are one list.
    [[nodiscard]] json valueCases() const
    {
        json cases = json::array();
        const auto column = columnRef(m_mapping.stateColumn);
        for (const auto& word : distinctStates()) {
            json in = json::array({ "in", column });
            bool null = false;
            for (const auto& entry : m_mapping.values) {
                if (entry.state != word)
                    continue;
                if (entry.value)
                    in.push_back(literal(*entry.value));
                else
                    null = true;
            }
            json when;
            if (in.size() == 3)
                when = json::array({ "eq", column, in[2] });
            else if (in.size() > 3)
                when = std::move(in);
            if (null) {
                const auto missing = json::array({ "is_null", column });
                when = when.is_null() ? missing : json::array({ "or", missing, when });
            }
            cases.push_back({ { "when", when }, { "is", word } });
        }
        return cases;
    }

    [[nodiscard]] std::vector<std::string> distinctStates() const
    {
        std::vector<std::string> words;
        for (const auto& entry : m_mapping.values)
            if (!entry.state.empty() && std::find(words.begin(), words.end(), entry.state) == words.end())
                words.push_back(entry.state);
        return words;
    }

    [[nodiscard]] json states() const
    {
        const auto column = columnRef(m_mapping.stateColumn);
        const auto both = [&](const json& done, const json& open) {
            return json::array(
                { { { "when", done }, { "is", m_mapping.done } }, { { "when", open }, { "is", m_mapping.open } } });
        };
        switch (m_mapping.style) {
        case StateStyle::Values:
            return valueCases();
        case StateStyle::NullResponse:
        case StateStyle::Instant:
            return both(json::array({ "not_null", column }), json::array({ "is_null", column }));
        case StateStyle::Flag:
            return both(json::array({ "is_true", column }), json::array({ "not", json::array({ "is_true", column }) }));
        case StateStyle::WriteOnce:
            break;
        }
        return json::array({ { { "when", json::array({ "true" }) }, { "is", m_mapping.done } } });
    }

    // Rows that wait or are worked on, and since when.
    [[nodiscard]] json stuckWhen()
    {
        if (!m_mapping.stuckAfter || m_mapping.style == StateStyle::WriteOnce)
            return nullptr;
        json open = json::array({ "or" });
        for (const auto& state : states()) {
            const auto word = state["is"].get<std::string>();
            if (word == openState(m_mapping.kind) || word == "IN_PROGRESS" || word == "PROCESSING" || word == "SENDING")
                open.push_back(state["when"]);
        }
        if (open.size() == 1)
            return nullptr;
        const auto waits = open.size() == 2 ? open[1] : open;
        const auto lease = columnsWith(M::LeaseUntil);
        const auto since = waitingSince();
        m_usesAge = !since.is_null();
        if (lease.empty() && !m_usesAge)
            return nullptr;
        const auto age =
            m_usesAge ? json::array({ "older_than", since, json::array({ "param", "stuckAfter" }) }) : json();
        if (lease.empty())
            return json::array({ "and", waits, age });
        // What nobody has leased waits for somebody to do so.
        const auto end = columnRef(lease.front());
        const auto past = json::array({ "past", end });
        if (!m_usesAge)
            return json::array({ "and", waits, past });
        const auto unleased = json::array({ "and", json::array({ "is_null", end }), age });
        return json::array({ "and", waits, json::array({ "or", past, unleased }) });
    }

    // What has not been started, or never changed, waits since it came, and what is put off since it is due.
    [[nodiscard]] json waitingSince() const
    {
        const auto oneOf = [](json values) { return values.size() == 2 ? values[1] : values; };
        auto came = json::array({ "coalesce" });
        for (const auto meaning : { M::Started, M::Updated, M::Created })
            if (const auto columns = columnsWith(meaning); !columns.empty())
                came.push_back(columnRef(columns.front()));
        auto since = json::array({ "greatest" });
        if (came.size() > 1)
            since.push_back(oneOf(came));
        if (const auto due = columnsWith(M::NextAttempt); !due.empty())
            since.push_back(columnRef(due.front()));
        return since.size() == 1 ? json() : oneOf(since);
    }

    [[nodiscard]] json notes() const
    {
        json told = json::array();
        if (m_mapping.style == StateStyle::WriteOnce && m_mapping.kind == Kind::Idempotency)
            told.push_back("write-once store: IN_PROGRESS is never visible, a row is there once its work is done");
        if (m_mapping.style == StateStyle::NullResponse)
            told.push_back("a row without a response is shown as " + m_mapping.open
                + ": whether anybody still works on it, the table does not tell");
        if (std::find(m_table.uniqueKeys.begin(), m_table.uniqueKeys.end(), m_mapping.identity)
            == m_table.uniqueKeys.end())
            told.push_back("no unique key guards the columns by which rows are told apart: rows may repeat in pages");
        return told;
    }

    const TableFacts& m_table;
    const Mapping& m_mapping;
    bool m_usesAge = false;
};

} // namespace

bool tellsSince(const Mapping& mapping)
{
    constexpr std::array times{ Meaning::Started, Meaning::Updated, Meaning::Created, Meaning::NextAttempt };
    return std::any_of(mapping.meanings.begin(), mapping.meanings.end(),
        [&](const auto& column) { return std::find(times.begin(), times.end(), column.second) != times.end(); });
}

bool tellsLease(const Mapping& mapping)
{
    return std::any_of(mapping.meanings.begin(), mapping.meanings.end(),
        [](const auto& column) { return column.second == Meaning::LeaseUntil; });
}

Result<std::string> documentOf(const TableFacts& table, const Mapping& mapping)
{
    if (const auto questions = openQuestions(table, mapping); !questions.empty())
        return Error{ Failure::Invalid, questions.front(), {}, {} };
    try {
        const auto text = Writer(table, mapping).write().dump(2) + '\n';
        if (const auto read = parse(text, mapping.name); !read)
            return read.error();
        return text;
    } catch (const nlohmann::json::exception& problem) {
        // A name or a value that is no UTF-8.
        return Error{ Failure::Invalid, "A name or a value of this table is no UTF-8 text, and a profile has no other.",
            problem.what(), {} };
    }
}

} // namespace fencepost::profile

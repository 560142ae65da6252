// SPDX-License-Identifier: Apache-2.0
#include "core/store/record_calls.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/protocol/outbound_call.h"
#include "core/store/record_row.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr int namedCalls = 5;

// Names the first ones and counts the rest, so that another call is another text.
class Words {
public:
    void add(const std::string& call)
    {
        if (++m_calls <= namedCalls)
            m_text += (m_text.empty() ? "" : ", ") + call;
    }
    [[nodiscard]] std::string text() const
    {
        return m_calls > namedCalls ? m_text + " and " + std::to_string(m_calls - namedCalls) + " more" : m_text;
    }

private:
    std::string m_text;
    int m_calls = 0;
};

struct FoundCalls {
    Words done;
    Words open;
};

// An effect keeps its key in every attempt of one request; whoever makes keys of another kind is known by the time.
bool isOf(const CallsSought& record, std::string_view key, std::string_view step, Time at)
{
    return !record.requestHash || !record.createdAt || at >= *record.createdAt
        || key == effectKey(record.id, *record.requestHash, step);
}

// vendor, operation, state, ref, call_key, step, created_at from the column `first` on.
void addCall(const NativeRow& row, int first, const CallsSought& record, FoundCalls& into)
{
    if (!isOf(record, row.octets(first + 4), row.octets(first + 5), row.time(first + 6)))
        return;
    auto call = row.shown(first).value_or("") + ' ' + row.shown(first + 1).value_or("");
    if (const auto ref = row.shown(first + 3))
        call += ' ' + *ref;
    (row.octets(first + 2) == wordOf(OutboundState::Done) ? into.done : into.open).add(call);
}

RecordCalls wordsOf(const FoundCalls& found)
{
    return { found.done.text(), found.open.text() };
}

bool isText(const CallsSought& record)
{
    return isUtf8(record.id.scope) && isUtf8(record.id.operation) && isUtf8(record.id.key);
}

// A file is asked record by record, and so is what no list could carry: a key that is no text.
Result<std::vector<RecordCalls>> askEach(Connection& connection, const std::vector<CallsSought>& records)
{
    std::vector<RecordCalls> calls;
    calls.reserve(records.size());
    for (const auto& record : records) {
        FoundCalls found;
        Parameters parameters;
        addKey(parameters, record.id);
        const auto read = connection.native().run(
            sql::record_calls, parameters, [&](const NativeRow& row) { addCall(row, 0, record, found); });
        if (!read)
            return read.error();
        calls.push_back(wordsOf(found));
    }
    return calls;
}

// A server is asked once for all of them.
Result<std::vector<RecordCalls>> askTogether(Connection& connection, const std::vector<CallsSought>& records)
{
    auto list = nlohmann::json::array();
    std::map<RecordId, std::pair<const CallsSought*, FoundCalls>> sought;
    for (const auto& record : records) {
        list.push_back({ record.id.scope, record.id.operation, record.id.key });
        sought[record.id].first = &record;
    }
    const auto text = list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const auto read =
        connection.native().run(sql::records_calls, Parameters().text("records", text), [&](const NativeRow& row) {
            const auto found = sought.find(RecordId{ row.text(0), row.text(1), row.text(2) });
            if (found != sought.end())
                addCall(row, 3, *found->second.first, found->second.second);
        });
    if (!read)
        return read.error();
    std::vector<RecordCalls> calls;
    calls.reserve(records.size());
    for (const auto& record : records)
        calls.push_back(wordsOf(sought[record.id].second));
    return calls;
}

} // namespace

Result<std::vector<RecordCalls>> callsOf(Connection& connection, const std::vector<CallsSought>& records)
{
    if (records.empty())
        return std::vector<RecordCalls>();
    const bool each = connection.dialect() == Dialect::Sqlite || !std::all_of(records.begin(), records.end(), isText);
    return each ? askEach(connection, records) : askTogether(connection, records);
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#include "core/store/record_calls.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

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

struct Gathered {
    Words done;
    Words open;
};

// vendor, operation, state, ref from the column `first` on.
void addCall(const NativeRow& row, int first, Gathered& into)
{
    auto call = row.shown(first).value_or("") + ' ' + row.shown(first + 1).value_or("");
    if (const auto ref = row.shown(first + 3))
        call += ' ' + *ref;
    (row.octets(first + 2) == wordOf(OutboundState::Done) ? into.done : into.open).add(call);
}

RecordCalls wordsOf(const Gathered& gathered)
{
    return { gathered.done.text(), gathered.open.text() };
}

bool isText(const RecordId& record)
{
    return isUtf8(record.scope) && isUtf8(record.operation) && isUtf8(record.key);
}

// A file is asked record by record, and so is what no list could carry: a key that is no text.
Result<std::vector<RecordCalls>> askEach(Connection& connection, const std::vector<RecordId>& records)
{
    std::vector<RecordCalls> calls;
    calls.reserve(records.size());
    for (const auto& record : records) {
        Gathered gathered;
        Parameters parameters;
        addKey(parameters, record);
        const auto read = connection.native().run(
            sql::record_calls, parameters, [&](const NativeRow& row) { addCall(row, 0, gathered); });
        if (!read)
            return read.error();
        calls.push_back(wordsOf(gathered));
    }
    return calls;
}

// A server is asked once for all of them.
Result<std::vector<RecordCalls>> askTogether(Connection& connection, const std::vector<RecordId>& records)
{
    auto list = nlohmann::json::array();
    for (const auto& record : records)
        list.push_back({ record.scope, record.operation, record.key });
    const auto text = list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    std::map<RecordId, Gathered> gathered;
    const auto read =
        connection.native().run(sql::records_calls, Parameters().text("records", text), [&](const NativeRow& row) {
            addCall(row, 3, gathered[RecordId{ row.text(0), row.text(1), row.text(2) }]);
        });
    if (!read)
        return read.error();
    std::vector<RecordCalls> calls;
    calls.reserve(records.size());
    for (const auto& record : records) {
        const auto found = gathered.find(record);
        calls.push_back(found == gathered.end() ? RecordCalls() : wordsOf(found->second));
    }
    return calls;
}

} // namespace

Result<std::vector<RecordCalls>> callsOf(Connection& connection, const std::vector<RecordId>& records)
{
    if (records.empty())
        return std::vector<RecordCalls>();
    const bool each = connection.dialect() == Dialect::Sqlite || !std::all_of(records.begin(), records.end(), isText);
    return each ? askEach(connection, records) : askTogether(connection, records);
}

} // namespace fencepost::store

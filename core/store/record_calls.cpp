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

// vendor, operation, state, ref, call_key, step, fence, created_at, expires_at, began and concluded of the key's life,
// and now, from the column `first` on.
Status addCall(const NativeRow& row, int first, const CallsSought& sought, FoundCalls& into)
{
    int column = first;
    OutboundCall call;
    call.id.vendor = row.shown(column++).value_or("");
    call.id.operation = row.shown(column++).value_or("");
    const auto state = outboundStateOf(row.octets(column++));
    if (!state)
        return Error{ Failure::Corrupt, "A call holds a state that no call can have", row.text(column - 1) };
    call.state = *state;
    const auto ref = row.shown(column++);
    call.id.key = row.text(column++);
    call.step = row.text(column++);
    call.fence = { row.integer(column++) };
    call.createdAt = row.time(column++);
    call.expiresAt = row.time(column++);
    std::optional<KeyLife> life;
    if (const auto began = row.optionalInteger(column++))
        life = KeyLife{ Fence{ *began } };
    if (const auto concluded = row.optionalInteger(column++); concluded && life)
        life->concluded = Fence{ *concluded };
    if (sought.requestHash && sought.startedAt) {
        Record record;
        record.id = sought.id;
        record.requestHash = *sought.requestHash;
        record.startedAt = *sought.startedAt;
        record.attempt = sought.attempt;
        if (!isCallOf(call, record, row.time(column), life))
            return {};
    }
    (isOpen(call) ? into.open : into.done).add(call.id.vendor + ' ' + call.id.operation + (ref ? ' ' + *ref : ""));
    return {};
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
Result<std::vector<RecordCalls>> askEach(
    Connection& connection, const std::vector<CallsSought>& records, const std::optional<Time>& now)
{
    std::vector<RecordCalls> calls;
    calls.reserve(records.size());
    for (const auto& record : records) {
        FoundCalls found;
        Parameters parameters;
        addKey(parameters, record.id).time("now", now);
        Status fine;
        const auto read = connection.native().run(sql::record_calls, parameters, [&](const NativeRow& row) {
            if (fine)
                fine = addCall(row, 0, record, found);
        });
        if (!read || !fine)
            return read ? fine.error() : read.error();
        calls.push_back(wordsOf(found));
    }
    return calls;
}

// A server is asked once for all of them.
Result<std::vector<RecordCalls>> askTogether(
    Connection& connection, const std::vector<CallsSought>& records, const std::optional<Time>& now)
{
    auto list = nlohmann::json::array();
    std::map<RecordId, std::pair<const CallsSought*, FoundCalls>> sought;
    for (const auto& record : records) {
        list.push_back({ record.id.scope, record.id.operation, record.id.key });
        sought[record.id].first = &record;
    }
    const auto text = list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    Status fine;
    const auto read = connection.native().run(
        sql::records_calls, Parameters().text("records", text).time("now", now), [&](const NativeRow& row) {
            const auto found = sought.find(RecordId{ row.text(0), row.text(1), row.text(2) });
            if (fine && found != sought.end())
                fine = addCall(row, 3, *found->second.first, found->second.second);
        });
    if (!read || !fine)
        return read ? fine.error() : read.error();
    std::vector<RecordCalls> calls;
    calls.reserve(records.size());
    for (const auto& record : records)
        calls.push_back(wordsOf(sought[record.id].second));
    return calls;
}

} // namespace

Result<std::vector<RecordCalls>> callsOf(
    Connection& connection, const std::vector<CallsSought>& records, const std::optional<Time>& now)
{
    if (records.empty())
        return std::vector<RecordCalls>();
    const bool each = connection.dialect() == Dialect::Sqlite || !std::all_of(records.begin(), records.end(), isText);
    return each ? askEach(connection, records, now) : askTogether(connection, records, now);
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#include "core/store/record_calls.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/protocol/outbound_call.h"
#include "core/store/journal.h"
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

struct FoundCall {
    OutboundCall call;
    std::string words;
    Time now;
};

// vendor, operation, state, ref, call_key, step, fence, created_at, expires_at, error_code and now, from the column
// `first` on.
Status addCall(const NativeRow& row, int first, std::vector<FoundCall>& into)
{
    int column = first;
    OutboundCall call;
    auto words = row.shown(column).value_or("") + ' ' + row.shown(column + 1).value_or("");
    call.id.vendor = row.text(column++);
    call.id.operation = row.text(column++);
    const auto state = outboundStateOf(row.octets(column++));
    if (!state)
        return Error{ Failure::Corrupt, "A call holds a state that no call can have", row.text(column - 1) };
    call.state = *state;
    if (const auto ref = row.shown(column++))
        words += ' ' + *ref;
    call.id.key = row.text(column++);
    call.step = row.text(column++);
    call.fence = { row.integer(column++) };
    call.createdAt = row.time(column++);
    call.expiresAt = row.time(column++);
    call.result.errorCode = row.optionalText(column++);
    into.push_back({ std::move(call), std::move(words), row.time(column) });
    return {};
}

bool isOf(const CallsSought& sought, const FoundCall& found, const KeyLives& lives)
{
    if (!sought.requestHash || !sought.startedAt)
        return true;
    Record record;
    record.id = sought.id;
    record.requestHash = *sought.requestHash;
    record.startedAt = *sought.startedAt;
    record.attempt = sought.attempt;
    return isCallOf(found.call, record, found.now, lives);
}

RecordCalls wordsOf(const CallsSought& sought, const std::vector<FoundCall>& found, const KeyLives& lives)
{
    Words done;
    Words open;
    RecordCalls calls;
    for (const auto& each : found) {
        if (!isOf(sought, each, lives))
            continue;
        (isOpen(each.call) ? open : done).add(each.words);
        if (!isOpen(each.call))
            calls.doneCalls.push_back({ each.call.id, each.call.step });
    }
    calls.done = done.text();
    calls.open = open.text();
    return calls;
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
        std::vector<FoundCall> found;
        Parameters parameters;
        addKey(parameters, record.id).time("now", now);
        Status fine;
        const auto read = connection.native().run(sql::record_calls, parameters, [&](const NativeRow& row) {
            if (fine)
                fine = addCall(row, 0, found);
        });
        if (!read || !fine)
            return read ? fine.error() : read.error();
        const auto lives = found.empty() ? Result<KeyLives>(KeyLives()) : livesOf(connection, record.id);
        if (!lives)
            return lives.error();
        calls.push_back(wordsOf(record, found, *lives));
    }
    return calls;
}

constexpr int keyColumns = 3;

RecordId idFrom(const NativeRow& row)
{
    return { row.text(0), row.text(1), row.text(2) };
}

std::string listOf(const std::map<RecordId, std::vector<FoundCall>>& records)
{
    auto list = nlohmann::json::array();
    for (const auto& [id, calls] : records)
        list.push_back({ id.scope, id.operation, id.key });
    return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Of those that have calls.
Result<std::map<RecordId, LivesOfJournal>> livesOfAll(
    Connection& connection, std::map<RecordId, std::vector<FoundCall>> records)
{
    std::erase_if(records, [](const auto& record) { return record.second.empty(); });
    std::map<RecordId, LivesOfJournal> lives;
    if (records.empty())
        return lives;
    const auto read = connection.native().run(sql::records_lives, Parameters().text("records", listOf(records)),
        [&](const NativeRow& row) { addToLives(row, keyColumns, lives[idFrom(row)]); });
    return read ? Result<std::map<RecordId, LivesOfJournal>>(std::move(lives)) : read.error();
}

// A server is asked for all of them at once.
Result<std::vector<RecordCalls>> askTogether(
    Connection& connection, const std::vector<CallsSought>& records, const std::optional<Time>& now)
{
    std::map<RecordId, std::vector<FoundCall>> found;
    for (const auto& record : records)
        found[record.id];
    Status fine;
    const auto read = connection.native().run(
        sql::records_calls, Parameters().text("records", listOf(found)).time("now", now), [&](const NativeRow& row) {
            if (const auto known = found.find(idFrom(row)); fine && known != found.end())
                fine = addCall(row, keyColumns, known->second);
        });
    if (!read || !fine)
        return read ? fine.error() : read.error();
    const auto lives = livesOfAll(connection, found);
    if (!lives)
        return lives.error();
    std::vector<RecordCalls> calls;
    calls.reserve(records.size());
    for (const auto& record : records) {
        const auto known = lives->find(record.id);
        calls.push_back(wordsOf(record, found[record.id], known == lives->end() ? KeyLives() : known->second.lives()));
    }
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

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/store/in_transaction.h"
#include "core/store/reservation.h"
#include "core/store/sql_store.h"
#include "core/store/statements.h"
#include "core/store/worker.h"

namespace fencepost::store {

namespace {

// Operations per commit: more would keep other writers waiting for these records.
constexpr std::size_t recordsPerCommit = 64;

// In the order of their keys, so that two batches cannot wait for each other.
template <typename Item, typename IdOf> std::vector<std::size_t> sorted(const std::vector<Item>& items, IdOf idOf)
{
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
        [&](std::size_t left, std::size_t right) { return idOf(items[left]) < idOf(items[right]); });
    return order;
}

// Larger bodies would only travel longer as text.
constexpr std::size_t mostOctetsTogether = 1'000'000;

nlohmann::json jsonOf(const Parameters::Entry& entry)
{
    if (entry.null)
        return nullptr;
    switch (entry.kind) {
    case Parameters::Kind::Text:
        return std::string(entry.octets);
    case Parameters::Kind::Octets:
        return toHex(entry.octets);
    case Parameters::Kind::Integer:
    case Parameters::Kind::Time:
        return entry.integer;
    case Parameters::Kind::Boolean:
        return entry.integer != 0;
    }
    return nullptr;
}

// The values of all calls as rows; none: they cannot be rows of one statement.
std::optional<std::string> rowsOf(const std::vector<RecordId>& ids, const std::vector<NativeCall>& calls)
{
    // They are in the order of their keys.
    if (calls.size() < 2 || std::adjacent_find(ids.begin(), ids.end()) != ids.end())
        return std::nullopt;
    std::size_t octets = 0;
    auto rows = nlohmann::json::array();
    for (const auto& call : calls) {
        auto& row = rows.emplace_back(nlohmann::json::object());
        for (const auto& entry : call.parameters.entries()) {
            octets += entry.octets.size();
            const bool text = entry.kind == Parameters::Kind::Text;
            if (octets > mostOctetsTogether || (text && !isUtf8(entry.octets)))
                return std::nullopt;
            row[std::string(entry.name)] = jsonOf(entry);
        }
    }
    return rows.dump();
}

// Nothing of it can be tried again one by one.
bool endsAll(const Error& error, const Connection& connection)
{
    return error.failure == Failure::InDoubt || error.failure == Failure::Cancelled || error.failure == Failure::Full
        || !connection.isOpen();
}

} // namespace

// Runs `inOneCommit` over chunks of `order`. Where a chunk fails as a whole, each of its elements is tried on its own,
// so that one malformed element does not take the others with it.
template <typename T>
Result<std::vector<Result<T>>> SqlStore::inChunks(const std::vector<std::size_t>& order,
    const std::function<Status(const std::vector<std::size_t>& chunk, std::vector<Result<T>>& results)>& inOneCommit,
    const std::function<Result<T>(std::size_t index)>& alone)
{
    std::vector<Result<T>> results(order.size(), Error{ Failure::Unavailable, "It was not tried", {} });
    for (std::size_t begin = 0; begin < order.size(); begin += recordsPerCommit) {
        const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = order.begin() + static_cast<std::ptrdiff_t>(std::min(begin + recordsPerCommit, order.size()));
        const std::vector<std::size_t> chunk(first, last);
        const auto done = inOneCommit(chunk, results);
        if (done)
            continue;
        const bool over = endsAll(done.error(), m_connection) || m_connection.inTransaction();
        for (const auto index : chunk)
            results[index] = over ? Result<T>(done.error()) : alone(index);
        if (over && !m_connection.isOpen())
            break;
    }
    return results;
}

Result<std::vector<Result<Reserved>>> SqlStore::reserveAll(const std::vector<Reservation>& reservations)
{
    const auto order = sorted(reservations, [](const Reservation& reservation) { return reservation.id; });
    const auto alone = [&](std::size_t index) { return reserve(reservations[index]); };
    const auto inSqlite = [&](const std::vector<std::size_t>& chunk, std::vector<Result<Reserved>>& results) {
        return together([&]() -> Status {
            for (const auto index : chunk) {
                results[index] = reserve(reservations[index]);
                if (!results[index])
                    return results[index].error();
            }
            return {};
        });
    };
    const auto inPostgres = [&](const std::vector<std::size_t>& chunk,
                                std::vector<Result<Reserved>>& results) -> Status {
        std::vector<NativeCall> calls;
        std::vector<std::optional<std::string>> headers(chunk.size());
        for (std::size_t place = 0; place < chunk.size(); ++place) {
            const auto& reservation = reservations[chunk[place]];
            if (const auto checked = check(reservation); !checked)
                return checked.error();
            headers[place] = requestHeadersText(reservation);
            calls.push_back(
                { headers[place] ? &sql::reserve_keeping : &sql::reserve, parametersOf(reservation, bound()) });
            if (headers[place])
                calls.back().parameters.text("request_headers", headers[place]);
        }
        std::vector<RecordId> ids;
        for (const auto index : chunk)
            ids.push_back(reservations[index].id);
        const bool plain = std::none_of(headers.begin(), headers.end(), [](const auto& kept) { return kept; });
        auto met = plain ? meetTogether(sql::reserve_all, "wishes", ids, calls) : meetAll(calls);
        if (!met)
            return met.error();
        for (std::size_t place = 0; place < chunk.size(); ++place) {
            const auto index = chunk[place];
            auto reserved = reservedFrom(reservations[index], std::move((*met)[place]));
            if (!reserved)
                results[index] = reserved.error();
            else
                results[index] = *reserved ? Result<Reserved>(std::move(**reserved)) : reserve(reservations[index]);
        }
        return {};
    };
    if (isSqlite())
        return inChunks<Reserved>(order, inSqlite, alone);
    return inChunks<Reserved>(order, inPostgres, alone);
}

Result<std::vector<Result<Applied>>> SqlStore::finalizeAll(const std::vector<std::pair<Claim, Completion>>& completions)
{
    const auto order = sorted(completions, [](const auto& completion) { return completion.first.id; });
    const auto alone = [&](std::size_t index) { return finalize(completions[index].first, completions[index].second); };
    const auto inSqlite = [&](const std::vector<std::size_t>& chunk, std::vector<Result<Applied>>& results) {
        return together([&]() -> Status {
            for (const auto index : chunk) {
                results[index] = alone(index);
                if (!results[index])
                    return results[index].error();
            }
            return {};
        });
    };
    const auto inPostgres = [&](const std::vector<std::size_t>& chunk,
                                std::vector<Result<Applied>>& results) -> Status {
        std::vector<CompletionColumns> columns;
        columns.reserve(chunk.size());
        std::vector<NativeCall> calls;
        for (const auto index : chunk) {
            const auto& [claim, completion] = completions[index];
            if (const auto checked = check(claim); !checked)
                return checked.error();
            if (const auto checked = checkSpan(completion.ttl); !checked)
                return checked.error();
            columns.emplace_back(completion);
            auto parameters = parametersOf(claim, bound());
            columns.back().addTo(parameters, State::Succeeded, Event::Finalize, finalizedReason);
            calls.push_back({ &sql::complete, std::move(parameters) });
        }
        std::vector<RecordId> ids;
        for (const auto index : chunk)
            ids.push_back(completions[index].first.id);
        auto met = meetTogether(sql::complete_all, "completions", ids, calls);
        if (!met)
            return met.error();
        for (std::size_t place = 0; place < chunk.size(); ++place) {
            auto& one = (*met)[place];
            results[chunk[place]] = one.won
                ? Result<Applied>(Applied{ Outcome::Applied, finalizedReason, std::move(one.record), one.now })
                : alone(chunk[place]);
        }
        return {};
    };
    if (isSqlite())
        return inChunks<Applied>(order, inSqlite, alone);
    return inChunks<Applied>(order, inPostgres, alone);
}

Result<std::vector<SqlStore::Met>> SqlStore::meetTogether(
    const NamedSql& sql, std::string_view name, const std::vector<RecordId>& ids, const std::vector<NativeCall>& calls)
{
    const auto rows = rowsOf(ids, calls);
    if (!rows)
        return meetAll(calls);
    Parameters parameters;
    parameters.text(name, *rows).time("now", bound()).text("reason", finalizedReason);
    std::vector<Met> met;
    Status read;
    const auto done = retrying(transactionAttempts, [&]() -> Status {
        met.assign(calls.size(), {});
        read = {};
        const auto run = m_connection.native().runPlanned(sql, parameters, [&](const NativeRow& row) {
            Met one;
            if (const auto decoded = readMet(row, one); !decoded) {
                read = decoded;
                return;
            }
            const auto place = std::lower_bound(ids.begin(), ids.end(), one.record->id);
            if (place != ids.end() && *place == one.record->id)
                met[static_cast<std::size_t>(place - ids.begin())] = std::move(one);
        });
        return run ? Status() : Status(run.error());
    });
    if (!done)
        return done.error();
    if (!read)
        return read.error();
    return met;
}

Result<std::vector<SqlStore::Met>> SqlStore::meetAll(const std::vector<NativeCall>& calls)
{
    std::vector<Met> met;
    Status read;
    const auto done = retrying(transactionAttempts, [&] {
        met.assign(calls.size(), {});
        return m_connection.native().runAll(calls, [&](std::size_t index, const NativeRow& row) {
            if (const auto one = readMet(row, met[index]); !one)
                read = one;
        });
    });
    if (!done)
        return done.error();
    if (!read)
        return read.error();
    return met;
}

} // namespace fencepost::store

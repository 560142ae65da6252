// SPDX-License-Identifier: Apache-2.0
#include "core/store/letter_verdicts.h"

#include <nlohmann/json.hpp>

#include "core/messaging/outbox.h"
#include "core/store/message_row.h"
#include "core/store/native.h"
#include "core/store/schema.h"
#include "core/store/statements.h"
#include "core/without_credentials.h"

namespace fencepost::store {

namespace {

struct LetterEvidence : ReplayEvidence {
    std::optional<std::string> disabledBecause; // its destination, to which no relay sends then
};

using Gathered = std::map<std::string, LetterEvidence>;

Error impossible(const std::string& what, const std::string& id)
{
    return { Failure::Corrupt, what + " of the dead letter " + id + " holds a value that none can have", {} };
}

Status addLetter(const NativeRow& row, Gathered& gathered)
{
    const auto id = row.text(0);
    const auto kind = deadLetterKindOf(row.octets(1));
    if (!kind)
        return impossible("The row", id);
    auto& evidence = gathered[id];
    evidence.kind = *kind;
    evidence.hasDestination = !row.octets(2).empty();
    evidence.hasPayload = row.integer(3) != 0;
    for (const auto& attempt : attemptsOrDoubt(row.octets(4)))
        evidence.codes.push_back(attempt.code);
    evidence.disabledBecause = row.optionalText(5);
    evidence.elsewhere = row.integer(6) != 0;
    evidence.idFits = !whyNoIdThere(row.octets(7), row.octets(2));
    evidence.edited = row.optionalText(8).value_or("");
    return {};
}

Status addInbox(const NativeRow& row, Gathered& gathered)
{
    const auto state = inboxStateOf(row.octets(2));
    if (!state)
        return impossible("The inbox", row.text(0));
    auto& evidence = gathered[row.text(0)];
    const bool own = row.integer(5) != 0;
    (own ? evidence.inbox : evidence.others)
        .push_back({ row.text(1), *state, row.integer(3) != 0, row.integer(4) != 0 });
    return {};
}

Status addOutbox(const NativeRow& row, Gathered& gathered)
{
    auto& evidence = gathered[row.text(0)];
    evidence.hasPayload = true;
    evidence.beingSent = row.integer(1) != 0;
    evidence.behind = row.optionalText(2).value_or("");
    return {};
}

Status addRecord(const NativeRow& row, Gathered& gathered)
{
    const auto status = stateOf(row.octets(2));
    if (!status)
        return impossible("The record", row.text(0));
    gathered[row.text(0)].records.push_back({ row.text(1), *status, row.integer(3) != 0, row.integer(4) != 0,
        row.integer(5) != 0, row.integer(6) != 0, row.integer(7) != 0, row.integer(8) != 0 });
    return {};
}

std::string idList(const std::vector<std::string>& ids)
{
    return nlohmann::json(ids).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

struct Source {
    const NamedSql& sql;
    bool timed;
    Status (*add)(const NativeRow& row, Gathered& gathered);
};

} // namespace

Result<std::map<std::string, JudgedReplay>> judgeLetters(
    Connection& connection, const std::vector<std::string>& ids, const std::optional<Time>& now)
{
    std::map<std::string, JudgedReplay> verdicts;
    if (ids.empty())
        return verdicts;
    const auto list = idList(ids);
    const Source sources[] = { { sql::letters_judged, false, addLetter }, { sql::letters_inbox, true, addInbox },
        { sql::letters_outbox, true, addOutbox }, { sql::letters_records, true, addRecord } };
    Gathered gathered;
    for (const auto& source : sources) {
        Status fine;
        Parameters parameters;
        parameters.text("ids", list);
        if (source.timed)
            parameters.time("now", now);
        const auto read = connection.native().run(source.sql, parameters, [&](const NativeRow& row) {
            if (fine)
                fine = source.add(row, gathered);
        });
        if (!read)
            return read.error();
        if (!fine)
            return fine.error();
    }
    for (const auto& [id, evidence] : gathered) {
        auto& judged = verdicts.emplace(id, judgeReplay(evidence)).first->second;
        if (evidence.disabledBecause)
            judged.reason += "; its destination is disabled (" + withoutCredentials(*evidence.disabledBecause)
                + "), so that it waits there until `fencepostctl relay enable`";
    }
    return verdicts;
}

Result<std::map<std::string, std::string>> overtakenLetters(Connection& connection, const std::vector<std::string>& ids)
{
    std::map<std::string, std::string> overtaken;
    const auto schema = schemaStatus(connection);
    if (!schema && schema.error().failure != Failure::Denied)
        return schema.error();
    if (ids.empty() || !schema || schema->version.value_or(0) < schemaOfSentInOrder)
        return overtaken;
    const auto list = idList(ids);
    const auto read =
        connection.native().run(sql::letters_overtaken, Parameters().text("ids", list), [&](const NativeRow& row) {
            if (auto by = row.optionalText(1))
                overtaken.emplace(row.text(0), std::move(*by));
        });
    if (!read)
        return read.error();
    return overtaken;
}

} // namespace fencepost::store

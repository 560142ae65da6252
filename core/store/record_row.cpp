// SPDX-License-Identifier: Apache-2.0
#include "core/store/record_row.h"

#include <array>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/redaction.h"

namespace fencepost::store {

namespace {

// A fence above it was written by nobody of ours, and the counter cannot be brought beyond it without coming to its
// end. The reaper leaves such a record where it is.
constexpr std::int64_t largestFence = 9'000'000'000'000'000'000;

Error corrupt(std::string what)
{
    return { Failure::Corrupt, "A record holds a value that no record can have", std::move(what) };
}

Result<std::string> octets(const std::string& part)
{
    if (part.substr(0, 2) != "\\x")
        return part;
    return fromHex(std::string_view(part).substr(2));
}

bool fitsCount(std::int64_t value)
{
    return value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
}

} // namespace

std::string headersText(const Headers& headers)
{
    auto pairs = nlohmann::json::array();
    for (const auto& [name, value] : headers) {
        if (isUtf8(name) && isUtf8(value))
            pairs.push_back({ name, value });
        else
            pairs.push_back({ nullptr, toHex(name), toHex(value) });
    }
    return pairs.dump();
}

Result<Headers> headersFrom(std::string_view text, std::string_view column)
{
    // A redacted copy tells none.
    if (isMark(text))
        return Headers();
    const auto pairs = nlohmann::json::parse(text, nullptr, false);
    if (!pairs.is_array())
        return corrupt(std::string(column));
    Headers headers;
    for (const auto& pair : pairs) {
        const bool plain = pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string();
        const bool coded =
            pair.is_array() && pair.size() == 3 && pair[0].is_null() && pair[1].is_string() && pair[2].is_string();
        if (plain) {
            headers.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
            continue;
        }
        const auto name = coded ? fromHex(pair[1].get<std::string>()) : Result<Bytes>(corrupt(std::string(column)));
        const auto value = coded ? fromHex(pair[2].get<std::string>()) : Result<Bytes>(corrupt(std::string(column)));
        if (!name || !value)
            return corrupt(std::string(column));
        headers.emplace_back(*name, *value);
    }
    return headers;
}

Result<Record> recordFrom(const NativeRow& row, int first)
{
    int column = first;
    Record record;
    record.id = { row.text(column), row.text(column + 1), row.text(column + 2) };
    column += 3;
    record.requestHash = row.text(column++);
    record.fingerprintAlg = row.text(column++);
    record.payloadHash = row.optionalText(column++);
    const auto status = stateOf(row.octets(column++));
    if (!status || !isStored(*status))
        return corrupt("status");
    record.status = *status;
    record.owner = { row.text(column++) };
    record.fence = { row.integer(column++) };
    if (record.fence.value > largestFence)
        return corrupt("fence " + std::to_string(record.fence.value));
    const auto attempt = row.integer(column++);
    if (!fitsCount(attempt))
        return corrupt("attempt " + std::to_string(attempt));
    record.attempt = static_cast<int>(attempt);
    record.leaseExpiresAt = row.optionalTime(column++);
    record.notBefore = row.optionalTime(column++);
    record.hold = row.integer(column++) != 0;
    record.holdReason = row.optionalText(column++);
    record.holdBy = row.optionalText(column++);
    record.recoveryPoint = row.text(column++);
    record.recoveryData = row.optionalText(column++);
    if (const auto code = row.optionalInteger(column++)) {
        if (!fitsCount(*code))
            return corrupt("response_code " + std::to_string(*code));
        record.response.code = static_cast<int>(*code);
    }
    if (!row.isNull(column)) {
        auto headers = headersFrom(row.octets(column), "response_headers");
        if (!headers)
            return headers.error();
        record.response.headers = std::move(*headers);
    }
    ++column;
    record.response.body = row.optionalText(column++);
    record.response.bodyDigest = row.optionalText(column++);
    record.response.truncated = row.integer(column++) != 0;
    record.response.refType = row.optionalText(column++);
    record.response.refId = row.optionalText(column++);
    record.errorCode = row.optionalText(column++);
    record.providerRequestId = row.optionalText(column++);
    record.correlationId = row.optionalText(column++);
    record.requestMethod = row.optionalText(column++);
    record.requestTarget = row.optionalText(column++);
    record.requestBody = row.optionalText(column++);
    record.firstSentAt = row.optionalTime(column++);
    record.createdAt = row.time(column++);
    record.startedAt = row.time(column++);
    record.updatedAt = row.time(column++);
    record.completedAt = row.optionalTime(column++);
    record.expiresAt = row.time(column++);
    const auto takeover = takeoverOf(row.octets(column++));
    if (!takeover)
        return corrupt("takeover_policy");
    record.takeover = *takeover;
    const auto most = row.integer(column++);
    if (!fitsCount(most))
        return corrupt("max_attempts " + std::to_string(most));
    record.maxAttempts = static_cast<int>(most);
    record.tombstoneUntil = row.optionalTime(column++);
    return record;
}

JournalEntry transitionFrom(const NativeRow& row)
{
    return { .seq = row.integer(0),
        .id = { row.text(1), row.text(2), row.text(3) },
        .fromState = row.text(4),
        .toState = row.text(5),
        .event = row.text(6),
        .fence = { row.integer(7) },
        .attempt = row.number(8),
        .owner = row.text(9),
        .actor = row.text(10),
        .reason = row.text(11),
        .at = row.time(12) };
}

Bytes presentedHashFrom(Bytes stored)
{
    constexpr std::size_t hashSize = 32;
    return stored.size() == hashSize || isMark(stored) ? std::move(stored) : Bytes();
}

Conflict conflictFrom(const NativeRow& row)
{
    return { .id = { row.text(0), row.text(1), row.text(2) },
        .presentedHash = presentedHashFrom(row.text(3)),
        .kind = row.text(4),
        .principal = row.text(5),
        .count = row.integer(6),
        .firstAt = row.time(7),
        .lastAt = row.time(8) };
}

Result<RecordId> recordIdOf(const std::vector<std::string>& identity)
{
    if (identity.size() != 3)
        return invalid("A record is named by scope, operation and key");
    std::array<std::string, 3> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        auto part = octets(identity[i]);
        if (!part)
            return part.error();
        parts[i] = std::move(*part);
    }
    return RecordId{ parts[0], parts[1], parts[2] };
}

Parameters& addKey(Parameters& parameters, const RecordId& id)
{
    return parameters.text("scope", id.scope).text("operation", id.operation).text("key", id.key);
}

ResponseColumns::ResponseColumns(const Response& response)
    : m_response(response)
{
    if (!response.headers.empty())
        m_headers = headersText(response.headers);
}

void ResponseColumns::addTo(Parameters& parameters) const
{
    parameters.integer("response_code", m_response.code)
        .text("response_headers", m_headers)
        .octets("response_body", m_response.body)
        .octets("response_body_digest", m_response.bodyDigest)
        .boolean("response_truncated", m_response.truncated)
        .text("response_ref_type", m_response.refType)
        .text("response_ref_id", m_response.refId);
}

} // namespace fencepost::store

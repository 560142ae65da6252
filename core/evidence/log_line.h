// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/protocol/record.h"

namespace fencepost {

// Stands for a scope, an operation or a consumer that no line tells.
inline constexpr std::string_view untold = "unknown";

// What one line of a log tells of a key (protocol §3.10). What it does not tell is absent.
struct LogLine {
    Time at;
    RecordId id; // scope and operation are `untold` where the log does not tell them
    bool hashedKey = false; // the key is "sha256:" and the hash that the log has in its place
    std::optional<std::string> event;
    std::optional<State> status; // stored afterwards
    std::optional<State> from;
    std::optional<State> to;
    std::optional<std::string> outcome;
    std::optional<Bytes> payloadHash; // 32 octets
    bool withoutOffset = false; // its time, which is taken for UTC
    bool otherHash = false; // the log has something else in its place, and this is the SHA-256 of that
    std::optional<Bytes> requestHash; // 32 octets: what other requests of the key are compared with
    std::optional<std::int64_t> attempt;
    std::optional<std::int64_t> fence;
    std::optional<std::string> owner;
    std::optional<std::string> errorCode;
    std::optional<std::string> correlationId;
    std::optional<int> responseCode; // stored with the record
    std::optional<std::string> resultId; // the same
    std::optional<std::string> note; // what no other member has a place for

    bool operator==(const LogLine&) const = default;
};

// A JSON object with the members of the observability contract in any order, on top or within "fields" or "attributes";
// others are passed over. Invalid: why it is not understood; the message has nothing of the line in it.
[[nodiscard]] Result<LogLine> parseLogLine(std::string_view line);

// The hash of a payload as a log has it: 64 hexadecimal digits, also behind "sha256:"; of anything else, its SHA-256.
void takePayloadHash(const std::string& hash, LogLine& line);

} // namespace fencepost

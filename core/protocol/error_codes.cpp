// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/error_codes.h"

#include <algorithm>

namespace fencepost {

namespace {

using enum ErrorCategory;

// The eight rows of the playbook keep its words in `meaning` and `hint`.
constexpr std::array errorTable = {
    ErrorCode{ "missing_idempotency_key", Validation, 400, RetryAdvice::Never, "The key is missing",
        "Send an Idempotency-Key" },
    ErrorCode{ "VALIDATION.idempotency_key", Validation, 400, RetryAdvice::Never, "The key is malformed",
        "Send one key of 1 to 128 printable characters" },
    ErrorCode{ "VALIDATION.body_not_ijson", Validation, 400, RetryAdvice::Never, "The body is no I-JSON",
        "Send JSON without duplicate members, lone surrogates or numbers out of range" },
    ErrorCode{ "VALIDATION.*", Validation, 400, RetryAdvice::Never, "Client input invalid", "Fix input" },
    ErrorCode{ "AUTH.*", Authorization, 401, RetryAdvice::Never, "Auth/authz failed", "Re-auth or permission" },
    ErrorCode{ "CONFLICT.idempotency.payload_mismatch", Conflict, 409, RetryAdvice::Never,
        "Key reused with different payload", "Generate new key",
        { "idempotency.payload_mismatch", "idempotency_key_payload_mismatch" } },
    ErrorCode{ "idempotency.in_progress", InFlight, 409, RetryAdvice::SameKey,
        "A request with this key is still processing", "Wait & retry with the same key" },
    ErrorCode{ "idempotency.outcome_unknown", InFlight, 409, RetryAdvice::SameKeySlowly,
        "Nobody knows yet whether it happened", "Wait for it to be resolved, then retry with the same key" },
    ErrorCode{ "idempotency.fenced", InFlight, 409, RetryAdvice::SameKey, "Somebody else took the operation over",
        "Retry with the same key to get its outcome" },
    ErrorCode{ "idempotency.key_expired", Conflict, 409, RetryAdvice::Never, "The key is older than what is remembered",
        "Verify the outcome before you use a new key" },
    ErrorCode{ "idempotency.response_unavailable", Conflict, 409, RetryAdvice::Never,
        "It is done, and its response was not kept", "Follow the reference to the result" },
    ErrorCode{ "RATE_LIMIT.exceeded", RateLimit, 429, RetryAdvice::AfterWait, "Too many requests", "Wait & retry" },
    ErrorCode{ "DEPENDENCY.timeout", Dependency, 504, RetryAdvice::Backoff, "A dependency did not answer in time",
        "Retry with backoff" },
    ErrorCode{
        "DEPENDENCY.unavailable", Dependency, 503, RetryAdvice::Backoff, "A dependency is unavailable", "Retry" },
    ErrorCode{ "TRANSIENT.*", Transient, 503, RetryAdvice::Backoff, "Unknown transient", "Retry" },
    ErrorCode{
        "PROVIDER.duplicate", Provider, 409, RetryAdvice::AlreadyDone, "Provider replay", "Surface existing result" },
    ErrorCode{ "inbox.payload_conflict", Delivery, std::nullopt, RetryAdvice::Never,
        "An event came again with another payload", "Look at both payloads in the dead letters" },
    ErrorCode{ "outbox.dead_letter", Delivery, std::nullopt, RetryAdvice::Never, "An event was given up",
        "Mend the cause, then redrive it" },
    ErrorCode{ "INTERNAL.uncaught", Internal, 500, RetryAdvice::SameKey, "The server failed without a word",
        "Retry with the same key; verify the outcome before you use a new one" },
};

bool isFamilyOf(std::string_view family, std::string_view wire)
{
    if (!family.ends_with(".*"))
        return false;
    const auto prefix = family.substr(0, family.size() - 1);
    return wire.size() > prefix.size() && wire.starts_with(prefix);
}

bool names(const ErrorCode& row, std::string_view wire)
{
    return row.code == wire || std::find(row.aliases.begin(), row.aliases.end(), wire) != row.aliases.end();
}

struct StatusCode {
    int status;
    std::string_view code;
};
constexpr std::array statusCodes = {
    StatusCode{ 401, "AUTH.*" },
    StatusCode{ 403, "AUTH.*" },
    StatusCode{ 407, "AUTH.*" },
    StatusCode{ 429, "RATE_LIMIT.exceeded" },
    StatusCode{ 503, "DEPENDENCY.unavailable" },
    StatusCode{ 504, "DEPENDENCY.timeout" },
};

} // namespace

std::string_view wordOf(ErrorCategory category) noexcept
{
    using enum ErrorCategory;
    switch (category) {
    case Validation:
        return "validation";
    case Authorization:
        return "authorization";
    case Conflict:
        return "conflict";
    case InFlight:
        return "in_flight";
    case RateLimit:
        return "rate_limit";
    case Dependency:
        return "dependency";
    case Transient:
        return "transient";
    case Provider:
        return "provider";
    case Delivery:
        return "delivery";
    case Internal:
        return "internal";
    }
    return "";
}

std::string_view wordOf(RetryAdvice advice) noexcept
{
    switch (advice) {
    case RetryAdvice::Never:
        return "never";
    case RetryAdvice::AlreadyDone:
        return "already_done";
    case RetryAdvice::Backoff:
        return "backoff";
    case RetryAdvice::AfterWait:
        return "after_wait";
    case RetryAdvice::SameKey:
        return "same_key";
    case RetryAdvice::SameKeySlowly:
        return "same_key_slowly";
    }
    return "";
}

bool repeatable(RetryAdvice advice) noexcept
{
    return advice != RetryAdvice::Never && advice != RetryAdvice::AlreadyDone;
}

std::span<const ErrorCode> errorCodes() noexcept
{
    return errorTable;
}

const ErrorCode* findErrorCode(std::string_view wire) noexcept
{
    if (wire.empty())
        return nullptr;
    for (const auto& row : errorTable)
        if (names(row, wire))
            return &row;
    for (const auto& row : errorTable)
        if (isFamilyOf(row.code, wire))
            return &row;
    return nullptr;
}

const ErrorCode* errorCodeOfStatus(int status) noexcept
{
    if (status < 400 || status > 599)
        return nullptr;
    for (const auto& entry : statusCodes)
        if (entry.status == status)
            return findErrorCode(entry.code);
    return findErrorCode(status < 500 ? "VALIDATION.*" : "TRANSIENT.*");
}

} // namespace fencepost

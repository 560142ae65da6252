// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace fencepost {

enum class ErrorCategory {
    Validation, // the request is wrong
    Authorization,
    Conflict, // the key belongs to something else, or to the past
    InFlight, // the key's operation is not settled yet
    RateLimit,
    Dependency, // somebody behind the server
    Transient,
    Provider, // the other side knows the operation already
    Delivery, // of an event, not of a request
    Internal,
};

[[nodiscard]] std::string_view wordOf(ErrorCategory category) noexcept; // "validation", "authorization", …

// What a caller may do with the same request. Whether it may at all is repeatable().
enum class RetryAdvice {
    Never, // the answer will not change
    AlreadyDone, // there is a result: use it
    Backoff, // again, after a delay of its own
    AfterWait, // again, not before Retry-After; counts as a throttle
    SameKey, // again with the same key, which will answer what became of it
    SameKeySlowly, // the same, and a person may be needed first
};

// "never", "already_done", "backoff", "after_wait", "same_key", "same_key_slowly".
[[nodiscard]] std::string_view wordOf(RetryAdvice advice) noexcept;
[[nodiscard]] bool repeatable(RetryAdvice advice) noexcept;

// One row of the taxonomy (protocol §3.13): what the wire's `error_code` means to a caller.
struct ErrorCode {
    std::string_view code; // "VALIDATION.*" stands for every code of that family without a row of its own
    ErrorCategory category = ErrorCategory::Internal;
    std::optional<int> status; // that it is sent with by default; none: it never is an HTTP answer
    RetryAdvice retry = RetryAdvice::Never;
    std::string_view meaning; // for a person: what happened
    std::string_view hint; // for a person: what to do
    std::array<std::string_view, 2> aliases{}; // also understood; empty ones are none
};

[[nodiscard]] std::span<const ErrorCode> errorCodes() noexcept;

// The row of a code as it came over the wire: itself, an alias, or its family. None: nobody knows it.
[[nodiscard]] const ErrorCode* findErrorCode(std::string_view wire) noexcept;

// The row that stands for an answer without a known code. None: the status is no error. A 5xx that nobody knows is
// transient, a 4xx a wrong request, a 409 without a code no reason to try again.
[[nodiscard]] const ErrorCode* errorCodeOfStatus(int status) noexcept;

} // namespace fencepost

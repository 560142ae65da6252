// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/lab/cashier.h"
#include "app/lab/lab_options.h"

namespace fencepost::app {

// A route that changes something, and is served under the contract. In a pattern {…} stands for one segment.
struct UnsafeRoute {
    std::string_view method;
    std::string_view pattern;
    std::string_view operation; // the operation type
    Handled (*handle)(Cashier& cashier, Execution& execution, const std::string& id);
    bool needsBody;
};
[[nodiscard]] std::span<const UnsafeRoute> unsafeRoutes() noexcept;
[[nodiscard]] const UnsafeRoute* findUnsafeRoute(std::string_view method, std::string_view path) noexcept;

// The segments that stand for {…}; none: the path is another one.
[[nodiscard]] std::optional<std::vector<std::string>> matched(std::string_view pattern, std::string_view path);
// What %XX stands for; what is malformed stays as it is.
[[nodiscard]] std::string decodedSegment(std::string_view segment);
// No percent-encoding hides what no name can have.
[[nodiscard]] bool isNamed(std::string_view path);

// JSON, or what a client says that was told nothing: no type, or the form that curl calls every body.
[[nodiscard]] bool isTakenForJson(const HttpRequest& head);
// The same request, called JSON.
[[nodiscard]] HttpRequest asJson(HttpRequest request);

[[nodiscard]] RouteContract contractOf(const UnsafeRoute& route, const LabOptions& options);
// What the routes expect of a key.
constexpr const char* capabilityPath = "/.well-known/idempotency";
// Where to ask what became of an operation: /operations/refund.create/KEY; a key of dots has a mark behind it.
[[nodiscard]] std::string operationUrl(const RecordId& id);
[[nodiscard]] std::string_view withoutMark(std::string_view path);
// Only who has sent a request can ask what became of it; none: there is no such operation.
[[nodiscard]] std::optional<RecordId> operationOf(
    const std::string& operation, const std::string& key, const std::string& principal);

} // namespace fencepost::app

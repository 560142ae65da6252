// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/ids.h"
#include "core/protocol/record.h"
#include "core/random.h"
#include "core/time.h"

namespace fencepost::app {

enum class RequestKind { Payment, Refund, Payout, Void, Quote, Customer, Webhook, Settlement };

// One logical request of a client of the payments service.
struct Request {
    RequestKind kind = RequestKind::Payment;
    RecordId id;
    std::string method;
    std::string target;
    Bytes body; // canonical JSON
    std::string principal;
    std::string correlationId;
    std::int64_t amount = 0; // in cents
    std::string currency;
};

// A fresh request with a key of its own, as the clients of one tenant make them.
[[nodiscard]] Request makeRequest(RequestKind kind, Time now, Random& random);
// The same key with another amount: a client's mistake.
[[nodiscard]] Request withAnotherAmount(const Request& request, Random& random);

[[nodiscard]] Bytes requestHashOf(const Request& request);
[[nodiscard]] Bytes payloadHashOf(const Request& request);

// What the service answers.
[[nodiscard]] Response answerTo(const Request& request, Random& random);
[[nodiscard]] Response refusalOf(int status, const std::string& code, const std::string& detail);

// "pay_5f2c…": a prefix and so many hexadecimal digits.
[[nodiscard]] std::string token(const std::string& prefix, std::size_t digits, Random& random);

} // namespace fencepost::app

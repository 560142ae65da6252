// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/result.h"

namespace fencepost::delivery {

// Where on a NATS server messages are: nats://HOST[:PORT]/SUBJECT, or tls:// where nothing but TLS will do.
struct NatsAddress {
    bool secure = false;
    std::string host;
    std::uint16_t port = 4222;
    std::string subject;

    bool operator==(const NatsAddress&) const = default;
};

enum class NatsSubject {
    Exact, // one that can be published to
    Pattern, // may have wildcards
};

// Invalid: no such URL, credentials in it, a subject that is none or that is the server's own.
[[nodiscard]] Result<NatsAddress> natsAddressOf(const std::string& url, NatsSubject subject);
// Without its subject: nats://HOST:PORT
[[nodiscard]] std::string serverOf(const NatsAddress& address);
// Read again by natsAddressOf.
[[nodiscard]] std::string formatUrl(const NatsAddress& address);

} // namespace fencepost::delivery

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/delivery/source.h"
#include "core/delivery/targets.h"

namespace fencepost::delivery {

struct NatsSourceOptions {
    // nats://HOST[:PORT]/SUBJECT, wildcards included, or the name of a stream instead of a subject: all of it.
    std::string url;
    std::string consumer; // its durable name at JetStream, and its name in the inbox
    std::string source; // of events that name none; empty: the stream's name
    Duration ackWait = std::chrono::seconds(60); // of a durable consumer that is made now
    TargetOptions connection{};
};

// Invalid: no such URL.
[[nodiscard]] Status checkNatsSource(const std::string& url);
// Letters, digits, - and _: what JetStream takes as the name of a durable consumer.
[[nodiscard]] bool isConsumerName(std::string_view name) noexcept;

// A durable pull consumer of JetStream with explicit acknowledgement; made where there is none. Connects again by
// itself. Its deliveries go out again to the subject on which they came.
//
// Events are those of CloudEvents' binary mode. The id is ce-id, else Nats-Msg-Id, else the message's place in its
// stream. An event with ce-version, a whole number, is handled only while no later version of its ce-subject (with
// ce-aggregatetype, where it has one) was: such versions are counted for each consumer and source.
[[nodiscard]] Result<std::unique_ptr<Source>> openNatsSource(const NatsSourceOptions& options);

} // namespace fencepost::delivery

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <nats/nats.h>

#include "core/delivery/nats_address.h"
#include "core/delivery/targets.h"

namespace fencepost::delivery {

// How each thing of the client library is let go.
struct NatsRelease {
    void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
    void operator()(natsConnection* connection) const { natsConnection_Destroy(connection); }
    void operator()(jsCtx* context) const { jsCtx_Destroy(context); }
    void operator()(natsMsg* message) const { natsMsg_Destroy(message); }
    void operator()(natsSubscription* subscription) const { natsSubscription_Destroy(subscription); }
    void operator()(jsPubAck* ack) const { jsPubAck_Destroy(ack); }
    void operator()(jsStreamInfo* info) const { jsStreamInfo_Destroy(info); }
    void operator()(jsStreamNamesList* names) const { jsStreamNamesList_Destroy(names); }
    void operator()(jsConsumerInfo* info) const { jsConsumerInfo_Destroy(info); }
    void operator()(jsMsgMetaData* data) const { jsMsgMetaData_Destroy(data); }
};
template <typename T> using NatsPtr = std::unique_ptr<T, NatsRelease>;

// Where the library writes what it makes: natsMsg_Create(MadeBy(message), …).
template <typename T> class MadeBy {
public:
    explicit MadeBy(NatsPtr<T>& owner)
        : m_owner(owner)
    {
    }
    ~MadeBy() { m_owner.reset(m_made); }
    MadeBy(const MadeBy&) = delete;
    MadeBy& operator=(const MadeBy&) = delete;
    operator T**() { return &m_made; }

private:
    NatsPtr<T>& m_owner;
    T* m_made = nullptr;
};

enum class WhenLost {
    Close, // its owner connects again, when it needs it
    Reconnect, // by itself, as often as it takes
};

// A connection and what it asks of JetStream. Safe for concurrent use.
struct NatsSession {
    NatsPtr<natsConnection> connection;
    NatsPtr<jsCtx> stream; // gone before the connection

    [[nodiscard]] bool isOpen() const;
};

// Blocks for a moment. Error::code says in a word why it failed: "connection", "authorization", "tls".
[[nodiscard]] Result<std::unique_ptr<NatsSession>> connectTo(
    const NatsAddress& address, const TargetOptions& options, WhenLost whenLost);

// What an answer of JetStream's says that is no success; `code` is its own, 0 where it did not come that far.
[[nodiscard]] Error natsError(natsStatus status, jsErrCode code, const std::string& what);

[[nodiscard]] std::int64_t millisecondsOf(Duration duration); // at least one

} // namespace fencepost::delivery

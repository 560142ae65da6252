// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <QProcess>
#include <QTemporaryDir>

#include "core/protocol/record.h"

struct __natsConnection;
struct __jsCtx;

namespace fencepost::testing {

// One message as a stream keeps it.
struct StoredMessage {
    std::string subject;
    Headers headers; // in the order of their names
    std::string payload;
};

// A nats-server with JetStream on a loopback port of its own, its store in a temporary folder. It ends with the object.
class NatsServer {
public:
    // Options of nats-server's, such as --tls. With a name, nobody else is let in.
    explicit NatsServer(QStringList options = {}, std::string user = {}, std::string password = {});
    ~NatsServer();
    NatsServer(const NatsServer&) = delete;
    NatsServer& operator=(const NatsServer&) = delete;

    // Empty, or why it does not serve. Every fixture asserts it.
    [[nodiscard]] const std::string& problem() const { return m_problem; }
    [[nodiscard]] std::string url(const std::string& subject) const;
    [[nodiscard]] QString folder() const { return m_folder.path(); }

    void start(); // on the same port, with what it has stored
    void kill();
    void pause(); // it keeps its connections and says nothing; kill() ends it all the same

    // As a client of its own.
    void addStream(const std::string& name, const std::vector<std::string>& subjects, int largestMessage = -1);
    void publish(const std::string& subject, const Headers& headers, const std::string& payload);
    [[nodiscard]] std::vector<StoredMessage> messages(const std::string& stream);
    struct Pending {
        std::int64_t undelivered = 0;
        std::int64_t unacknowledged = 0;
        bool operator==(const Pending&) const = default;
    };
    [[nodiscard]] Pending pending(const std::string& stream, const std::string& consumer);
    void removeConsumer(const std::string& stream, const std::string& consumer);

private:
    [[nodiscard]] __jsCtx* client();
    void forgetClient();
    void note(const std::string& what);

    QTemporaryDir m_folder;
    QStringList m_options;
    std::string m_user;
    std::string m_password;
    std::uint16_t m_port = 0;
    QProcess m_process;
    std::string m_problem;
    __natsConnection* m_connection = nullptr;
    __jsCtx* m_stream = nullptr;
};

} // namespace fencepost::testing

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <QPointer>
#include <QTcpServer>
#include <QTcpSocket>

#include "core/protocol/http_message.h"

namespace fencepost::testing {

// An HTTP/1.1 server on loopback that says what it is told to, octet by octet, one act for each request; the last act
// is for all that come after it. Every request that arrives whole counts as executed.
class ScriptedServer {
public:
    using Act = std::function<void(QTcpSocket&)>;

    explicit ScriptedServer(std::vector<Act> acts);
    ~ScriptedServer();

    [[nodiscard]] std::string url(const std::string& path = "/refunds") const;
    [[nodiscard]] const std::vector<HttpRequest>& requests() const { return m_requests; }
    [[nodiscard]] std::size_t connections() const { return m_connections; }
    // The first line of a header in every request, in their order; empty: it was not there.
    [[nodiscard]] std::vector<std::string> lines(const std::string& name) const;
    void stopListening() { m_server.close(); }

private:
    struct Peer {
        QTcpSocket* socket;
        std::string received;
    };
    void accept();
    void read(Peer& peer);

    QTcpServer m_server;
    std::vector<Act> m_acts;
    std::vector<HttpRequest> m_requests;
    std::deque<Peer> m_peers;
    std::size_t m_connections = 0;
};

[[nodiscard]] ScriptedServer::Act answers(int status, const Headers& headers = {}, const std::string& body = {});
[[nodiscard]] ScriptedServer::Act says(const std::string& octets); // and keeps the connection
[[nodiscard]] ScriptedServer::Act saysAndCloses(const std::string& octets);
[[nodiscard]] ScriptedServer::Act closes(); // without an answer
[[nodiscard]] ScriptedServer::Act resets();
[[nodiscard]] ScriptedServer::Act staysSilent();

} // namespace fencepost::testing

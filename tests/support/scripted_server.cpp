// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/scripted_server.h"

#include <algorithm>

#include <sys/socket.h>

namespace fencepost::testing {

namespace {

// None: it has not arrived whole.
std::optional<HttpRequest> takeRequest(std::string& received)
{
    const auto end = received.find("\r\n\r\n");
    if (end == std::string::npos)
        return std::nullopt;
    HttpRequest request;
    std::size_t at = received.find("\r\n");
    const auto line = received.substr(0, at);
    request.method = line.substr(0, line.find(' '));
    request.target = line.substr(line.find(' ') + 1, line.rfind(' ') - line.find(' ') - 1);
    while (at < end) {
        const auto next = received.find("\r\n", at + 2);
        const auto field = received.substr(at + 2, next - at - 2);
        const auto colon = field.find(':');
        request.headers.emplace_back(field.substr(0, colon), field.substr(field.find_first_not_of(' ', colon + 1)));
        at = next;
    }
    const auto length = lineOf(request.headers, "Content-Length");
    const auto size = length ? std::stoul(std::string(*length)) : 0;
    if (received.size() < end + 4 + size)
        return std::nullopt;
    request.body = received.substr(end + 4, size);
    received.erase(0, end + 4 + size);
    return request;
}

void send(QTcpSocket& socket, const std::string& octets)
{
    socket.write(octets.data(), static_cast<qint64>(octets.size()));
}

} // namespace

ScriptedServer::ScriptedServer(std::vector<Act> acts)
    : m_acts(std::move(acts))
{
    QObject::connect(&m_server, &QTcpServer::newConnection, &m_server, [this] { accept(); });
    m_server.listen(QHostAddress::LocalHost);
}

ScriptedServer::~ScriptedServer()
{
    for (const auto& peer : m_peers)
        peer.socket->disconnect();
}

std::string ScriptedServer::url(const std::string& path) const
{
    return "http://127.0.0.1:" + std::to_string(m_server.serverPort()) + path;
}

std::vector<std::string> ScriptedServer::lines(const std::string& name) const
{
    std::vector<std::string> found;
    for (const auto& request : m_requests)
        found.emplace_back(lineOf(request.headers, name).value_or(""));
    return found;
}

void ScriptedServer::accept()
{
    while (auto* socket = m_server.nextPendingConnection()) {
        ++m_connections;
        auto& peer = m_peers.emplace_back(Peer{ socket, {} });
        QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, &peer] { read(peer); });
        read(peer);
    }
}

void ScriptedServer::read(Peer& peer)
{
    peer.received += peer.socket->readAll().toStdString();
    while (auto request = takeRequest(peer.received)) {
        m_requests.push_back(std::move(*request));
        m_acts[std::min(m_requests.size(), m_acts.size()) - 1](*peer.socket);
    }
}

ScriptedServer::Act answers(int status, const Headers& headers, const std::string& body)
{
    std::string octets = "HTTP/1.1 " + std::to_string(status) + " Word\r\n";
    for (const auto& [name, value] : headers)
        octets += name + ": " + value + "\r\n";
    return says(octets + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

ScriptedServer::Act says(const std::string& octets)
{
    return [octets](QTcpSocket& socket) { send(socket, octets); };
}

ScriptedServer::Act saysAndCloses(const std::string& octets)
{
    return [octets](QTcpSocket& socket) {
        send(socket, octets);
        socket.disconnectFromHost();
    };
}

ScriptedServer::Act closes()
{
    return [](QTcpSocket& socket) { socket.disconnectFromHost(); };
}

ScriptedServer::Act resets()
{
    return [](QTcpSocket& socket) {
        const linger now{ 1, 0 };
        ::setsockopt(static_cast<int>(socket.socketDescriptor()), SOL_SOCKET, SO_LINGER, &now, sizeof now);
        socket.abort();
    };
}

ScriptedServer::Act staysSilent()
{
    return [](QTcpSocket&) {};
}

} // namespace fencepost::testing

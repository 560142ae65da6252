// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "app/lab/http_server.h"
#include "app/lab/request_head.h"

namespace fencepost::app {

// The octets of a response; `keepAlive` false says so to the peer.
[[nodiscard]] std::string wireOf(const HttpResponse& response, bool keepAlive, bool withBody);

// One peer's socket and what was read from it. Used by one thread at a time: the server's, or the worker that has its
// request.
class HttpConnection {
public:
    HttpConnection(int socket, bool fromHere);
    ~HttpConnection();
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;

    using Refuse = std::function<std::optional<HttpResponse>(const HttpRequest& head)>;
    struct More { };
    struct Gone { };
    struct Refused { }; // it was told; what it still sends is to be thrown away
    using Progress = std::variant<More, Gone, Refused, HttpRequest>;

    // Reads what is there, as far as the end of one request.
    [[nodiscard]] Progress read(const HttpServerOptions& options, const Refuse& refuse);
    // What is left of an earlier reading, which may hold the next request.
    [[nodiscard]] Progress advance(const HttpServerOptions& options, const Refuse& refuse);
    // Throws away what comes. False: the peer is gone.
    [[nodiscard]] bool drain() const;

    // Writes all of it, waiting for the peer. False: the connection is of no more use.
    [[nodiscard]] bool write(std::string_view octets, Duration patience);
    // Answers the request that was read. False: the connection is of no more use.
    [[nodiscard]] bool answer(const Reply& reply, Duration patience);

    [[nodiscard]] int socket() const { return m_socket; }
    [[nodiscard]] bool fromHere() const { return m_fromHere; }
    [[nodiscard]] bool isIdle() const { return m_input.empty() && !m_head; }

private:
    Progress refused(const HttpResponse& response);
    Progress readBody(const HttpServerOptions& options);

    int m_socket;
    bool m_fromHere;
    std::string m_input;
    std::optional<RequestHead> m_head; // while its body is read
    std::optional<ChunkReader> m_chunks;
    bool m_keepAlive = true; // of the request that was read last
    bool m_withBody = true;
};

} // namespace fencepost::app

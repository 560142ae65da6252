// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/http_connection.h"

#include <array>
#include <cerrno>
#include <chrono>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/service/problem.h"

namespace fencepost::app {

namespace {

struct Reason {
    int status;
    const char* words;
};

constexpr Reason reasons[] = { { 200, "OK" }, { 201, "Created" }, { 202, "Accepted" }, { 204, "No Content" },
    { 303, "See Other" }, { 400, "Bad Request" }, { 401, "Unauthorized" }, { 404, "Not Found" },
    { 405, "Method Not Allowed" }, { 409, "Conflict" }, { 410, "Gone" }, { 412, "Precondition Failed" },
    { 413, "Content Too Large" }, { 415, "Unsupported Media Type" }, { 422, "Unprocessable Content" },
    { 429, "Too Many Requests" }, { 431, "Request Header Fields Too Large" }, { 500, "Internal Server Error" },
    { 501, "Not Implemented" }, { 502, "Bad Gateway" }, { 503, "Service Unavailable" }, { 504, "Gateway Timeout" },
    { 505, "HTTP Version Not Supported" } };

const char* reasonOf(int status)
{
    for (const auto& reason : reasons)
        if (reason.status == status)
            return reason.words;
    return "Status";
}

} // namespace

std::string wireOf(const HttpResponse& response, bool keepAlive, bool withBody)
{
    auto wire = "HTTP/1.1 " + std::to_string(response.status) + ' ' + reasonOf(response.status) + "\r\n";
    wire += "Date: " + httpDate(SystemClock().now()) + "\r\n";
    for (const auto& [name, value] : response.headers)
        wire += name + ": " + value + "\r\n";
    // RFC 9110, 8.6.
    if (response.status >= 200 && response.status != 204)
        wire += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
    if (!keepAlive)
        wire += "Connection: close\r\n";
    wire += "\r\n";
    if (withBody)
        wire += response.body;
    return wire;
}

HttpConnection::HttpConnection(int socket, bool fromHere)
    : m_socket(socket)
    , m_fromHere(fromHere)
{
}

HttpConnection::~HttpConnection()
{
    close(m_socket);
}

HttpConnection::Progress HttpConnection::read(const HttpServerOptions& options, const Refuse& refuse)
{
    std::array<char, 65536> piece; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by recv
    const auto length = recv(m_socket, piece.data(), piece.size(), 0);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return More{};
    if (length <= 0)
        return Gone{};
    m_input.append(piece.data(), static_cast<std::size_t>(length));
    return advance(options, refuse);
}

HttpConnection::Progress HttpConnection::advance(const HttpServerOptions& options, const Refuse& refuse)
{
    if (!m_head) {
        // An empty line in front of a request is a relic that RFC 9112 §2.2 asks to overlook.
        if (m_input.starts_with("\r\n"))
            m_input.erase(0, 2);
        const auto end = m_input.find("\r\n\r\n");
        const auto bare = m_input.find("\n\n");
        if (end == std::string::npos && bare == std::string::npos) {
            if (m_input.size() <= options.longestHead)
                return More{};
            return refused(problemResponse(
                { .code = "VALIDATION.request", .status = 431, .detail = "The request's head is too long." }));
        }
        const auto length =
            std::min(end == std::string::npos ? end : end + 4, bare == std::string::npos ? bare : bare + 2);
        auto parsed = parseHead(std::string_view(m_input).substr(0, length));
        if (const auto* problem = std::get_if<HttpResponse>(&parsed))
            return refused(*problem);
        m_input.erase(0, length);
        m_head = std::move(std::get<RequestHead>(parsed));
        if (const auto problem = refuse(m_head->request))
            return refused(*problem);
        if (m_head->framing == Framing::Length && m_head->length > options.longestBody)
            return refused(withInstance(tooLarge(options.longestBody), m_head->request));
        if (m_head->framing == Framing::Chunked)
            m_chunks.emplace(options.longestBody);
        const bool waits = m_head->expectsContinue && m_head->framing != Framing::None && m_input.empty();
        if (waits && !write("HTTP/1.1 100 Continue\r\n\r\n", options.patience))
            return Gone{};
    }
    return readBody(options);
}

HttpConnection::Progress HttpConnection::readBody(const HttpServerOptions& options)
{
    if (m_head->framing == Framing::Length) {
        if (m_input.size() < m_head->length)
            return More{};
        m_head->request.body = m_input.substr(0, m_head->length);
        m_input.erase(0, m_head->length);
    } else if (m_head->framing == Framing::Chunked) {
        std::string_view rest = m_input;
        const auto state = m_chunks->read(rest, m_head->request.body);
        m_input.erase(0, m_input.size() - rest.size());
        if (state == ChunkReader::State::More)
            return More{};
        if (state == ChunkReader::State::TooLong)
            return refused(withInstance(tooLarge(options.longestBody), m_head->request));
        if (state == ChunkReader::State::Malformed)
            return refused(withInstance(
                problemResponse(
                    { .code = "VALIDATION.request", .status = 400, .detail = "The chunked body is malformed." }),
                m_head->request));
    }
    m_chunks.reset();
    m_keepAlive = m_head->keepAlive;
    m_withBody = m_head->request.method != "HEAD";
    auto request = std::move(m_head->request);
    m_head.reset();
    return request;
}

// What follows on the connection is the rest of a request that nobody reads: it must not be taken for the next one.
HttpConnection::Progress HttpConnection::refused(const HttpResponse& response)
{
    constexpr Duration patience = std::chrono::seconds(1);
    const bool withBody = !m_head || m_head->request.method != "HEAD";
    m_input.clear();
    if (!write(wireOf(response, false, withBody), patience))
        return Gone{};
    // Closed at once, it would be reset, and the answer lost before the peer has read it.
    shutdown(m_socket, SHUT_WR);
    return Refused{};
}

bool HttpConnection::drain() const
{
    std::array<char, 65536> piece; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by recv
    const auto length = recv(m_socket, piece.data(), piece.size(), 0);
    return length > 0 || (length < 0 && (errno == EAGAIN || errno == EINTR));
}

bool HttpConnection::write(std::string_view octets, Duration patience)
{
    const auto milliseconds = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(patience).count());
    while (!octets.empty()) {
        const auto sent = send(m_socket, octets.data(), octets.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            octets.remove_prefix(static_cast<std::size_t>(sent));
            continue;
        }
        if (errno == EINTR)
            continue;
        pollfd ready{ m_socket, POLLOUT, 0 };
        if (errno != EAGAIN || poll(&ready, 1, milliseconds) <= 0)
            return false;
    }
    return true;
}

bool HttpConnection::answer(const Reply& reply, Duration patience)
{
    switch (reply.end) {
    case Reply::End::Answer:
        return write(wireOf(reply.response, m_keepAlive, m_withBody), patience) && m_keepAlive;
    case Reply::End::Silence:
        return false;
    case Reply::End::Reset:
        break;
    }
    const linger atOnce{ 1, 0 };
    setsockopt(m_socket, SOL_SOCKET, SO_LINGER, &atOnce, sizeof atOnce);
    return false;
}

} // namespace fencepost::app

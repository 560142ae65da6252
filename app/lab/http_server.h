// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/protocol/http_message.h"
#include "core/result.h"
#include "core/time.h"

namespace fencepost::app {

// A request with where it came from.
struct Incoming {
    HttpRequest request;
    bool fromHere = true; // from this computer
    bool repeated = false; // delivered a second time by a fault
};

// How an exchange ends.
struct Reply {
    enum class End {
        Answer,
        Silence, // the connection is closed without a word
        Reset, // the same with RST
    };
    HttpResponse response{};
    End end = End::Answer;
};

// What answers requests, one at a time: made, used and destroyed by one thread of the server.
class RequestWorker {
public:
    virtual ~RequestWorker() = default;
    [[nodiscard]] virtual Reply answer(const Incoming& incoming) = 0;
};

struct HttpServerOptions {
    std::string address = "127.0.0.1";
    int port = 0; // 0: any free one
    int workers = 8;
    std::size_t longestHead = std::size_t{ 16 } << 10U; // octets
    std::size_t longestBody = std::size_t{ 1 } << 20U; // octets
    std::size_t connections = 4096; // at once; one more is closed
    Duration patience = std::chrono::seconds(20); // with a peer that neither sends nor reads
};

// HTTP/1.1 over plain sockets. One thread waits for all connections and reads requests; workers answer them. A request
// is refused by its head, before its body is read: whoever announces ten gigabytes hears no at once.
//
// No library does that here: cpp-httplib 0.11 decodes %XX in header values, so that two keys become one, skips a line
// without CRLF where it should refuse the request, and keeps the connection behind a refusal; QHttpServer has the whole
// body in memory before it can refuse it.
class HttpServer {
public:
    struct Parts {
        // Looks at a head before the body is read; called by the server's thread. None: go on.
        std::function<std::optional<HttpResponse>(const HttpRequest& head)> refuse;
        // In the worker's thread. An error stops the server from being started.
        std::function<Result<std::unique_ptr<RequestWorker>>()> makeWorker;
    };

    // It listens when this returns, and whoever connects waits until it serves. Invalid: no such address; Unavailable:
    // the port is taken.
    static Result<std::unique_ptr<HttpServer>> listen(const HttpServerOptions& options);
    // Once.
    Status serve(Parts parts);
    // Both.
    static Result<std::unique_ptr<HttpServer>> start(const HttpServerOptions& options, Parts parts);
    // Accepts nothing more; requests that have been read are answered.
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    [[nodiscard]] int port() const;
    // Answers a request for nobody, as if the network had delivered it twice. Any thread.
    void deliverAgain(const HttpRequest& request);

private:
    HttpServer();
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace fencepost::app

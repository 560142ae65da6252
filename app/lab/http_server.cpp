// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/http_server.h"

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/lab/http_connection.h"
#include "core/in_quotes.h"

namespace fencepost::app {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int sweepEvery = 500; // milliseconds
constexpr int backlog = 1024;

Error systemError(const char* what)
{
    return { Failure::Unavailable, what, std::strerror(errno) };
}

} // namespace

struct HttpServer::Private {
    enum class Phase { Reading, Working, Draining };
    struct Peer {
        std::unique_ptr<HttpConnection> connection;
        Phase phase = Phase::Reading;
        SteadyClock::time_point since = SteadyClock::now();
    };
    struct Finished {
        int socket;
        bool keepAlive;
    };
    // A request that waits for a worker.
    struct Job {
        HttpConnection* connection = nullptr; // null: a repeated delivery, which nobody waits for
        Incoming incoming;
    };

    HttpServerOptions options;
    Parts parts;
    int listener = -1;
    int poller = -1;
    int waker = -1;
    int spare = -1; // a descriptor to refuse with when there is none left
    int port = 0;
    std::unordered_map<int, Peer> peers; // the front's own

    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<Job> jobs;
    std::vector<Finished> finished;
    bool stopping = false;
    std::vector<std::thread> workers;
    std::thread front;

    Status open();
    Status startWorkers();
    void serve();
    void work(RequestWorker& worker);
    void wake() const;
    void accept();
    bool refuseOne();
    void handle(Peer& peer);
    void go(Peer& peer, HttpConnection::Progress progress);
    void takeFinished();
    void sweep();
    void drop(int socket);
    void watch(int socket, unsigned events, int operation) const;
    bool isStopping()
    {
        const std::lock_guard lock(mutex);
        return stopping;
    }
};

HttpServer::HttpServer()
    : d(std::make_unique<Private>())
{
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const HttpServerOptions& options)
{
    std::unique_ptr<HttpServer> server(new HttpServer);
    server->d->options = options;
    if (const auto opened = server->d->open(); !opened)
        return opened.error();
    return server;
}

Status HttpServer::serve(Parts parts)
{
    d->parts = std::move(parts);
    if (const auto started = d->startWorkers(); !started)
        return started;
    d->front = std::thread([this] { d->serve(); });
    return {};
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpServerOptions& options, Parts parts)
{
    auto server = listen(options);
    if (!server)
        return server;
    if (const auto serving = (*server)->serve(std::move(parts)); !serving)
        return serving.error();
    return server;
}

HttpServer::~HttpServer()
{
    {
        const std::lock_guard lock(d->mutex);
        d->stopping = true;
    }
    if (d->waker >= 0)
        d->wake();
    if (d->front.joinable())
        d->front.join();
    d->arrived.notify_all();
    for (auto& worker : d->workers)
        worker.join();
    d->peers.clear();
    for (const int descriptor : { d->listener, d->poller, d->waker, d->spare })
        if (descriptor >= 0)
            close(descriptor);
}

int HttpServer::port() const
{
    return d->port;
}

void HttpServer::deliverAgain(const HttpRequest& request)
{
    {
        const std::lock_guard lock(d->mutex);
        d->jobs.push_back({ nullptr, { request, true, true } });
    }
    d->arrived.notify_one();
}

Status HttpServer::Private::open()
{
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    poller = epoll_create1(EPOLL_CLOEXEC);
    waker = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    spare = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (listener < 0 || poller < 0 || waker < 0)
        return systemError("No socket could be made");
    const int yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(options.port));
    if (inet_pton(AF_INET, options.address.c_str(), &address.sin_addr) != 1)
        return invalid("--listen: " + inQuotes(options.address) + " is no IPv4 address");
    if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0
        || ::listen(listener, backlog) != 0)
        return Error{ Failure::Unavailable,
            options.address + ':' + std::to_string(options.port) + " cannot be listened on", std::strerror(errno), {},
            "Name another --port, or 0 for any free one, and an address of this computer" };
    socklen_t length = sizeof address;
    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
    port = ntohs(address.sin_port);
    watch(listener, EPOLLIN, EPOLL_CTL_ADD);
    watch(waker, EPOLLIN, EPOLL_CTL_ADD);
    return {};
}

Status HttpServer::Private::startWorkers()
{
    Status result;
    for (int i = 0; i < options.workers && result; ++i) {
        std::promise<Status> made;
        auto answer = made.get_future();
        workers.emplace_back([this, &made] {
            const auto worker = parts.makeWorker();
            if (!worker) {
                made.set_value(worker.error());
                return;
            }
            made.set_value({});
            work(**worker);
        });
        result = answer.get();
    }
    return result;
}

void HttpServer::Private::watch(int socket, unsigned events, int operation) const
{
    epoll_event event{};
    event.events = events;
    event.data.fd = socket;
    epoll_ctl(poller, operation, socket, &event);
}

void HttpServer::Private::wake() const
{
    const std::uint64_t one = 1;
    // A full counter wakes as well.
    static_cast<void>(!write(waker, &one, sizeof one));
}

void HttpServer::Private::serve()
{
    std::array<epoll_event, 256> events{};
    auto sweptAt = SteadyClock::now();
    while (!isStopping()) {
        const int count = epoll_wait(poller, events.data(), static_cast<int>(events.size()), sweepEvery);
        for (int i = 0; i < count; ++i) {
            const int socket = events.at(static_cast<std::size_t>(i)).data.fd;
            if (socket == listener) {
                accept();
            } else if (socket == waker) {
                std::uint64_t value = 0;
                static_cast<void>(!::read(waker, &value, sizeof value));
                takeFinished();
            } else if (const auto peer = peers.find(socket); peer != peers.end()) {
                handle(peer->second);
            }
        }
        if (SteadyClock::now() - sweptAt > std::chrono::milliseconds(sweepEvery)) {
            sweep();
            sweptAt = SteadyClock::now();
        }
    }
}

void HttpServer::Private::accept()
{
    while (true) {
        sockaddr_in address{};
        socklen_t length = sizeof address;
        const int socket =
            accept4(listener, reinterpret_cast<sockaddr*>(&address), &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0 && (errno == EMFILE || errno == ENFILE) && refuseOne())
            continue;
        if (socket < 0)
            return;
        if (peers.size() >= options.connections) {
            close(socket);
            continue;
        }
        const int yes = 1;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        const bool fromHere = (ntohl(address.sin_addr.s_addr) >> 24U) == 127;
        peers[socket].connection = std::make_unique<HttpConnection>(socket, fromHere);
        watch(socket, EPOLLIN, EPOLL_CTL_ADD);
    }
}

// Without a descriptor nobody can be accepted, and who waits to be would wake the front for ever.
bool HttpServer::Private::refuseOne()
{
    if (spare < 0)
        return false;
    close(spare);
    const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0)
        close(socket);
    spare = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    return socket >= 0;
}

void HttpServer::Private::handle(Peer& peer)
{
    peer.since = SteadyClock::now();
    if (peer.phase == Phase::Draining) {
        if (!peer.connection->drain())
            drop(peer.connection->socket());
        return;
    }
    if (peer.phase == Phase::Reading)
        go(peer, peer.connection->read(options, parts.refuse));
}

void HttpServer::Private::go(Peer& peer, HttpConnection::Progress progress)
{
    const int socket = peer.connection->socket();
    if (std::holds_alternative<HttpConnection::Gone>(progress)) {
        drop(socket);
    } else if (std::holds_alternative<HttpConnection::Refused>(progress)) {
        peer.phase = Phase::Draining;
    } else if (auto* request = std::get_if<HttpRequest>(&progress)) {
        // Nobody but the worker touches the connection until it is given back.
        watch(socket, 0, EPOLL_CTL_DEL);
        peer.phase = Phase::Working;
        {
            const std::lock_guard lock(mutex);
            jobs.push_back({ peer.connection.get(), { std::move(*request), peer.connection->fromHere(), false } });
        }
        arrived.notify_one();
    }
}

void HttpServer::Private::takeFinished()
{
    std::vector<Finished> all;
    {
        const std::lock_guard lock(mutex);
        all.swap(finished);
    }
    for (const auto& one : all) {
        const auto found = peers.find(one.socket);
        if (found == peers.end())
            continue;
        if (!one.keepAlive) {
            peers.erase(found);
            continue;
        }
        auto& peer = found->second;
        peer.phase = Phase::Reading;
        peer.since = SteadyClock::now();
        watch(one.socket, EPOLLIN, EPOLL_CTL_ADD);
        if (!peer.connection->isIdle())
            go(peer, peer.connection->advance(options, parts.refuse));
    }
}

void HttpServer::Private::sweep()
{
    constexpr auto draining = std::chrono::seconds(2);
    const auto now = SteadyClock::now();
    std::vector<int> late;
    for (const auto& [socket, peer] : peers) {
        if (peer.phase == Phase::Working)
            continue;
        const auto allowed = peer.phase == Phase::Draining ? Duration(draining) : options.patience;
        if (now - peer.since > allowed)
            late.push_back(socket);
    }
    for (const int socket : late)
        drop(socket);
}

void HttpServer::Private::drop(int socket)
{
    watch(socket, 0, EPOLL_CTL_DEL);
    peers.erase(socket);
}

void HttpServer::Private::work(RequestWorker& worker)
{
    while (true) {
        Job job;
        {
            std::unique_lock lock(mutex);
            arrived.wait(lock, [this] { return stopping || !jobs.empty(); });
            if (jobs.empty())
                return;
            job = std::move(jobs.front());
            jobs.pop_front();
        }
        const auto reply = worker.answer(job.incoming);
        if (job.connection == nullptr)
            continue;
        const int socket = job.connection->socket();
        const bool keepAlive = job.connection->answer(reply, options.patience);
        {
            const std::lock_guard lock(mutex);
            finished.push_back({ socket, keepAlive });
        }
        wake();
    }
}

} // namespace fencepost::app

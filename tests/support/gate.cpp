// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/gate.h"

#include <array>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fencepost::test {

namespace {

sockaddr_in loopback(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

void ring(int bell)
{
    const char stroke = 0;
    (void)!::write(bell, &stroke, 1);
}

} // namespace

Gate::Gate(std::uint16_t server)
    : m_server(server)
{
    if (::pipe(m_bell) != 0)
        return;
    listen();
    m_thread = std::thread([this] { loop(); });
}

Gate::~Gate()
{
    if (!m_thread.joinable())
        return;
    m_stop = true;
    ring(m_bell[1]);
    m_thread.join();
    ::close(m_bell[0]);
    ::close(m_bell[1]);
}

void Gate::shut()
{
    become(false);
}

void Gate::open()
{
    become(true);
}

// Returns when it is so. The pipe orders what both threads touch.
void Gate::become(bool open)
{
    std::promise<void> done;
    m_open = open;
    m_done = &done;
    ring(m_bell[1]);
    done.get_future().wait();
}

void Gate::loop()
{
    while (true) {
        std::vector<pollfd> watched{ { m_bell[0], POLLIN, 0 }, { m_door, POLLIN, 0 } };
        for (const auto& visit : m_visits) {
            watched.push_back({ visit.guest, POLLIN, 0 });
            watched.push_back({ visit.server, POLLIN, 0 });
        }
        if (::poll(watched.data(), watched.size(), -1) < 0)
            continue;
        std::size_t at = 2;
        for (auto visit = m_visits.begin(); visit != m_visits.end(); at += 2) {
            const bool stays = (watched[at].revents == 0 || pass(visit->guest, visit->server))
                && (watched[at + 1].revents == 0 || pass(visit->server, visit->guest));
            if (!stays) {
                ::close(visit->guest);
                ::close(visit->server);
            }
            visit = stays ? std::next(visit) : m_visits.erase(visit);
        }
        if (watched[1].revents != 0)
            admit();
        if (watched[0].revents == 0)
            continue;
        char stroke = 0;
        (void)!::read(m_bell[0], &stroke, 1);
        if (m_stop)
            return close();
        if (m_open)
            listen();
        else
            close();
        m_done->set_value();
    }
}

void Gate::listen()
{
    if (m_door >= 0)
        return;
    m_door = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int again = 1;
    ::setsockopt(m_door, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
    auto address = loopback(m_port);
    socklen_t size = sizeof address;
    const bool listens = ::bind(m_door, reinterpret_cast<const sockaddr*>(&address), size) == 0
        && ::listen(m_door, 16) == 0 && ::getsockname(m_door, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    m_port = listens ? ntohs(address.sin_port) : 0;
}

void Gate::close()
{
    if (m_door >= 0)
        ::close(m_door);
    m_door = -1;
    for (const auto& visit : m_visits) {
        ::close(visit.guest);
        ::close(visit.server);
    }
    m_visits.clear();
}

void Gate::admit()
{
    const int guest = ::accept(m_door, nullptr, nullptr);
    if (guest < 0)
        return;
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto address = loopback(m_server);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        m_visits.push_back({ guest, server });
        return;
    }
    ::close(guest);
    ::close(server);
}

// False: one of the two has gone.
bool Gate::pass(int from, int to)
{
    std::array<char, 65536> bytes;
    const auto size = ::recv(from, bytes.data(), bytes.size(), 0);
    for (ssize_t sent = 0; sent < size;) {
        const auto more = ::send(to, bytes.data() + sent, static_cast<std::size_t>(size - sent), MSG_NOSIGNAL);
        if (more <= 0)
            return false;
        sent += more;
    }
    return size > 0;
}

} // namespace fencepost::test

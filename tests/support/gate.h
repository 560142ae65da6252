// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <list>
#include <thread>

namespace fencepost::test {

// A gate on loopback in front of a server that others use too. Shut, it is as if the server had been stopped: whoever
// was inside is cut off and nobody is let in. It has a thread of its own, so that a test may wait while bytes pass.
class Gate {
public:
    explicit Gate(std::uint16_t server);
    ~Gate();
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    // 0: there is no gate.
    [[nodiscard]] std::uint16_t port() const { return m_port; }
    void shut();
    void open();

private:
    struct Visit {
        int guest = -1;
        int server = -1;
    };

    void become(bool open);
    void loop();
    void listen();
    void close();
    void admit();
    [[nodiscard]] static bool pass(int from, int to);

    const std::uint16_t m_server;
    std::uint16_t m_port = 0;
    int m_bell[2] = { -1, -1 }; // wakes the thread
    int m_door = -1;
    std::list<Visit> m_visits;
    bool m_open = true;
    std::atomic<bool> m_stop = false;
    std::promise<void>* m_done = nullptr;
    std::thread m_thread;
};

} // namespace fencepost::test

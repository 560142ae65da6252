// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <QObject>
#include <QString>

#include "models/store_thread.h"
#include "models/trail.h"

namespace fencepost::models {

// A database to search, whether it is open in the window or not.
struct TrailPlace {
    QString name; // of the connection
    Opener open; // read-only
};

struct TrailAnswer {
    std::string id;
    Trail trail;
    std::vector<QString> names; // of the trail's sources
    std::vector<std::pair<QString, Error>> closed; // places that could not be opened
    Duration time{}; // what the search took, without connecting
    Time now; // by this computer's clock
};

// Follows an id through several databases, on a thread of its own with connections of its own. They stay open, so that
// only the first search connects. Lives on the GUI thread and outlives the pages that show its answer.
class TrailSearch : public QObject {
    Q_OBJECT

public:
    explicit TrailSearch(const Clock& clock, QObject* parent = nullptr);
    ~TrailSearch() override; // interrupts the running statement and waits for it

    // A search before is given up.
    void search(std::vector<TrailPlace> places, TrailRequest request);
    void stop(); // what was found before stays
    // Whose connections were changed or whose passwords are gone.
    void forgetConnections();
    [[nodiscard]] bool running() const { return m_running; }
    [[nodiscard]] const std::string& id() const { return m_id; } // what is, or was last, looked for
    [[nodiscard]] const std::optional<TrailAnswer>& answer() const { return m_answer; }

Q_SIGNALS:
    void changed();

private:
    struct Order {
        int number = 0;
        std::vector<TrailPlace> places;
        TrailRequest request;
        bool forget = false;
    };
    struct Source {
        QString name;
        std::unique_ptr<Backend> backend;
    };

    void loop();
    TrailAnswer carryOut(const Order& order);
    Backend* openPlace(const TrailPlace& place, TrailAnswer& answer);
    void give(Order order);
    void interrupt();
    void take(int number, TrailAnswer answer);

    const Clock& m_clock;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::optional<Order> m_order; // the next one
    std::vector<Source> m_sources; // changed by the thread alone, under the mutex
    bool m_end = false;
    std::atomic<int> m_number = 0; // of the newest search
    bool m_running = false;
    std::string m_id;
    std::optional<TrailAnswer> m_answer;
    std::thread m_thread;
};

} // namespace fencepost::models

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/exchange/playbook_csv.h"
#include "core/messaging/dead_letter.h"
#include "core/simulation/measures.h"
#include "core/simulation/scenario.h"
#include "core/simulation/slab.h"
#include "core/simulation/world_things.h"

namespace fencepost::simulation {

class World;

// An event on its way from an outbox to the effect at its consumer.
struct EventThing {
    std::uint64_t who = 0; // for its dice
    std::uint64_t request = 0;
    std::uint32_t key = 0;
    bool poison = false;
    bool orphaned = false; // the relay that sent it is gone
    bool redriven = false;
    bool recorded = false; // it came from outside
    std::uint32_t holds = 0; // deliveries on their way or being handled
    std::uint32_t effects = 0;
    std::uint32_t received = 0;
    OutboxMessage outbox;
    std::optional<InboxMessage> inbox;
    std::optional<DeadLetter> letter;

    void reuse() { *this = {}; }
    void end() { }
};

// Outboxes, relays, a broker and a consumer with its inbox and its dead letters. Part of one world.
class EventWorld {
public:
    explicit EventWorld(World& world);

    void begin();
    // In the transaction of an effect.
    void write(const Request& request);
    void handle(const What& what);
    void sample(SeriesStep& step) const;
    void finish();

private:
    using Ready = std::tuple<Time, std::int64_t, std::uint32_t>; // when, seq, place

    struct Relay {
        bool up = true;
        std::optional<Time> looksAt; // none: nothing is to be looked for
    };

    // Relays
    void poll(std::uint32_t relay);
    void pollAgain(std::uint32_t relay, Duration in);
    void wakeRelays();
    [[nodiscard]] bool isGivenUp() const;
    void retakeLapsed();
    [[nodiscard]] std::vector<std::uint32_t> claim(std::uint32_t relay);
    void crashRelay(std::uint32_t relay, std::uint32_t place, int point);
    void send(std::uint32_t relay, std::uint32_t place);
    void answered(const What& what);
    void notDelivered(std::uint32_t place, const DeliveryFailure& failure);
    void sent(std::uint32_t place);
    void offer(std::uint32_t place);
    void unclaim(std::uint32_t place);
    void stepAside(std::uint32_t place);
    void deadInOutbox(std::uint32_t place);

    // The consumer
    void arrive(std::uint32_t place, std::uint32_t attempt);
    void arriveRecorded(std::uint32_t index);
    void receive(std::uint32_t place, std::uint32_t attempt);
    void handled(const What& what);
    void failed(std::uint32_t place, std::uint32_t attempt, const Owner& owner);
    void succeeded(std::uint32_t place, std::uint32_t attempt, const Owner& owner);
    void acknowledge(std::uint32_t place, std::uint32_t attempt, bool well, Duration wait);
    void nextWaiting();
    void deadInInbox(std::uint32_t place);
    void redrive(const What& what);
    void redriveOne(std::uint32_t place);
    void letGo(std::uint32_t place);
    void tell(std::uint32_t place, std::string actor, std::string text);
    void finishRow(std::uint32_t row, exchange::InboxResult result);
    [[nodiscard]] Delivery deliveryOf(const EventThing& event) const;
    [[nodiscard]] int mostAttempts() const;
    [[nodiscard]] Duration retryDelay(const EventThing& event, int attempts) const;

    World& m_world;
    const Events& m_settings;
    retry::Policy m_policy;
    Slab<EventThing> m_events;
    std::vector<Relay> m_relays;
    std::vector<std::map<std::int64_t, std::uint32_t>> m_keys; // what is not over, in its order
    std::vector<std::int64_t> m_handledLast; // by key: the latest that was handled
    std::set<Ready> m_ready; // may be claimed
    std::set<Ready> m_claimed; // until when
    std::map<std::int64_t, std::uint32_t> m_unsent;
    std::set<std::pair<std::int64_t, std::uint32_t>> m_letters;
    std::deque<std::pair<std::uint32_t, std::uint32_t>> m_waiting; // deliveries that no handler has taken yet
    std::map<std::pair<std::string, std::string>, std::uint32_t> m_recorded; // by source and id
    std::int64_t m_busy = 0;
    std::int64_t m_seq = 0;
    std::uint64_t m_owners = 0;
    std::int64_t m_slot = 0;
    std::int64_t m_slotCount = 0;
};

} // namespace fencepost::simulation

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "core/protocol/transition.h"
#include "core/store.h"

namespace fencepost {

// The keys whose requests run in this process with the record locked: within one transaction with it, or while the
// business writes are committed. Nobody else sees such a record as it will be, and a duplicate would wait for the lock
// to learn what the process knows already. Only ever an answer sooner: the store decides who executes. Any thread.
class RunningKeys {
    struct Running {
        TaggedHash request;
        bool won = false; // the record is its own: until then it may be another request's, elsewhere
        std::vector<Reservation> refused; // other requests that came under the key meanwhile
    };
    using Requests = std::map<RecordId, Running>;

public:
    class Turn {
    public:
        ~Turn();
        Turn(Turn&& other) noexcept;
        Turn& operator=(Turn&&) = delete;
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

        // The store has let it execute.
        void win();
        // Ends it. Answers what was refused meanwhile, for the record's journal.
        std::vector<Reservation> end();

    private:
        friend class RunningKeys;
        Turn(RunningKeys& keys, Requests::iterator request);

        RunningKeys* m_keys;
        Requests::iterator m_request;
    };

    // None: a request with this key runs already, or waits to. The keys outlive their turns.
    [[nodiscard]] std::optional<Turn> begin(const RecordId& id, const TaggedHash& request);
    // How this one stands to the request that runs with its key: InFlight, or Mismatch, which is kept for the end of
    // the turn. What only waits for the record is InFlight: whose it is, nobody here knows. None: none runs.
    [[nodiscard]] std::optional<Outcome> meet(const Reservation& reservation);
    [[nodiscard]] bool isRunning(const RecordId& id);
    [[nodiscard]] bool isWaiting(const RecordId& id); // for the store's word

private:
    std::mutex m_mutex;
    Requests m_running;
};

} // namespace fencepost

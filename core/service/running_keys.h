// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <set>

#include "core/protocol/record.h"

namespace fencepost {

// The keys whose requests run in this process within one transaction. Nobody else sees such a record before it is
// committed, and SQLite lets no second writer in to look: a duplicate would wait for the whole handler to learn what
// the process knows already. Only ever an answer sooner: the store decides who executes. Any thread.
class RunningKeys {
public:
    class Turn {
    public:
        ~Turn();
        Turn(Turn&& other) noexcept;
        Turn& operator=(Turn&&) = delete;
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        friend class RunningKeys;
        Turn(RunningKeys& keys, std::set<RecordId>::iterator key);

        RunningKeys* m_keys;
        std::set<RecordId>::iterator m_key;
    };

    // None: a request with this key runs already. The keys outlive their turns.
    [[nodiscard]] std::optional<Turn> begin(const RecordId& id);

private:
    std::mutex m_mutex;
    std::set<RecordId> m_running;
};

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "core/protocol/transition.h"

namespace fencepost {

// The keys whose requests run in this process within one transaction. Nobody else sees such a record before it is
// committed, and SQLite lets no second writer in to look: a duplicate would wait for the whole handler to learn what
// the process knows already. Only ever an answer sooner: the store decides who executes. Any thread.
class RunningKeys {
    using Requests = std::map<RecordId, TaggedHash>;

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
        Turn(RunningKeys& keys, Requests::iterator request);

        RunningKeys* m_keys;
        Requests::iterator m_request;
    };

    // None: a request with this key runs already. The keys outlive their turns.
    [[nodiscard]] std::optional<Turn> begin(const RecordId& id, const TaggedHash& request);
    // Which request runs with this key; none: none does.
    [[nodiscard]] std::optional<TaggedHash> find(const RecordId& id);

private:
    std::mutex m_mutex;
    Requests m_running;
};

} // namespace fencepost

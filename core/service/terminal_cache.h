// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <map>
#include <mutex>
#include <optional>

#include "core/protocol/record.h"

namespace fencepost {

// Terminal records that need no look at the store to be replayed. In the process, off unless a service makes one: it
// only ever saves a read, and another process's expiry by hand is seen `longestAge` late. Any thread.
class TerminalCache {
public:
    struct Limits {
        std::size_t records = 10'000;
        std::size_t octets = std::size_t{ 64 } << 20U; // of bodies; a larger one is not kept
        Duration longestAge = std::chrono::seconds(60);
    };

    explicit TerminalCache(Limits limits);
    TerminalCache();

    // Anything but an unexpired terminal record is forgotten instead.
    void put(const Record& record, Time now);
    // Never one past its expiry or its age.
    [[nodiscard]] std::optional<Record> find(const RecordId& id, Time now);
    void forget(const RecordId& id);
    [[nodiscard]] std::size_t size() const;

private:
    struct Entry {
        Record record;
        Time since;
    };
    using Entries = std::list<Entry>; // the latest used first
    using ById = std::map<RecordId, Entries::iterator>;
    void remove(ById::iterator found);

    const Limits m_limits;
    mutable std::mutex m_mutex;
    Entries m_entries;
    ById m_byId;
    std::size_t m_octets = 0;
};

} // namespace fencepost

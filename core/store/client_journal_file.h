// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/client_journal.h"
#include "core/store/database.h"

namespace fencepost::store {

// A client's journal in an SQLite file, which only its owner may read. Used by one thread; several processes may share
// the file. An entry is on disk before anything is sent; what became of it survives the process at once and a power cut
// soon, because a client that lost it only asks again with the same key.
class ClientJournalFile final : public ClientJournal {
public:
    // Makes the file where there is none; its folder must be there.
    static Result<std::unique_ptr<ClientJournalFile>> open(const std::string& path);

    Result<std::optional<CallEntry>> open(const CallEntry& entry) override;
    Status update(const CallProgress& progress) override;
    Result<std::optional<CallEntry>> find(const std::string& operation, const std::string& key) override;
    Result<std::vector<CallEntry>> unsettled() override;
    Result<std::int64_t> forgetConfirmed(Time before) override;

private:
    explicit ClientJournalFile(std::unique_ptr<Connection> connection);

    enum class Durability { Now, Soon };
    Status install();
    Status setDurability(Durability durability);
    Result<bool> put(const CallEntry& entry);
    Result<CallEntry> reopen(const CallEntry& entry);

    std::unique_ptr<Connection> m_connection;
    Durability m_durability = Durability::Now; // as every connection begins
};

} // namespace fencepost::store

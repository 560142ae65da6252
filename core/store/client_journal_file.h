// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/client_journal.h"
#include "core/store/database.h"

namespace fencepost::store {

// A client's journal in an SQLite file, which only its owner may read. Every write is on disk when it returns. Used by
// one thread; several processes may share the file.
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

    Status install();
    Result<bool> put(const CallEntry& entry);
    Result<CallEntry> reopen(const CallEntry& entry);

    std::unique_ptr<Connection> m_connection;
};

} // namespace fencepost::store

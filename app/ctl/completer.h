// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/http/client.h"
#include "core/protocol/policy.h"
#include "core/service/completion.h"
#include "core/store.h"
#include "core/store/database.h"
#include "core/store/unfinished.h"

namespace fencepost::app {

struct CompleterOptions {
    std::string to; // the service's base URL; a stored target is its path behind it
    int batch = 100;
    int concurrency = 4;
    CompleterRules rules; // but for its times
    std::optional<Duration> age; // none: the policy's
    std::optional<Duration> lastRun;
    Policy policy;
    std::string principalHeader; // the service believes this header; empty: it sees rules.principal
    std::vector<std::string> contentTypes;
    std::string authorization; // a credential for this run, which nothing keeps
};

// What came of one record.
struct Completed {
    RecordId id;
    std::string outcome; // completed, answered, in_progress, refused, unreachable, elsewhere, or skipped
    std::string reason;
    std::optional<int> status;
    std::optional<State> state; // the record's, afterwards
};

struct CompletionTotals {
    std::map<std::string, int> outcomes;
    std::map<std::string, int> skipped; // by reason
};

// Drives unfinished requests to their end by sending them to their service again, each under its own key. Whatever
// several of them do at once, the service's reservation decides. Used by the main thread, whose event loop it runs.
class Completer {
public:
    using Report = std::function<void(const Completed&)>;

    Completer(store::Connection& connection, Store& records, http::Client& client, CompleterOptions options);

    // One pass, oldest first, over at most a batch of requests. `stop` is asked between two of them.
    Result<CompletionTotals> pass(const Report& report, const std::function<bool()>& stop);

private:
    Result<std::vector<store::Unfinished>> due(CompletionTotals& totals, const Report& report);
    [[nodiscard]] CompleterRules rulesOf(const RecordId& id) const;
    void send(const store::Unfinished& unfinished, const std::function<void(Completed)>& ended);
    Completed judge(const Record& before, const http::ClientOutcome& outcome);

    store::Connection& m_connection;
    Store& m_records;
    http::Client& m_client;
    CompleterOptions m_options;
};

} // namespace fencepost::app

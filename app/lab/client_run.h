// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QEventLoop>

#include "app/lab/span_file.h"
#include "core/client_journal.h"
#include "core/http/client.h"
#include "core/http/timer_alarm.h"
#include "core/protocol/policy.h"
#include "core/retry/steady_clock.h"

namespace fencepost::app {

struct ClientRunOptions {
    std::string url; // of the lab, without a path
    int requests = 100;
    int concurrency = 6;
    int duplicates = 0; // of each request, sent at the same time
    std::string faults; // asked of the lab in a header
    RoutePolicy policy = Policy().forRoute("POST_/refunds", "refund.create"); // how it retries
    std::string journalPath; // empty: keys go with the process
    std::optional<std::uint64_t> seed; // of the delays; none: the system's randomness
    std::string spansPath; // OTLP JSON lines, appended; empty: none
    std::string metricsPath; // Prometheus text, when it is over; empty: none
    int rounds = 5; // in which what was not settled is asked for again, with the same keys
};

// What happened.
struct ClientReport {
    int operations = 0;
    int succeeded = 0;
    int refused = 0; // by an answer that will not change
    int unsettled = 0; // nobody knows, or nobody wanted to execute it
    int resumed = 0; // of the operations: left in the journal by a process before this one
    int calls = 0; // of the client, duplicates and later rounds included
    int sent = 0; // of them, with an attempt at least
    int attempts = 0; // on the wire
    int hiddenSends = 0; // of the attempts: the network stack's own
    int replayed = 0; // calls that ended with an answer of before
    std::map<std::string, int> endings; // calls by how they ended
    std::vector<double> milliseconds; // of each call, ascending
    // Operations by their entries in the ledger.
    int once = 0;
    int doubled = 0;
    int lost = 0; // told that it was done, and it was not
    int contradicted = 0; // told two different results
    std::string unjudged; // why the ledger could not be read; empty: it was
    std::vector<std::string> unwritten; // files that do not hold everything

    [[nodiscard]] bool isSound() const { return doubled == 0 && lost == 0 && contradicted == 0; }
    [[nodiscard]] double quantile(double at) const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string json() const;
};

// Sends refunds to a lab with the real client and counts what became of them. Works on the event loop of its thread.
class ClientRun {
public:
    explicit ClientRun(ClientRunOptions options);
    ~ClientRun();

    // Invalid: an option; Unavailable: the lab does not answer.
    Result<ClientReport> carryOut();

private:
    struct Lane;
    struct Operation {
        std::string key;
        std::string body;
        std::string reference;
        int running = 0; // calls
        int rounds = 0; // in which it was asked for again
        bool asked = false; // in this round, rather than held back by the breaker
        bool succeeded = false;
        bool refused = false;
        std::string answer; // the first success
        bool contradicted = false;
    };

    [[nodiscard]] http::ClientTelemetry telemetry();
    Status prepare();
    Status resume();
    Status findLab();
    Result<std::string> pay();
    void sendAll(const std::vector<std::size_t>& which, int copies);
    void askAgain();
    void startMore();
    Status call(std::size_t which);
    void ended(std::size_t which, const http::ClientOutcome& outcome);
    Result<HttpResponse> exchange(http::ClientRequest request);
    Result<std::map<std::string, int>> refundsByReference();
    void check();
    Lane& freeLane();

    ClientRunOptions m_options;
    retry::SteadyClock m_steady;
    SystemClock m_wall;
    SystemRandom m_systemRandom;
    std::optional<SeededRandom> m_seeded;
    KeySource m_keys;
    SpanFile m_spans;
    std::ofstream m_metricsFile;
    std::string m_salt; // spans leave this computer, keys do not
    telemetry::Metrics m_metrics;
    std::unique_ptr<ClientJournal> m_journal;
    std::unique_ptr<http::SharedDependencies> m_dependencies; // of the lanes
    std::vector<std::unique_ptr<Lane>> m_lanes;
    std::unique_ptr<Lane> m_judge; // for what is asked about the run, and is no part of it
    std::vector<Operation> m_operations;
    std::vector<std::size_t> m_waiting; // operations that are not begun, the next one last
    int m_copies = 1;
    int m_active = 0; // operations with a running call
    QEventLoop m_loop;
    ClientReport m_report;
};

} // namespace fencepost::app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <fstream>
#include <memory>

#include "app/lab/event_intake.h"
#include "app/lab/event_relay.h"
#include "app/lab/gate.h"
#include "app/lab/lab_options.h"
#include "app/lab/span_file.h"
#include "core/retry/steady_clock.h"
#include "core/service/heartbeat.h"
#include "core/service/running_keys.h"
#include "core/service/terminal_cache.h"
#include "core/store/writer_queue.h"
#include "core/telemetry/log.h"
#include "core/telemetry/metrics.h"

namespace fencepost::app {

struct UnsafeRoute;

// The refund service with everything that can go wrong. Its worker threads share what is here and safe for that.
class Lab {
public:
    // It serves when this returns; its tables were made where they were missing.
    static Result<std::unique_ptr<Lab>> start(const LabOptions& options);
    // Requests that have been read are answered.
    ~Lab();
    Lab(const Lab&) = delete;
    Lab& operator=(const Lab&) = delete;

    [[nodiscard]] int port() const { return m_server->port(); }

    // For its workers.
    [[nodiscard]] const LabOptions& options() const { return m_options; }
    [[nodiscard]] Gate& gate() { return m_gate; }
    [[nodiscard]] RunningKeys& running() { return m_running; }
    [[nodiscard]] TerminalCache* cache() { return m_cache.get(); } // null: there is none
    [[nodiscard]] const RouteContract& contract(const UnsafeRoute& route) const;
    [[nodiscard]] std::span<const RouteContract> contracts() const { return m_contracts; }
    [[nodiscard]] EffectClass refundEffect() const;
    [[nodiscard]] static store::OpenOptions openOptions();
    [[nodiscard]] Faults& faults() { return m_faults; }
    [[nodiscard]] telemetry::Metrics& metrics() { return m_metrics; }
    [[nodiscard]] telemetry::EventMetrics& eventMetrics() { return m_eventMetrics; }
    [[nodiscard]] telemetry::JsonLog* log() { return m_log.get(); }
    [[nodiscard]] SpanFile& spans() { return m_spans; }
    [[nodiscard]] const telemetry::KeyPrivacy& privacy() const { return m_privacy; }
    [[nodiscard]] std::string vendorUrl() const; // empty: there is none
    [[nodiscard]] const WebhookVerifier* verifier() const { return m_verifier ? &*m_verifier : nullptr; }
    [[nodiscard]] delivery::ConsumerOptions consumerOptions() const;
    [[nodiscard]] std::string eventsUrl() const; // where it receives events itself
    [[nodiscard]] store::WriterQueue* writerQueue() { return m_queue.get(); }
    [[nodiscard]] Heartbeat& heartbeat() { return *m_heartbeat; }
    [[nodiscard]] const Clock& steady() const { return m_steady; }
    // anonymous, or a name for whoever has these credentials, which does not give them away.
    [[nodiscard]] std::string principalOf(const HttpRequest& request) const;
    // By its head alone: no such route, no such media type, or what the route's contract says.
    [[nodiscard]] std::optional<HttpResponse> refuse(const HttpRequest& head) const;
    void deliverAgain(const HttpRequest& request);

private:
    explicit Lab(const LabOptions& options);
    Status open();
    Status makeTables(store::Connection& connection);
    Status prepare(store::Connection& connection);
    Status serve();
    void countFromNothing();
    Status exchangeEvents();

    LabOptions m_options;
    std::vector<RouteContract> m_contracts; // of unsafeRoutes(), in their order
    SystemClock m_clock;
    retry::SteadyClock m_steady;
    Faults m_faults;
    telemetry::Metrics m_metrics;
    telemetry::EventMetrics m_eventMetrics{ m_metrics };
    Gate m_gate{ m_steady, m_metrics };
    RunningKeys m_running;
    std::unique_ptr<TerminalCache> m_cache;
    telemetry::KeyPrivacy m_privacy;
    std::ofstream m_logFile;
    std::unique_ptr<telemetry::JsonLog> m_log;
    SpanFile m_spans;
    Bytes m_salt; // of principals and hashed keys
    std::unique_ptr<store::WriterQueue> m_queue;
    std::unique_ptr<Heartbeat> m_heartbeat;
    std::unique_ptr<HttpServer> m_vendor;
    std::optional<WebhookVerifier> m_verifier; // none: there is no secret
    std::atomic<HttpServer*> m_serving = nullptr;
    std::unique_ptr<HttpServer> m_server;
    std::unique_ptr<EventRelay> m_relay;
    std::unique_ptr<EventIntake> m_intake;
};

} // namespace fencepost::app

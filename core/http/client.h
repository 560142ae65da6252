// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QSslConfiguration>

#include "core/clock.h"
#include "core/http/alarm.h"
#include "core/http/call_telemetry.h"
#include "core/http/client_request.h"
#include "core/protocol/http_message.h"
#include "core/protocol/keys.h"
#include "core/protocol/policy.h"
#include "core/retry/call.h"

namespace fencepost::http {

struct ClientOptions {
    retry::Policy policy = *retry::presetOf("playbook");
    retry::DependencyOptions dependency{}; // of each origin: scheme, host and port
    std::string keyHeader = "Idempotency-Key";
    KeyForm keyForm = KeyForm::Bare;
    // Asked for each attempt, also after a restart: Authorization and the like, which no journal keeps.
    std::function<Headers(const std::string& url)> credentials{};
    std::size_t longestAnswer = 8U << 20; // octets; what is over it is cut, and its status still counts
    std::size_t longestKept = 1U << 20; // octets of a body in the journal; of a longer one only the digest is kept
    Duration remembered = std::chrono::hours(24); // how long servers know a key; an older one is not sent again
    bool http2 = false;
    std::optional<QSslConfiguration> tls{}; // a root of one's own; certificates are verified in any case
};

// Retries, budget and breaker as a policy has them.
[[nodiscard]] ClientOptions clientOptionsOf(const RoutePolicy& policy);

// What the clients of a process share of each origin (protocol §3.8): one budget, one breaker, one limiter, however
// many clients there are. Safe to use from several threads at once; the clock outlives it.
class SharedDependencies {
public:
    SharedDependencies(const retry::DependencyOptions& options, const Clock& steady, std::uint64_t seed);
    ~SharedDependencies();
    SharedDependencies(const SharedDependencies&) = delete;
    SharedDependencies& operator=(const SharedDependencies&) = delete;

    // Lives as long as this.
    [[nodiscard]] retry::Dependency& of(const std::string& origin);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

// They outlive the client, and belong to its thread.
struct ClientParts {
    const Clock& steady; // deadlines and delays: retry::SteadyClock
    const Clock& wall; // dates: SystemClock
    Random& random;
    KeySource& keys;
    Alarm& alarm; // by the steady clock
    ClientJournal* journal = nullptr; // null: keys go with the process
    ClientTelemetry telemetry{};
    SharedDependencies* dependencies = nullptr; // null: the client has its own, as its options say
};

// How a logical operation ended.
struct ClientOutcome {
    retry::Decision decision; // Done, Stop or Unknown, and why
    std::string operation;
    std::string key; // empty: a safe request
    int attempts = 0; // of this call; those before a restart are in the journal
    std::optional<HttpResponse> response{}; // to the last attempt that was answered
    bool cut = false; // its body was over the limit and is not whole
    int hiddenSends = 0; // how often the network stack sent an attempt again on its own
    std::string transport{}; // the network stack's words, where the last attempt was not answered
    std::optional<retry::Ending> ending{}; // of the last attempt; none: nothing was tried
    bool tls = false; // the last attempt met a certificate that is not trusted, or no TLS at all
    std::optional<Error> journal{}; // the outcome could not be written: the entry is open, and resume() sends it again
    Duration took{};
};

// Sends requests that are safe to repeat, and is the one layer that repeats them: one key for each logical operation,
// written to the journal before the first attempt and kept until the outcome is confirmed. Works on the event loop of
// the thread that made it and never waits in it, except for the journal's disk. Redirections are answers and not
// followed; cookies, caches and the content codings of the network stack are off.
//
// QNetworkAccessManager's own repetitions: see OneShotBody. Safe requests have no body to refuse them with; what it
// repeats there is counted.
class Client {
public:
    using CallId = std::uint64_t;
    using Ended = std::function<void(const ClientOutcome&)>;
    struct Sent {
        CallId id = 0;
        std::string key;
    };

    explicit Client(const ClientParts& parts, ClientOptions options = {});
    // What is on its way is cut off and stays open in the journal; nobody is told.
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // `ended` is called once, later and from the event loop; it may delete the client. An error here means that nothing
    // was sent: Invalid as of checked(), Conflict where the key is on its way or was another request's, or the
    // journal's own.
    Result<Sent> send(const ClientRequest& request, Ended ended);
    // Ends it soon, as Unknown where an attempt may have been executed.
    void cancel(CallId id);

    enum class Which { Open, OpenAndUnknown };
    struct Resumed {
        std::vector<Sent> sent;
        std::vector<CallEntry> bodiless; // their body was too long to be kept: send() it again with the entry's key
        std::vector<CallEntry> tooOld; // servers may have forgotten the key: look up what became of it; now Unknown
        std::vector<CallEntry> refused; // the request is one that this client does not send
    };
    // Sends what a process before this one left behind, under the keys that it had. `ended` is called for each.
    Result<Resumed> resume(const Ended& ended, Which which = Which::Open);

    struct Activity {
        std::size_t calls = 0;
        std::size_t onTheirWay = 0; // calls with an attempt on the wire; the others wait
    };
    [[nodiscard]] Activity activity() const;
    // What all calls to the origin of a URL share, for metrics and operators.
    [[nodiscard]] retry::Dependency& dependencyOf(const std::string& url);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace fencepost::http

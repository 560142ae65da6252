// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/delivery/targets.h"
#include "core/http/client.h"
#include "core/http/timer_alarm.h"
#include "core/protocol/key_syntax.h"
#include "core/protocol/keys.h"

namespace fencepost::delivery {

namespace {

http::ClientOptions clientOptions(const TargetOptions& options)
{
    http::ClientOptions client;
    client.policy.attempts = 1;
    client.policy.attemptTimeout = options.timeout;
    client.policy.total.reset();
    client.longestAnswer = 64U << 10U;
    client.tls = options.tls;
    // A probe that is answered late still counts.
    client.dependency.breaker->probeLease = options.timeout + std::chrono::seconds(1);
    // Whoever is probed with may be what fails, so one that is answered is enough, and the next is not far.
    client.dependency.breaker->probes = 1;
    client.dependency.breaker->openMost = std::chrono::seconds(20);
    return client;
}

// What was reset or closed behind the request may have been done: only "connection" and "tls" say that it was not.
std::string_view wordOfEnding(const http::ClientOutcome& outcome)
{
    if (outcome.ending == retry::Ending::TimedOut)
        return "timeout";
    if (outcome.ending != retry::Ending::NotSent)
        return "connection_lost";
    return outcome.tls ? "tls" : "connection";
}

// Those of the client are about retries, which are the relay's.
std::string wordsOfEnding(const http::ClientOutcome& outcome, Duration timeout)
{
    if (outcome.ending == retry::Ending::TimedOut)
        return "the endpoint did not answer within " + formatDuration(timeout);
    if (outcome.ending != retry::Ending::NotSent)
        return "the connection was lost before the answer was whole";
    return outcome.transport.empty() ? std::string("it could not be connected to") : outcome.transport;
}

DeliveryResult resultOf(const http::ClientOutcome& outcome, Duration timeout)
{
    const auto asked = outcome.decision.retryAfter;
    if (outcome.attempts == 0)
        return { Delivered::NotTried, {}, std::string(outcome.decision.reason), asked };
    if (!outcome.response)
        return { Delivered::Failed, std::string(wordOfEnding(outcome)), wordsOfEnding(outcome, timeout), asked };
    constexpr int gone = 410;
    const int status = outcome.response->status;
    if (status >= 200 && status < 300)
        return { Delivered::Accepted, std::to_string(status), {}, {} };
    return { status == gone ? Delivered::Gone : Delivered::Failed, std::to_string(status),
        "the endpoint answered " + std::to_string(status), asked };
}

class WebhookTarget final : public Target {
public:
    WebhookTarget(const TargetParts& parts, const TargetOptions& options)
        : m_keys(parts.wall, parts.random)
        , m_alarm(parts.steady)
        , m_secrets(options.secrets)
        , m_timeout(options.timeout)
        , m_client({ .steady = parts.steady,
                       .wall = parts.wall,
                       .random = parts.random,
                       .keys = m_keys,
                       .alarm = m_alarm,
                       .telemetry = { .metrics = parts.metrics } },
              clientOptions(options))
    {
    }

    void deliver(const Parcel& parcel, Ended ended) override
    {
        const auto& event = parcel.message.event;
        // Nothing goes out unsigned where it should be signed.
        if (!m_secrets.empty() && !isWebhookId(event.eventId))
            return refuse(std::move(ended),
                "the event's id cannot be signed: it has 1 to 255 printable ASCII characters, none of them a space or "
                "a dot");
        // One event may go to several destinations at the same time.
        const auto operation = "webhook " + std::to_string(parcel.message.seq);
        http::ClientRequest request{ .operation = operation, .url = parcel.destination, .body = parcel.payload };
        request.ownsRetries = false;
        request.background = true;
        request.attemptsBefore = std::max(0, parcel.message.attempt - 1);
        request.mayBePoison = true;
        request.headers = cloudEventHeaders(parcel.message);
        request.headers.emplace_back("Content-Type", contentTypeOf(event));
        // One key for all attempts; an id that is too long for one has a key of its own that is as constant.
        request.key =
            keyOfField(quotedKey(event.eventId)) ? event.eventId : derivedEventId("webhook", "", event.eventId, 0);
        // The id stays, the instant and so the signature are the attempt's (P-103).
        request.attemptHeaders = [this, id = event.eventId, body = parcel.payload](Time now) -> Headers {
            if (!m_secrets.empty())
                if (auto headers = signedHeaders(m_secrets, id, now, body))
                    return *headers;
            return { { "webhook-id", id }, { "webhook-timestamp", std::to_string(microsOf(now) / 1'000'000) } };
        };
        const auto sent = m_client.send(request,
            [ended, timeout = m_timeout](const http::ClientOutcome& outcome) { ended(resultOf(outcome, timeout)); });
        // Nothing was sent, and nothing will be by trying again.
        if (!sent)
            refuse(std::move(ended), sent.error().message);
    }

private:
    void refuse(Ended ended, const std::string& why)
    {
        QMetaObject::invokeMethod(
            &m_context,
            [ended = std::move(ended), why] {
                ended({ Delivered::Failed, "request", why, {}, false });
            },
            Qt::QueuedConnection);
    }

    KeySource m_keys;
    http::TimerAlarm m_alarm;
    std::vector<WebhookSecret> m_secrets;
    const Duration m_timeout; // of one attempt
    http::Client m_client;
    QObject m_context;
};

} // namespace

std::unique_ptr<Target> makeWebhookTarget(const TargetParts& parts, const TargetOptions& options)
{
    return std::make_unique<WebhookTarget>(parts, options);
}

} // namespace fencepost::delivery

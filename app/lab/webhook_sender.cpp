// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/webhook_sender.h"

#include <future>
#include <map>
#include <set>
#include <thread>

#include <QEventLoop>
#include <QTimer>

#include "app/lab/books.h"
#include "app/lab/own_connection.h"
#include "core/http/client.h"
#include "core/http/timer_alarm.h"
#include "core/retry/steady_clock.h"

namespace fencepost::app {

namespace {

constexpr auto lookEvery = std::chrono::milliseconds(100);
constexpr int batch = 50; // events
constexpr auto askAgain = std::chrono::seconds(3);

// Asked again, the endpoint would say the same.
bool isRefusal(int status)
{
    return status >= 300 && status < 500 && status != 408 && status != 409 && status != 425 && status != 429;
}

// The sender as its thread has it.
class Sending {
public:
    Sending(OwnConnection connection, const WebhookSenderParts& parts)
        : m_connection(std::move(connection))
        , m_parts(parts)
        , m_keys(m_wall, m_random)
        , m_alarm(m_steady)
        , m_client({ .steady = m_steady,
                       .wall = m_wall,
                       .random = m_random,
                       .keys = m_keys,
                       .alarm = m_alarm,
                       .telemetry = { .metrics = &parts.metrics } },
              { .policy = parts.policy })
        // A duplicate is a delivery of its own, as if somebody had forgotten the first one.
        , m_secondAlarm(m_steady)
        , m_secondClient({ m_steady, m_wall, m_random, m_keys, m_secondAlarm }, { .policy = parts.policy })
    {
    }

    // Events that came since. The database being away is nothing that a sender can mend: the next look may find it.
    void look()
    {
        const auto connection = m_connection.get();
        if (!connection)
            return;
        const auto pending = Books(**connection).pendingWebhooks(batch);
        if (!pending)
            return;
        const auto now = m_steady.now();
        std::erase_if(m_later, [now](const auto& entry) { return entry.second <= now; });
        for (const auto& webhook : *pending)
            if (m_later.count(webhook.eventId) == 0 && m_sending.insert(webhook.eventId).second)
                send(webhook);
    }

private:
    void send(const Webhook& webhook)
    {
        http::ClientRequest request{ .operation = "webhook", .url = m_parts.url, .body = webhook.payload };
        request.headers = { { "Content-Type", "application/json" }, { "webhook-id", webhook.eventId } };
        // The attempt's, so that a receiver can refuse what is old.
        request.attemptHeaders = [](Time now) -> Headers {
            return { { "webhook-timestamp", std::to_string(microsOf(now) / 1'000'000) } };
        };
        request.key = webhook.eventId;
        const auto sent = m_client.send(request, [this, id = webhook.eventId](const http::ClientOutcome& outcome) {
            m_sending.erase(id);
            const int status = outcome.response ? outcome.response->status : 0;
            const bool delivered = outcome.decision.verdict == retry::Verdict::Done && status < 300;
            // A breaker, a budget or a limiter may end it before the endpoint was asked as often as it may be: it is
            // asked on later.
            const int attempts = m_attempts[id] += outcome.attempts;
            const bool givenUp = !delivered && (isRefusal(status) || attempts >= m_parts.policy.attempts);
            if (delivered || givenUp)
                m_attempts.erase(id);
            else
                m_later[id] =
                    m_steady.now() + std::min<Duration>(askAgain, outcome.decision.retryAfter.value_or(askAgain));
            // Where the row cannot be written the event is sent once more, which its id allows.
            const auto connection = m_connection.get();
            if (!connection || (!delivered && !givenUp))
                return;
            Books books(**connection);
            const auto ended =
                delivered ? books.webhookDelivered(id, m_wall.now()) : books.webhookGivenUp(id, m_wall.now());
            static_cast<void>(ended.has_value());
        });
        if (!sent)
            m_sending.erase(webhook.eventId);
        else if (m_parts.faults.draw(FaultKind::DuplicateWebhook))
            static_cast<void>(m_secondClient.send(request, {}).has_value());
    }

    OwnConnection m_connection;
    const WebhookSenderParts& m_parts;
    retry::SteadyClock m_steady;
    SystemClock m_wall;
    SystemRandom m_random;
    KeySource m_keys;
    http::TimerAlarm m_alarm;
    http::Client m_client;
    http::TimerAlarm m_secondAlarm;
    http::Client m_secondClient;
    std::set<std::string> m_sending; // event ids
    std::map<std::string, int> m_attempts; // of those that are not ended
    std::map<std::string, Time> m_later; // those that could not be asked for, by the steady clock
};

} // namespace

struct WebhookSender::Private {
    std::thread thread;
    QEventLoop* loop = nullptr; // the thread's
};

WebhookSender::WebhookSender()
    : d(std::make_unique<Private>())
{
}

Result<std::unique_ptr<WebhookSender>> WebhookSender::start(const WebhookSenderParts& parts)
{
    std::unique_ptr<WebhookSender> sender(new WebhookSender);
    std::promise<Status> started;
    auto answer = started.get_future();
    sender->d->thread = std::thread([&d = *sender->d, parts, &started] {
        OwnConnection connection(parts.target, parts.openOptions);
        if (const auto opened = connection.get(); !opened) {
            started.set_value(opened.error());
            return;
        }
        QEventLoop loop;
        Sending sending(std::move(connection), parts);
        QTimer timer;
        QObject::connect(&timer, &QTimer::timeout, &timer, [&sending] { sending.look(); });
        timer.start(lookEvery);
        d.loop = &loop;
        started.set_value({});
        loop.exec();
    });
    if (const auto status = answer.get(); !status)
        return status.error();
    return sender;
}

WebhookSender::~WebhookSender()
{
    if (d->loop != nullptr)
        QMetaObject::invokeMethod(d->loop, &QEventLoop::quit, Qt::QueuedConnection);
    if (d->thread.joinable())
        d->thread.join();
}

} // namespace fencepost::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/webhook_sender.h"

#include <future>
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

// The sender as its thread has it.
class Sending {
public:
    Sending(OwnConnection connection, const WebhookSenderParts& parts)
        : m_connection(std::move(connection))
        , m_parts(parts)
        , m_keys(m_wall, m_random)
        , m_alarm(m_steady)
        , m_client({ m_steady, m_wall, m_random, m_keys, m_alarm }, { .policy = *retry::presetOf("vendor") })
        // A duplicate is a delivery of its own, as if somebody had forgotten the first one.
        , m_secondAlarm(m_steady)
        , m_secondClient(
              { m_steady, m_wall, m_random, m_keys, m_secondAlarm }, { .policy = *retry::presetOf("vendor") })
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
        for (const auto& webhook : *pending)
            if (m_sending.insert(webhook.eventId).second)
                send(webhook);
    }

private:
    void send(const Webhook& webhook)
    {
        http::ClientRequest request{ .operation = "webhook", .url = m_parts.url, .body = webhook.payload };
        request.headers = { { "Content-Type", "application/json" }, { "webhook-id", webhook.eventId },
            { "webhook-timestamp", std::to_string(microsOf(m_wall.now()) / 1'000'000) } };
        request.key = webhook.eventId;
        const auto sent = m_client.send(request, [this, id = webhook.eventId](const http::ClientOutcome& outcome) {
            m_sending.erase(id);
            const bool delivered = outcome.decision.verdict == retry::Verdict::Done;
            // Where the row cannot be written the event is sent once more, which its id allows.
            const auto connection = m_connection.get();
            if (!connection)
                return;
            if (delivered)
                static_cast<void>(Books(**connection).webhookDelivered(id, m_wall.now()).has_value());
            else if (outcome.response)
                static_cast<void>(Books(**connection).webhookGivenUp(id, m_wall.now()).has_value());
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

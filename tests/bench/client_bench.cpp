// SPDX-License-Identifier: GPL-3.0-or-later
// client_bench [ROUNDS]: what the client adds to a request, beside the bare network stack with the same request to the
// same server on loopback, in one run and by turns.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <QCoreApplication>
#include <QEventLoop>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QThread>

#include "core/http/client.h"
#include "core/http/timer_alarm.h"
#include "core/retry/steady_clock.h"
#include "core/store/client_journal_file.h"

namespace {

using namespace fencepost;
using Stopwatch = std::chrono::steady_clock;

const std::string body = R"({"charge_id":"ch_1","amount":1000})";
constexpr int batch = 50; // requests of one kind, before the next kind has its turn

// Answers every request with the same octets, in a thread of its own.
class Server : public QThread {
public:
    Server()
    {
        start();
        while (port == 0)
            QThread::yieldCurrentThread();
    }
    ~Server() override
    {
        quit();
        wait();
    }
    std::atomic<int> port = 0;
    std::atomic<int> requests = 0;

protected:
    void run() override
    {
        QTcpServer server;
        QObject::connect(&server, &QTcpServer::newConnection, &server, [&] {
            auto* socket = server.nextPendingConnection();
            QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket, received = QByteArray()]() mutable {
                received += socket->readAll();
                const auto end = received.indexOf("\r\n\r\n");
                if (end < 0 || received.size() < end + 4 + static_cast<qsizetype>(body.size()))
                    return;
                received.clear();
                ++requests;
                socket->write("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: "
                              "13\r\n\r\n{\"id\":\"rf_1\"}");
            });
        });
        server.listen(QHostAddress::LocalHost);
        port = server.serverPort();
        exec();
    }
};

struct Kind {
    const char* name;
    std::function<void(QEventLoop&)> once; // quits the loop when the answer is there
    std::vector<double> microseconds{};

    double quantile(double at)
    {
        std::sort(microseconds.begin(), microseconds.end());
        return microseconds[static_cast<std::size_t>(at * static_cast<double>(microseconds.size() - 1))];
    }
};

void measure(Kind& kind)
{
    for (int i = 0; i < batch; ++i) {
        QEventLoop loop;
        const auto begun = Stopwatch::now();
        kind.once(loop);
        loop.exec();
        kind.microseconds.push_back(std::chrono::duration<double, std::micro>(Stopwatch::now() - begun).count());
    }
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 40;
    Server server;
    const auto url = "http://127.0.0.1:" + std::to_string(server.port) + "/refunds";

    const retry::SteadyClock steady;
    const SystemClock wall;
    SystemRandom random;
    KeySource keys(wall, random);
    const QTemporaryDir folder;
    auto journal = store::ClientJournalFile::open(folder.filePath(QLatin1String("calls.db")).toStdString());
    if (!journal) {
        std::fprintf(stderr, "%s\n", inWords(journal.error()).c_str());
        return 1;
    }
    http::TimerAlarm keeping(steady);
    http::TimerAlarm forgetting(steady);
    http::Client kept({ steady, wall, random, keys, keeping, journal->get() });
    http::Client forgotten({ steady, wall, random, keys, forgetting });
    QNetworkAccessManager bare;
    const auto send = [&](http::Client& client, QEventLoop& loop) {
        const auto sent = client.send({ .operation = "refund.create",
                                          .url = url,
                                          .headers = { { "Content-Type", "application/json" } },
                                          .body = body },
            [&loop](const http::ClientOutcome& ended) {
                if (ended.decision.verdict != retry::Verdict::Done)
                    std::exit(1);
                loop.quit();
            });
        if (!sent)
            std::exit(1);
    };
    std::vector<Kind> kinds = {
        { "bare QNetworkAccessManager",
            [&](QEventLoop& loop) {
                QNetworkRequest request(QUrl(QString::fromStdString(url)));
                request.setHeader(QNetworkRequest::ContentTypeHeader, QByteArray("application/json"));
                auto* reply = bare.post(request, QByteArray::fromStdString(body));
                QObject::connect(reply, &QNetworkReply::finished, &loop, [reply, &loop] {
                    (void)reply->readAll();
                    reply->deleteLater();
                    loop.quit();
                });
            } },
        { "client without a journal", [&](QEventLoop& loop) { send(forgotten, loop); } },
        { "client with a journal on disk", [&](QEventLoop& loop) { send(kept, loop); } },
    };
    for (auto& kind : kinds) {
        measure(kind); // warm
        kind.microseconds.clear();
    }
    for (int round = 0; round < rounds; ++round)
        for (auto& kind : kinds)
            measure(kind);
    const auto base = kinds[0].quantile(0.5);
    for (auto& kind : kinds)
        std::printf("%-30s p50 %7.0f us  p99 %7.0f us  least %7.0f us  %.2f times bare\n", kind.name,
            kind.quantile(0.5), kind.quantile(0.99), kind.quantile(0), kind.quantile(0.5) / base);
    const auto sent = static_cast<int>(kinds.size()) * (rounds + 1) * batch;
    std::printf("%d requests, %d executed\n", sent, server.requests.load());
    return server.requests == sent ? 0 : 1;
}

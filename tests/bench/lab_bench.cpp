// SPDX-License-Identifier: GPL-3.0-or-later
// lab_bench DATABASE-URL [ROUNDS]: a replay through the lab beside a plain GET of the same row from the same server, by
// turns on one connection each; and a thousand duplicates of one key at once. The lab serves from threads of this
// process, over real sockets.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QCoreApplication>

#include "app/lab/lab.h"

namespace {

using namespace fencepost;
using Stopwatch = std::chrono::steady_clock;

constexpr int duplicates = 1000;
constexpr int warmUp = 200;

double microsecondsSince(Stopwatch::time_point begin)
{
    return std::chrono::duration<double, std::micro>(Stopwatch::now() - begin).count();
}

int connectTo(int port)
{
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        std::perror("connect");
        std::exit(1);
    }
    return socket;
}

std::string post(const std::string& target, const std::string& key, const std::string& body)
{
    return "POST " + target + " HTTP/1.1\r\nHost: lab\r\nContent-Type: application/json\r\nIdempotency-Key: " + key
        + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string get(const std::string& target)
{
    return "GET " + target + " HTTP/1.1\r\nHost: lab\r\n\r\n";
}

bool isWhole(const std::string& answer)
{
    const auto end = answer.find("\r\n\r\n");
    const auto length = answer.find("Content-Length: ");
    return end != std::string::npos && answer.size() >= end + 4 + std::stoul(answer.substr(length + 16));
}

std::string exchange(int socket, const std::string& request)
{
    if (write(socket, request.data(), request.size()) != static_cast<ssize_t>(request.size()))
        std::exit(1);
    std::string answer;
    std::array<char, 16384> piece{};
    while (!isWhole(answer)) {
        const auto length = read(socket, piece.data(), piece.size());
        if (length <= 0)
            std::exit(1);
        answer.append(piece.data(), static_cast<std::size_t>(length));
    }
    return answer;
}

double quantile(std::vector<double>& values, double at)
{
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(at * static_cast<double>(values.size() - 1))];
}

void print(const char* name, std::vector<double>& microseconds)
{
    std::printf("%-34s p50 %8.0f us   p99 %8.0f us   (%zu)\n", name, quantile(microseconds, 0.5),
        quantile(microseconds, 0.99), microseconds.size());
}

std::string idOf(const std::string& answer)
{
    const auto at = answer.find("\"id\":\"");
    return answer.substr(at + 6, answer.find('"', at + 6) - at - 6);
}

void compareWithGet(int port, int rounds)
{
    const int replaying = connectTo(port);
    const int getting = connectTo(port);
    const auto wish = post("/payments", "bench-replay", R"({"amount":1000000,"currency":"EUR"})");
    const auto row = get("/payments/" + idOf(exchange(replaying, wish)));
    std::vector<double> replays;
    std::vector<double> gets;
    for (int round = -warmUp; round < rounds; ++round) {
        auto begin = Stopwatch::now();
        const auto replayed = exchange(replaying, wish);
        const auto replay = microsecondsSince(begin);
        begin = Stopwatch::now();
        exchange(getting, row);
        const auto plain = microsecondsSince(begin);
        if (replayed.find("Idempotency-Status: replayed") == std::string::npos)
            std::exit(1);
        if (round < 0)
            continue;
        replays.push_back(replay);
        gets.push_back(plain);
    }
    print("GET of the row", gets);
    print("replay of the POST that made it", replays);
    std::printf("%-34s %.2f\n", "replay / GET, p50", quantile(replays, 0.5) / quantile(gets, 0.5));
    close(replaying);
    close(getting);
}

// All connections are open and have the request before the first answer is awaited.
void storm(int port, const std::string& key)
{
    const auto charge =
        idOf(exchange(connectTo(port), post("/payments", key + "-payment", R"({"amount":5,"currency":"EUR"})")));
    const auto wish = post("/refunds", key, R"({"charge_id":")" + charge + R"(","amount":1,"reference":")" + key + "\"}");
    std::vector<pollfd> waiting;
    for (int i = 0; i < duplicates; ++i)
        waiting.push_back({ connectTo(port), POLLIN, 0 });
    std::vector<std::string> answers(duplicates);
    std::vector<Stopwatch::time_point> sent(duplicates);
    std::vector<double> took;
    const auto begin = Stopwatch::now();
    for (int i = 0; i < duplicates; ++i) {
        sent[static_cast<std::size_t>(i)] = Stopwatch::now();
        if (write(waiting[static_cast<std::size_t>(i)].fd, wish.data(), wish.size()) <= 0)
            std::exit(1);
    }
    std::array<char, 16384> piece{};
    while (took.size() < duplicates) {
        poll(waiting.data(), waiting.size(), 1000);
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if ((waiting[i].revents & POLLIN) == 0)
                continue;
            const auto length = read(waiting[i].fd, piece.data(), piece.size());
            if (length <= 0)
                std::exit(1);
            answers[i].append(piece.data(), static_cast<std::size_t>(length));
            if (!isWhole(answers[i]))
                continue;
            took.push_back(microsecondsSince(sent[i]));
            close(waiting[i].fd);
            waiting[i].fd = -1;
        }
    }
    const auto all = microsecondsSince(begin);
    const auto count = [&](const char* text) {
        return std::count_if(answers.begin(), answers.end(),
            [&](const std::string& answer) { return answer.find(text) != std::string::npos; });
    };
    const auto ledger = exchange(connectTo(port), get("/ledger"));
    std::size_t effects = 0;
    for (std::size_t at = 0; (at = ledger.find("\"reference\":\"" + key + '"', at)) != std::string::npos; ++at)
        ++effects;
    std::printf(
        "%d duplicates at once: %zu effect(s) in the ledger; %ld stored, %ld replayed, %ld told to wait; %.0f ms\n",
        duplicates, effects, count("Idempotency-Status: stored"), count("Idempotency-Status: replayed"),
        count("idempotency.in_progress"), all / 1000);
    print("  until its answer", took);
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    if (argc < 2) {
        std::fprintf(stderr, "usage: lab_bench DATABASE-URL [ROUNDS]; the database is new or a lab's\n");
        return 2;
    }
    const rlimit files{ 8192, 8192 };
    setrlimit(RLIMIT_NOFILE, &files);
    const auto target = store::parseUrl(argv[1]);
    if (!target) {
        std::fprintf(stderr, "%s\n", inWords(target.error()).c_str());
        return 2;
    }
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 3000;
    for (const auto mode : { ContractMode::SingleTransaction, ContractMode::ReserveFinalize }) {
        app::LabOptions options;
        options.target = *target;
        options.mode = mode;
        const bool single = mode == ContractMode::SingleTransaction;
        std::printf("mode %s\n", single ? "transaction" : "reserve");
        auto lab = app::Lab::start(options);
        if (!lab) {
            std::fprintf(stderr, "%s\n", inWords(lab.error()).c_str());
            return 1;
        }
        compareWithGet((*lab)->port(), rounds);
        storm((*lab)->port(), single ? "storm-transaction" : "storm-reserve");
    }
    return 0;
}

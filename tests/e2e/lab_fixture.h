// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <QFile>
#include <QProcess>
#include <QStringList>

#include "tests/support/dialects.h"
#include "tests/support/temp_database.h"

namespace fencepost::test {

using WireHeaders = std::vector<std::pair<std::string, std::string>>;

// What came back on the wire.
struct WireAnswer {
    int status = 0; // 0: the connection ended without an answer
    bool reset = false; // with RST
    WireHeaders headers;
    std::string body;

    [[nodiscard]] std::string header(const std::string& name) const
    {
        for (const auto& [itsName, value] : headers)
            if (itsName == name)
                return value;
        return {};
    }
    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
    [[nodiscard]] std::string code() const { return json().value("error_code", ""); }
    [[nodiscard]] std::string id() const { return json().value("id", ""); }
};

// A plain socket to a port of this computer, for requests that no library would send.
class Wire {
public:
    explicit Wire(int port)
        : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        m_connected = ::connect(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        const timeval longest{ 60, 0 };
        ::setsockopt(m_socket, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    }
    ~Wire() { ::close(m_socket); }
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    [[nodiscard]] bool isConnected() const { return m_connected; }

    void send(std::string_view octets) const
    {
        while (!octets.empty()) {
            const auto sent = ::send(m_socket, octets.data(), octets.size(), MSG_NOSIGNAL);
            if (sent <= 0)
                return;
            octets.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    // One answer; the connection stays for the next one.
    WireAnswer receive()
    {
        WireAnswer answer;
        std::size_t end = 0;
        while ((end = m_input.find("\r\n\r\n")) == std::string::npos)
            if (!more(answer))
                return answer;
        std::size_t at = m_input.find("\r\n") + 2;
        answer.status = std::atoi(m_input.c_str() + 9);
        while (at < end + 2) {
            const auto line = m_input.substr(at, m_input.find("\r\n", at) - at);
            const auto colon = line.find(": ");
            answer.headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
            at += line.size() + 2;
        }
        const auto length = std::stoul("0" + answer.header("Content-Length"));
        while (m_input.size() < end + 4 + length)
            if (!more(answer))
                break;
        answer.body = m_input.substr(end + 4, length);
        m_input.erase(0, end + 4 + length);
        return answer;
    }

    // Everything until the other side closes.
    [[nodiscard]] std::string rest()
    {
        WireAnswer ignored;
        while (more(ignored)) { }
        return m_input;
    }

    // Whether the other side closes; what it still says is thrown away.
    [[nodiscard]] bool isClosed()
    {
        WireAnswer ignored;
        while (more(ignored)) { }
        return m_ended;
    }

private:
    bool more(WireAnswer& answer)
    {
        char piece[65536];
        const auto length = ::recv(m_socket, piece, sizeof piece, 0);
        if (length > 0) {
            m_input.append(piece, static_cast<std::size_t>(length));
            return true;
        }
        m_ended = length == 0 || errno == ECONNRESET;
        answer.reset = length < 0 && errno == ECONNRESET;
        return false;
    }

    int m_socket;
    bool m_connected = false;
    bool m_ended = false;
    std::string m_input;
};

inline std::string wireRequest(
    const std::string& method, const std::string& target, const WireHeaders& headers, const std::string& body)
{
    auto text = method + ' ' + target + " HTTP/1.1\r\nHost: lab\r\n";
    for (const auto& [name, value] : headers)
        text += name + ": " + value + "\r\n";
    if (!body.empty())
        text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    return text + "\r\n" + body;
}

// The real program as a process, on a real database of either kind.
class LabProcess {
public:
    explicit LabProcess(store::Dialect dialect)
        : database(dialect)
    {
    }

    void start(const QStringList& arguments = {})
    {
        lab.setProgram(QStringLiteral(FENCEPOST_LAB));
        lab.setArguments(
            QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()), QStringLiteral("--port"),
                QStringLiteral("0"), QStringLiteral("--workers"), QStringLiteral("4") }
            + arguments);
        lab.setWorkingDirectory(database.folder());
        lab.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        lab.start();
        ASSERT_TRUE(lab.waitForStarted());
        while (!lab.canReadLine())
            ASSERT_TRUE(lab.waitForReadyRead(60'000)) << "the lab does not serve";
        port = lab.readLine().trimmed().toInt();
        ASSERT_GT(port, 0);
    }
    // "--mode reserve" as arguments.
    void start(const char* words) { start(QString::fromUtf8(words).split(QLatin1Char(' '), Qt::SkipEmptyParts)); }

    // Under a policy, as JSON.
    void serve(const char* policy, const QStringList& further = {})
    {
        QFile file(database.folder() + QStringLiteral("/p.json"));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(policy);
        file.close();
        start(QStringList{ QStringLiteral("--policy"), QStringLiteral("p.json") } + further);
    }

    // Its exit code; -1: it was killed.
    int stop()
    {
        if (lab.state() == QProcess::NotRunning)
            return -1;
        lab.terminate();
        EXPECT_TRUE(lab.waitForFinished(60'000)) << "the lab does not stop";
        return lab.exitStatus() == QProcess::NormalExit ? lab.exitCode() : -1;
    }
    [[nodiscard]] bool died() { return lab.waitForFinished(60'000) && lab.exitStatus() == QProcess::CrashExit; }

    WireAnswer ask(const std::string& method, const std::string& target, const WireHeaders& headers = {},
        const std::string& body = {}) const
    {
        Wire wire(port);
        wire.send(wireRequest(method, target, headers, body));
        return wire.receive();
    }
    WireAnswer post(
        const std::string& target, const std::string& key, const std::string& body, WireHeaders more = {}) const
    {
        more.emplace_back("Idempotency-Key", key);
        return ask("POST", target, more, body);
    }
    std::string payment(std::int64_t amount = 100'000) const
    {
        const auto answer = post("/payments", "payment-of-" + std::to_string(amount),
            R"({"amount":)" + std::to_string(amount) + R"(,"currency":"EUR"})");
        EXPECT_EQ(answer.status, 201) << answer.body;
        return answer.id();
    }
    static std::string refundOf(const std::string& charge, std::int64_t amount, const std::string& reference = "r")
    {
        return nlohmann::json{ { "charge_id", charge }, { "amount", amount }, { "reference", reference } }.dump();
    }
    // Entries of a kind in the ledger.
    int entries(const std::string& kind) const
    {
        int count = 0;
        auto answer = ask("GET", "/ledger");
        // Each worker may have a lost connection of its own to meet.
        for (int i = 0; i < 10 && answer.status == 503; ++i)
            answer = ask("GET", "/ledger");
        EXPECT_EQ(answer.status, 200) << answer.body;
        const auto ledger = answer.json();
        for (const auto& entry : ledger.value("entries", nlohmann::json::array()))
            count += entry["kind"] == kind ? 1 : 0;
        return count;
    }
    double metric(const std::string& sample) const
    {
        const auto text = "\n" + ask("GET", "/metrics").body;
        const auto at = text.find("\n" + sample + ' ');
        return at == std::string::npos ? 0 : std::stod(text.substr(at + sample.size() + 2));
    }

    // As if the lease of everybody who is at work had ended, and the answer of every call had not come in time. A lease
    // that is long until then is not lost where the machine stands still.
    void endLeases() const
    {
        change("UPDATE idempotency_records SET lease_expires_at = created_at WHERE status = 'IN_PROGRESS'");
        change("UPDATE outbound_calls SET answer_by = created_at WHERE state = 'SENDING'");
    }
    // As if no answer were kept any more.
    void endAnswers() const { change("UPDATE idempotency_records SET expires_at = created_at"); }
    // The same, and as if nobody here remembered what was done for them; their vendor still does.
    void endLives() const
    {
        endAnswers();
        change("UPDATE effects SET expires_at = (SELECT min(created_at) FROM idempotency_records)");
        change("UPDATE outbound_calls SET expires_at = created_at");
    }

    TempDatabase database;
    QProcess lab;
    int port = 0;

private:
    void change(const std::string& sql) const
    {
        const auto connection = database.connect();
        ASSERT_TRUE(connection) << connection.error().message;
        const auto done = (*connection)->execute(sql);
        ASSERT_TRUE(done) << done.error().message << done.error().detail;
    }
};

class LabTest : public ::testing::TestWithParam<store::Dialect>, public LabProcess {
protected:
    LabTest()
        : LabProcess(GetParam())
    {
    }
    void SetUp() override { ASSERT_EQ(database.problem(), ""); }
    void TearDown() override { stop(); }
};

} // namespace fencepost::test

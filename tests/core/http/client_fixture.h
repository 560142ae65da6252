// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include <gmock/gmock.h>

#include <QTemporaryDir>

#include "core/http/client.h"
#include "core/store/client_journal_file.h"
#include "tests/support/scripted_server.h"
#include "tests/support/wait.h"

namespace fencepost::http {

using namespace std::chrono_literals;
using ::fencepost::testing::answers;
using ::fencepost::testing::closes;
using ::fencepost::testing::eventually;
using ::fencepost::testing::resets;
using ::fencepost::testing::says;
using ::fencepost::testing::saysAndCloses;
using ::fencepost::testing::ScriptedServer;
using ::fencepost::testing::staysSilent;
using retry::Verdict;

// Rings when the test says so.
class ManualAlarm final : public Alarm {
public:
    explicit ManualAlarm(ManualClock& clock)
        : m_clock(clock)
    {
    }
    void onRing(std::function<void()> ring) override { m_ring = std::move(ring); }
    void set(std::optional<Time> at) override { m_at = at; }

    // Moves the clock to the next instant that something waits for; how far that was.
    Duration ringNext()
    {
        const auto from = m_clock.now();
        m_clock.set(std::max(from, *m_at));
        m_ring();
        return m_clock.now() - from;
    }
    [[nodiscard]] bool isSet() const { return m_at.has_value(); }

private:
    ManualClock& m_clock;
    std::optional<Time> m_at;
    std::function<void()> m_ring;
};

inline const Headers json = { { "Content-Type", "application/problem+json" } };

// A client on real sockets and a real journal file, whose time moves only while nothing is on the wire.
class ClientTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        auto opened = store::ClientJournalFile::open(journalPath());
        ASSERT_TRUE(opened) << opened.error().message << opened.error().detail;
        journal = std::move(*opened);
        makeClient();
    }

    void makeClient(ClientOptions options = {})
    {
        client.reset();
        client = std::make_unique<Client>(
            ClientParts{ steady, wall, random, keys, alarm, journal.get() }, std::move(options));
    }

    [[nodiscard]] std::string journalPath() const { return folder.filePath(QLatin1String("calls.db")).toStdString(); }

    [[nodiscard]] static ClientRequest refund(const ScriptedServer& server)
    {
        return { .operation = "refund.create",
            .url = server.url(),
            .headers = { { "Content-Type", "application/json" } },
            .body = R"({"amount":10})" };
    }

    Result<Client::Sent> send(const ClientRequest& request)
    {
        outcome.reset();
        return client->send(request, [this](const ClientOutcome& ended) { outcome = ended; });
    }

    // To its end, over all delays between attempts.
    ClientOutcome carryOut(const ClientRequest& request)
    {
        const auto sent = send(request);
        EXPECT_TRUE(sent) << sent.error().message << sent.error().detail;
        return finish();
    }

    ClientOutcome finish()
    {
        EXPECT_TRUE(eventually([this] {
            if (!outcome && client->activity().calls > 0 && client->activity().onTheirWay == 0)
                delays.push_back(alarm.ringNext());
            return outcome.has_value();
        }));
        return outcome.value_or(ClientOutcome{});
    }

    std::optional<CallEntry> entryOf(const ClientOutcome& ended)
    {
        const auto entry = journal->find(ended.operation, ended.key);
        EXPECT_TRUE(entry) << entry.error().detail;
        return entry ? *entry : std::nullopt;
    }

    QTemporaryDir folder;
    ManualClock steady{ timeFromMicros(1'000'000'000) };
    ManualClock wall{ *parseInstant("2026-10-21T07:28:00Z") };
    SeededRandom random{ 7 };
    KeySource keys{ wall, random };
    ManualAlarm alarm{ steady };
    std::unique_ptr<store::ClientJournalFile> journal;
    std::unique_ptr<Client> client;
    std::optional<ClientOutcome> outcome;
    std::vector<Duration> delays;
};

} // namespace fencepost::http

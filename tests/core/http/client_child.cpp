// SPDX-License-Identifier: GPL-3.0-or-later
// A process of its own for the tests that kill one: client_child WHEN URL JOURNAL. WHEN is what it dies at by itself:
// before-write or after-write of the journal's entry, or never.
#include <csignal>
#include <iostream>
#include <string>

#include <QCoreApplication>

#include "core/http/client.h"
#include "core/http/timer_alarm.h"
#include "core/retry/steady_clock.h"
#include "core/store/client_journal_file.h"

using namespace fencepost;

namespace {

// Kills its process around the write that makes an entry.
class MortalJournal final : public ClientJournal {
public:
    MortalJournal(ClientJournal& journal, std::string when)
        : m_journal(journal)
        , m_when(std::move(when))
    {
    }
    Result<std::optional<CallEntry>> open(const CallEntry& entry) override
    {
        std::cout << entry.key << std::endl;
        if (m_when == "before-write")
            std::raise(SIGKILL);
        auto opened = m_journal.open(entry);
        if (m_when == "after-write")
            std::raise(SIGKILL);
        return opened;
    }
    Status update(const CallProgress& progress) override { return m_journal.update(progress); }
    Result<std::optional<CallEntry>> find(const std::string& operation, const std::string& key) override
    {
        return m_journal.find(operation, key);
    }
    Result<std::vector<CallEntry>> unsettled() override { return m_journal.unsettled(); }
    Result<std::int64_t> forgetConfirmed(Time before) override { return m_journal.forgetConfirmed(before); }

private:
    ClientJournal& m_journal;
    std::string m_when;
};

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    if (argc != 4)
        return 2;
    auto file = store::ClientJournalFile::open(argv[3]);
    if (!file)
        return 1;
    MortalJournal journal(**file, argv[1]);
    const retry::SteadyClock steady;
    const SystemClock wall;
    SystemRandom random;
    KeySource keys(wall, random);
    http::TimerAlarm alarm(steady);
    http::Client client({ steady, wall, random, keys, alarm, &journal });
    const auto sent = client.send({ .operation = "refund.create", .url = argv[2], .body = R"({"amount":10})" },
        [](const http::ClientOutcome& ended) {
            std::cout << retry::wordOf(ended.decision.verdict) << std::endl;
            QCoreApplication::exit(0);
        });
    return sent ? QCoreApplication::exec() : 1;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// A process of its own for the tests that break processes: store_child VERB URL.
#include <array>
#include <iostream>
#include <string>
#include <thread>

#include <QCoreApplication>

#include "core/random.h"
#include "core/store/inbox.h"
#include "core/store/outbox.h"
#include "core/store/schema.h"
#include "core/store/sql_store.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

int fail(const Error& error)
{
    std::cout << error.message << ": " << error.detail << std::endl;
    return 1;
}

// Waits for a word, so that two of them can begin at once.
int migrate(store::Connection& connection)
{
    std::cout << "ready" << std::endl;
    std::string word;
    std::getline(std::cin, word);
    const auto made = store::initSchema(connection, true);
    if (!made)
        return fail(made.error());
    std::cout << "migrated" << std::endl;
    return 0;
}

// Prints each key behind its commit, until it is killed.
int finalize(store::Connection& connection)
{
    store::SqlStore subject(connection, {});
    SystemRandom random;
    while (true) {
        const Reservation wish{ .id = { "s", "o", uuid4(random) },
            .requestHash = sha256("p"),
            .owner = { uuid4(random) },
            .lease = 60s,
            .ttl = 24h };
        const auto reserved = subject.reserve(wish);
        if (!reserved)
            return fail(reserved.error());
        Completion completion;
        completion.response.code = 201;
        const auto done = subject.finalize({ wish.id, wish.owner, reserved->record->fence }, completion);
        if (!done)
            return fail(done.error());
        std::cout << wish.id.key << std::endl;
    }
}

constexpr auto shortLease = 1s;

// Says how far it came and stays there, to be killed.
[[noreturn]] void stop(const std::string& word)
{
    std::cout << word << std::endl;
    while (true)
        std::this_thread::sleep_for(1h);
}

Result<std::vector<OutboxMessage>> claimOne(store::Outbox& outbox, const Owner& owner)
{
    return outbox.claim({ .owner = owner, .lease = shortLease, .batch = 1, .schemes = { "http" } });
}

int claim(store::Connection& connection)
{
    SystemRandom random;
    store::Outbox outbox(connection, {});
    const auto claimed = claimOne(outbox, { uuid4(random) });
    if (!claimed)
        return fail(claimed.error());
    stop("claimed " + std::to_string(claimed->size()));
}

// What the target got stands in a table of its own, as it would at the target.
int send(store::Connection& connection)
{
    SystemRandom random;
    store::Outbox outbox(connection, {});
    const auto claimed = claimOne(outbox, { uuid4(random) });
    if (!claimed)
        return fail(claimed.error());
    for (const auto& message : *claimed)
        if (const auto done = connection.execute("INSERT INTO target VALUES ('" + message.event.eventId + "')"); !done)
            return fail(done.error());
    stop("sent " + std::to_string(claimed->size()));
}

Delivery refund()
{
    Delivery delivery;
    delivery.id = { "ledger", "lab", "evt_1" };
    delivery.payload = "{}";
    delivery.payloadHash = sha256(*delivery.payload);
    return delivery;
}

int receive(store::Connection& connection)
{
    SystemRandom random;
    store::Inbox inbox(connection, {});
    const auto received = inbox.receive(refund(), { { uuid4(random) }, shortLease, 5 });
    if (!received)
        return fail(received.error());
    stop(std::string(wordOf(received->reception)));
}

int handle(store::Connection& connection)
{
    SystemRandom random;
    const Owner owner{ uuid4(random) };
    store::Inbox inbox(connection, {});
    const auto received = inbox.receive(refund(), { owner, shortLease, 5 });
    if (!received)
        return fail(received.error());
    const auto settled = inbox.settle(
        refund().id, owner, "ok", [&] { return connection.execute("INSERT INTO ledger VALUES ('evt_1')"); });
    if (!settled)
        return fail(settled.error());
    stop("handled");
}

struct Verb {
    std::string_view name;
    int (*run)(store::Connection& connection);
};
constexpr std::array verbs = { Verb{ "migrate", migrate }, Verb{ "finalize", finalize }, Verb{ "claim", claim },
    Verb{ "send", send }, Verb{ "receive", receive }, Verb{ "handle", handle } };

} // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    if (argc != 3)
        return 2;
    const auto target = store::parseUrl(argv[2]);
    if (!target)
        return fail(target.error());
    const auto connection =
        store::Connection::open(*target, { .access = store::Access::ReadWrite, .lockTimeout = 10s, .create = true });
    if (!connection)
        return fail(connection.error());
    for (const auto& verb : verbs)
        if (verb.name == argv[1])
            return verb.run(**connection);
    return 2;
}

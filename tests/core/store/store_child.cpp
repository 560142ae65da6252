// SPDX-License-Identifier: GPL-3.0-or-later
// A process of its own for the tests that break processes: store_child migrate|finalize URL.
#include <iostream>
#include <string>

#include <QCoreApplication>

#include "core/random.h"
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
    return std::string(argv[1]) == "migrate" ? migrate(**connection) : finalize(**connection);
}

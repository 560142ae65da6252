// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/store/inbox.h"
#include "core/store/outbox.h"
#include "tests/ui/console_fixture.h"

namespace fencepost::ui {

// Events of the protocol behind the pages.
class MessageFixture : public ConsoleFixture {
protected:
    void SetUp() override
    {
        ConsoleFixture::SetUp();
        auto opened = database.connect();
        ASSERT_TRUE(opened);
        connection = std::move(*opened);
        outbox = std::make_unique<store::Outbox>(*connection, store::StoreClock{ .clock = &then, .bind = true });
        inbox = std::make_unique<store::Inbox>(*connection, store::StoreClock{ .clock = &then, .bind = true });
    }

    std::int64_t add(const std::string& id, const std::optional<std::string>& orderingKey = {},
        const std::string& correlation = "req_1")
    {
        OutboxEvent event;
        event.eventId = id;
        event.destination = R"(http://127.0.0.1:9/"hooks\)";
        event.source = "/lab";
        event.type = "refund.succeeded";
        event.orderingKey = orderingKey;
        event.payload = "{}";
        event.correlationId = correlation;
        const auto added = outbox->add(event);
        EXPECT_TRUE(added) << added.error().message;
        return added ? added->seq : 0;
    }

    // The claim of a relay that takes whatever is due.
    Owner claim(std::int64_t seq)
    {
        store::OutboxClaim wish;
        wish.owner = { uuid4(random) };
        wish.lease = Seconds(30);
        wish.batch = 50;
        wish.schemes = { "http" };
        wish.maxAttempts = 3;
        const auto claimed = outbox->claim(wish);
        EXPECT_TRUE(claimed && !claimed->empty()) << seq;
        return wish.owner;
    }

    // Without another attempt, unless it is one that passes.
    void fail(std::int64_t seq, const std::string& code, const std::string& error, bool passing = false)
    {
        const auto done = outbox->undelivered(seq, claim(seq), { code, error, passing, {} }, 3);
        ASSERT_TRUE(done && *done) << "it was not claimed";
    }

    Binding bindingOf(Kind kind)
    {
        const auto bindings = workers->inspector().bindings(true);
        EXPECT_TRUE(bindings);
        for (const auto& binding : *bindings)
            if (binding.kind == kind)
                return binding;
        ADD_FAILURE() << "there is no table of that kind";
        return {};
    }
    Binding deadLetters() { return bindingOf(Kind::DeadLetter); }

    std::unique_ptr<store::Connection> connection;
    std::unique_ptr<store::Outbox> outbox;
    std::unique_ptr<store::Inbox> inbox;
};

} // namespace fencepost::ui

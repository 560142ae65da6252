// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <gtest/gtest.h>

#include "core/protocol/outbound_call.h"
#include "core/random.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

const Time epoch = timeFromMicros(1'780'000'000'000'000);
const RecordId payment{ "s", "payout.create", "k" };

Owner workerOf(int number)
{
    const auto text = std::to_string(number);
    return { "00000000-0000-4000-8000-" + std::string(12 - text.size(), '0') + text };
}

// One record, one effect and the vendors on the other side, each with its own call. Workers die where chance says, and
// their requests arrive when the vendor's timeout allows.
class History {
public:
    History(std::uint64_t seed, std::initializer_list<std::string_view> vendorNames, Takeover takeover)
        : m_random(seed)
        , m_takeover(takeover)
    {
        for (const auto name : vendorNames)
            m_sides.push_back({ *findVendor(name) });
    }

    void run(int steps)
    {
        for (int step = 0; step < steps && problem.empty(); ++step) {
            for (auto& side : m_sides)
                arrive(side);
            // Between two of its workers, the service may be given another vendor.
            auto& side = m_sides[m_random.below(m_sides.size())];
            switch (m_random.below(6)) {
            case 0:
                m_now += std::chrono::seconds(m_random.below(40));
                break;
            case 1:
                m_now += 25h;
                break;
            case 2:
                reserve();
                break;
            case 3:
            case 4:
                send(side);
                break;
            default:
                reconcile(side);
            }
        }
    }

    std::string problem;
    int executions = 0;
    int sends = 0;
    int held = 0;

private:
    struct Side {
        const Vendor& vendor;
        std::optional<OutboundCall> call = {};
        std::optional<Time> underway = {};
        std::optional<Time> executedAt = {};
        int executions = 0;
        bool open = false; // sent, and nobody has told what became of it
    };

    void reserve()
    {
        const auto decision = decide(m_record,
            { .event = Event::Reserve,
                .id = payment,
                .owner = workerOf(++m_workers),
                .nextFence = { ++m_fences },
                .requestHash = sha256("p"),
                .lease = 60s,
                .ttl = 10000h,
                .takeover = m_takeover },
            m_now);
        if (decision.writes)
            m_record = decision.record;
        held += decision.outcome == Outcome::Held ? 1 : 0;
        if (decision.outcome == Outcome::Execute) {
            m_owner = decision.record->owner;
            m_fence = decision.record->fence;
        }
    }

    CallTrigger trigger(const Side& side, CallEvent event) const
    {
        return { .event = event,
            .id = { std::string(side.vendor.name), "pay", effectKey(payment, sha256("p"), "pay") },
            .record = payment,
            .step = "pay",
            .owner = m_owner,
            .fence = m_fence,
            .keep = 10000h };
    }

    CallOutcome apply(Side& side, const CallTrigger& what)
    {
        CallLedgerView view{ side.call, {}, m_record };
        for (const auto& other : m_sides)
            if (&other != &side && other.call)
                view.others.push_back(*other.call);
        const auto decision = decideCall(view, side.vendor, what, m_now);
        if (decision.writes)
            side.call = decision.call;
        return decision.outcome;
    }

    void send(Side& side)
    {
        if (apply(side, trigger(side, CallEvent::Send)) != CallOutcome::Send)
            return;
        ++sends;
        for (const auto& other : m_sides)
            if (other.open && (&other != &side || side.vendor.remembers <= 0s))
                problem = "a second send while the outcome of the first is unknown";
        switch (m_random.below(4)) {
        case 0: // dies before it leaves
            side.open = true;
            return;
        case 1: // executed, and the answer is kept
            execute(side, m_now);
            apply(side, trigger(side, CallEvent::Done));
            return;
        case 2: // nothing left, this time
            apply(side, trigger(side, CallEvent::Failed));
            return;
        default: // arrives some time before the timeout, and nobody hears of it
            side.open = true;
            side.underway = m_now + std::chrono::seconds(m_random.below(15));
            if (m_random.below(2) == 0)
                apply(side, trigger(side, CallEvent::Unknown));
        }
    }

    void arrive(Side& side)
    {
        if (!side.underway || *side.underway > m_now)
            return;
        execute(side, *side.underway);
        side.underway.reset();
    }

    // An idempotent vendor carries a key out once for as long as it remembers it.
    void execute(Side& side, Time at)
    {
        const bool known = side.executedAt && at < *side.executedAt + side.vendor.remembers;
        if (known)
            return;
        side.executedAt = at;
        ++side.executions;
        if (++executions > 1)
            problem = "the effect happened twice";
    }

    void reconcile(Side& side)
    {
        if (!side.call)
            return;
        auto what = trigger(side, CallEvent::Reconcile);
        const bool knows = m_random.below(3) > 0;
        what.seenSends = side.call->sends;
        what.evidence = !knows ? Evidence::Unknown : side.executions > 0 ? Evidence::Applied : Evidence::NotApplied;
        if (apply(side, what) != CallOutcome::Applied)
            return;
        if (what.evidence == Evidence::NotApplied)
            side.open = false;
        // The record follows what the call says.
        const auto decision = decide(m_record,
            { .event = Event::Reconcile,
                .id = payment,
                .fence = m_record->fence,
                .nextFence = { ++m_fences },
                .evidence = what.evidence,
                .actor = "reconciler" },
            m_now);
        if (decision.writes)
            m_record = decision.record;
    }

    SeededRandom m_random;
    std::vector<Side> m_sides;
    Takeover m_takeover;
    Time m_now = epoch;
    std::optional<Record> m_record;
    Owner m_owner;
    Fence m_fence;
    int m_workers = 0;
    std::int64_t m_fences = 0;
};

TEST(OutboundCalls, AreNeverSentTwiceWithoutAskingInRandomHistories)
{
    int sends = 0;
    int held = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        History history(seed, { "bigcommerce" }, seed % 2 == 0 ? Takeover::Manual : Takeover::Auto);
        history.run(40);
        ASSERT_EQ(history.problem, "") << "seed " << seed;
        ASSERT_LE(history.executions, 1) << "seed " << seed;
        sends += history.sends;
        held += history.held;
    }
    EXPECT_GT(sends, 2000);
    EXPECT_GT(held, 500);
}

TEST(OutboundCalls, AreSentAgainOnlyWhileAnIdempotentVendorKnowsThem)
{
    int sends = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        History history(seed, { "stripe" }, Takeover::Auto);
        history.run(40);
        ASSERT_EQ(history.problem, "") << "seed " << seed;
        sends += history.sends;
    }
    EXPECT_GT(sends, 2000);
}

TEST(OutboundCalls, AreSentToOneVendorAloneWhileTheServiceIsGivenOthers)
{
    int sends = 0;
    int executions = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        History history(
            seed, { "stripe", "bigcommerce", "postmark" }, seed % 2 == 0 ? Takeover::Manual : Takeover::Auto);
        history.run(60);
        ASSERT_EQ(history.problem, "") << "seed " << seed;
        sends += history.sends;
        executions += history.executions;
    }
    EXPECT_GT(sends, 4000);
    EXPECT_GT(executions, 1000);
}

// A key in its third life, whose first attempt under fence 30 wants to send; the second began under 20.
class CallsOfLives : public testing::Test {
protected:
    CallsOfLives()
    {
        view.record = *decide(std::nullopt,
            { .event = Event::Reserve,
                .id = payment,
                .owner = workerOf(3),
                .nextFence = { 30 },
                .requestHash = sha256("p"),
                .lease = 60s,
                .ttl = 24h },
            epoch)
                           .record;
        view.lives = { { { 10 }, Fence{ 10 } }, { { 20 }, Fence{ 21 } }, { { 30 } } };
    }

    [[nodiscard]] OutboundCall callOf(
        const Bytes& itsKey, std::int64_t fence, OutboundState state, Time expiresAt) const
    {
        return { .id = { "bigcommerce", "pay", itsKey },
            .record = payment,
            .step = "pay",
            .state = state,
            .owner = workerOf(2),
            .fence = { fence },
            .sends = 1,
            .createdAt = epoch - 48h,
            .expiresAt = expiresAt };
    }
    CallDecision send() const
    {
        return decideCall(view, *findVendor("bigcommerce"),
            { .event = CallEvent::Send,
                .id = { "bigcommerce", "pay", key },
                .record = payment,
                .step = "pay",
                .owner = workerOf(3),
                .fence = { 30 },
                .keep = 24h },
            epoch);
    }

    const Bytes key = effectKey(payment, sha256("p"), "pay");
    const Bytes second = effectKeyOfLife(key, { 20 });
    CallLedgerView view;
};

TEST_F(CallsOfLives, AreKnownByTheirEffectAndToldApartByTheirLife)
{
    EXPECT_EQ(second.size(), key.size());
    EXPECT_NE(second, key);
    EXPECT_NE(second, effectKeyOfLife(key, { 30 }));
    EXPECT_EQ(effectKeyOfLife(second, { 30 }), effectKeyOfLife(key, { 30 }));
    EXPECT_TRUE(isSameEffect(second, key));
    EXPECT_FALSE(isSameEffect(second, effectKey(payment, sha256("q"), "pay")));
}

TEST_F(CallsOfLives, AreMadeAnewUnderAKeyOfTheirOwn)
{
    const auto alone = send();
    EXPECT_EQ(alone.outcome, CallOutcome::Send) << "the ledger has forgotten the earlier ones, and the vendor may not";
    EXPECT_EQ(alone.call->id.key, effectKeyOfLife(key, { 30 }));
    view.found = callOf(key, 10, OutboundState::Done, epoch);
    view.others = { callOf(second, 20, OutboundState::Done, epoch) };
    const auto behind = send();
    EXPECT_EQ(behind.outcome, CallOutcome::Send);
    EXPECT_EQ(behind.call->id.key, effectKeyOfLife(key, { 30 }));
    view.lives.clear();
    EXPECT_EQ(send().outcome, CallOutcome::AlreadyDone) << "nobody knows when this life began";
}

TEST_F(CallsOfLives, AnswerWhileTheyAreRememberedInWhicheverLifeTheyWereMade)
{
    view.found = callOf(key, 10, OutboundState::Done, epoch);
    view.others = { callOf(second, 20, OutboundState::Done, epoch + 1h) };
    const auto known = send();
    EXPECT_EQ(known.outcome, CallOutcome::AlreadyDone);
    EXPECT_EQ(known.call->id.key, second);
}

// What another request under the key came to says nothing of one whose record was deleted.
TEST_F(CallsOfLives, GoOnWhereOnlyAnotherLifeHadAnOutcome)
{
    view.lives[0].concluded.reset();
    view.found = callOf(key, 10, OutboundState::Done, epoch - 24h);
    EXPECT_EQ(send().outcome, CallOutcome::AlreadyDone);
    view.lives[0].concluded = Fence{ 12 };
    EXPECT_EQ(send().outcome, CallOutcome::Send);
    view.lives.erase(view.lives.begin());
    EXPECT_EQ(send().outcome, CallOutcome::AlreadyDone) << "the journal no longer says what became of it";
}

// Whoever is answered with it keeps it for his own life, and it is over with that one.
TEST_F(CallsOfLives, AreTheirsWhoAreAnsweredWithThem)
{
    view.lives[1].concluded.reset();
    view.others = { callOf(second, 20, OutboundState::Done, epoch - 24h) };
    view.others.front().result.ref = "po_1";
    const auto answered = send();
    EXPECT_EQ(answered.outcome, CallOutcome::AlreadyDone);
    EXPECT_TRUE(answered.writes);
    EXPECT_EQ(answered.call->id.key, second);
    EXPECT_EQ(answered.call->fence, Fence{ 30 });
    EXPECT_EQ(answered.call->expiresAt, epoch + 24h);
    EXPECT_EQ(answered.call->result.ref, "po_1");
    view.others = { *answered.call };
    EXPECT_FALSE(send().writes) << "it is this life's own now";
    view.record->fence = { 30 };
    view.lives = { { { 20 } }, { { 30 }, Fence{ 30 } }, { { 40 } } };
    EXPECT_TRUE(isOfPastLife(view.others.front(), epoch + 24h, view.lives));
}

TEST_F(CallsOfLives, AreTheirsWhoAreAnsweredWithAnotherVendors)
{
    view.lives[1].concluded.reset();
    view.others = { callOf(second, 20, OutboundState::Done, epoch - 24h) };
    view.others.front().id.vendor = "stripe";
    const auto answered = send();
    EXPECT_EQ(answered.outcome, CallOutcome::AlreadyDone);
    EXPECT_TRUE(answered.writes);
    EXPECT_EQ(answered.call->id.vendor, "stripe");
    EXPECT_EQ(answered.call->fence, Fence{ 30 });
}

TEST_F(CallsOfLives, AreMadeAnewWhereTheyWereTakenBack)
{
    view.lives[1].concluded.reset();
    view.others = { callOf(second, 20, OutboundState::Done, epoch) };
    view.others.front().result.errorCode = takenBackCode;
    EXPECT_EQ(send().outcome, CallOutcome::Send) << "whatever became of its life";
    view.others.front().expiresAt = epoch + 1h;
    EXPECT_EQ(send().outcome, CallOutcome::AlreadyDone);
}

TEST(KeyLives, AreReadFromTheJournal)
{
    LivesOfJournal journal;
    const auto add = [&](Event event, State to, int attempt, std::int64_t fence) {
        journal.add(wordOf(event), wordOf(to), attempt, { fence });
    };
    add(Event::Finalize, State::Succeeded, 1, 3); // its beginning is no longer there
    add(Event::Reserve, State::InProgress, 1, 5);
    add(Event::Reserve, State::Held, 1, 6);
    add(Event::Reserve, State::InProgress, 2, 7);
    add(Event::Finalize, State::FailedFinal, 2, 7);
    add(Event::Reopen, State::FailedRetryable, 2, 8);
    add(Event::Reserve, State::InProgress, 1, 10);
    const KeyLives expected{ { {}, Fence{ 3 } }, { { 5 } }, { { 10 } } };
    EXPECT_EQ(journal.lives(), expected);
    EXPECT_TRUE(isOfPastLife({ 2 }, expected));
    EXPECT_FALSE(isOfPastLife({ 6 }, expected)) << "its outcome was taken back";
    EXPECT_FALSE(isOfPastLife({ 10 }, expected)) << "it is the present one";
    EXPECT_FALSE(isOfPastLife({ 10 }, {})) << "nobody knows";
}

TEST_F(CallsOfLives, AreAskedForWhereTheirLifeEndedWithoutAnOutcome)
{
    view.lives[1].concluded.reset();
    view.others = { callOf(second, 20, OutboundState::Sending, epoch - 24h) };
    const auto open = send();
    EXPECT_EQ(open.outcome, CallOutcome::AskFirst);
    EXPECT_EQ(open.call->id.key, second) << "the record was deleted and the request goes on";
    view.lives[1].concluded = Fence{ 20 };
    EXPECT_EQ(send().outcome, CallOutcome::Send) << "somebody has said what came of it";
}

TEST(OutboundCalls, CarryTheirKeyWhereTheVendorLooksForIt)
{
    const auto key = effectKey(payment, sha256("p"), "pay");
    EXPECT_EQ(key.size(), 32U);
    const auto stripe = identityOf(*findVendor("stripe"), key, "shop.example");
    EXPECT_EQ(stripe.name, "Idempotency-Key");
    EXPECT_EQ(stripe.value, toHex(key));
    const auto postmark = identityOf(*findVendor("postmark"), key, "shop.example");
    EXPECT_EQ(postmark.place, KeyPlace::MailHeader);
    EXPECT_EQ(postmark.value, '<' + toHex(key) + "@shop.example>");
    EXPECT_EQ(identityOf(*findVendor("bigcommerce"), key, "").name, "external_id");
    EXPECT_EQ(findVendor("nobody"), nullptr);
    EXPECT_NE(effectKey(payment, sha256("p"), "mail"), key);
    EXPECT_NE(effectKey(payment, sha256("q"), "pay"), key);
}

TEST(OutboundCalls, HaveARowForEveryStateAndEvent)
{
    for (const auto event : { CallEvent::Intend, CallEvent::Send, CallEvent::Done, CallEvent::Failed,
             CallEvent::Unknown, CallEvent::Reconcile }) {
        const auto& last = *std::find_if(callTransitions().rbegin(), callTransitions().rend(),
            [&](const CallTransition& row) { return row.event == event; });
        const bool catchesAll = last.guard == CallGuard::None;
        EXPECT_TRUE(catchesAll);
        std::set<OutboundState> caught;
        for (const auto& row : callTransitions())
            if (row.event == event && row.guard == CallGuard::None && row.from)
                caught.insert(*row.from);
        EXPECT_TRUE(!last.from || caught.size() == 6U) << static_cast<int>(event);
    }
}

} // namespace

// SPDX-License-Identifier: Apache-2.0
#include "core/forensics/invariant.h"

#include <algorithm>
#include <array>

#include "core/query/filter.h"

namespace fencepost {

namespace {

constexpr auto records = Kind::Idempotency;

// clang-format off
constexpr std::array invariantTable = {
    Invariant{ "lapsed_lease", records, "in progress past its lease",
        "its worker is gone or slow, and whoever asks waits", "stuck", "release",
        "release it where the effect is safe to repeat, else fence it and find out what became of the effect" },
    Invariant{ "no_response", records, "succeeded without a response",
        "a replay has nothing to answer with", "", "expire",
        "find out what was answered; expire the key where the effect did not happen" },
    Invariant{ "shared_result", records, "succeeded with the result of another key",
        "two keys stand for one business object: one of the two effects may be a second one", "", "",
        "compare the two records: a client made a new key for a retry" },
    Invariant{ "attempts_over", records, "more attempts than it may have",
        "whoever takes it over does not look at the limit", "", "fail",
        "fail it, or find the worker that does not go by the protocol" },
    Invariant{ "forgotten_too_soon", records, "expires before its retry is due",
        "the retry finds no record and executes anew", "", "",
        "lengthen the retention of its route: it must outlast the retries" },
    Invariant{ "fence_went_back", records, "a fence that is not its highest",
        "a worker that was fenced could still write", "", "fence",
        "fence it, and find who wrote around the protocol" },
    Invariant{ "fence_unknown", records, "a fence that was never drawn",
        "the counter will draw it for somebody else", "", "",
        "somebody wrote fences of his own, or the counter was restored from an older backup" },
    Invariant{ "impossible_transition", records, "a transition that no rule allows",
        "somebody changed the record around the protocol", "", "",
        "look who wrote it: the journal names the owner and the instant" },
    Invariant{ "lease_too_long", records, "a lease of more than a day ahead",
        "nobody takes it over before that, whatever happens to its worker", "", "fence",
        "a worker's clock is wrong, or its lease is: fence it" },
    Invariant{ "from_the_future", records, "created later than now",
        "ages, leases and retention count from a wrong clock", "", "",
        "compare the clocks of the writers with the database's" },
    Invariant{ "held_too_long", records, "held for more than a day",
        "whoever asks is refused until somebody decides", "", "resolve",
        "find out what became of the effect, then resolve it" },
    Invariant{ "failed_though_done", records, "failed for good although its vendor has done it",
        "whoever asks is told to use a new key, with which the vendor does it again", "", "",
        "look for a request with a new key that had it done again; the vendor can take one of them back" },
    Invariant{ "orphaned_call", records, "a vendor was called for a record that is gone",
        "nobody goes on with what was sent, and the same request would send it again", "", "",
        "ask the vendor what became of the call: the journal tells how far its record had come", {}, false },
    Invariant{ "orphaned_effect", records, "an effect of a record that is gone",
        "it happened, and nothing tells whoever asks again", "", "",
        "look for the business row that stands for the effect: its record was deleted around the protocol, and the "
        "journal tells how far it had come", {}, false },
    Invariant{ "processing_lapsed", Kind::Inbox, "being processed past its lease",
        "its consumer is gone: the event waits until it is delivered again", "", "",
        "start the consumer: it takes the event over" },
    Invariant{ "no_result", Kind::Inbox, "processed without a result or an instant",
        "nobody can tell what its handler did", "", "",
        "look at the handler that marks events before it is done with them" },
    Invariant{ "version_gap", Kind::Inbox, "an event of its subject is missing before it",
        "what it tells is applied to a state that misses a step", "", "",
        "ask the producer for the missing version" },
    Invariant{ "dead_without_letter", Kind::Inbox, "dead without a dead letter",
        "nobody sees it, and nobody can send it again", "", "",
        "the letter was deleted: deliver the event again under its id" },
    Invariant{ "key_unknown", Kind::Outbox, "written by a key that is not there and was not reaped",
        "its change may not have happened: the event was written outside of its transaction, or its record was deleted",
        "", "",
        "look for the key in the journal: where it was never reserved, find the producer that writes events outside of "
        "the record's transaction, else who deleted the record around the protocol" },
    Invariant{ "sending_lapsed", Kind::Outbox, "being sent past its lease",
        "its relay is gone, and no other runs", "", "",
        "start a relay: it takes the message over" },
    Invariant{ "dead_outbox_without_letter", Kind::Outbox, "dead without a dead letter",
        "nobody sees it, and nobody can send it again", "", "",
        "the letter was deleted: write the event again under its id" },
    Invariant{ "blocks_its_key", Kind::Outbox, "dead, and later events of its key wait for it",
        "nothing of that key is sent", "", "replay",
        "replay its dead letter, or discard it", Kind::DeadLetter },
    Invariant{ "already_processed", Kind::DeadLetter, "dead although its consumer has processed it",
        "sent again it would be a no-op; left there it hides what is really lost", "", "discard",
        "discard it" },
    Invariant{ "key_succeeded", Kind::DeadLetter, "dead although its key has succeeded",
        "sent again it would be a no-op; left there it hides what is really lost", "", "discard",
        "discard it" },
    Invariant{ "already_sent", Kind::DeadLetter, "dead although it was sent",
        "sent again it would be a second delivery", "", "discard",
        "discard it" },
    // Of tables that Fencepost knows by a profile alone, whatever their kind.
    Invariant{ "foreign_stuck", Kind::Job, "stuck, by its profile",
        "nobody works on it any more, and whoever asks waits", "stuck", "",
        "see what the profile allows, and what it says must be done with the framework's own tools" },
    Invariant{ "foreign_unknown", Kind::Job, "in a state that its profile does not know",
        "nobody can say what it waits for", "state = UNKNOWN", "",
        "a newer version of the framework may have added the state: extend the profile" },
};
// clang-format on

constexpr Invariant auditRule{ "audit_broken", Kind::Job, "an entry was changed, removed or put in between",
    "what operators did cannot be proven", "", "",
    "compare the entries with a backup and with what operators remember; who may write to the audit's table could have "
    "done it" };

const Binding* besideOf(const Binding& table, Kind kind, const std::vector<Binding>& all)
{
    const auto found = std::find_if(all.begin(), all.end(),
        [&](const Binding& one) { return one.kind == kind && one.native && one.schema == table.schema; });
    return found == all.end() ? nullptr : &*found;
}

} // namespace

const Invariant& auditInvariant() noexcept
{
    return auditRule;
}

std::span<const Invariant> invariants() noexcept
{
    return invariantTable;
}

const Invariant* findInvariant(std::string_view id) noexcept
{
    const auto found = std::find_if(
        invariantTable.begin(), invariantTable.end(), [&](const Invariant& invariant) { return invariant.id == id; });
    return found == invariantTable.end() ? nullptr : &*found;
}

std::optional<Mending> mendingOf(const Violation& violation, const Binding& broken, const std::vector<Binding>& all)
{
    const auto& rule = *violation.invariant;
    if (*rule.verb == '\0' || violation.filter.empty())
        return {};
    if (*rule.filter != '\0')
        return Mending{ rule.verb, broken, violation.filter, violation.count };
    std::vector<std::vector<std::string>> mended;
    for (const auto& row : violation.rows)
        if (!row.mendedBy.empty())
            mended.push_back(row.mendedBy);
    const auto in = !rule.mendedIn ? &broken : besideOf(broken, *rule.mendedIn, all);
    if (in == nullptr || mended.empty())
        return {};
    return Mending{ rule.verb, *in, filterOfRows(mended), static_cast<std::int64_t>(mended.size()) };
}

std::string trailOf(const Invariant& invariant, const BrokenRow& row)
{
    constexpr std::size_t ofRecord = 3;
    if (invariant.viewed || row.identity.size() <= ofRecord)
        return {};
    return row.identity[0] + '/' + row.identity[1] + '/' + row.identity[2];
}

std::string filterOf(const Invariant& invariant, const std::vector<BrokenRow>& rows)
{
    if (!invariant.viewed)
        return {};
    if (*invariant.filter != '\0')
        return invariant.filter;
    std::vector<std::vector<std::string>> identities;
    for (const auto& row : rows)
        identities.push_back(row.identity);
    return filterOfRows(identities);
}

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#include "core/messaging/replay_verdict.h"

#include <algorithm>
#include <array>

#include "core/messaging/word_table.h"

namespace fencepost {

namespace {

constexpr std::array<std::string_view, 5> verdictWords{ "succeeded", "racing", "safe", "conflict", "unknown" };
constexpr std::array<std::string_view, 5> verdictTitles{ "already succeeded, would be a no-op",
    "in progress with a live lease, would race", "lease expired or never arrived, safe",
    "payload differs, would conflict", "unknown, may duplicate" };

bool neverArrived(const ReplayEvidence& evidence)
{
    return evidence.kind == DeadLetterKind::Outbox && !evidence.codes.empty()
        && std::all_of(evidence.codes.begin(), evidence.codes.end(),
            [](const std::string& code) { return provesNothingHappened(code); });
}

template <typename T, typename Test> const T* firstThat(const std::vector<T>& all, Test test)
{
    const auto found = std::find_if(all.begin(), all.end(), test);
    return found == all.end() ? nullptr : &*found;
}

JudgedReplay judged(ReplayVerdict verdict, std::string reason)
{
    return { verdict, std::move(reason), {}, {}, {} };
}

std::string recordOf(const RecordEvidence& record)
{
    return "the record of its id in the scope " + (record.scope.empty() ? std::string("\"\"") : record.scope);
}

bool isOwnAndDone(const RecordEvidence& record)
{
    return record.own && isTerminal(record.status) && !record.expired;
}

std::optional<JudgedReplay> conflictIn(const ReplayEvidence& evidence)
{
    if (evidence.kind == DeadLetterKind::Conflict)
        return judged(ReplayVerdict::Conflict, "its consumer knows another payload under this id");
    if (const auto* other = firstThat(evidence.inbox, [](const InboxEvidence& known) { return !known.samePayload; }))
        return judged(ReplayVerdict::Conflict, other->consumer + " knows another payload under this id");
    if (const auto* other = firstThat(
            evidence.records, [](const RecordEvidence& known) { return !known.samePayload && !known.expired; }))
        return judged(ReplayVerdict::Conflict, recordOf(*other) + " has another payload");
    return {};
}

std::optional<JudgedReplay> raceIn(const ReplayEvidence& evidence)
{
    if (const auto* busy = firstThat(evidence.inbox,
            [](const InboxEvidence& known) { return known.state == InboxState::Processing && known.live; }))
        return judged(ReplayVerdict::Racing, busy->consumer + " handles it under a live lease");
    if (const auto* busy = firstThat(evidence.records,
            [](const RecordEvidence& known) { return known.status == State::InProgress && known.live && !known.held; }))
        return judged(ReplayVerdict::Racing, recordOf(*busy) + " has a live lease");
    if (evidence.beingSent)
        return judged(ReplayVerdict::Racing, "a relay sends it under a live lease");
    return {};
}

std::optional<JudgedReplay> doneIn(const ReplayEvidence& evidence)
{
    const auto processed = [](const InboxEvidence& known) { return known.state == InboxState::Processed; };
    if (!evidence.inbox.empty() && std::all_of(evidence.inbox.begin(), evidence.inbox.end(), processed))
        return judged(ReplayVerdict::Succeeded, evidence.inbox.front().consumer + " has processed it");
    if (const auto* done = firstThat(evidence.records, isOwnAndDone))
        return judged(ReplayVerdict::Succeeded,
            recordOf(*done) + " is " + std::string(wordOf(done->status))
                + (done->status == State::Succeeded
                        ? " already"
                        : ": it failed for good, and is answered so without being executed"));
    return {};
}

// "edited as NEW-ID: why".
std::string copyOf(const ReplayEvidence& evidence)
{
    return "another letter of this event was " + evidence.edited + "; that copy goes to everybody at its destination";
}

std::optional<JudgedReplay> doubtIn(const ReplayEvidence& evidence)
{
    if (!evidence.edited.empty())
        return judged(ReplayVerdict::Unknown, copyOf(evidence));
    if (const auto* held = firstThat(evidence.records, [](const RecordEvidence& known) { return known.held; }))
        return judged(ReplayVerdict::Unknown, recordOf(*held) + " is held: what became of it is not known");
    if (const auto* left = firstThat(evidence.records,
            [](const RecordEvidence& known) { return known.status == State::InProgress && !known.autoTakeover; }))
        return judged(ReplayVerdict::Unknown,
            recordOf(*left) + " was left in progress and may have had its effect: its takeover is manual");
    if (const auto* other = firstThat(
            evidence.records, [](const RecordEvidence& known) { return !known.own && isTerminal(known.status); }))
        return judged(ReplayVerdict::Unknown,
            recordOf(*other) + " is " + std::string(wordOf(other->status)) + ", and may be another consumer's");
    if (const auto* forgotten = firstThat(
            evidence.records, [](const RecordEvidence& known) { return isTerminal(known.status) && known.expired; }))
        return judged(ReplayVerdict::Unknown,
            recordOf(*forgotten) + " is " + std::string(wordOf(forgotten->status))
                + " but has expired: it would be executed again");
    return {};
}

std::optional<JudgedReplay> safetyIn(const ReplayEvidence& evidence)
{
    if (const auto* left =
            firstThat(evidence.inbox, [](const InboxEvidence& known) { return known.state == InboxState::Processing; }))
        return judged(ReplayVerdict::Safe, "the lease of " + left->consumer + " has ended");
    if (const auto* known =
            firstThat(evidence.inbox, [](const InboxEvidence& inbox) { return inbox.state != InboxState::Processed; }))
        return judged(ReplayVerdict::Safe,
            known->consumer + " has not processed it: its inbox says " + std::string(wordOf(known->state)));
    if (const auto* again = firstThat(evidence.records, [](const RecordEvidence& known) { return known.own; }))
        return judged(ReplayVerdict::Safe, recordOf(*again) + " may be executed again");
    if (neverArrived(evidence))
        return judged(ReplayVerdict::Safe,
            "no attempt was accepted: each ended with " + evidence.codes.back() + " before anything was done");
    return {};
}

std::optional<JudgedReplay> elsewhereIn(const ReplayEvidence& evidence)
{
    if (evidence.kind != DeadLetterKind::Outbox || !evidence.elsewhere)
        return {};
    if (neverArrived(evidence))
        return judged(ReplayVerdict::Safe,
            "no attempt was accepted at this destination: each ended with " + evidence.codes.back()
                + " before anything was done");
    const auto known = !evidence.inbox.empty() ? evidence.inbox.front().consumer + " knows it"
        : !evidence.records.empty()            ? recordOf(evidence.records.front()) + " knows it"
                                               : std::string("it went there");
    return judged(ReplayVerdict::Unknown,
        "the event goes to several destinations: " + known + ", which does not tell what became of it at this one");
}

// A consumer that has given an event up refuses it however often it comes; the letter of its own inbox lets it in
// again.
std::string whyRefused(const ReplayEvidence& evidence)
{
    if (evidence.kind != DeadLetterKind::Outbox || evidence.elsewhere)
        return {};
    const auto open = [](const InboxEvidence& known) {
        return known.state != InboxState::Dead && known.state != InboxState::Processed;
    };
    const auto* dead =
        firstThat(evidence.inbox, [](const InboxEvidence& known) { return known.state == InboxState::Dead; });
    if (dead == nullptr || firstThat(evidence.inbox, open) != nullptr)
        return {};
    return dead->consumer + " has given it up and would refuse it: replay the letter of its own inbox instead";
}

std::string whyCopyDoubles(const ReplayEvidence& evidence)
{
    if (!evidence.edited.empty())
        return copyOf(evidence);
    // Whoever has given it up has not had it, and another payload is another event.
    const auto hasIt = [](const InboxEvidence& known) { return known.samePayload && known.state != InboxState::Dead; };
    const auto* known = firstThat(evidence.others, hasIt);
    // Where it is not known whose letter it is, what all of them know is no more than the verdict says.
    if (known == nullptr && evidence.kind == DeadLetterKind::Outbox)
        known = firstThat(evidence.inbox, hasIt);
    if (known == nullptr)
        return {};
    return known->consumer
        + (known->state == InboxState::Processed
                ? " has processed the first: where the copy reaches it, it has the effect twice"
                : known->state == InboxState::Processing
                ? " handles the first: where the copy reaches it, it may have the effect twice"
                : " has the first before it (" + std::string(wordOf(known->state))
                    + "): where the copy reaches it, it may handle both");
}

std::string whyUnsendable(const ReplayEvidence& evidence)
{
    // It is on its way, and nothing is put in its place.
    if (evidence.beingSent)
        return "a relay is sending it right now";
    if (!evidence.hasDestination)
        return "where it came from is not known, so it cannot be sent there";
    if (!evidence.hasPayload)
        return "its payload was not kept";
    if (!evidence.idFits)
        return "its id is none that can be sent there (it has 1 to 255 octets without line ends, a webhook's printable "
               "ASCII without spaces and dots): edit it, so that it goes out under an id of its own";
    return whyRefused(evidence);
}

} // namespace

bool provesNothingHappened(std::string_view code) noexcept
{
    constexpr std::array<std::string_view, 12> refusals{ "connection", "tls", "request", "max_payload", "400", "401",
        "403", "404", "405", "410", "413", "429" };
    return std::find(refusals.begin(), refusals.end(), code) != refusals.end();
}

std::string_view wordOf(ReplayVerdict verdict) noexcept
{
    return verdictWords[static_cast<std::size_t>(verdict)];
}

std::string_view titleOf(ReplayVerdict verdict) noexcept
{
    return verdictTitles[static_cast<std::size_t>(verdict)];
}

std::optional<ReplayVerdict> replayVerdictOf(std::string_view word) noexcept
{
    return valueOf<ReplayVerdict>(verdictWords, word);
}

JudgedReplay judgeReplay(const ReplayEvidence& found)
{
    // Somebody else's key that happens to be the event's id.
    auto evidence = found;
    std::erase_if(evidence.records, [](const RecordEvidence& known) { return !known.own && !known.samePayload; });
    auto verdict = judged(ReplayVerdict::Unknown, "neither an inbox nor a record here knows what became of it");
    for (const auto look : { conflictIn, raceIn, elsewhereIn, doneIn, doubtIn, safetyIn })
        if (auto told = look(evidence)) {
            verdict = std::move(*told);
            break;
        }
    verdict.unsendable = whyUnsendable(evidence);
    verdict.behind = evidence.behind;
    verdict.copyDoubles = whyCopyDoubles(evidence);
    return verdict;
}

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#include "core/operations/effects.h"

#include <algorithm>

#include "core/ids.h"
#include "core/operations/applicability.h"
#include "core/operations/foresight.h"
#include "core/protocol/fingerprint.h"
#include "core/without_credentials.h"

namespace fencepost::operation {

namespace {

std::string shortOwner(const Row& row)
{
    if (!row.owner || row.owner->empty())
        return "the owner";
    const auto& owner = *row.owner;
    return owner.size() <= 8 ? "owner " + owner : "owner …" + owner.substr(owner.size() - 6);
}

std::string fenceStep(const Row& row)
{
    return row.fence ? "fence " + std::to_string(*row.fence) + " → next; " : std::string();
}

std::string valueOf(const Parameters& parameters, const char* id)
{
    const auto found = parameters.find(id);
    return found == parameters.end() ? std::string() : found->second;
}

// What the profile says about its own action; the core's words are for the core's own verbs.
std::string effectOfProfile(const Binding& binding, std::string_view verb, const char* otherwise)
{
    for (const auto& capability : binding.capabilities)
        if (capability.verb == verb && !capability.effect.empty())
            return capability.effect;
    return otherwise;
}

bool hasOwner(const Binding& binding)
{
    return binding.fencing != "none" && binding.fencing != "not_applicable";
}

// Of a table that has no lease to tell it: the profile's own guess is how long a worker may take.
std::string maybeLive(const Binding& binding, const Row& row)
{
    const bool guessed = !binding.native && !row.leaseUntil && statusOf(row) == State::InProgress && !row.stuck;
    return guessed ? "it is not stuck yet: the owner may be working on it right now" : std::string();
}

std::string worker(const Row& row)
{
    return shortOwner(row) + " can no longer renew, finalize or fail";
}

std::string next(const char* verb, const Row& row, Time now, const Parameters& parameters)
{
    const auto foreseen = foresee(verb, row, now, parameters);
    if (!foreseen)
        return "the next same request is judged anew";
    return foreseen->same.outcome == Outcome::Execute ? "the next same request executes again"
                                                      : clauseOf(*foreseen, now);
}

// The last attempt is used up: what says "again" will not happen, and what it leads to cannot be taken back.
std::string spentWarning(const Foresight& foreseen)
{
    if (foreseen.same.outcome == Outcome::Replay && foreseen.same.writes)
        return "its attempts are spent (" + std::to_string(foreseen.after.attempt) + " of "
            + std::to_string(foreseen.after.maxAttempts)
            + "): nothing executes again, and once the next same request has closed the key there is no undo";
    return {};
}

std::string joined(std::string words, const std::string& more)
{
    if (!words.empty() && !more.empty())
        words += "; ";
    return words + more;
}

// Closed, the client is told to use a new key; handed on, whoever goes on finds the call in the ledger.
enum class After { Closed, TakenBack, Succeeded, HandedOn };

After closing(const Parameters& parameters)
{
    return parameters.contains(effectUndone) ? After::TakenBack : After::Closed;
}

std::string_view whatFollows(After after)
{
    switch (after) {
    case After::Closed:
        return ": with a new key the client has it done again";
    case After::TakenBack:
        return ", which was taken back, as you say: it is forgotten, and what comes with a new key, or with this one "
               "behind its end, is done anew";
    case After::Succeeded:
        return ": nobody writes down any more what the request was to write behind it; --as takeover lets the same "
               "request do that";
    case After::HandedOn:
        return ": whoever goes on is answered with that and does not send it again";
    }
    return {};
}

// What is known of the record's calls to vendors, as far as it bears on what becomes of it.
std::string callsWarning(const Row& row, After after)
{
    const auto done = extraOf(row, rowCallsDone);
    const auto open = extraOf(row, rowCallsOpen);
    std::string words;
    if (!done.empty())
        words = "its vendor has done it (" + done + ")" + std::string(whatFollows(after));
    if (!open.empty())
        words = joined(std::move(words),
            "nobody knows what became of its vendor call (" + open + ")"
                + (after == After::Closed || after == After::TakenBack
                        ? ": with a new key the client may have it done twice; ask the vendor first"
                        : after == After::HandedOn ? ": whoever goes on asks the vendor before it sends it again"
                                                   : ": the evidence must say that it was done"));
    return joined(std::move(words), extraOf(row, rowCallsUnread));
}

} // namespace

std::string seenCallsOf(const std::string& done, const std::string& open)
{
    return done + '\n' + open;
}

std::string whyNotDone(const std::string& done)
{
    return "its vendor has done it (" + done
        + "), and the client would be told to use a new key; let the same request go on with it (of a held record: "
          "resolve --as takeover), or say how it was taken back (--effect-undone)";
}

std::string effectOfFence(const Binding& binding, const Row& row, Time now, const Parameters& parameters)
{
    if (!binding.native)
        return effectOfProfile(binding, "fence", "the old owner's finalize will match no row");
    const auto start = fenceStep(row) + worker(row);
    if (row.hold)
        return start + "; the record stays HELD";
    const auto foreseen = foresee("fence", row, now, parameters);
    if (!foreseen || foreseen->after.hold)
        return start + "; the record is HELD until it is resolved";
    const auto next = foreseen->same.outcome == Outcome::Execute && isSafeToFence(row, now)
        ? std::string("the next same request takes over")
        : clauseOf(*foreseen, now);
    return start + (isSafeToFence(row, now) ? "; " : "; it is NOT held, ") + next;
}

std::string effectOfRelease(const Binding& binding, const Row& row, Time now, const Parameters& parameters)
{
    if (!binding.native)
        return effectOfProfile(binding, "release", "the next same request executes again");
    return fenceStep(row) + worker(row) + "; it becomes FAILED_RETRYABLE and " + next("release", row, now, parameters);
}

std::string effectOfExpire(const Binding& binding, const Row& row, Time now, const Parameters& parameters)
{
    if (!binding.native)
        return effectOfProfile(binding, "expire", "the next call with this key will execute again");
    const auto ends = row.expiresAt ? "it expires now instead of in " + formatDuration(*row.expiresAt - now)
                                    : std::string("it expires now");
    const auto foreseen = foresee("expire", row, now, parameters);
    if (!foreseen)
        return ends;
    if (foreseen->after.hold)
        return ends + "; it stays HELD: nothing executes with this key, whatever its payload, until it is resolved";
    if (foreseen->same.outcome == Outcome::KeyExpired)
        return ends + "; a tombstone refuses the key for " + valueOf(parameters, "tombstone");
    if (foreseen->other.outcome == Outcome::Execute)
        return ends
            + "; the next call with this key will execute again, but for what is still remembered as done (effects, "
              "vendor calls): that is answered and not repeated";
    return ends + "; " + clauseOf(*foreseen, now) + ", another payload "
        + (foreseen->other.outcome == Outcome::Mismatch ? "stays refused" : answerOf(foreseen->other));
}

std::string effectOfResolve(const Binding& binding, const Row& row, Time now, const Parameters& parameters)
{
    if (!binding.native)
        return effectOfProfile(binding, "resolve", "the hold is resolved");
    const auto as = valueOf(parameters, "as");
    const auto start = fenceStep(row);
    if (as == "succeeded")
        return start + "it becomes SUCCEEDED and every same request is answered with that";
    if (as == "failed")
        return start + "it becomes FAILED_FINAL; the client must use a new key";
    if (as == "retryable")
        return start + "it becomes FAILED_RETRYABLE and " + next("resolve", row, now, parameters);
    return start + "the hold ends; " + next("resolve", row, now, parameters);
}

std::string effectOfFail(const Binding& binding, const Row& row, Time, const Parameters& parameters)
{
    if (!binding.native)
        return effectOfProfile(binding, "fail", "it is closed as failed; the client must use a new key");
    const auto code = valueOf(parameters, "response_code");
    return fenceStep(row) + "it becomes FAILED_FINAL with response " + (code.empty() ? "500" : code)
        + "; every same request is answered with that and the client must use a new key";
}

std::string effectOfNote(const Binding&, const Row&, Time, const Parameters&)
{
    return "the note is written to the audit; the row is not touched";
}

std::string warningOfFence(const Binding& binding, const Row& row, Time now, const Parameters& parameters)
{
    if (isLive(row, now))
        return "its lease is live for another " + formatDuration(*row.leaseUntil - now)
            + ": the owner may be working on it right now";
    if (auto warning = maybeLive(binding, row); !warning.empty())
        return warning;
    if (row.stuckReason == "free")
        return "it is free already: the next same request takes it over without another fence";
    if (!binding.native || row.hold || isSafeToFence(row, now) || valueOf(parameters, "no_hold").empty())
        return {};
    const auto foreseen = foresee("fence", row, now, parameters);
    if (foreseen && foreseen->same.outcome != Outcome::Execute)
        return "nothing holds it before the next same request: until then a release frees it while the old owner may "
               "still be sending";
    return "the old owner may still be sending: without a hold the effect can happen twice";
}

std::string warningOfRelease(const Binding& binding, const Row& row, Time now, const Parameters& parameters)
{
    if (!hasOwner(binding))
        return "this table has no owner to fence: the old worker can still commit";
    const auto foreseen = binding.native ? foresee("release", row, now, parameters) : std::nullopt;
    if (auto warning = foreseen ? spentWarning(*foreseen) : std::string(); !warning.empty())
        return joined(std::move(warning), callsWarning(row, closing(parameters)));
    std::string warning;
    if (row.takeover.value_or("auto") == wordOf(Takeover::Manual))
        warning = "its takeover policy is manual: the effect may have happened already";
    return joined(std::move(warning), callsWarning(row, After::HandedOn));
}

std::string warningOfExpire(const Binding& binding, const Row& row, Time now, const Parameters& parameters)
{
    const auto foreseen = binding.native ? foresee("expire", row, now, parameters) : std::nullopt;
    if (foreseen && !isTerminal(foreseen->before.status)) {
        auto spent = spentWarning(*foreseen);
        return spent.empty() ? "it has no outcome yet: expiring it neither closes nor frees it" : spent;
    }
    if (foreseen && foreseen->same.outcome != Outcome::Execute)
        return {};
    if (row.expiresAt && *row.expiresAt > now)
        return "its retention has another " + formatDuration(*row.expiresAt - now)
            + " to go: a late retry of the same request will execute again, but for what is still remembered as done";
    return {};
}

std::string warningOfResolve(const Binding& binding, const Row& row, Time now, const Parameters& parameters)
{
    const auto as = valueOf(parameters, "as");
    if (as != "retryable" && as != "takeover")
        return callsWarning(row, as == "succeeded" ? After::Succeeded : closing(parameters));
    const auto foreseen = binding.native ? foresee("resolve", row, now, parameters) : std::nullopt;
    if (auto warning = foreseen ? spentWarning(*foreseen) : std::string(); !warning.empty())
        return joined(std::move(warning), callsWarning(row, closing(parameters)));
    const bool isDone = !extraOf(row, rowCallsDone).empty();
    return joined(
        isDone ? std::string() : "if the effect did happen it will happen twice: the evidence must say that it did not",
        callsWarning(row, After::HandedOn));
}

std::string warningOfFail(const Binding& binding, const Row& row, Time, const Parameters& parameters)
{
    if (auto warning = maybeLive(binding, row); !warning.empty())
        return warning;
    if (!hasOwner(binding))
        return "this table has no owner to fence: the old worker can still commit";
    return callsWarning(row, closing(parameters));
}

std::string effectOfReplay(const Binding& binding, const Row& row, Time, const Parameters&)
{
    if (!binding.native)
        return effectOfProfile(binding, "replay", "it is put back to be worked on again");
    const auto destination = withoutCredentials(row.queue.value_or(""));
    return "it is put back to be sent again" + (destination.empty() ? std::string() : " to " + destination)
        + " under the same event id; " + verdictWords(row);
}

// The whole of the answer to "must the key change": it must, and this is why.
std::string effectOfEdit(const Binding& binding, const Row& row, Time, const Parameters& parameters)
{
    if (!binding.native)
        return effectOfProfile(binding, "edit", "it is changed and put back");
    const auto payload = parameters.find(editedPayload);
    const auto id = parameters.find(editedEventId);
    constexpr std::size_t shown = 12; // digits of a fingerprint
    const auto before = row.requestHash.value_or("").substr(0, shown);
    const auto after =
        payload == parameters.end() ? std::string() : toHex(payloadDigest(payload->second)).substr(0, shown);
    return "a copy is sent to " + withoutCredentials(row.queue.value_or("")) + " under "
        + (id == parameters.end() ? "an event id of its own" : "the event id " + id->second)
        + (after == before ? ", its payload is the same (fingerprint " + before + "…)"
                           : ", the payload's fingerprint is " + after + "… instead of " + before + "…")
        + "; the id must change, because under the old one whoever has received the event refuses another payload; a "
          "consumer there that has the first still before it handles both; this letter stays as it is and is given up; "
        + verdictWords(row);
}

std::string effectOfDiscard(const Binding& binding, const Row& row, Time, const Parameters&)
{
    if (!binding.native)
        return effectOfProfile(binding, "discard", "it is given up for good");
    const bool blocks = extraOf(row, rowDiedAs) == wordOf(DeadLetterKind::Outbox) && !extraOf(row, rowLane).empty();
    return blocks ? "nobody sends it any more, and the later events of its key no longer wait for it"
                  : "nobody sends it any more";
}

namespace {

// An older state that comes behind a newer one.
std::string overtakenWarning(const Row& row)
{
    const auto by = extraOf(row, rowOvertakenBy);
    return by.empty() ? by
                      : "later events of its key were sent before it (the latest is " + by
            + "): a consumer that compares no versions puts the older state over the newer one";
}

std::string verdictWarning(ReplayVerdict verdict)
{
    switch (verdict) {
    case ReplayVerdict::Unknown:
        return "it may have had its effect already: where its consumer does not know the event, it has it twice";
    case ReplayVerdict::Racing:
        return "somebody works on it: both may have their effect";
    case ReplayVerdict::Succeeded:
    case ReplayVerdict::Safe:
    case ReplayVerdict::Conflict:
        return {};
    }
    return {};
}

} // namespace

std::string warningOfReplay(const Binding& binding, const Row& row, Time, const Parameters&)
{
    return binding.native ? joined(verdictWarning(verdictOf(row)), overtakenWarning(row)) : std::string();
}

std::string warningOfEdit(const Binding& binding, const Row& row, Time, const Parameters&)
{
    if (!binding.native)
        return {};
    std::string warning;
    if (verdictOf(row) == ReplayVerdict::Unknown)
        warning = "the first may have had its effect already: then this is a second one";
    if (verdictOf(row) == ReplayVerdict::Conflict)
        warning = "its consumer has another event under the old id: the copy is a second event to it";
    warning = joined(joined(std::move(warning), extraOf(row, rowCopyDoubles)), overtakenWarning(row));
    return extraOf(row, rowLane).empty()
        ? warning
        : joined(std::move(warning), "it is sent after the events of its key that wait now");
}

std::string noWarning(const Binding&, const Row&, Time, const Parameters&)
{
    return {};
}

} // namespace fencepost::operation

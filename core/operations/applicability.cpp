// SPDX-License-Identifier: Apache-2.0
#include "core/operations/applicability.h"

#include <algorithm>

#include "core/operations/operation.h"

namespace fencepost::operation {

namespace {

// The reason of the binding itself: missing right, missing column, forbidden by the profile.
std::string whyNotHere(const Binding& binding, std::string_view verb)
{
    const auto found = std::find_if(binding.capabilities.begin(), binding.capabilities.end(),
        [&](const Capability& capability) { return capability.verb == verb; });
    if (found == binding.capabilities.end())
        return "the profile " + binding.profile + " has no action " + std::string(verb);
    if (found->allowed)
        return {};
    return found->why.empty() ? "it is not allowed here" : found->why;
}

// Whoever asks for it by its identity finds another row, or several.
std::string whyNotNamed(const Row& row)
{
    return row.extra.contains(rowNameless)
        ? "a column of its identity is NULL, so that it cannot be told from other rows: change it by hand"
        : std::string();
}

// The reason of the binding, or of a row in a state that nobody has told us the meaning of.
std::string whyNotChanged(const Binding& binding, const Row& row, std::string_view verb)
{
    if (auto why = whyNotHere(binding, verb); !why.empty())
        return why;
    if (auto why = whyNotNamed(row); !why.empty())
        return why;
    if (statusOf(row) == State::Unknown)
        return "its state \"" + row.rawState + "\" is not known here, nor what would become of it";
    return {};
}

// The profile's own condition, as it was when the row was read.
std::string whyNotNow(const Binding& binding, const Row& row, std::string_view verb)
{
    const auto said = row.extra.find(rowActions);
    if (binding.native || said == row.extra.end())
        return {};
    const auto verbs = ' ' + said->second + ' ';
    if (verbs.find(' ' + std::string(verb) + ' ') != std::string::npos)
        return {};
    return "the profile's condition for it does not hold";
}

// Of another's table that does not hold idempotency keys: what its profile allows decides, and nothing of our own.
bool isDecidedByProfile(const Binding& binding, const char* verb)
{
    if (binding.native)
        return false;
    const auto* operation = findOperation(verb);
    return binding.kind != Kind::Idempotency || (operation != nullptr && operation->kind == Kind::DeadLetter);
}

std::string whyNotByProfile(const Binding& binding, const Row& row, const char* verb)
{
    if (auto why = whyNotHere(binding, verb); !why.empty())
        return why;
    if (auto why = whyNotNamed(row); !why.empty())
        return why;
    if (row.state == wordOf(State::Unknown))
        return "its state" + (row.rawState.empty() ? std::string() : " \"" + row.rawState + '"')
            + " is not known here, nor what would become of it";
    return whyNotNow(binding, row, verb);
}

// Only where somebody can be fenced is that the way to go on.
std::string whyNotLive(const Binding& binding)
{
    return binding.native || whyNotHere(binding, "fence").empty()
        ? "its lease is live: fence it first"
        : "its lease is live: somebody may be working on it right now";
}

std::string already(State state)
{
    return "it is already " + std::string(wordOf(state));
}

std::string whyNotDead(const Row& row)
{
    return row.state == wordOf(DeadLetterState::Dead) ? std::string() : "it is " + row.state + " already";
}

} // namespace

std::string extraOf(const Row& row, const char* name)
{
    const auto found = row.extra.find(name);
    return found == row.extra.end() ? std::string() : found->second;
}

ReplayVerdict verdictOf(const Row& row)
{
    return replayVerdictOf(extraOf(row, rowVerdict)).value_or(ReplayVerdict::Unknown);
}

State statusOf(const Row& row)
{
    const auto raw = stateOf(row.rawState);
    if (raw && isStored(*raw))
        return *raw;
    return stateOf(row.status.empty() ? row.state : row.status).value_or(State::Unknown);
}

bool isLive(const Row& row, Time now)
{
    return statusOf(row) == State::InProgress && row.leaseUntil && *row.leaseUntil > now;
}

bool isSafeToFence(const Row& row, Time now)
{
    return row.takeover.value_or("manual") == wordOf(Takeover::Auto) && !isLive(row, now);
}

std::string whyNotFence(const Binding& binding, const Row& row, Time)
{
    if (isDecidedByProfile(binding, "fence"))
        return whyNotByProfile(binding, row, "fence");
    if (auto why = whyNotChanged(binding, row, "fence"); !why.empty())
        return why;
    if (statusOf(row) != State::InProgress)
        return "only a record in progress has an owner to fence; " + already(statusOf(row));
    return whyNotNow(binding, row, "fence");
}

std::string whyNotRelease(const Binding& binding, const Row& row, Time now)
{
    if (isDecidedByProfile(binding, "release"))
        return whyNotByProfile(binding, row, "release");
    if (auto why = whyNotChanged(binding, row, "release"); !why.empty())
        return why;
    const auto status = statusOf(row);
    if (row.hold)
        return "it is held: resolve it";
    if (binding.native ? status != State::InProgress : isTerminal(status) || status == State::Expired)
        return "only a record in progress can be released; " + already(status);
    if (isLive(row, now))
        return whyNotLive(binding);
    if (!binding.native && status == State::InProgress && !row.stuck)
        return "it is not stuck yet: somebody may be working on it right now";
    return whyNotNow(binding, row, "release");
}

std::string whyNotExpire(const Binding& binding, const Row& row, Time now)
{
    if (isDecidedByProfile(binding, "expire"))
        return whyNotByProfile(binding, row, "expire");
    if (auto why = whyNotChanged(binding, row, "expire"); !why.empty())
        return why;
    if (row.state == wordOf(State::Expired) || (row.expiresAt && *row.expiresAt <= now))
        return "it has expired already";
    if (!row.hold && isLive(row, now))
        return whyNotLive(binding);
    if (!binding.native && statusOf(row) == State::InProgress)
        return "it is in progress and this table has no lease that says whether somebody works on it";
    return whyNotNow(binding, row, "expire");
}

std::string whyNotResolve(const Binding& binding, const Row& row, Time)
{
    if (isDecidedByProfile(binding, "resolve"))
        return whyNotByProfile(binding, row, "resolve");
    if (auto why = whyNotChanged(binding, row, "resolve"); !why.empty())
        return why;
    return row.hold ? std::string() : "it is not held";
}

std::string whyNotFail(const Binding& binding, const Row& row, Time now)
{
    if (isDecidedByProfile(binding, "fail"))
        return whyNotByProfile(binding, row, "fail");
    if (auto why = whyNotChanged(binding, row, "fail"); !why.empty())
        return why;
    const auto status = statusOf(row);
    if (isTerminal(status))
        return already(status);
    if (!row.hold && isLive(row, now))
        return whyNotLive(binding);
    return whyNotNow(binding, row, "fail");
}

namespace {

// Whatever is decided about a letter, it is one that waits for it.
std::string whyNotDecided(const Binding& binding, const Row& row, const char* verb)
{
    auto why = whyNotHere(binding, verb);
    return why.empty() ? whyNotDead(row) : why;
}

} // namespace

std::string verdictWords(const Row& row)
{
    return std::string(titleOf(verdictOf(row))) + ": " + extraOf(row, rowVerdictReason);
}

std::string whyNotReplay(const Binding& binding, const Row& row, Time)
{
    if (isDecidedByProfile(binding, "replay"))
        return whyNotByProfile(binding, row, "replay");
    if (auto why = whyNotDecided(binding, row, "replay"); !why.empty())
        return why;
    const auto verdict = verdictOf(row);
    if (verdict == ReplayVerdict::Succeeded)
        return verdictWords(row) + "; discard it";
    if (verdict == ReplayVerdict::Conflict)
        return verdictWords(row) + "; it needs an id of its own";
    return extraOf(row, rowUnsendable);
}

std::string whyNotEdit(const Binding& binding, const Row& row, Time)
{
    if (isDecidedByProfile(binding, "edit"))
        return whyNotByProfile(binding, row, "edit");
    if (auto why = whyNotDecided(binding, row, "edit"); !why.empty())
        return why;
    const auto verdict = verdictOf(row);
    if (verdict == ReplayVerdict::Succeeded)
        return verdictWords(row) + "; under another id it would have its effect twice";
    if (verdict == ReplayVerdict::Racing)
        return verdictWords(row) + "; wait for what becomes of it";
    return row.queue.value_or("").empty() ? "where it came from is not known" : "";
}

std::string whyNotDiscard(const Binding& binding, const Row& row, Time)
{
    return isDecidedByProfile(binding, "discard") ? whyNotByProfile(binding, row, "discard")
                                                  : whyNotDecided(binding, row, "discard");
}

std::string whyNotNote(const Binding& binding, const Row& row, Time)
{
    auto why = whyNotHere(binding, "note");
    return why.empty() ? whyNotNamed(row) : why;
}

} // namespace fencepost::operation

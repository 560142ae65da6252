// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>

#include "core/in_quotes.h"
#include "core/messaging/webhook_signature.h"
#include "core/operations/applicability.h"
#include "core/operations/effects.h"
#include "core/operations/operation.h"

namespace fencepost {

namespace {

constexpr std::array resolutions = {
    Choice{ "succeeded", "The effect happened" },
    Choice{ "failed", "It failed for good" },
    Choice{ "retryable", "It did not happen: the next same request executes" },
    Choice{ "takeover", "It did not happen: hand it over as it is" },
};

constexpr std::array fenceParameters = {
    Parameter{ "no_hold", "Do not hold records whose owner may still be sending, because", false, {}, false, true },
};

constexpr std::array expireParameters = {
    Parameter{ "i_know_this_allows_re_execution", "Also in financial scopes: I know that this allows re-execution",
        false, {}, true },
    Parameter{ "tombstone", "Refuse the key that much longer (30d), or none", false, {}, false, true },
};

constexpr Parameter takenBack{ effectUndone, "Also what a vendor has done already: how it was taken back", false, {},
    false, true };

constexpr std::array resolveParameters = {
    Parameter{ "as", "Outcome", true, resolutions },
    Parameter{ "evidence", "Evidence: how the outcome was learned", true },
    Parameter{ "response_code", "Status that it succeeded with: replays tell it", false, {}, false, true },
    Parameter{ "reference", "Reference to the business record, as TYPE:ID", false, {}, false, true },
    takenBack,
};

constexpr std::array failParameters = {
    Parameter{ "response_code", "Response code that replays give (500)", false, {}, false, true },
    Parameter{ "error_code", "Error code that replays give", false, {}, false, true },
    takenBack,
};

constexpr std::array releaseParameters = {
    Parameter{ "effect_checked", "How it was checked that the effect did not happen", false, {}, false, true },
    takenBack,
};

constexpr std::array replayParameters = {
    Parameter{ includeUnknown, "Also events that may be duplicated, because", false, {}, false, true },
    Parameter{ includeRacing, "Also events that somebody works on right now, because", false, {}, false, true },
};

constexpr std::array editParameters = {
    Parameter{ editedPayload, "New payload, whole", true, {}, false, false, true },
    Parameter{ editedEventId, "Event id of the copy (one of its own is made)" },
    Parameter{ includeUnknown, "Although the first may have had its effect, because" },
};

constexpr std::array noteParameters = {
    Parameter{ "assignee", "Assigned to" },
    Parameter{ "ticket", "Ticket, as a URL" },
    Parameter{ "tags", "Tags, separated by commas" },
    Parameter{ "snooze", "Known issue: keep the board quiet for (4h), or none" },
};

constexpr auto noInverse = "";
constexpr auto replayId = "replay";
constexpr auto editId = "edit";
constexpr auto reopen = "reopen";
constexpr auto restore = "restore";

constexpr std::array table = {
    Operation{ "fence", "Fence owner", "Fence", "owner", "owners", "Shift+F",
        "Take the record from its owner: whatever the old owner still sends to the store is refused.",
        "None: a fence only ever goes up. A held record is resolved, a free one is taken over.", false, noInverse,
        "medium", fenceParameters, Kind::Idempotency, operation::whyNotFence, operation::effectOfFence,
        operation::warningOfFence },
    Operation{ "release", "Release for retry", "Release", "record", "records", "Shift+L",
        "Make a record in progress whose lease is past retryable: its owner is gone and nothing happened.",
        "None: once released, the next request may have executed already.", false, noInverse, "high", releaseParameters,
        Kind::Idempotency, operation::whyNotRelease, operation::effectOfRelease, operation::warningOfRelease, true },
    Operation{ "expire", "Expire key", "Expire", "key", "keys", "Shift+E",
        "End the retention now: a key that has its outcome is free to execute again.",
        "The old expiry is put back, unless the key was reserved again.", true, "unexpire", "high", expireParameters,
        Kind::Idempotency, operation::whyNotExpire, operation::effectOfExpire, operation::warningOfExpire },
    Operation{ "resolve", "Resolve hold", "Resolve", "hold", "holds", "Shift+V",
        "Say what became of a record whose outcome was unknown, with evidence.",
        "It goes back to HELD with a new fence, unless it moved on.", true, reopen, "high", resolveParameters,
        Kind::Idempotency, operation::whyNotResolve, operation::effectOfResolve, operation::warningOfResolve, true },
    Operation{ "fail", "Fail finally", "Fail", "record", "records", "Shift+X",
        "Close an unresolved record as FAILED_FINAL: the client must use a new key.",
        "It goes back to HELD with a new fence, unless it moved on.", true, reopen, "medium", failParameters,
        Kind::Idempotency, operation::whyNotFail, operation::effectOfFail, operation::warningOfFail, true },
    Operation{ replayId, "Replay event", "Replay", "event", "events", "Shift+R",
        "Put a dead letter back to be sent again under the same event id.",
        "None: it may have been sent already. What fails again is a dead letter again.", false, noInverse, "high",
        replayParameters, Kind::DeadLetter, operation::whyNotReplay, operation::effectOfReplay,
        operation::warningOfReplay },
    Operation{ editId, "Edit and replay", "Edit and replay", "event", "events", "Shift+B",
        "Send a copy of a dead letter with another payload under an event id of its own, and give the letter up.",
        "None: the copy may have been sent already.", false, noInverse, "high", editParameters, Kind::DeadLetter,
        operation::whyNotEdit, operation::effectOfEdit, operation::warningOfEdit },
    Operation{ "discard", "Discard event", "Discard", "event", "events", "Shift+D",
        "Give a dead letter up for good: nobody sends it, and nobody waits for it.",
        "It is dead as before; what waited behind it may have been sent meanwhile.", true, restore, "medium", {},
        Kind::DeadLetter, operation::whyNotDiscard, operation::effectOfDiscard, operation::noWarning },
    Operation{ "note", "Add note", "Add notes to", "record", "records", "N",
        "Write a note about the record to the audit; the row is not touched.", "None: notes are append-only.", false,
        noInverse, "low", noteParameters, Kind::Idempotency, operation::whyNotNote, operation::effectOfNote,
        operation::noWarning },
};

Status checkValue(const Parameter& parameter, const std::string& value)
{
    const std::string id = parameter.id;
    if (isBlank(value))
        return invalid("The parameter " + id + " is empty.");
    if (!parameter.document && !isUtf8(value))
        return invalid("The parameter " + id + " is not valid UTF-8.");
    if (!parameter.choices.empty()
        && std::none_of(parameter.choices.begin(), parameter.choices.end(),
            [&](const Choice& choice) { return value == choice.value; })) {
        std::string words;
        for (const auto& choice : parameter.choices)
            words += (words.empty() ? "" : ", ") + std::string(choice.value);
        return invalid("The parameter " + id + " is one of " + words + ", not " + inQuotes(value) + ".");
    }
    if (id == "response_code") {
        int code = 0;
        const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), code);
        if (problem != std::errc() || end != value.data() + value.size() || code < 100 || code > 599)
            return invalid("The response code " + inQuotes(value) + " is no number from 100 to 599.");
    }
    if ((id == "tombstone" || id == "snooze") && value != "none") {
        const auto length = parseDuration(value);
        if (!length || *length <= Duration::zero())
            return invalid("The " + id + ' ' + inQuotes(value) + " is no length of time like 30d, and not none.");
    }
    if (id == editedEventId && (!isWebhookId(value) || value.size() > longestEventId))
        return invalid("The event id " + inQuotes(value)
            + " cannot be signed: it has 1 to 255 printable ASCII characters, none of them a space or a dot.");
    if (id == "ticket" && value.find("://") == std::string::npos)
        return invalid("The ticket " + inQuotes(value) + " is no URL.");
    if (id == "reference" && (value.find(':') == std::string::npos || value.front() == ':' || value.back() == ':'))
        return invalid("The reference " + inQuotes(value) + " has no form TYPE:ID.");
    return {};
}

// Replays are answered with it: one that tells of success for a failure, or the other way, would mislead every client.
Status checkCode(const Operation& operation, const std::map<std::string, std::string>& parameters)
{
    const auto code = parameters.find("response_code");
    if (code == parameters.end())
        return {};
    const auto as = parameters.find("as");
    const auto outcome = as != parameters.end() ? as->second : std::string(operation.id);
    const char first = code->second.front();
    if (outcome == "succeeded" && first != '2' && first != '3')
        return invalid("The response code " + code->second + " tells of no success: give one from 200 to 399.");
    if ((outcome == "failed" || outcome == "fail") && first != '4' && first != '5')
        return invalid("The response code " + code->second + " tells of no failure: give one from 400 to 599.");
    return {};
}

} // namespace

std::span<const Operation> operations() noexcept
{
    return table;
}

const Operation* findOperation(std::string_view id) noexcept
{
    const auto found = std::find_if(table.begin(), table.end(), [&](const Operation& entry) { return id == entry.id; });
    return found == table.end() ? nullptr : &*found;
}

bool isFor(const Operation& operation, Kind kind) noexcept
{
    if (std::string_view(operation.id) == "note")
        return true;
    return kind != Kind::Outbox && (operation.kind == Kind::DeadLetter) == (kind == Kind::DeadLetter);
}

bool isOfLetters(std::string_view verb) noexcept
{
    const auto* operation = findOperation(verb);
    return operation != nullptr && operation->kind == Kind::DeadLetter;
}

bool isReplay(std::string_view verb) noexcept
{
    return verb == replayId;
}

bool isEdit(std::string_view verb) noexcept
{
    return verb == editId;
}

const Operation* findInverse(std::string_view inverseVerb) noexcept
{
    const auto found = std::find_if(table.begin(), table.end(),
        [&](const Operation& entry) { return entry.hasInverse && inverseVerb == entry.inverseVerb; });
    return found == table.end() ? nullptr : &*found;
}

// Only Fencepost's own records can be held and have a fence that goes up. To put back the columns of another table
// would give the record to its old owner again, who could then finalize it.
bool canBeUndone(const Operation& operation, const Binding& binding) noexcept
{
    const std::string_view inverse = operation.inverseVerb;
    return operation.hasInverse && (binding.native || (inverse != reopen && inverse != restore));
}

std::string inverseOf(const Operation& operation, const Binding& binding)
{
    if (binding.native)
        return operation.inverse;
    if (std::string_view(operation.inverseVerb) == restore)
        return "None: what was discarded is gone from the table; the audit keeps what it was, without its body.";
    if (isReplay(operation.id))
        return "None: once it is back, somebody may have worked on it already.";
    const bool owned = binding.fencing != "none" && binding.fencing != "not_applicable";
    if (operation.hasInverse && !canBeUndone(operation, binding))
        return owned ? "None: this table has no hold to go back to, and its old owner must not get the record again."
                     : "None: this table has no hold to go back to.";
    if (std::string_view(operation.id) == "fence")
        return "None: the old owner must not get the record again.";
    return operation.inverse;
}

std::string countedTitle(const Operation& operation, std::int64_t count)
{
    return std::string(operation.verb) + ' ' + std::to_string(count) + ' '
        + (count == 1 ? operation.object : operation.objects);
}

Status checkParameters(const Operation& operation, const std::map<std::string, std::string>& parameters)
{
    for (const auto& parameter : operation.parameters) {
        const auto given = parameters.find(parameter.id);
        if (given == parameters.end()) {
            if (parameter.required)
                return invalid(std::string(operation.title) + " needs the parameter " + parameter.id + '.');
            continue;
        }
        if (auto status = checkValue(parameter, given->second); !status)
            return status;
    }
    for (const auto& given : parameters)
        if (std::none_of(operation.parameters.begin(), operation.parameters.end(),
                [&](const Parameter& parameter) { return given.first == parameter.id; }))
            return invalid(std::string(operation.title) + " has no parameter " + given.first + '.');
    return checkCode(operation, parameters);
}

} // namespace fencepost

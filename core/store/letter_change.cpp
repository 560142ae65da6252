// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "core/operations/operation.h"
#include "core/store/dead_letters.h"
#include "core/store/expression_sql.h"
#include "core/store/image_json.h"
#include "core/store/letter_verdicts.h"
#include "core/store/row_change.h"

namespace fencepost::store {

namespace {

using nlohmann::json;

std::string imageOf(const DeadLetter& letter)
{
    const json image = { { "id", letter.id }, { "kind", wordOf(letter.kind) }, { "consumer", letter.consumer },
        { "source", letter.source }, { "event_id", letter.eventId }, { "destination", letter.destination },
        { "state", wordOf(letter.state) }, { "deaths", letter.deaths }, { "dead_at", microsOf(letter.deadAt) },
        { "settled_at", micros(letter.settledAt) }, { "settled_by", orNull(letter.settledBy) },
        { "settled_because", orNull(letter.settledBecause) }, { "run_id", orNull(letter.runId) } };
    return image.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string seenOf(const Change& change, const char* name)
{
    const auto found = change.seen.find(name);
    return found == change.seen.end() ? std::string() : found->second;
}

Result<int> deathsSeen(const Change& change)
{
    const auto text = seenOf(change, seenDeaths);
    int deaths = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), deaths);
    if (problem != std::errc() || end != text.data() + text.size())
        return invalid("The change does not say how often the letter had died");
    return deaths;
}

// What became of the event since the plan was made. Empty: what was chosen then is still what is chosen.
Result<std::string> whyNotAnyMore(Connection& connection, const Change& change, const DecidingClock& now)
{
    const auto id = storedText(change.identity.front());
    const auto verdicts = judgeLetters(connection, { id }, now);
    if (!verdicts)
        return verdicts.error();
    const auto found = verdicts->find(id);
    if (found == verdicts->end())
        return std::string("there is no such dead letter");
    const auto& [verdict, reason, unsendable, behind, copyDoubles] = found->second;
    if (!unsendable.empty() && !isEdit(change.verb))
        return unsendable;
    if (isEdit(change.verb) && !copyDoubles.empty() && !change.parameters.contains(includeUnknown))
        return copyDoubles;
    switch (verdict) {
    case ReplayVerdict::Safe:
        return std::string();
    case ReplayVerdict::Unknown:
        if (change.parameters.contains(includeUnknown))
            return std::string();
        break;
    case ReplayVerdict::Racing:
        if (change.parameters.contains(includeRacing))
            return std::string();
        break;
    case ReplayVerdict::Conflict:
        // Under an id of its own nobody refuses it.
        if (isEdit(change.verb))
            return std::string();
        break;
    case ReplayVerdict::Succeeded:
        break;
    }
    return std::string(titleOf(verdict)) + ": " + reason;
}

// The same however often the change is tried.
LetterEdit editOf(const Change& change, const std::optional<DeadLetter>& letter)
{
    const auto parameter = [&](const char* name) {
        const auto found = change.parameters.find(name);
        return found == change.parameters.end() ? std::string() : found->second;
    };
    LetterEdit edit{ parameter(editedEventId), parameter(editedPayload) };
    if (edit.eventId.empty() && letter)
        edit.eventId = derivedEventId(change.requestId, letter->source, letter->eventId, change.item);
    return edit;
}

Result<LetterDecision> decide(
    DeadLetters& letters, const Change& change, const LetterDemand& demand, const std::optional<DeadLetter>& before)
{
    const auto id = storedText(change.identity.front());
    if (isReplay(change.verb))
        return letters.redrive(id, demand);
    if (isEdit(change.verb))
        return letters.edit(id, demand, editOf(change, before));
    return change.verb == "discard" ? letters.discard(id, demand) : letters.restore(id, demand);
}

} // namespace

Result<RowChange> changeLetter(Connection& connection, const Change& change, const StoreClock& clock)
{
    if (change.identity.size() != 1)
        return invalid("A dead letter is named by its id alone");
    const auto deaths = deathsSeen(change);
    if (!deaths)
        return deaths.error();
    const auto id = storedText(change.identity.front());
    DeadLetters letters(connection, clock);
    const auto before = letters.find(id);
    if (!before)
        return before.error();
    const bool sends = isReplay(change.verb) || isEdit(change.verb);
    const LetterDemand demand{ *deaths, change.actor, change.reason, sends ? change.requestId : std::string() };
    if (sends) {
        const auto why = whyNotAnyMore(connection, change, boundTime(connection, clock));
        if (!why)
            return why.error();
        const bool waits = *before && (*before)->state == DeadLetterState::Dead && (*before)->deaths == *deaths;
        if (waits && !why->empty())
            return RowChange{ ItemResult::Skipped, *why, {}, {} };
    }
    const auto decided = decide(letters, change, demand, *before);
    if (!decided)
        return decided.error();
    if (decided->outcome != LetterOutcome::Changed)
        return RowChange{ ItemResult::Skipped, decided->reason, {}, {} };
    return RowChange{ ItemResult::Changed, {}, *before ? imageOf(**before) : std::string(),
        decided->letter ? imageOf(*decided->letter) : std::string() };
}

} // namespace fencepost::store

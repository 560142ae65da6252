// SPDX-License-Identifier: Apache-2.0
#include "core/forensics/conflict.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "core/protocol/http_message.h"
#include "core/redaction.h"

namespace fencepost {

namespace {

// Two that came within a blink say nothing of an hour.
constexpr Duration shortestRated = std::chrono::minutes(1);

bool isHash(const std::optional<Bytes>& kept)
{
    constexpr std::size_t octets = 32;
    return kept && kept->size() == octets;
}

Result<Fingerprint> printOf(const HttpRequest& request, const FingerprintProfile& profile)
{
    return fingerprint(
        { request.method, std::string(pathOf(request)), std::string(queryOf(request)), request.headers, request.body },
        profile);
}

// Whether the request that was kept has the record's hash when it is made whole in this way.
bool reproduces(const ConflictCase& of, HttpRequest request, const FingerprintProfile& profile)
{
    if (!of.record.requestBody)
        return false;
    request.body = *of.record.requestBody;
    const auto print = printOf(request, profile);
    return print && print->requestHash == of.record.requestHash;
}

// Whether it is one of the requests that came, when it is made whole in this way: of a redacted copy nothing else
// tells.
bool isKnown(const ConflictCase& of, const HttpRequest& request, const FingerprintProfile& profile)
{
    const auto print = printOf(request, profile);
    return print
        && (print->requestHash == of.record.requestHash
            || std::any_of(of.conflicts.begin(), of.conflicts.end(),
                [&](const Conflict& conflict) { return conflict.presentedHash == print->requestHash; }));
}

// A redacted copy shows something else in its place, of which no hash can be made.
bool isHidden(const ConflictCase& of, const PresentedRequest& presented)
{
    const auto& method = of.record.requestMethod;
    const auto& target = of.record.requestTarget;
    return (!presented.target && target && hasMark(*target)) || (!presented.method && method && hasMark(*method));
}

// What was not kept is what makes the kept request have the record's hash: a media type is often not kept.
HttpRequest wholeRequest(const ConflictCase& of, const PresentedRequest& presented, const FingerprintProfile& profile)
{
    HttpRequest request;
    const auto told = [](const std::optional<std::string>& said, const std::optional<std::string>& kept,
                          const char* usual) {
        return said ? *said : kept && !hasMark(*kept) ? *kept : usual;
    };
    request.method = told(presented.method, of.record.requestMethod, "POST");
    request.target = told(presented.target, of.record.requestTarget, "/");
    request.headers = presented.headers;
    request.body = presented.body;
    if (presented.contentType) {
        request.headers.emplace_back("Content-Type", *presented.contentType);
        return request;
    }
    if (const auto kept = lineOf(of.keptHeaders, "content-type")) {
        request.headers.emplace_back("Content-Type", std::string(*kept));
        return request;
    }
    constexpr std::array<std::string_view, 3> usual{ "application/json", "application/json; charset=utf-8",
        "application/x-www-form-urlencoded" };
    for (const auto type : usual) {
        auto typed = request;
        typed.headers.emplace_back("Content-Type", std::string(type));
        if (reproduces(of, typed, profile) || isKnown(of, typed, profile))
            return typed;
    }
    return request;
}

FingerprintProfile profileOf(const ConflictCase& of, const PresentedRequest& presented)
{
    FingerprintProfile profile;
    profile.pointers = presented.pointers;
    for (const auto& [name, value] : presented.headers)
        profile.headers.push_back(name);
    FingerprintProfile bodyOnly = profile;
    bodyOnly.bodyOnly = true;
    return of.record.fingerprintAlg == tagOf(bodyOnly) ? bodyOnly : profile;
}

bool isSentWithKnown(const ConflictCase& of, const PresentedRequest& presented)
{
    return (presented.method || of.record.requestMethod)
        && (presented.target || (of.record.requestTarget && !isHidden(of, presented)));
}

// Some services compare bodies alone: what they keep is a digest of the body, canonical or as it came.
std::vector<Bytes> digestsOf(const HttpRequest& request, const FingerprintProfile& profile)
{
    std::vector<Bytes> digests{ sha256(request.body) };
    const auto type = lineOf(request.headers, "content-type");
    for (const auto& each : { profile, FingerprintProfile() })
        if (auto digest = bodyDigest(type, request.body, each))
            digests.push_back(std::move(*digest));
    return digests;
}

// By its fingerprint, else by a digest of its body.
void findMatch(const ConflictCase& of, const std::vector<Bytes>& hashes, ConflictExplanation& into)
{
    const auto isOne = [&](const Bytes& hash) { return std::find(hashes.begin(), hashes.end(), hash) != hashes.end(); };
    const auto refused = std::find_if(of.conflicts.begin(), of.conflicts.end(),
        [&](const Conflict& conflict) { return conflict.kind == "mismatch" && isOne(conflict.presentedHash); });
    if (isOne(of.record.requestHash)) {
        into.match = Match::Same;
    } else if (refused != of.conflicts.end()) {
        into.match = Match::Refused;
        into.refused = *refused;
    }
}

bool isBodyOf(const Record& record, const std::vector<Bytes>& digests)
{
    return record.payloadHash && std::find(digests.begin(), digests.end(), *record.payloadHash) != digests.end();
}

// True: what is kept there is a digest of a body, and one of these is it.
bool findMatchByBody(const ConflictCase& of, const std::vector<Bytes>& digests, ConflictExplanation& into)
{
    findMatch(of, digests, into);
    if (into.match != Match::Other)
        return true;
    if (isBodyOf(of.record, digests))
        into.match = Match::Body;
    return false;
}

// Of a body that is not the one of which the record's hash was made, nobody can say what its marks stand for.
void tellHidden(
    const ConflictCase& of, const HttpRequest& request, const FingerprintProfile& profile, ConflictExplanation& into)
{
    auto& bodies = *into.bodies;
    if (!reproduces(of, request, profile))
        for (auto& each : bodies.differences)
            if (each.kind == DifferenceKind::Changed && hasMark(each.before)) {
                each.kind = DifferenceKind::Hidden;
                ++bodies.hiddenCount;
                --bodies.differenceCount;
            }
    if (into.match == Match::Same || isBodyOf(of.record, digestsOf(request, profile)))
        bodies.same = true;
    if (bodies.hiddenCount > 0)
        into.notes.push_back(std::to_string(bodies.hiddenCount)
            + (bodies.hiddenCount == 1 ? " value of the body that was kept is"
                                       : " values of the body that was kept are")
            + " hidden in this copy: whether they differ, only the hash tells");
}

FailedCheck failedCheck(
    const ConflictCase& of, const PresentedRequest& presented, const ConflictExplanation& explanation)
{
    if (explanation.match == Match::Same)
        return FailedCheck::None;
    // Of a body whose hash is known to be another one nothing else matters.
    if (explanation.match == Match::Unknown)
        return isHash(of.record.payloadHash) ? FailedCheck::Body : FailedCheck::NotTold;
    if (explanation.match == Match::Body)
        return isSentWithKnown(of, presented) && keepsHash(of.record) ? FailedCheck::Around : FailedCheck::NotTold;
    const bool allHidden =
        explanation.bodies && explanation.bodies->hiddenCount > 0 && explanation.bodies->differenceCount == 0;
    if (explanation.bodies && explanation.bodies->same)
        return FailedCheck::Around;
    return !of.record.requestBody || allHidden ? FailedCheck::Unknown : FailedCheck::Body;
}

// What of the request around its body differs from the one that was kept, as far as both are known.
void noteAround(const ConflictCase& of, const HttpRequest& request, ConflictExplanation& into)
{
    const auto& method = of.record.requestMethod;
    if (method && !hasMark(*method) && *method != request.method)
        into.notes.push_back("The method differs: " + *method + " was kept, this is " + request.method);
    if (!of.record.requestTarget)
        return;
    HttpRequest kept;
    kept.target = *of.record.requestTarget;
    const auto differs = [](std::string_view one, std::string_view other) { return !hasMark(one) && one != other; };
    if (differs(pathOf(kept), pathOf(request)))
        into.notes.emplace_back("The path differs");
    // What stands for the path may stand for the query too.
    if (!hasMark(pathOf(kept)) && differs(queryOf(kept), queryOf(request)))
        into.notes.emplace_back("The query differs");
}

void addNotes(const ConflictCase& of, const PresentedRequest& presented, const HttpRequest& request,
    const Fingerprint& print, bool isBodyHidden, ConflictExplanation& into)
{
    const auto profile = profileOf(of, presented);
    if (of.record.fingerprintAlg != print.alg)
        into.notes.push_back("The record was made with the fingerprint profile " + of.record.fingerprintAlg
            + ", this is " + print.alg
            + ": the service compares other parts of a request, and only its contract says which");
    const bool hidden = isHidden(of, presented);
    if (into.failed == FailedCheck::Around && !hidden)
        noteAround(of, request, into);
    const std::string next = hidden ? ". What it was sent with is not told here; it can be said to `fencepostctl "
                                      "conflicts explain --method POST --target /path?query`"
                                    : std::string();
    const bool isRedacted = into.bodies && into.bodies->hiddenCount > 0;
    if (of.record.requestBody && into.match != Match::Same && !isRedacted && !reproduces(of, request, profile))
        into.notes.push_back("The request that was kept does not have the record's hash under this method, "
                             "target, media type and these headers: only the bodies can be compared"
            + next);
    else if (into.match == Match::Unknown)
        into.notes.push_back("Only its hash tells which request it is" + next);
    if (!of.record.requestMethod && !presented.method)
        into.notes.push_back(
            "The record does not say what it was sent with: POST / was taken, so say the method and the target");
    if (!of.record.requestBody && into.match != Match::Body)
        into.notes.push_back(std::string("The first request's body ")
            + (isBodyHidden ? "is hidden in this copy" : "was not kept") + ": only its hash can be compared");
}

ConflictExplanation explainPayload(const ConflictCase& of, const Bytes& payload)
{
    ConflictExplanation explanation;
    explanation.payloadAlone = true;
    explanation.presentedHash = payloadDigest(payload);
    findMatch(of, { explanation.presentedHash }, explanation);
    const bool isOneHidden = !keepsHash(of.record)
        || std::any_of(of.conflicts.begin(), of.conflicts.end(),
            [](const Conflict& conflict) { return isMark(conflict.presentedHash); });
    if (explanation.match == Match::Other && isOneHidden)
        explanation.match = Match::Unknown;
    const bool same = explanation.match == Match::Same;
    if (keepsBody(of.record)) {
        explanation.bodies = explainBodies({ {}, *of.record.requestBody }, { {}, payload });
        explanation.bodies->same = explanation.bodies->same || same;
    }
    explanation.failed = same ? FailedCheck::None : keepsHash(of.record) ? FailedCheck::Body : FailedCheck::NotTold;
    explanation.notes.emplace_back("An inbox compares payloads alone: nothing else that an event comes with decides");
    if (!keepsBody(of.record))
        explanation.notes.emplace_back(
            "The first payload is not kept by an inbox, and no outbox beside it shows it: only "
            "its hash can be compared");
    return explanation;
}

} // namespace

ArrivalCount repeatsWithin(const Conflict& conflict, Time from, Time until)
{
    const auto repeats = conflict.count - 1;
    const auto& [first, last] = std::pair(conflict.firstAt, std::max(conflict.firstAt, conflict.lastAt));
    if (repeats <= 0 || last < from || first >= until)
        return {};
    if (first >= from && last < until)
        return { repeats, false };
    const std::int64_t known = last < until ? 1 : 0;
    if (repeats == 1)
        return { known, false };
    const auto part = std::chrono::duration<double>(std::min(last, until) - std::max(first, from))
        / std::chrono::duration<double>(last - first);
    return { known + std::llround(part * static_cast<double>(repeats - 1)), true };
}

ArrivalCount arrivalsWithin(const Conflict& conflict, Time from, Time until)
{
    auto within = repeatsWithin(conflict, from, until);
    if (conflict.firstAt >= from && conflict.firstAt < until)
        ++within.count;
    return within;
}

std::optional<double> hourlyRate(const Conflict& conflict)
{
    const auto span = conflict.lastAt - conflict.firstAt;
    if (span < shortestRated || conflict.count < 2)
        return {};
    return static_cast<double>(conflict.count - 1) / std::chrono::duration<double, std::ratio<3600>>(span).count();
}

std::string_view wordOf(Match match) noexcept
{
    switch (match) {
    case Match::Same:
        return "same";
    case Match::Refused:
        return "refused";
    case Match::Body:
        return "body";
    case Match::Other:
        return "other";
    case Match::Unknown:
        return "unknown";
    }
    return "other";
}

std::string_view wordOf(FailedCheck check) noexcept
{
    switch (check) {
    case FailedCheck::None:
        return "none";
    case FailedCheck::Validation:
        return "validation";
    case FailedCheck::Body:
        return "body";
    case FailedCheck::Around:
        return "around_the_body";
    case FailedCheck::NotTold:
        return "not_told";
    case FailedCheck::Unknown:
        return "unknown";
    }
    return "unknown";
}

std::string shownHash(const Bytes& hash)
{
    return isMark(hash) ? hash : toHex(hash);
}

bool keepsHash(const Record& record)
{
    return isHash(record.requestHash);
}

bool keepsBody(const Record& record)
{
    return record.requestBody && !isMark(*record.requestBody);
}

ConflictExplanation explainConflict(const ConflictCase& told, const PresentedRequest& presented)
{
    if (told.payloadAlone)
        return explainPayload(told, presented.body);
    auto of = told;
    if (!keepsBody(of.record))
        of.record.requestBody.reset();
    const auto profile = profileOf(of, presented);
    const auto request = wholeRequest(of, presented, profile);
    const auto print = printOf(request, profile);
    ConflictExplanation explanation;
    if (print) {
        explanation.presentedHash = print->requestHash;
        findMatch(of, { print->requestHash }, explanation);
    }
    const bool byBody =
        explanation.match == Match::Other && findMatchByBody(of, digestsOf(request, profile), explanation);
    const bool isOneHidden = std::any_of(of.conflicts.begin(), of.conflicts.end(),
        [](const Conflict& conflict) { return isMark(conflict.presentedHash); });
    if (explanation.match == Match::Other && (isHidden(of, presented) || !keepsHash(of.record) || isOneHidden))
        explanation.match = Match::Unknown;
    if (of.record.requestBody) {
        const auto line = lineOf(request.headers, "content-type");
        const auto type = line ? std::optional(std::string(*line)) : std::nullopt;
        explanation.bodies = explainBodies({ type, *of.record.requestBody }, { type, request.body }, profile);
        tellHidden(of, request, profile, explanation);
    }
    const bool isRefusedUnread = !print && !byBody;
    explanation.failed = isRefusedUnread ? FailedCheck::Validation : failedCheck(of, presented, explanation);
    if (byBody) {
        explanation.notes.emplace_back("What is kept there is a digest of the body alone: nothing else of a request is "
                                       "compared with it");
        return explanation;
    }
    if (isRefusedUnread) {
        explanation.notes.push_back(print.error().message);
        return explanation;
    }
    addNotes(of, presented, request, *print, told.record.requestBody && !of.record.requestBody, explanation);
    return explanation;
}

} // namespace fencepost

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/cron_target.h"

#include "app/ctl/run_client.h"
#include "app/ctl/service_address.h"
#include "core/protocol/digest.h"
#include "core/service/insistence.h"
#include "core/service/settlement.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

constexpr auto bodyPoint = "cron_body";
constexpr std::size_t keptAnswer = std::size_t{ 256 } << 10U;

// The target knows the key, so whoever comes after a crash may send it again.
Result<Reservation> reservationFor(Context& context, const CronSlot& slot, const std::string& url)
{
    const auto policy = context.policy();
    if (!policy)
        return policy.error();
    const auto route = policy->forRoute(cronScope, slot.job->id);
    PartsDigest digest("fencepost-cron-v1");
    digest.add(url);
    return Reservation{ .id = slot.id(),
        .requestHash = digest.finish(),
        .owner = { uuid4(context.random) },
        .lease = route.lease.value,
        .ttl = std::max(route.ttl.value, slot.job->catchUp * 2),
        .takeover = route.takeover.origin == Origin::Default ? Takeover::Auto : route.takeover.value,
        .maxAttempts = route.maxAttempts.value,
        .principal = models::actorName() };
}

// What is sent is the same in every attempt, however the registry is edited in between: the target would refuse
// another body under the slot's key.
Result<std::string> bodyOf(Store& store, const CronSlot& slot, const Claim& claim, const Record& record)
{
    if (record.recoveryPoint == bodyPoint && record.recoveryData)
        return *record.recoveryData;
    auto body = json({ { "job", slot.job->id }, { "run_id", claim.id.key }, { "scopes", slot.job->scopes } }).dump();
    const auto kept = insistently([&] { return store.advance(claim, bodyPoint, body); });
    if (!kept)
        return kept.error();
    if (kept->outcome != Outcome::Applied)
        return Error{ Failure::Conflict, "The slot is somebody else's by now: " + kept->reason, {} };
    return body;
}

http::ClientOutcome sendSlot(
    Context& context, const CronSlot& slot, const std::string& url, std::string body, Duration budget)
{
    const auto id = slot.id();
    http::ClientRequest request{ .operation = slot.job->id, .url = url };
    request.headers = { { "Content-Type", "application/json" } };
    request.body = std::move(body);
    request.key = id.key;
    request.budget = budget;
    auto ended = RunClient(context.random, authorizationOfRun()).send(request);
    if (ended)
        return std::move(*ended);
    http::ClientOutcome unsent;
    unsent.transport = ended.error().message;
    return unsent;
}

Completion completionFrom(const HttpResponse& response)
{
    Completion completion;
    completion.response.code = response.status;
    completion.response.truncated = response.body.size() > keptAnswer;
    if (!completion.response.truncated)
        completion.response.body = response.body;
    completion.response.bodyDigest = sha256(response.body);
    return completion;
}

// Redirections are not followed: what answers with one has not run the job. Who answers that it was done before has.
bool isCarriedOut(const http::ClientOutcome& ended)
{
    const bool redirected = ended.response && ended.response->status >= 300 && ended.response->status < 400;
    return ended.response && !redirected && ended.decision.verdict == retry::Verdict::Done;
}

// A refusal of the moment, such as for rights that are missing, is none of the slot.
bool isFinal(const HttpResponse& response)
{
    const bool replayed = lineOf(response.headers, "idempotency-status") == "replayed";
    const bool redirected = response.status >= 300 && response.status < 400;
    return redirected || (response.status >= 500 && replayed)
        || (response.status < 500 && settlementOf(response, EffectClass::ExternalIdempotent) == Settlement::Terminal);
}

Result<Applied> settleSlot(Store& store, const Claim& claim, const http::ClientOutcome& ended)
{
    const bool answered = ended.response.has_value();
    const bool final = answered && isFinal(*ended.response);
    return insistently([&] {
        if (isCarriedOut(ended))
            return store.finalize(claim, completionFrom(*ended.response));
        return store.fail(
            claim, { .retryable = !final, .completion = answered ? completionFrom(*ended.response) : Completion() });
    });
}

} // namespace

PostedSlot postSlot(Context& context, const CronSlot& slot, const std::string& url)
{
    const auto reservation = reservationFor(context, slot, url);
    if (!reservation)
        return { "failed", reservation.error().message, {}, Exit::Usage };
    auto records = context.openStore();
    if (!records)
        return { "failed", records.error().message, {}, Exit::Failed };
    const auto reserved = (*records)->reserve(*reservation);
    if (!reserved)
        return { "failed", reserved.error().message, {}, Exit::Failed };
    PostedSlot posted{ std::string(wordOf(reserved->outcome)), {}, {}, Exit::Done };
    if (reserved->outcome != Outcome::Execute) {
        posted.code = reserved->outcome == Outcome::Replay ? Exit::Done : Exit::Refused;
        return posted;
    }
    const Claim claim{ reservation->id, reservation->owner, reserved->record->fence };
    auto body = bodyOf(**records, slot, claim, *reserved->record);
    if (!body) {
        posted.reason = body.error().message;
        posted.code = body.error().failure == Failure::Conflict ? Exit::Refused : Exit::Failed;
        return posted;
    }
    const auto ended = sendSlot(context, slot, url, std::move(*body), reservation->lease / 2);
    if (ended.response)
        posted.status = ended.response->status;
    const auto applied = settleSlot(**records, claim, ended);
    posted.reason = ended.response ? std::string(ended.decision.reason) : ended.transport;
    if (!applied) {
        posted.reason = applied.error().message;
        posted.code = Exit::Failed;
    } else if (applied->outcome != Outcome::Applied) {
        posted.outcome = std::string(wordOf(applied->outcome));
        posted.code = Exit::Refused;
    } else if (!isCarriedOut(ended)) {
        posted.code = Exit::Failed;
    }
    return posted;
}

} // namespace fencepost::app

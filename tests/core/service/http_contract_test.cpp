// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/service/admission.h"
#include "core/service/http_contract.h"
#include "core/service/precondition.h"
#include "core/service/problem.h"
#include "core/service/record_answer.h"
#include "core/service/settlement.h"
#include "core/service/terminal_cache.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

const Time now = timeFromMicros(1'780'000'000'000'000);

RouteContract refunds()
{
    RouteContract route;
    route.route = "POST_/v1/refunds";
    route.operation = "refund.create";
    route.policy = Policy().forRoute(route.route, route.operation);
    return route;
}

HttpRequest refund()
{
    return { "POST", "/v1/refunds?dry=1", { { "Content-Type", "application/json" }, { "Idempotency-Key", "order-1" } },
        R"({"amount":1000})", "tenant_1" };
}

HttpRequest with(HttpRequest request, const std::string& name, const std::string& value)
{
    request.headers.emplace_back(name, value);
    return request;
}

HttpRequest without(HttpRequest request, const std::string& name)
{
    std::erase_if(request.headers, [&](const auto& header) { return header.first == name; });
    return request;
}

// "400 missing_idempotency_key", "passes" or "keyed".
std::string admitted(const HttpRequest& head, const RouteContract& route = refunds())
{
    const auto admission = admit(route, head, now);
    if (std::holds_alternative<PassThrough>(admission))
        return "passes";
    if (std::holds_alternative<Keyed>(admission))
        return "keyed";
    const auto& answer = std::get<HttpResponse>(admission);
    const auto body = nlohmann::json::parse(answer.body);
    EXPECT_EQ(lineOf(answer.headers, "content-type"), "application/problem+json");
    EXPECT_EQ(body.at("status"), answer.status);
    return std::to_string(answer.status) + " " + body.at("error_code").get<std::string>();
}

Record finished()
{
    Record record;
    record.id = { "s", "o", "k" };
    record.requestHash = Bytes(32, 'h');
    record.status = State::Succeeded;
    record.response.code = 201;
    record.response.headers = { { "Content-Type", "text/plain" }, { "Location", "/refunds/rf_1" } };
    record.response.body = "done";
    record.completedAt = now;
    record.expiresAt = now + 24h;
    return record;
}

Handled handled(int status)
{
    return { { status, {}, "body" } };
}

} // namespace

TEST(HttpContract, LooksAtTheHeadInItsOrder)
{
    EXPECT_EQ(admitted(refund()), "keyed");
    for (const auto* method : { "GET", "HEAD", "OPTIONS", "TRACE" }) {
        auto safe = refund();
        safe.method = method;
        EXPECT_EQ(admitted(safe), "passes") << method;
    }
    auto lower = refund();
    lower.method = "get";
    EXPECT_EQ(admitted(lower), "keyed") << "methods have a case";
    const auto bare = without(refund(), "Idempotency-Key");
    EXPECT_EQ(admitted(bare), "400 missing_idempotency_key");
    auto stranger = bare;
    stranger.principal.clear();
    EXPECT_EQ(admitted(stranger), "400 missing_idempotency_key") << "header syntax comes before authentication";
    EXPECT_EQ(admitted(with(bare, "idempotency-KEY", "\"quoted key\"")), "keyed");
    EXPECT_EQ(admitted(with(refund(), "idempotency-key", "order-1")), "400 VALIDATION.idempotency_key");
    EXPECT_EQ(admitted(with(bare, "Idempotency-Key", std::string(129, 'k'))), "400 VALIDATION.idempotency_key");
    auto nobody = with(refund(), "Content-Length", "99999999");
    nobody.principal.clear();
    EXPECT_EQ(admitted(nobody), "401 AUTH.required") << "authentication comes before the body";
    EXPECT_EQ(admitted(with(refund(), "Content-Length", "1048576")), "keyed");
    EXPECT_EQ(admitted(with(refund(), "Content-Length", "1048577")), "413 VALIDATION.body_too_large");
    EXPECT_EQ(admitted(with(refund(), "Content-Length", "99999999999999999999999")), "413 VALIDATION.body_too_large");
}

TEST(HttpContract, RefusesHeadersThatSmuggle)
{
    for (const auto* length : { "-1", "+5", "5, 5", "0x10", "", "1e3" })
        EXPECT_EQ(admitted(with(refund(), "Content-Length", length)), "400 VALIDATION.content_length") << length;
    EXPECT_EQ(
        admitted(with(with(refund(), "Content-Length", "5"), "content-length", "6")), "400 VALIDATION.content_length");
    EXPECT_EQ(admitted(with(with(refund(), "Content-Length", "5"), "Transfer-Encoding", "chunked")),
        "400 VALIDATION.content_length");
    EXPECT_EQ(admitted(with(refund(), "X-Request-Timeout", "soon")), "400 VALIDATION.request_timeout");
    EXPECT_EQ(admitted(with(with(refund(), "X-Request-Timeout", "5"), "X-Request-Timeout", "6")),
        "400 VALIDATION.request_timeout");
}

TEST(HttpContract, AnOptionalKeyGoesPastTheContract)
{
    auto route = refunds();
    route.keyRequired = false;
    EXPECT_EQ(admitted(without(refund(), "Idempotency-Key"), route), "passes");
    EXPECT_EQ(admitted(refund(), route), "keyed");
    EXPECT_EQ(admitted(with(refund(), "Idempotency-Key", "two"), route), "400 VALIDATION.idempotency_key");
}

TEST(HttpContract, SaysWhatKeyIsExpected)
{
    auto route = refunds();
    route.describedBy = "https://example.test/keys";
    const auto admission = admit(route, without(refund(), "Idempotency-Key"), now);
    const auto& answer = std::get<HttpResponse>(admission);
    EXPECT_EQ(lineOf(answer.headers, "Link"), "<https://example.test/keys>; rel=\"describedby\"");
    EXPECT_EQ(nlohmann::json::parse(answer.body).at("detail"),
        "The request has no Idempotency-Key. Send an Idempotency-Key.");
}

TEST(HttpContract, TheCallersTimeBoundsTheWork)
{
    const auto deadline = [](const std::string& asked) {
        const auto admission =
            admit(refunds(), asked.empty() ? refund() : with(refund(), "X-Request-Timeout", asked), now);
        return std::get<Keyed>(admission).deadline - now;
    };
    EXPECT_EQ(deadline(""), 30s);
    EXPECT_EQ(deadline("1500"), 1500ms);
    EXPECT_EQ(deadline("1.5s"), 1500ms);
    EXPECT_EQ(deadline("3600s"), 60s);
}

TEST(HttpContract, TheScopeIsTheRouteAndThePrincipal)
{
    auto other = refund();
    other.principal = "tenant_2";
    const auto mine = std::get<Keyed>(admit(refunds(), refund(), now));
    const auto theirs = std::get<Keyed>(admit(refunds(), other, now));
    EXPECT_EQ(mine.id.scope, "POST_/v1/refunds@tenant_1");
    EXPECT_EQ(mine.id.operation, "refund.create");
    EXPECT_NE(mine.id, theirs.id);
}

TEST(HttpContract, RefusesABodyThatHasNoFingerprint)
{
    const auto refused = [](const std::string& body, const RouteContract& route = refunds()) {
        auto request = refund();
        request.body = body;
        const auto wish =
            reservationOf(route, request, { "s", "o", "k" }, Owner("00000000-0000-4000-8000-000000000001"));
        if (std::holds_alternative<Reservation>(wish))
            return std::string("taken");
        const auto& answer = std::get<HttpResponse>(wish);
        return std::to_string(answer.status) + " "
            + nlohmann::json::parse(answer.body).at("error_code").get<std::string>();
    };
    EXPECT_EQ(refused("{}"), "taken");
    EXPECT_EQ(refused(R"({"a":1,"a":2})"), "400 VALIDATION.body_not_ijson");
    EXPECT_EQ(refused("{\"a\":\"\xff\"}"), "400 VALIDATION.body_not_ijson");
    EXPECT_EQ(refused("{\"a\":1e400}"), "400 VALIDATION.body_not_ijson");
    EXPECT_EQ(refused(std::string(1000, '[') + std::string(1000, ']')), "400 VALIDATION.body_not_ijson");
    auto small = refunds();
    small.longestBody = 4;
    EXPECT_EQ(refused("12345", small), "413 VALIDATION.body_too_large");
}

TEST(HttpContract, TheReservationIsTheRoutesPolicy)
{
    auto route = refunds();
    route.keepsRequest = true;
    route.fingerprints.push_back({ .bodyOnly = true });
    const auto wish = reservationOf(route, with(refund(), "X-Correlation-Id", "c-1"), { "s", "o", "k" },
        Owner("00000000-0000-4000-8000-000000000001"));
    const auto& reservation = std::get<Reservation>(wish);
    EXPECT_EQ(reservation.ttl, 24h);
    EXPECT_EQ(reservation.lease, 60s);
    EXPECT_EQ(reservation.fingerprintAlg, "v1");
    ASSERT_EQ(reservation.otherHashes.size(), 1U);
    EXPECT_EQ(reservation.otherHashes[0].alg, tagOf({ .bodyOnly = true }));
    EXPECT_NE(reservation.otherHashes[0].hash, reservation.requestHash);
    EXPECT_EQ(reservation.requestTarget, "/v1/refunds?dry=1");
    EXPECT_EQ(reservation.correlationId, "c-1");
    EXPECT_EQ(reservation.requestHeaders, (Headers{ { "Content-Type", "application/json" } }));
    auto live = refund();
    live.target = "/v1/refunds";
    const auto other = reservationOf(route, live, { "s", "o", "k" }, reservation.owner);
    EXPECT_NE(std::get<Reservation>(other).requestHash, reservation.requestHash) << "the query is part of the request";
}

TEST(HttpContract, KeepsTheHeadersThatARequestDependsOnAndNoCredential)
{
    auto route = refunds();
    FingerprintProfile profile;
    profile.headers = { "X-Tenant", "X-Auth-Token" };
    route.fingerprints = { profile };
    const Owner owner("00000000-0000-4000-8000-000000000001");
    HttpRequest request{ "PUT", "/v1/refunds",
        { { "Content-Type", "text/csv" }, { "authorization", "Bearer secret" }, { "Cookie", "s=1" },
            { "x-tenant", "a" }, { "X-Auth-Token", "t" }, { "If-Match", "\"1\"" }, { "User-Agent", "x" },
            { "X-Tenant", "b" } },
        "1,2", "ann" };
    const auto keptOf = [&] {
        return std::get<Reservation>(reservationOf(route, request, { "s", "o", "k" }, owner)).requestHeaders;
    };
    EXPECT_EQ(keptOf(), Headers());
    route.keepsRequest = true;
    EXPECT_EQ(keptOf(),
        (Headers{ { "Content-Type", "text/csv" }, { "x-tenant", "a" }, { "If-Match", "\"1\"" }, { "X-Tenant", "b" } }));
}

TEST(HttpContract, AnotherEntityTagIsAnotherRequestWhereTheRouteComparesIt)
{
    auto route = refunds();
    route.fingerprints.front().headers = { "if-match" };
    const auto hashWith = [&](const Headers& headers) {
        const HttpRequest request{ "PUT", "/v1/refunds/1", headers, "{}", "ann" };
        return std::get<Reservation>(
            reservationOf(route, request, { "s", "o", "k" }, Owner("00000000-0000-4000-8000-000000000001")))
            .requestHash;
    };
    const auto first = hashWith({ { "Content-Type", "application/json" }, { "If-Match", "\"1\"" } });
    EXPECT_EQ(hashWith({ { "if-match", "\"1\"" }, { "Content-Type", "application/json" } }), first);
    EXPECT_NE(hashWith({ { "Content-Type", "application/json" }, { "If-Match", "\"2\"" } }), first);
    EXPECT_NE(hashWith({ { "Content-Type", "application/json" } }), first);
}

TEST(HttpContract, ClassifiesWhatAHandlerAnswers)
{
    struct Case {
        int status;
        Settlement local;
        Settlement idempotent;
        Settlement external;
    };
    using enum Settlement;
    const Case cases[] = {
        { 200, Done, Done, Done },
        { 201, Done, Done, Done },
        { 303, Done, Done, Done },
        { 400, Terminal, Terminal, Terminal },
        { 404, Terminal, Terminal, Terminal },
        { 412, Terminal, Terminal, Terminal },
        { 422, Terminal, Terminal, Terminal },
        { 401, Transient, Transient, Transient },
        { 403, Transient, Transient, Transient },
        { 408, Transient, Transient, Transient },
        { 409, Transient, Transient, Transient },
        { 423, Transient, Transient, Transient },
        { 429, Transient, Transient, Transient },
        { 500, Terminal, Transient, Unknown },
        { 501, Terminal, Transient, Unknown },
        { 502, Transient, Transient, Unknown },
        { 503, Transient, Transient, Transient },
        { 504, Transient, Transient, Unknown },
    };
    for (const auto& one : cases) {
        const HttpResponse response{ one.status, {}, {} };
        EXPECT_EQ(settlementOf(response, EffectClass::LocalTransaction), one.local) << one.status;
        EXPECT_EQ(settlementOf(response, EffectClass::ExternalIdempotent), one.idempotent) << one.status;
        EXPECT_EQ(settlementOf(response, EffectClass::External), one.external) << one.status;
    }
    auto route = refunds();
    route.policy.effect.value = EffectClass::LocalTransaction;
    route.failures = FailureStorage::All;
    EXPECT_EQ(settlementOf(handled(503), route), Terminal);
    EXPECT_EQ(settlementOf(handled(201), route), Done);
    route.failures = FailureStorage::None;
    EXPECT_EQ(settlementOf(handled(422), route), Transient);
    auto said = handled(200);
    said.settlement = Unknown;
    EXPECT_EQ(settlementOf(said, route), Unknown) << "nothing makes the unknown known";
}

TEST(HttpContract, KeepsOnlyHeadersThatBelongToTheAnswer)
{
    auto route = refunds();
    route.keptHeaders = { "X-Request-Cost", "Set-Cookie", "Authorization" };
    const Handled answer{ { 201,
        { { "Content-Type", "application/json" }, { "Location", "/refunds/rf_1" }, { "Link", "</a>" },
            { "Link", "</b>, </c>" }, { "Set-Cookie", "session=1" }, { "Date", "now" }, { "Content-Length", "4" },
            { "X-Request-Cost", "3" }, { "X-RateLimit-Remaining", "5" }, { "X-Internal", "secret" } },
        "body" } };
    const auto completion = completionOf(route, answer);
    const Headers expected = { { "Content-Type", "application/json" }, { "Location", "/refunds/rf_1" },
        { "Link", "</a>" }, { "Link", "</b>, </c>" }, { "X-Request-Cost", "3" } };
    EXPECT_EQ(completion.response.headers, expected);
    EXPECT_EQ(completion.response.body, "body");
    EXPECT_EQ(completion.response.bodyDigest, sha256("body"));
}

TEST(HttpContract, AnOversizedResponseLeavesAReference)
{
    auto route = refunds();
    route.longestStored = 3;
    auto answer = handled(201);
    answer.response.headers = { { "Location", "/refunds/rf_1" } };
    answer.refType = "refund";
    answer.refId = "rf_1";
    const auto completion = completionOf(route, answer);
    EXPECT_FALSE(completion.response.body);
    EXPECT_TRUE(completion.response.truncated);
    EXPECT_EQ(completion.response.bodyDigest, sha256("body"));
    auto record = finished();
    record.response = completion.response;
    const auto told = replayOf(route, record);
    EXPECT_EQ(told.status, 409);
    const auto body = nlohmann::json::parse(told.body);
    EXPECT_EQ(body.at("error_code"), "idempotency.response_unavailable");
    EXPECT_EQ(body.at("reference").at("id"), "rf_1");
    EXPECT_EQ(lineOf(told.headers, "Location"), "/refunds/rf_1");
    EXPECT_EQ(lineOf(told.headers, "Idempotency-Should-Retry"), "false");
    route.rebuild = [](const Record& of) {
        return HttpResponse{ *of.response.code, {}, "made again of " + *of.response.refId };
    };
    EXPECT_EQ(replayOf(route, record).body, "made again of rf_1");
    EXPECT_EQ(replayOf(route, record).status, 201);
    EXPECT_EQ(lineOf(replayOf(route, record).headers, "Idempotency-Status"), "replayed");
}

TEST(HttpContract, WhatARouteMakesAgainHasTheStoredCodeAndKeptHeadersOnly)
{
    auto route = refunds();
    route.rebuild = [](const Record&) {
        return HttpResponse{ 200, { { "Content-Type", "application/json" }, { "Set-Cookie", "session=1" } }, "{}" };
    };
    auto record = finished();
    record.response = { .code = 201, .headers = { { "Location", "/refunds/rf_1" } }, .truncated = true };
    const auto answer = replayOf(route, record);
    EXPECT_EQ(answer.status, 201) << "a replay has the code of the first answer, whatever the route makes";
    EXPECT_EQ(answer.body, "{}");
    EXPECT_EQ(lineOf(answer.headers, "Location"), "/refunds/rf_1");
    EXPECT_EQ(lineOf(answer.headers, "Content-Type"), "application/json");
    EXPECT_FALSE(lineOf(answer.headers, "Set-Cookie"));
    route.rebuild = [](const Record&) { return HttpResponse{ 201, { { "Location", "/v2/refunds/rf_1" } }, "{}" }; };
    EXPECT_EQ(lineOf(replayOf(route, record).headers, "Location"), "/v2/refunds/rf_1");
}

TEST(HttpContract, ReplaysTheSameBytes)
{
    auto record = finished();
    record.response.body = std::string("\0\xff\r\n", 4);
    const auto answer = replayOf(refunds(), record);
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.body, *record.response.body);
    EXPECT_EQ(lineOf(answer.headers, "Idempotency-Status"), "replayed");
    EXPECT_EQ(lineOf(answer.headers, "Idempotency-Expires"), httpDate(now + 24h));
    EXPECT_FALSE(lineOf(answer.headers, "Idempotency-Should-Retry"));
    record.response.body.reset();
    EXPECT_EQ(replayOf(refunds(), record).body, "") << "an empty response is a response";
    record.status = State::FailedFinal;
    record.response.code = 500;
    EXPECT_EQ(replayOf(refunds(), record).status, 500);
    EXPECT_EQ(lineOf(replayOf(refunds(), record).headers, "Idempotency-Should-Retry"), "false");
}

// An operator says that it failed, and a status: whoever asks again hears more than that.
TEST(HttpContract, WhatNobodyAnsweredIsAProblem)
{
    auto record = finished();
    record.status = State::FailedFinal;
    record.response = {};
    record.response.code = 500;
    const auto answer = replayOf(refunds(), record);
    EXPECT_EQ(answer.status, 500);
    EXPECT_EQ(lineOf(answer.headers, "Content-Type"), "application/problem+json");
    EXPECT_EQ(nlohmann::json::parse(answer.body).at("error_code"), "INTERNAL.uncaught");
    EXPECT_EQ(lineOf(answer.headers, "Idempotency-Status"), "replayed");
    EXPECT_EQ(lineOf(answer.headers, "Idempotency-Should-Retry"), "false");
    record.response.bodyDigest = sha256("");
    EXPECT_EQ(replayOf(refunds(), record).body, "") << "the handler said nothing, and that is what is repeated";
}

// An operator or a reconciler found that it succeeded: no handler has said anything that could be repeated.
TEST(HttpContract, WhatSucceededUnansweredIsToldByItsReference)
{
    auto route = refunds();
    auto record = finished();
    record.response = {};
    record.response.refType = "refund";
    record.response.refId = "rf_1";
    const auto answer = replayOf(route, record);
    EXPECT_EQ(answer.status, 409);
    const auto body = nlohmann::json::parse(answer.body);
    EXPECT_EQ(body.at("error_code"), "idempotency.response_unavailable");
    EXPECT_EQ(body.at("reference"), nlohmann::json({ { "type", "refund" }, { "id", "rf_1" } }));
    EXPECT_FALSE(body.contains("stored_status"));
    EXPECT_EQ(lineOf(answer.headers, "Idempotency-Status"), "replayed");
    EXPECT_EQ(lineOf(answer.headers, "Idempotency-Should-Retry"), "false");
    EXPECT_EQ(body.at("detail"), "Follow the reference to the result");
    record.response.code = 201;
    EXPECT_EQ(nlohmann::json::parse(replayOf(route, record).body).at("stored_status"), 201);
    auto bodiless = record;
    bodiless.response.code = 204;
    EXPECT_EQ(replayOf(route, bodiless).status, 204) << "nothing of it is missing";
    auto nowhere = record;
    nowhere.response.refId.reset();
    const auto silent = nlohmann::json::parse(replayOf(route, nowhere).body);
    EXPECT_FALSE(silent.contains("reference"));
    EXPECT_THAT(std::string(silent.at("detail")), ::testing::HasSubstr("No reference"));
    route.rebuild = [](const Record& of) { return HttpResponse{ 200, {}, "made again of " + *of.response.refId }; };
    EXPECT_EQ(replayOf(route, record).status, 201);
    EXPECT_EQ(replayOf(route, record).body, "made again of rf_1");
    record.response.bodyDigest = sha256("");
    EXPECT_EQ(replayOf(route, record).body, "") << "the handler said nothing, and that is what is repeated";
}

TEST(HttpContract, TellsADuplicateWhatTheRouteSays)
{
    auto route = refunds();
    route.operationUrl = [](const RecordId& id) { return "/operations/" + id.key; };
    Record running;
    running.leaseExpiresAt = now + 1500ms;
    const Reserved reserved{ Outcome::InFlight, running, now };
    const RecordId id{ "s", "o", "k" };
    const auto conflict = answerOf(route, id, reserved);
    EXPECT_EQ(conflict.status, 409);
    EXPECT_EQ(lineOf(conflict.headers, "Retry-After"), "2");
    EXPECT_EQ(lineOf(conflict.headers, "Idempotency-Should-Retry"), "true");
    const auto body = nlohmann::json::parse(conflict.body);
    EXPECT_EQ(body.at("error"), "Request with this idempotency key is still processing");
    EXPECT_EQ(body.at("retry_after"), 2);
    EXPECT_EQ(body.at("error_code"), "idempotency.in_progress");
    route.inFlight = InFlightAnswer::Accepted;
    EXPECT_EQ(answerOf(route, id, reserved).status, 202);
    EXPECT_EQ(lineOf(answerOf(route, id, reserved).headers, "Location"), "/operations/k");
    route.inFlight = InFlightAnswer::SeeOther;
    EXPECT_EQ(answerOf(route, id, reserved).status, 303);
    running.leaseExpiresAt = now + 10min;
    EXPECT_EQ(lineOf(answerOf(route, id, { Outcome::InFlight, running, now }).headers, "Retry-After"), "5");
}

TEST(HttpContract, NeverShowsWhatIsStoredToAnotherRequest)
{
    for (const int status : { 409, 422, 400 }) {
        auto route = refunds();
        route.mismatchStatus = status;
        const auto answer = answerOf(route, { "s", "o", "k" }, { Outcome::Mismatch, finished(), now });
        EXPECT_EQ(answer.status, status);
        EXPECT_EQ(answer.body.find("done"), std::string::npos);
        EXPECT_EQ(nlohmann::json::parse(answer.body).at("error_code"), "CONFLICT.idempotency.payload_mismatch");
        EXPECT_FALSE(lineOf(answer.headers, "Location"));
    }
}

TEST(HttpContract, AnExpiredKeyKeepsItsReference)
{
    auto route = refunds();
    route.expiredStatus = 410;
    auto record = finished();
    record.response.refType = "refund";
    record.response.refId = "rf_1";
    const auto answer = answerOf(route, { "s", "o", "k" }, { Outcome::KeyExpired, record, now });
    EXPECT_EQ(answer.status, 410);
    EXPECT_EQ(nlohmann::json::parse(answer.body).at("reference").at("id"), "rf_1");
}

TEST(HttpContract, WritesDatesAsHttpDoes)
{
    EXPECT_EQ(httpDate(timeFromMicros(784'111'777'999'999)), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(httpDate(timeFromMicros(-1)), "Wed, 31 Dec 1969 23:59:59 GMT");
}

TEST(Precondition, ComparesStrongly)
{
    HttpRequest request{ "PUT", "/charges/ch_1", {}, "", "t" };
    const auto status = [&](const std::optional<std::string>& current, IfMatch rule = IfMatch::Optional) {
        const auto refused = checkIfMatch(request, current, rule);
        return refused ? refused->status : 0;
    };
    EXPECT_EQ(status("\"1\""), 0);
    EXPECT_EQ(status("\"1\"", IfMatch::Required), 428);
    request.headers = { { "if-match", "\"1\"" } };
    EXPECT_EQ(status("\"1\""), 0);
    EXPECT_EQ(status("\"2\""), 412);
    EXPECT_EQ(status(std::nullopt), 412);
    request.headers = { { "If-Match", "\"a,b\" , \"2\"" }, { "If-Match", "\"3\"" } };
    EXPECT_EQ(status("\"2\""), 0);
    EXPECT_EQ(status("\"3\""), 0);
    EXPECT_EQ(status("\"a,b\""), 0);
    EXPECT_EQ(status("\"b\""), 412);
    request.headers = { { "If-Match", "*" } };
    EXPECT_EQ(status("\"9\""), 0);
    EXPECT_EQ(status(std::nullopt), 412);
    request.headers = { { "If-Match", "W/\"1\"" } };
    EXPECT_EQ(status("\"1\""), 412);
    EXPECT_EQ(status("W/\"1\""), 412);
    for (const auto* broken : { "1", "\"1", "\"1\" \"2\"", "\"a\x01\"", "*, \"1\"" }) {
        request.headers = { { "If-Match", broken } };
        EXPECT_EQ(status("\"1\""), 400) << broken;
    }
}

TEST(TerminalCache, NeverServesWhatIsOver)
{
    TerminalCache cache({ .records = 2, .octets = 10, .longestAge = 60s });
    auto record = finished();
    record.expiresAt = now + 30s;
    cache.put(record, now);
    EXPECT_TRUE(cache.find(record.id, now + 29s));
    EXPECT_FALSE(cache.find(record.id, now + 30s));
    EXPECT_EQ(cache.size(), 0U);
    record.expiresAt = now + 24h;
    cache.put(record, now);
    EXPECT_TRUE(cache.find(record.id, now + 59s));
    EXPECT_FALSE(cache.find(record.id, now + 60s)) << "another process may have expired it";
    record.status = State::InProgress;
    cache.put(record, now);
    EXPECT_FALSE(cache.find(record.id, now));
}

TEST(TerminalCache, StaysInItsBounds)
{
    TerminalCache cache({ .records = 2, .octets = 10, .longestAge = 60s });
    auto record = finished(); // four octets
    for (const auto* key : { "1", "2", "3" }) {
        record.id.key = key;
        cache.put(record, now);
        if (std::string(key) == "2") {
            EXPECT_TRUE(cache.find({ "s", "o", "1" }, now)); // the other one is now the oldest
        }
    }
    EXPECT_EQ(cache.size(), 2U);
    EXPECT_TRUE(cache.find({ "s", "o", "1" }, now));
    EXPECT_FALSE(cache.find({ "s", "o", "2" }, now));
    record.response.body = std::string(9, 'x');
    cache.put(record, now);
    EXPECT_EQ(cache.size(), 1U);
    record.response.body = std::string(11, 'x');
    cache.put(record, now);
    EXPECT_EQ(cache.size(), 0U) << "what is too large is no longer the old one either";
}

// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/scenario_knobs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <vector>

namespace fencepost::simulation {

namespace {

constexpr std::int64_t million = 1'000'000;
constexpr std::int64_t millisecond = 1'000;
constexpr std::int64_t hour = 3'600 * million;
constexpr std::int64_t day = 24 * hour;
constexpr std::size_t mostSwept = 1'000;

const ScenarioKnob table[] = {
    { "load.rate", KnobForm::Rate, 1, million * 1000, "",
        "requests a second",
        [](Scenario& it) -> KnobPlace { return &it.load.rate; } },
    { "load.requests", KnobForm::Count, 0, 100 * million, "",
        "no more requests than these; 0: as many as come within the duration",
        [](Scenario& it) -> KnobPlace { return &it.load.requests; } },
    { "load.duration", KnobForm::Length, millisecond, 400 * day, "",
        "how long requests arrive",
        [](Scenario& it) -> KnobPlace { return &it.load.duration; } },
    { "load.arrivals", KnobForm::Word, 0, 0, "poisson regular at_once",
        "how they are spread: by chance, evenly, or all in the first instant",
        [](Scenario& it) -> KnobPlace { return &it.load.arrivals.index; } },
    { "client.count", KnobForm::Count, 1, 100'000, "",
        "clients, each a principal of its own",
        [](Scenario& it) -> KnobPlace { return &it.client.count; } },
    { "client.shared", KnobForm::Flag, 0, 1, "",
        "all clients stand behind one budget and one breaker; false: each has its own",
        [](Scenario& it) -> KnobPlace { return &it.client.shared; } },
    { "client.key", KnobForm::Word, 0, 0, "operation attempt none pool",
        "what has a key of its own: each operation, each attempt (wrong), nothing (wrong), or one of a pool (wrong)",
        [](Scenario& it) -> KnobPlace { return &it.client.key.index; } },
    { "client.keys", KnobForm::Count, 1, million, "",
        "keys of a pool",
        [](Scenario& it) -> KnobPlace { return &it.client.keys; } },
    { "client.policy", KnobForm::Word, 0, 0, "playbook atlas vendor aws grpc polly stripe standard_webhooks",
        "the preset by which a client tries again",
        [](Scenario& it) -> KnobPlace { return &it.client.preset; } },
    { "client.attempts", KnobForm::Count, 0, 100, "",
        "attempts of one call, the first included; 0: the preset's",
        [](Scenario& it) -> KnobPlace { return &it.client.attempts; } },
    { "client.base", KnobForm::Length, 0, hour, "",
        "the first delay; 0s: the preset's",
        [](Scenario& it) -> KnobPlace { return &it.client.base; } },
    { "client.cap", KnobForm::Length, 0, day, "",
        "no delay is longer; 0s: the preset's",
        [](Scenario& it) -> KnobPlace { return &it.client.cap; } },
    { "client.total", KnobForm::Length, 0, day, "",
        "of the whole call; 0s: the preset's",
        [](Scenario& it) -> KnobPlace { return &it.client.total; } },
    { "client.attempt_timeout", KnobForm::Length, 0, hour, "",
        "of one attempt; 0s: the preset's",
        [](Scenario& it) -> KnobPlace { return &it.client.attemptTimeout; } },
    { "client.jitter", KnobForm::Word, 0, 0, "preset none range_x2 full equal decorrelated pm20 up_to_10 polly_v2",
        "how the delays are spread",
        [](Scenario& it) -> KnobPlace { return &it.client.jitter; } },
    { "client.deadline", KnobForm::Length, 0, day, "",
        "how long a caller waits for its call; 0s: as long as the policy does",
        [](Scenario& it) -> KnobPlace { return &it.client.deadline; } },
    { "client.budget", KnobForm::Word, 0, 0, "finagle aws grpc envoy none",
        "how many of the attempts may be retries",
        [](Scenario& it) -> KnobPlace { return &it.client.budget.index; } },
    { "client.budget_percent", KnobForm::Count, 0, 1000, "",
        "of the requests (finagle, envoy)",
        [](Scenario& it) -> KnobPlace { return &it.client.budgetPercent; } },
    { "client.budget_reserve", KnobForm::Count, 0, 100'000, "",
        "retries a second that are allowed without any request (finagle)",
        [](Scenario& it) -> KnobPlace { return &it.client.budgetReserve; } },
    { "client.breaker", KnobForm::Flag, 0, 1, "",
        "a circuit breaker for each attempt",
        [](Scenario& it) -> KnobPlace { return &it.client.breaker; } },
    { "client.limiter", KnobForm::Flag, 0, 1, "",
        "an adaptive limit of what is in flight (AIMD), with the shedding ladder",
        [](Scenario& it) -> KnobPlace { return &it.client.limiter; } },
    { "client.throttle", KnobForm::Flag, 0, 1, "",
        "adaptive throttling by what the server accepts",
        [](Scenario& it) -> KnobPlace { return &it.client.throttle; } },
    { "client.double_click", KnobForm::Chance, 0, million, "",
        "requests that their user sends twice, with the same key",
        [](Scenario& it) -> KnobPlace { return &it.client.doubleClick; } },
    { "client.double_click_after", KnobForm::Spread, 0, hour, "",
        "how long behind the first click",
        [](Scenario& it) -> KnobPlace { return &it.client.doubleClickAfter; } },
    { "client.other_payload", KnobForm::Chance, 0, million, "",
        "second clicks that carry another body under the same key",
        [](Scenario& it) -> KnobPlace { return &it.client.otherPayload; } },
    { "client.returns", KnobForm::Count, 0, 100, "",
        "how often a user comes back, with the same key, to what did not end well",
        [](Scenario& it) -> KnobPlace { return &it.client.returns; } },
    { "client.returns_after", KnobForm::Length, 0, 400 * day, "",
        "how long afterwards",
        [](Scenario& it) -> KnobPlace { return &it.client.returnsAfter; } },
    { "network.latency", KnobForm::Spread, 0, hour, "",
        "of one way",
        [](Scenario& it) -> KnobPlace { return &it.network.latency; } },
    { "network.loss", KnobForm::Chance, 0, million, "",
        "messages that are lost, each way for itself",
        [](Scenario& it) -> KnobPlace { return &it.network.loss; } },
    { "network.duplicates", KnobForm::Chance, 0, million, "",
        "requests that arrive twice",
        [](Scenario& it) -> KnobPlace { return &it.network.duplicates; } },
    { "network.duplicate_after", KnobForm::Spread, 0, day, "",
        "how long behind the first one",
        [](Scenario& it) -> KnobPlace { return &it.network.duplicateAfter; } },
    { "service.nodes", KnobForm::Count, 1, 1'000, "",
        "processes that serve",
        [](Scenario& it) -> KnobPlace { return &it.service.nodes; } },
    { "service.workers", KnobForm::Count, 1, 100'000, "",
        "requests that one node handles at once",
        [](Scenario& it) -> KnobPlace { return &it.service.workers; } },
    { "service.queue", KnobForm::Count, 0, million, "",
        "requests that wait at one node; what is beyond is answered 503 at once",
        [](Scenario& it) -> KnobPlace { return &it.service.queue; } },
    { "service.drops_expired", KnobForm::Flag, 0, 1, "",
        "what waited longer than its client does is not begun",
        [](Scenario& it) -> KnobPlace { return &it.service.dropsExpired; } },
    { "service.time", KnobForm::Spread, 0, day, "",
        "of the handler",
        [](Scenario& it) -> KnobPlace { return &it.service.time; } },
    { "service.store_time", KnobForm::Spread, 0, hour, "",
        "of one statement of the store",
        [](Scenario& it) -> KnobPlace { return &it.service.storeTime; } },
    { "service.errors", KnobForm::Chance, 0, million, "",
        "handlers that fail for a moment, before their effect",
        [](Scenario& it) -> KnobPlace { return &it.service.errors; } },
    { "service.declines", KnobForm::Chance, 0, million, "",
        "requests that are declined for good",
        [](Scenario& it) -> KnobPlace { return &it.service.declines; } },
    { "service.retry_after", KnobForm::Length, 0, day, "",
        "what a refused client is told; 0s: nothing",
        [](Scenario& it) -> KnobPlace { return &it.service.retryAfter; } },
    { "service.restart", KnobForm::Length, 0, day, "",
        "how long a node that crashed is gone",
        [](Scenario& it) -> KnobPlace { return &it.service.restart; } },
    { "service.contract", KnobForm::Word, 0, 0, "reserve_finalize single_tx none",
        "how a handler is made safe to repeat",
        [](Scenario& it) -> KnobPlace { return &it.service.contract.index; } },
    { "service.scope", KnobForm::Word, 0, 0, "principal route",
        "what a key is unique within: the principal, or the route alone (wrong)",
        [](Scenario& it) -> KnobPlace { return &it.service.scope.index; } },
    { "service.store", KnobForm::Word, 0, 0, "durable memory",
        "where records are kept: in a database, or in the memory of the nodes (wrong)",
        [](Scenario& it) -> KnobPlace { return &it.service.store.index; } },
    { "service.effect", KnobForm::Word, 0, 0, "local_tx external_idempotent external",
        "what a request does: a row in the same database, a call to a vendor that knows keys, or to one that does not",
        [](Scenario& it) -> KnobPlace { return &it.service.effect.index; } },
    { "service.effect_guard", KnobForm::Flag, 0, 1, "",
        "a local effect is a row whose id is unique, written under its fence",
        [](Scenario& it) -> KnobPlace { return &it.service.effectGuard; } },
    { "service.fencing", KnobForm::Flag, 0, 1, "",
        "an outcome is written only by the owner of the record; false (wrong): by whoever comes",
        [](Scenario& it) -> KnobPlace { return &it.service.fencing; } },
    { "service.heartbeat", KnobForm::Flag, 0, 1, "",
        "a lease is renewed while its handler runs",
        [](Scenario& it) -> KnobPlace { return &it.service.heartbeat; } },
    { "service.lease", KnobForm::Length, millisecond, 400 * day, "",
        "of a reservation",
        [](Scenario& it) -> KnobPlace { return &it.service.lease; } },
    { "service.ttl", KnobForm::Length, millisecond, 400 * day, "",
        "how long a record answers",
        [](Scenario& it) -> KnobPlace { return &it.service.ttl; } },
    { "service.takeover", KnobForm::Word, 0, 0, "by_effect auto manual",
        "who may run a record whose lease is past: as its effect allows, anybody, or nobody before somebody looked",
        [](Scenario& it) -> KnobPlace { return &it.service.takeover.index; } },
    { "service.max_attempts", KnobForm::Count, 0, 1'000, "",
        "executions of one record; 0: any number",
        [](Scenario& it) -> KnobPlace { return &it.service.maxAttempts; } },
    { "service.in_flight", KnobForm::Word, 0, 0, "conflict wait",
        "what a duplicate of a request that is being handled gets: 409, or the answer when it is there",
        [](Scenario& it) -> KnobPlace { return &it.service.inFlight.index; } },
    { "service.node_clock", KnobForm::Flag, 0, 1, "",
        "leases are judged by the clocks of the nodes (wrong), not by the store's",
        [](Scenario& it) -> KnobPlace { return &it.service.nodeClock; } },
    { "service.completer", KnobForm::Length, 0, day, "",
        "how often abandoned records are driven to their end; 0s: never",
        [](Scenario& it) -> KnobPlace { return &it.service.completer; } },
    { "vendor.time", KnobForm::Spread, 0, day, "",
        "of one call",
        [](Scenario& it) -> KnobPlace { return &it.vendor.time; } },
    { "vendor.latency", KnobForm::Spread, 0, hour, "",
        "of one way to the vendor",
        [](Scenario& it) -> KnobPlace { return &it.vendor.latency; } },
    { "vendor.timeout", KnobForm::Length, millisecond, hour, "",
        "how long its answer is waited for",
        [](Scenario& it) -> KnobPlace { return &it.vendor.timeout; } },
    { "vendor.remembers", KnobForm::Length, 0, 400 * day, "",
        "how long a vendor that knows keys does (service.effect external_idempotent)",
        [](Scenario& it) -> KnobPlace { return &it.vendor.remembers; } },
    { "vendor.loss", KnobForm::Chance, 0, million, "",
        "messages to and from it that are lost",
        [](Scenario& it) -> KnobPlace { return &it.vendor.loss; } },
    { "vendor.errors", KnobForm::Chance, 0, million, "",
        "calls that it refuses without having done anything",
        [](Scenario& it) -> KnobPlace { return &it.vendor.errors; } },
    { "vendor.look_up", KnobForm::Flag, 0, 1, "",
        "it can be asked afterwards whether it has done a call",
        [](Scenario& it) -> KnobPlace { return &it.vendor.lookUp; } },
    { "vendor.ledger", KnobForm::Flag, 0, 1, "",
        "each call is written down before it is sent; false (wrong): it is just sent",
        [](Scenario& it) -> KnobPlace { return &it.vendor.ledger; } },
    { "crash.p1", KnobForm::Chance, 0, million, "",
        "how often a node dies before it reserves",
        [](Scenario& it) -> KnobPlace { return &it.crash[1]; } },
    { "crash.p2", KnobForm::Chance, 0, million, "",
        "how often a node dies while it reserves, and nothing is kept",
        [](Scenario& it) -> KnobPlace { return &it.crash[2]; } },
    { "crash.p3", KnobForm::Chance, 0, million, "",
        "how often a node dies behind its reservation",
        [](Scenario& it) -> KnobPlace { return &it.crash[3]; } },
    { "crash.p4", KnobForm::Chance, 0, million, "",
        "how often a node dies behind its recovery point",
        [](Scenario& it) -> KnobPlace { return &it.crash[4]; } },
    { "crash.p5", KnobForm::Chance, 0, million, "",
        "how often a node dies before it calls the vendor",
        [](Scenario& it) -> KnobPlace { return &it.crash[5]; } },
    { "crash.p6", KnobForm::Chance, 0, million, "",
        "how often a node dies behind the call, before it reads the answer",
        [](Scenario& it) -> KnobPlace { return &it.crash[6]; } },
    { "crash.p7", KnobForm::Chance, 0, million, "",
        "how often a node dies with the answer read and not written down",
        [](Scenario& it) -> KnobPlace { return &it.crash[7]; } },
    { "crash.p8", KnobForm::Chance, 0, million, "",
        "how often a node dies before its transaction commits",
        [](Scenario& it) -> KnobPlace { return &it.crash[8]; } },
    { "crash.p9", KnobForm::Chance, 0, million, "",
        "how often a node dies behind its transaction, before it finalizes",
        [](Scenario& it) -> KnobPlace { return &it.crash[9]; } },
    { "crash.p10", KnobForm::Chance, 0, million, "",
        "how often a node dies with the outcome written and nobody told",
        [](Scenario& it) -> KnobPlace { return &it.crash[10]; } },
    { "crash.p11", KnobForm::Chance, 0, million, "",
        "how often the answer is lost on its way",
        [](Scenario& it) -> KnobPlace { return &it.crash[11]; } },
    { "crash.p12", KnobForm::Chance, 0, million, "",
        "how often the heartbeat stops and the handler goes on after the lease",
        [](Scenario& it) -> KnobPlace { return &it.crash[12]; } },
    { "crash.p13", KnobForm::Chance, 0, million, "",
        "how often a relay dies with a claim, before it sends",
        [](Scenario& it) -> KnobPlace { return &it.crash[13]; } },
    { "crash.p14", KnobForm::Chance, 0, million, "",
        "how often a relay dies behind its sending, before it marks",
        [](Scenario& it) -> KnobPlace { return &it.crash[14]; } },
    { "crash.p15", KnobForm::Chance, 0, million, "",
        "how often a consumer dies before its handler runs",
        [](Scenario& it) -> KnobPlace { return &it.crash[15]; } },
    { "crash.p16", KnobForm::Chance, 0, million, "",
        "how often a consumer dies behind its transaction, before it acknowledges",
        [](Scenario& it) -> KnobPlace { return &it.crash[16]; } },
    { "crash.p17", KnobForm::Chance, 0, million, "",
        "how often the reaper runs right before a retry reserves",
        [](Scenario& it) -> KnobPlace { return &it.crash[17]; } },
    { "crash.p18", KnobForm::Chance, 0, million, "",
        "how often an operator fences the owner right before it finalizes",
        [](Scenario& it) -> KnobPlace { return &it.crash[18]; } },
    { "crash.p19", KnobForm::Chance, 0, million, "",
        "how often the clock of a node steps by an hour",
        [](Scenario& it) -> KnobPlace { return &it.crash[19]; } },
    { "crash.p20", KnobForm::Chance, 0, million, "",
        "how often the store is full when the outcome is to be written",
        [](Scenario& it) -> KnobPlace { return &it.crash[20]; } },
    { "crash.p21", KnobForm::Chance, 0, million, "",
        "how often a client dies with a fresh key that it did not write down, and begins again",
        [](Scenario& it) -> KnobPlace { return &it.crash[21]; } },
    { "crash.p22", KnobForm::Chance, 0, million, "",
        "how often the transport sends the request again by itself",
        [](Scenario& it) -> KnobPlace { return &it.crash[22]; } },
    { "pause.p5", KnobForm::Chance, 0, million, "",
        "how often a worker stands still before it calls the vendor",
        [](Scenario& it) -> KnobPlace { return &it.pause[5]; } },
    { "pause.p8", KnobForm::Chance, 0, million, "",
        "how often a worker stands still before its transaction commits",
        [](Scenario& it) -> KnobPlace { return &it.pause[8]; } },
    { "pause.p9", KnobForm::Chance, 0, million, "",
        "how often a worker stands still before it finalizes",
        [](Scenario& it) -> KnobPlace { return &it.pause[9]; } },
    { "pause.for", KnobForm::Length, 0, day, "",
        "how long",
        [](Scenario& it) -> KnobPlace { return &it.pauseFor; } },
    { "events.on", KnobForm::Flag, 0, 1, "",
        "each effect tells of itself by an event: outbox, relay, inbox, dead letters",
        [](Scenario& it) -> KnobPlace { return &it.events.on; } },
    { "events.keys", KnobForm::Count, 1, million, "",
        "keys of ordering",
        [](Scenario& it) -> KnobPlace { return &it.events.keys; } },
    { "events.relays", KnobForm::Count, 1, 1'000, "",
        "relays at once",
        [](Scenario& it) -> KnobPlace { return &it.events.relays; } },
    { "events.batch", KnobForm::Count, 1, 100'000, "",
        "events of one claim",
        [](Scenario& it) -> KnobPlace { return &it.events.batch; } },
    { "events.poll", KnobForm::Length, millisecond, hour, "",
        "how long a relay that found nothing waits",
        [](Scenario& it) -> KnobPlace { return &it.events.poll; } },
    { "events.lease", KnobForm::Length, millisecond, day, "",
        "of a claim, and of a handler",
        [](Scenario& it) -> KnobPlace { return &it.events.lease; } },
    { "events.attempts", KnobForm::Count, 1, 1'000, "",
        "before an event is a dead letter",
        [](Scenario& it) -> KnobPlace { return &it.events.attempts; } },
    { "events.policy", KnobForm::Word, 0, 0, "playbook atlas vendor aws grpc polly stripe standard_webhooks",
        "the preset by which deliveries are tried again",
        [](Scenario& it) -> KnobPlace { return &it.events.preset; } },
    { "events.dead_head", KnobForm::Word, 0, 0, "block skip",
        "whether what follows a dead event of its key waits for it",
        [](Scenario& it) -> KnobPlace { return &it.events.deadHead.index; } },
    { "events.latency", KnobForm::Spread, 0, day, "",
        "of one way to the consumer; what is uneven is out of order",
        [](Scenario& it) -> KnobPlace { return &it.events.latency; } },
    { "events.loss", KnobForm::Chance, 0, million, "",
        "events that are lost on their way",
        [](Scenario& it) -> KnobPlace { return &it.events.loss; } },
    { "events.ack_loss", KnobForm::Chance, 0, million, "",
        "acknowledgements that are lost",
        [](Scenario& it) -> KnobPlace { return &it.events.ackLoss; } },
    { "events.duplicates", KnobForm::Chance, 0, million, "",
        "events that arrive twice",
        [](Scenario& it) -> KnobPlace { return &it.events.duplicates; } },
    { "events.duplicate_after", KnobForm::Spread, 0, day, "",
        "how long behind the first one",
        [](Scenario& it) -> KnobPlace { return &it.events.duplicateAfter; } },
    { "events.inbox", KnobForm::Flag, 0, 1, "",
        "the consumer remembers what it has handled; false (wrong): it handles what comes",
        [](Scenario& it) -> KnobPlace { return &it.events.inbox; } },
    { "events.consumers", KnobForm::Count, 1, 100'000, "",
        "events handled at once",
        [](Scenario& it) -> KnobPlace { return &it.events.consumers; } },
    { "events.time", KnobForm::Spread, 0, day, "",
        "of the consumer's handler",
        [](Scenario& it) -> KnobPlace { return &it.events.time; } },
    { "events.errors", KnobForm::Chance, 0, million, "",
        "handlings that fail for a moment",
        [](Scenario& it) -> KnobPlace { return &it.events.errors; } },
    { "events.poison", KnobForm::Chance, 0, million, "",
        "events that no handler can handle",
        [](Scenario& it) -> KnobPlace { return &it.events.poison; } },
    { "events.dead_letters", KnobForm::Flag, 0, 1, "",
        "what failed too often is put aside; false (wrong): it is tried for ever",
        [](Scenario& it) -> KnobPlace { return &it.events.deadLetters; } },
    { "events.redrive", KnobForm::Word, 0, 0, "none at_once ramp",
        "how the dead letters are sent again",
        [](Scenario& it) -> KnobPlace { return &it.events.redrive.index; } },
    { "events.redrive_at", KnobForm::Length, 0, 400 * day, "",
        "when",
        [](Scenario& it) -> KnobPlace { return &it.events.redriveAt; } },
    { "events.redrive_rate", KnobForm::Rate, 1, million * 1000, "",
        "of a ramp, a second",
        [](Scenario& it) -> KnobPlace { return &it.events.redriveRate; } },
};

// Digits behind a point, as many as `places` at most, without a floating point number in between.
std::optional<std::int64_t> decimalOf(std::string_view text, int places)
{
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || value < 0 || text.empty() || text[0] == '-')
        return std::nullopt;
    std::int64_t scale = 1;
    for (int i = 0; i < places; ++i)
        scale *= 10;
    if (value > INT64_MAX / scale - 1)
        return std::nullopt;
    value *= scale;
    if (read.ptr == end)
        return value;
    if (*read.ptr != '.' || end - read.ptr < 2 || end - read.ptr - 1 > places)
        return std::nullopt;
    for (const auto* digit = read.ptr + 1; digit != end; ++digit) {
        if (*digit < '0' || *digit > '9')
            return std::nullopt;
        scale /= 10;
        value += (*digit - '0') * scale;
    }
    return value;
}

std::string decimalText(std::int64_t value, int places)
{
    std::int64_t scale = 1;
    for (int i = 0; i < places; ++i)
        scale *= 10;
    auto text = std::to_string(value / scale);
    if (value % scale == 0)
        return text;
    auto digits = std::to_string(scale + value % scale).substr(1);
    while (digits.back() == '0')
        digits.pop_back();
    return text + "." + digits;
}

constexpr int ratePlaces = 3;
constexpr int chancePlaces = 4; // of a percent

std::optional<std::int64_t> chanceOf(std::string_view text)
{
    if (text == "0")
        return 0;
    if (text.empty() || text.back() != '%')
        return std::nullopt;
    text.remove_suffix(1);
    return decimalOf(text, chancePlaces);
}

std::vector<std::string_view> wordsOf(std::string_view words)
{
    std::vector<std::string_view> all;
    while (!words.empty()) {
        const auto blank = words.find(' ');
        all.push_back(words.substr(0, blank));
        if (blank == std::string_view::npos)
            break;
        words.remove_prefix(blank + 1);
    }
    return all;
}

std::string joined(std::string_view words)
{
    std::string text;
    for (const auto word : wordsOf(words))
        text += (text.empty() ? "" : ", ") + std::string(word);
    return text;
}

std::string_view unitExample(KnobForm form)
{
    switch (form) {
    case KnobForm::Count:
        return "a whole number";
    case KnobForm::Rate:
        return "a number a second";
    case KnobForm::Chance:
        return "a percentage, as in 0.5%";
    case KnobForm::Length:
        return "a length of time with its unit, as in 30s";
    case KnobForm::Spread:
        return "a length of time or a spread of them, as in exponential(50ms)";
    case KnobForm::Flag:
        return "true or false";
    case KnobForm::Word:
        return "a word";
    }
    return {};
}

std::string written(KnobForm form, std::int64_t value)
{
    switch (form) {
    case KnobForm::Rate:
        return decimalText(value, ratePlaces);
    case KnobForm::Chance:
        return decimalText(value, chancePlaces) + "%";
    case KnobForm::Length:
    case KnobForm::Spread:
        return Spread(Duration(value)).text();
    default:
        return std::to_string(value);
    }
}

// In the form's own unit.
std::optional<std::int64_t> numberOf(KnobForm form, std::string_view text)
{
    switch (form) {
    case KnobForm::Count:
        return decimalOf(text, 0);
    case KnobForm::Rate:
        return decimalOf(text, ratePlaces);
    case KnobForm::Chance:
        return chanceOf(text);
    case KnobForm::Length: {
        const auto length = text == "0" ? Result<Duration>(Duration(0)) : parseDuration(text);
        return length ? std::optional(length->count()) : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

Error refused(std::string_view path, std::string_view value, const std::string& what)
{
    return invalid(std::string(path) + ": \"" + std::string(value) + "\" is " + what);
}

// A number of the form within the bounds.
Result<std::int64_t> bounded(
    std::string_view path, KnobForm form, std::int64_t least, std::int64_t most, std::string_view value)
{
    const auto number = numberOf(form, value);
    if (!number)
        return refused(path, value, "not " + std::string(unitExample(form)));
    if (*number < least || *number > most)
        return refused(path, value, "not between " + written(form, least) + " and " + written(form, most));
    return *number;
}

Result<int> wordAt(std::string_view path, std::string_view words, std::string_view value)
{
    const auto all = wordsOf(words);
    const auto found = std::find(all.begin(), all.end(), value);
    if (found == all.end())
        return refused(path, value, "none of " + joined(words));
    return static_cast<int>(found - all.begin());
}

Result<bool> flagOf(std::string_view path, std::string_view value)
{
    if (value != "true" && value != "false")
        return refused(path, value, "neither true nor false");
    return value == "true";
}

constexpr std::string_view faultWords =
    "outage silence brownout node_crash partition throttle clock_step store_outage vendor_outage consumer_outage";

} // namespace

std::string_view wordOf(FaultKind kind) noexcept
{
    auto words = faultWords;
    for (auto left = static_cast<int>(kind); left > 0; --left)
        words.remove_prefix(words.find(' ') + 1);
    return words.substr(0, words.find(' '));
}

std::span<const ScenarioKnob> scenarioKnobs() noexcept
{
    return table;
}

const ScenarioKnob* findScenarioKnob(std::string_view path) noexcept
{
    const auto* found =
        std::find_if(std::begin(table), std::end(table), [&](const ScenarioKnob& knob) { return knob.path == path; });
    return found == std::end(table) ? nullptr : found;
}

std::string shownValue(const ScenarioKnob& knob, const Scenario& scenario)
{
    // Nothing is written through the place.
    const auto place = knob.place(const_cast<Scenario&>(scenario)); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    if (const auto* const* number = std::get_if<std::int64_t*>(&place))
        return written(knob.form, **number);
    if (const auto* const* word = std::get_if<int*>(&place))
        return std::string(wordsOf(knob.words)[static_cast<std::size_t>(**word)]);
    if (const auto* const* flag = std::get_if<bool*>(&place))
        return **flag ? "true" : "false";
    if (const auto* const* length = std::get_if<Duration*>(&place))
        return written(knob.form, (*length)->count());
    return std::get<Spread*>(place)->text();
}

Status turn(const ScenarioKnob& knob, Scenario& scenario, std::string_view value)
{
    const auto place = knob.place(scenario);
    if (auto* const* word = std::get_if<int*>(&place)) {
        const auto index = wordAt(knob.path, knob.words, value);
        if (!index)
            return index.error();
        **word = *index;
        return {};
    }
    if (auto* const* flag = std::get_if<bool*>(&place)) {
        const auto said = flagOf(knob.path, value);
        if (!said)
            return said.error();
        **flag = *said;
        return {};
    }
    if (auto* const* spread = std::get_if<Spread*>(&place)) {
        auto parsed = Spread::parse(value);
        if (!parsed)
            return invalid(std::string(knob.path) + ": " + parsed.error().message);
        **spread = std::move(*parsed);
        return {};
    }
    const auto number = bounded(knob.path, knob.form, knob.least, knob.most, value);
    if (!number)
        return number.error();
    if (auto* const* length = std::get_if<Duration*>(&place))
        **length = Duration(*number);
    else
        *std::get<std::int64_t*>(place) = *number;
    return {};
}

Result<std::vector<std::string>> sweptValues(const ScenarioKnob& knob, std::string_view range)
{
    std::vector<std::string> values;
    if (knob.form == KnobForm::Word || knob.form == KnobForm::Flag) {
        // Words have no order: they are named one after the other.
        Scenario probe;
        auto left = range;
        for (;;) {
            const auto comma = left.find(',');
            const auto value = left.substr(0, comma);
            if (const auto turned = turn(knob, probe, value); !turned)
                return turned.error();
            values.emplace_back(value);
            if (comma == std::string_view::npos)
                return values;
            left.remove_prefix(comma + 1);
        }
    }
    const auto dots = range.find("..");
    if (dots == std::string_view::npos) {
        Scenario probe;
        if (const auto turned = turn(knob, probe, range); !turned)
            return turned.error();
        values.emplace_back(range);
        return values;
    }
    const auto colon = range.find(':', dots);
    if (colon == std::string_view::npos)
        return refused(knob.path, range, "no range: it is written as first..last:step");
    // A spread is swept by its even lengths.
    const auto form = knob.form == KnobForm::Spread ? KnobForm::Length : knob.form;
    const auto first = bounded(knob.path, form, knob.least, knob.most, range.substr(0, dots));
    if (!first)
        return first.error();
    const auto last = bounded(knob.path, form, knob.least, knob.most, range.substr(dots + 2, colon - dots - 2));
    if (!last)
        return last.error();
    const auto step = bounded(knob.path, form, 1, INT64_MAX, range.substr(colon + 1));
    if (!step)
        return step.error();
    if (*last < *first)
        return refused(knob.path, range, "no range: its last value lies before its first");
    if (static_cast<std::size_t>((*last - *first) / *step) >= mostSwept)
        return refused(knob.path, range, "a range of more than " + std::to_string(mostSwept) + " values");
    for (auto value = *first; value <= *last; value += *step)
        values.push_back(written(form, value));
    return values;
}

Status turnPhase(Phase& phase, std::string_view member, std::string_view value)
{
    const bool rate = member == "rate";
    if (!rate && member != "from" && member != "until")
        return invalid("a phase of the load has from, until and rate; not \"" + std::string(member) + "\"");
    const auto number = rate ? bounded(member, KnobForm::Rate, 0, million * 1000, value)
                             : bounded(member, KnobForm::Length, 0, 400 * day, value);
    if (!number)
        return number.error();
    if (rate)
        phase.rate = *number;
    else
        (member == "from" ? phase.from : phase.until) = Duration(*number);
    return {};
}

Status turnFault(Fault& fault, std::string_view member, std::string_view value)
{
    if (member == "kind") {
        const auto kind = wordAt(member, faultWords, value);
        if (!kind)
            return kind.error();
        fault.kind = static_cast<FaultKind>(*kind);
        return {};
    }
    struct Member {
        std::string_view name;
        KnobForm form;
        std::int64_t least;
        std::int64_t most;
        void (*take)(Fault& fault, std::int64_t value);
    };
    static constexpr std::array members = {
        Member{ "from", KnobForm::Length, 0, 400 * day, [](Fault& it, std::int64_t to) { it.from = Duration(to); } },
        Member{ "for", KnobForm::Length, 0, 400 * day, [](Fault& it, std::int64_t to) { it.length = Duration(to); } },
        Member{ "share", KnobForm::Chance, 0, million, [](Fault& it, std::int64_t to) { it.share = to; } },
        Member{ "factor", KnobForm::Count, 1, 100'000, [](Fault& it, std::int64_t to) { it.factor = to; } },
        Member{ "node", KnobForm::Count, 1, 1'000, [](Fault& it, std::int64_t to) { it.node = to - 1; } },
        Member{ "forward", KnobForm::Length, 0, 400 * day,
            [](Fault& it, std::int64_t to) {
                it.step = Duration(to);
                it.back = false;
            } },
        Member{ "back", KnobForm::Length, 0, 400 * day,
            [](Fault& it, std::int64_t to) {
                it.step = Duration(to);
                it.back = true;
            } },
        Member{ "retry_after", KnobForm::Length, 0, day,
            [](Fault& it, std::int64_t to) { it.retryAfter = Duration(to); } },
    };
    for (const auto& known : members) {
        if (known.name != member)
            continue;
        const auto number = bounded(member, known.form, known.least, known.most, value);
        if (!number)
            return number.error();
        known.take(fault, *number);
        return {};
    }
    return invalid("a fault has kind, from, for, share, factor, node, forward, back and retry_after; not \""
        + std::string(member) + "\"");
}

} // namespace fencepost::simulation

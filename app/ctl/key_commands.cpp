// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>

#include "app/ctl/commands.h"
#include "app/ctl/files.h"
#include "core/protocol/fingerprint.h"
#include "core/protocol/key_syntax.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

constexpr std::size_t hashSize = 32;

struct KeyOptions {
    std::string scope;
    std::string operation;
    std::string key;
};

struct ReserveOptions : KeyOptions {
    std::string requestHash;
    std::string bodyFile;
    std::optional<std::string> contentType;
    std::string owner;
    std::optional<std::string> lease;
    std::optional<std::string> ttl;
    std::optional<std::string> takeover;
    std::optional<int> maxAttempts;
    std::optional<std::string> correlationId;
};

struct ClaimOptions : KeyOptions {
    std::string owner;
    std::int64_t fence = 0;
    std::string lease = "60s";
    std::optional<std::string> ttl;
    std::optional<int> responseCode;
    std::string responseBodyFile;
    std::optional<std::string> errorCode;
    bool retryable = false;
    bool final = false;
    std::string retryAfter = "0s";
    std::string reason;
    std::string recoveryPoint;
    std::optional<std::string> recoveryData;
};

void declareKey(CLI::App& command, KeyOptions& options)
{
    command.add_option("--scope", options.scope, "Scope of the key")->required();
    command.add_option("--operation", options.operation, "Operation type")->required();
    command.add_option("--key", options.key, "Idempotency key, bare or in quotes as in the header")->required();
}

// CLI11 takes what is too large for the largest there is.
std::string fitsFence(const std::string& text)
{
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = problem == std::errc() && end == text.data() + text.size();
    return whole && value >= 0 ? std::string() : "\"" + text + "\" is no fence";
}

void declareClaim(CLI::App& command, ClaimOptions& options)
{
    declareKey(command, options);
    command.add_option("--owner", options.owner, "Owner as reserve answered it")->required();
    command.add_option("--fence", options.fence, "Fence as reserve answered it")->required()->check(fitsFence);
}

// A new key is well-formed, in the bare or the quoted form of the header. An existing one may be anything, so that only
// what is a quoted form is read as one.
enum class KeyForm { Header, Existing };

Result<RecordId> idOf(const KeyOptions& options, KeyForm form)
{
    for (const auto* part : { &options.scope, &options.operation, &options.key }) {
        if (part->empty())
            return invalid("Scope, operation and key must not be empty");
        if (!isUtf8(*part))
            return invalid("Scope, operation and key must be valid UTF-8");
    }
    auto key = keyOfField(options.key);
    if (form == KeyForm::Header && !key)
        return key.error();
    const bool read = form == KeyForm::Header || (key && options.key.front() == '"');
    return RecordId{ options.scope, options.operation, read ? std::move(*key) : options.key };
}

Result<Claim> claimOf(const ClaimOptions& options)
{
    auto id = idOf(options, KeyForm::Existing);
    if (!id)
        return id.error();
    if (!isUuid(options.owner))
        return invalid("The owner is no UUID: " + options.owner);
    return Claim{ std::move(*id), { options.owner }, { options.fence } };
}

Result<Duration> lengthOf(const std::string& text)
{
    const auto length = parseDuration(text);
    if (length && *length >= Duration::zero())
        return *length;
    const auto unit = text.find_first_not_of("0123456789");
    if (!length && unit != std::string::npos && unit > 0 && parseDuration('1' + text.substr(unit)))
        return invalid("\"" + text + "\" is too long: a length of time is at most a thousand years");
    return invalid("\"" + text + "\" is no length of time like 60s or 24h");
}

Result<Bytes> requestHashOf(const ReserveOptions& options)
{
    if (options.requestHash.empty() == options.bodyFile.empty())
        return invalid("Give the request's hash or its body: --request-hash HEX or --body FILE");
    if (!options.bodyFile.empty()) {
        const auto body = readFile(options.bodyFile);
        return body ? bodyDigest(options.contentType, *body) : body.error();
    }
    auto hash = fromHex(options.requestHash);
    if (!hash || hash->size() != hashSize)
        return invalid("--request-hash takes 32 octets as 64 hexadecimal digits");
    return hash;
}

// Said on the command line, else by the policy's file, else these defaults, where there is none.
Status addPolicy(Context& context, const ReserveOptions& options, Reservation& reservation)
{
    auto policy = context.policy();
    if (!policy)
        return policy.error();
    const auto route = policy->forRoute(options.scope, options.operation);
    const bool fromFile = !context.policyFile().empty();
    reservation.lease = fromFile ? route.lease.value : std::chrono::seconds(60);
    reservation.ttl = fromFile ? route.ttl.value : std::chrono::hours(24);
    reservation.takeover = fromFile ? route.takeover.value : Takeover::Auto;
    reservation.maxAttempts = fromFile ? route.maxAttempts.value : 0;
    reservation.staleKey = fromFile ? route.staleKey.value : StaleKey::Execute;
    for (auto [text, target] : { std::pair(&options.lease, &reservation.lease), { &options.ttl, &reservation.ttl } }) {
        if (!*text)
            continue;
        const auto length = lengthOf(**text);
        if (!length)
            return length.error();
        *target = *length;
    }
    if (options.takeover)
        reservation.takeover = *takeoverOf(*options.takeover);
    if (options.maxAttempts)
        reservation.maxAttempts = *options.maxAttempts;
    return {};
}

Result<Reservation> reservationOf(Context& context, const ReserveOptions& options)
{
    auto id = idOf(options, KeyForm::Header);
    if (!id)
        return id.error();
    auto hash = requestHashOf(options);
    if (!hash)
        return hash.error();
    if (!options.owner.empty() && !isUuid(options.owner))
        return invalid("The owner is no UUID: " + options.owner);
    Reservation reservation;
    reservation.keyTime = timeOfKey(id->key);
    reservation.id = std::move(*id);
    if (!options.bodyFile.empty())
        reservation.payloadHash = *hash;
    reservation.requestHash = std::move(*hash);
    reservation.owner = { options.owner.empty() ? uuid4(context.random) : options.owner };
    reservation.correlationId = options.correlationId;
    reservation.principal = models::actorName();
    if (auto status = addPolicy(context, options, reservation); !status)
        return status.error();
    return reservation;
}

// A mismatch says nothing about the record: whoever presents another request is a stranger to it.
json toJson(const Reserved& reserved)
{
    json out = { { "outcome", wordOf(reserved.outcome) }, { "fence", nullptr }, { "owner", nullptr },
        { "status", nullptr }, { "state", nullptr }, { "attempt", nullptr }, { "response_code", nullptr },
        { "response_body", nullptr }, { "lease_expires_at", nullptr }, { "not_before", nullptr },
        { "expires_at", nullptr }, { "now", formatInstant(reserved.now) } };
    if (!reserved.record || reserved.outcome == Outcome::Mismatch)
        return out;
    const auto& record = *reserved.record;
    out["fence"] = record.fence.value;
    out["owner"] = record.owner.uuid;
    out["status"] = wordOf(record.status);
    out["state"] = wordOf(shownState(record, reserved.now));
    out["attempt"] = record.attempt;
    out["response_code"] = orNull(record.response.code);
    addBytes(out, "response_body", record.response.body);
    out["response_truncated"] = record.response.truncated;
    if (record.response.refType)
        out["response_ref"] = *record.response.refType + ':' + record.response.refId.value_or("");
    out["error_code"] = orNull(record.errorCode);
    out["lease_expires_at"] = orNull(record.leaseExpiresAt);
    out["not_before"] = orNull(record.notBefore);
    out["expires_at"] = formatInstant(record.expiresAt);
    out["hold_reason"] = orNull(record.holdReason);
    out["recovery_point"] = record.recoveryPoint;
    return out;
}

// The outcome is one object of JSON with and without --json: whoever plays a worker reads it from a script.
int reserve(Context& context, const ReserveOptions& options)
{
    auto reservation = reservationOf(context, options);
    if (!reservation)
        return context.usage(reservation.error());
    auto records = context.openStore();
    if (!records)
        return context.fail(records.error());
    const auto reserved = (*records)->reserve(*reservation);
    if (!reserved)
        return context.rejectInput(reserved.error());
    context.out.object(toJson(*reserved));
    const bool served = reserved->outcome == Outcome::Execute || reserved->outcome == Outcome::Replay;
    return served ? Exit::Done : Exit::Refused;
}

json toJson(const Applied& applied)
{
    const bool done = applied.outcome == Outcome::Applied;
    json out = { { "applied", done }, { "outcome", wordOf(applied.outcome) },
        { "reason", applied.reason.empty() ? std::string(wordOf(applied.outcome)) : applied.reason },
        { "now", formatInstant(applied.now) } };
    if (done && applied.record) {
        out["status"] = wordOf(applied.record->status);
        out["state"] = wordOf(shownState(*applied.record, applied.now));
        out["fence"] = applied.record->fence.value;
        out["lease_expires_at"] = orNull(applied.record->leaseExpiresAt);
        out["not_before"] = orNull(applied.record->notBefore);
        out["expires_at"] = formatInstant(applied.record->expiresAt);
    }
    return out;
}

using Event = std::function<Result<Applied>(Store&, const Claim&)>;

int present(Context& context, const ClaimOptions& options, const Event& event)
{
    const auto claim = claimOf(options);
    if (!claim)
        return context.usage(claim.error());
    auto records = context.openStore();
    if (!records)
        return context.fail(records.error());
    const auto applied = event(**records, *claim);
    if (!applied)
        return context.rejectInput(applied.error());
    context.out.object(toJson(*applied));
    return applied->outcome == Outcome::Applied ? Exit::Done : Exit::Refused;
}

Result<Completion> completionOf(const ClaimOptions& options)
{
    Completion completion;
    completion.response.code = options.responseCode;
    completion.errorCode = options.errorCode;
    if (options.ttl) {
        const auto ttl = lengthOf(*options.ttl);
        if (!ttl)
            return ttl.error();
        completion.ttl = *ttl;
    }
    if (!options.responseBodyFile.empty()) {
        auto body = readFile(options.responseBodyFile);
        if (!body)
            return body.error();
        completion.response.bodyDigest = sha256(*body);
        completion.response.body = std::move(*body);
    }
    return completion;
}

int renew(Context& context, const ClaimOptions& options)
{
    const auto lease = lengthOf(options.lease);
    if (!lease)
        return context.usage(lease.error());
    return present(context, options, [&](Store& store, const Claim& claim) { return store.renew(claim, *lease); });
}

int advance(Context& context, const ClaimOptions& options)
{
    if (options.recoveryData && !json::accept(*options.recoveryData))
        return context.usage("The recovery data is no JSON");
    return present(context, options, [&](Store& store, const Claim& claim) {
        return store.advance(claim, options.recoveryPoint, options.recoveryData);
    });
}

int finalize(Context& context, const ClaimOptions& options)
{
    const auto completion = completionOf(options);
    if (!completion)
        return context.usage(completion.error());
    return present(
        context, options, [&](Store& store, const Claim& claim) { return store.finalize(claim, *completion); });
}

int fail(Context& context, const ClaimOptions& options)
{
    if (options.retryable && options.final)
        return context.usage("A failure is --retryable or --final, not both");
    const auto completion = completionOf(options);
    if (!completion)
        return context.usage(completion.error());
    const auto retryAfter = lengthOf(options.retryAfter);
    if (!retryAfter)
        return context.usage(retryAfter.error());
    const Failing failing{ options.retryable, *retryAfter, *completion };
    return present(context, options, [&](Store& store, const Claim& claim) { return store.fail(claim, failing); });
}

int hold(Context& context, const ClaimOptions& options)
{
    return present(
        context, options, [&](Store& store, const Claim& claim) { return store.hold(claim, options.reason); });
}

void declareReserve(CLI::App& command, ReserveOptions& options)
{
    declareKey(command, options);
    command.add_option(
        "--request-hash", options.requestHash, "SHA-256 of the request: 32 octets as hexadecimal digits");
    command.add_option("--body", options.bodyFile,
        "File with the request's body: JSON is hashed in its canonical form, whatever its spelling, all else by its "
        "octets");
    command.add_option("--content-type", options.contentType,
        "Media type of the body (default: JSON where it is an object or array, else octets)");
    command.add_option("--owner", options.owner, "UUID of this execution (default: a fresh one)");
    command.add_option("--lease", options.lease, "Length of the lease (60s)");
    command.add_option("--ttl", options.ttl, "Retention of the outcome (24h)");
    command
        .add_option("--takeover", options.takeover, "auto (default): anybody may run it again after the lease; manual")
        ->check(CLI::IsMember({ "auto", "manual" }));
    command.add_option("--max-attempts", options.maxAttempts, "0 (default): no limit")->check(CLI::Range(0, 1'000'000));
    command.add_option("--correlation-id", options.correlationId, "Kept with the record");
}

void declareCompletion(CLI::App& command, ClaimOptions& options)
{
    declareClaim(command, options);
    command.add_option("--response-code", options.responseCode, "What replays answer")->check(CLI::Range(100, 599));
    command.add_option("--response-body", options.responseBodyFile, "File with the octets that replays answer");
    command.add_option("--ttl", options.ttl, "Retention from now (default: as long again as the reservation's)");
}

} // namespace

void addKeyCommands(CLI::App& app, Context& context)
{
    auto* key = app.add_subcommand("key", "One key, as a worker: reserve, renew, advance, finalize, fail, hold");
    key->require_subcommand(1);
    addCommand<ReserveOptions>(
        *key, context, "reserve", "Reserve a key: execute, replay or wait", declareReserve, reserve);
    addCommand<ClaimOptions>(
        *key, context, "renew", "Extend the lease",
        [](CLI::App& command, ClaimOptions& options) {
            declareClaim(command, options);
            command.add_option("--lease", options.lease, "Length of the lease from now (60s)");
        },
        renew);
    addCommand<ClaimOptions>(
        *key, context, "advance", "Record a recovery point",
        [](CLI::App& command, ClaimOptions& options) {
            declareClaim(command, options);
            command.add_option("--recovery-point", options.recoveryPoint, "Name of the point")->required();
            command.add_option("--recovery-data", options.recoveryData, "JSON of the phase");
        },
        advance);
    addCommand<ClaimOptions>(*key, context, "finalize", "Record success", declareCompletion, finalize);
    addCommand<ClaimOptions>(
        *key, context, "fail", "Record a failure",
        [](CLI::App& command, ClaimOptions& options) {
            declareCompletion(command, options);
            command.add_flag("--retryable", options.retryable, "The same request may be executed again");
            command.add_flag("--final", options.final, "It is answered with this failure (default)");
            command.add_option("--retry-after", options.retryAfter, "Not before that long (0s)");
            command.add_option("--error-code", options.errorCode, "Kept with the record");
        },
        fail);
    addCommand<ClaimOptions>(
        *key, context, "hold", "Stop: the outcome is unknown",
        [](CLI::App& command, ClaimOptions& options) {
            declareClaim(command, options);
            command.add_option("--reason", options.reason, "Why (outcome_unknown)");
        },
        hold);
}

} // namespace fencepost::app

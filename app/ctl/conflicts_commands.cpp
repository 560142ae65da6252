// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/body_explanation_output.h"
#include "app/ctl/commands.h"
#include "app/ctl/files.h"
#include "app/ctl/forensics.h"
#include "app/ctl/table_access.h"
#include "core/ids.h"
#include "core/protocol/ascii.h"
#include "core/protocol/canonical_json.h"
#include "core/redaction.h"
#include "models/look.h"
#include "models/operator.h"
#include "models/redacted_explanation.h"

namespace fencepost::app {

namespace {

struct ListedConflicts {
    RangeWords range;
    int limit = 1'000;
    bool byClient = false;
};

// Conflicts are kept as long as their records, and nobody knows beforehand how long ago the first one was.
constexpr auto everything = std::chrono::hours(24) * 365 * 50;

std::string rateInWords(const Conflict& conflict)
{
    const auto rate = hourlyRate(conflict);
    if (!rate)
        return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.1f/h", *rate);
    return text;
}

json toJson(const Binding& binding, const RefusedArrival& arrival)
{
    const auto& conflict = arrival.conflict;
    const auto rate = hourlyRate(conflict);
    return { { "binding", binding.name }, { "scope", conflict.id.scope }, { "operation", conflict.id.operation },
        { "key", conflict.id.key }, { "principal", conflict.principal },
        { "kept_hash", arrival.keptHash ? json(shownHash(*arrival.keptHash)) : json() },
        { "presented_hash", conflict.presentedHash.empty() ? json() : json(shownHash(conflict.presentedHash)) },
        { "status", arrival.state.empty() ? json() : json(arrival.state) }, { "count", conflict.count },
        { "within_range", arrival.within.count }, { "estimated", arrival.within.estimated },
        { "first_at", formatInstant(conflict.firstAt) }, { "last_at", formatInstant(conflict.lastAt) },
        { "per_hour", rate ? json(*rate) : json() } };
}

std::string hashInWords(const std::optional<Bytes>& hash)
{
    constexpr std::size_t shown = 12;
    return !hash || hash->empty() ? "-" : shownHash(*hash).substr(0, shown) + "…";
}

void showClusters(Context& context, const Binding& binding, const std::vector<ConflictCluster>& clusters)
{
    Table table(context.out, { "TABLE", "CLIENT", "KEYS", "ARRIVALS", "FIRST", "LAST" });
    for (const auto& cluster : clusters) {
        if (context.out.isJson())
            context.out.object({ { "binding", binding.name }, { "principal", cluster.principal },
                { "keys", cluster.keys }, { "arrivals", cluster.arrivals },
                { "first_at", formatInstant(cluster.firstAt) }, { "last_at", formatInstant(cluster.lastAt) } });
        else
            table.add({ binding.name, cluster.principal, std::to_string(cluster.keys), std::to_string(cluster.arrivals),
                formatInstant(cluster.firstAt), formatInstant(cluster.lastAt) });
    }
    if (!context.out.isJson() && !clusters.empty())
        table.show();
}

// Of how many there are at all: "12", "about 12 of 40".
std::string withinInWords(const RefusedArrival& arrival)
{
    const auto& [count, estimated] = arrival.within;
    return (estimated ? "about " : "") + std::to_string(count)
        + (count == arrival.conflict.count ? "" : " of " + std::to_string(arrival.conflict.count));
}

void showNewest(Context& context, const Binding& binding, const std::vector<RefusedArrival>& newest)
{
    Table table(context.out,
        { "TABLE", "SCOPE", "OPERATION", "KEY", "CLIENT", "KEPT", "PRESENTED", "COUNT", "RATE", "FIRST", "LAST" });
    for (const auto& arrival : newest) {
        const auto& conflict = arrival.conflict;
        if (context.out.isJson())
            context.out.object(toJson(binding, arrival));
        else
            table.add({ binding.name, conflict.id.scope, conflict.id.operation, conflict.id.key, conflict.principal,
                hashInWords(arrival.keptHash), hashInWords(conflict.presentedHash), withinInWords(arrival),
                rateInWords(conflict), formatInstant(conflict.firstAt), formatInstant(conflict.lastAt) });
    }
    if (!context.out.isJson() && !newest.empty())
        table.show();
}

int list(Context& context, const ListedConflicts& options)
{
    ConflictsRequest request;
    const auto range = rangeOf(context, options.range, everything);
    if (!range)
        return context.usage(range.error());
    request.range = *range;
    request.most = options.limit;
    return forEachTable(context, { Kind::Idempotency, Kind::Inbox }, [&](const Asked& asked) -> Status {
        const auto found = asked.forensics.conflicts(asked.binding, request);
        // Another's table keeps none, and is only asked where it was named.
        if (!found && found.error().failure == Failure::Unsupported && context.options.binding.empty())
            return {};
        if (!found)
            return found.error();
        if (options.byClient)
            showClusters(context, asked.binding, found->clusters);
        else
            showNewest(context, asked.binding, found->newest);
        if (!options.byClient && static_cast<int>(found->newest.size()) == options.limit)
            context.out.note(asked.binding.name + ": these are the newest " + std::to_string(options.limit)
                + "; --by-client counts all of them");
        if (found->newest.empty() && !context.out.isJson())
            context.out.note(asked.binding.name + ": no request was refused for another one under its key");
        tellBasis(context, options.range, asked.binding, found->basis);
        return {};
    });
}

struct ExplainedConflict {
    std::vector<std::string> parts;
    std::string payload;
    std::optional<std::string> method;
    std::optional<std::string> target;
    std::optional<std::string> contentType;
    std::vector<std::string> headers;
    std::vector<std::string> pointers;
    std::string reveal;
};

Result<PresentedRequest> presentedOf(const ExplainedConflict& options)
{
    if (options.method && !isToken(*options.method))
        return Error{ Failure::Invalid, "--method is no method of HTTP", *options.method };
    if (const auto wellFormed = valuesAt("null", options.pointers); !wellFormed)
        return wellFormed.error();
    auto body = readFile(options.payload);
    if (!body)
        return body.error();
    PresentedRequest presented{ std::move(*body), options.method, options.target, options.contentType, options.pointers,
        {} };
    for (const auto& header : options.headers) {
        const auto colon = header.find(':');
        if (colon == std::string::npos || colon == 0)
            return Error{ Failure::Invalid, "--header is name:value", header };
        const auto value = header.find_first_not_of(' ', colon + 1);
        presented.headers.emplace_back(
            header.substr(0, colon), value == std::string::npos ? std::string() : header.substr(value));
    }
    return presented;
}

std::string timesInWords(std::int64_t count)
{
    return count == 1 ? "once" : std::to_string(count) + " times";
}

std::string verdictInWords(const ConflictExplanation& explanation)
{
    switch (explanation.match) {
    case Match::Same:
        return "This is the request that the record is of: it would be replayed.";
    case Match::Refused:
        return "This is a request that was refused " + timesInWords(explanation.refused->count) + ", last at "
            + formatInstant(explanation.refused->lastAt)
            + (explanation.refused->principal.empty() ? "" : ", from " + explanation.refused->principal) + ".";
    case Match::Body:
        return "Its body is the one that the record is of, by its hash.";
    case Match::Other:
        return "This is neither the record's request nor one of those that were refused and told apart.";
    case Match::Unknown:
        return "Nobody can say which request it is: what tells them apart is hidden in this copy.";
    }
    return {};
}

// Of an event of the inbox: which payload it is, and what became of it.
std::string payloadInWords(const ConflictExplanation& explanation)
{
    switch (explanation.match) {
    case Match::Same:
        return "This is the payload that the inbox has: its event would be a duplicate.";
    case Match::Refused:
        return "This is a payload that was refused " + timesInWords(explanation.refused->count) + ", last at "
            + formatInstant(explanation.refused->lastAt) + ".";
    case Match::Body:
    case Match::Other:
        return "This is neither the inbox's payload nor one of those that were told apart.";
    case Match::Unknown:
        return "Nobody can say which payload it is: a hash that tells them apart is not there, or hidden in this copy.";
    }
    return {};
}

std::string payloadCheckInWords(FailedCheck check)
{
    return check == FailedCheck::None ? "no check fails"
        : check == FailedCheck::Body  ? "the payload's hash: it is another one"
                                      : "nobody can say whether anything does";
}

std::string checkInWords(FailedCheck check)
{
    switch (check) {
    case FailedCheck::None:
        return "no check fails";
    case FailedCheck::Validation:
        return "validation, with 400, before its key is looked at: it has no fingerprint";
    case FailedCheck::Body:
        return "the fingerprint: the bodies differ";
    case FailedCheck::Around:
        return "the fingerprint: the bodies are the same; the method, path, query, media type or a header differs";
    case FailedCheck::NotTold:
        return "nobody can say whether anything does: what the first request was sent with, or its hash, is not told "
               "here";
    case FailedCheck::Unknown:
        return "the fingerprint; the first body was not kept whole, so that nobody can say where they differ";
    }
    return {};
}

void showCase(Context& context, const ConflictCase& found)
{
    const auto& record = found.record;
    const std::string kept = keepsHash(record) ? toHex(record.requestHash) : "its hash is hidden";
    if (found.payloadAlone && record.requestHash.empty())
        context.out.line("kept: nothing, its row is gone");
    else if (found.payloadAlone)
        context.out.line("kept: " + kept + " (of the payload)"
            + (keepsBody(record) ? ", which an outbox beside it still has" : ", which an inbox does not keep"));
    else
        context.out.line("kept: " + kept + " (" + record.fingerprintAlg + "), "
            + record.requestMethod.value_or("method not kept") + ' ' + withoutSecrets(record.requestTarget.value_or(""))
            + (keepsBody(record) ? "" : ", its body was not kept"));
    Table table(context.out, { "PRESENTED", "WHY", "CLIENT", "COUNT", "RATE", "FIRST", "LAST" });
    for (const auto& conflict : found.conflicts)
        table.add({ conflict.presentedHash.empty() ? "all others" : shownHash(conflict.presentedHash), conflict.kind,
            conflict.principal, std::to_string(conflict.count), rateInWords(conflict), formatInstant(conflict.firstAt),
            formatInstant(conflict.lastAt) });
    if (found.conflicts.empty())
        context.out.line("nothing was refused under this key");
    else
        table.show();
}

json caseJson(const ConflictCase& found)
{
    auto refused = json::array();
    for (const auto& conflict : found.conflicts)
        refused.push_back(
            { { "presented_hash", conflict.presentedHash.empty() ? json() : json(shownHash(conflict.presentedHash)) },
                { "kind", conflict.kind }, { "principal", conflict.principal }, { "count", conflict.count },
                { "first_at", formatInstant(conflict.firstAt) }, { "last_at", formatInstant(conflict.lastAt) } });
    const auto& record = found.record;
    return { { "scope", record.id.scope }, { "operation", record.id.operation }, { "key", record.id.key },
        { "kept_hash", keepsHash(record) ? json(toHex(record.requestHash)) : json() },
        { "fingerprint_alg", found.payloadAlone ? json() : json(record.fingerprintAlg) },
        { "method", record.requestMethod ? json(*record.requestMethod) : json() },
        { "target", record.requestTarget ? json(withoutSecrets(*record.requestTarget)) : json() },
        { "body_kept", keepsBody(record) }, { "refused", refused } };
}

int showExplanation(Context& context, const ConflictCase& found, const ConflictExplanation& explanation)
{
    const bool areJudged = explanation.failed != FailedCheck::Validation && explanation.failed != FailedCheck::Unknown
        && explanation.match != Match::Unknown;
    if (context.out.isJson()) {
        auto object = caseJson(found);
        object["match"] = wordOf(explanation.match);
        object["failed_check"] = wordOf(explanation.failed);
        object["presented_hash"] = explanation.presentedHash.empty() ? json() : json(toHex(explanation.presentedHash));
        object["notes"] = explanation.notes;
        if (explanation.bodies) {
            object["bodies"] = app::toJson(*explanation.bodies);
            if (!areJudged)
                object["bodies"]["same"] = nullptr;
        }
        context.out.object(object);
        return Exit::Done;
    }
    showCase(context, found);
    context.out.line("presented: "
        + (explanation.presentedHash.empty() ? "no fingerprint can be made of it" : toHex(explanation.presentedHash)));
    const bool payload = explanation.payloadAlone;
    context.out.line(payload ? payloadInWords(explanation) : verdictInWords(explanation));
    context.out.line(
        "what refuses it: " + (payload ? payloadCheckInWords(explanation.failed) : checkInWords(explanation.failed)));
    if (explanation.bodies)
        show(context, *explanation.bodies, areJudged);
    for (const auto& note : explanation.notes)
        context.out.note(note);
    return Exit::Done;
}

// Of the records, or of the inbox where --binding says so.
Result<OpenTable> openConflicts(Context& context)
{
    if (context.options.binding.empty())
        return openTable(context, Kind::Idempotency);
    auto table = openTable(context, std::nullopt);
    return table && table->binding.kind != Kind::Inbox ? openTable(context, Kind::Idempotency) : table;
}

Result<std::optional<ConflictCase>> eventCase(OpenTable& table, const RecordId& id)
{
    const auto all = table.inspector->bindings();
    if (!all)
        return all.error();
    for (const auto& inbox : *all) {
        if (!inbox.native || !inbox.reachable || inbox.kind != Kind::Inbox)
            continue;
        auto found = table.inspector->forensics()->conflictCase(inbox, id);
        if (!found)
            return found;
        if (*found) {
            table.binding = inbox;
            return found;
        }
    }
    return std::optional<ConflictCase>();
}

int explain(Context& context, const ExplainedConflict& options)
{
    // CONSUMER SOURCE EVENT, as `conflicts list` writes them of an inbox.
    const bool mayBeEvent = context.options.binding.empty() && options.parts.size() == 3;
    auto table = openConflicts(context);
    if (!table && mayBeEvent)
        if (auto inbox = openTable(context, Kind::Inbox))
            table = std::move(inbox);
    if (!table)
        return context.fail(table.error());
    const auto identity = identityOf(*table, options.parts);
    if (!identity)
        return context.rejectInput(identity.error());
    if (identity->size() != 3)
        return context.fail(Error{ Failure::Unsupported,
            "The table " + table->binding.name
                + " does not tell of conflicts: they are kept beside Fencepost's own "
                  "records" });
    const RecordId id{ (*identity)[0], (*identity)[1], (*identity)[2] };
    auto found = table->inspector->forensics()->conflictCase(table->binding, id);
    if (mayBeEvent && !(found && *found))
        if (auto event = eventCase(*table, id); found || (event && *event))
            found = std::move(event);
    if (!found)
        return context.fail(found.error());
    if (!*found) {
        auto error = noSuchKey(table->binding);
        if (mayBeEvent && table->binding.kind != Kind::Inbox)
            error.message += ", and no such event in an inbox beside it";
        return context.fail(error);
    }
    if (options.payload.empty()) {
        if (context.out.isJson())
            context.out.object(caseJson(**found));
        else
            showCase(context, **found);
        return Exit::Done;
    }
    const auto presented = presentedOf(options);
    if (!presented)
        return context.rejectInput(presented.error());
    auto explanation = explainConflict(**found, *presented);
    if (!options.reveal.empty()) {
        const auto seen = table->inspector->record(models::lookAt(table->binding, *identity,
            (*found)->payloadAlone ? "payload" : "request_body", {}, models::actorName(), options.reveal));
        if (!seen)
            return context.fail(seen.error());
    } else if (explanation.bodies) {
        explanation.bodies = models::redacted(*explanation.bodies, Redactor());
    }
    return showExplanation(context, **found, explanation);
}

void declareExplain(CLI::App& command, ExplainedConflict& options)
{
    command
        .add_option("id", options.parts,
            "SCOPE OPERATION KEY, of an inbox CONSUMER SOURCE EVENT; KEY alone where one record has it")
        ->required()
        ->expected(1, 3);
    auto* payload = command.add_option("--payload", options.payload, "File with a body: which of the requests is it?");
    const auto about = [&](const char* name, auto& value, const char* help) {
        return command.add_option(name, value, help)->needs(payload);
    };
    about("--method", options.method, "Its method (the kept request's)");
    about("--target", options.target, "Its path and query (the kept request's)");
    about("--content-type", options.contentType, "Its media type (the kept request's)");
    about("--header", options.headers, "Name:value of a header that decides, too")->allow_extra_args(false);
    about("--pointer", options.pointers, "JSON Pointer: only these parts of the body decide");
    about("--reveal", options.reveal, "Also show what is hidden where the bodies differ, because: kept in the audit");
}

} // namespace

void addConflictsCommands(CLI::App& app, Context& context)
{
    auto* conflicts = app.add_subcommand("conflicts", "Other requests that came under a used key");
    conflicts->require_subcommand(1);
    addCommand<ListedConflicts>(
        *conflicts, context, "list", "Who was refused, under which key, how often and since when",
        [](CLI::App& command, ListedConflicts& options) {
            declareRange(command, options.range, "all that is kept");
            command.add_option("--limit", options.limit, "At most so many of a table, the newest first (1000)")
                ->check(CLI::Range(1, 1'000'000));
            command.add_flag("--by-client", options.byClient, "Counted by who presented them");
        },
        list);
    addCommand<ExplainedConflict>(*conflicts, context, "explain",
        "Which of the requests under a key a body is, which check refuses it and where the bodies differ",
        declareExplain, explain);
}

} // namespace fencepost::app

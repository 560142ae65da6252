// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "app/ctl/body_explanation_output.h"
#include "app/ctl/commands.h"
#include "app/ctl/files.h"
#include "core/protocol/ascii.h"
#include "core/protocol/body_explanation.h"
#include "core/protocol/canonical_json.h"
#include "core/protocol/keys.h"

namespace fencepost::app {

namespace {

// A body that is given by hand is as long as its giver likes.
constexpr std::size_t longestGiven = std::size_t{ 1 } << 40U;

struct FingerprintOptions {
    std::string method;
    std::string path;
    std::string query;
    std::optional<std::string> contentType;
    std::vector<std::string> headers;
    std::vector<std::string> pointers;
};

struct ExplainOptions {
    std::string before;
    std::string after;
    std::optional<std::string> contentType;
    std::vector<std::string> pointers;
};

struct KeygenOptions {
    std::size_t count = 1;
    std::vector<std::string> fields;
};

int canon(Context& context, const NoOptions&)
{
    const auto body = readStandardInput();
    if (!body)
        return context.fail(body.error());
    const auto read = CanonicalJson::read(*body);
    if (const auto* fault = std::get_if<JsonFault>(&read))
        return context.fail(inWords(*fault));
    const auto& canonical = std::get<CanonicalJson>(read);
    if (context.out.isJson())
        context.out.object({ { "canonical", canonical.text() }, { "sha256", toHex(canonical.digest()) } });
    else
        context.out.octets(canonical.text());
    return Exit::Done;
}

// Each "Name: value" is a header of the request, and all of them are hashed, in the order of their first lines.
Status addHeaders(const std::vector<std::string>& lines, FingerprintRequest& request, FingerprintProfile& profile)
{
    for (const auto& line : lines) {
        const auto colon = line.find(':');
        const auto name = withoutBlanks(std::string_view(line).substr(0, colon));
        if (colon == std::string::npos || name.empty())
            return invalid("\"" + line + "\" is no header like Name:value");
        request.headers.emplace_back(name, withoutBlanks(std::string_view(line).substr(colon + 1)));
        const auto lower = asciiLower(name);
        if (std::find(profile.headers.begin(), profile.headers.end(), lower) == profile.headers.end())
            profile.headers.push_back(lower);
    }
    return {};
}

// Whoever selects parts of a body that has none would believe that they decide.
Status checkBody(
    std::optional<std::string_view> contentType, std::string_view body, const std::vector<std::string>& pointers)
{
    const auto chosen = bodyDigest(contentType, body, { .pointers = pointers });
    if (!chosen)
        return chosen.error();
    if (pointers.empty())
        return {};
    const auto whole = bodyDigest(contentType, body);
    if (whole && *whole == *chosen)
        return invalid("--pointer selects parts of a JSON body, and this one is none",
            contentType ? "its type is " + std::string(*contentType) : std::string());
    return {};
}

// What is no JSON Pointer is none into any body.
Status checkPointers(const std::vector<std::string>& pointers)
{
    const auto any = valuesAt("{}", pointers);
    return any ? Status() : any.error();
}

// Whatever is wrong with the arguments is wrong with any body.
Status checkWords(const FingerprintRequest& request, const FingerprintOptions& options)
{
    FingerprintRequest empty{ request.method, request.path, request.query, {}, {} };
    if (options.contentType)
        empty.headers.emplace_back("Content-Type", *options.contentType);
    if (const auto possible = fingerprint(empty); !possible)
        return possible.error();
    return checkPointers(options.pointers);
}

int print(Context& context, const FingerprintOptions& options)
{
    if (options.method.empty() || options.path.empty())
        return context.usage("Say what was asked for: --method POST --path /refunds");
    FingerprintRequest request{ options.method, options.path, options.query, {}, {} };
    FingerprintProfile profile{ .pointers = options.pointers, .longestBody = longestGiven };
    if (const auto mark = request.path.find('?'); mark != std::string::npos && request.query.empty()) {
        request.query = request.path.substr(mark + 1);
        request.path.resize(mark);
    }
    if (options.contentType)
        request.headers.emplace_back("Content-Type", *options.contentType);
    if (const auto status = addHeaders(options.headers, request, profile); !status)
        return context.usage(status.error());
    if (const auto words = checkWords(request, options); !words)
        return context.usage(words.error());
    const auto body = readStandardInput();
    if (!body)
        return context.fail(body.error());
    request.body = *body;
    const auto made = fingerprint(request, profile);
    if (!made)
        return context.fail(made.error());
    if (!options.pointers.empty())
        if (const auto usable = checkBody(options.contentType, request.body, options.pointers); !usable)
            return context.fail(usable.error());
    if (context.out.isJson())
        context.out.object({ { "fingerprint", toHex(made->requestHash) }, { "alg", made->alg },
            { "payload_hash", toHex(made->payloadHash) } });
    else
        context.out.line(toHex(made->requestHash));
    return Exit::Done;
}

int explain(Context& context, const ExplainOptions& options)
{
    if (const auto pointers = checkPointers(options.pointers); !pointers)
        return context.usage(pointers.error());
    const auto before = readFile(options.before);
    if (!before)
        return context.fail(before.error());
    const auto after = readFile(options.after);
    if (!after)
        return context.fail(after.error());
    // A body that has no fingerprint is like no other one.
    for (const auto& [file, body] : { std::pair(&options.before, &*before), std::pair(&options.after, &*after) })
        if (const auto usable = checkBody(options.contentType, *body, options.pointers); !usable) {
            auto error = usable.error();
            error.message = *file + ": " + error.message;
            return context.fail(error);
        }
    const auto explanation = explainBodies(
        { options.contentType, *before }, { options.contentType, *after }, { .pointers = options.pointers });
    if (context.out.isJson())
        context.out.object(toJson(explanation));
    else
        show(context, explanation);
    return Exit::Done;
}

void addFingerprint(CLI::App& app, Context& context)
{
    auto* command = app.add_subcommand("fingerprint", "What decides whether a request is the same one, as a hash");
    auto options = std::make_shared<FingerprintOptions>();
    command->add_option("--method", options->method, "Method of the request, in its case");
    command->add_option("--path", options->path, "Path of the request; the body comes from standard input");
    command->add_option("--query", options->query, "Query, without the question mark");
    command->add_option("--content-type", options->contentType,
        "Media type of the body (default: none, and JSON where it is an object or array)");
    command->add_option("--header", options->headers, "Name:value of a header that decides, too")
        ->allow_extra_args(false);
    command->add_option("--pointer", options->pointers, "JSON Pointer: only these parts of the body decide");
    auto* explaining = addCommand<ExplainOptions>(
        *command, context, "explain", "Where two bodies differ, and what only looks different",
        [](CLI::App& sub, ExplainOptions& explained) {
            sub.add_option("A", explained.before, "File with the first body")->required();
            sub.add_option("B", explained.after, "File with the second body")->required();
            sub.add_option("--content-type", explained.contentType, "Media type of both");
            sub.add_option("--pointer", explained.pointers, "JSON Pointer: only these parts decide");
        },
        explain);
    command->callback([&context, options, explaining] {
        if (!explaining->parsed())
            context.exitCode = print(context, *options);
    });
}

using Generator = Result<std::string> (*)(KeySource&, const KeygenOptions&);

template <Generator generate> int keygen(Context& context, const KeygenOptions& options)
{
    const SystemClock clock;
    KeySource source(clock, context.random);
    for (std::size_t i = 0; i < options.count; ++i) {
        const auto key = generate(source, options);
        if (!key)
            return context.rejectInput(key.error());
        if (context.out.isJson())
            context.out.object({ { "key", *key } });
        else
            context.out.line(*key);
        if (context.out.isClosed())
            break;
    }
    return Exit::Done;
}

Result<std::string> ofUuid4(KeySource& source, const KeygenOptions&)
{
    return source.uuid4();
}

Result<std::string> ofUuid7(KeySource& source, const KeygenOptions&)
{
    return source.uuid7();
}

Result<std::string> ofUlid(KeySource& source, const KeygenOptions&)
{
    return source.ulid();
}

Result<std::string> ofFields(KeySource&, const KeygenOptions& options)
{
    return naturalKey({ options.fields.begin(), options.fields.end() });
}

void addKeygen(CLI::App& app, Context& context)
{
    auto* command =
        app.add_subcommand("keygen", "A fresh key for a logical operation, or the one of its business fields");
    command->require_subcommand(1);
    const auto counted = [](CLI::App& sub, KeygenOptions& options) {
        sub.add_option("--count", options.count, "How many, one on a line (1)")->check(CLI::Range(1, 1'000'000));
    };
    addCommand<KeygenOptions>(*command, context, "uuid4", "Random", counted, keygen<ofUuid4>);
    addCommand<KeygenOptions>(*command, context, "uuid7", "In order of time, as a UUID", counted, keygen<ofUuid7>);
    addCommand<KeygenOptions>(
        *command, context, "ulid", "In order of time, as 26 letters and digits", counted, keygen<ofUlid>);
    addCommand<KeygenOptions>(
        *command, context, "natural", "The same for the same business fields: order_7 1000 EUR",
        [](CLI::App& sub, KeygenOptions& options) {
            sub.add_option("FIELD", options.fields, "Business fields, in order")->required();
        },
        keygen<ofFields>);
}

} // namespace

void addIdentityCommands(CLI::App& app, Context& context)
{
    addCommand<NoOptions>(
        app, context, "canon", "The canonical form (RFC 8785) of the JSON on standard input", nullptr, canon);
    addFingerprint(app, context);
    addKeygen(app, context);
}

} // namespace fencepost::app

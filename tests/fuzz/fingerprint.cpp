// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/fingerprint.h"

#include "core/protocol/body_explanation.h"
#include "core/protocol/canonical_json.h"
#include "tests/fuzz/fuzz.h"

using namespace fencepost;
using fuzz::require;

namespace {

// A request in lines: method, path, query, content type, content encoding, JSON Pointers; then a body, and behind an
// octet 0 another one.
struct Input {
    FingerprintRequest request;
    std::optional<std::string> contentType;
    std::string_view other;
    FingerprintProfile profile;
};

Input inputOf(std::string_view text)
{
    Input input;
    auto parts = fuzz::split(text, '\n', 7);
    parts.resize(7);
    input.request.method = parts[0];
    input.request.path = parts[1];
    input.request.query = parts[2];
    if (!parts[3].empty()) {
        input.contentType = parts[3];
        input.request.headers.emplace_back("Content-Type", parts[3]);
    }
    if (!parts[4].empty())
        input.request.headers.emplace_back("Content-Encoding", parts[4]);
    if (!parts[5].empty())
        for (const auto pointer : fuzz::split(parts[5], ' ', 8))
            input.profile.pointers.emplace_back(pointer);
    const auto bodies = fuzz::split(parts[6], '\0', 2);
    input.request.body = bodies[0];
    input.other = bodies.back();
    input.profile.longestBody = 65'536;
    return input;
}

void checkFingerprint(const Input& input, std::size_t size)
{
    const auto made = fingerprint(input.request, input.profile);
    if (!made) {
        fuzz::requireRefusal(made.error(), size);
        // Pointers are the service's own, not the client's.
        require(!made.error().code.empty() || !input.profile.pointers.empty(), "the refusal has a code",
            made.error().message);
        return;
    }
    require(made->requestHash.size() == 32 && made->payloadHash.size() == 32, "a hash has 32 octets");
    require(made->alg == tagOf(input.profile), "the fingerprint names its profile");
    require(*made == *fingerprint(input.request, input.profile), "the same request has the same fingerprint");
    auto other = input.request;
    other.method += 'X';
    const auto changed = fingerprint(other, input.profile);
    require(!changed || changed->requestHash != made->requestHash, "another method is another request");
}

// The canonical spelling of a JSON body is the same body.
void checkSpelling(const Input& input)
{
    const auto read = CanonicalJson::read(input.request.body);
    const auto* json = std::get_if<CanonicalJson>(&read);
    if (json == nullptr || !json->lossyNumbers().empty())
        return;
    const auto digest = bodyDigest("application/json", input.request.body, input.profile);
    const auto again = bodyDigest("application/json", json->text(), input.profile);
    require(digest.has_value() == again.has_value(), "both spellings are taken or none");
    require(!digest || *digest == *again, "the spelling is no part of the digest", json->text());
}

void checkExplanation(const ComparedBody& before, const ComparedBody& after, const FingerprintProfile& profile)
{
    constexpr std::size_t most = 20;
    const auto explained = explainBodies(before, after, profile, most);
    require(explained.differences.size() <= most && explained.benign.size() <= most, "no more is kept than asked for");
    require(
        explained.differences.size() <= explained.differenceCount && explained.benign.size() <= explained.benignCount,
        "what is kept is counted");
    const auto first = bodyDigest(before.contentType, before.body, profile);
    const auto second = bodyDigest(after.contentType, after.body, profile);
    if (first && second)
        require(explained.same == (*first == *second), "the same are those with one digest");
    if (explained.same)
        require(explained.differenceCount == 0, "what is the same has no difference");
    else if (first && second)
        require(explained.differenceCount > 0 || !explained.notes.empty(), "a difference is named");
    for (const auto& difference : explained.differences)
        require(difference.before.size() + difference.after.size() <= 2'000, "a value is cut to a line");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto input = inputOf(fuzz::textOf(data, size));
    checkFingerprint(input, size);
    checkSpelling(input);
    const ComparedBody body{ input.contentType, input.request.body };
    checkExplanation(body, { input.contentType, input.other }, input.profile);
    checkExplanation(body, body, input.profile);
    return 0;
}

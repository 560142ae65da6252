// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/body_explanation.h"

#include <algorithm>
#include <map>

#include "core/protocol/body_findings.h"
#include "core/protocol/canonical_json.h"
#include "core/protocol/canonical_url.h"
#include "core/protocol/media_type.h"
#include "core/protocol/multipart.h"

namespace fencepost {

namespace {

constexpr std::string_view kindWords[] = { "json", "form", "multipart", "text", "octets" };
constexpr std::string_view differenceWords[] = { "added", "removed", "changed", "hidden" };
constexpr std::string_view benignWords[] = { "member_order", "number_spelling", "escapes", "white_space", "not_hashed",
    "pair_order", "pair_spelling", "boundary" };
constexpr std::size_t excerptOctets = 120;

bool isText(std::string_view body)
{
    const auto isControl = [](char c) {
        const auto octet = static_cast<unsigned char>(c);
        return (octet < 0x20 && c != '\t' && c != '\n' && c != '\r') || octet == 0x7f;
    };
    return isUtf8(body) && std::none_of(body.begin(), body.end(), isControl);
}

std::optional<MediaType> knownType(const ComparedBody& body)
{
    if (!body.contentType)
        return std::nullopt;
    auto type = parseMediaType(*body.contentType);
    return type ? std::optional(std::move(*type)) : std::nullopt;
}

BodyKind kindOf(const ComparedBody& body)
{
    const auto type = knownType(body);
    if (type && isForm(*type))
        return BodyKind::Form;
    if (type && isMultipart(*type))
        return BodyKind::Multipart;
    const auto first = body.body.find_first_not_of(" \t\r\n");
    const bool braced = first != std::string_view::npos && (body.body[first] == '{' || body.body[first] == '[');
    if (type ? isJson(*type) && !body.body.empty() : braced)
        return BodyKind::Json;
    return isText(body.body) ? BodyKind::Text : BodyKind::Octets;
}

std::string withoutLineEnds(std::string_view text)
{
    std::string out;
    std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return c != '\r' && c != '\n'; });
    return out;
}

// The first place where they differ; the rest of two texts seldom says more.
void compareOctets(std::string_view before, std::string_view after, BodyFindings& findings)
{
    if (before == after)
        return;
    auto& explanation = findings.explanation;
    explanation.kind = isText(before) && isText(after) ? BodyKind::Text : BodyKind::Octets;
    const auto [a, b] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    auto at = static_cast<std::size_t>(a - before.begin());
    std::string place = "octet " + std::to_string(at);
    if (explanation.kind == BodyKind::Text) {
        const auto isTail = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; };
        while (at > 0 && ((at < before.size() && isTail(before[at])) || (at < after.size() && isTail(after[at]))))
            --at;
        const auto head = before.substr(0, at);
        const auto line = head.substr(std::min(head.rfind('\n') + 1, head.size()));
        const auto column = static_cast<std::ptrdiff_t>(line.size()) - std::count_if(line.begin(), line.end(), isTail);
        place = "line " + std::to_string(1 + std::count(head.begin(), head.end(), '\n')) + ", column "
            + std::to_string(column + 1);
        if (withoutLineEnds(before) == withoutLineEnds(after))
            explanation.notes.emplace_back("They differ in their line breaks only.");
    }
    const auto kind = at == before.size() ? DifferenceKind::Added
        : at == after.size()              ? DifferenceKind::Removed
                                          : DifferenceKind::Changed;
    findings.add(BodyDifference{ kind, std::move(place), excerpt(before.substr(at)), excerpt(after.substr(at)) });
    explanation.notes.push_back(
        "They have " + std::to_string(before.size()) + " and " + std::to_string(after.size()) + " octets.");
}

std::string joined(const std::vector<std::string>& values)
{
    std::string out;
    for (const auto& value : values)
        out += (out.empty() ? "" : ", ") + value;
    return excerpt(out);
}

std::map<std::string, std::vector<std::string>> valuesByName(Pairs pairs)
{
    std::stable_sort(pairs.begin(), pairs.end());
    std::map<std::string, std::vector<std::string>> values;
    for (auto& [name, value] : pairs)
        values[name].push_back(std::move(value));
    return values;
}

void compareForms(
    std::string_view before, std::string_view after, const FingerprintProfile& profile, BodyFindings& findings)
{
    const auto beforePairs = decodedPairs(before);
    const auto afterPairs = decodedPairs(after);
    auto left = valuesByName(beforePairs);
    auto right = valuesByName(afterPairs);
    for (const auto& [name, values] : left) {
        const auto other = right.find(name);
        if (other == right.end())
            findings.add(BodyDifference{ DifferenceKind::Removed, name, joined(values), {} });
        else if (other->second != values)
            findings.add(BodyDifference{ DifferenceKind::Changed, name, joined(values), joined(other->second) });
    }
    for (const auto& [name, values] : right)
        if (!left.contains(name))
            findings.add(BodyDifference{ DifferenceKind::Added, name, {}, joined(values) });
    if (findings.explanation.differenceCount > 0 || before == after)
        return;
    const bool order = beforePairs != afterPairs;
    if (profile.form == FormBodies::SortedPairs) {
        findings.add(BenignDifference{ order ? BenignKind::PairOrder : BenignKind::PairSpelling, {}, {}, {} });
        return;
    }
    findings.add(BodyDifference{ DifferenceKind::Changed, order ? "order of the pairs" : "spelling of the pairs",
        excerpt(before), excerpt(after) });
    findings.explanation.notes.emplace_back("With the form's pairs sorted, they would be the same.");
}

std::string headersText(const MultipartPart& part)
{
    std::string out;
    for (const auto& [name, value] : part.headers)
        out += name + ": " + value + '\n';
    return out;
}

void compareParts(
    const std::vector<MultipartPart>& before, const std::vector<MultipartPart>& after, BodyFindings& findings)
{
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
        const auto place = "part " + std::to_string(i + 1);
        if (i >= before.size() || i >= after.size()) {
            const auto& part = i >= before.size() ? after[i] : before[i];
            const auto text = excerpt(headersText(part));
            const bool added = i >= before.size();
            findings.add(BodyDifference{ added ? DifferenceKind::Added : DifferenceKind::Removed, place,
                added ? std::string() : text, added ? text : std::string() });
            continue;
        }
        if (before[i].headers != after[i].headers)
            findings.add(BodyDifference{ DifferenceKind::Changed, place + ", headers", excerpt(headersText(before[i])),
                excerpt(headersText(after[i])) });
        if (before[i].body != after[i].body)
            findings.add(
                BodyDifference{ DifferenceKind::Changed, place, excerpt(before[i].body), excerpt(after[i].body) });
    }
}

// Whether both could be read as multipart bodies.
bool compareMultiparts(const ComparedBody& before, const ComparedBody& after, BodyFindings& findings)
{
    const auto beforeBoundary = knownType(before)->boundary.value_or("");
    const auto afterBoundary = knownType(after)->boundary.value_or("");
    const auto left = multipartParts(before.body, beforeBoundary);
    const auto right = multipartParts(after.body, afterBoundary);
    for (const auto& [name, parts] : { std::pair("first", &left), { "second", &right } })
        if (!*parts)
            findings.explanation.notes.push_back("The " + std::string(name) + " body: " + parts->error().message + '.');
    if (!left || !right)
        return false;
    compareParts(*left, *right, findings);
    if (beforeBoundary != afterBoundary)
        findings.add(BenignDifference{ BenignKind::Boundary, {}, beforeBoundary, afterBoundary });
    return true;
}

// Whether both are I-JSON.
bool compareDocuments(
    const ComparedBody& before, const ComparedBody& after, const FingerprintProfile& profile, BodyFindings& findings)
{
    bool good = true;
    for (const auto& [name, body] : { std::pair("first", &before), { "second", &after } }) {
        const auto read = CanonicalJson::read(body->body);
        const auto* fault = std::get_if<JsonFault>(&read);
        if (fault == nullptr)
            continue;
        findings.explanation.notes.push_back("The " + std::string(name) + " body: " + inWords(*fault).message + '.');
        good = false;
    }
    if (good)
        compareJson(before.body, after.body, profile.pointers, findings);
    return good;
}

bool haveOneDigest(const ComparedBody& before, const ComparedBody& after, const FingerprintProfile& profile)
{
    const auto digest = [&](const ComparedBody& body) {
        return bodyDigest(
            body.contentType ? std::optional<std::string_view>(*body.contentType) : std::nullopt, body.body, profile);
    };
    const auto first = digest(before);
    const auto second = digest(after);
    return first && second ? *first == *second : before.body == after.body;
}

} // namespace

std::string_view wordOf(BodyKind kind) noexcept
{
    return kindWords[static_cast<std::size_t>(kind)];
}

std::string_view wordOf(DifferenceKind kind) noexcept
{
    return differenceWords[static_cast<std::size_t>(kind)];
}

std::string_view wordOf(BenignKind kind) noexcept
{
    return benignWords[static_cast<std::size_t>(kind)];
}

std::string excerpt(std::string_view text)
{
    auto cut = text.substr(0, excerptOctets);
    while (!cut.empty() && cut.size() < text.size() && (static_cast<unsigned char>(text[cut.size()]) & 0xc0U) == 0x80)
        cut.remove_suffix(1);
    if (!isText(cut))
        return toHex(text.substr(0, excerptOctets / 4)) + (text.size() > excerptOctets / 4 ? "…" : "");
    return std::string(cut) + (cut.size() < text.size() ? "…" : "");
}

BodyExplanation explainBodies(
    const ComparedBody& before, const ComparedBody& after, const FingerprintProfile& profile, std::size_t most)
{
    BodyFindings findings(most);
    auto& explanation = findings.explanation;
    const auto kind = kindOf(before);
    const auto other = kindOf(after);
    explanation.kind = kind;
    bool compared = false;
    if (kind == other && kind == BodyKind::Json) {
        compared = compareDocuments(before, after, profile, findings);
    } else if (kind == other && kind == BodyKind::Form) {
        compareForms(before.body, after.body, profile, findings);
        compared = true;
    } else if (kind == other && kind == BodyKind::Multipart) {
        compared = compareMultiparts(before, after, findings);
    } else if (kind != other) {
        explanation.notes.push_back(
            "The first body is " + std::string(wordOf(kind)) + ", the second " + std::string(wordOf(other)) + '.');
    }
    if (!compared)
        compareOctets(before.body, after.body, findings);
    if (compared && kind == BodyKind::Json && profile.json == JsonBodies::Raw)
        explanation.notes.emplace_back("The octets of JSON are hashed here, so that its spelling decides.");
    explanation.same = haveOneDigest(before, after, profile);
    return std::move(explanation);
}

} // namespace fencepost

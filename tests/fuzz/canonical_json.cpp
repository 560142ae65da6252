// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/canonical_json.h"

#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz.h"

using namespace fencepost;
using fuzz::require;

namespace {

// nlohmann-json takes an octet 0 for the end of the text, and refuses numbers beyond a double; else the two agree.
void compareWithAnotherReader(std::string_view text, const JsonFault* fault)
{
    if (text.find('\0') != std::string_view::npos || text.size() > 4'096)
        return;
    if (fault == nullptr)
        require(nlohmann::json::accept(text), "what is taken is JSON for others too");
    else if (fault->problem == JsonProblem::Syntax)
        require(!nlohmann::json::accept(text), "what others read is no syntax error", wordOf(fault->problem));
}

void refused(std::string_view text, const JsonFault& fault)
{
    require(fault.offset <= text.size(), "the fault is in the text");
    const auto canonical = canonicalJson(text);
    require(!canonical, "both ways of reading refuse it");
    require(canonical.error().code == "VALIDATION.body_not_ijson", "the refusal has its code", canonical.error().code);
    fuzz::requireRefusal(canonical.error(), text.size());
    require(!jsonDigest(text), "what is no I-JSON has no digest");
}

void accepted(std::string_view text, const CanonicalJson& json)
{
    const auto canonical = json.text();
    // A double of 21 digits may be spelled 1e20.
    require(canonical.size() <= 8 * text.size(), "the canonical form is linear");
    const auto again = CanonicalJson::read(canonical);
    const auto* fixed = std::get_if<CanonicalJson>(&again);
    require(fixed != nullptr, "the canonical form is I-JSON", canonical);
    require(fixed->text() == canonical, "the canonical form is a fixed point", canonical);
    require(fixed->lossyNumbers().empty(), "the canonical form has no lossy number", canonical);
    require(json.lossyNumbers().empty() == (fixed->digest() == json.digest()),
        "the spelling is no part of the digest, digits beyond a double are", canonical);
    if (text.size() <= 4'096 && json.lossyNumbers().empty() && text.find('\0') == std::string_view::npos)
        require(nlohmann::json::parse(text) == nlohmann::json::parse(canonical), "both forms say the same", canonical);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::textOf(data, size);
    const auto read = CanonicalJson::read(text);
    const auto* fault = std::get_if<JsonFault>(&read);
    compareWithAnotherReader(text, fault);
    if (fault != nullptr)
        refused(text, *fault);
    else
        accepted(text, std::get<CanonicalJson>(read));
    return 0;
}

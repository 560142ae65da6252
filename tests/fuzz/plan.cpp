// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operations/plan.h"

#include "core/ids.h"
#include "core/operations/strict_json.h"
#include "tests/fuzz/fuzz.h"

using namespace fencepost;
using fuzz::require;

namespace {

// Without its hash no changed plan comes past the first gate.
std::optional<std::string> resealed(std::string_view text)
{
    auto parsed = operation::parseStrict(text);
    if (!parsed || !parsed->is_object())
        return std::nullopt;
    parsed->erase("sha256");
    (*parsed)["sha256"] = toHex(sha256(operation::canonical(*parsed)));
    return parsed->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void check(std::string_view text)
{
    const auto plan = parsePlan(text);
    if (!plan)
        return fuzz::requireRefusal(plan.error(), text.size());
    require(isUuid(plan->requestId), "a plan has a request id", plan->requestId);
    require(!isBlank(plan->reason), "a plan has a reason");
    const auto written = formatPlan(*plan);
    const auto again = parsePlan(written);
    require(again.has_value(), "what is written is read", written);
    require(*again == *plan, "a plan is written as it is read", written);
    require(formatPlan(*again) == written, "a plan has one spelling", written);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::textOf(data, size);
    check(text);
    if (const auto sealed = resealed(text))
        check(*sealed);
    return 0;
}

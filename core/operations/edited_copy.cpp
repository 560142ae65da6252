// SPDX-License-Identifier: Apache-2.0
#include "core/operations/edited_copy.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/in_quotes.h"
#include "core/operations/operation.h"
#include "core/protocol/ascii.h"
#include "core/protocol/canonical_json.h"
#include "core/protocol/media_type.h"
#include "core/query/moment.h"

namespace fencepost::operation {

namespace {

// Among the details of a dead letter.
constexpr auto letterPayload = "payload";
constexpr auto letterHeaders = "headers";

// Another payload than the consumers know under this id would be refused by them, and its letter is given up by then.
Status checkCopysId(Inspector& inspector, const std::string& eventId)
{
    auto bindings = inspector.bindings();
    if (!bindings)
        return bindings.error();
    auto filter = parseFilter(equalTerm(Field::Key, eventId));
    if (!filter)
        return filter.error();
    for (const auto& binding : *bindings) {
        if (!binding.native || !binding.reachable || (binding.kind != Kind::Inbox && binding.kind != Kind::Outbox))
            continue;
        PageRequest known;
        known.filter = *filter;
        known.limit = 1;
        const auto page = inspector.page(binding, known);
        if (!page)
            return page.error();
        if (page->rows.empty())
            continue;
        const auto& row = page->rows.front();
        const auto where = binding.kind == Kind::Inbox ? "the inbox of " + row.scope.value_or("") : "the outbox";
        return Error{ Failure::Conflict,
            "The event id " + inQuotes(eventId) + " is known already: " + where + " has it as " + row.state
                + ", so that the copy would be refused and its letter given up for nothing",
            {}, {}, "Name an id that no event has, or none: one of its own is made" };
    }
    return {};
}

const Payload* partOf(const RowDetails& details, std::string_view name)
{
    const auto found = std::find_if(details.payloads.begin(), details.payloads.end(),
        [name](const Payload& payload) { return payload.name == name; });
    return found == details.payloads.end() ? nullptr : &*found;
}

// As the headers of the event declare it.
bool isDeclaredJson(const RowDetails& details)
{
    const auto* headers = partOf(details, letterHeaders);
    const auto list = nlohmann::json::parse(headers == nullptr ? Bytes() : headers->bytes, nullptr, false);
    if (!list.is_array())
        return false;
    return std::any_of(list.begin(), list.end(), [](const nlohmann::json& line) {
        if (!line.is_array() || line.size() != 2 || !line[0].is_string() || !line[1].is_string()
            || asciiLower(line[0].get<std::string>()) != "content-type")
            return false;
        const auto type = parseMediaType(line[1].get<std::string>());
        return type && isJson(*type);
    });
}

// An event that says it is JSON and is none can be read by nobody, and its letter is given up by then.
Status checkCopysPayload(Inspector& inspector, const Binding& binding, PlanItem& item, const std::string& payload)
{
    const auto read = CanonicalJson::read(payload);
    const auto* fault = std::get_if<JsonFault>(&read);
    if (fault == nullptr)
        return {};
    constexpr std::int64_t begin = 64 * 1024; // octets: whole headers, and enough of the payload to tell what it is
    const auto details = inspector.details(binding, item.identity, begin);
    if (!details)
        return details.error();
    if (!*details)
        return {};
    if (isDeclaredJson(**details)) {
        auto error = inWords(*fault);
        error.message = "The event says that its payload is JSON, and the new one is none: " + error.message;
        error.code.clear();
        return error;
    }
    if (const auto* before = partOf(**details, letterPayload); before && before->contentType == "application/json")
        item.warning +=
            (item.warning.empty() ? "" : "; ") + std::string("its payload was JSON, and the new one is none");
    return {};
}

} // namespace

Status checkCopy(Inspector& inspector, const Binding& binding, Plan& plan)
{
    if (!isEdit(plan.verb) || !binding.native || plan.items.size() != 1)
        return {};
    if (const auto id = plan.parameters.find(editedEventId); id != plan.parameters.end())
        if (const auto checked = checkCopysId(inspector, id->second); !checked)
            return checked;
    const auto payload = plan.parameters.find(editedPayload);
    return payload == plan.parameters.end()
        ? Status()
        : checkCopysPayload(inspector, binding, plan.items.front(), payload->second);
}

} // namespace fencepost::operation

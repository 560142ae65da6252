// SPDX-License-Identifier: Apache-2.0
#include "core/operations/edited_copy.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/in_quotes.h"
#include "core/messaging/outbox.h"
#include "core/messaging/structured_event.h"
#include "core/operations/effects.h"
#include "core/operations/operation.h"
#include "core/protocol/ascii.h"
#include "core/protocol/canonical_json.h"
#include "core/protocol/fingerprint.h"
#include "core/protocol/media_type.h"
#include "core/query/moment.h"

namespace fencepost::operation {

namespace {

// Among the details of a dead letter, and of a message of the outbox.
constexpr auto payloadPart = "payload";
constexpr auto headersPart = "headers";

const Payload* partOf(const RowDetails& details, std::string_view name)
{
    const auto found = std::find_if(details.payloads.begin(), details.payloads.end(),
        [name](const Payload& payload) { return payload.name == name; });
    return found == details.payloads.end() ? nullptr : &*found;
}

Result<bool> isSamePayload(Inspector& inspector, const Binding& binding, const Row& row, const Bytes& payload)
{
    const auto details = inspector.details(binding, row.identity, static_cast<std::int64_t>(payload.size()) + 1);
    if (!details)
        return details.error();
    const auto* sent = *details ? partOf(**details, payloadPart) : nullptr;
    return sent != nullptr && sent->bytes == payload;
}

// Another payload than the consumers know under this id would be refused by them, and its letter is given up by then.
// The same copy may be on its way to another destination of the event.
Status checkCopysId(Inspector& inspector, const Row& letter, const std::string& eventId, const Bytes& payload)
{
    auto bindings = inspector.bindings();
    if (!bindings)
        return bindings.error();
    auto filter = parseFilter(equalTerm(Field::Key, eventId));
    if (!filter)
        return filter.error();
    std::vector<std::string> known;
    std::vector<std::string> elsewhere; // as the same copy that went to another destination would be known
    bool sentElsewhere = false;
    for (const auto& binding : *bindings) {
        if (!binding.native || !binding.reachable || (binding.kind != Kind::Inbox && binding.kind != Kind::Outbox))
            continue;
        PageRequest asked;
        asked.filter = *filter;
        const auto page = inspector.page(binding, asked);
        if (!page)
            return page.error();
        for (const auto& row : page->rows) {
            const bool inbox = binding.kind == Kind::Inbox;
            const auto same = inbox ? Result<bool>(row.requestHash == toHex(payloadDigest(payload)))
                                    : isSamePayload(inspector, binding, row, payload);
            if (!same)
                return same.error();
            const bool other = *same && (inbox || row.queue != letter.queue);
            sentElsewhere = sentElsewhere || (other && !inbox);
            (other ? elsewhere : known)
                .push_back(
                    (inbox ? "the inbox of " + row.scope.value_or("") : "the outbox") + " has it as " + row.state);
        }
    }
    if (!sentElsewhere)
        known.insert(known.end(), elsewhere.begin(), elsewhere.end());
    if (known.empty())
        return {};
    return Error{ Failure::Conflict,
        "The event id " + inQuotes(eventId) + " is known already: " + known.front()
            + ", so that the copy would be refused and its letter given up for nothing",
        {}, {}, "Name an id that no event has, or none: one of its own is made" };
}

// As the headers of the event declare it.
std::optional<MediaType> declaredType(const RowDetails& details)
{
    const auto* headers = partOf(details, headersPart);
    const auto list = nlohmann::json::parse(headers == nullptr ? Bytes() : headers->bytes, nullptr, false);
    if (!list.is_array())
        return {};
    for (const auto& line : list)
        if (line.is_array() && line.size() == 2 && line[0].is_string() && line[1].is_string()
            && asciiLower(line[0].get<std::string>()) == "content-type")
            if (auto type = parseMediaType(line[1].get<std::string>()))
                return std::move(*type);
    return {};
}

std::string in(const EventAttributes& attributes, std::string_view name)
{
    const auto found = attributes.find(name);
    return found == attributes.end() ? std::string() : found->second;
}

void warn(Plan& plan, const std::string& of)
{
    auto& warning = plan.items.front().warning;
    warning += (warning.empty() ? "" : "; ") + of;
}

// A structured CloudEvent says its id itself: under the old one whoever has received the event refuses the copy, and
// the copy has one id and not two.
Status checkStructured(
    const Binding& binding, Plan& plan, const EventAttributes& first, const EventAttributes& copy, const Row& letter)
{
    const auto id = in(copy, "id");
    const auto wanted = plan.parameters.find(editedEventId);
    const std::string next =
        "The event is a structured CloudEvent: write the copy's id into the payload as its member \"id\"";
    if (id.empty())
        return Error{ Failure::Invalid, "The new payload has no \"id\", and is no structured CloudEvent without one.",
            {}, {}, next };
    if (id == letter.key || id == in(first, "id"))
        return Error{ Failure::Invalid,
            "The new payload has the id " + inQuotes(id)
                + " of the first event: whoever has received that refuses another payload under it.",
            {}, {}, next };
    if (wanted != plan.parameters.end() && wanted->second != id)
        return Error{ Failure::Invalid,
            "The copy would have two ids: " + inQuotes(id) + " in its payload, and " + inQuotes(wanted->second) + '.',
            {}, {}, next };
    if (const auto why = whyNoIdThere(id, letter.queue.value_or("")))
        return Error{ Failure::Invalid, "The new payload has the id " + inQuotes(id) + ". " + *why + '.', {}, {},
            next };
    plan.parameters[editedEventId] = id;
    plan.items.front().effect = effectOfEdit(binding, letter, plan.createdAt, plan.parameters);
    std::string lost;
    std::string others;
    for (const auto* name : { "specversion", "source", "type", "subject", "time", "version", "partitionkey" }) {
        const auto before = in(first, name);
        const auto after = in(copy, name);
        auto& list = after.empty() ? lost : others;
        if (!before.empty() && before != after)
            list += (list.empty() ? "" : ", ") + std::string(name);
    }
    if (!lost.empty())
        warn(plan, "its payload no longer says its " + lost);
    if (!others.empty())
        warn(plan, "its payload says another " + others + " than the first event's");
    return {};
}

// An event that says it is JSON and is none can be read by nobody, and its letter is given up by then.
Status checkCopysPayload(Inspector& inspector, const Binding& binding, Plan& plan, const Row& letter)
{
    const auto& payload = plan.parameters.at(editedPayload);
    auto& item = plan.items.front();
    constexpr std::int64_t begin = 64 * 1024; // octets: whole headers, and enough of the payload to tell what it is
    const auto details = inspector.details(binding, item.identity, begin);
    if (!details)
        return details.error();
    if (!*details)
        return {};
    const auto type = declaredType(**details);
    const auto* before = partOf(**details, payloadPart);
    const auto read = CanonicalJson::read(payload);
    if (const auto* fault = std::get_if<JsonFault>(&read)) {
        if (type && isJson(*type)) {
            auto error = inWords(*fault);
            error.message = "The event says that its payload is JSON, and the new one is none: " + error.message;
            error.code.clear();
            return error;
        }
        if (before != nullptr && before->contentType == "application/json")
            warn(plan, "its payload was JSON, and the new one is none");
        return {};
    }
    const auto essence = type ? type->essence : std::string();
    const auto copy = structuredAttributes(essence, payload);
    // A payload that was cut off is none, and says nothing.
    const auto first = structuredAttributes(essence, before == nullptr ? Bytes() : before->bytes);
    return copy ? checkStructured(binding, plan, *first, *copy, letter) : Status();
}

} // namespace

Status checkCopy(Inspector& inspector, const Binding& binding, Plan& plan)
{
    if (!isEdit(plan.verb) || !binding.native || plan.items.size() != 1 || !plan.parameters.contains(editedPayload))
        return {};
    const auto letter = inspector.row(binding, plan.items.front().identity);
    if (!letter)
        return letter.error();
    if (!*letter)
        return {};
    if (const auto checked = checkCopysPayload(inspector, binding, plan, **letter); !checked)
        return checked;
    const auto id = plan.parameters.find(editedEventId);
    return id == plan.parameters.end()
        ? Status()
        : checkCopysId(inspector, **letter, id->second, plan.parameters.at(editedPayload));
}

} // namespace fencepost::operation

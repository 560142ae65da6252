// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/vendor_lookup.h"

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/protocol/vendor.h"

namespace fencepost::app {

namespace {

using nlohmann::json;

constexpr std::string_view keyPlace = "{key}";

// None: the answer has nothing there, or the pointer is none.
const json* valueAt(const json& tree, const std::string& pointer)
{
    try {
        const json::json_pointer place(pointer);
        return tree.contains(place) ? &tree.at(place) : nullptr;
    } catch (const json::exception&) {
        return nullptr;
    }
}

bool isPointer(const std::string& text)
{
    try {
        static_cast<void>(json::json_pointer(text));
        return true;
    } catch (const json::exception&) {
        return false;
    }
}

// Where a call is looked up by its key.
std::string addressOf(const VendorQuestion& question, const std::string& key)
{
    auto url = question.url;
    for (auto at = url.find(keyPlace); at != std::string::npos; at = url.find(keyPlace))
        url.replace(at, keyPlace.size(), key);
    return url;
}

} // namespace

Result<std::pair<std::string, std::string>> questionPart(const std::string& text)
{
    const auto equals = text.find('=');
    const auto vendor = text.substr(0, equals);
    if (equals != std::string::npos && findVendor(vendor) != nullptr)
        return std::pair(vendor, text.substr(equals + 1));
    std::string known;
    for (const auto& line : vendors())
        known += (known.empty() ? "" : ", ") + std::string(line.name);
    return invalid("\"" + text + "\" does not begin with a vendor and \"=\"; there are " + known);
}

Status checkQuestion(const std::string& vendor, const VendorQuestion& question)
{
    if (question.url.find(keyPlace) == std::string::npos)
        return invalid("--lookup " + vendor + " needs a URL with {key} in it");
    if (const auto checked =
            http::checked({ .operation = "lookup", .method = "GET", .url = addressOf(question, "00") });
        !checked)
        return checked.error();
    for (const auto& pointer : { question.list, question.reference })
        if (!isPointer(pointer))
            return invalid("\"" + pointer + "\" is no JSON Pointer");
    return {};
}

VendorKnowledge knowledgeOf(const VendorQuestion& question, const HttpResponse& answer)
{
    if (answer.status != 200)
        return {};
    const auto tree = json::parse(answer.body, nullptr, false);
    const auto* list = tree.is_discarded() ? nullptr : valueAt(tree, question.list);
    if (list == nullptr || !list->is_array())
        return {};
    if (list->empty())
        return { Evidence::NotApplied };
    // One call made two things, or the list is not that of the call: somebody has to look.
    if (list->size() > 1)
        return {};
    const auto* reference = valueAt(list->front(), question.reference);
    if (reference == nullptr || (!reference->is_string() && !reference->is_number_integer()))
        return {};
    return { Evidence::Applied, { .ref = reference->is_string() ? reference->get<std::string>() : reference->dump() } };
}

VendorKnowledge VendorLookup::ask(const OutboundCall& call)
{
    const auto question = m_questions.find(call.id.vendor);
    if (question == m_questions.end())
        return {};
    const auto outcome = m_client.send(
        { .operation = "lookup", .method = "GET", .url = addressOf(question->second, toHex(call.id.key)) });
    if (!outcome || !outcome->response || outcome->cut) {
        ++m_unanswered;
        return {};
    }
    return knowledgeOf(question->second, *outcome->response);
}

} // namespace fencepost::app

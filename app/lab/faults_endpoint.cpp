// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/faults_endpoint.h"

#include <nlohmann/json.hpp>

#include "app/lab/json_response.h"
#include "app/lab/problems.h"
#include "core/service/problem.h"

namespace fencepost::app {

namespace {

using nlohmann::ordered_json;

HttpResponse faultsResponse(const Faults& faults)
{
    auto body = ordered_json::array();
    for (const auto& listed : faults.list())
        body.push_back({ { "fault", listed.spec.text }, { "hits", listed.hits } });
    for (const auto& [point, requests] : faults.standing())
        body.push_back({ { "standing_at", nameOf(point) }, { "requests", requests } });
    return jsonResponse(200, body);
}

// Of one entry, {"fault":"crash@p9:x1"}, or of a list of such texts, {"faults":[…]}.
Result<std::vector<FaultSpec>> faultsOf(const Bytes& body)
{
    const auto parsed = nlohmann::json::parse(body, nullptr, false);
    std::string text;
    if (parsed.is_object())
        for (const char* name : { "fault", "faults" })
            if (const auto found = parsed.find(name); found != parsed.end())
                for (const auto& one : found->is_array() ? *found : nlohmann::json::array({ *found }))
                    text += (text.empty() ? "" : ",") + (one.is_string() ? one.get<std::string>() : "?");
    if (text.find_first_not_of(" \t,") == std::string::npos)
        return invalid("Send {\"fault\":\"delay=200ms:30%\"} or {\"faults\":[…]}");
    return parseFaults(text);
}

} // namespace

HttpResponse answerFaults(Faults& faults, const Incoming& incoming)
{
    const auto& method = incoming.request.method;
    if (!isSafeMethod(method) && !incoming.fromHere)
        return notFromHere();
    if (method == "DELETE") {
        faults.clear();
    } else if (!isSafeMethod(method)) {
        const auto specs = faultsOf(incoming.request.body);
        if (!specs)
            return problemResponse({ .code = "VALIDATION.fault", .status = 400, .detail = specs.error().message });
        for (const auto& spec : *specs)
            faults.add(spec);
    }
    return faultsResponse(faults);
}

} // namespace fencepost::app

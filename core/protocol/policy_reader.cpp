// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/protocol/policy_knobs.h"

namespace fencepost {

namespace {

using nlohmann::json;

constexpr std::size_t largestFile = 1U << 20U;
constexpr int deepest = 8;

Error refusedIn(const std::string& where, const std::string& what)
{
    return { Failure::Invalid, where.empty() ? what : where + ": " + what, {} };
}

std::string quotedJson(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// One more step of a JSON Pointer (RFC 6901).
std::string below(const std::string& where, const std::string& name)
{
    std::string text = where + '/';
    for (const char c : name)
        text += c == '~' ? std::string("~0") : c == '/' ? std::string("~1") : std::string(1, c);
    return text;
}

std::string below(const std::string& where, std::size_t index)
{
    return where + '/' + std::to_string(index);
}

Status unknownMember(const std::string& where, const std::string& name, const std::string& others)
{
    std::string known = others;
    for (const auto& knob : knobs())
        known += (known.empty() ? "" : ", ") + std::string(knob.name);
    return refusedIn(below(where, name), "no such setting; there are " + known);
}

// `ofAll`: of every route, so that a program that knows none finds its settings there.
Status readLayer(const json& object, PolicyLayer& layer, const std::string& where, const std::set<std::string>& besides,
    bool ofAll = false)
{
    if (!object.is_object())
        return refusedIn(where, quotedJson(object) + " is not an object");
    for (const auto& [name, value] : object.items()) {
        if (besides.contains(name))
            continue;
        const auto known = knobs();
        const auto knob =
            std::find_if(known.begin(), known.end(), [&name = name](const Knob& each) { return each.name == name; });
        if (knob == known.end()) {
            std::string others;
            for (const auto& other : besides)
                others += (others.empty() ? "" : ", ") + other;
            return unknownMember(where, name, others);
        }
        if (knob->group == KnobGroup::Program && !ofAll)
            return refusedIn(below(where, name), "is of whole programs, which know no route: say it in /defaults");
        if (auto status = knob->take(value, layer, below(where, name)); !status)
            return status;
    }
    return {};
}

// Where a parser stands: the container that it is in, and its member.
struct Open {
    bool list = false;
    std::size_t members = 0;
    std::string name;
    std::set<std::string> names;
};

std::string pointerTo(const std::vector<Open>& open)
{
    std::string where;
    for (const auto& container : open)
        where = container.list ? below(where, container.members - 1) : below(where, container.name);
    return where;
}

// Text to tree. The library keeps the last of two members with one name, which would hide half of a policy.
Result<json> parseStrictly(std::string_view text)
{
    std::vector<Open> open;
    std::string twice;
    bool deep = false;
    const auto watch = [&](int depth, json::parse_event_t event, json& value) {
        using Event = json::parse_event_t;
        deep = deep || depth > deepest;
        const bool begins = event == Event::object_start || event == Event::array_start;
        if ((begins || event == Event::value) && !open.empty() && open.back().list)
            ++open.back().members;
        if (begins) {
            open.push_back({ .list = event == Event::array_start });
        } else if (event == Event::object_end || event == Event::array_end) {
            open.pop_back();
        } else if (event == Event::key) {
            open.back().name = value.get<std::string>();
            if (!open.back().names.insert(open.back().name).second && twice.empty())
                twice = pointerTo(open);
        }
        return true;
    };
    try {
        auto tree = json::parse(text, watch);
        if (deep)
            return refusedIn("", "nothing in a policy is nested so deeply");
        if (!twice.empty())
            return refusedIn(twice, "is said twice in one object");
        return tree;
    } catch (const json::exception& error) {
        return Error{ Failure::Invalid, "this is not JSON", error.what() };
    }
}

} // namespace

class PolicyReader {
public:
    Result<Policy> read(const json& root)
    {
        if (!root.is_object())
            return refusedIn("", "a policy is an object with format, defaults, profiles and routes");
        for (const auto& [name, value] : root.items())
            if (!std::set<std::string>{ "format", "defaults", "profiles", "routes" }.contains(name))
                return refusedIn(below("", name), "no such part; there are format, defaults, profiles, routes");
        if (!root.contains("format") || root["format"] != 1)
            return refusedIn("/format", "this build reads format 1");
        if (root.contains("defaults"))
            if (const auto status = readLayer(root["defaults"], m_policy.m_defaults, "/defaults", {}, true); !status)
                return status.error();
        if (root.contains("profiles"))
            if (const auto status = readProfiles(root["profiles"]); !status)
                return status.error();
        if (root.contains("routes"))
            if (const auto status = readRoutes(root["routes"]); !status)
                return status.error();
        if (const auto status = judge(m_policy.resolve(nullptr, 0), "/defaults"); !status)
            return status.error();
        for (std::size_t i = 0; i < m_policy.m_routes.size(); ++i)
            if (const auto status = judge(m_policy.resolve(&m_policy.m_routes[i], i), below("/routes", i)); !status)
                return status.error();
        return std::move(m_policy);
    }

private:
    Status readProfiles(const json& profiles)
    {
        if (!profiles.is_object())
            return refusedIn("/profiles", quotedJson(profiles) + " is not an object");
        for (const auto& [name, value] : profiles.items()) {
            PolicyProfile profile{ name, {}, false };
            if (auto status = readLayer(value, profile.layer, below("/profiles", name), {}); !status)
                return status;
            m_policy.m_profiles.push_back(std::move(profile));
        }
        return {};
    }

    Status readRoutes(const json& routes)
    {
        if (!routes.is_array())
            return refusedIn("/routes", quotedJson(routes) + " is not a list");
        for (std::size_t i = 0; i < routes.size(); ++i)
            if (auto status = readRoute(routes[i], below("/routes", i)); !status)
                return status;
        return {};
    }

    Status readRoute(const json& object, const std::string& where)
    {
        PolicyRoute route;
        if (auto status = readLayer(object, route.layer, where, { "scope", "operation", "profile" }); !status)
            return status;
        for (auto [name, member, required] : { std::tuple{ "scope", &route.scope, true },
                 std::tuple{ "operation", &route.operation, true }, std::tuple{ "profile", &route.profile, false } }) {
            if (!object.contains(name)) {
                if (required)
                    return refusedIn(below(where, name), "is missing; \"*\" stands for any");
                continue;
            }
            if (!object[name].is_string() || object[name].get_ref<const std::string&>().empty())
                return refusedIn(below(where, name), quotedJson(object[name]) + " is not a text");
            *member = object[name].get<std::string>();
        }
        if (!route.profile.empty() && !m_policy.profile(route.profile, true) && !m_policy.profile(route.profile, false))
            return refusedIn(below(where, "profile"), "there is no profile " + quotedJson(object["profile"]));
        for (std::size_t i = 0; i < m_policy.m_routes.size(); ++i)
            if (m_policy.m_routes[i].scope == route.scope && m_policy.m_routes[i].operation == route.operation)
                return refusedIn(where, "the same scope and operation as " + below("/routes", i));
        m_policy.m_routes.push_back(std::move(route));
        return {};
    }

    // What no reading of the single settings can see.
    static Status judge(const RoutePolicy& policy, const std::string& where)
    {
        if (policy.effect.value == EffectClass::External && policy.takeover.value == Takeover::Auto)
            return refusedIn(where,
                "takeover auto (" + policy.takeover.from + ") would repeat an external effect (" + policy.effect.from
                    + ") whose outcome nobody knows; say takeover manual, or effect external_idempotent");
        if (policy.lease.value >= policy.ttl.value)
            return refusedIn(where,
                "lease " + formatDuration(policy.lease.value) + " (" + policy.lease.from + ") is not shorter than ttl "
                    + formatDuration(policy.ttl.value) + " (" + policy.ttl.from + ")");
        if (policy.renewEvery.value + policy.safetyMargin.value > policy.lease.value)
            return refusedIn(where,
                "renew_every " + formatDuration(policy.renewEvery.value) + " (" + policy.renewEvery.from
                    + ") and safety_margin " + formatDuration(policy.safetyMargin.value) + " ("
                    + policy.safetyMargin.from + ") do not fit into lease " + formatDuration(policy.lease.value) + " ("
                    + policy.lease.from + ")");
        if (policy.effects.value < policy.ttl.value)
            return refusedIn(where,
                "effects " + formatDuration(policy.effects.value) + " (" + policy.effects.from
                    + ") is shorter than ttl " + formatDuration(policy.ttl.value) + " (" + policy.ttl.from
                    + "): a replay would execute again");
        if (policy.failOpen.value && policy.keyRequired.value)
            return refusedIn(where, "fail_open and key_required exclude each other: what requires a key fails closed");
        if (policy.mode.value == ContractMode::SingleTransaction
            && policy.effect.value != EffectClass::LocalTransaction)
            return refusedIn(where,
                "mode single_tx (" + policy.mode.from + ") cannot hold effect "
                    + std::string(wordOf(policy.effect.value)) + " (" + policy.effect.from + ")");
        if (policy.workTime.value > policy.longestWork.value)
            return refusedIn(where, "work_time is longer than longest_work");
        if (policy.limiterLeast.value > policy.limiterStart.value
            || policy.limiterStart.value > policy.limiterMost.value)
            return refusedIn(where, "limiter_start is not between limiter_least and limiter_most");
        if (policy.breakerOpen.value > policy.breakerLongestOpen.value)
            return refusedIn(where, "breaker_open is longer than breaker_longest_open");
        using std::chrono::seconds;
        if (policy.budgetTtl.value < seconds(1) || policy.budgetTtl.value > seconds(60))
            return refusedIn(where, "budget_ttl is from 1s to 60s");
        return {};
    }

    Policy m_policy;
};

Result<Policy> parsePolicy(std::string_view text)
{
    if (text.size() > largestFile)
        return refusedIn("", "a policy is at most 1 MiB");
    const auto root = parseStrictly(text);
    if (!root)
        return root.error();
    return PolicyReader().read(*root);
}

Result<Policy> loadPolicy(const std::string& path)
{
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        return Error{ errno == ENOENT ? Failure::NotFound : Failure::Unavailable,
            "the policy file " + path + " cannot be read", errno == 0 ? std::string() : std::strerror(errno) };
    auto policy = parsePolicy(text.str());
    if (!policy) {
        auto error = policy.error();
        error.message = path + ": " + error.message;
        return error;
    }
    return policy;
}

} // namespace fencepost

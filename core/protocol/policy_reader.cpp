// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/protocol/policy.h"

namespace fencepost {

namespace {

using nlohmann::json;

constexpr std::size_t largestFile = 1U << 20U;
constexpr int deepest = 8;

Error refused(const std::string& where, const std::string& what)
{
    return { Failure::Invalid, where.empty() ? what : where + ": " + what, {} };
}

std::string quoted(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <typename T, std::size_t N>
Status takeWord(const json& value, std::optional<T>& member, const std::array<T, N>& words, const std::string& where)
{
    std::string expected;
    for (const auto word : words) {
        if (value.is_string() && value.get_ref<const std::string&>() == wordOf(word)) {
            member = word;
            return {};
        }
        expected += (expected.empty() ? "" : ", ") + std::string(wordOf(word));
    }
    return refused(where, quoted(value) + " is none of " + expected);
}

Status takeDuration(const json& value, std::optional<Duration>& member, bool zeroIsFine, const std::string& where)
{
    if (!value.is_string())
        return refused(where, quoted(value) + " is not a duration; it is text with a unit, as in \"90s\"");
    const auto parsed = parseDuration(value.get_ref<const std::string&>());
    if (!parsed)
        return refused(where, parsed.error().message);
    if (*parsed < Duration::zero() || (*parsed == Duration::zero() && !zeroIsFine))
        return refused(where, quoted(value) + " is not longer than nothing");
    member = *parsed;
    return {};
}

constexpr std::array effects = { EffectClass::LocalTransaction, EffectClass::ExternalIdempotent,
    EffectClass::External };
constexpr std::array takeovers = { Takeover::Auto, Takeover::Manual };
constexpr std::array staleKeys = { StaleKey::Execute, StaleKey::Reject };

// One member of a layer: how it is called and how it is read.
struct Member {
    std::string_view name;
    Status (*take)(const json& value, PolicyLayer& layer, const std::string& where);
};

constexpr std::array members = {
    Member{ "effect",
        [](const json& v, PolicyLayer& l, const std::string& where) { return takeWord(v, l.effect, effects, where); } },
    Member{ "takeover",
        [](const json& v, PolicyLayer& l, const std::string& where) {
            return takeWord(v, l.takeover, takeovers, where);
        } },
    Member{ "financial",
        [](const json& v, PolicyLayer& l, const std::string& where) -> Status {
            if (!v.is_boolean())
                return refused(where, quoted(v) + " is neither true nor false");
            l.financial = v.get<bool>();
            return {};
        } },
    Member{ "stale_key",
        [](const json& v, PolicyLayer& l, const std::string& where) {
            return takeWord(v, l.staleKey, staleKeys, where);
        } },
    Member{ "ttl",
        [](const json& v, PolicyLayer& l, const std::string& where) { return takeDuration(v, l.ttl, false, where); } },
    Member{ "lease",
        [](const json& v, PolicyLayer& l, const std::string& where) {
            return takeDuration(v, l.lease, false, where);
        } },
    Member{ "max_attempts",
        [](const json& v, PolicyLayer& l, const std::string& where) -> Status {
            if (!v.is_number_integer() || v < 0 || v > std::numeric_limits<int>::max())
                return refused(where, quoted(v) + " is not a whole number from 0 (no limit)");
            l.maxAttempts = v.get<int>();
            return {};
        } },
    Member{ "retry_after",
        [](const json& v, PolicyLayer& l, const std::string& where) {
            return takeDuration(v, l.retryAfter, true, where);
        } },
    Member{ "tombstone",
        [](const json& v, PolicyLayer& l, const std::string& where) {
            return takeDuration(v, l.tombstone, true, where);
        } },
    Member{ "grace",
        [](const json& v, PolicyLayer& l, const std::string& where) { return takeDuration(v, l.grace, true, where); } },
};

Status unknownMember(const std::string& where, const std::string& name, const std::string& others)
{
    std::string known = others;
    for (const auto& member : members)
        known += (known.empty() ? "" : ", ") + std::string(member.name);
    return refused(where.empty() ? name : where + "." + name, "no such setting; there are " + known);
}

Status readLayer(const json& object, PolicyLayer& layer, const std::string& where, const std::set<std::string>& besides)
{
    if (!object.is_object())
        return refused(where, quoted(object) + " is not an object");
    for (const auto& [name, value] : object.items()) {
        if (besides.contains(name))
            continue;
        const auto* const member = std::find_if(
            members.begin(), members.end(), [&name = name](const Member& each) { return each.name == name; });
        if (member == members.end()) {
            std::string others;
            for (const auto& other : besides)
                others += (others.empty() ? "" : ", ") + other;
            return unknownMember(where, name, others);
        }
        if (auto status = member->take(value, layer, where + "." + name); !status)
            return status;
    }
    return {};
}

// Text to tree. The library keeps the last of two members with one name, which would hide half of a policy.
Result<json> parseStrictly(std::string_view text)
{
    std::vector<std::set<std::string>> open;
    std::string twice;
    bool deep = false;
    const auto watch = [&](int depth, json::parse_event_t event, json& value) {
        deep = deep || depth > deepest;
        if (event == json::parse_event_t::object_start)
            open.emplace_back();
        else if (event == json::parse_event_t::object_end)
            open.pop_back();
        else if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
            twice = value.get<std::string>();
        return true;
    };
    try {
        auto tree = json::parse(text, watch);
        if (deep)
            return refused("", "nothing in a policy is nested so deeply");
        if (!twice.empty())
            return refused(twice, "is said twice in one object");
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
            return refused("", "a policy is an object with format, defaults, profiles and routes");
        for (const auto& [name, value] : root.items())
            if (!std::set<std::string>{ "format", "defaults", "profiles", "routes" }.contains(name))
                return refused(name, "no such part; there are format, defaults, profiles, routes");
        if (!root.contains("format") || root["format"] != 1)
            return refused("format", "this build reads format 1");
        if (root.contains("defaults"))
            if (const auto status = readLayer(root["defaults"], m_policy.m_defaults, "defaults", {}); !status)
                return status.error();
        if (root.contains("profiles"))
            if (const auto status = readProfiles(root["profiles"]); !status)
                return status.error();
        if (root.contains("routes"))
            if (const auto status = readRoutes(root["routes"]); !status)
                return status.error();
        if (const auto status = judge(m_policy.resolve(nullptr, 0), "defaults"); !status)
            return status.error();
        for (std::size_t i = 0; i < m_policy.m_routes.size(); ++i)
            if (const auto status =
                    judge(m_policy.resolve(&m_policy.m_routes[i], i), "routes[" + std::to_string(i) + "]");
                !status)
                return status.error();
        return std::move(m_policy);
    }

private:
    Status readProfiles(const json& profiles)
    {
        if (!profiles.is_object())
            return refused("profiles", quoted(profiles) + " is not an object");
        for (const auto& [name, value] : profiles.items()) {
            PolicyProfile profile{ name, {}, false };
            if (auto status = readLayer(value, profile.layer, "profiles." + name, {}); !status)
                return status;
            m_policy.m_profiles.push_back(std::move(profile));
        }
        return {};
    }

    Status readRoutes(const json& routes)
    {
        if (!routes.is_array())
            return refused("routes", quoted(routes) + " is not a list");
        for (std::size_t i = 0; i < routes.size(); ++i)
            if (auto status = readRoute(routes[i], "routes[" + std::to_string(i) + "]"); !status)
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
                    return refused(where + "." + name, "is missing; \"*\" stands for any");
                continue;
            }
            if (!object[name].is_string() || object[name].get_ref<const std::string&>().empty())
                return refused(where + "." + name, quoted(object[name]) + " is not a text");
            *member = object[name].get<std::string>();
        }
        if (!route.profile.empty() && !m_policy.profile(route.profile, true) && !m_policy.profile(route.profile, false))
            return refused(where + ".profile", "there is no profile " + quoted(object["profile"]));
        for (std::size_t i = 0; i < m_policy.m_routes.size(); ++i)
            if (m_policy.m_routes[i].scope == route.scope && m_policy.m_routes[i].operation == route.operation)
                return refused(where, "the same scope and operation as routes[" + std::to_string(i) + "]");
        m_policy.m_routes.push_back(std::move(route));
        return {};
    }

    // What no reading of the single settings can see.
    static Status judge(const RoutePolicy& policy, const std::string& where)
    {
        if (policy.effect.value == EffectClass::External && policy.takeover.value == Takeover::Auto)
            return refused(where,
                "takeover auto (" + policy.takeover.from + ") would repeat an external effect (" + policy.effect.from
                    + ") whose outcome nobody knows; say takeover manual, or effect external_idempotent");
        if (policy.lease.value >= policy.ttl.value)
            return refused(where,
                "lease " + formatDuration(policy.lease.value) + " (" + policy.lease.from + ") is not shorter than ttl "
                    + formatDuration(policy.ttl.value) + " (" + policy.ttl.from + ")");
        return {};
    }

    Policy m_policy;
};

Result<Policy> parsePolicy(std::string_view text)
{
    if (text.size() > largestFile)
        return refused("", "a policy is at most 1 MiB");
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

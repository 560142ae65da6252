// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "core/in_quotes.h"
#include "core/operations/strict_json.h"
#include "core/protocol/contract.h"
#include "core/protocol/cron_schedule.h"
#include "core/retry/policy.h"

namespace fencepost {

namespace {

using Json = nlohmann::json;

constexpr std::size_t largestContract = 1U << 20U;
constexpr std::size_t longestContractText = 1024;

Error refusedAt(const std::string& where, const std::string& what)
{
    return invalid(where.empty() ? what : where + ": " + what);
}

std::string shownValue(const Json& value)
{
    return operation::canonical(value);
}

// "a, b" of "a b".
std::string listed(std::string_view words)
{
    std::string out;
    for (const char c : words)
        out += c == ' ' ? ", " : std::string(1, c);
    return out;
}

bool isRoute(std::string_view text)
{
    const auto blank = text.find(' ');
    const auto method = text.substr(0, blank);
    return blank != std::string_view::npos && !method.empty() && text.substr(blank + 1).starts_with('/')
        && text.find(' ', blank + 1) == std::string_view::npos
        && std::all_of(method.begin(), method.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

Result<std::string> readText(const ContractMember& member, const Json& value, const std::string& where)
{
    if (!value.is_string() || value.get_ref<const std::string&>().empty()
        || value.get_ref<const std::string&>().size() > longestContractText)
        return refusedAt(where, shownValue(value) + " is not a text");
    auto text = value.get<std::string>();
    const bool chosen = member.form == MemberForm::Word || member.form == MemberForm::Words;
    if (chosen && !hasWord(member.words, text))
        return refusedAt(where, shownValue(value) + " is none of " + listed(member.words));
    if (member.form == MemberForm::Route && !isRoute(text))
        return refusedAt(where, shownValue(value) + " is not a route; expected e.g. \"POST /v1/refunds\"");
    if (member.form == MemberForm::Preset)
        if (const auto preset = retry::presetOf(text); !preset)
            return refusedAt(where, preset.error().message);
    if (member.form == MemberForm::Jitter)
        if (const auto jitter = retry::jitterOf(text); !jitter)
            return refusedAt(where, jitter.error().message);
    if (member.form == MemberForm::Schedule)
        if (const auto schedule = CronSchedule::parse(text); !schedule)
            return refusedAt(where, schedule.error().message);
    return text;
}

Result<std::vector<std::string>> readNumber(const ContractMember& member, const Json& value, const std::string& where)
{
    const bool status = member.form == MemberForm::HttpStatus;
    if (!value.is_number_integer() || value < (status ? 100 : 1) || value > (status ? 599 : 1'000'000))
        return refusedAt(
            where, shownValue(value) + (status ? " is not a status from 100 to 599" : " is not a whole number from 1"));
    return std::vector{ value.dump() };
}

Result<std::vector<std::string>> readMember(const ContractMember& member, const Json& value, const std::string& where)
{
    if (member.form == MemberForm::HttpStatus || member.form == MemberForm::Count)
        return readNumber(member, value, where);
    const bool several = member.form == MemberForm::Words || member.form == MemberForm::Texts;
    if (several && !value.is_array())
        return refusedAt(where, shownValue(value) + " is not a list");
    std::vector<std::string> words;
    for (std::size_t i = 0; i < (several ? value.size() : 1); ++i) {
        auto text =
            readText(member, several ? value[i] : value, several ? where + '[' + std::to_string(i) + ']' : where);
        if (!text)
            return text.error();
        words.push_back(std::move(*text));
    }
    return words;
}

using SaidMembers = std::map<std::string, ContractValue, std::less<>>;

Result<SaidMembers> readMembers(SubjectKind kind, const Json& object, const std::string& where)
{
    if (!object.is_object())
        return refusedAt(where, shownValue(object) + " is not an object");
    SaidMembers said;
    for (const auto& [name, value] : object.items()) {
        const auto all = contractMembers();
        const auto member = std::find_if(all.begin(), all.end(),
            [&, &called = name](const ContractMember& each) { return each.kind == kind && each.name == called; });
        if (member == all.end()) {
            std::string known;
            for (const auto& each : all)
                if (each.kind == kind)
                    known += (known.empty() ? "" : ", ") + std::string(each.name);
            return refusedAt(where + '.' + name, "no such member; there are " + known);
        }
        auto words = readMember(*member, value, where + '.' + name);
        if (!words)
            return words.error();
        said[name] = { std::move(*words), where + '.' + name };
    }
    return said;
}

// The first member of each kind is what it is called.
std::string_view namingMember(SubjectKind kind)
{
    const auto all = contractMembers();
    return std::find_if(all.begin(), all.end(), [&](const ContractMember& each) { return each.kind == kind; })->name;
}

// A preset says what its client leaves unsaid.
void addPreset(ContractSubject& client)
{
    const auto name = client.word("preset");
    if (name.empty())
        return;
    const auto preset = retry::presetOf(name);
    const auto add = [&](const char* member, std::vector<std::string> words) {
        client.said.try_emplace(member, ContractValue{ std::move(words), client.pathOf("preset") });
    };
    add("retries", { "429", "5xx", "timeout", "reset" });
    add("backoff", { "exponential" });
    add("jitter", { std::string(wordOf(preset->backoff.jitter)) });
    add("retry_after", { "honoured" });
    add("attempts", { std::to_string(preset->attempts) });
}

class ContractReader {
public:
    explicit ContractReader(Policy policy)
        : m_policy(std::move(policy))
    {
    }

    Result<Contract> read(const Json& root)
    {
        const std::set<std::string> parts{ "format", "policy", "defaults", "routes", "consumers", "producers",
            "clients", "jobs" };
        if (!root.is_object())
            return refusedAt("", "a contract is an object with format, routes, consumers, producers, clients and jobs");
        for (const auto& [name, value] : root.items())
            if (!parts.contains(name))
                return refusedAt(name,
                    "no such part; there are format, policy, defaults, routes, consumers, producers, clients, jobs");
        if (!root.contains("format") || root["format"] != 1)
            return refusedAt("format", "this build reads format 1");
        if (auto status = readPolicy(root); !status)
            return status.error();
        if (auto status = readDefaults(root); !status)
            return status.error();
        for (const auto kind : allSubjectKinds())
            if (auto status = readList(kind, root); !status)
                return status.error();
        if (m_contract.subjects.empty())
            return refusedAt(
                "", "the contract declares nothing; there are routes, consumers, producers, clients, jobs");
        return std::move(m_contract);
    }

private:
    Status readPolicy(const Json& root)
    {
        if (!root.contains("policy"))
            return {};
        auto policy = parsePolicy(root["policy"].dump(-1, ' ', false, Json::error_handler_t::replace));
        if (!policy)
            return refusedAt("policy", policy.error().message);
        m_policy = std::move(*policy);
        m_contract.ownPolicy = true;
        return {};
    }

    Status readDefaults(const Json& root)
    {
        if (!root.contains("defaults"))
            return {};
        if (!root["defaults"].is_object())
            return refusedAt("defaults", shownValue(root["defaults"]) + " is not an object");
        for (const auto& [name, value] : root["defaults"].items()) {
            const auto all = allSubjectKinds();
            const auto kind = std::find_if(
                all.begin(), all.end(), [&, &called = name](SubjectKind each) { return listOf(each) == called; });
            if (kind == all.end())
                return refusedAt(
                    "defaults." + name, "no such list; there are routes, consumers, producers, clients, jobs");
            auto said = readMembers(*kind, value, "defaults." + name);
            if (!said)
                return said.error();
            if (const auto named = said->find(namingMember(*kind)); named != said->end())
                return refusedAt(named->second.path, "each of them has its own");
            m_defaults[*kind] = std::move(*said);
        }
        return {};
    }

    Status readList(SubjectKind kind, const Json& root)
    {
        const std::string list(listOf(kind));
        if (!root.contains(list))
            return {};
        if (!root[list].is_array())
            return refusedAt(list, shownValue(root[list]) + " is not a list");
        for (std::size_t i = 0; i < root[list].size(); ++i)
            if (auto status = readSubject(kind, root[list][i], list + '[' + std::to_string(i) + ']'); !status)
                return status;
        return {};
    }

    Status readSubject(SubjectKind kind, const Json& object, const std::string& where)
    {
        auto said = readMembers(kind, object, where);
        if (!said)
            return said.error();
        ContractSubject subject{ kind, {}, where, std::move(*said), {} };
        const auto naming = namingMember(kind);
        subject.name = subject.word(naming);
        if (subject.name.empty())
            return refusedAt(where + '.' + std::string(naming), "is missing");
        for (const auto& other : m_contract.subjects)
            if (other.kind == kind && other.name == subject.name)
                return refusedAt(where, inQuotes(subject.name) + " is declared at " + other.path + " already");
        // What is said nearer to the subject wins, and its own preset is nearer than the defaults.
        if (kind == SubjectKind::Client)
            addPreset(subject);
        for (const auto& [name, value] : m_defaults[kind])
            subject.said.try_emplace(name, value);
        if (kind == SubjectKind::Client)
            addPreset(subject);
        const auto operation = subject.word("operation");
        subject.policy = m_policy.forRoute(subject.word("scope"), operation.empty() ? subject.name : operation);
        m_contract.subjects.push_back(std::move(subject));
        return {};
    }

    Policy m_policy;
    std::map<SubjectKind, SaidMembers> m_defaults;
    Contract m_contract;
};

} // namespace

Result<Contract> parseContract(std::string_view text, const Policy& policy)
{
    if (text.size() > largestContract)
        return refusedAt("", "a contract is at most 1 MiB");
    const auto root = operation::parseStrict(text);
    if (!root)
        return root.error();
    return ContractReader(policy).read(*root);
}

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "core/base64.h"
#include "core/operations/plan.h"
#include "core/operations/strict_json.h"

namespace fencepost {

namespace {

using nlohmann::json;
using operation::canonical;

constexpr int currentFormat = 1;
constexpr auto formatMember = "fencepost_plan";
constexpr auto hashMember = "sha256";

Error broken(const std::string& why)
{
    return { Failure::Invalid, "This is no plan that can be applied: " + why + ".", {} };
}

constexpr auto octetsMember = "base64"; // of a parameter that is no text

json toJson(const std::map<std::string, std::string>& parameters)
{
    json out = json::object();
    for (const auto& [name, value] : parameters)
        out[name] = isUtf8(value) ? json(value) : json::object({ { octetsMember, toBase64(value) } });
    return out;
}

json toJson(const PlanItem& item)
{
    json out = { { "item", item.number }, { "identity", item.identity }, { "key", item.key }, { "state", item.state },
        { "seen", item.seen }, { "effect", item.effect } };
    if (item.fence)
        out["fence"] = *item.fence;
    if (!item.parameters.empty())
        out["parameters"] = toJson(item.parameters);
    if (!item.warning.empty())
        out["warning"] = item.warning;
    if (!item.verdict.empty())
        out["verdict"] = item.verdict;
    return out;
}

json toJson(const LeftOut& row)
{
    json out = { { "identity", row.identity }, { "key", row.key }, { "why", row.why } };
    if (!row.verdict.empty())
        out["verdict"] = row.verdict;
    return out;
}

json toJson(const Plan& plan)
{
    json out = { { formatMember, currentFormat }, { "request_id", plan.requestId }, { "verb", plan.verb },
        { "binding", plan.binding }, { "profile", plan.profile }, { "database", plan.database },
        { "filter", plan.filter }, { "parameters", toJson(plan.parameters) }, { "reason", plan.reason },
        { "actor", plan.actor }, { "created_at", formatInstant(plan.createdAt) },
        { "counts_by_state", plan.countsByState }, { "effect", plan.effect }, { "inverse", plan.inverse },
        { "sql", plan.sql }, { "undo_of", plan.undoOf }, { "items", json::array() }, { "left_out", json::array() } };
    if (!plan.warnings.empty())
        out["warnings"] = plan.warnings;
    if (!plan.verdicts.empty())
        out["verdicts"] = plan.verdicts;
    for (const auto& item : plan.items)
        out["items"].push_back(toJson(item));
    for (const auto& row : plan.leftOut)
        out["left_out"].push_back(toJson(row));
    return out;
}

// Reads members of one object and remembers the first that is missing or of another type.
class Reader {
public:
    Reader(const json& object, std::string place)
        : m_object(object)
        , m_place(std::move(place))
    {
        if (!object.is_object())
            problem = m_place + " is no object";
    }

    std::string text(const char* name)
    {
        const auto* member = find(name, json::value_t::string);
        return member ? member->get_ref<const std::string&>() : std::string();
    }

    std::string optionalText(const char* name) { return m_object.contains(name) ? text(name) : std::string(); }

    std::optional<std::int64_t> optionalInteger(const char* name)
    {
        if (!problem.empty() || !m_object.contains(name))
            return std::nullopt;
        const auto& member = m_object.at(name);
        if (member.is_number_integer() && !(member.is_number_unsigned() && member.get<std::uint64_t>() > INT64_MAX))
            return member.get<std::int64_t>();
        problem = m_place + '/' + name + " is no 64-bit integer";
        return std::nullopt;
    }

    std::map<std::string, std::string> texts(const char* name)
    {
        std::map<std::string, std::string> out;
        if (const auto* member = find(name, json::value_t::object))
            for (const auto& [key, value] : member->items()) {
                if (!value.is_string())
                    problem = m_place + '/' + name + '/' + key + " is no text";
                else
                    out[key] = value.get<std::string>();
            }
        return out;
    }

    // Texts, and octets under a member of their own.
    std::map<std::string, std::string> parameters(const char* name)
    {
        std::map<std::string, std::string> out;
        if (const auto* member = find(name, json::value_t::object))
            for (const auto& [key, value] : member->items()) {
                if (value.is_string())
                    out[key] = value.get<std::string>();
                else if (auto octets = octetsOf(value))
                    out[key] = std::move(*octets);
                else
                    problem = m_place + '/' + name + '/' + key + " is no text and no base64";
            }
        return out;
    }

    std::map<std::string, std::string> optionalParameters(const char* name)
    {
        return m_object.contains(name) ? parameters(name) : std::map<std::string, std::string>();
    }

    std::map<std::string, std::int64_t> integers(const char* name)
    {
        std::map<std::string, std::int64_t> out;
        if (const auto* member = find(name, json::value_t::object))
            for (const auto& [key, value] : member->items()) {
                if (!value.is_number_integer())
                    problem = m_place + '/' + name + '/' + key + " is no integer";
                else
                    out[key] = value.get<std::int64_t>();
            }
        return out;
    }

    std::map<std::string, std::int64_t> optionalIntegers(const char* name)
    {
        return m_object.contains(name) ? integers(name) : std::map<std::string, std::int64_t>();
    }

    std::vector<std::string> list(const char* name)
    {
        std::vector<std::string> out;
        if (const auto* member = find(name, json::value_t::array))
            for (const auto& value : *member) {
                if (!value.is_string())
                    problem = m_place + '/' + name + " holds something that is no text";
                else
                    out.push_back(value.get<std::string>());
            }
        return out;
    }

    std::vector<std::string> optionalList(const char* name)
    {
        return m_object.contains(name) ? list(name) : std::vector<std::string>();
    }

    const json* array(const char* name) { return find(name, json::value_t::array); }

    std::string problem; // empty: everything was there

private:
    static std::optional<Bytes> octetsOf(const json& value)
    {
        if (!value.is_object() || value.size() != 1 || !value.contains(octetsMember)
            || !value[octetsMember].is_string())
            return {};
        return fromBase64(value[octetsMember].get_ref<const std::string&>());
    }

    const json* find(const char* name, json::value_t type)
    {
        if (!problem.empty())
            return nullptr;
        const auto found = m_object.find(name);
        if (found == m_object.end())
            problem = m_place + " has no member " + name;
        else if (found->type() != type)
            problem = m_place + '/' + name + " is of another type";
        else
            return &*found;
        return nullptr;
    }

    const json& m_object;
    std::string m_place;
};

Result<PlanItem> itemFrom(const json& object, std::size_t position)
{
    Reader reader(object, "/items/" + std::to_string(position));
    PlanItem item;
    item.number = static_cast<int>(reader.optionalInteger("item").value_or(-1));
    item.identity = reader.list("identity");
    item.key = reader.text("key");
    item.state = reader.text("state");
    item.seen = reader.texts("seen");
    item.effect = reader.text("effect");
    if (!reader.problem.empty())
        return broken(reader.problem);
    item.fence = reader.optionalInteger("fence");
    item.parameters = reader.optionalParameters("parameters");
    item.warning = reader.optionalText("warning");
    item.verdict = reader.optionalText("verdict");
    if (!reader.problem.empty())
        return broken(reader.problem);
    if (item.identity.empty() || item.number < 0)
        return broken("/items/" + std::to_string(position) + " names no row or has no number");
    return item;
}

Result<LeftOut> leftOutFrom(const json& object, std::size_t position)
{
    Reader reader(object, "/left_out/" + std::to_string(position));
    LeftOut row{ reader.list("identity"), reader.text("key"), reader.text("why"), reader.optionalText("verdict") };
    if (!reader.problem.empty())
        return broken(reader.problem);
    return row;
}

Status readRows(Reader& reader, Plan& plan)
{
    const auto* items = reader.array("items");
    const auto* leftOut = reader.array("left_out");
    if (!items || !leftOut)
        return broken(reader.problem);
    std::set<int> numbers;
    for (std::size_t i = 0; i < items->size(); ++i) {
        auto item = itemFrom((*items)[i], i);
        if (!item)
            return item.error();
        // Two rows under one number would share one audit entry, and the second would be taken for done.
        if (!numbers.insert(item->number).second)
            return broken("/items/" + std::to_string(i) + " has the number of another item");
        plan.items.push_back(std::move(*item));
    }
    for (std::size_t i = 0; i < leftOut->size(); ++i) {
        auto row = leftOutFrom((*leftOut)[i], i);
        if (!row)
            return row.error();
        plan.leftOut.push_back(std::move(*row));
    }
    return {};
}

// What making a plan refuses, a file must not bring in.
Status checkWhatPlansAsk(const Plan& plan)
{
    if (isBlank(plan.reason))
        return broken("/reason is empty");
    const auto* operation = findOperation(plan.verb);
    if (operation == nullptr)
        return {};
    // What the action of another's profile asks for is known with its table, where the plan is carried out.
    auto parameters = plan.parameters;
    if (plan.profile.rfind("fencepost.", 0) != 0)
        std::erase_if(parameters, [operation](const auto& given) {
            return std::none_of(operation->parameters.begin(), operation->parameters.end(),
                [&](const Parameter& parameter) { return given.first == parameter.id; });
        });
    if (const auto known = checkParameters(*operation, parameters); !known)
        return broken("/parameters: " + known.error().message);
    return {};
}

Result<Plan> planFrom(const json& object)
{
    Reader reader(object, "");
    Plan plan;
    plan.requestId = reader.text("request_id");
    plan.verb = reader.text("verb");
    plan.binding = reader.text("binding");
    plan.profile = reader.text("profile");
    plan.database = reader.text("database");
    plan.filter = reader.text("filter");
    plan.parameters = reader.parameters("parameters");
    plan.reason = reader.text("reason");
    plan.actor = reader.text("actor");
    const auto createdAt = parseInstant(reader.text("created_at"));
    plan.countsByState = reader.integers("counts_by_state");
    plan.effect = reader.text("effect");
    plan.inverse = reader.text("inverse");
    plan.sql = reader.text("sql");
    plan.undoOf = reader.text("undo_of");
    plan.warnings = reader.optionalList("warnings");
    plan.verdicts = reader.optionalIntegers("verdicts");
    if (!reader.problem.empty())
        return broken(reader.problem);
    if (!createdAt)
        return broken("/created_at is no instant");
    if (!isUuid(plan.requestId))
        return broken("/request_id is no UUID");
    plan.createdAt = *createdAt;
    if (auto status = checkWhatPlansAsk(plan); !status)
        return status.error();
    if (auto status = readRows(reader, plan); !status)
        return status.error();
    return plan;
}

} // namespace

std::string formatPlan(const Plan& plan)
{
    auto out = toJson(plan);
    out[hashMember] = toHex(sha256(canonical(out)));
    return out.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

Result<Plan> parsePlan(std::string_view text)
{
    auto parsed = operation::parseStrict(text);
    if (!parsed)
        return broken(parsed.error().message);
    auto& object = *parsed;
    if (!object.is_object() || !object.contains(formatMember))
        return broken("it has no member " + std::string(formatMember));
    if (object[formatMember] != currentFormat)
        return broken("its format is " + canonical(object[formatMember]) + ", this build reads format "
            + std::to_string(currentFormat));
    if (!object.contains(hashMember) || !object[hashMember].is_string())
        return broken("it has no hash");
    const auto said = object[hashMember].get<std::string>();
    object.erase(hashMember);
    if (said != toHex(sha256(canonical(object))))
        return broken("its hash does not match, so it was edited or damaged after it was made; make a new plan");
    return planFrom(object);
}

} // namespace fencepost

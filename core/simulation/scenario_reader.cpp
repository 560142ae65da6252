// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <optional>
#include <type_traits>

#include "core/operations/strict_json.h"
#include "core/simulation/expectation.h"
#include "core/simulation/scenario_lists.h"
#include "core/simulation/scenario_recording.h"

namespace fencepost::simulation {

namespace {

using nlohmann::json;

constexpr std::size_t mostFaults = 1'000;
constexpr std::size_t mostVariants = 100;

bool isOneWord(std::string_view name)
{
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

// Numbers and truth values as they are spelled; none: it is no single value.
std::optional<std::string> valueOf(const json& value)
{
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_boolean() || value.is_number())
        return value.dump();
    return std::nullopt;
}

bool saysOffset(std::string_view instant)
{
    constexpr std::size_t date = 10; // YYYY-MM-DD
    return instant.size() > date && instant.find_first_of("Zz+-", date) != std::string_view::npos;
}

Result<std::string> textAt(const json& value, const std::string& path)
{
    if (!value.is_string())
        return wrongAt(path, "it has to be text");
    return value.get<std::string>();
}

// Whether there are settings below this one.
bool isGroup(const std::string& path)
{
    const auto knobs = scenarioKnobs();
    return std::any_of(
        knobs.begin(), knobs.end(), [&](const ScenarioKnob& knob) { return knob.path.starts_with(path + "."); });
}

Error noSetting(const std::string& path)
{
    const auto knobs = scenarioKnobs();
    if (std::any_of(knobs.begin(), knobs.end(), [&](const ScenarioKnob& knob) { return knob.path == path; }))
        return wrongAt(path, "it has to be a single value");
    return wrongAt(path, "a scenario has no such setting; `fencepostctl simulate knobs` lists them");
}

// "service": {"lease": "30s"} is service.lease=30s.
Status turnAll(Scenario& scenario, const json& object, const std::string& path)
{
    if (!isGroup(path))
        return noSetting(path);
    for (const auto& [name, value] : object.items()) {
        const auto inner = path + "." + name;
        if (value.is_object()) {
            if (const auto turned = turnAll(scenario, value, inner); !turned)
                return turned;
            continue;
        }
        const auto said = valueOf(value);
        if (!said)
            return wrongAt(inner, "it has to be a single value");
        if (const auto turned = turn(scenario, inner, *said); !turned)
            return turned;
    }
    return {};
}

template <typename Item, typename Take>
Status readList(const json& list, const std::string& path, std::size_t most, std::vector<Item>& items, const Take& take)
{
    if (!list.is_array())
        return wrongAt(path, "it has to be a list");
    if (list.size() > most)
        return wrongAt(path, "it has more than " + std::to_string(most) + " entries");
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto inner = path + "[" + std::to_string(i) + "]";
        if (!list[i].is_object())
            return wrongAt(inner, "it has to be an object");
        Item item;
        for (const auto& [name, value] : list[i].items())
            if (const auto taken = take(item, name, value, inner); !taken)
                return taken;
        items.push_back(std::move(item));
    }
    return {};
}

// A member of one entry of a list of settings.
template <typename Item, Status (*turnMember)(Item&, std::string_view, std::string_view)>
Status takeMember(Item& item, const std::string& name, const json& value, const std::string& path)
{
    const auto said = valueOf(value);
    if (!said)
        return wrongAt(path + "." + name, "it has to be a single value");
    if (const auto turned = turnMember(item, name, *said); !turned)
        return wrongAt(path, turned.error().message);
    return {};
}

Status readFlag(bool& flag, const std::string& path, const json& value)
{
    if (!value.is_boolean())
        return wrongAt(path, "it has to be true or false");
    flag = value.get<bool>();
    return {};
}

Status takeVariant(Variant& variant, const std::string& name, const json& value, const std::string& path)
{
    if (name == "set") {
        if (!value.is_object())
            return wrongAt(path + ".set", "it has to be an object of paths and values");
        for (const auto& [knob, to] : value.items()) {
            const auto said = valueOf(to);
            if (!said)
                return wrongAt(path + ".set." + knob, "it has to be a single value");
            variant.set.emplace_back(knob, *said);
        }
        return {};
    }
    if (name == "violates")
        return readFlag(variant.violates, path + ".violates", value);
    if (name != "name" && name != "title")
        return wrongAt(path, "a variant has name, title, violates and set; not \"" + name + "\"");
    auto text = textAt(value, path + "." + name);
    if (!text)
        return text.error();
    (name == "name" ? variant.name : variant.title) = std::move(*text);
    return {};
}

Status readFaults(Scenario& scenario, const json& value)
{
    if (const auto read = readList(value, "faults", mostFaults, scenario.faults, takeMember<Fault, turnFault>); !read)
        return read;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const auto path = "faults[" + std::to_string(i) + "]";
        if (!value[i].contains("kind"))
            return wrongAt(path, "it does not say its kind, as in \"outage\"");
        const auto& fault = scenario.faults[i];
        for (const auto& [name, member] : value[i].items())
            if (const auto fits = checkMember(fault.kind, name); !fits)
                return wrongAt(path, fits.error().message);
        if (const auto whole = checkEntry(fault); !whole)
            return wrongAt(path, whole.error().message);
    }
    return {};
}

Status readPhases(Scenario& scenario, const json& value)
{
    if (const auto read = readList(value, "phases", mostFaults, scenario.phases, takeMember<Phase, turnPhase>); !read)
        return read;
    for (std::size_t i = 0; i < value.size(); ++i)
        for (const auto* member : { "from", "until", "rate" })
            if (!value[i].contains(member))
                return wrongAt("phases[" + std::to_string(i) + "]",
                    "it does not say its " + std::string(member) + ": a phase has from, until and rate");
    return {};
}

Status readText(Scenario& scenario, const std::string& name, const json& value)
{
    auto text = textAt(value, name);
    if (!text)
        return text.error();
    (name == "name" ? scenario.name : name == "title" ? scenario.title : scenario.shows) = std::move(*text);
    return {};
}

Status readMember(Scenario& scenario, const std::string& name, const json& value)
{
    if (name == "scenario") {
        if (value != scenarioFormat)
            return wrongAt(name, "this program reads format " + std::to_string(scenarioFormat));
        return {};
    }
    if (name == "name" || name == "title" || name == "shows")
        return readText(scenario, name, value);
    if (name == "violates")
        return readFlag(scenario.violates, name, value);
    if (name == "seed") {
        if (!value.is_number_unsigned())
            return wrongAt(name, "it has to be a whole number");
        scenario.seed = value.get<std::uint64_t>();
        return {};
    }
    if (name == "start") {
        const auto start = value.is_string() ? parseInstant(value.get<std::string>()) : Result<Time>(Error{});
        if (!start || !saysOffset(value.get<std::string>()))
            return wrongAt(name, "it has to be an instant with its offset from UTC, as in 2025-09-15T12:00:00Z");
        scenario.start = *start;
        return {};
    }
    if (name == "recording") {
        auto recording = readRecording(value);
        if (!recording)
            return recording.error();
        scenario.recording = std::move(*recording);
        return {};
    }
    if (name == "deliveries") {
        auto deliveries = readDeliveries(value);
        if (!deliveries)
            return deliveries.error();
        scenario.deliveries = std::move(*deliveries);
        return {};
    }
    if (name == "phases")
        return readPhases(scenario, value);
    if (name == "faults")
        return readFaults(scenario, value);
    if (name == "variants")
        return readList(value, name, mostVariants, scenario.variants, takeVariant);
    if (name == "expect") {
        if (!value.is_array())
            return wrongAt(name, "it has to be a list");
        for (const auto& entry : value) {
            auto text = textAt(entry, name + "[" + std::to_string(scenario.expect.size()) + "]");
            if (!text)
                return text.error();
            scenario.expect.push_back(std::move(*text));
        }
        return {};
    }
    if (!value.is_object())
        return isGroup(name) ? Status(wrongAt(name, "it has to be an object of settings")) : noSetting(name);
    return turnAll(scenario, value, name);
}

// "faults[2].for" → 2 and "for".
std::optional<std::pair<std::size_t, std::string_view>> placeIn(std::string_view list, std::string_view path)
{
    if (!path.starts_with(list) || path.size() <= list.size() || path[list.size()] != '[')
        return std::nullopt;
    std::size_t index = 0;
    const auto* const end = path.data() + path.size();
    const auto read = std::from_chars(path.data() + list.size() + 1, end, index);
    if (read.ec != std::errc() || end - read.ptr < 3 || read.ptr[0] != ']' || read.ptr[1] != '.')
        return std::nullopt;
    return std::pair(index, std::string_view(read.ptr + 2, static_cast<std::size_t>(end - read.ptr - 2)));
}

template <typename Item, Status (*turnMember)(Item&, std::string_view, std::string_view)>
std::optional<Status> turnIn(
    std::vector<Item>& items, std::string_view list, std::string_view path, std::string_view value)
{
    const auto place = placeIn(list, path);
    if (!place)
        return std::nullopt;
    if (place->first >= items.size())
        return Status(
            wrongAt(std::string(path), "there are " + std::to_string(items.size()) + " of them, counted from 0"));
    auto turned = turnMember(items[place->first], place->second, value);
    if constexpr (std::is_same_v<Item, Fault>)
        if (turned)
            turned = checkMember(items[place->first].kind, place->second);
    return turned ? turned : Status(wrongAt(std::string(path), turned.error().message));
}

} // namespace

Status turn(Scenario& scenario, std::string_view path, std::string_view value)
{
    if (path == "seed") {
        const auto* const end = value.data() + value.size();
        const auto read = std::from_chars(value.data(), end, scenario.seed);
        if (read.ec != std::errc() || read.ptr != end)
            return wrongAt("seed", "\"" + std::string(value) + "\" is not a whole number");
        return {};
    }
    if (auto turned = turnIn<Phase, turnPhase>(scenario.phases, "phases", path, value))
        return *turned;
    if (auto turned = turnIn<Fault, turnFault>(scenario.faults, "faults", path, value))
        return *turned;
    if (isList(path))
        return turnList(scenario, path, value);
    const auto* knob = findScenarioKnob(path);
    if (!knob)
        return noSetting(std::string(path));
    const auto turned = turn(*knob, scenario, value);
    // Whoever names a setting has chosen it, also where it is the usual one.
    const bool isRecorded = scenario.recording && scenario.recording->by != RecordedBy::Hand;
    if (turned && isRecorded && isOfTryingAgain(path) && scenario.client.retries == Retries::Auto)
        scenario.client.retries = Retries::Policy;
    return turned;
}

Result<Scenario> parseScenario(std::string_view text)
{
    const auto document = operation::parseStrict(text);
    if (!document)
        return document.error();
    if (!document->is_object() || !document->contains("scenario"))
        return wrongAt("", "it is a JSON object with the member \"scenario\": " + std::to_string(scenarioFormat));
    Scenario scenario;
    for (const auto& [name, value] : document->items())
        if (const auto read = readMember(scenario, name, value); !read)
            return read.error();
    if (!isOneWord(scenario.name))
        return wrongAt("name", "it has to be one word of letters, digits, - and _");
    // What is wrong in all of them is none of a variant's.
    if (const auto checked = check(scenario); !checked)
        return checked.error();
    for (std::size_t i = 0; i < scenario.variants.size(); ++i) {
        const auto& variant = scenario.variants[i];
        const auto path = "variants[" + std::to_string(i) + "]";
        if (!isOneWord(variant.name))
            return wrongAt(path + ".name", "it has to be one word of letters, digits, - and _");
        const auto same = [&](const Variant& other) { return other.name == variant.name; };
        const auto here = scenario.variants.begin() + std::ptrdiff_t(i);
        if (std::any_of(scenario.variants.begin(), here, same))
            return wrongAt(path + ".name", "\"" + variant.name + "\" stands there twice");
        if (const auto turned = withVariant(scenario, variant); !turned)
            return wrongAt(path + ".set", turned.error().message);
    }
    for (std::size_t i = 0; i < scenario.expect.size(); ++i)
        if (const auto expectation = parseExpectation(scenario.expect[i], scenario); !expectation)
            return wrongAt("expect[" + std::to_string(i) + "]", expectation.error().message);
    return scenario;
}

} // namespace fencepost::simulation

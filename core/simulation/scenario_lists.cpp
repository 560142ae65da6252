// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/scenario_lists.h"

#include <algorithm>
#include <array>

#include "core/simulation/knob_values.h"

namespace fencepost::simulation {

namespace {

constexpr std::int64_t longestFault = 400 * wholeDay;

constexpr unsigned bitOf(FaultKind kind)
{
    return 1U << static_cast<unsigned>(kind);
}
constexpr unsigned ofNodes = bitOf(FaultKind::NodeCrash) | bitOf(FaultKind::ClockStep);
constexpr unsigned ofAll = ~0U;

// Of a fault, besides its kind.
struct FaultMember {
    std::string_view name;
    KnobForm form;
    std::int64_t least;
    std::int64_t most;
    unsigned kinds; // that have it
    std::string_view meaning;
    void (*take)(Fault& fault, std::int64_t value);
    std::int64_t (*give)(const Fault& fault);
};
constexpr std::array faultMembers = {
    FaultMember{ "from", KnobForm::Length, 0, longestFault, ofAll, "when it begins, behind the beginning of the run",
        [](Fault& it, std::int64_t to) { it.from = Duration(to); },
        [](const Fault& it) { return std::int64_t(it.from.count()); } },
    FaultMember{ "for", KnobForm::Length, 0, longestFault, ofAll, "how long it lasts",
        [](Fault& it, std::int64_t to) { it.length = Duration(to); },
        [](const Fault& it) { return std::int64_t(it.length.count()); } },
    FaultMember{ "share", KnobForm::Chance, 0, wholeChance, ~ofNodes, "how many of those whom it may strike",
        [](Fault& it, std::int64_t to) { it.share = to; }, [](const Fault& it) { return it.share; } },
    FaultMember{ "factor", KnobForm::Count, 1, 100'000, bitOf(FaultKind::Brownout),
        "how many times as long a handler takes", [](Fault& it, std::int64_t to) { it.factor = to; },
        [](const Fault& it) { return it.factor; } },
    FaultMember{ "node", KnobForm::Count, 1, 1'000, ofNodes, "which node, counted from 1",
        [](Fault& it, std::int64_t to) { it.node = to - 1; }, [](const Fault& it) { return it.node + 1; } },
    FaultMember{ "forward", KnobForm::Length, 0, longestFault, bitOf(FaultKind::ClockStep),
        "how far its clock steps ahead",
        [](Fault& it, std::int64_t to) {
            it.step = Duration(to);
            it.back = false;
        },
        [](const Fault& it) { return it.back ? 0 : std::int64_t(it.step.count()); } },
    FaultMember{ "back", KnobForm::Length, 0, longestFault, bitOf(FaultKind::ClockStep), "how far its clock steps back",
        [](Fault& it, std::int64_t to) {
            it.step = Duration(to);
            it.back = true;
        },
        [](const Fault& it) { return it.back ? std::int64_t(it.step.count()) : 0; } },
    FaultMember{ "retry_after", KnobForm::Length, 0, wholeDay, bitOf(FaultKind::Outage) | bitOf(FaultKind::Throttle),
        "what its answers tell a client to wait", [](Fault& it, std::int64_t to) { it.retryAfter = Duration(to); },
        [](const Fault& it) { return std::int64_t(it.retryAfter.count()); } },
};
constexpr std::array<std::string_view, 10> kindsOfFaults = { "outage", "silence", "brownout", "node_crash", "partition",
    "throttle", "clock_step", "store_outage", "vendor_outage", "consumer_outage" };
constexpr std::array<std::string_view, 3> membersOfPhases = { "from", "until", "rate" };
constexpr std::int64_t mostRate = wholeChance * 1'000;
constexpr std::size_t longestList = 1'000;

const FaultMember* findMember(std::string_view name)
{
    const auto* const found = std::find_if(
        faultMembers.begin(), faultMembers.end(), [&](const FaultMember& known) { return known.name == name; });
    return found == faultMembers.end() ? nullptr : found;
}

std::string kindWords()
{
    std::string words;
    for (const auto kind : kindsOfFaults)
        words += (words.empty() ? "" : " ") + std::string(kind);
    return words;
}

std::string textOfEntry(const Fault& fault)
{
    const Fault plain;
    std::string text(wordOf(fault.kind));
    for (const auto member : membersOf(fault.kind)) {
        const bool always = member == "from" || member == "for" || member == "factor" || member == "node";
        const auto value = shownMember(fault, member);
        if (always || value != shownMember(plain, member))
            text += " " + std::string(member) + "=" + value;
    }
    return text;
}

std::string textOfEntry(const Phase& phase)
{
    std::string text;
    for (const auto member : membersOfPhases)
        text += (text.empty() ? "" : " ") + std::string(member) + "=" + shownMember(phase, member);
    return text;
}

template <typename Item> std::string textOfList(const std::vector<Item>& items)
{
    std::string text;
    for (const auto& item : items)
        text += (text.empty() ? "" : "; ") + textOfEntry(item);
    return text;
}

Status takeWord(Fault& fault, std::string_view word, bool isFirst)
{
    const auto equals = word.find('=');
    if (isFirst)
        return turnFault(fault, "kind", word);
    const auto member = word.substr(0, equals);
    if (equals == std::string_view::npos || member == "kind")
        return invalid("\"" + std::string(word) + "\" is written as member=value, as in for=30s");
    if (const auto turned = turnFault(fault, member, word.substr(equals + 1)); !turned)
        return turned;
    return checkMember(fault.kind, member);
}

Status takeWord(Phase& phase, std::string_view word, bool /*isFirst*/)
{
    const auto equals = word.find('=');
    if (equals == std::string_view::npos)
        return invalid("\"" + std::string(word) + "\" is written as member=value, as in rate=500");
    return turnPhase(phase, word.substr(0, equals), word.substr(equals + 1));
}

// "outage from=20s for=30s".
template <typename Item> Status takeEntry(Item& item, std::string_view text)
{
    bool isFirst = true;
    for (const auto word : wordsOf(text)) {
        if (word.empty())
            continue;
        if (const auto taken = takeWord(item, word, isFirst); !taken)
            return taken;
        isFirst = false;
    }
    if (isFirst)
        return invalid("it says nothing");
    return checkEntry(item);
}

template <typename Item> Status takeList(std::vector<Item>& to, std::string_view path, std::string_view text)
{
    std::vector<Item> items;
    const auto isBlank = text.find_first_not_of(' ') == std::string_view::npos;
    for (bool more = !isBlank; more;) {
        const auto end = text.find(';');
        const auto place = std::string(path) + "[" + std::to_string(items.size()) + "]";
        if (items.size() == longestList)
            return wrongAt(path, "it has more than " + std::to_string(longestList) + " entries");
        if (const auto taken = takeEntry(items.emplace_back(), text.substr(0, end)); !taken)
            return wrongAt(place, taken.error().message);
        more = end != std::string_view::npos;
        if (more)
            text.remove_prefix(end + 1);
    }
    to = std::move(items);
    return {};
}

} // namespace

std::string_view wordOf(FaultKind kind) noexcept
{
    return kindsOfFaults[static_cast<std::size_t>(kind)];
}

std::span<const std::string_view> faultKinds() noexcept
{
    return kindsOfFaults;
}

std::vector<std::string_view> membersOf(FaultKind kind)
{
    std::vector<std::string_view> names;
    for (const auto& known : faultMembers)
        if ((known.kinds & bitOf(kind)) != 0)
            names.push_back(known.name);
    return names;
}

std::span<const std::string_view> phaseMembers() noexcept
{
    return membersOfPhases;
}

std::string shownMember(const Fault& fault, std::string_view member)
{
    if (member == "kind")
        return std::string(wordOf(fault.kind));
    const auto* known = findMember(member);
    return known ? written(known->form, known->give(fault)) : std::string();
}

std::string shownMember(const Phase& phase, std::string_view member)
{
    if (member == "rate")
        return written(KnobForm::Rate, phase.rate);
    if (member != "from" && member != "until")
        return {};
    return written(KnobForm::Length, (member == "from" ? phase.from : phase.until).count());
}

std::string_view meaningOfMember(std::string_view member) noexcept
{
    if (member == "until")
        return "when it ends, behind the beginning of the run";
    if (member == "rate")
        return "requests a second while it lasts, instead of load.rate";
    const auto* known = findMember(member);
    return known ? known->meaning : std::string_view();
}

Status turnPhase(Phase& phase, std::string_view member, std::string_view value)
{
    const bool rate = member == "rate";
    if (!rate && member != "from" && member != "until")
        return invalid("a phase of the load has from, until and rate; not \"" + std::string(member) + "\"");
    const auto number = rate ? bounded(member, KnobForm::Rate, 0, mostRate, value)
                             : bounded(member, KnobForm::Length, 0, longestFault, value);
    if (!number)
        return number.error();
    if (rate)
        phase.rate = *number;
    else
        (member == "from" ? phase.from : phase.until) = Duration(*number);
    return {};
}

Status turnFault(Fault& fault, std::string_view member, std::string_view value)
{
    if (member == "kind") {
        const auto kind = wordAt(member, kindWords(), value);
        if (!kind)
            return kind.error();
        fault.kind = static_cast<FaultKind>(*kind);
        return {};
    }
    const auto* known = findMember(member);
    if (!known)
        return invalid("a fault has kind, from, for, share, factor, node, forward, back and retry_after; not \""
            + std::string(member) + "\"");
    const auto number = bounded(member, known->form, known->least, known->most, value);
    if (!number)
        return number.error();
    known->take(fault, *number);
    return {};
}

Status checkMember(FaultKind kind, std::string_view member)
{
    const auto* known = findMember(member);
    if (!known || (known->kinds & bitOf(kind)) != 0)
        return {};
    std::string all;
    for (const auto name : membersOf(kind))
        all += (all.empty() ? "" : ", ") + std::string(name);
    return invalid(
        "a fault of the kind " + std::string(wordOf(kind)) + " has " + all + "; not \"" + std::string(member) + "\"");
}

std::optional<ScenarioKnob> knobOfMember(std::string_view path)
{
    const auto dot = path.find("].");
    if (dot == std::string_view::npos)
        return std::nullopt;
    const auto member = path.substr(dot + 2);
    if (path.starts_with("phases[") && (member == "from" || member == "until"))
        return ScenarioKnob{ .path = path, .form = KnobForm::Length, .most = longestFault };
    if (path.starts_with("phases[") && member == "rate")
        return ScenarioKnob{ .path = path, .form = KnobForm::Rate, .most = mostRate };
    if (const auto* known = path.starts_with("faults[") ? findMember(member) : nullptr)
        return ScenarioKnob{ .path = path, .form = known->form, .least = known->least, .most = known->most };
    return std::nullopt;
}

std::vector<std::string> memberPaths(const Scenario& scenario)
{
    std::vector<std::string> paths;
    const auto add = [&](const char* list, std::size_t place, std::string_view member) {
        paths.push_back(std::string(list) + "[" + std::to_string(place) + "]." + std::string(member));
    };
    for (std::size_t i = 0; i < scenario.phases.size(); ++i)
        for (const auto member : membersOfPhases)
            add("phases", i, member);
    for (std::size_t i = 0; i < scenario.faults.size(); ++i)
        for (const auto member : membersOf(scenario.faults[i].kind))
            add("faults", i, member);
    return paths;
}

bool isList(std::string_view path) noexcept
{
    return path == "faults" || path == "phases";
}

std::string shownList(std::string_view path, const Scenario& scenario)
{
    return path == "faults" ? textOfList(scenario.faults) : textOfList(scenario.phases);
}

Status turnList(Scenario& scenario, std::string_view path, std::string_view value)
{
    return path == "faults" ? takeList(scenario.faults, path, value) : takeList(scenario.phases, path, value);
}

Status checkEntry(const Fault& fault)
{
    if (fault.length <= Duration(0))
        return invalid("it does not say for how long, as in 30s for \"for\"");
    if (fault.share == 0)
        return invalid("a share of 0% would strike nobody");
    return {};
}

Status checkEntry(const Phase& phase)
{
    if (phase.until <= phase.from)
        return invalid("it ends before it begins");
    return {};
}

} // namespace fencepost::simulation

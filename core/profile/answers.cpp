// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/in_quotes.h"
#include "core/profile/document.h"
#include "core/profile/expression_reader.h"
#include "core/profile/library.h"

namespace fencepost::profile {

namespace {

Error noSuchProfile(std::string_view name)
{
    return { Failure::NotFound, "There is no profile " + inQuotes(std::string(name)), {}, {},
        "The profiles at hand: fencepostctl profiles list" };
}

void replaceZone(Profile& profile, const std::string& zone)
{
    for (auto& [column, byDialect] : profile.time)
        for (auto& [dialect, encoding] : byDialect)
            if (encoding == appLocalTime)
                encoding = "naive:" + zone;
}

Status answerZones(Library& library, const Node& zones)
{
    for (const auto& [name, zone] : zones.members()) {
        const auto text = zone.text();
        if (zone.failed())
            break;
        if (const auto answered = library.answerZone(name, text); !answered)
            return answered;
    }
    return {};
}

Status chooseTables(Library& library, const Node& tables)
{
    for (const auto& [table, name] : tables.members()) {
        const auto text = name.text();
        if (name.failed())
            break;
        if (const auto chosen = library.choose(table, text); !chosen)
            return chosen;
    }
    return {};
}

} // namespace

bool asksForZone(const Profile& profile)
{
    return std::any_of(profile.time.begin(), profile.time.end(), [](const auto& column) {
        return std::any_of(
            column.second.begin(), column.second.end(), [](const auto& entry) { return entry.second == appLocalTime; });
    });
}

Status Library::answerZone(std::string_view name, const std::string& zone)
{
    const auto encoding = "naive:" + zone;
    if (!isTimeEncoding(encoding) || encoding == appLocalTime)
        return Error{ Failure::Invalid, inQuotes(zone) + " is no name of a time zone like Europe/Berlin", {} };
    if (!name.empty() && find(name) == nullptr)
        return noSuchProfile(name);
    bool asked = false;
    for (auto& profile : m_profiles)
        if ((name.empty() || profile.name == name) && asksForZone(profile)) {
            replaceZone(profile, zone);
            asked = true;
        }
    if (!asked && !name.empty())
        return Error{ Failure::Invalid,
            "The profile " + std::string(name) + " does not ask for the time zone of an application's hosts", {} };
    return {};
}

Status Library::choose(const std::string& table, std::string_view name)
{
    if (find(name) == nullptr)
        return noSuchProfile(name);
    m_chosen[table] = name;
    return {};
}

const Profile* Library::chosenFor(const std::string& schema, const std::string& table) const
{
    for (const auto& name : { schema + '.' + table, table })
        if (const auto chosen = m_chosen.find(name); chosen != m_chosen.end())
            return find(chosen->second);
    return nullptr;
}

Status addAnswers(Library& library, const std::string& path)
{
    const auto text = readProfileFile(path);
    if (!text)
        return text.error().failure == Failure::NotFound ? Status() : Status(text.error());
    Node::Report report{ path, std::nullopt };
    const auto document = parseDocument(*text, path);
    if (!document)
        return document.error();
    const Node root(*document, "", report);
    root.onlyKeys({ "time_zones", "tables" });
    if (const auto zones = root.child("time_zones"); zones && !report.error)
        if (const auto answered = answerZones(library, *zones); !answered)
            return answered;
    if (const auto tables = root.child("tables"); tables && !report.error)
        if (const auto chosen = chooseTables(library, *tables); !chosen)
            return chosen;
    return report.error ? Status(*report.error) : Status();
}

} // namespace fencepost::profile

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/ids.h"
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

// An answer of the file, and where it stands there.
Status withPlace(Status status, const std::string& path, const Node& answer)
{
    if (status)
        return status;
    auto error = status.error();
    error.message = path + ": " + answer.pointer() + ": " + error.message;
    return error;
}

Status answerZones(Library& library, const std::string& path, const Node& zones, AnsweredOf of)
{
    for (const auto& [name, zone] : zones.members()) {
        const auto* profile = library.find(name);
        if (of == AnsweredOf::Part && (profile == nullptr || !asksForZone(*profile)))
            continue;
        if (auto answered = withPlace(library.answerZone(name, zone.text()), path, zone); !answered)
            return answered;
    }
    return {};
}

Status chooseTables(Library& library, const std::string& path, const Node& tables, AnsweredOf of)
{
    auto entries = tables.members();
    std::stable_partition(
        entries.begin(), entries.end(), [](const auto& entry) { return entry.first.find('.') == std::string::npos; });
    for (const auto& [table, name] : entries) {
        if (of == AnsweredOf::Part && library.find(name.text()) == nullptr)
            continue;
        if (auto chosen = withPlace(library.choose(table, name.text()), path, name); !chosen)
            return chosen;
    }
    return {};
}

constexpr auto zonesMember = "time_zones";
constexpr auto tablesMember = "tables";

Result<nlohmann::json> readAnswers(std::string_view text, const std::string& path)
{
    auto document = parseDocument(text, path);
    if (!document)
        return document.error();
    Node::Report report{ path, std::nullopt };
    const Node root(*document, "", report);
    root.onlyKeys({ zonesMember, tablesMember });
    for (const auto* member : { zonesMember, tablesMember })
        if (const auto answers = root.child(member); answers && !report.error)
            for (const auto& [of, answer] : answers->members())
                (void)answer.text();
    if (report.error)
        return *report.error;
    return document;
}

} // namespace

bool asksForZone(const Profile& profile, std::string_view dialect)
{
    return std::any_of(profile.time.begin(), profile.time.end(), [&](const auto& column) {
        const auto& encodings = column.second;
        const bool hasOwn = encodings.find(std::string(dialect)) != encodings.end();
        return std::any_of(encodings.begin(), encodings.end(), [&](const auto& entry) {
            const bool isMeant = dialect.empty() || entry.first == dialect || (entry.first == "*" && !hasOwn);
            return isMeant && entry.second == appLocalTime;
        });
    });
}

Status Library::answerZone(std::string_view name, const std::string& zone)
{
    const auto encoding = "naive:" + zone;
    if (!isTimeEncoding(encoding) || encoding == appLocalTime)
        return Error{ Failure::Invalid, inQuotes(zone) + " is no name of a time zone like Europe/Berlin", {} };
    if (!hasKnownZone(encoding))
        return Error{ Failure::Invalid, "This computer knows no time zone " + inQuotes(zone), {}, {},
            "Name one like Europe/Berlin" };
    if (!name.empty() && find(name) == nullptr)
        return noSuchProfile(name);
    bool asked = false;
    for (auto& profile : m_profiles) {
        if (!name.empty() && profile.name != name)
            continue;
        if (const auto before = m_asking.find(profile.name); before != m_asking.end())
            profile.time = before->second;
        else if (asksForZone(profile))
            m_asking.emplace(profile.name, profile.time);
        else
            continue;
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
    // What is said later of tables of a name in whatever schema counts before what was said of one of them.
    if (table.find('.') == std::string::npos)
        std::erase_if(m_chosen, [&](const auto& chosen) { return chosen.first.ends_with('.' + table); });
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

Status addAnswers(Library& library, const std::string& path, AnsweredOf of)
{
    const auto text = readProfileFile(path);
    if (!text)
        return text.error().failure == Failure::NotFound ? Status() : Status(text.error());
    const auto document = readAnswers(*text, path);
    if (!document)
        return document.error();
    Node::Report report{ path, std::nullopt };
    const Node root(*document, "", report);
    if (const auto zones = root.child(zonesMember))
        if (const auto answered = answerZones(library, path, *zones, of); !answered)
            return answered;
    if (const auto tables = root.child(tablesMember))
        return chooseTables(library, path, *tables, of);
    return {};
}

Result<std::string> withAnswer(
    std::string_view present, const std::string& path, Answer what, const std::string& of, const std::string& answer)
{
    if (!isUtf8(of) || !isUtf8(answer))
        return Error{ Failure::Invalid, "A name that is no UTF-8 cannot be kept in " + path, {} };
    auto document = present.empty() ? Result<nlohmann::json>(nlohmann::json::object()) : readAnswers(present, path);
    if (!document)
        return document.error();
    (*document)[what == Answer::TimeZone ? zonesMember : tablesMember][of] = answer;
    return document->dump(1) + '\n';
}

} // namespace fencepost::profile

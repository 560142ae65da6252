// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/cron_registry.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/operations/strict_json.h"
#include "core/protocol/key_syntax.h"
#include "core/without_credentials.h"

namespace fencepost {

namespace {

using nlohmann::json;

constexpr std::size_t largestRegistry = 1U << 20U;
constexpr std::size_t mostSlots = 1000;
constexpr Duration onTime = std::chrono::minutes(1);
constexpr std::array missedWords = { MissedSlots::Skip, MissedSlots::Latest, MissedSlots::All };

Error expectedAt(const std::string& where, const json& value, const std::string& expected)
{
    return invalid(where + ": " + withoutCredentials(operation::canonical(value)) + " is not " + expected);
}

Result<std::string> cronText(const json& value, const std::string& where)
{
    if (!value.is_string() || isBlank(value.get_ref<const std::string&>()))
        return expectedAt(where, value, "a text");
    return value.get<std::string>();
}

Status takeText(const json& value, const std::string& where, std::string& member)
{
    auto text = cronText(value, where);
    if (!text)
        return text.error();
    member = std::move(*text);
    return {};
}

Status takeTexts(const json& value, const std::string& where, std::vector<std::string>& member)
{
    if (!value.is_array() || value.empty())
        return expectedAt(where, value, "a list of texts with at least one");
    member.clear();
    for (std::size_t i = 0; i < value.size(); ++i) {
        auto text = cronText(value[i], where + "[" + std::to_string(i) + "]");
        if (!text)
            return text.error();
        member.push_back(std::move(*text));
    }
    return {};
}

// Any of the three: a command as a list, an address, or $VARIABLE with a path behind it.
Status takeTarget(const json& value, const std::string& where, CronJob& job)
{
    if (value.is_array())
        return takeTexts(value, where, job.command);
    std::string text;
    if (const auto taken = takeText(value, where, text); !taken)
        return taken;
    if (text.starts_with("http://") || text.starts_with("https://")) {
        job.url = std::move(text);
        return {};
    }
    const auto slash = text.find('/');
    if (!text.starts_with('$') || slash == 1 || text.size() == 1)
        return expectedAt(where, value, "a list of words, an address, or $VARIABLE and a path");
    job.urlVariable = text.substr(1, slash == std::string::npos ? slash : slash - 1);
    if (slash != std::string::npos)
        job.path = text.substr(slash);
    return {};
}

struct JobMember {
    std::string_view name;
    Status (*take)(const json& value, const std::string& where, CronJob& job);
};

constexpr std::array jobMembers = {
    JobMember{ "id", [](const json& v, const std::string& where, CronJob& job) { return takeText(v, where, job.id); } },
    JobMember{ "schedule",
        [](const json& v, const std::string& where, CronJob& job) -> Status {
            if (const auto text = takeText(v, where, job.scheduleText); !text)
                return text;
            const auto schedule = CronSchedule::parse(job.scheduleText);
            if (!schedule)
                return invalid(where + ": " + schedule.error().message + "; " + schedule.error().detail);
            if (!schedule->everComes())
                return invalid(
                    where + ": \"" + job.scheduleText + "\" never comes; expected a day that one of its months has");
            job.schedule = *schedule;
            return {};
        } },
    JobMember{ "command",
        [](const json& v, const std::string& where, CronJob& job) { return takeTexts(v, where, job.command); } },
    JobMember{ "url",
        [](const json& v, const std::string& where, CronJob& job) -> Status {
            const auto text = takeText(v, where, job.url);
            const bool http = job.url.starts_with("http://") || job.url.starts_with("https://");
            return text && !http ? expectedAt(where, v, "an address that begins with http:// or https://") : text;
        } },
    JobMember{ "url_env",
        [](const json& v, const std::string& where, CronJob& job) { return takeText(v, where, job.urlVariable); } },
    // As services that keep their registry in code spell it.
    JobMember{ "targetUrlEnv",
        [](const json& v, const std::string& where, CronJob& job) { return takeText(v, where, job.urlVariable); } },
    JobMember{ "target", takeTarget },
    JobMember{ "path",
        [](const json& v, const std::string& where, CronJob& job) -> Status {
            const auto text = takeText(v, where, job.path);
            return text && !job.path.starts_with('/') ? expectedAt(where, v, "a path that begins with /") : text;
        } },
    JobMember{ "scopes",
        [](const json& v, const std::string& where, CronJob& job) -> Status {
            const auto texts = takeTexts(v, where, job.scopes);
            auto sorted = job.scopes;
            std::sort(sorted.begin(), sorted.end());
            const bool twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
            return texts && twice ? expectedAt(where, v, "a list of different scopes") : texts;
        } },
    JobMember{ "missed",
        [](const json& v, const std::string& where, CronJob& job) -> Status {
            for (const auto missed : missedWords)
                if (v == json(wordOf(missed))) {
                    job.missed = missed;
                    return {};
                }
            return expectedAt(where, v, "one of skip, latest, all");
        } },
    JobMember{ "catch_up",
        [](const json& v, const std::string& where, CronJob& job) -> Status {
            const auto length =
                v.is_string() ? parseDuration(v.get_ref<const std::string&>()) : Result<Duration>(Error{});
            if (!length || *length < onTime)
                return expectedAt(where, v, "a duration of at least a minute, such as \"24h\"");
            job.catchUp = *length;
            return {};
        } },
};

Status judgeJob(const CronJob& job, const std::string& where)
{
    if (job.id.empty() || job.scheduleText.empty())
        return invalid(where + ": " + (job.id.empty() ? "id" : "schedule") + " is missing");
    const int targets = (job.command.empty() ? 0 : 1) + (job.url.empty() ? 0 : 1) + (job.urlVariable.empty() ? 0 : 1);
    if (targets != 1)
        return invalid(
            where + ": expected one of command, url, url_env and target, there are " + std::to_string(targets));
    if (withoutCredentials(job.url) != job.url)
        return invalid(where
            + ": an address with a user, a password or a token in it is not called and a registry is no place for one; "
              "set FENCEPOST_AUTHORIZATION where the job runs");
    if (!job.path.empty() && job.urlVariable.empty())
        return invalid(where + ": path goes with url_env");
    if (const auto key = keyOfField(quotedKey(runIdOf(job.id, timeFromMicros(0)))); !key)
        return invalid(where + ".id: it makes no key: " + key.error().message);
    return {};
}

Result<CronJob> readJob(const json& object, const std::string& where)
{
    if (!object.is_object())
        return expectedAt(where, object, "an object");
    CronJob job;
    for (const auto& [name, value] : object.items()) {
        const auto* const member = std::find_if(
            jobMembers.begin(), jobMembers.end(), [&name = name](const JobMember& each) { return each.name == name; });
        if (member == jobMembers.end()) {
            std::string known;
            for (const auto& each : jobMembers)
                known += (known.empty() ? "" : ", ") + std::string(each.name);
            return invalid(where + "." + name + ": no such member; there are " + known);
        }
        if (const auto taken = member->take(value, where + "." + name, job); !taken)
            return taken.error();
    }
    if (const auto judged = judgeJob(job, where); !judged)
        return judged.error();
    return job;
}

} // namespace

std::string_view wordOf(MissedSlots missed) noexcept
{
    switch (missed) {
    case MissedSlots::Skip:
        return "skip";
    case MissedSlots::Latest:
        return "latest";
    case MissedSlots::All:
        return "all";
    }
    return "";
}

Result<CronRegistry> parseCronRegistry(std::string_view text)
{
    if (text.size() > largestRegistry)
        return invalid("a registry is at most 1 MiB");
    const auto root = operation::parseStrict(text);
    if (!root)
        return root.error();
    const bool bare = root->is_array(); // as services keep it in code
    if (!bare && (!root->is_object() || !root->contains("jobs") || !(*root)["jobs"].is_array()))
        return invalid("a registry is a list of jobs, or an object with format and a list jobs");
    if (!bare)
        for (const auto& [name, value] : root->items())
            if (name != "format" && name != "jobs")
                return invalid(name + ": no such part; there are format, jobs");
    if (!bare && root->contains("format") && (*root)["format"] != 1)
        return invalid("format: this build reads format 1");
    const auto& jobs = bare ? *root : (*root)["jobs"];
    CronRegistry registry;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const auto where = "jobs[" + std::to_string(i) + "]";
        auto job = readJob(jobs[i], where);
        if (!job)
            return job.error();
        for (const auto& other : registry.jobs)
            if (other.id == job->id)
                return invalid(where + ".id: \"" + job->id + "\" is another job's id");
        registry.jobs.push_back(std::move(*job));
    }
    return registry;
}

std::vector<Time> dueSlots(const CronJob& job, Time now)
{
    std::vector<Time> slots;
    const auto reach = job.missed == MissedSlots::Skip ? onTime : job.catchUp;
    for (auto slot = job.schedule.lastUntil(now); slot && *slot > now - reach && slots.size() < mostSlots;
         slot = job.schedule.lastUntil(*slot - Duration(1))) {
        slots.push_back(*slot);
        if (job.missed == MissedSlots::Latest)
            break;
    }
    std::reverse(slots.begin(), slots.end());
    return slots;
}

std::string runIdOf(std::string_view job, Time slot)
{
    auto instant = formatInstant(slot);
    if (const auto wholeSecond = instant.find(".000000Z"); wholeSecond != std::string::npos)
        instant = instant.substr(0, wholeSecond) + 'Z';
    return std::string(job) + '@' + instant;
}

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "core/error_report.h"
#include "core/ids.h"
#include "core/in_quotes.h"
#include "core/operations/carry_out.h"

namespace fencepost {

namespace operation {

namespace {

// Somebody else holds this one row: lock timeout, deadlock, serialization failure of PostgreSQL.
bool concernsOneRow(const Error& error)
{
    return error.code == "55P03" || error.code == "40P01" || error.code == "40001";
}

// A parameter that nobody asks for may be one that was misspelt.
Status checkAsked(const Binding& binding, const Plan& plan)
{
    const auto* operation = findOperation(plan.verb);
    if (binding.native || operation == nullptr)
        return {};
    const auto capability = std::find_if(binding.capabilities.begin(), binding.capabilities.end(),
        [&](const Capability& candidate) { return candidate.verb == plan.verb; });
    for (const auto& [name, value] : plan.parameters) {
        const bool own = std::any_of(operation->parameters.begin(), operation->parameters.end(),
            [&, &id = name](const Parameter& parameter) { return id == parameter.id; });
        const bool asked = capability != binding.capabilities.end()
            && std::any_of(capability->parameters.begin(), capability->parameters.end(),
                [&, &id = name](const ActionParameter& parameter) { return id == parameter.name; });
        if (!own && !asked)
            return invalid(
                "Nothing in the table " + binding.name + " asks for the plan's parameter " + inQuotes(name) + '.');
    }
    return {};
}

} // namespace

bool endsTheRun(const Error& error)
{
    if (concernsOneRow(error))
        return false;
    switch (error.failure) {
    case Failure::Full:
    case Failure::Unavailable:
    case Failure::InDoubt:
    case Failure::Denied:
    case Failure::Corrupt:
    case Failure::Unsupported:
    case Failure::Cancelled:
        return true;
    case Failure::Invalid:
    case Failure::NotFound:
    case Failure::Conflict:
    case Failure::TimedOut:
    case Failure::Internal:
        return false;
    }
    return true;
}

namespace {

// A statement without what is another with every look: the instant that is now, and ids that are made up.
std::string constantPart(const std::string& sql)
{
    std::string constant;
    std::istringstream lines(sql);
    for (std::string line; std::getline(lines, line);) {
        const auto value = line.find(" = ");
        if (line.starts_with("-- :") && value != std::string::npos) {
            const auto literal = line.substr(value + 3);
            const bool isNumber = literal.find_first_not_of("0123456789") == std::string::npos;
            const bool isMadeUp = literal.size() > 2 && isUuid(literal.substr(1, literal.size() - 2));
            if (isNumber || isMadeUp)
                line.resize(value);
        }
        constant += line + '\n';
    }
    return constant;
}

// A profile may be another by now, and so may the zone of its times: what was reviewed is what is carried out.
Status checkStatements(Inspector& inspector, const Binding& binding, const Plan& plan)
{
    if (binding.native || plan.sql.empty() || !plan.undoOf.empty())
        return {};
    // What cannot be compiled is told of each row.
    const auto sql = inspector.sqlOf(binding, plan.verb, plan.parameters);
    if (!sql)
        return {};
    if (constantPart(*sql) == constantPart(plan.sql))
        return {};
    return Error{ Failure::Conflict,
        "The profile " + plan.profile
            + ", or what it was told of its times, has changed since the plan was made: it "
              "would carry out other statements than the plan shows.",
        {}, {}, "Make a new plan" };
}

} // namespace

Result<Binding> targetOf(Inspector& inspector, const Plan& plan)
{
    if (!findOperation(plan.verb) && !(findInverse(plan.verb) && !plan.undoOf.empty()))
        return invalid("The plan's operation " + inQuotes(plan.verb) + " is unknown to this build.");
    auto info = inspector.info();
    if (!info)
        return info.error();
    if (info->identity != plan.database)
        return invalid(
            "The plan was made for another database: " + plan.database + ", this one is " + info->identity + '.');
    if (info->replica)
        return Error{ Failure::Unsupported, "This database is a replica, which takes no changes.", {}, {},
            "Apply the plan on its primary" };
    auto bindings = inspector.bindings();
    if (!bindings)
        return bindings.error();
    const auto found = std::find_if(
        bindings->begin(), bindings->end(), [&](const Binding& binding) { return binding.name == plan.binding; });
    if (found == bindings->end())
        return Error{ Failure::NotFound, "The plan's table " + plan.binding + " is not here.", {} };
    if (found->profile != plan.profile)
        return invalid("The plan was made through the profile " + plan.profile + ", the table " + plan.binding
            + " is now read through " + found->profile + ": make a new plan.");
    if (const auto known = checkAsked(*found, plan); !known)
        return known.error();
    if (const auto same = checkStatements(inspector, *found, plan); !same)
        return same.error();
    return *found;
}

Change changeOf(const Plan& plan, const PlanItem& item, const std::string& actor)
{
    Change change{ plan.requestId, item.number, plan.verb, item.identity, item.fence, item.seen, item.state,
        plan.parameters, actor, plan.reason };
    if (plan.actor != actor)
        change.parameters["planned_by"] = plan.actor;
    for (const auto& [name, value] : item.parameters)
        change.parameters[name] = value;
    return change;
}

void count(RunReport& report, ItemResult result)
{
    switch (result) {
    case ItemResult::Changed:
        ++report.changed;
        return;
    case ItemResult::AlreadyDone:
        ++report.alreadyDone;
        return;
    case ItemResult::Skipped:
        ++report.skipped;
        return;
    case ItemResult::Failed:
        ++report.failed;
        return;
    }
}

ItemOutcome failed(const Error& error)
{
    return { ItemResult::Failed, rowReport(error), {}, {} };
}

void admitHidden(const Binding& binding, ItemOutcome& outcome)
{
    constexpr std::string_view gone = "there is no such";
    if (binding.mayHideRows && outcome.result == ItemResult::Skipped
        && outcome.reason.compare(0, gone.size(), gone) == 0)
        outcome.reason += ", or row-level security hides it from this role";
}

} // namespace operation

Result<RunReport> applyPlan(Inspector& inspector, const Plan& plan, const std::string& actor, const Progress& progress)
{
    auto binding = operation::targetOf(inspector, plan);
    if (!binding)
        return binding.error();
    RunReport report;
    report.requestId = plan.requestId;
    report.notRun = static_cast<std::int64_t>(plan.items.size());
    for (const auto& item : plan.items) {
        auto outcome = inspector.apply(*binding, operation::changeOf(plan, item, actor));
        report.items.push_back({ item.number, item.key, outcome ? *outcome : operation::failed(outcome.error()) });
        operation::admitHidden(*binding, report.items.back().outcome);
        operation::count(report, report.items.back().outcome.result);
        --report.notRun;
        if (!outcome && operation::endsTheRun(outcome.error())) {
            report.stoppedBy = outcome.error();
            break;
        }
        if (progress && !progress(report.items.back(), report.items.size(), plan.items.size()) && report.notRun > 0) {
            report.stoppedBy = Error{ Failure::Cancelled, "The run was stopped.", {} };
            break;
        }
    }
    return report;
}

} // namespace fencepost

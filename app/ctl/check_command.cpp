// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include "app/ctl/commands.h"
#include "app/ctl/files.h"
#include "core/protocol/contract_lint.h"

namespace fencepost::app {

namespace {

struct CheckOptions {
    std::string file;
    bool gates = false;
    bool members = false;
};

constexpr const char* format = "FILE is a JSON object {\"format\": 1, \"routes\": [...], \"consumers\": [...], "
                               "\"producers\": [...], \"clients\": [...], \"jobs\": [...]}, all lists optional.\n"
                               "\"defaults\": {\"routes\": {...}, ...} says what holds where a route says nothing; "
                               "\"policy\": {...} is a policy as in fencepost.policy.json,\n"
                               "instead of the one of --policy. What members there are: check --members; "
                               "what is checked: check --gates.\n"
                               "Exit code: 0 all gates pass, 3 one failed, 2 the file is no contract, "
                               "1 it cannot be read.";

std::string_view wordOf(MemberForm form)
{
    switch (form) {
    case MemberForm::Word:
        return "word";
    case MemberForm::Words:
        return "words";
    case MemberForm::Text:
        return "text";
    case MemberForm::Texts:
        return "texts";
    case MemberForm::Route:
        return "route";
    case MemberForm::HttpStatus:
        return "status";
    case MemberForm::Count:
        return "count";
    case MemberForm::Preset:
        return "preset";
    case MemberForm::Jitter:
        return "jitter";
    case MemberForm::Schedule:
        return "schedule";
    }
    return "";
}

int listGates(Context& context)
{
    Table table(context.out, { "GATE", "ORIGIN", "WHAT" });
    for (const auto& gate : gates()) {
        json finds = json::array();
        for (const auto& pattern : antiPatterns())
            if (pattern.gate == gate.id)
                finds.push_back(pattern.name);
        if (context.out.isJson())
            context.out.object({ { "gate", gate.id }, { "origin", wordOf(gate.origin) }, { "title", gate.title },
                { "anti_patterns", finds } });
        else
            table.add({ std::string(gate.id), std::string(wordOf(gate.origin)), std::string(gate.title) });
    }
    if (!context.out.isJson())
        table.show();
    return Exit::Done;
}

int listMembers(Context& context)
{
    Table table(context.out, { "LIST", "MEMBER", "FORM", "WORDS", "WHAT" });
    for (const auto& member : contractMembers()) {
        if (context.out.isJson())
            context.out.object({ { "list", listOf(member.kind) }, { "member", member.name },
                { "form", wordOf(member.form) }, { "words", member.words }, { "meaning", member.meaning } });
        else
            table.add({ std::string(listOf(member.kind)), std::string(member.name), std::string(wordOf(member.form)),
                std::string(member.words), std::string(member.meaning) });
    }
    if (!context.out.isJson())
        table.show();
    return Exit::Done;
}

void show(Context& context, const Finding& finding)
{
    if (context.out.isJson())
        context.out.object({ { "gate", finding.gate }, { "list", listOf(finding.kind) }, { "route", finding.subject },
            { "path", finding.path }, { "problem", finding.problem }, { "remedy", finding.remedy } });
    else
        context.out.line(printable(finding.path + ": " + std::string(finding.gate) + ": " + finding.subject + ": "
            + finding.problem + ". " + finding.remedy + '.'));
}

Result<Contract> readContract(Context& context, const std::string& file)
{
    const auto policy = context.policy();
    if (!policy)
        return policy.error();
    const auto text = file == "-" ? readStandardInput() : readFile(file);
    if (!text)
        return text.error();
    auto contract = parseContract(*text, *policy);
    if (contract)
        return contract;
    auto error = contract.error();
    error.message = file + ": " + error.message;
    return error;
}

int check(Context& context, const CheckOptions& options)
{
    if (options.gates)
        return listGates(context);
    if (options.members)
        return listMembers(context);
    if (options.file.empty())
        return context.usage("check needs the file of a contract, --gates or --members");
    const auto contract = readContract(context, options.file);
    if (!contract)
        return context.rejectInput(contract.error());
    const auto findings = lint(*contract);
    std::set<std::string_view> failed;
    for (const auto& finding : findings) {
        show(context, finding);
        failed.insert(finding.gate);
    }
    const auto all = std::to_string(gates().size());
    if (failed.empty() && !context.out.isJson())
        context.out.line("All " + all + " gates pass.");
    if (!failed.empty())
        context.out.note(std::to_string(failed.size()) + " of " + all + " gates failed.");
    return failed.empty() ? Exit::Done : Exit::Refused;
}

} // namespace

void addCheckCommand(CLI::App& app, Context& context)
{
    auto* command = addCommand<CheckOptions>(
        app, context, "check", "Check what a service declares about its routes against the playbook's gates",
        [](CLI::App& declared, CheckOptions& options) {
            declared.add_option("file", options.file, "The contract, fencepost.contract.json; - is standard input");
            declared.add_flag("--gates", options.gates, "List what is checked");
            declared.add_flag("--members", options.members, "List what a contract may say");
        },
        check);
    command->footer(format);
}

} // namespace fencepost::app

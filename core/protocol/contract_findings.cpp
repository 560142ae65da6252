// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/contract_findings.h"

#include "core/protocol/ascii.h"
#include "core/protocol/http_message.h"

namespace fencepost::contract_lint {

bool isUnsafe(const ContractSubject& subject)
{
    return !isSafeMethod(subject.method());
}

bool isKeyed(const ContractSubject& subject)
{
    return isUnsafe(subject) && subject.word("key") != "none";
}

std::string said(const ContractSubject& subject, std::string_view member)
{
    return std::string(withoutBlanks(subject.word(member)));
}

void report(Findings& findings, std::string_view gate, const ContractSubject& subject, const std::string& path,
    std::string problem, std::string_view remedy)
{
    findings.push_back({ gate, subject.kind, subject.name, path, std::move(problem), std::string(remedy) });
}

} // namespace fencepost::contract_lint

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/policy.h"

namespace fencepost {

// What a contract speaks about. Each kind is a list of its own in the file.
enum class SubjectKind { Route, Consumer, Producer, Client, Job };

[[nodiscard]] std::string_view listOf(SubjectKind kind) noexcept; // "routes", "consumers", …
[[nodiscard]] std::span<const SubjectKind> allSubjectKinds() noexcept;

enum class MemberForm {
    Word, // one of the member's words
    Words, // a list of them
    Text,
    Texts, // a list of texts
    Route, // "POST /v1/refunds"
    HttpStatus, // 100 to 599
    Count, // from 1
    Preset, // of retry::presets()
    Jitter, // as retry::jitterOf reads it
    Schedule, // five fields of cron
};

// One member that a subject may have. The reader, the gates and the help of the command read this table.
struct ContractMember {
    SubjectKind kind;
    std::string_view name;
    MemberForm form;
    std::string_view words; // Word, Words: separated by a blank
    std::string_view meaning;
};

[[nodiscard]] std::span<const ContractMember> contractMembers() noexcept;
// Whether one of the words, separated by a blank, is this one.
[[nodiscard]] bool hasWord(std::string_view words, std::string_view word) noexcept;

// What a member says, as text: a number has its digits, a single value is a list of one.
struct ContractValue {
    std::vector<std::string> words;
    std::string path; // in the file: "routes[1].key", "defaults.routes.key"

    [[nodiscard]] bool has(std::string_view word) const;
    bool operator==(const ContractValue&) const = default;
};

// A route, a consumer, a producer, a client or a job, with what the file's defaults say where it says nothing.
struct ContractSubject {
    SubjectKind kind = SubjectKind::Route;
    std::string name; // the route, name or id
    std::string path; // "routes[1]"
    std::map<std::string, ContractValue, std::less<>> said;
    RoutePolicy policy; // Route, Consumer: of its scope and operation

    [[nodiscard]] const ContractValue* find(std::string_view member) const;
    [[nodiscard]] std::string word(std::string_view member) const; // the only or first one; empty: not said
    // Where the member is said, or would be.
    [[nodiscard]] std::string pathOf(std::string_view member) const;
    [[nodiscard]] std::string method() const; // Route: "POST"
};

// fencepost.contract.json: what a service declares about its routes, consumers, producers, clients and jobs.
struct Contract {
    std::vector<ContractSubject> subjects; // in the order of allSubjectKinds() and of the file
    bool ownPolicy = false; // the policy stands in the contract

    [[nodiscard]] const ContractSubject* route(std::string_view name) const;
};

// Invalid: the message says where and what: "routes[2].key: "maybe" is none of required, optional, none". `policy`
// holds where the contract has none of its own.
[[nodiscard]] Result<Contract> parseContract(std::string_view text, const Policy& policy);

} // namespace fencepost

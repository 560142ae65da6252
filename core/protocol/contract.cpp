// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/contract.h"

#include <algorithm>
#include <array>

namespace fencepost {

namespace {

constexpr std::array kinds = { SubjectKind::Route, SubjectKind::Consumer, SubjectKind::Producer, SubjectKind::Client,
    SubjectKind::Job };
constexpr std::array<std::string_view, kinds.size()> lists = { "routes", "consumers", "producers", "clients", "jobs" };

using enum SubjectKind;

// clang-format off
constexpr std::array memberTable = {
    ContractMember{ Route, "route", MemberForm::Route, "", "method and path: \"POST /v1/refunds\"" },
    ContractMember{ Route, "scope", MemberForm::Text, "", "scope in the policy" },
    ContractMember{ Route, "operation", MemberForm::Text, "", "operation type in the policy; the route where it is not said" },
    ContractMember{ Route, "key", MemberForm::Word, "required optional none", "whether an Idempotency-Key is asked for" },
    ContractMember{ Route, "key_scope", MemberForm::Words, "route operation principal tenant", "what a key is unique within" },
    ContractMember{ Route, "reverses", MemberForm::Route, "", "the route whose effect this one takes back" },
    ContractMember{ Route, "irreversible", MemberForm::Text, "", "why no route takes its effect back" },
    ContractMember{ Route, "fingerprint", MemberForm::Word, "v1 body_only none", "the hash that tells another request" },
    ContractMember{ Route, "mismatch_status", MemberForm::HttpStatus, "", "the answer to another request under a used key" },
    ContractMember{ Route, "reserve", MemberForm::Word, "insert_first read_first", "how two requests at once are told apart" },
    ContractMember{ Route, "store", MemberForm::Word, "database cache memory", "where records are kept" },
    ContractMember{ Route, "finalize", MemberForm::Word, "in_transaction after_effect before_effect", "when the outcome is recorded" },
    ContractMember{ Route, "recovery", MemberForm::Word, "transaction recovery_points outbox saga reconcile none", "how an execution that stopped half-way goes on" },
    ContractMember{ Route, "lease", MemberForm::Word, "renewed fixed none", "what ends the hold of a dead worker" },
    ContractMember{ Route, "replay_status", MemberForm::Word, "same different", "the code of a replay" },
    ContractMember{ Route, "replay_body", MemberForm::Word, "same reference different", "the body of a replay" },
    ContractMember{ Route, "replay_header", MemberForm::Text, "", "the header that marks a replay" },
    ContractMember{ Route, "failures", MemberForm::Word, "classified all none", "which failures are kept as the answer" },
    ContractMember{ Route, "throttled", MemberForm::Word, "retry_after bare never", "what a 429 says" },
    ContractMember{ Route, "logs", MemberForm::Texts, "", "members of its log lines" },
    ContractMember{ Route, "traces", MemberForm::Texts, "", "attributes of its spans" },
    ContractMember{ Route, "metrics", MemberForm::Texts, "", "its counters" },
    ContractMember{ Route, "metric_labels", MemberForm::Texts, "", "labels of its counters" },
    ContractMember{ Route, "cleanup", MemberForm::Text, "", "what deletes expired records, and when" },
    ContractMember{ Route, "retention", MemberForm::Text, "", "where the lifetime of keys is documented" },
    ContractMember{ Route, "update", MemberForm::Word, "if_match last_write_wins", "what a PUT does to a newer version" },
    ContractMember{ Route, "pagination", MemberForm::Word, "keyset offset none", "how a list is read page by page" },

    ContractMember{ Consumer, "name", MemberForm::Text, "", "what it is called" },
    ContractMember{ Consumer, "scope", MemberForm::Text, "", "scope in the policy" },
    ContractMember{ Consumer, "operation", MemberForm::Text, "", "operation type in the policy; the name where it is not said" },
    ContractMember{ Consumer, "dedupe_by", MemberForm::Word, "event_id dedupe_key none", "what tells a second delivery" },
    ContractMember{ Consumer, "inbox", MemberForm::Text, "", "the table of deliveries" },
    ContractMember{ Consumer, "inbox_write", MemberForm::Word, "before_effect with_effect after_effect", "when a delivery is recorded" },
    ContractMember{ Consumer, "store", MemberForm::Word, "database cache memory", "where deliveries are kept" },
    ContractMember{ Consumer, "ordering", MemberForm::Word, "any assumed", "in which order events may come" },
    ContractMember{ Consumer, "max_attempts", MemberForm::Count, "", "how often a delivery is tried" },
    ContractMember{ Consumer, "dead_letter", MemberForm::Text, "", "where deliveries that were given up go" },
    ContractMember{ Consumer, "logs", MemberForm::Texts, "", "members of its log lines" },
    ContractMember{ Consumer, "traces", MemberForm::Texts, "", "attributes of its spans" },
    ContractMember{ Consumer, "metrics", MemberForm::Texts, "", "its counters" },
    ContractMember{ Consumer, "metric_labels", MemberForm::Texts, "", "labels of its counters" },
    ContractMember{ Consumer, "cleanup", MemberForm::Text, "", "what deletes old deliveries, and when" },
    ContractMember{ Consumer, "retention", MemberForm::Text, "", "where their lifetime is documented" },

    ContractMember{ Producer, "name", MemberForm::Text, "", "what it is called" },
    ContractMember{ Producer, "outbox", MemberForm::Text, "", "the table of events to send" },
    ContractMember{ Producer, "outbox_write", MemberForm::Word, "with_change after_change", "whether an event is in the transaction of its change" },
    ContractMember{ Producer, "max_attempts", MemberForm::Count, "", "how often an event is sent" },
    ContractMember{ Producer, "dead_letter", MemberForm::Text, "", "where events that were given up go" },

    ContractMember{ Client, "name", MemberForm::Text, "", "whom it calls" },
    ContractMember{ Client, "preset", MemberForm::Preset, "", "a retry preset, which says the rest" },
    ContractMember{ Client, "retries", MemberForm::Texts, "", "429, 5xx, 503, timeout, reset or error codes" },
    ContractMember{ Client, "backoff", MemberForm::Word, "exponential fixed none", "how delays grow" },
    ContractMember{ Client, "jitter", MemberForm::Jitter, "", "how delays are spread" },
    ContractMember{ Client, "retry_after", MemberForm::Word, "honoured ignored", "whether a server may ask for a delay" },
    ContractMember{ Client, "attempts", MemberForm::Count, "", "the first one included" },
    ContractMember{ Client, "key", MemberForm::Word, "per_operation per_attempt none", "how long one key is used" },
    ContractMember{ Client, "breaker", MemberForm::Word, "inside_retry around_retry none", "where the circuit breaker stands" },

    ContractMember{ Job, "id", MemberForm::Text, "", "what it is called" },
    ContractMember{ Job, "schedule", MemberForm::Schedule, "", "when it runs, as five fields of cron" },
    ContractMember{ Job, "target", MemberForm::Text, "", "what it calls" },
    ContractMember{ Job, "scopes", MemberForm::Texts, "", "what it may do there" },
    ContractMember{ Job, "key", MemberForm::Word, "run_id none", "what makes a second run of one instant the same run" },
};
// clang-format on

} // namespace

std::string_view listOf(SubjectKind kind) noexcept
{
    return lists[static_cast<std::size_t>(kind)];
}

std::span<const SubjectKind> allSubjectKinds() noexcept
{
    return kinds;
}

std::span<const ContractMember> contractMembers() noexcept
{
    return memberTable;
}

bool hasWord(std::string_view words, std::string_view word) noexcept
{
    while (!words.empty()) {
        const auto end = std::min(words.find(' '), words.size());
        if (words.substr(0, end) == word)
            return true;
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return false;
}

bool ContractValue::has(std::string_view word) const
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

const ContractValue* ContractSubject::find(std::string_view member) const
{
    const auto found = said.find(member);
    return found == said.end() ? nullptr : &found->second;
}

std::string ContractSubject::word(std::string_view member) const
{
    const auto* value = find(member);
    return value == nullptr || value->words.empty() ? std::string() : value->words.front();
}

std::string ContractSubject::pathOf(std::string_view member) const
{
    const auto* value = find(member);
    return value == nullptr ? path + '.' + std::string(member) : value->path;
}

std::string ContractSubject::method() const
{
    return name.substr(0, name.find(' '));
}

const ContractSubject* Contract::route(std::string_view name) const
{
    for (const auto& subject : subjects)
        if (subject.kind == SubjectKind::Route && subject.name == name)
            return &subject;
    return nullptr;
}

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/redaction_rules.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/json_redaction.h"
#include "core/profile/detection.h"
#include "core/profile/document.h"
#include "core/protocol/digest.h"
#include "core/without_credentials.h"

namespace fencepost {

namespace {

using By = RedactionRules::By;
using profile::Node;

constexpr std::size_t largestFile = 1U << 20U;

struct ByWord {
    By by;
    std::string_view word;
};

constexpr std::array bys = { ByWord{ By::Column, "column" }, ByWord{ By::Header, "header" },
    ByWord{ By::Pointer, "pointer" }, ByWord{ By::Member, "member" } };

struct ActionWord {
    RedactionAction action;
    std::string_view word;
};

constexpr std::array actions = { ActionWord{ RedactionAction::Hide, "hide" },
    ActionWord{ RedactionAction::Hash, "hash" }, ActionWord{ RedactionAction::Keep, "keep" } };

std::string_view wordOf(RedactionAction action)
{
    return std::find_if(actions.begin(), actions.end(), [&](const ActionWord& each) {
        return each.action == action;
    })->word;
}

std::string_view wordOf(By by)
{
    return std::find_if(bys.begin(), bys.end(), [&](const ByWord& each) { return each.by == by; })->word;
}

RedactionAction actionOf(const Node& node)
{
    const auto word = node.oneOf({ "hide", "hash", "keep" });
    for (const auto& each : actions)
        if (each.word == word)
            return each.action;
    return RedactionAction::Hide;
}

std::optional<RedactionRules::Rule> ruleOf(const Node& node)
{
    node.onlyKeys({ "column", "header", "pointer", "member", "action" });
    std::optional<RedactionRules::Rule> rule;
    for (const auto& [by, word] : bys) {
        const auto what = node.child(std::string(word));
        if (!what)
            continue;
        if (rule)
            what->refuse("one of column, header, pointer and member");
        rule = RedactionRules::Rule{ by, what->text(), RedactionAction::Hide };
        if (rule->what.empty() || (by == By::Pointer && rule->what.front() != '/'))
            what->refuse(by == By::Pointer ? "a JSON pointer, which begins with \"/\"" : "a name");
    }
    const auto action = node.child("action");
    if (!rule || !action) {
        node.refuse(rule ? "an \"action\": hide, hash or keep" : "one of column, header, pointer and member");
        return std::nullopt;
    }
    rule->action = actionOf(*action);
    return rule;
}

// What names rows of other tables in a text of its own.
constexpr std::array naming{ std::string_view("identity"), std::string_view("plan") };
constexpr std::string_view listOfNames = "identity"; // a JSON array, as the journals of operations write it
constexpr std::array images{ std::string_view("before_image"), std::string_view("after_image") };

template <typename Names> bool isOneOf(const Names& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Without the table that may stand before it.
std::string_view columnOf(const RedactionRules::Rule& rule)
{
    const std::string_view what = rule.what;
    return what.substr(what.rfind('.') + 1);
}

std::string inWordsOf(const RedactionRules::Rule& rule)
{
    return std::string(wordOf(rule.action)) + ' ' + std::string(wordOf(rule.by)) + ' ' + rule.what;
}

// States, counts and instants of Fencepost's own tables, without which they would say something else.
bool isWorking(std::string_view column)
{
    constexpr std::array working{ std::string_view("status"), std::string_view("state"), std::string_view("kind"),
        std::string_view("from_state"), std::string_view("to_state"), std::string_view("event"),
        std::string_view("fence"), std::string_view("attempt"), std::string_view("max_attempts"),
        std::string_view("takeover_policy"), std::string_view("fingerprint_alg"), std::string_view("response_code"),
        std::string_view("count"), std::string_view("slot"), std::string_view("seq"), std::string_view("hold"),
        std::string_view("deaths"), std::string_view("at"), std::string_view("created_at"),
        std::string_view("started_at"), std::string_view("expires_at"), std::string_view("lease_expires_at"),
        std::string_view("first_at"), std::string_view("last_at"), std::string_view("dead_at"),
        std::string_view("received_at"), std::string_view("processed_at"), std::string_view("sent_at"),
        std::string_view("settled_at"), std::string_view("discarded_at"), std::string_view("not_before"),
        std::string_view("version") };
    return isOneOf(working, column);
}

// By these rows are told apart that are not of one key.
bool tellsApart(std::string_view column)
{
    constexpr std::array alike{ std::string_view("response_ref_type"), std::string_view("response_ref_id"),
        std::string_view("ordering_key"), std::string_view("effect_key"), std::string_view("dedupe_key") };
    return isOneOf(alike, column);
}

bool isHash(std::string_view column)
{
    return column.ends_with("hash") || column.ends_with("digest");
}

} // namespace

std::vector<std::string> RedactionRules::inWords() const
{
    std::vector<std::string> words;
    for (const auto& rule : rules)
        words.push_back(inWordsOf(rule));
    words.emplace_back(standardNames ? "hide what the console hides" : "keep what no rule names");
    words.emplace_back(urls ? "hide credentials in URLs" : "keep credentials in URLs");
    return words;
}

Result<RedactionRules> parseRedactionRules(std::string_view json, const std::string& file)
{
    if (json.size() > largestFile)
        return invalid(file + ": a file of rules is no larger than 1 MiB");
    const auto document = profile::parseDocument(json, file);
    if (!document)
        return document.error();
    Node::Report report{ file, std::nullopt };
    const Node root(*document, "", report);
    RedactionRules rules;
    rules.name.clear();
    rules.digest = toHex(sha256(json));
    if (!root.isObject()) {
        root.refuse("an object with \"name\" and \"rules\"");
        return *report.error;
    }
    root.onlyKeys({ "name", "rules", "standard", "urls", "salt" });
    if (const auto name = root.child("name"))
        rules.name = name->text();
    if (rules.name.empty())
        root.refuse("a \"name\", by which the manifest calls the rules");
    if (const auto standard = root.child("standard"))
        rules.standardNames = standard->boolean();
    if (const auto urls = root.child("urls"))
        rules.urls = urls->oneOf({ "hide", "keep" }) == "hide";
    if (const auto salt = root.child("salt"))
        rules.salt = salt->text();
    const auto list = root.child("rules");
    if (list && !list->isArray())
        list->refuse("a list of rules");
    if (list && list->isArray())
        for (const auto& element : list->elements())
            if (const auto rule = ruleOf(element))
                rules.rules.push_back(*rule);
    if (report.error)
        return *report.error;
    return rules;
}

bool isLink(std::string_view column) noexcept
{
    constexpr std::array links{ std::string_view("scope"), std::string_view("operation_type"),
        std::string_view("idempotency_key"), std::string_view("event_id"), std::string_view("correlation_id"),
        std::string_view("request_id"), std::string_view("run_id"), std::string_view("destination"),
        std::string_view("consumer"), std::string_view("source"), std::string_view("subject") };
    return isOneOf(links, column);
}

SnapshotRedaction::SnapshotRedaction(RedactionRules rules, std::string salt)
    : m_rules(std::move(rules))
    , m_salt(std::move(salt))
    , m_met(m_rules.rules.size())
    , m_redactor(redactorBy(&SnapshotRedaction::ruleOn))
    , m_imageRedactor(redactorBy(&SnapshotRedaction::ruleOnImage))
{
}

Redactor SnapshotRedaction::redactorBy(
    std::optional<RedactionAction> (SnapshotRedaction::*rule)(std::string_view, std::string_view) const) const
{
    RedactionWish wish;
    if (m_rules.standardNames)
        wish.names = Redactor::standardNames();
    wish.kinds = { m_rules.urls, m_rules.standardNames };
    if (!m_rules.rules.empty())
        wish.rule = [this, rule](
                        std::string_view name, std::string_view pointer) { return (this->*rule)(name, pointer); };
    wish.hash = [this](std::string_view value) { return hashed(value); };
    return Redactor(std::move(wish));
}

std::optional<RedactionAction> SnapshotRedaction::take(const RedactionRules::Rule& rule) const
{
    m_met[static_cast<std::size_t>(&rule - m_rules.rules.data())] = true;
    return rule.action;
}

std::vector<std::string> SnapshotRedaction::unmet() const
{
    std::vector<std::string> words;
    for (std::size_t i = 0; i < m_met.size(); ++i)
        if (!m_met[i])
            words.push_back(inWordsOf(m_rules.rules[i]));
    return words;
}

std::optional<RedactionAction> SnapshotRedaction::ruleOnImage(std::string_view name, std::string_view pointer) const
{
    for (const auto& rule : m_rules.rules)
        if (rule.by == By::Column && profile::sameWithoutCase(columnOf(rule), name))
            return take(rule);
    return ruleOn(name, pointer);
}

std::optional<RedactionAction> SnapshotRedaction::ruleOn(std::string_view name, std::string_view pointer) const
{
    for (const auto& rule : m_rules.rules) {
        const bool named = rule.by == By::Member || rule.by == By::Header;
        if (named ? profile::sameWithoutCase(rule.what, name) : rule.by == By::Pointer && rule.what == pointer)
            return take(rule);
    }
    return std::nullopt;
}

std::string SnapshotRedaction::hashed(std::string_view value) const
{
    constexpr std::size_t shown = 32;
    PartsDigest digest("fencepost redaction");
    digest.add(m_salt);
    digest.add(value);
    return std::string(hashMark) + toHex(digest.finish()).substr(0, shown);
}

// Each name by itself, so that it is the one that stands in the row which it names.
std::string SnapshotRedaction::hashedList(std::string_view value) const
{
    auto names = nlohmann::json::parse(value, nullptr, false);
    const auto isText = [](const nlohmann::json& name) { return name.is_string(); };
    if (!names.is_array() || !std::all_of(names.begin(), names.end(), isText))
        return hashed(value);
    for (auto& name : names)
        name = hashed(name.get<std::string>());
    return names.dump();
}

bool SnapshotRedaction::takesAway(const std::string& table, const CopiedColumn& column) const
{
    return isWorking(column.name)
        && std::any_of(m_rules.rules.begin(), m_rules.rules.end(), [&](const RedactionRules::Rule& rule) {
               return rule.by == By::Column && rule.action != RedactionAction::Keep
                   && (profile::sameWithoutCase(rule.what, column.name)
                       || profile::sameWithoutCase(rule.what, table + '.' + column.name));
           });
}

std::optional<RedactionAction> SnapshotRedaction::actionOn(const std::string& table, const CopiedColumn& column) const
{
    // Two rows with one key would be one row, two requests under it one, and so on: what must not be told of these is
    // told as a hash. An instant that is hashed would be another one.
    const auto fitting = [&](RedactionAction action) {
        if (column.name == "updated_at" && action == RedactionAction::Hash)
            return RedactionAction::Hide;
        const bool isAlike = column.use == ColumnUse::Key || isHash(column.name) || tellsApart(column.name);
        return isAlike && action == RedactionAction::Hide ? RedactionAction::Hash : action;
    };
    // A key is one key wherever it stands: also in the journal, and where an operation says which row it is about.
    const auto names = [&](const RedactionRules::Rule& rule) {
        const bool link = column.use == ColumnUse::Key && isLink(column.name);
        return profile::sameWithoutCase(link ? columnOf(rule) : std::string_view(rule.what), column.name)
            || profile::sameWithoutCase(rule.what, table + '.' + column.name);
    };
    for (const auto& rule : m_rules.rules)
        if (rule.by == By::Column && names(rule))
            return fitting(*take(rule));
    if (column.use != ColumnUse::Other && isOneOf(naming, column.name))
        for (const auto& rule : m_rules.rules)
            if (rule.by == By::Column && rule.action != RedactionAction::Keep && isLink(columnOf(rule)))
                return RedactionAction::Hash;
    if (column.use == ColumnUse::Other && !isHash(column.name) && m_redactor.hides(column.name))
        return RedactionAction::Hide;
    return std::nullopt;
}

RedactedValue SnapshotRedaction::replaced(
    const CopiedColumn& column, RedactionAction action, const CopiedValue& value) const
{
    const bool text = value.kind == CopiedValue::Kind::Text || value.kind == CopiedValue::Kind::Octets;
    if (action == RedactionAction::Hide)
        return text          ? RedactedValue{ value.kind, 0, std::string(hiddenMark) }
            : column.notNull ? RedactedValue{ CopiedValue::Kind::Integer, 0, {} }
                             : RedactedValue{};
    if (text)
        return { value.kind, 0, column.name == listOfNames ? hashedList(value.octets) : hashed(value.octets) };
    const auto number =
        value.kind == CopiedValue::Kind::Integer ? std::to_string(value.integer) : std::to_string(value.real);
    constexpr std::size_t digits = 15;
    return { CopiedValue::Kind::Integer, std::stoll(hashed(number).substr(hashMark.size(), digits), nullptr, 16), {} };
}

// What a text says by itself.
std::optional<RedactedValue> SnapshotRedaction::read(const CopiedColumn& column, const CopiedValue& value) const
{
    const auto text = value.octets;
    if (column.use == ColumnUse::Key || isHash(column.name)) {
        if (!m_rules.urls || text.find("://") == std::string_view::npos)
            return std::nullopt;
        auto shown = withoutCredentials(text);
        if (shown == text)
            return std::nullopt;
        // Two addresses that differ in a token alone are two destinations.
        constexpr std::size_t digits = 8;
        return RedactedValue{ value.kind, 0, shown + '~' + hashed(text).substr(hashMark.size(), digits) };
    }
    if (value.kind == CopiedValue::Kind::Octets && !isReadable(text))
        return std::nullopt;
    const bool json = beginsJson(text);
    const auto& redactor = isOneOf(images, column.name) ? m_imageRedactor : m_redactor;
    if (!json && !mayTell(text))
        return std::nullopt;
    auto redacted = json ? redactor.json(text) : redactor.text(text);
    if (redacted.hidden.empty())
        return std::nullopt;
    return RedactedValue{ value.kind, 0, std::move(redacted.text) };
}

std::optional<RedactedValue> SnapshotRedaction::replacing(
    const CopiedColumn& column, std::optional<RedactionAction> action, const CopiedValue& value) const
{
    if (value.kind == CopiedValue::Kind::Null || action == RedactionAction::Keep)
        return std::nullopt;
    if (action)
        return replaced(column, *action, value);
    if (value.kind != CopiedValue::Kind::Text && value.kind != CopiedValue::Kind::Octets)
        return std::nullopt;
    return read(column, value);
}

} // namespace fencepost

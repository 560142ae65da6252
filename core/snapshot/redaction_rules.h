// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/copier.h"
#include "core/redaction.h"
#include "core/result.h"

namespace fencepost {

// What a snapshot must not tell. The first rule that names a value decides; what none names is hidden as the console
// hides it.
struct RedactionRules {
    enum class By { Column, Header, Pointer, Member };
    struct Rule {
        By by = By::Column;
        std::string what; // a column may have its table and a dot in front
        RedactionAction action = RedactionAction::Hide;
    };

    std::string name = "standard";
    std::vector<Rule> rules;
    bool standardNames = true; // card, token, password …
    bool urls = true; // credentials in URLs are hidden
    std::optional<std::string> salt; // none: drawn for each snapshot and forgotten
    std::string digest; // SHA-256 of the file, in hex; empty: the standard rules

    [[nodiscard]] std::vector<std::string> inWords() const; // never the salt
};

// Invalid: file, JSON pointer, what was found and what was expected.
[[nodiscard]] Result<RedactionRules> parseRedactionRules(std::string_view json, const std::string& file);

// A value that replaces another.
struct RedactedValue {
    CopiedValue::Kind kind = CopiedValue::Kind::Null;
    std::int64_t integer = 0;
    std::string octets;

    [[nodiscard]] CopiedValue view() const { return { kind, integer, 0, octets }; }
};

// Whether rows of several of Fencepost's own tables belong together by the column of that name.
[[nodiscard]] bool isLink(std::string_view column) noexcept;

// Carries rules out on the values of a snapshot. Equal values have equal hashes within one snapshot, so that what
// belongs together is found together.
class SnapshotRedaction {
public:
    SnapshotRedaction(RedactionRules rules, std::string salt);
    SnapshotRedaction(const SnapshotRedaction&) = delete;
    SnapshotRedaction& operator=(const SnapshotRedaction&) = delete;

    // What becomes of a column, whatever its values are. None: as its values say.
    // Of one of Fencepost's own tables: whether a rule would take away what the copy itself is read by.
    [[nodiscard]] bool takesAway(const std::string& table, const CopiedColumn& column) const;
    [[nodiscard]] std::optional<RedactionAction> actionOn(const std::string& table, const CopiedColumn& column) const;
    // None: it stays as it is. `action` is the column's.
    [[nodiscard]] std::optional<RedactedValue> replacing(
        const CopiedColumn& column, std::optional<RedactionAction> action, const CopiedValue& value) const;
    // The rules that named nothing of what was asked for so far, in words.
    [[nodiscard]] std::vector<std::string> unmet() const;

private:
    [[nodiscard]] std::optional<RedactionAction> take(const RedactionRules::Rule& rule) const;
    [[nodiscard]] std::optional<RedactionAction> ruleOn(std::string_view name, std::string_view pointer) const;
    [[nodiscard]] std::optional<RedactionAction> ruleOnImage(std::string_view name, std::string_view pointer) const;
    [[nodiscard]] Redactor redactorBy(
        std::optional<RedactionAction> (SnapshotRedaction::*rule)(std::string_view, std::string_view) const) const;
    [[nodiscard]] std::string hashed(std::string_view value) const;
    [[nodiscard]] std::string hashedList(std::string_view value) const;
    [[nodiscard]] RedactedValue replaced(
        const CopiedColumn& column, RedactionAction action, const CopiedValue& value) const;
    [[nodiscard]] std::optional<RedactedValue> read(const CopiedColumn& column, const CopiedValue& value) const;

    RedactionRules m_rules;
    std::string m_salt;
    mutable std::vector<bool> m_met; // by the places of the rules
    Redactor m_redactor;
    Redactor m_imageRedactor; // of rows that an operation wrote down as they were, by the names of their columns
};

} // namespace fencepost

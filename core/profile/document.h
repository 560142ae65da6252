// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/result.h"

namespace fencepost::profile {

// Whether a profile can name it: a table, a column, an alias, a parameter.
[[nodiscard]] bool isIdentifier(const std::string& name);

// One place in a profile being read: the value and the JSON pointer to it. The first mistake found is kept; after it
// every answer is empty, so a reader checks once at its end.
class Node {
public:
    struct Report {
        std::string file;
        std::optional<Error> error;
    };

    Node(const nlohmann::json& value, std::string pointer, Report& report);

    [[nodiscard]] const nlohmann::json& json() const { return *m_value; }
    [[nodiscard]] const std::string& pointer() const { return m_pointer; }
    [[nodiscard]] bool failed() const { return m_report->error.has_value(); }
    // "file: pointer: found …, expected …"
    void refuse(const std::string& expected) const;
    void refuse(const std::string& found, const std::string& expected) const;

    [[nodiscard]] bool isObject() const { return m_value->is_object(); }
    [[nodiscard]] bool isArray() const { return m_value->is_array(); }
    [[nodiscard]] std::optional<Node> child(const std::string& key) const; // of an object; none: absent
    [[nodiscard]] Node at(std::size_t index) const; // of an array; refused: there is none
    [[nodiscard]] std::size_t size() const { return m_value->size(); }
    [[nodiscard]] std::vector<std::pair<std::string, Node>> members() const;
    [[nodiscard]] std::vector<Node> elements() const;

    void onlyKeys(std::initializer_list<std::string_view> keys) const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string oneOf(const std::vector<std::string_view>& words) const;
    // A table's or column's name: text without quotes, backslashes and control characters, at most 128 octets.
    [[nodiscard]] std::string identifier() const;
    // Whose names are such names.
    [[nodiscard]] std::vector<std::pair<std::string, Node>> membersByIdentifier() const;
    [[nodiscard]] bool boolean() const;
    [[nodiscard]] std::vector<std::string> texts() const;
    [[nodiscard]] std::vector<std::string> identifiers() const;

private:
    const nlohmann::json* m_value;
    std::string m_pointer;
    Report* m_report;
};

// Parses strictly: no comments, no duplicate members, no nesting beyond what any profile needs.
[[nodiscard]] Result<nlohmann::json> parseDocument(std::string_view text, const std::string& file);

} // namespace fencepost::profile

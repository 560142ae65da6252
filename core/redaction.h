// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/secret_patterns.h"

namespace fencepost {

// A text with what must not be seen replaced by dots, and where that was.
struct Redacted {
    std::string text;
    std::vector<std::string> hidden; // JSON pointers, or names in other texts
};

// What becomes of a value that is named by somebody's rule.
enum class RedactionAction { Hide, Hash, Keep };

// What stands before the standard names. `pointer` is the JSON pointer of the member, empty in other texts.
using RedactionRule = std::function<std::optional<RedactionAction>(std::string_view name, std::string_view pointer)>;

// What a Redactor does beside or instead of what it does by itself.
struct RedactionWish {
    std::vector<std::string> names; // hidden wherever they name something
    SecretKinds kinds;
    RedactionRule rule; // none: there is none
    std::function<std::string(std::string_view)> hash; // makes the text that stands for a value that is hashed
};

// Hides secrets and personal data before anything is shown, copied or exported: members and headers by their names
// (card, token, password, iban, email …) and card numbers, IBANs, e-mail addresses and bearer tokens wherever they
// stand. What is not hidden stays as it is, octet by octet. Revealing is explicit: by the pointer of one member.
class Redactor {
public:
    Redactor(); // the standard names
    explicit Redactor(std::vector<std::string> names);
    explicit Redactor(RedactionWish wish);

    [[nodiscard]] static std::vector<std::string> standardNames();
    // "cardNumber", "card_number" and "CARD-NUMBER" are one name; "discard" is none.
    [[nodiscard]] bool hides(std::string_view name) const;
    // None: as its own text says.
    [[nodiscard]] std::optional<RedactionAction> actionOn(std::string_view name, std::string_view pointer) const;
    [[nodiscard]] std::string hashed(std::string_view value) const;
    // A cut-off text is hidden as far as it goes; from where it is no JSON, all of it is hidden.
    [[nodiscard]] Redacted json(std::string_view text, const std::set<std::string>& revealed = {}) const;
    // Also name=value and name: value pairs: forms and headers.
    [[nodiscard]] Redacted text(std::string_view text) const;
    // By the content type of a payload; octets that nobody could read are left alone, for they are shown as hex.
    [[nodiscard]] Redacted payload(
        std::string_view bytes, std::string_view contentType, const std::set<std::string>& revealed = {}) const;

private:
    void know(std::string_view name);

    static constexpr std::size_t octets = 256;
    // By the first octet of their first word, each as its words.
    std::array<std::vector<std::vector<std::string>>, octets> m_names;
    std::array<std::vector<std::string>, octets> m_endings; // by the last one, of names that a word may end with
    RedactionWish m_wish;
};

// A text that somebody else wrote, such as an error, for a list or a log: by the standard names, and without what a URL
// in it tells of users and passwords.
[[nodiscard]] std::string withoutSecrets(std::string_view text);

// Whether octets are a text: UTF-8, or of another encoding in which the letters of ASCII are themselves.
[[nodiscard]] bool isReadable(std::string_view octets) noexcept;

// What stands for a value that is hidden, and what begins that which stands for one that is hashed.
inline constexpr std::string_view hiddenMark = "•••";
inline constexpr std::string_view hashMark = "sha256:";

// Of a value in a redacted copy: whether it is nothing but a mark, or has one in it. A string of JSON may be quoted.
[[nodiscard]] bool isMark(std::string_view value) noexcept;
[[nodiscard]] bool hasMark(std::string_view value) noexcept;

} // namespace fencepost

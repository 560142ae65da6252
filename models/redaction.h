// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost::models {

// A text with what must not be seen replaced by dots, and where that was.
struct Redacted {
    std::string text;
    std::vector<std::string> hidden; // JSON pointers, or names in other texts
};

// Hides secrets and personal data before anything is shown, copied or exported: members by their names (card, token,
// password, iban, email …) and card numbers, IBANs, e-mail addresses and bearer tokens wherever they stand. What is
// not hidden stays as it is, octet by octet. Revealing is explicit: by the pointer of one member.
class Redactor {
public:
    Redactor(); // the standard names
    explicit Redactor(std::vector<std::string> names);

    [[nodiscard]] static std::vector<std::string> standardNames();
    // "cardNumber", "card_number" and "CARD-NUMBER" are one name; "discard" is none.
    [[nodiscard]] bool hides(std::string_view name) const;
    // A cut-off text is hidden as far as it goes; from where it is no JSON, all of it is hidden.
    [[nodiscard]] Redacted json(std::string_view text, const std::set<std::string>& revealed = {}) const;
    // Also name=value and name: value pairs: forms and headers.
    [[nodiscard]] Redacted text(std::string_view text) const;
    // By the content type of a payload; octets that are no text are left alone, for they are shown as hex.
    [[nodiscard]] Redacted payload(
        std::string_view bytes, std::string_view contentType, const std::set<std::string>& revealed = {}) const;

private:
    std::vector<std::string> m_names;
};

inline constexpr std::string_view hiddenMark = "•••";

} // namespace fencepost::models

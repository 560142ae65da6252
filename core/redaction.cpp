// SPDX-License-Identifier: Apache-2.0
#include "core/redaction.h"

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <span>

#include "core/ids.h"
#include "core/json_redaction.h"
#include "core/protocol/letters.h"
#include "core/secret_patterns.h"
#include "core/without_credentials.h"

namespace fencepost {

namespace {

// The words of a name in lower case. A name is looked at for each member of each row of a copy: those of a usual length
// are told apart without memory of the heap.
class Words {
public:
    explicit Words(std::string_view name);
    Words(const Words&) = delete;
    Words& operator=(const Words&) = delete;

    [[nodiscard]] std::span<const std::string_view> all() const { return m_words; }

private:
    static constexpr std::size_t usual = 512; // octets
    std::array<std::byte, usual> m_room;
    std::pmr::monotonic_buffer_resource m_memory{ m_room.data(), m_room.size() };
    std::pmr::string m_letters{ &m_memory }; // one behind the other
    std::pmr::vector<std::string_view> m_words{ &m_memory };
};

Words::Words(std::string_view name)
{
    constexpr std::size_t several = 8;
    m_words.reserve(several);
    m_letters.resize(name.size());
    bool fresh = true;
    char previous = 0;
    std::size_t begin = 0;
    std::size_t at = 0;
    const auto end = [&] {
        if (at > begin)
            m_words.emplace_back(m_letters.data() + begin, at - begin);
        begin = at;
    };
    for (const char character : name) {
        if (!isLower(character) && !isUpper(character) && (character < '0' || character > '9')) {
            fresh = true;
            continue;
        }
        if (fresh || (isUpper(character) && isLower(previous)))
            end();
        fresh = false;
        m_letters[at++] = lowered(character);
        previous = character;
    }
    end();
}

constexpr std::size_t shortName = 4; // shorter ones are taken as whole words only: "pan" is none in "company"
constexpr std::size_t endingName = 5;

std::size_t place(char c)
{
    return static_cast<unsigned char>(c);
}

// Whether the words begin with those of the name; one alone may go on behind it.
bool beginWith(std::span<const std::string_view> words, const std::vector<std::string>& name)
{
    if (name.size() == 1)
        return name.front().size() < shortName ? words.front() == name.front()
                                               : words.front().starts_with(name.front());
    return words.size() >= name.size() && std::equal(name.begin(), name.end(), words.begin());
}

} // namespace

Redactor::Redactor()
    : Redactor(standardNames())
{
}

Redactor::Redactor(std::vector<std::string> names)
    : Redactor(RedactionWish{ std::move(names), {}, nullptr, nullptr })
{
}

Redactor::Redactor(RedactionWish wish)
    : m_wish(std::move(wish))
{
    for (const auto& name : m_wish.names)
        know(name);
}

void Redactor::know(std::string_view name)
{
    const Words told(name);
    const auto words = told.all();
    if (words.empty())
        return;
    m_names[place(words.front().front())].emplace_back(words.begin(), words.end());
    if (words.size() == 1 && words.front().size() >= endingName)
        m_endings[place(words.front().back())].emplace_back(words.front());
}

std::vector<std::string> Redactor::standardNames()
{
    return { "password", "passwd", "passphrase", "pwd", "secret", "token", "jwt", "otp", "pin", "authorization",
        "cookie", "credential", "apikey", "api key", "private key", "access key", "signature", "card", "pan", "cvv",
        "cvc", "iban", "bic", "account number", "accountnumber", "routing number", "email", "e mail", "phone", "mobile",
        "ssn", "tax id", "birthdate", "birthday", "date of birth", "dob" };
}

bool Redactor::hides(std::string_view name) const
{
    const Words told(name);
    const auto words = told.all();
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto rest = words.subspan(i);
        const auto begins = [&](const std::vector<std::string>& each) { return beginWith(rest, each); };
        const auto ends = [&](const std::string& each) { return rest.front().ends_with(each); };
        const auto& names = m_names[place(rest.front().front())];
        const auto& endings = m_endings[place(rest.front().back())];
        if (std::any_of(names.begin(), names.end(), begins) || std::any_of(endings.begin(), endings.end(), ends))
            return true;
    }
    return false;
}

std::optional<RedactionAction> Redactor::actionOn(std::string_view name, std::string_view pointer) const
{
    if (m_wish.rule)
        if (const auto wished = m_wish.rule(name, pointer))
            return wished;
    return hides(name) ? std::optional(RedactionAction::Hide) : std::nullopt;
}

std::string Redactor::hashed(std::string_view value) const
{
    return m_wish.hash ? m_wish.hash(value) : std::string(hiddenMark);
}

Redacted Redactor::json(std::string_view text, const std::set<std::string>& revealed) const
{
    return redactedJson(*this, text, revealed);
}

Redacted Redactor::text(std::string_view text) const
{
    Redacted result;
    if (!mayTell(text)) {
        result.text = text;
        return result;
    }
    std::string shown;
    std::size_t from = 0;
    std::size_t at = 0;
    const auto tells = [this](std::string_view name) { return actionOn(name, {}).has_value(); };
    while (const auto pair = nextPair(text, at, tells)) {
        const auto action = actionOn(pair->name, {});
        if (*action == RedactionAction::Keep) {
            at = pair->end;
            continue;
        }
        const auto value = text.substr(pair->value, pair->end - pair->value);
        shown += text.substr(from, pair->value - from);
        shown += *action == RedactionAction::Hash ? hashed(value) : std::string(hiddenMark);
        from = behindCredentials(text, *pair);
        at = std::max(from, pair->end);
        result.hidden.emplace_back(pair->name);
    }
    if (from == 0) {
        result.text = hideSecrets(text, hiddenMark, m_wish.kinds, result.hidden);
        return result;
    }
    shown += text.substr(std::min(from, text.size()));
    result.text = hideSecrets(shown, hiddenMark, m_wish.kinds, result.hidden);
    return result;
}

Redacted Redactor::payload(
    std::string_view bytes, std::string_view contentType, const std::set<std::string>& revealed) const
{
    if (contentType.find("json") != std::string_view::npos)
        return json(bytes, revealed);
    if (!isReadable(bytes) && contentType.substr(0, 5) != "text/")
        return { std::string(bytes), {} };
    return text(bytes);
}

bool isReadable(std::string_view octets) noexcept
{
    const auto isControl = [](char c) {
        return (c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
    };
    return isUtf8(octets) || std::none_of(octets.begin(), octets.end(), isControl);
}

bool isMark(std::string_view value) noexcept
{
    constexpr std::size_t longest = 80;
    return value == hiddenMark || (value.size() <= longest && value.starts_with(hashMark));
}

bool hasMark(std::string_view value) noexcept
{
    const auto plain = value.substr(value.starts_with('"') ? 1 : 0);
    return plain.starts_with(hashMark) || plain.find(hiddenMark) != std::string_view::npos
        || plain.find(hiddenCredentials) != std::string_view::npos;
}

std::string withoutSecrets(std::string_view text)
{
    return withoutCredentials(Redactor().text(text).text);
}

} // namespace fencepost

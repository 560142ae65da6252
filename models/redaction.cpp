// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/redaction.h"

#include <algorithm>
#include <cctype>

#include <QRegularExpression>
#include <QString>

#include "core/ids.h"
#include "core/without_credentials.h"

namespace fencepost::models {

namespace {

constexpr std::size_t deepest = 512;

std::vector<std::string> wordsOf(std::string_view name)
{
    std::vector<std::string> words;
    bool fresh = true;
    char previous = 0;
    for (const char character : name) {
        const auto octet = static_cast<unsigned char>(character);
        if (std::isalnum(octet) == 0) {
            fresh = true;
            continue;
        }
        if (std::isupper(octet) != 0 && std::islower(static_cast<unsigned char>(previous)) != 0)
            fresh = true;
        if (fresh)
            words.emplace_back();
        fresh = false;
        words.back() += static_cast<char>(std::tolower(octet));
        previous = character;
    }
    return words;
}

// Short names are taken as whole words only: "pan" is none in "company".
bool matches(const std::string& word, const std::string& name)
{
    if (name.size() < 4)
        return word == name;
    return word.starts_with(name) || (name.size() >= 5 && word.ends_with(name));
}

bool passesLuhn(std::string_view digits)
{
    int sum = 0;
    bool twice = false;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, twice = !twice) {
        const int value = *digit - '0';
        sum += twice ? (value > 4 ? 2 * value - 9 : 2 * value) : value;
    }
    return sum % 10 == 0;
}

bool isCardNumber(const QString& text)
{
    std::string digits;
    for (const auto character : text) {
        if (character.isDigit())
            digits += static_cast<char>('0' + character.digitValue());
    }
    if (digits.size() < 13 || digits.size() > 19 || !passesLuhn(digits))
        return false;
    // Issuers' first digits; instants as numbers of micro- or milliseconds begin with 1.
    const auto issuer = std::stoi(digits.substr(0, 4));
    return (issuer >= 3000 && issuer < 7000) || (issuer >= 2221 && issuer <= 2720);
}

bool isIban(const QString& text)
{
    const auto compact = QString(text).remove(QLatin1Char(' '));
    const auto moved = compact.mid(4) + compact.left(4);
    int remainder = 0;
    for (const auto character : moved) {
        const int value = character.isDigit() ? character.digitValue() : character.toUpper().unicode() - u'A' + 10;
        remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
    }
    return remainder == 1;
}

struct ValuePattern {
    const char* expression;
    const char* name;
    bool (*confirms)(const QString&);
};

constexpr ValuePattern valuePatterns[] = {
    { R"((?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]))", "card number", isCardNumber },
    { R"(\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b)", "IBAN", isIban },
    { R"([A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)", "e-mail address", nullptr },
    { R"(\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,2})", "token", nullptr },
    { R"((?i)\b(?:bearer|basic) +[A-Za-z0-9._~+/=-]{6,})", "credentials", nullptr },
};

QString hiddenText()
{
    return QString::fromUtf8(hiddenMark.data(), static_cast<qsizetype>(hiddenMark.size()));
}

QString hideValues(const QString& text, std::vector<std::string>& hidden)
{
    static const auto expressions = [] {
        std::vector<QRegularExpression> compiled;
        for (const auto& pattern : valuePatterns)
            compiled.emplace_back(QString::fromLatin1(pattern.expression));
        return compiled;
    }();
    auto shown = text;
    if (text.contains(QLatin1String("://"))) {
        shown = QString::fromStdString(withoutCredentials(text.toStdString()));
        if (shown != text)
            hidden.emplace_back("credentials");
    }
    for (std::size_t i = 0; i < expressions.size(); ++i) {
        const auto& pattern = valuePatterns[i];
        QString next;
        qsizetype from = 0;
        auto found = expressions[i].globalMatch(shown);
        while (found.hasNext()) {
            const auto match = found.next();
            if (pattern.confirms && !pattern.confirms(match.captured()))
                continue;
            next += shown.mid(from, match.capturedStart() - from) + hiddenText();
            from = match.capturedEnd();
            hidden.emplace_back(pattern.name);
        }
        if (from > 0)
            shown = next + shown.mid(from);
    }
    return shown;
}

std::string pointerPart(const std::string& name)
{
    std::string part;
    for (const char character : name)
        part += character == '~' ? "~0" : character == '/' ? "~1" : std::string(1, character);
    return part;
}

// Escapes in a member's name must not hide it from its pattern.
std::string unescaped(std::string_view text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 >= text.size()) {
            plain += text[i];
            continue;
        }
        if (text[++i] == 'u' && i + 4 < text.size()) {
            const auto code = QString::fromLatin1(text.data() + i + 1, 4).toUShort(nullptr, 16);
            plain += QString(QChar(code)).toStdString();
            i += 4;
        } else
            plain += text[i];
    }
    return plain;
}

// Walks JSON text and copies it, except for what is hidden. Checks no more than it needs to know where it is.
class JsonRedaction {
public:
    JsonRedaction(const Redactor& redactor, std::string_view text, const std::set<std::string>& revealed)
        : m_redactor(redactor)
        , m_text(text)
        , m_revealed(revealed)
    {
    }

    Redacted run()
    {
        copySpace();
        bool good = value({}, 0);
        copySpace();
        good = good && m_at >= m_text.size();
        if (!good && m_at < m_text.size()) {
            m_result.text += std::string(hiddenMark) + " (no JSON from octet " + std::to_string(m_at) + " on)";
            m_result.hidden.emplace_back("the rest");
        }
        return std::move(m_result);
    }

private:
    [[nodiscard]] bool more() const { return m_at < m_text.size(); }
    [[nodiscard]] char current() const { return m_text[m_at]; }
    void copySpace()
    {
        while (more() && std::string_view(" \t\r\n").find(current()) != std::string_view::npos)
            m_result.text += m_text[m_at++];
    }
    bool take(char character)
    {
        if (!more() || current() != character)
            return false;
        m_result.text += character;
        ++m_at;
        return true;
    }

    // The end of a string that begins here; the whole rest where it is cut off.
    [[nodiscard]] std::size_t endOfString() const
    {
        auto at = m_at + 1;
        while (at < m_text.size() && m_text[at] != '"')
            at += m_text[at] == '\\' ? 2 : 1;
        return std::min(at + 1, m_text.size());
    }
    [[nodiscard]] std::size_t endOfScalar() const
    {
        auto at = m_at;
        while (at < m_text.size() && std::string_view(",]} \t\r\n:\"[{").find(m_text[at]) == std::string_view::npos)
            ++at;
        return at;
    }

    bool value(const std::string& pointer, std::size_t depth)
    {
        if (!more())
            return true;
        if (depth > deepest)
            return false;
        switch (current()) {
        case '{':
            return object(pointer, depth);
        case '[':
            return array(pointer, depth);
        case '"':
            scalar(pointer, endOfString());
            return true;
        default:
            break;
        }
        const auto end = endOfScalar();
        if (end == m_at)
            return false;
        scalar(pointer, end);
        return true;
    }

    bool object(const std::string& pointer, std::size_t depth)
    {
        take('{');
        copySpace();
        if (take('}'))
            return true;
        while (more()) {
            copySpace();
            if (!more() || current() != '"')
                return !more();
            const auto end = endOfString();
            const auto quoted = m_text.substr(m_at, end - m_at);
            m_result.text += quoted;
            m_at = end;
            copySpace();
            if (!take(':'))
                return !more();
            copySpace();
            const auto name = quoted.size() >= 2 ? unescaped(quoted.substr(1, quoted.size() - 2)) : std::string();
            const auto member = pointer + "/" + pointerPart(name);
            if (!(m_redactor.hides(name) && !m_revealed.contains(member) ? skipValue(member)
                                                                         : value(member, depth + 1)))
                return false;
            copySpace();
            if (take('}'))
                return true;
            if (!take(','))
                return !more();
        }
        return true;
    }

    bool array(const std::string& pointer, std::size_t depth)
    {
        take('[');
        copySpace();
        if (take(']'))
            return true;
        for (int index = 0; more(); ++index) {
            copySpace();
            if (!value(pointer + "/" + std::to_string(index), depth + 1))
                return false;
            copySpace();
            if (take(']'))
                return true;
            if (!take(','))
                return !more();
        }
        return true;
    }

    void scalar(const std::string& pointer, std::size_t end)
    {
        const auto raw = m_text.substr(m_at, end - m_at);
        m_at = end;
        const auto shown = m_revealed.contains(pointer) ? Redacted{ std::string(raw), {} } : m_redactor.text(raw);
        if (shown.hidden.empty()) {
            m_result.text += raw;
            return;
        }
        // A number that is hidden becomes a string, so that the text stays JSON.
        m_result.text += raw.front() == '"' ? shown.text : '"' + shown.text + '"';
        m_result.hidden.push_back(pointer);
    }

    bool skipValue(const std::string& pointer)
    {
        if (!more())
            return true;
        if (m_text.substr(m_at, 4) == "null")
            return value(pointer, 0);
        std::size_t open = 0;
        do {
            if (current() == '"')
                m_at = endOfString();
            else {
                if (current() == '{' || current() == '[')
                    ++open;
                else if ((current() == '}' || current() == ']') && open > 0)
                    --open;
                else if (open == 0) {
                    m_at = std::max(endOfScalar(), m_at + 1);
                    break;
                }
                ++m_at;
            }
        } while (more() && open > 0);
        m_result.text += '"' + std::string(hiddenMark) + '"';
        m_result.hidden.push_back(pointer);
        return true;
    }

    const Redactor& m_redactor;
    std::string_view m_text;
    const std::set<std::string>& m_revealed;
    std::size_t m_at = 0;
    Redacted m_result;
};

} // namespace

Redactor::Redactor()
    : Redactor(standardNames())
{
}

Redactor::Redactor(std::vector<std::string> names)
    : m_names(std::move(names))
{
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
    const auto words = wordsOf(name);
    return std::any_of(m_names.begin(), m_names.end(), [&](const std::string& pattern) {
        const auto wanted = wordsOf(pattern);
        if (wanted.empty() || wanted.size() > words.size())
            return false;
        if (wanted.size() == 1)
            return std::any_of(
                words.begin(), words.end(), [&](const std::string& word) { return matches(word, wanted.front()); });
        return std::search(words.begin(), words.end(), wanted.begin(), wanted.end()) != words.end();
    });
}

Redacted Redactor::json(std::string_view text, const std::set<std::string>& revealed) const
{
    return JsonRedaction(*this, text, revealed).run();
}

Redacted Redactor::text(std::string_view text) const
{
    Redacted result;
    const auto plain = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    static const QRegularExpression pair(
        QStringLiteral(R"(([A-Za-z0-9_.\-]{2,64})(\s*[=:]\s*)([^\s&;,"'\\]{1,4096}))"));
    QString shown;
    qsizetype from = 0;
    auto pairs = pair.globalMatch(plain);
    while (pairs.hasNext()) {
        const auto match = pairs.next();
        const auto name = match.captured(1).toStdString();
        if (!hides(name))
            continue;
        shown += plain.mid(from, match.capturedStart(3) - from) + hiddenText();
        from = match.capturedEnd(3);
        // Two words follow here: the scheme and what it protects.
        const auto scheme = match.captured(3).toLower();
        if (scheme == QStringLiteral("bearer") || scheme == QStringLiteral("basic")) {
            while (from < plain.size() && plain[from].isSpace() && plain[from] != QLatin1Char('\n'))
                ++from;
            while (from < plain.size() && !plain[from].isSpace() && plain[from] != QLatin1Char('"'))
                ++from;
        }
        result.hidden.push_back(name);
    }
    shown += plain.mid(from);
    shown = hideValues(shown, result.hidden);
    result.text = result.hidden.empty() ? std::string(text) : shown.toStdString();
    return result;
}

Redacted Redactor::payload(
    std::string_view bytes, std::string_view contentType, const std::set<std::string>& revealed) const
{
    if (contentType.find("json") != std::string_view::npos)
        return json(bytes, revealed);
    if (!isUtf8(bytes) && contentType.substr(0, 5) != "text/")
        return { std::string(bytes), {} };
    return text(bytes);
}

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/protocol/json_samples.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace fencepost::test {

namespace {

using Kind = JsonSample::Kind;

// Characters with what is hard about them: controls, quotes, the surrogate range's neighbours, beyond the first plane.
constexpr std::string_view characters[] = { "a", "b", "z", "0", "/", "~", "\"", "\\", "\n", "\x01", "\x1f", "\x7f",
    "\u0080", "\u00f6", "\u07ff", "\u0800", "\u20ac", "\ud7ff", "\ue000", "\ufb33", "\uffff", "\U00010000",
    "\U0001f602", "\U0010ffff" };

std::string randomText(Random& random)
{
    std::string text;
    for (auto n = random.below(6); n > 0; --n)
        text += characters[random.below(std::size(characters))];
    return text;
}

std::string space(Random& random)
{
    std::string text;
    for (auto n = random.below(4) == 0 ? random.below(3) : 0; n > 0; --n)
        text += " \t\r\n"[random.below(4)];
    return text;
}

void appendUnit(std::string& out, unsigned unit, Random& random)
{
    char text[8];
    std::snprintf(text, sizeof text, random.below(2) == 0 ? "\\u%04x" : "\\u%04X", unit);
    out += text;
}

std::string spellText(const std::string& text, Random& random)
{
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        unsigned code = length == 1 ? lead : lead & (0x7fU >> length);
        for (std::size_t k = 1; k < length; ++k)
            code = code << 6U | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
        const bool must = lead < 0x20 || lead == '"' || lead == '\\';
        if (lead == '/' && random.below(2) == 0)
            out += "\\/";
        else if (lead == '\n' && random.below(2) == 0)
            out += "\\n";
        else if ((lead == '"' || lead == '\\') && random.below(2) == 0)
            out.append("\\").append(1, text[i]);
        else if (!must && random.below(3) > 0)
            out.append(text, i, length);
        else if (code < 0x10000)
            appendUnit(out, code, random);
        else {
            appendUnit(out, 0xd800U + ((code - 0x10000U) >> 10U), random);
            appendUnit(out, 0xdc00U + ((code - 0x10000U) & 0x3ffU), random);
        }
        i += length;
    }
    return out + '"';
}

// digits × 10^exponent, with the point and further zeros anywhere.
std::string spellNumber(const JsonSample& sample, Random& random)
{
    auto digits = sample.word;
    auto exponent = sample.exponent;
    std::string sign;
    if (digits.front() == '-') {
        sign = "-";
        digits.erase(0, 1);
    }
    for (auto zeros = random.below(3); zeros > 0; --zeros, --exponent)
        digits += '0';
    const auto places = static_cast<std::size_t>(random.below(digits.size() + 3));
    std::string out = digits;
    if (places > 0) {
        if (places >= out.size())
            out.insert(0, places - out.size() + 1, '0');
        out.insert(out.size() - places, ".");
        exponent += static_cast<int>(places);
    }
    const auto first = std::min(out.find_first_not_of('0'), out.size());
    out.erase(0, first);
    if (out.empty() || out.front() == '.' || out.front() == 'e')
        out.insert(0, "0");
    if (exponent != 0 || random.below(4) == 0)
        out += (random.below(2) == 0 ? "e" : "E") + std::string(exponent >= 0 && random.below(2) == 0 ? "+" : "")
            + std::to_string(exponent);
    return sign + out;
}

} // namespace

JsonSample randomSample(Random& random, int depth)
{
    JsonSample sample;
    sample.kind = static_cast<Kind>(random.below(depth > 0 ? 5 : 3));
    switch (sample.kind) {
    case Kind::Literal:
        sample.word = std::string(random.below(3) == 0 ? "null" : random.below(2) == 0 ? "true" : "false");
        break;
    case Kind::Number:
        sample.word =
            (random.below(3) == 0 ? "-" : "") + std::to_string(1 + random.next() % 1'000'000'000'000'000'000U);
        sample.word.resize(std::min<std::size_t>(sample.word.size(), 2 + random.below(18)));
        sample.exponent = static_cast<int>(random.below(40)) - 20;
        break;
    case Kind::Text:
        sample.word = randomText(random);
        break;
    case Kind::Array:
        for (auto n = random.below(5); n > 0; --n)
            sample.parts.emplace_back("", randomSample(random, depth - 1));
        break;
    case Kind::Object: {
        std::set<std::string> names;
        for (auto n = random.below(6); n > 0; --n)
            names.insert(randomText(random));
        for (const auto& name : names)
            sample.parts.emplace_back(name, randomSample(random, depth - 1));
        break;
    }
    }
    return sample;
}

std::string spell(const JsonSample& sample, Random& random)
{
    const auto padded = [&](std::string text) { return space(random) + std::move(text) + space(random); };
    switch (sample.kind) {
    case Kind::Literal:
        return padded(sample.word);
    case Kind::Number:
        return padded(spellNumber(sample, random));
    case Kind::Text:
        return padded(spellText(sample.word, random));
    case Kind::Array:
    case Kind::Object:
        break;
    }
    const bool object = sample.kind == Kind::Object;
    auto parts = sample.parts;
    if (object)
        for (auto i = parts.size(); i > 1; --i)
            std::swap(parts[i - 1], parts[random.below(i)]);
    std::string out;
    for (const auto& [name, value] : parts) {
        out += out.empty() ? "" : ",";
        out += (object ? padded(spellText(name, random)) + ':' : std::string()) + spell(value, random);
    }
    return padded((object ? '{' : '[') + (out.empty() ? space(random) : out) + (object ? '}' : ']'));
}

void change(JsonSample& sample, Random& random)
{
    if (!sample.parts.empty() && random.below(5) > 0)
        return change(sample.parts[random.below(sample.parts.size())].second, random);
    switch (sample.kind) {
    case Kind::Literal:
        sample.word = sample.word == "true" ? "false" : "true";
        break;
    case Kind::Number:
        sample.word.back() = sample.word.back() == '7' ? '3' : '7';
        break;
    case Kind::Text:
        sample.word += 'x';
        break;
    case Kind::Array:
        sample.parts.emplace_back("", JsonSample{ Kind::Literal, "null", 0, {} });
        break;
    case Kind::Object:
        if (sample.parts.empty())
            sample.parts.emplace_back("new", JsonSample{ Kind::Literal, "null", 0, {} });
        else
            sample.parts.pop_back();
        break;
    }
}

} // namespace fencepost::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/key_syntax.h"

#include "core/ids.h"
#include "core/protocol/event_sequence.h"
#include "core/time.h"
#include "tests/fuzz/fuzz.h"

using namespace fencepost;
using fuzz::require;

namespace {

void checkKey(const std::string& key, const KeyRules& rules)
{
    require(!key.empty() && key.size() <= 4 * rules.longest, "a key has a length", key);
    require(isUtf8(key), "a key is text");
    if (rules.charset == KeyCharset::Ascii) {
        const auto quoted = keyOfField(quotedKey(key), rules);
        require(quoted && *quoted == key, "the quoted form is the same key", key);
    }
    // Blanks around a bare value are no part of it; only the quoted form can hold them.
    const bool padded = key.front() == ' ' || key.back() == ' ';
    const auto bare = keyOfField(key, rules);
    if (bare && key.front() != '"' && !padded)
        require(*bare == key, "the bare form is the same key", key);
    require(key.size() >= 16 || isWeakKey(key), "a short key is weak", key);
    const auto time = timeOfKey(key);
    require(!time || *time >= Time(), "no key was made before 1970", key);
}

void checkHeader(const std::vector<std::string_view>& lines, const KeyRules& rules, std::size_t size)
{
    const auto key = keyOfHeader(lines, rules);
    if (key) {
        require(lines.size() == 1, "one line names a key");
        checkKey(*key, rules);
        return;
    }
    fuzz::requireRefusal(key.error(), size);
    require(key.error().code == (lines.empty() ? "missing_idempotency_key" : "VALIDATION.idempotency_key"),
        "the refusal has its code", key.error().code);
}

void checkScope(std::string_view route, std::string_view principal)
{
    const auto scope = scopeOf(route, principal);
    require(scope.has_value() == (!route.empty() && !principal.empty()), "only nothing is refused");
    if (!scope)
        return;
    require(isUtf8(*scope), "a scope is text");
    require(scope->find('@') == scope->rfind('@'), "one sign parts route and principal", *scope);
    require(scope->size() <= 3 * (route.size() + principal.size()) + 1, "a scope is linear");
}

void checkNatural(const std::vector<std::string_view>& fields)
{
    std::vector<std::optional<std::string>> owned(fields.begin(), fields.end());
    if (owned.size() > 1 && owned.back()->empty())
        owned.back().reset();
    const auto key = naturalKey(owned);
    if (!key)
        return;
    require(key->size() <= longestKey, "a natural key has the length of a key", *key);
    const auto read = keyOfField(quotedKey(*key));
    require(read && *read == *key, "a natural key is a key", *key);
}

void checkSequence(std::string_view text, std::size_t size)
{
    const auto id = parseSequencedId(text);
    if (!id)
        return fuzz::requireRefusal(id.error(), size);
    require(format(*id) == text, "an id has one spelling", text);
    const auto arrival = arrivalOf(*id, id->sequence, 0);
    require(arrival && *arrival == Arrival::Duplicate, "the last one is a duplicate", text);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::textOf(data, size);
    const auto lines = fuzz::split(text, '\n', 6);
    for (const auto& rules : { KeyRules{}, KeyRules{ 255, KeyCharset::Utf8 }, KeyRules{ 255, KeyCharset::Ascii } })
        checkHeader(lines, rules, size);
    checkScope(lines.front(), lines.back());
    checkNatural(lines);
    checkSequence(lines.front(), size);
    return 0;
}

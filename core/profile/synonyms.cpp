// SPDX-License-Identifier: Apache-2.0
#include "core/profile/synonyms.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "core/in_quotes.h"
#include "core/profile/dictionary.h"

namespace fencepost::profile {

namespace {

using M = Meaning;
using T = ColumnType;

constexpr std::array entries = {
    MeaningEntry{ M::None, "", "Not used", true, false },
    MeaningEntry{ M::Key, "key", "Key", false, false },
    MeaningEntry{ M::Scope, "scope", "Scope or tenant", true, false },
    MeaningEntry{ M::Operation, "operation", "Operation or type", true, false },
    MeaningEntry{ M::Queue, "queue", "Queue or destination", false, false },
    MeaningEntry{ M::OrderKey, "order_key", "Ordering key", false, false },
    MeaningEntry{ M::RequestHash, "request_hash", "Hash of the request", false, false },
    MeaningEntry{ M::State, "raw_state", "State", false, false },
    MeaningEntry{ M::Response, "", "Stored response", true, false },
    MeaningEntry{ M::ResponseCode, "response_code", "Response code", false, false },
    MeaningEntry{ M::ResultRef, "result_ref", "Reference to the result", true, false },
    MeaningEntry{ M::Payload, "", "Payload", true, false },
    MeaningEntry{ M::Owner, "owner", "Owner", false, false },
    MeaningEntry{ M::Version, "version", "Version", false, false },
    MeaningEntry{ M::LeaseUntil, "lease_until_us", "Lease until", false, true },
    MeaningEntry{ M::Started, "started_us", "Started", false, true },
    MeaningEntry{ M::Updated, "updated_us", "Updated", false, true },
    MeaningEntry{ M::Created, "created_us", "Created", false, true },
    MeaningEntry{ M::Finished, "finished_us", "Finished or sent", false, true },
    MeaningEntry{ M::NextAttempt, "next_attempt_us", "Next attempt", false, true },
    MeaningEntry{ M::Expires, "expires_us", "Expires", false, true },
    MeaningEntry{ M::Attempts, "attempts", "Attempts", false, false },
    MeaningEntry{ M::MaxAttempts, "max_attempts", "Most attempts", false, false },
    MeaningEntry{ M::Error, "error", "Error", false, false },
    MeaningEntry{ M::CorrelationId, "correlation_id", "Correlation or origin", false, false },
};

constexpr int exactName = 65;
constexpr int weakName = 40;
constexpr int endOfName = 40;
constexpr int weakEnd = 25;
constexpr int typeFits = 25;
constexpr int typePossible = 8;
constexpr int valuesFit = 10;
constexpr int keyFallback = 45;
constexpr std::size_t digitsOfEpoch = 9;

// How well a type carries a meaning: typeFits, typePossible, or nothing: it cannot.
std::optional<int> typeScore(M meaning, const ColumnFacts& column)
{
    const auto kind = column.kind;
    const bool text = kind == T::Text;
    const bool instant = kind == T::Instant || kind == T::LocalInstant;
    const bool number = kind == T::Integer || kind == T::Number;
    const auto fit = [](bool fits, bool possible) -> std::optional<int> {
        return fits ? std::optional(typeFits) : possible ? std::optional(typePossible) : std::nullopt;
    };
    if (entryOf(meaning).instant)
        return fit(instant, number || text);
    switch (meaning) {
    case M::Key:
        return fit(text || kind == T::Uuid, kind == T::Integer || kind == T::Octets || kind == T::Other);
    case M::RequestHash:
        return fit(text || kind == T::Octets, kind == T::Uuid || kind == T::Integer || kind == T::Other);
    case M::State:
        return fit(text || kind == T::Enum || kind == T::Boolean, kind == T::Integer || kind == T::Other);
    case M::Response:
        return fit(kind == T::Json || kind == T::Octets || text, kind == T::Other);
    case M::Payload:
        return fit(kind == T::Json || kind == T::Octets || text, kind == T::Other);
    case M::ResponseCode:
        return fit(number, text);
    case M::Attempts:
    case M::MaxAttempts:
        return fit(kind == T::Integer, kind == T::Number);
    case M::Owner:
        return fit(text || kind == T::Uuid, kind == T::Integer || kind == T::Other || kind == T::Octets);
    case M::Version:
        return fit(number || kind == T::Octets, text || kind == T::Uuid);
    case M::Error:
        return fit(text, kind == T::Json || kind == T::Other);
    case M::ResultRef:
        return fit(text || kind == T::Uuid || kind == T::Integer, kind == T::Other);
    default:
        return fit(text || kind == T::Uuid || kind == T::Enum || kind == T::Integer, kind == T::Other);
    }
}

// The name is the synonym, or ends with it as "refund_status" does.
struct NameMatch {
    int score = 0;
    std::string_view word;
    bool whole = false;
};

NameMatch nameMatch(const std::string& snake, const Synonym& synonym)
{
    const bool weak = synonym.weight == Weight::Weak;
    if (snake == synonym.word || withoutUnderscores(snake) == withoutUnderscores(synonym.word))
        return { weak ? weakName : exactName, synonym.word, true };
    const auto end = "_" + std::string(synonym.word);
    if (!weak && snake.size() > end.size() && snake.compare(snake.size() - end.size(), end.size(), end) == 0)
        return { synonym.word.find('_') == std::string_view::npos ? weakEnd : endOfName, synonym.word, false };
    return {};
}

bool isWholeNumber(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool areKnownStates(const ColumnValues& values, Kind kind)
{
    return !values.texts.empty() && std::all_of(values.texts.begin(), values.texts.end(), [kind](const auto& value) {
        return stateOf(kind, value).has_value();
    });
}

bool isKeyAlone(const TableFacts& table, const std::string& column)
{
    return std::any_of(table.uniqueKeys.begin(), table.uniqueKeys.end(),
        [&](const auto& key) { return key.size() == 1 && key.front() == column; });
}

bool isInKey(const TableFacts& table, const std::string& column)
{
    return std::any_of(table.uniqueKeys.begin(), table.uniqueKeys.end(),
        [&](const auto& key) { return std::find(key.begin(), key.end(), column) != key.end(); });
}

// All that a column may be, by itself.
class ColumnJudge {
public:
    ColumnJudge(const TableFacts& table, const ColumnFacts& column, const ColumnValues* values, Kind kind)
        : m_table(table)
        , m_column(column)
        , m_values(values != nullptr && !values->texts.empty() ? values : nullptr)
        , m_kind(kind)
        , m_snake(snakeCase(column.name))
    {
    }

    ColumnGuess judge()
    {
        ColumnGuess result{ m_column.name, {}, {}, {} };
        for (const auto& synonym : synonyms())
            if ((synonym.kinds & maskOf(m_kind)) != 0)
                addSynonym(synonym);
        if (!hasGuess(M::Key) && isKeyAlone(m_table, m_column.name) && typeScore(M::Key, m_column))
            add({ M::Key, keyFallback, "unique by itself, though not named like a key" });
        applyHttpTrap(result);
        std::stable_sort(
            m_guesses.begin(), m_guesses.end(), [](const Guess& a, const Guess& b) { return a.score > b.score; });
        result.guesses = std::move(m_guesses);
        return result;
    }

private:
    [[nodiscard]] bool hasGuess(M meaning) const
    {
        return std::any_of(
            m_guesses.begin(), m_guesses.end(), [meaning](const Guess& g) { return g.meaning == meaning; });
    }

    void add(Guess guess)
    {
        guess.score = std::min(guess.score, 100);
        for (auto& known : m_guesses)
            if (known.meaning == guess.meaning) {
                if (guess.score > known.score)
                    known = std::move(guess);
                return;
            }
        m_guesses.push_back(std::move(guess));
    }

    void addSynonym(const Synonym& synonym)
    {
        const auto match = nameMatch(m_snake, synonym);
        const auto type = match.score > 0 ? typeScore(synonym.meaning, m_column) : std::nullopt;
        if (!type)
            return;
        Guess guess{ synonym.meaning, match.score + *type, {} };
        guess.reason = match.whole ? "named " + inQuotes(synonym.word) : "its name ends with " + inQuotes(synonym.word);
        guess.reason += *type == typeFits ? ", and " + typeWord() + " fits" : ", as " + typeWord();
        addEvidence(guess);
        if (guess.score > 0)
            add(std::move(guess));
    }

    [[nodiscard]] std::string typeWord() const
    {
        return m_column.type.empty() ? std::string("its type") : "the type " + inQuotes(m_column.type);
    }

    void addEvidence(Guess& guess) const
    {
        if (guess.meaning == M::Key && isInKey(m_table, m_column.name)) {
            guess.score += valuesFit;
            guess.reason += "; part of a unique key";
        }
        if (guess.meaning == M::State && m_values != nullptr && areKnownStates(*m_values, m_kind)) {
            guess.score += valuesFit;
            guess.reason += "; its values are words of states";
        }
        const bool counts = m_column.kind == T::Integer || m_column.kind == T::Number;
        if (entryOf(guess.meaning).instant && counts)
            addEpoch(guess);
        if (guess.meaning == M::ResponseCode && m_values != nullptr && areHttpCodes(*m_values)) {
            guess.score += valuesFit;
            guess.reason += "; its values are codes of HTTP";
        }
    }

    // Seconds since 1970 have nine digits since 1973: what is smaller counts something else.
    void addEpoch(Guess& guess) const
    {
        if (m_values == nullptr)
            return;
        const bool epoch = std::all_of(m_values->texts.begin(), m_values->texts.end(), [](const std::string& text) {
            const auto whole = std::string_view(text).substr(0, text.find('.'));
            return whole.size() >= digitsOfEpoch && isWholeNumber(whole);
        });
        if (epoch) {
            guess.score += valuesFit;
            guess.reason += "; its numbers are instants";
        } else
            guess.score = 0;
    }

    // Its name says something else already: "http_status" is no trap.
    [[nodiscard]] bool isOutdone(const Guess& guess) const
    {
        return std::any_of(m_guesses.begin(), m_guesses.end(),
            [&](const Guess& other) { return other.meaning != guess.meaning && other.score > guess.score; });
    }

    // An integer that is called status was a code of HTTP elsewhere: what its values are decides.
    void applyHttpTrap(ColumnGuess& result)
    {
        const auto state = std::find_if(
            m_guesses.begin(), m_guesses.end(), [](const Guess& guess) { return guess.meaning == M::State; });
        if (state == m_guesses.end() || isOutdone(*state))
            return;
        if (m_values != nullptr && areHttpCodes(*m_values)) {
            result.warning = "It is called " + inQuotes(m_column.name)
                + ", but holds codes of HTTP (100 to 599): it is the response's code and says nothing of a state.";
            m_guesses.erase(state);
            add({ M::ResponseCode, exactName + typeFits + valuesFit,
                "its values are codes of HTTP, whatever it is called" });
        } else if (m_values == nullptr && m_column.kind == T::Integer) {
            result.warning = "A column " + inQuotes(m_column.name)
                + " of whole numbers may be a state or a code of HTTP, and there are no values to tell by.";
            state->score /= 2;
            state->reason += "; without values nobody can tell it from a code of HTTP";
            const auto score = state->score - 1;
            add({ M::ResponseCode, score, "a whole number that is called a status may be a code of HTTP" });
        }
    }

    const TableFacts& m_table;
    const ColumnFacts& m_column;
    const ColumnValues* m_values;
    Kind m_kind;
    std::string m_snake;
    std::vector<Guess> m_guesses;
};

// The surest guesses first; a meaning that one column alone can have is taken by the first.
void settle(std::vector<ColumnGuess>& columns)
{
    struct Claim {
        std::size_t column;
        const Guess* guess;
    };
    std::vector<Claim> claims;
    for (std::size_t i = 0; i < columns.size(); ++i)
        for (const auto& guess : columns[i].guesses)
            claims.push_back({ i, &guess });
    std::stable_sort(
        claims.begin(), claims.end(), [](const Claim& a, const Claim& b) { return a.guess->score > b.guess->score; });
    std::set<M> taken;
    std::vector<bool> settled(columns.size(), false);
    for (const auto& claim : claims) {
        const auto& entry = entryOf(claim.guess->meaning);
        if (settled[claim.column] || (!entry.several && taken.count(entry.meaning) > 0))
            continue;
        settled[claim.column] = true;
        taken.insert(entry.meaning);
        columns[claim.column].best = *claim.guess;
    }
}

} // namespace

const ColumnFacts* TableFacts::find(std::string_view column) const
{
    const auto found = std::find_if(
        columns.begin(), columns.end(), [column](const ColumnFacts& facts) { return facts.name == column; });
    return found == columns.end() ? nullptr : &*found;
}

std::span<const MeaningEntry> meanings() noexcept
{
    return entries;
}

const MeaningEntry& entryOf(Meaning meaning) noexcept
{
    return entries[static_cast<std::size_t>(meaning)];
}

bool isBody(Meaning meaning) noexcept
{
    return meaning == Meaning::Payload || meaning == Meaning::Response;
}

const ColumnGuess* TableGuess::find(std::string_view column) const
{
    const auto found = std::find_if(
        columns.begin(), columns.end(), [column](const ColumnGuess& guess) { return guess.column == column; });
    return found == columns.end() ? nullptr : &*found;
}

TableGuess guessOf(const TableFacts& table, const SampledValues& values, std::optional<Kind> kind)
{
    const auto likeness = kind ? Likeness{ *kind, likenessOf(table, *kind) } : likenessOf(table);
    TableGuess guess{ likeness.kind, likeness.score, {} };
    for (const auto& column : table.columns) {
        const auto sampled = values.find(column.name);
        guess.columns.push_back(
            ColumnJudge(table, column, sampled == values.end() ? nullptr : &sampled->second, guess.kind).judge());
    }
    settle(guess.columns);
    return guess;
}

bool areHttpCodes(const ColumnValues& values)
{
    return !values.texts.empty() && std::all_of(values.texts.begin(), values.texts.end(), [](const auto& text) {
        int code = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), code);
        return read.ec == std::errc{} && read.ptr == text.data() + text.size() && code >= 100 && code <= 599;
    });
}

} // namespace fencepost::profile

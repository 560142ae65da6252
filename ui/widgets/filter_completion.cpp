// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/filter_completion.h"

#include <algorithm>
#include <array>

#include <QRegularExpression>

#include "core/protocol/record.h"
#include "ui/theme.h"

namespace fencepost::ui {

namespace {

constexpr std::array fields = { Field::State, Field::Scope, Field::Operation, Field::Key, Field::Owner, Field::Age,
    Field::Attempts, Field::Created, Field::Expires, Field::Lease, Field::Fence, Field::Code, Field::Hash, Field::Queue,
    Field::OrderKey, Field::Correlation, Field::Error, Field::Group, Field::Schema };
constexpr std::array moments = { Field::Event, Field::From, Field::To, Field::Attempt, Field::At, Field::Delay,
    Field::Took };
constexpr std::array flags = { Flag::Stuck, Flag::Held, Flag::Conflict };
constexpr std::array comparisons = { Comparison::Equal, Comparison::NotEqual, Comparison::Less, Comparison::LessEqual,
    Comparison::Greater, Comparison::GreaterEqual, Comparison::Contains, Comparison::In };

QString completionText(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

enum class Expect { Term, Operator, Value, Joint };

struct WordPlace {
    Expect expect = Expect::Term;
    std::optional<Field> field;
    qsizetype from = 0; // of the word under the cursor
    bool quoted = false;
    bool moment = false; // within had(…)
};

bool isWordCharacter(QChar c)
{
    return !c.isSpace() && !QStringLiteral("()=!<>~,\"").contains(c);
}

// Walks the tokens before the cursor; the last, unfinished one is what is being typed.
WordPlace placeOf(const QString& text, qsizetype cursor)
{
    WordPlace place;
    bool list = false;
    qsizetype i = 0;
    while (i < cursor) {
        const QChar c = text.at(i);
        if (c.isSpace()) {
            place.from = ++i;
            continue;
        }
        if (c == u'"') {
            const auto start = i++;
            while (i < cursor && text.at(i) != u'"')
                i += text.at(i) == u'\\' ? 2 : 1;
            if (i >= cursor) {
                place.from = start;
                place.quoted = true;
                return place;
            }
            place.from = ++i;
            place.expect = list ? Expect::Value : Expect::Joint;
            continue;
        }
        if (!isWordCharacter(c)) {
            ++i;
            if (c == u'(')
                list = place.expect == Expect::Value;
            else if (c == u')') {
                place.moment = place.moment && list;
                list = false;
                place.expect = Expect::Joint;
            } else if (c != u',')
                place.expect = Expect::Value;
            place.from = i;
            continue;
        }
        const auto start = i;
        while (i < cursor && isWordCharacter(text.at(i)))
            ++i;
        place.from = start;
        if (i >= cursor)
            return place;
        const auto word = text.mid(start, i - start).toStdString();
        if (place.expect == Expect::Term) {
            const bool isFlag = std::any_of(flags.begin(), flags.end(), [&](Flag f) { return wordOf(f) == word; });
            if (isFlag)
                place.expect = Expect::Joint;
            else if (word == "had")
                place.moment = true;
            else if (word == "row")
                place.expect = Expect::Value;
            else if (word != "not") {
                place.field = fieldOf(word);
                place.expect = Expect::Operator;
            }
        } else if (place.expect == Expect::Operator)
            place.expect = Expect::Value;
        else if (place.expect == Expect::Value)
            place.expect = list ? Expect::Value : Expect::Joint;
        else
            place.expect = Expect::Term;
        place.from = i;
    }
    return place;
}

QStringList everyState()
{
    QStringList words;
    for (const auto state : stackedStates())
        if (state != wordOf(State::Absent))
            words += completionText(state);
    return words;
}

QStringList valuesOf(std::optional<Field> field, const QStringList& states)
{
    if (!field)
        return {};
    switch (typeOf(*field)) {
    case ValueType::State:
        return states.isEmpty() ? everyState() : states;
    case ValueType::Timespan:
        return { QStringLiteral("5m"), QStringLiteral("1h"), QStringLiteral("24h"), QStringLiteral("7d") };
    case ValueType::Instant:
        if (*field == Field::Created || *field == Field::At)
            return {};
        return { QStringLiteral("5m"), QStringLiteral("1h"), QStringLiteral("24h") };
    case ValueType::Text:
    case ValueType::Integer:
    case ValueType::Hex:
        break;
    }
    return {};
}

QStringList wordsFor(const WordPlace& place, const QStringList& states)
{
    QStringList words;
    switch (place.expect) {
    case Expect::Term:
        if (place.moment) {
            for (const auto field : moments)
                words += completionText(wordOf(field));
            break;
        }
        for (const auto flag : flags)
            words += completionText(wordOf(flag));
        for (const auto field : fields)
            words += completionText(wordOf(field));
        words += { QStringLiteral("not"), QStringLiteral("had"), QStringLiteral("row") };
        break;
    case Expect::Operator:
        for (const auto comparison : comparisons)
            words += completionText(wordOf(comparison));
        break;
    case Expect::Value:
        words = valuesOf(place.field, states);
        break;
    case Expect::Joint:
        words = { QStringLiteral("and"), QStringLiteral("or") };
        break;
    }
    return words;
}

FilterPtr flagged(Flag flag)
{
    auto filter = std::make_shared<Filter>();
    filter->op = Filter::Op::Flagged;
    filter->flag = flag;
    return filter;
}

FilterPtr stateIs(const std::string& state)
{
    auto filter = std::make_shared<Filter>();
    filter->op = Filter::Op::Test;
    filter->field = Field::State;
    filter->comparison = Comparison::Equal;
    filter->values = { { state, {} } };
    return filter;
}

bool isFlag(const FilterPtr& filter, Flag flag)
{
    return filter->op == Filter::Op::Flagged && filter->flag == flag;
}

bool isState(const FilterPtr& filter, const std::string& state)
{
    return filter->op == Filter::Op::Test && filter->field == Field::State && filter->comparison == Comparison::Equal
        && filter->values.size() == 1 && filter->values.front().text == state;
}

template <typename Matches> bool atTop(const FilterPtr& filter, Matches matches)
{
    if (!filter)
        return false;
    if (matches(filter))
        return true;
    return filter->op == Filter::Op::And && std::any_of(filter->children.begin(), filter->children.end(), matches);
}

template <typename Matches>
std::optional<QString> toggled(const QString& text, const FilterPtr& term, bool on, Matches matches)
{
    const auto parsed = parseFilter(text.toStdString());
    if (!parsed)
        return std::nullopt;
    const auto& filter = *parsed;
    if (on == atTop(filter, matches))
        return text;
    if (!filter)
        return completionText(formatFilter(term));
    auto whole = std::make_shared<Filter>();
    whole->op = Filter::Op::And;
    if (filter->op == Filter::Op::And)
        whole->children = filter->children;
    else
        whole->children = { filter };
    if (on)
        whole->children.push_back(term);
    else
        std::erase_if(whole->children, matches);
    if (whole->children.empty())
        return QString();
    return completionText(formatFilter(whole->children.size() == 1 ? whole->children.front() : whole));
}

} // namespace

Completion completionsAt(const QString& text, qsizetype cursor, const QStringList& states)
{
    cursor = std::clamp<qsizetype>(cursor, 0, text.size());
    const auto place = placeOf(text, cursor);
    Completion completion{ .from = place.from, .length = cursor - place.from, .words = {} };
    if (place.quoted)
        return completion;
    const auto typed = text.mid(place.from, cursor - place.from);
    for (const auto& word : wordsFor(place, states))
        if (word.startsWith(typed, Qt::CaseInsensitive) && word != typed)
            completion.words += word;
    return completion;
}

FilterMistake mistakeOf(const Error& error, qsizetype textLength)
{
    static const QRegularExpression pattern(
        QStringLiteral("^at (\\d+): (.*)$"), QRegularExpression::DotMatchesEverythingOption);
    const auto message = completionText(error.message);
    const auto match = pattern.match(message);
    if (!match.hasMatch())
        return { textLength, message };
    return { std::clamp<qsizetype>(match.captured(1).toLongLong() - 1, 0, textLength), match.captured(2) };
}

bool asksFor(const FilterPtr& filter, Flag flag)
{
    return atTop(filter, [flag](const FilterPtr& term) { return isFlag(term, flag); });
}

bool asksFor(const FilterPtr& filter, const std::string& state)
{
    return atTop(filter, [&state](const FilterPtr& term) { return isState(term, state); });
}

std::optional<QString> withFlag(const QString& text, Flag flag, bool on)
{
    return toggled(text, flagged(flag), on, [flag](const FilterPtr& term) { return isFlag(term, flag); });
}

std::optional<QString> withState(const QString& text, const std::string& state, bool on)
{
    return toggled(text, stateIs(state), on, [&state](const FilterPtr& term) { return isState(term, state); });
}

} // namespace fencepost::ui

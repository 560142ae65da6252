// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/profile/detection.h"
#include "core/profile/named_columns.h"
#include "core/store/expression_sql.h"
#include "core/store/sqlite_instants.h"
#include "core/store/time_form.h"
#include "core/store/zone_sql.h"

namespace fencepost::store {

namespace {

using profile::Expression;
using Op = Expression::Op;

// Beyond these both databases would answer with an error instead of "no row": years 1 and 9999.
constexpr std::int64_t earliest = -62'135'596'800'000'000;
constexpr std::int64_t latest = 253'402'300'799'000'000;
// 2,000 years back and 7,000 ahead of the server's now stay within them.
constexpr std::int64_t furthestBack = -63'000'000'000'000'000;
constexpr std::int64_t furthestAhead = 220'000'000'000'000'000;

constexpr std::string_view naive = "naive:";
// Text in PostgreSQL whose times may name no zone: what a profile calls naive, in a column that is no timestamp.
constexpr std::string_view naiveText = "iso:";
constexpr const char* microsecond = " * interval '1 microsecond'";

std::int64_t absoluteMicros(Time base, Duration offset)
{
    std::int64_t sum = 0;
    if (__builtin_add_overflow(microsOf(base), offset.count(), &sum))
        return offset.count() < 0 ? earliest : latest;
    return std::clamp(sum, earliest, latest);
}

// In PostgreSQL one row with a year that nothing has would else end the whole page with an error. Its LEAST and
// GREATEST pass over NULL: of a value that may be none, the caller asks first.
std::string asBigint(const std::string& number)
{
    return "CAST(LEAST(GREATEST(" + number + ", -9000000000000000000), 9000000000000000000) AS bigint)";
}

// What PostgreSQL can read as an instant, and nothing that it would refuse with an error: days that there are, an hour
// below 24, an offset below 15 hours.
constexpr const char* readableInstant =
    "'^(([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    "|02-(0[1-9]|1[0-9]|2[0-8])))"
    "|(([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29))"
    "([T ]([01][0-9]|2[0-3])[:][0-5][0-9]([:][0-5][0-9]([.][0-9]{1,30}){0,1}){0,1}"
    " {0,1}(Z|UTC|GMT|[+-](0[0-9]|1[0-4])([:]{0,1}[0-5][0-9]){0,1}){0,1}){0,1}$'";

std::string microsText(const std::string& instant)
{
    return asBigint("extract(epoch FROM " + instant + ") * 1000000");
}

// Far beyond any year PostgreSQL's integer would overflow, and end the whole page with an error. `plain`: it cannot.
std::string later(const std::string& start, const std::string& span, bool plain)
{
    if (plain)
        return "(" + start + " + " + span + ")";
    const auto sum = "CAST(" + start + " AS numeric) + CAST(" + span + " AS numeric)";
    return "CASE WHEN " + sum + " IS NOT NULL THEN " + asBigint(sum) + " END";
}

// Behind the minutes stand seconds, a fraction and a zone. What has none of these signs there tells no zone.
std::string namesNoZone(Dialect dialect, const std::string& text)
{
    const auto tail = "substr(" + text + ", 17)";
    return dialect == Dialect::Sqlite ? tail + " NOT GLOB '*[+A-Z-]*'" : tail + " !~ '[+A-Z-]'";
}

// Whole ones at or below it: before 1970 a division alone would go up.
std::string whole(const std::string& micros, std::int64_t unit)
{
    const auto by = std::to_string(unit);
    return "((" + micros + ") / " + by + " - CASE WHEN (" + micros + ") % " + by + " < 0 THEN 1 ELSE 0 END)";
}

// What is left beside them.
std::string fractionOf(const std::string& micros)
{
    return "(((" + micros + ") % 1000000 + 1000000) % 1000000)";
}

std::int64_t unitOf(const std::string& encoding)
{
    return encoding == "epoch_s" ? 1'000'000 : encoding == "epoch_ms" ? 1'000 : encoding == "epoch_us" ? 1 : 0;
}

} // namespace

std::string ExpressionSql::nowMicros()
{
    if (m_now)
        return bindInteger(microsOf(*m_now));
    if (sqlite())
        return fail(Failure::Internal, "SQLite has no clock of its own to decide with");
    return microsText("statement_timestamp()");
}

std::string ExpressionSql::encodingOf(const Expression& expression, const CatalogColumn& column)
{
    return encodingOf(expression.name, column);
}

std::string ExpressionSql::encodingOf(const std::string& name, const CatalogColumn& column)
{
    const auto& time = m_bound.profile->time;
    const auto exact = profile::withAlias(*m_bound.profile, name);
    for (const auto& key : { exact, exact.substr(exact.find('.') + 1), std::string("*") }) {
        const auto entry = std::find_if(
            time.begin(), time.end(), [&](const auto& known) { return profile::sameWithoutCase(known.first, key); });
        if (entry == time.end())
            continue;
        auto encoding = entry->second.find(sqlite() ? "sqlite" : "postgresql");
        if (encoding == entry->second.end())
            encoding = entry->second.find("*");
        if (encoding == entry->second.end())
            continue;
        const bool textual = encoding->second == "iso" || encoding->second == "isoZ";
        if (textual && (column.typeClass == TypeClass::Integer || column.typeClass == TypeClass::Number))
            break;
        // A typed column says itself what it is.
        if (!sqlite() && column.typeClass == TypeClass::Instant)
            return "tz";
        if (!sqlite() && textual && column.typeClass == TypeClass::LocalInstant)
            return "naive:UTC";
        // Read as if it were UTC, and nothing is written, until somebody says which zone it is.
        const auto said = encoding->second == profile::appLocalTime ? std::string("naive:UTC") : encoding->second;
        if (!sqlite() && column.typeClass == TypeClass::Text && said == "tz")
            return "iso";
        if (!sqlite() && column.typeClass == TypeClass::Text && said.rfind(naive, 0) == 0)
            return std::string(naiveText) + said.substr(naive.size());
        return said;
    }
    switch (column.typeClass) {
    case TypeClass::Instant:
        return "tz";
    case TypeClass::LocalInstant:
        return sqlite() ? "iso" : "naive:UTC";
    case TypeClass::Text:
        return "iso";
    default:
        fail(Failure::Unsupported,
            "the column \"" + column.name + "\" of type " + column.type
                + " holds instants in a way that the profile does not declare under \"time\"");
        return "epoch_us";
    }
}

// PostgreSQL itself adds nothing to such a text.
bool ExpressionSql::isTextOfTime(const Expression& expression)
{
    const auto columns = sqlite() ? timeColumnsOf(expression) : std::nullopt;
    return columns && std::any_of(columns->begin(), columns->end(), [&](const Expression* each) {
        const auto* resolved = column(*each);
        return resolved != nullptr && unitOf(encodingOf(*each, *resolved)) == 0;
    });
}

std::string ExpressionSql::columnMicros(const std::string& reference, const std::string& encoding)
{
    if (const auto unit = unitOf(encoding); unit > 0) {
        // Our own tables hold nothing else.
        if (unit == 1 && (m_bound.profile->native || !sqlite()))
            return reference;
        if (sqlite())
            return sqliteEpochMicros(reference, unit);
        // PostgreSQL's integer would overflow in the multiplication.
        return "CASE WHEN " + reference + " IS NOT NULL THEN "
            + asBigint("CAST(" + reference + " AS numeric) * " + std::to_string(unit)) + " END";
    }
    if (sqlite() && encoding.rfind(naive, 0) == 0) {
        const auto zone = zoneOf(encoding);
        if (!zone)
            return "NULL";
        if (!zone->isUtc())
            return "(" + sqliteIsoMicros(reference) + " - CASE WHEN " + namesNoZone(dialect(), reference) + " THEN "
                + offsetOfLocalText(*zone, reference) + " ELSE 0 END)";
    }
    if (sqlite())
        return sqliteIsoMicros(reference);
    if (encoding == "tz")
        return "CASE WHEN isfinite(" + reference + ") THEN " + microsText(reference) + " END";
    if (encoding.rfind(naive, 0) == 0)
        return "CASE WHEN isfinite(" + reference + ") THEN "
            + microsText("(" + reference + " AT TIME ZONE " + bindText(encoding.substr(naive.size())) + ")") + " END";
    // What fills a CHAR(n) up is no part of its value.
    const auto text = "CAST(" + reference + " AS text)";
    auto instant = "CAST(" + text + " AS timestamptz)";
    if (encoding.rfind(naiveText, 0) == 0)
        instant = "CASE WHEN " + namesNoZone(dialect(), text) + " THEN CAST(" + text + " AS timestamp) AT TIME ZONE "
            + bindText(encoding.substr(naiveText.size())) + " ELSE " + instant + " END";
    return "CASE WHEN " + text + " ~ " + readableInstant + " AND " + text + " >= '0001' THEN " + microsText(instant)
        + " END";
}

std::optional<Zone> ExpressionSql::zoneOf(const std::string& encoding)
{
    auto zone = findZone(encoding.substr(naive.size()));
    if (!zone)
        fail(Failure::Unsupported,
            "no time zone is called \"" + encoding.substr(naive.size())
                + "\" on this computer, whose rules SQLite needs");
    return zone;
}

// What a text that names no zone says, as if it were UTC.
std::string ExpressionSql::localMicros(const std::string& encoding, const std::string& value)
{
    if (sqlite() && encoding.rfind(naive, 0) == 0)
        if (const auto zone = zoneOf(encoding); zone && !zone->isUtc())
            return "(" + value + " + " + offsetOfMicros(*zone, value) + ")";
    if (encoding.rfind(naiveText, 0) == 0)
        return "CASE WHEN " + value + " IS NOT NULL THEN "
            + microsText("(timestamptz 'epoch' + " + value + microsecond + ") AT TIME ZONE "
                + bindText(encoding.substr(naiveText.size())))
            + " END";
    return value;
}

// The texts of instants beside it in its row, itself first where it is one. A row that is made has but its source's.
std::vector<std::string> ExpressionSql::textsLike(
    const CatalogColumn& column, const std::string& name, const std::string& encoding)
{
    const auto isText = [](const CatalogColumn& one) {
        return one.typeClass == TypeClass::Text || one.typeClass == TypeClass::LocalInstant;
    };
    const auto isOfRow = [&](const CatalogColumn& one) { return m_bound.aliasOf(one) == "t"; };
    std::vector<std::string> texts;
    if (isOfRow(column) && m_bound.column(name) == &column)
        texts.push_back(reference(column));
    for (const auto& [field, expression] : m_bound.fields) {
        const auto* other = field.ends_with("_us") ? m_bound.plainColumn(field) : nullptr;
        if (other != nullptr && other != &column && isText(*other) && isOfRow(*other)
            && encodingOf(*expression, *other) == encoding)
            texts.push_back(reference(*other));
    }
    return texts;
}

std::string ExpressionSql::assignedInstant(
    const CatalogColumn& column, const std::string& name, const std::string& value, bool exact)
{
    const auto encoding = encodingOf(name, column);
    const bool isText =
        sqlite() ? unitOf(encoding) == 0 : encoding == "iso" || encoding == "isoZ" || encoding.rfind(naiveText, 0) == 0;
    const auto standard = [&](const std::string& micros) {
        return exact && isText ? exactly(encoding, micros) : encoded(encoding, micros);
    };
    if (const auto unit = unitOf(encoding); unit > 1 && column.typeClass == TypeClass::Number)
        return sqlite() ? "(" + value + " * 1.0 / " + std::to_string(unit) + ")"
                        : "(CAST(" + value + " AS numeric) / " + std::to_string(unit) + ")";
    if (isText && !sqlite() && column.typeClass != TypeClass::Text)
        return column.type == "date" ? "CAST(" + standard(value) + " AS date)"
                                     : fail(Failure::Unsupported,
                                         "the column \"" + column.name + "\" of type " + column.type
                                             + " holds no texts, as \"" + encoding + "\" would be written");
    const auto local = [&](const std::string& micros) { return localMicros(encoding, micros); };
    return isText ? inFormOf(dialect(), textsLike(column, name, encoding), value, local, standard) : standard(value);
}

std::string ExpressionSql::encoded(const std::string& encoding, const std::string& micros)
{
    const auto value = localMicros(encoding, micros);
    if (const auto unit = unitOf(encoding); unit > 0)
        return unit == 1 ? value : whole(value, unit);
    if (sqlite()) {
        const auto seconds = whole(value, 1'000'000) + ", 'unixepoch')";
        if (encoding == "isoZ")
            return "strftime('%Y-%m-%dT%H:%M:%S', " + seconds + " || printf('.%06dZ', " + fractionOf(value) + ")";
        return "strftime('%Y-%m-%d %H:%M:%S', " + seconds;
    }
    const auto instant = "(timestamptz 'epoch' + " + value + microsecond + ")";
    if (encoding == "tz")
        return instant;
    if (encoding.rfind(naive, 0) == 0)
        return "(" + instant + " AT TIME ZONE " + bindText(encoding.substr(naive.size())) + ")";
    return "to_char(" + instant + " AT TIME ZONE 'UTC', "
        + (encoding == "isoZ" ? "'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'" : "'YYYY-MM-DD HH24:MI:SS'") + ")";
}

// A text that may name a zone or none, with what `encoded` leaves out of one with a space.
std::string ExpressionSql::exactly(const std::string& encoding, const std::string& micros)
{
    if (encoding == "isoZ")
        return encoded(encoding, micros);
    const auto rest = fractionOf(localMicros(encoding, micros));
    return "(" + encoded(encoding, micros) + " || CASE WHEN " + rest + " = 0 THEN '' ELSE "
        + (sqlite() ? "printf('.%06d', " + rest + ")" : "'.' || lpad(CAST(" + rest + " AS text), 6, '0')") + " END)";
}

Duration ExpressionSql::span(const Expression& expression)
{
    const auto value = constant(expression);
    const auto* text = value ? std::get_if<std::string>(&*value) : nullptr;
    const auto duration = parseDuration(text != nullptr ? *text : std::string());
    if (!duration) {
        fail(Failure::Invalid, duration.error().message);
        return {};
    }
    return *duration;
}

std::string ExpressionSql::micros(const Expression& expression)
{
    switch (expression.op) {
    case Op::Column: {
        const auto* resolved = column(expression);
        return resolved != nullptr ? columnMicros(reference(*resolved), encodingOf(expression, *resolved)) : "NULL";
    }
    case Op::Old: {
        const auto* resolved = column(expression);
        return resolved != nullptr ? columnMicros(natural(expression), encodingOf(expression, *resolved)) : "NULL";
    }
    case Op::Now:
        return nowMicros();
    case Op::From:
        return fetched(expression, micros(*expression.arguments[1]));
    case Op::Coalesce:
    case Op::Greatest: {
        std::vector<std::string> instants;
        for (const auto& argument : expression.arguments)
            instants.push_back(micros(*argument));
        return expression.op == Op::Coalesce ? firstOf(instants) : greatest(instants);
    }
    case Op::Case: {
        const auto& arguments = expression.arguments;
        std::string text = "CASE";
        for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
            text += " WHEN " + predicate(*arguments[i]) + " THEN " + micros(*arguments[i + 1]);
        return text + " ELSE " + micros(*arguments.back()) + " END";
    }
    case Op::Literal:
        return std::holds_alternative<std::monostate>(expression.literal)
            ? (sqlite() ? "NULL" : "CAST(NULL AS bigint)")
            : fail(Failure::Unsupported, "an instant must be a column, now, or made of them");
    case Op::AddSeconds: {
        if (isTextOfTime(*expression.arguments[1]))
            return fail(Failure::Unsupported, "what \"add_s\" adds is a number of seconds, not a time");
        const auto start = micros(*expression.arguments[0]);
        const bool plain = sqlite() || expression.arguments[0]->op == Op::Now;
        return later(start, natural(*expression.arguments[1]) + " * 1000000", plain);
    }
    case Op::AddInterval: {
        const auto start = micros(*expression.arguments[0]);
        const bool plain = sqlite() || expression.arguments[0]->op == Op::Now;
        return later(start, bindInteger(span(*expression.arguments[1]).count()), plain);
    }
    default:
        return fail(Failure::Unsupported, "an instant must be a column, now, or made of them");
    }
}

const CatalogColumn* ExpressionSql::writtenInstant(const Expression& expression)
{
    const auto* resolved = sqlite() && expression.op == Op::Column ? column(expression) : nullptr;
    if (resolved == nullptr)
        return nullptr;
    const auto encoding = encodingOf(expression, *resolved);
    if (encoding.rfind(naive, 0) == 0) {
        const auto zone = zoneOf(encoding);
        return zone && zone->isUtc() ? resolved : nullptr;
    }
    return unitOf(encoding) == 0 ? resolved : nullptr;
}

std::string ExpressionSql::cutMicros(const Cut& cut)
{
    if (cut.at || m_now)
        return bindInteger(absoluteMicros(cut.at ? *cut.at : *m_now, cut.at ? Duration(0) : cut.fromNow));
    return "(" + nowMicros() + " + " + bindInteger(std::clamp(cut.fromNow.count(), furthestBack, furthestAhead)) + ")";
}

// As timestamptz, stable within the statement so that an index can be used.
std::string ExpressionSql::instant(const Cut& cut)
{
    if (cut.at || m_now)
        return "(timestamptz 'epoch' + " + cutMicros(cut) + microsecond + ")";
    if (cut.fromNow == Duration(0))
        return "statement_timestamp()";
    return "(statement_timestamp() + " + bindInteger(std::clamp(cut.fromNow.count(), furthestBack, furthestAhead))
        + microsecond + ")";
}

std::string ExpressionSql::compareInstant(const Expression& time, std::string_view comparison, const Cut& cut)
{
    const auto joint = ' ' + std::string(comparison) + ' ';
    const auto* resolved = time.op == Op::Column ? column(time) : nullptr;
    if (resolved == nullptr)
        return micros(time) + joint + cutMicros(cut);
    const auto encoding = encodingOf(time, *resolved);
    const auto subject = reference(*resolved);
    if (encoding == "epoch_us" && (!sqlite() || m_bound.profile->native))
        return subject + joint + cutMicros(cut);
    if (!sqlite() && encoding == "tz")
        return subject + joint + instant(cut);
    if (!sqlite() && encoding.rfind(naive, 0) == 0)
        return subject + joint + "(" + instant(cut) + " AT TIME ZONE " + bindText(encoding.substr(naive.size())) + ")";
    if (sqlite() && unitOf(encoding) == 0)
        return dayBound(time, *resolved, comparison, cut);
    // Whole units at or below the cut: s * unit < cut is s < ceil(cut / unit), and so on.
    const auto unit = unitOf(encoding);
    if (unit > 0 && resolved->typeClass == TypeClass::Integer && comparison != "=" && (cut.at || m_now)) {
        const auto exactCut = absoluteMicros(cut.at ? *cut.at : *m_now, cut.at ? Duration(0) : cut.fromNow);
        const auto down = exactCut / unit - (exactCut % unit < 0 ? 1 : 0);
        const bool whole = exactCut % unit == 0;
        const bool below = comparison == "<=" || comparison == ">";
        const auto served = subject + joint + bindInteger(below || whole ? down : down + 1);
        // To SQLite a text is more than any number, and a blob more than that.
        const bool above = comparison != "<" && comparison != "<=";
        return sqlite() && above && !m_bound.profile->native
            ? "(" + served + " AND typeof(" + subject + ") IN ('integer', 'real'))"
            : served;
    }
    // The server's own clock: the same, rounded there.
    if (unit > 0 && resolved->typeClass == TypeClass::Integer && comparison != "=") {
        const bool below = comparison == "<=" || comparison == ">";
        return subject + joint + "CAST(" + (below ? "floor" : "ceil") + "(CAST(" + cutMicros(cut) + " AS numeric) / "
            + std::to_string(unit) + ") AS bigint)";
    }
    return micros(time) + joint + cutMicros(cut);
}

// Text in SQLite: exact by what it says, behind a comparison of days that an index of the column serves. Whatever the
// zone and the separator, an instant before the cut begins with a day that is at most one day after the cut's.
std::string ExpressionSql::dayBound(
    const Expression& time, const CatalogColumn& column, std::string_view comparison, const Cut& cut)
{
    const auto exact = micros(time) + ' ' + std::string(comparison) + ' ' + cutMicros(cut);
    const bool below = comparison == "<" || comparison == "<=";
    const bool above = comparison == ">" || comparison == ">=";
    const auto at = absoluteMicros(cut.at ? *cut.at : *m_now, cut.at ? Duration(0) : cut.fromNow);
    constexpr std::int64_t twoDays = 2LL * 86'400 * 1'000'000;
    constexpr std::int64_t firstOfFourDigits = earliest + 2 * twoDays;
    if (column.typeClass != TypeClass::Text && column.typeClass != TypeClass::LocalInstant)
        return exact;
    if ((!below && !above) || at < firstOfFourDigits || at > latest - twoDays)
        return exact;
    const auto subject = reference(column);
    const auto direction = below ? " < " : " > ";
    const auto dayAt = [&](std::int64_t micros) { return bind(formatInstant(timeFromMicros(micros)).substr(0, 10)); };
    const auto first = dayAt(at + (below ? twoDays : -twoDays));
    // Further away no zone matters: what is an instant is on that side.
    const auto sure = dayAt(at - (below ? twoDays : -twoDays));
    // A blob is more than any text, and no instant, whatever its octets are.
    return "(" + subject + direction + first + " AND CASE WHEN " + subject + direction + sure + " AND "
        + isSqlitePlainSecond(subject) + " THEN 1 ELSE " + exact + " END"
        + (above ? " AND typeof(" + subject + ") = 'text')" : ")");
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#include "core/store/time_form.h"

#include "core/store/sqlite_instants.h"

namespace fencepost::store {

namespace {

// What is read back as the same instant.
constexpr const char* sqliteMinute = "'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][T ][0-9][0-9]:[0-9][0-9]*'";
constexpr const char* postgresForm =
    "'^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}[:][0-9]{2}([:][0-9]{2}([.][0-9]+){0,1}){0,1}"
    "( {0,1}(Z|UTC|GMT|[+-](0[0-9]|1[0-4])([:]{0,1}[0-5][0-9]){0,1})){0,1}$'";

// Of what stands behind "2026-11-20T23:45:47" or "2026-11-20 23:45".
std::string lengthOfHead(const std::string& form)
{
    return "CASE WHEN substr(" + form + ", 17, 1) = ':' THEN 19 ELSE 16 END";
}

std::string firstReadable(Dialect dialect, const std::vector<std::string>& samples)
{
    std::string cases;
    for (const auto& sample : samples) {
        const auto text = dialect == Dialect::Sqlite ? sample : "CAST(" + sample + " AS text)";
        cases += " WHEN " + text + (dialect == Dialect::Sqlite ? " GLOB " : " ~ ")
            + (dialect == Dialect::Sqlite ? sqliteMinute : postgresForm) + " THEN " + text;
    }
    return "CASE" + cases + " END";
}

// Steps beside one another: SQLite's parser gives up on what is nested deeply.
std::string sqliteForm(
    const std::string& form, const std::string& micros, const OfMicros& local, const OfMicros& standard)
{
    const auto at = [&](const std::string& format) {
        return "strftime(" + format + ", f.at / 1000000 - (f.at % 1000000 < 0), 'unixepoch', f.offset)";
    };
    const auto given = "SELECT " + form + " AS form, " + micros + " AS utc";
    const auto heads = "SELECT *, " + lengthOfHead("form") + " AS head FROM form_given";
    const std::string fractions =
        "SELECT *, CASE WHEN head = 19 AND substr(form, 20, 1) = '.' THEN length(substr(form, "
        "21)) - length(ltrim(substr(form, 21), '0123456789')) ELSE 0 END AS digits FROM form_heads";
    const std::string tails = "SELECT *, substr(form, head + 1 + CASE WHEN digits > 0 THEN digits + 1 ELSE 0 END) AS "
                              "zone FROM form_fractions";
    const std::string zones =
        "SELECT *, CASE WHEN substr(zone, 1, 1) = ' ' THEN substr(zone, 2) ELSE zone END AS named FROM form_tails";
    const std::string bare = "substr(replace(named, ':', '') || '00', 1, 5)";
    const auto placed = "SELECT *, CASE WHEN named = '' THEN " + local("utc")
        + " ELSE utc END AS at, CASE WHEN named IN ('', 'Z', 'UTC', 'GMT') THEN '+00:00' WHEN "
        + isSqliteOffset("named") + " THEN substr(" + bare + ", 1, 3) || ':' || substr(" + bare
        + ", 4) END AS offset FROM form_zones";
    return "(WITH form_given AS (" + given + "), form_heads AS (" + heads + "), form_fractions AS (" + fractions
        + "), form_tails AS (" + tails + "), form_zones AS (" + zones + "), form_placed AS (" + placed
        + ") SELECT CASE WHEN f.offset IS NULL THEN " + standard("f.utc") + " ELSE " + at("'%Y-%m-%d'")
        + " || substr(f.form, 11, 1) || " + at("CASE WHEN f.head = 19 THEN '%H:%M:%S' ELSE '%H:%M' END")
        + " || CASE WHEN f.digits > 0 THEN '.' || substr(printf('%06d', (f.at % 1000000 + 1000000) % 1000000) || "
          "'000000000000000000000000', 1, f.digits) ELSE '' END || f.zone END FROM form_placed AS f)";
}

std::string postgresFormed(
    const std::string& form, const std::string& micros, const OfMicros& local, const OfMicros& standard)
{
    const auto given = "SELECT " + form + " AS form, " + micros + " AS utc";
    const auto heads = "SELECT *, " + lengthOfHead("form") + " AS head FROM form_given";
    const std::string tails = "SELECT *, coalesce(length(substring(form FROM '^.{19}[.]([0-9]+)')), 0) AS digits, "
                              "regexp_replace(substr(form, head + 1), '^[.][0-9]+', '') AS zone FROM form_heads";
    const std::string bare = "rpad(replace(ltrim(zone), ':', ''), 5, '0')";
    const auto placed = "SELECT *, (timestamptz 'epoch' + CASE WHEN zone = '' THEN " + local("utc")
        + " ELSE utc END * interval '1 microsecond') AT TIME ZONE 'UTC' + CASE WHEN zone ~ '[+-]' THEN CAST(left("
        + bare + ", 3) || ':' || right(" + bare
        + ", 2) AS interval) ELSE interval '0' END AS local_time FROM form_tails";
    return "(WITH form_given AS (" + given + "), form_heads AS (" + heads + "), form_tails AS (" + tails
        + "), form_placed AS (" + placed + ") SELECT CASE WHEN f.form IS NULL THEN " + standard("f.utc")
        + " ELSE to_char(f.local_time, 'YYYY-MM-DD') || substr(f.form, 11, 1) || to_char(f.local_time, CASE WHEN "
          "f.head "
          "= 19 THEN 'HH24:MI:SS' ELSE 'HH24:MI' END) || CASE WHEN f.digits > 0 THEN '.' || left(to_char(f.local_time, "
          "'US') || '000000000000000000000000', f.digits) ELSE '' END || f.zone END FROM form_placed AS f)";
}

} // namespace

std::string inFormOf(Dialect dialect, const std::vector<std::string>& samples, const std::string& micros,
    const OfMicros& local, const OfMicros& standard)
{
    if (samples.empty())
        return standard(micros);
    const auto form = firstReadable(dialect, samples);
    return dialect == Dialect::Sqlite ? sqliteForm(form, micros, local, standard)
                                      : postgresFormed(form, micros, local, standard);
}

} // namespace fencepost::store

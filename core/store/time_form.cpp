// SPDX-License-Identifier: Apache-2.0
#include "core/store/time_form.h"

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

std::string sqliteForm(
    const std::string& form, const std::string& micros, const std::string& local, const std::string& standard)
{
    const auto at = [&](const std::string& format) {
        return "strftime(" + format + ", f.at / 1000000, 'unixepoch', f.offset)";
    };
    const auto heads = "SELECT s.*, " + lengthOfHead("s.form") + " AS head FROM (SELECT " + form + " AS form, " + micros
        + " AS utc, " + local + " AS local) AS s";
    const auto fractions =
        "SELECT h.*, CASE WHEN h.head = 19 AND substr(h.form, 20, 1) = '.' THEN length(substr(h.form, "
        "21)) - length(ltrim(substr(h.form, 21), '0123456789')) ELSE 0 END AS digits FROM ("
        + heads + ") AS h";
    const auto parts =
        "SELECT d.*, substr(d.form, 11, 1) AS separator, substr(d.form, d.head + 1 + CASE WHEN d.digits > "
        "0 THEN d.digits + 1 ELSE 0 END) AS zone FROM ("
        + fractions + ") AS d";
    const auto zones =
        "SELECT p.*, CASE WHEN substr(p.zone, 1, 1) = ' ' THEN substr(p.zone, 2) ELSE p.zone END AS named "
        "FROM ("
        + parts + ") AS p";
    const std::string bare = "substr(replace(z.named, ':', '') || '00', 1, 5)";
    const auto known =
        "SELECT z.*, CASE WHEN z.named = '' THEN z.local ELSE z.utc END AS at, CASE WHEN z.named IN ('', "
        "'Z', 'UTC', 'GMT') THEN '+00:00' WHEN (z.named GLOB '[+-][01][0-9]' OR z.named GLOB "
        "'[+-][01][0-9][0-5][0-9]' OR z.named GLOB '[+-][01][0-9]:[0-5][0-9]') AND substr(z.named, 2, 2) "
        "< '15' THEN substr("
        + bare + ", 1, 3) || ':' || substr(" + bare + ", 4) END AS offset FROM (" + zones + ") AS z";
    return "(SELECT CASE WHEN f.offset IS NULL THEN " + standard + " ELSE " + at("'%Y-%m-%d'") + " || f.separator || "
        + at("CASE WHEN f.head = 19 THEN '%H:%M:%S' ELSE '%H:%M' END")
        + " || CASE WHEN f.digits > 0 THEN '.' || substr(printf('%06d', f.at % 1000000) || '000000000000000000000000', "
          "1, "
          "f.digits) ELSE '' END || f.zone END FROM ("
        + known + ") AS f)";
}

std::string postgresFormed(
    const std::string& form, const std::string& micros, const std::string& local, const std::string& standard)
{
    const auto heads = "SELECT s.*, " + lengthOfHead("s.form") + " AS head FROM (SELECT " + form + " AS form, " + micros
        + " AS utc, " + local + " AS local) AS s";
    const auto parts = "SELECT h.*, coalesce(length(substring(h.form FROM '^.{19}[.]([0-9]+)')), 0) AS digits, "
                       "regexp_replace(substr(h.form, h.head + 1), '^[.][0-9]+', '') AS zone FROM ("
        + heads + ") AS h";
    const std::string bare = "rpad(replace(ltrim(p.zone), ':', ''), 5, '0')";
    const auto placed =
        "SELECT p.*, (timestamptz 'epoch' + CASE WHEN p.zone = '' THEN p.local ELSE p.utc END * interval "
        "'1 microsecond') AT TIME ZONE 'UTC' + CASE WHEN p.zone ~ '[+-]' THEN CAST(left("
        + bare + ", 3) || ':' || right(" + bare + ", 2) AS interval) ELSE interval '0' END AS local_time FROM (" + parts
        + ") AS p";
    return "(SELECT CASE WHEN f.form IS NULL THEN " + standard
        + " ELSE to_char(f.local_time, 'YYYY-MM-DD') || substr(f.form, 11, 1) || to_char(f.local_time, CASE WHEN "
          "f.head "
          "= 19 THEN 'HH24:MI:SS' ELSE 'HH24:MI' END) || CASE WHEN f.digits > 0 THEN '.' || left(to_char(f.local_time, "
          "'US') || '000000000000000000000000', f.digits) ELSE '' END || f.zone END FROM ("
        + placed + ") AS f)";
}

} // namespace

std::string inFormOf(Dialect dialect, const std::vector<std::string>& samples, const std::string& micros,
    const std::string& local, const std::string& standard)
{
    if (samples.empty())
        return standard;
    const auto form = firstReadable(dialect, samples);
    return dialect == Dialect::Sqlite ? sqliteForm(form, micros, local, standard)
                                      : postgresFormed(form, micros, local, standard);
}

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#include "core/store/time_form.h"

namespace fencepost::store {

namespace {

// What is read back as the same instant: a zone that is not named otherwise is UTC.
constexpr const char* sqliteDay = "'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][T ][0-9][0-9]:[0-9][0-9]:[0-9][0-9]*'";
constexpr const char* postgresForm = "'^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}[:][0-9]{2}[:][0-9]{2}([.][0-9]+){0,1}"
                                     "(Z| {0,1}(UTC|GMT)| {0,1}[+-][0-9]{2}[:][0-9]{2}){0,1}$'";

std::string firstReadable(Dialect dialect, const std::vector<std::string>& samples)
{
    std::string cases;
    for (const auto& sample : samples)
        cases += " WHEN " + sample + (dialect == Dialect::Sqlite ? " GLOB " : " ~ ")
            + (dialect == Dialect::Sqlite ? sqliteDay : postgresForm) + " THEN " + sample;
    return "CASE" + cases + " END";
}

std::string sqliteForm(const std::string& form, const std::string& micros, const std::string& standard)
{
    const auto at = [&](const char* format) {
        return std::string("strftime('") + format + "', f.at / 1000000, 'unixepoch', f.offset)";
    };
    const auto parts = "SELECT substr(d.form, 11, 1) AS separator, d.digits, substr(d.form, 20 + CASE WHEN d.digits > "
                       "0 THEN d.digits + 1 ELSE 0 END) AS zone, d.at FROM (SELECT s.form, s.at, CASE WHEN "
                       "substr(s.form, 20, 1) = '.' THEN length(substr(s.form, 21)) - length(ltrim(substr(s.form, 21), "
                       "'0123456789')) ELSE 0 END AS digits FROM (SELECT "
        + form + " AS form, " + micros + " AS at) AS s) AS d";
    const auto known = "SELECT p.*, CASE WHEN p.zone IN ('', 'Z', 'UTC', ' UTC', 'GMT', ' GMT') THEN '+00:00' WHEN "
                       "ltrim(p.zone) GLOB '[+-][0-9][0-9]:[0-9][0-9]' THEN ltrim(p.zone) END AS offset FROM ("
        + parts + ") AS p";
    return "(SELECT CASE WHEN f.offset IS NULL THEN " + standard + " ELSE " + at("%Y-%m-%d") + " || f.separator || "
        + at("%H:%M:%S")
        + " || CASE WHEN f.digits > 0 THEN '.' || substr(printf('%06d', f.at % 1000000) || '000', 1, "
          "f.digits) ELSE '' END || f.zone END FROM ("
        + known + ") AS f)";
}

std::string postgresFormed(const std::string& form, const std::string& micros, const std::string& standard)
{
    const auto parts = "SELECT s.form, coalesce(length(substring(s.form FROM '^.{19}[.]([0-9]+)')), 0) AS digits, "
                       "regexp_replace(substr(s.form, 20), '^[.][0-9]+', '') AS zone, s.at FROM (SELECT "
        + form + " AS form, timestamptz 'epoch' + " + micros + " * interval '1 microsecond' AS at) AS s";
    const auto local = "SELECT p.*, (p.at AT TIME ZONE 'UTC') + CASE WHEN p.zone ~ '[:]' THEN CAST(right(p.zone, 6) AS "
                       "interval) ELSE interval '0' END AS local FROM ("
        + parts + ") AS p";
    return "(SELECT CASE WHEN f.form IS NULL THEN " + standard
        + " ELSE to_char(f.local, 'YYYY-MM-DD') || substr(f.form, 11, 1) || to_char(f.local, 'HH24:MI:SS') || CASE "
          "WHEN f.digits > 0 THEN '.' || left(to_char(f.local, 'US') || '000', f.digits) ELSE '' END || f.zone END "
          "FROM ("
        + local + ") AS f)";
}

} // namespace

std::string inFormOf(
    Dialect dialect, const std::vector<std::string>& samples, const std::string& micros, const std::string& standard)
{
    if (samples.empty())
        return standard;
    const auto form = firstReadable(dialect, samples);
    return dialect == Dialect::Sqlite ? sqliteForm(form, micros, standard) : postgresFormed(form, micros, standard);
}

} // namespace fencepost::store

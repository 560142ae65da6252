// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/ids.h"
#include "core/in_quotes.h"
#include "core/store/database.h"

namespace fencepost::store {

namespace {

// The parameters of a URL and where they go. What libpq knows besides is refused: nobody would see it in the console.
struct Setting {
    std::string_view name;
    std::string Target::*member;
};

constexpr std::array settings = {
    Setting{ "host", &Target::host },
    Setting{ "port", &Target::port },
    Setting{ "dbname", &Target::database },
    Setting{ "user", &Target::user },
    Setting{ "service", &Target::service },
    Setting{ "schema", &Target::schema },
    Setting{ "sslmode", &Target::sslMode },
    Setting{ "sslrootcert", &Target::sslRootCert },
    Setting{ "sslcert", &Target::sslCert },
    Setting{ "sslkey", &Target::sslKey },
    Setting{ "target_session_attrs", &Target::targetSessionAttrs },
    Setting{ "passfile", &Target::passFile },
    Setting{ "application_name", &Target::applicationName },
};

// host, port, dbname and user stand in the URL itself.
constexpr std::size_t firstParameter = 4;

constexpr std::array<std::string_view, 6> sslModes = { "disable", "allow", "prefer", "require", "verify-ca",
    "verify-full" };
constexpr std::array<std::string_view, 6> sessionAttributes = { "any", "read-write", "read-only", "primary", "standby",
    "prefer-standby" };

Error secretInUrl()
{
    return { Failure::Invalid,
        "A password in a database URL is refused: it would end up in shell histories and process lists",
        "Use the keychain, PGPASSFILE, a service file or PGPASSWORD" };
}

Result<std::string> decoded(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        if (i + 2 >= text.size())
            return invalid("A \"%\" in a database URL needs two hexadecimal digits behind it");
        const auto octet = fromHex(text.substr(i + 1, 2));
        if (!octet || octet->front() == '\0')
            return invalid("A \"%\" in a database URL needs two hexadecimal digits behind it");
        out += *octet;
        i += 2;
    }
    return out;
}

std::string encoded(std::string_view text, std::string_view kept)
{
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || std::string_view("-._~").find(c) != std::string_view::npos || kept.find(c) != std::string_view::npos;
        if (plain)
            out += c;
        else
            out += "%" + toHex(std::string_view(&c, 1));
    }
    return out;
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    while (true) {
        const auto at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos)
            return parts;
        text.remove_prefix(at + 1);
    }
}

bool isPort(std::string_view text)
{
    return !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// host[:port][,host[:port]…]; an IPv6 address stands in brackets.
Status parseHosts(std::string_view text, Target& target)
{
    bool anyPort = false;
    std::string hosts;
    std::string ports;
    for (const auto part : split(text, ',')) {
        auto host = part;
        std::string_view port;
        if (!host.empty() && host.front() == '[') {
            const auto end = host.find(']');
            if (end == std::string_view::npos)
                return invalid("An IPv6 address in a database URL has no closing bracket");
            port = host.substr(end + 1);
            host = host.substr(1, end - 1);
        } else if (const auto colon = host.find(':'); colon != std::string_view::npos) {
            port = host.substr(colon);
            host = host.substr(0, colon);
        }
        if (!port.empty() && (port.front() != ':' || !isPort(port.substr(1))))
            // Not shown: a password with a slash in it would be read as this.
            return invalid("A database URL has a host or host:port behind its slashes, and never a password");
        const auto name = decoded(host);
        if (!name)
            return name.error();
        hosts += (hosts.empty() ? "" : ",") + *name;
        ports += ports.empty() ? "" : ",";
        anyPort = anyPort || !port.empty();
        ports += port.empty() ? std::string("5432") : std::string(port.substr(1));
    }
    target.host = hosts;
    if (anyPort)
        target.port = ports;
    return {};
}

Status parseParameter(std::string_view text, Target& target)
{
    const auto equals = text.find('=');
    const auto name = decoded(text.substr(0, equals));
    if (!name)
        return name.error();
    if (*name == "password" || *name == "sslpassword")
        return secretInUrl();
    if (equals == std::string_view::npos)
        return invalid("The parameter " + inQuotes(*name) + " of a database URL has no value");
    const auto value = decoded(text.substr(equals + 1));
    if (!value)
        return value.error();
    for (const auto& setting : settings) {
        if (setting.name == *name) {
            target.*setting.member = *value;
            return {};
        }
    }
    return invalid(inQuotes(*name) + " is not a parameter of a database URL");
}

Status checkChoices(const Target& target)
{
    const auto known = [](const auto& words, const std::string& word) {
        return word.empty() || std::find(words.begin(), words.end(), word) != words.end();
    };
    if (!known(sslModes, target.sslMode))
        return invalid(inQuotes(target.sslMode) + " is not an sslmode");
    if (!known(sessionAttributes, target.targetSessionAttrs))
        return invalid(inQuotes(target.targetSessionAttrs) + " is not a value of target_session_attrs");
    for (const auto& setting : settings)
        if ((target.*setting.member).find(';') != std::string::npos)
            return invalid("A setting of a connection must not contain a semicolon");
    return {};
}

Result<Target> parsePostgres(std::string_view rest)
{
    Target target{ .dialect = Dialect::PostgreSql };
    const auto question = rest.find('?');
    const auto parameters = question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
    rest = rest.substr(0, question);
    const auto slash = rest.find('/');
    if (slash != std::string_view::npos) {
        const auto database = decoded(rest.substr(slash + 1));
        if (!database)
            return database.error();
        target.database = *database;
        rest = rest.substr(0, slash);
    }
    // The last one: somebody's password may contain another.
    if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
        if (rest.substr(0, at).find(':') != std::string_view::npos)
            return secretInUrl();
        const auto user = decoded(rest.substr(0, at));
        if (!user)
            return user.error();
        target.user = *user;
        rest = rest.substr(at + 1);
    }
    if (!rest.empty())
        if (const auto hosts = parseHosts(rest, target); !hosts)
            return hosts.error();
    if (!parameters.empty())
        for (const auto part : split(parameters, '&'))
            if (const auto parsed = parseParameter(part, target); !parsed)
                return parsed.error();
    if (const auto checked = checkChoices(target); !checked)
        return checked.error();
    return target;
}

} // namespace

Result<Target> parseUrl(std::string_view url)
{
    constexpr std::string_view sqlite = "sqlite:";
    if (url.substr(0, sqlite.size()) == sqlite) {
        const auto path = url.substr(sqlite.size());
        if (path.empty() || path.find('\0') != std::string_view::npos)
            return invalid("A database URL sqlite:PATH needs the path of a file");
        return Target{ .dialect = Dialect::Sqlite, .path = std::string(path) };
    }
    for (const std::string_view scheme : { "postgresql://", "postgres://" })
        if (url.substr(0, scheme.size()) == scheme)
            return parsePostgres(url.substr(scheme.size()));
    return invalid("A database URL is sqlite:PATH or postgresql://HOST:PORT/DATABASE, with USER@ before the host where "
                   "it is not your own name");
}

std::string formatUrl(const Target& target)
{
    if (target.dialect == Dialect::Sqlite)
        return "sqlite:" + target.path;
    std::string url = "postgresql://";
    if (!target.user.empty())
        url += encoded(target.user, {}) + "@";
    const auto ports = split(target.port, ',');
    std::size_t index = 0;
    if (!target.host.empty()) {
        for (const auto host : split(target.host, ',')) {
            const bool v6 = host.find(':') != std::string_view::npos && host.find('/') == std::string_view::npos;
            url += index == 0 ? "" : ",";
            url += v6 ? "[" + std::string(host) + "]" : encoded(host, {});
            const auto port = ports.size() == 1 ? ports.front() : index < ports.size() ? ports[index] : "";
            if (!port.empty())
                url += ":" + std::string(port);
            ++index;
        }
    }
    url += "/" + encoded(target.database, {});
    char separator = '?';
    for (std::size_t i = firstParameter; i < settings.size(); ++i) {
        const auto& value = target.*settings[i].member;
        if (value.empty())
            continue;
        url += separator + std::string(settings[i].name) + "=" + encoded(value, "/@");
        separator = '&';
    }
    return url;
}

} // namespace fencepost::store

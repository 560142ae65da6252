// SPDX-License-Identifier: Apache-2.0
#include "core/without_credentials.h"

#include <algorithm>
#include <array>

namespace fencepost {

namespace {

// What a URL ends with where it stands in a text. No proper URL has one of them in it.
constexpr std::string_view ends = " \t\r\n\"'<>";
constexpr std::string_view mark = "://";

bool isPort(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A password with a slash that nobody has escaped looks like the end of the host, with a port that is no number.
bool isCutPassword(std::string_view host)
{
    const auto colon = host.rfind(':');
    return host.substr(0, 1) != "[" && colon != std::string_view::npos && !isPort(host.substr(colon + 1));
}

// Where the host begins, in what stands behind "://"; `lastAt` is where the last @ of all that is.
std::size_t hostOf(std::string_view rest, std::size_t lastAt)
{
    const auto host = rest.substr(0, rest.find_first_of("/?#"));
    const auto at = isCutPassword(host) && host.find('@') == std::string_view::npos ? lastAt : host.rfind('@');
    return at == std::string_view::npos ? 0 : at + 1;
}

bool isSecret(std::string_view name)
{
    constexpr std::array<std::string_view, 11> words{ "token", "secret", "passw", "pwd", "key", "sig", "auth", "cred",
        "session", "jwt", "hmac" };
    std::string small(name);
    std::transform(small.begin(), small.end(), small.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return std::any_of(
        words.begin(), words.end(), [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

// Appends a query without the values that are named like a secret; what stands behind "#" may be one as well. How far
// it goes: until another URL begins in it.
std::size_t addQuery(std::string& shown, std::string_view query)
{
    std::size_t done = 0;
    while (done < query.size()) {
        auto part = query.substr(done, query.find_first_of("?&;#", done + 1) - done);
        const auto equals = part.find('=');
        if (equals != std::string_view::npos && equals + 1 < part.size() && isSecret(part.substr(0, equals))) {
            shown.append(part.substr(0, equals + 1)).append(hiddenCredentials);
            done += part.size();
            continue;
        }
        const auto another = part.find(mark);
        part = part.substr(0, another);
        shown.append(part);
        done += part.size();
        if (another != std::string_view::npos)
            return done;
    }
    return done;
}

// What is shown of one word, in which there may be several URLs.
void addWord(std::string& shown, std::string_view word)
{
    const auto lastAt = word.rfind('@');
    std::size_t done = 0;
    while (true) {
        const auto begin = word.find(mark, done);
        if (begin == std::string_view::npos) {
            shown.append(word.substr(done));
            return;
        }
        shown.append(word.substr(done, begin + mark.size() - done));
        done = begin + mark.size();
        const bool isBehind = lastAt != std::string_view::npos && lastAt >= done;
        if (const auto host = hostOf(word.substr(done), isBehind ? lastAt - done : std::string_view::npos); host > 0) {
            shown.append(hiddenCredentials).append("@");
            done += host;
        }
        const auto rest = word.substr(done);
        const auto path = rest.substr(0, rest.find(mark));
        const auto query = path.find_first_of("?#");
        if (query == std::string_view::npos)
            continue;
        shown.append(path.substr(0, query));
        done += query;
        done += addQuery(shown, word.substr(done));
    }
}

} // namespace

std::string withoutCredentials(std::string_view text)
{
    std::string shown;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find_first_of(ends));
        addWord(shown, word);
        text.remove_prefix(word.size());
        if (!text.empty()) {
            shown += text.front();
            text.remove_prefix(1);
        }
    }
    return shown;
}

} // namespace fencepost

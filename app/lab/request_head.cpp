// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/request_head.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/protocol/ascii.h"
#include "core/service/problem.h"

namespace fencepost::app {

namespace {

constexpr std::size_t mostHeaders = 100;
constexpr std::size_t longestTrailers = 8192; // octets
constexpr std::size_t longestChunkLine = 256; // octets
constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();

HttpResponse malformedHead(std::string detail, int status = 400)
{
    return problemResponse({ .code = "VALIDATION.request", .status = status, .detail = std::move(detail) });
}

// The next line without its CRLF. None: it has another end.
std::optional<std::string_view> takeLine(std::string_view& text)
{
    const auto end = text.find_first_of(std::string_view("\r\n\0", 3));
    if (end == std::string_view::npos || text.substr(end, 2) != "\r\n")
        return {};
    const auto line = text.substr(0, end);
    text.remove_prefix(end + 2);
    return line;
}

// The path of a target in absolute form, which a server has to take (RFC 9112 §3.2.2); what is none stays as it is.
std::string withoutOrigin(std::string_view target)
{
    constexpr std::string_view scheme = "http://";
    if (asciiLower(target.substr(0, scheme.size())) != scheme)
        return std::string(target);
    const auto path = target.find_first_of("/?", scheme.size());
    if (path == scheme.size())
        return std::string(target);
    if (path == std::string_view::npos)
        return "/";
    return (target[path] == '?' ? "/" : "") + std::string(target.substr(path));
}

bool isTarget(std::string_view text)
{
    return text.starts_with('/')
        && std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f && c != '#'; });
}

std::optional<HttpResponse> readRequestLine(std::string_view line, RequestHead& head)
{
    const auto first = line.find(' ');
    const auto second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    if (second == std::string_view::npos || line.find(' ', second + 1) != std::string_view::npos)
        return malformedHead("The request line is not: method, target, version.");
    const auto version = line.substr(second + 1);
    if (version != "HTTP/1.1" && version != "HTTP/1.0")
        return malformedHead("This server speaks HTTP/1.1.", 505);
    head.request.method = line.substr(0, first);
    head.request.target = withoutOrigin(line.substr(first + 1, second - first - 1));
    head.keepAlive = version == "HTTP/1.1";
    if (!isToken(head.request.method) || !isTarget(head.request.target))
        return malformedHead("The method is no token, or the target is no path.");
    return {};
}

std::optional<HttpResponse> readHeader(std::string_view line, Headers& headers)
{
    const auto colon = line.find(':');
    const auto name = line.substr(0, colon);
    if (colon == std::string_view::npos || !isToken(name))
        return malformedHead("A header line is not: name, colon, value.");
    const auto value = withoutBlanks(line.substr(colon + 1));
    if (!isFieldValue(value))
        return malformedHead("A header's value has a control character.");
    if (headers.size() == mostHeaders)
        return malformedHead("The request has too many headers.", 431);
    headers.emplace_back(name, value);
    return {};
}

std::optional<HttpResponse> readFraming(RequestHead& head, bool isNew)
{
    const auto& headers = head.request.headers;
    const auto lengths = linesOf(headers, "content-length");
    const auto codings = linesOf(headers, "transfer-encoding");
    if (!codings.empty()) {
        if (!lengths.empty())
            return malformedHead("Content-Length and Transfer-Encoding exclude each other.");
        if (codings.size() > 1 || !isNew)
            return malformedHead("Transfer-Encoding is given twice, or to a server of before it.");
        if (asciiLower(codings.front()) != "chunked")
            return malformedHead("The only transfer coding is chunked.", 501);
        head.framing = Framing::Chunked;
        return {};
    }
    if (lengths.empty())
        return {};
    if (lengths.size() > 1)
        return malformedHead("Content-Length is given " + std::to_string(lengths.size()) + " times.");
    const auto text = lengths.front();
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos)
        return malformedHead("Content-Length is no number.");
    if (std::from_chars(text.data(), text.data() + text.size(), head.length).ec != std::errc())
        head.length = endless;
    head.framing = Framing::Length;
    return {};
}

} // namespace

std::variant<RequestHead, HttpResponse> parseHead(std::string_view text)
{
    RequestHead head;
    auto line = takeLine(text);
    if (!line)
        return malformedHead("A line does not end with CRLF.");
    if (auto problem = readRequestLine(*line, head))
        return std::move(*problem);
    const bool isNew = head.keepAlive;
    while (true) {
        line = takeLine(text);
        if (!line)
            return malformedHead("A line does not end with CRLF.");
        if (line->empty())
            break;
        if (auto problem = readHeader(*line, head.request.headers))
            return std::move(*problem);
    }
    if (isNew && linesOf(head.request.headers, "host").size() != 1)
        return malformedHead("A request names exactly one Host.");
    // Whose request it is must not depend on which of them is read.
    if (linesOf(head.request.headers, "authorization").size() > 1)
        return malformedHead("Authorization is given more than once.");
    if (auto problem = readFraming(head, isNew))
        return std::move(*problem);
    for (const auto value : linesOf(head.request.headers, "connection"))
        if (asciiLower(value).find("close") != std::string::npos)
            head.keepAlive = false;
    const auto expectation = lineOf(head.request.headers, "expect");
    head.expectsContinue = isNew && expectation && asciiLower(*expectation) == "100-continue";
    return head;
}

bool ChunkReader::readSize(std::string_view line)
{
    // Extensions say nothing that anybody here knows.
    const auto digits = withoutBlanks(line.substr(0, line.find(';')));
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), m_left, 16);
    return !digits.empty() && problem == std::errc() && end == digits.data() + digits.size();
}

ChunkReader::State ChunkReader::read(std::string_view& input, Bytes& body)
{
    while (true) {
        if (m_at == At::Data) {
            const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(m_left, input.size()));
            body.append(input.substr(0, taken));
            input.remove_prefix(taken);
            m_left -= taken;
            if (m_left > 0)
                return State::More;
            m_at = At::DataEnd;
        }
        const auto feed = input.find('\n');
        if (feed == std::string_view::npos)
            return input.size() > longestChunkLine ? State::Malformed : State::More;
        const auto line = takeLine(input);
        if (!line || line->size() > longestChunkLine)
            return State::Malformed;
        if (m_at == At::DataEnd) {
            if (!line->empty())
                return State::Malformed;
            m_at = At::Size;
        } else if (m_at == At::Size) {
            if (!readSize(*line))
                return State::Malformed;
            if (m_left > m_longest - body.size())
                return State::TooLong;
            m_at = m_left == 0 ? At::Trailer : At::Data;
        } else {
            if (line->empty())
                return State::Done;
            m_trailers += line->size();
            if (m_trailers > longestTrailers)
                return State::Malformed;
        }
    }
}

} // namespace fencepost::app

// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/content_coding.h"

#include <algorithm>
#include <array>
#include <climits>
#include <optional>
#include <vector>

#define ZLIB_CONST
#include <zlib.h>

#include "core/in_quotes.h"
#include "core/protocol/ascii.h"

namespace fencepost {

namespace {

constexpr std::string_view codingCode = "VALIDATION.content_encoding";
constexpr std::size_t mostCodings = 4;

// What inflateInit2 calls the formats.
constexpr int gzipFormat = 15 + 16;
constexpr int zlibFormat = 15;
constexpr int bareFormat = -15;

Error badCoding(Failure failure, std::string message)
{
    return { failure, std::move(message), {}, std::string(codingCode) };
}

class Inflater {
public:
    explicit Inflater(int format) { m_ready = inflateInit2(&m_stream, format) == Z_OK; }
    ~Inflater() { inflateEnd(&m_stream); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    // Appends one compressed stream from the front of `body` and takes it off. None: done.
    std::optional<Error> run(std::string_view& body, Bytes& out, std::size_t longest);

private:
    z_stream m_stream{};
    bool m_ready = false;
};

std::optional<Error> Inflater::run(std::string_view& body, Bytes& out, std::size_t longest)
{
    std::array<char, 16384> piece{};
    int state = m_ready ? Z_OK : Z_MEM_ERROR;
    while (state == Z_OK) {
        const auto given = static_cast<uInt>(std::min<std::size_t>(body.size(), UINT_MAX));
        m_stream.next_in = reinterpret_cast<const Bytef*>(body.data());
        m_stream.avail_in = given;
        m_stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        m_stream.avail_out = static_cast<uInt>(piece.size());
        state = inflate(&m_stream, Z_NO_FLUSH);
        body.remove_prefix(given - m_stream.avail_in);
        const auto made = piece.size() - m_stream.avail_out;
        if (made > longest - out.size())
            return Error{ Failure::Invalid,
                "The body is over " + std::to_string(longest) + " octets without its coding", {},
                "VALIDATION.body_too_large" };
        out.append(piece.data(), made);
    }
    if (state == Z_STREAM_END)
        return std::nullopt;
    return badCoding(Failure::Invalid, "The body is not what its Content-Encoding says, or it is cut off");
}

Result<Bytes> inflated(std::string_view body, int format, std::size_t longest)
{
    Bytes out;
    do {
        Inflater inflater(format);
        if (const auto error = inflater.run(body, out, longest))
            return *error;
        // A gzip file may have further members (RFC 1952 §2.2); the other formats end here.
    } while (format == gzipFormat && !body.empty());
    if (!body.empty())
        return badCoding(Failure::Invalid, "There are octets behind the compressed body");
    return out;
}

Result<Bytes> withoutCoding(std::string_view coding, std::string_view body, std::size_t longest)
{
    if (coding == "gzip" || coding == "x-gzip")
        return inflated(body, gzipFormat, longest);
    if (coding != "deflate")
        return badCoding(Failure::Unsupported, "The Content-Encoding " + inQuotes(coding) + " is not understood");
    // RFC 1950 §2.2: method 8 and a check over the first two octets.
    const auto octet = [&](std::size_t i) { return i < body.size() ? static_cast<unsigned char>(body[i]) : 0U; };
    const bool wrapped = (octet(0) & 0xfU) == 8 && (octet(0) * 256U + octet(1)) % 31 == 0;
    return inflated(body, wrapped ? zlibFormat : bareFormat, longest);
}

std::vector<std::string> codingsIn(std::string_view list)
{
    std::vector<std::string> codings;
    while (!list.empty()) {
        const auto coding = list.substr(0, list.find(','));
        list.remove_prefix(std::min(coding.size() + 1, list.size()));
        const auto lower = asciiLower(withoutBlanks(coding));
        if (!lower.empty() && lower != "identity")
            codings.push_back(lower);
    }
    return codings;
}

} // namespace

Result<Bytes> decodeContent(std::string_view encodings, std::string_view body, std::size_t longest)
{
    auto codings = codingsIn(encodings);
    if (codings.size() > mostCodings)
        return badCoding(Failure::Unsupported, "The body has more than four codings");
    if (codings.empty() && body.size() > longest)
        return Error{ Failure::Invalid, "The body is over " + std::to_string(longest) + " octets", {},
            "VALIDATION.body_too_large" };
    Bytes decoded(body);
    std::reverse(codings.begin(), codings.end()); // the last one was applied last
    for (const auto& coding : codings) {
        auto next = withoutCoding(coding, decoded, longest);
        if (!next)
            return next.error();
        decoded = std::move(*next);
    }
    return decoded;
}

} // namespace fencepost

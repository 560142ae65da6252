// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "core/protocol/http_message.h"

namespace fencepost::app {

enum class Framing { None, Length, Chunked };

// A request as far as its empty line. The body is framed in exactly one way, or the request is refused.
struct RequestHead {
    HttpRequest request;
    Framing framing = Framing::None;
    std::uint64_t length = 0; // Framing::Length; more than fits is the greatest value
    bool keepAlive = true;
    bool expectsContinue = false;
};

// Strictly as RFC 9112 says, because what two readers take for two different requests is smuggled past one of them: a
// line ends with CRLF, a name is a token with its colon at once, nothing is folded, Content-Length is one line of
// digits and stands beside no Transfer-Encoding. Values stay as they are, octet for octet. `text` ends with the empty
// line. A response refuses it, and nothing that follows on the connection can be believed.
[[nodiscard]] std::variant<RequestHead, HttpResponse> parseHead(std::string_view text);

// Takes a chunked body apart as it comes.
class ChunkReader {
public:
    explicit ChunkReader(std::size_t longest)
        : m_longest(longest)
    {
    }

    enum class State { More, Done, Malformed, TooLong };
    // Consumes from the front of `input` what it understands, and appends the data to `body`.
    State read(std::string_view& input, Bytes& body);

private:
    enum class At { Size, Data, DataEnd, Trailer };

    bool readSize(std::string_view line);

    std::size_t m_longest;
    At m_at = At::Size;
    std::uint64_t m_left = 0; // of the chunk
    std::size_t m_trailers = 0; // octets
};

} // namespace fencepost::app

// SPDX-License-Identifier: Apache-2.0
#include "core/base64.h"

#include <algorithm>

#include <openssl/evp.h>

namespace fencepost {

std::string toBase64(std::string_view octets)
{
    std::string text((octets.size() + 2) / 3 * 4 + 1, '\0');
    const auto* from = reinterpret_cast<const unsigned char*>(octets.data());
    const int length =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), from, static_cast<int>(octets.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

std::optional<Bytes> fromBase64(std::string_view text)
{
    if (text.empty())
        return Bytes();
    if (text.size() % 4 != 0)
        return {};
    Bytes octets(text.size() / 4 * 3, '\0');
    const auto* from = reinterpret_cast<const unsigned char*>(text.data());
    if (EVP_DecodeBlock(reinterpret_cast<unsigned char*>(octets.data()), from, static_cast<int>(text.size())) < 0)
        return {};
    const auto padding = static_cast<std::size_t>(std::count(text.end() - 2, text.end(), '='));
    octets.resize(octets.size() - padding);
    if (toBase64(octets) != text)
        return {};
    return octets;
}

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/digest.h"

#include <algorithm>
#include <array>

#include <openssl/evp.h>

namespace fencepost {

struct Sha256::Context {
    EVP_MD_CTX* state = EVP_MD_CTX_new();
    std::array<char, 4096> pending{}; // a call into the library costs more than a small piece
    std::size_t used = 0;
};

Sha256::Sha256()
    : m_context(std::make_unique<Context>())
{
    EVP_DigestInit_ex(m_context->state, EVP_sha256(), nullptr);
}

Sha256::~Sha256()
{
    EVP_MD_CTX_free(m_context->state);
}

void Sha256::add(std::string_view octets)
{
    auto& context = *m_context;
    if (octets.size() > context.pending.size() - context.used)
        flush();
    if (octets.size() > context.pending.size()) {
        EVP_DigestUpdate(context.state, octets.data(), octets.size());
        return;
    }
    std::copy(octets.begin(), octets.end(), context.pending.data() + context.used);
    context.used += octets.size();
}

void Sha256::flush()
{
    EVP_DigestUpdate(m_context->state, m_context->pending.data(), m_context->used);
    m_context->used = 0;
}

Bytes Sha256::finish()
{
    flush();
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    EVP_DigestFinal_ex(m_context->state, digest.data(), &length);
    return { reinterpret_cast<const char*>(digest.data()), length };
}

PartsDigest::PartsDigest(std::string_view title)
{
    m_digest.add(title);
    m_digest.add("\n");
}

void PartsDigest::add(std::string_view part)
{
    m_digest.add(std::to_string(part.size()) + ':');
    m_digest.add(part);
}

std::string PartsDigest::finishAsUuid()
{
    auto octets = finish().substr(0, 16);
    octets[6] = static_cast<char>((static_cast<unsigned char>(octets[6]) & 0x0FU) | 0x80U);
    octets[8] = static_cast<char>((static_cast<unsigned char>(octets[8]) & 0x3FU) | 0x80U);
    auto text = toHex(octets);
    for (const std::size_t dash : { 20U, 16U, 12U, 8U })
        text.insert(dash, 1, '-');
    return text;
}

} // namespace fencepost

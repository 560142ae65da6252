// SPDX-License-Identifier: Apache-2.0
#include "core/store/redacted_rows.h"

#include <utility>

namespace fencepost::store {

namespace {

constexpr std::size_t octetsAtOnce = 256UL * 1024; // stays in a cache of the processor
constexpr std::size_t rowsAtOnce = 500;

std::size_t sizeOf(std::span<const CopiedValue> row)
{
    std::size_t size = 0;
    for (const auto& value : row)
        size += value.octets.size();
    return size;
}

} // namespace

bool RedactedRows::Batch::takes(std::size_t octetsMore) const
{
    return rows < rowsAtOnce && octets.size() + octetsMore <= octetsAtOnce;
}

void RedactedRows::Batch::take(std::span<const CopiedValue> row)
{
    octets.reserve(octetsAtOnce);
    for (auto value : row) {
        const auto at = octets.size();
        octets += value.octets;
        value.octets = std::string_view(octets).substr(at);
        read.push_back(value);
    }
    ++rows;
}

void RedactedRows::Batch::redact(const Redact& redact, std::size_t columns)
{
    written = read;
    for (std::size_t i = 0; i < read.size(); ++i)
        if (auto value = redact(i % columns, read[i]))
            written[i] = replaced.emplace_back(std::move(*value)).view();
}

Status RedactedRows::Batch::put(const Put& put, std::size_t columns) const
{
    for (std::size_t row = 0; row < rows; ++row) {
        const std::span all(read);
        const std::span redacted(written);
        if (auto done = put(all.subspan(row * columns, columns), redacted.subspan(row * columns, columns)); !done)
            return done;
    }
    return {};
}

void RedactedRows::Batch::clear()
{
    rows = 0;
    octets.clear();
    read.clear();
    written.clear();
    replaced.clear();
}

RedactedRows::RedactedRows(std::size_t columns, Redact redact, Put put)
    : m_columns(columns)
    , m_redact(std::move(redact))
    , m_put(std::move(put))
{
}

Status RedactedRows::add(std::span<const CopiedValue> row)
{
    const auto size = sizeOf(row);
    if (size > octetsAtOnce)
        return putOne(row);
    if (!m_filling.takes(size))
        if (auto turned = turn(); !turned)
            return turned;
    m_filling.take(row);
    return {};
}

// The full batch goes beside, and what comes from there is written meanwhile.
Status RedactedRows::turn()
{
    if (m_running.valid())
        m_running.get();
    std::swap(m_done, m_inHand);
    std::swap(m_inHand, m_filling);
    // Where no thread is to be had, get() does it.
    m_running = std::async([this] { m_inHand.redact(m_redact, m_columns); });
    return putRedacted();
}

Status RedactedRows::putRedacted()
{
    auto put = m_done.put(m_put, m_columns);
    m_done.clear();
    return put;
}

Status RedactedRows::flush()
{
    if (m_running.valid()) {
        m_running.get();
        std::swap(m_done, m_inHand);
        if (auto put = putRedacted(); !put)
            return put;
    }
    std::swap(m_done, m_filling);
    m_done.redact(m_redact, m_columns);
    return putRedacted();
}

// A large one is copied nowhere.
Status RedactedRows::putOne(std::span<const CopiedValue> row)
{
    if (auto flushed = flush(); !flushed)
        return flushed;
    m_done.rows = 1;
    m_done.read.assign(row.begin(), row.end());
    m_done.redact(m_redact, m_columns);
    return putRedacted();
}

} // namespace fencepost::store

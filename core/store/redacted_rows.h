// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/snapshot/redaction_rules.h"

namespace fencepost::store {

// Rows on their way into a file. While the caller reads the next ones and writes those before, a thread beside it
// redacts; the rows keep their order, and everything else happens in the caller's thread. At most three batches of 256
// KiB are kept, however many rows there are.
class RedactedRows {
public:
    // None: the value stays as it is. Called beside, never twice at a time.
    using Redact = std::function<std::optional<RedactedValue>(std::size_t column, const CopiedValue& value)>;
    // A row as it was read and as it is to be written. Called by add() and flush().
    using Put = std::function<Status(std::span<const CopiedValue> read, std::span<const CopiedValue> written)>;

    RedactedRows(std::size_t columns, Redact redact, Put put);
    RedactedRows(const RedactedRows&) = delete;
    RedactedRows& operator=(const RedactedRows&) = delete;

    // Fails where a row before could not be written.
    Status add(std::span<const CopiedValue> row);
    // Every row so far is written, or why not. `redact` is not called before the next add().
    Status flush();

private:
    struct Batch {
        std::size_t rows = 0;
        std::string octets; // of all values; never grows beyond what was reserved, so that views of it stay
        std::vector<CopiedValue> read;
        std::vector<CopiedValue> written;
        std::deque<RedactedValue> replaced;

        [[nodiscard]] bool takes(std::size_t octetsMore) const;
        void take(std::span<const CopiedValue> row);
        void redact(const Redact& redact, std::size_t columns);
        Status put(const Put& put, std::size_t columns) const;
        void clear();
    };

    Status turn();
    Status putRedacted();
    Status putOne(std::span<const CopiedValue> row);

    const std::size_t m_columns;
    const Redact m_redact;
    const Put m_put;
    Batch m_filling;
    Batch m_inHand; // its redaction is running, or done
    Batch m_done;
    std::future<void> m_running; // the last member: it uses the others
};

} // namespace fencepost::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/record.h"

namespace fencepost {

enum class CallState {
    Open, // on its way, waiting for its next attempt, or cut off by the end of its process
    Confirmed, // what became of it is known: it happened, or it did not and will not
    Unknown, // given up while an attempt may have been executed
};

[[nodiscard]] std::string_view wordOf(CallState state) noexcept; // "open", "confirmed", "unknown"
[[nodiscard]] std::optional<CallState> callStateOf(std::string_view word) noexcept;

// One logical operation of a client, with all that it takes to send it again under the same key.
struct CallEntry {
    std::string operation; // what the caller calls it; a key is its own within an operation
    std::string key;
    std::string method;
    std::string url;
    Headers headers; // without credentials: whoever sends it again has those
    std::optional<Bytes> body; // none: too long to be kept, or no longer needed since it is confirmed
    Bytes bodyDigest; // SHA-256
    std::string preset; // of its retries
    CallState state = CallState::Open;
    int attempts = 0; // that have ended; of an open entry one more may have begun
    std::optional<int> status; // of the last answer
    std::string reason; // of the last decision
    Time createdAt{};
    Time updatedAt{};

    bool operator==(const CallEntry&) const = default;
};

// What has become of an entry since.
struct CallProgress {
    std::string operation;
    std::string key;
    CallState state = CallState::Open;
    int attempts = 0;
    std::optional<int> status;
    std::string reason;
    Time at{};
};

// Where a client keeps its keys until their outcome is confirmed. Used by the client's thread, which waits for the
// disk.
class ClientJournal {
public:
    virtual ~ClientJournal() = default;

    // None: it is new. Otherwise what stood there, an earlier life of the same request, which is open again with its
    // time of creation. On disk when it returns. Conflict: the operation has sent another request with this key.
    virtual Result<std::optional<CallEntry>> open(const CallEntry& entry) = 0;
    // NotFound: there is no such entry. A confirmed entry loses its body.
    virtual Status update(const CallProgress& progress) = 0;
    virtual Result<std::optional<CallEntry>> find(const std::string& operation, const std::string& key) = 0;
    // Open and unknown ones, oldest first.
    virtual Result<std::vector<CallEntry>> unsettled() = 0;
    // Drops what was confirmed before an instant, and says how many that were.
    virtual Result<std::int64_t> forgetConfirmed(Time before) = 0;
};

} // namespace fencepost

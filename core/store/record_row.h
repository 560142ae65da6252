// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/protocol/record.h"
#include "core/store.h"
#include "core/store/native.h"

namespace fencepost::store {

// How many columns the fragment {record} has.
inline constexpr int recordColumns = 39;

// A record from the columns of {record}, the first of which is `first`. Corrupt: a value that no record can have.
[[nodiscard]] Result<Record> recordFrom(const NativeRow& row, int first);
[[nodiscard]] JournalEntry transitionFrom(const NativeRow& row);
[[nodiscard]] Conflict conflictFrom(const NativeRow& row);
// Empty where all others of a kind are counted: what stands there is no hash.
[[nodiscard]] Bytes presentedHashFrom(Bytes stored);

// Of Row::identity: a part that is no UTF-8 stands there in hexadecimal digits behind "\\x".
[[nodiscard]] Result<RecordId> recordIdOf(const std::vector<std::string>& identity);
// Values of the fragment {key}.
Parameters& addKey(Parameters& parameters, const RecordId& id);

// What a response is stored as. Keeps the text that the parameters only view.
class ResponseColumns {
public:
    explicit ResponseColumns(const Response& response);
    void addTo(Parameters& parameters) const;

private:
    const Response& m_response;
    std::optional<std::string> m_headers;
};

// JSON pairs in their order. A header that is no UTF-8 is [null, name, value] in hexadecimal digits.
[[nodiscard]] std::string headersText(const Headers& headers);
[[nodiscard]] Result<Headers> headersFrom(std::string_view text, std::string_view column);

} // namespace fencepost::store

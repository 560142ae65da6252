// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/evidence/log_line.h"
#include "core/exchange/playbook_csv.h"

namespace fencepost {

// What an answer of the playbook's replay outcomes tells of its key. It has no time of its own.
[[nodiscard]] LogLine logLineOf(const exchange::ReplayRow& row, Time at);

// What a client's retry log tells. It has neither keys nor times: an operation is named by its file and the line where
// it begins, which is wherever the number of the attempt does not rise, and its attempts lie apart by their delays
// alone, for nobody knows how long each of them took.
class RetryLogLines {
public:
    RetryLogLines(std::string name, Time at);

    // The attempt before this one: only now it is known whether another followed. Invalid: this one is left out.
    Result<std::vector<LogLine>> add(std::int64_t line, const exchange::RetryLogRow& row);
    std::vector<LogLine> finish();
    // From the first attempt to the last.
    [[nodiscard]] Duration span() const { return m_at - m_first; }

private:
    std::vector<LogLine> attempt(bool another) const;

    const std::string m_name;
    const Time m_first;
    Time m_at; // of the attempt that is kept
    std::optional<exchange::RetryLogRow> m_row; // the attempt that is kept
    std::string m_key;
    std::optional<State> m_from; // before it
};

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/inspector.h"

namespace fencepost::operation {

using Parameters = std::map<std::string, std::string>;

// What a verb will do to a row, and what the operator should know before, in words.
[[nodiscard]] std::string effectOfFence(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string effectOfRelease(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string effectOfExpire(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string effectOfResolve(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string effectOfFail(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string effectOfReplay(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string effectOfEdit(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string effectOfDiscard(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string effectOfNote(const Binding&, const Row&, Time now, const Parameters&);

// What a record's vendors have done and what nobody knows of, as the plan saw it; compared when it is carried out.
[[nodiscard]] std::string seenCallsOf(const std::string& done, const std::string& open);
// Why a record is not closed whose vendor has done it, where nobody says how that was taken back.
[[nodiscard]] std::string whyNotDone(const std::string& done);

[[nodiscard]] std::string warningOfFence(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string warningOfRelease(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string warningOfExpire(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string warningOfResolve(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string warningOfFail(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string warningOfReplay(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string warningOfEdit(const Binding&, const Row&, Time now, const Parameters&);
[[nodiscard]] std::string noWarning(const Binding&, const Row&, Time now, const Parameters&);

} // namespace fencepost::operation

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace fencepost::store {

// PostgreSQL. The member of a text that may be no JSON: NULL where it is none, instead of an error of the whole
// statement. `path` is SQL for an array of names; `bindText` binds a text into the statement and names it.
//
// Versions before 16 have no function that asks whether a text is JSON, and no expression can catch the error of a
// cast. So the text is read as a grammar first: its strings and its other plain values become one letter each, then the
// innermost lists and objects do, until one is left. That is what the cast takes and nothing else, but for texts nested
// deeper than 64 levels, which are read as none.
[[nodiscard]] std::string memberOfText(const std::string& subject, const std::string& path,
    const std::function<std::string(const std::string& text)>& bindText);

} // namespace fencepost::store

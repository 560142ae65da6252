// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/query/row.h"

namespace fencepost::profile {

// The closed vocabularies of the profile format.
[[nodiscard]] const std::vector<std::string_view>& kindWords();
[[nodiscard]] const std::vector<std::string_view>& fencingWords();
[[nodiscard]] const std::vector<std::string_view>& neededWords();
[[nodiscard]] const std::vector<std::string_view>& stateWordsOf(Kind kind);
[[nodiscard]] bool isCanonicalField(std::string_view word);
[[nodiscard]] std::string fieldWords();
[[nodiscard]] bool isVerb(std::string_view word);
[[nodiscard]] std::string verbWords();

} // namespace fencepost::profile

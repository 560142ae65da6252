// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace fencepost {

// The parameters of a plan for eyes and for the audit, which is for ever: what customers wrote is told by its length
// and its fingerprint, which proves what was sent.
[[nodiscard]] std::map<std::string, std::string> shownParameters(const std::map<std::string, std::string>& parameters);

} // namespace fencepost

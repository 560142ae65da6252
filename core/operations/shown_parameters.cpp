// SPDX-License-Identifier: Apache-2.0
#include "core/operations/shown_parameters.h"

#include "core/ids.h"
#include "core/inspector.h"

namespace fencepost {

std::map<std::string, std::string> shownParameters(const std::map<std::string, std::string>& parameters)
{
    auto shown = parameters;
    if (const auto payload = shown.find(editedPayload); payload != shown.end())
        payload->second = std::to_string(payload->second.size()) + " octets, SHA-256 " + toHex(sha256(payload->second));
    return shown;
}

} // namespace fencepost

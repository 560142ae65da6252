// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/delivery/destination.h"

#include "core/delivery/targets.h"

namespace fencepost::app {

Status checkDestination(const std::string& option, const std::string& url)
{
    if (const auto* kind = delivery::targetKindOf(schemeOf(url)))
        return kind->check(url);
    std::string known;
    for (const auto& scheme : delivery::targetSchemes())
        known += (known.empty() ? "" : ", ") + scheme;
    return invalid(option + " names nothing that messages can be sent to", "The schemes are: " + known);
}

} // namespace fencepost::app

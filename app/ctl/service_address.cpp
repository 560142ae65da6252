// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/service_address.h"

#include <cstdlib>

namespace fencepost::app {

std::string authorizationOfRun()
{
    const char* value = std::getenv("FENCEPOST_AUTHORIZATION");
    return value == nullptr ? "" : value;
}

Headers credentialLines(const std::string& authorization)
{
    return authorization.empty() ? Headers() : Headers{ { "Authorization", authorization } };
}

std::string withoutSlashes(std::string base)
{
    while (base.ends_with('/'))
        base.pop_back();
    return base;
}

} // namespace fencepost::app

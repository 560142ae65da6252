// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/cashier_parts.h"

#include "core/ids.h"

namespace fencepost::app {

Duration CashierParts::kept(std::string_view operation) const
{
    const auto known = effectsKept.find(operation);
    return known == effectsKept.end() ? Duration(std::chrono::hours(24)) : known->second;
}

std::string CashierParts::freshId(const char* prefix) const
{
    constexpr std::size_t digits = 24;
    auto name = uuid4(random);
    std::erase(name, '-');
    return prefix + name.substr(0, digits);
}

} // namespace fencepost::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace fencepost::profile {

struct ShippedProfile {
    std::string_view name;
    std::string_view json;
};

// Generated from resources/profiles.
[[nodiscard]] std::span<const ShippedProfile> shippedProfiles() noexcept;

} // namespace fencepost::profile

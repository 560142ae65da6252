// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/protocol/policy.h"

namespace fencepost {

// One setting of a policy. The table of them is all that reading, laying over, showing and documenting a policy know
// about its settings.
struct Knob {
    std::string_view name; // as in the file
    KnobGroup group = KnobGroup::Record;
    std::string_view meaning;
    Status (*take)(const nlohmann::json& value, PolicyLayer& layer, const std::string& where);
    void (*overlay)(RoutePolicy& policy, const PolicyLayer& layer, Origin origin, const std::string& from);
    SettingText (*text)(const RoutePolicy& policy); // without the name
};

// In the order of the file format.
[[nodiscard]] std::span<const Knob> knobs() noexcept;

} // namespace fencepost

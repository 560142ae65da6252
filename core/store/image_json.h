// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "core/time.h"

namespace fencepost::store {

// Values of a row as the audit's images hold them: instants in microseconds since the epoch.
template <typename T> nlohmann::json orNull(const std::optional<T>& value)
{
    return value ? nlohmann::json(*value) : nlohmann::json();
}

inline nlohmann::json micros(const std::optional<Time>& time)
{
    return time ? nlohmann::json(microsOf(*time)) : nlohmann::json();
}

} // namespace fencepost::store

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>

#include <QString>

namespace fencepost::models {

// How careful one has to be with a connection. Shown as colour and word together, never as colour alone.
enum class Environment { Local, Development, Staging, Production };

inline constexpr std::array environments{ Environment::Local, Environment::Development, Environment::Staging,
    Environment::Production };

[[nodiscard]] QString wordOf(Environment environment); // local, development, staging, production
[[nodiscard]] std::optional<Environment> environmentOf(const QString& word);

} // namespace fencepost::models

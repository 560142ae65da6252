// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <QJsonObject>
#include <QString>

#include "core/time.h"

namespace fencepost::models {

// A rule as it is kept for a connection, also where it cannot be read.
struct KeptRule {
    QString id; // UUID
    QString text; // "stuck > 10"
    bool on = true;
    std::optional<Time> silentUntil; // by this computer's clock
    bool silentWhileOver = false; // until it is over

    bool operator==(const KeptRule&) const = default;
};

// What is watched of one connection, and who is told. Never a secret.
struct AlertSetup {
    std::vector<KeptRule> rules;
    QString webhook; // URL; empty: none
    bool sound = false;

    bool operator==(const AlertSetup&) const = default;
};

[[nodiscard]] QJsonObject toJson(const AlertSetup& setup);
// What is missing or of another kind is as it is by default.
[[nodiscard]] AlertSetup alertSetupOf(const QJsonObject& object);

// Rules that are worth having before anybody has thought about them.
[[nodiscard]] std::span<const char* const> suggestedRules() noexcept;

} // namespace fencepost::models

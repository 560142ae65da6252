// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include "core/query/row.h"
#include "core/redaction.h"

namespace fencepost::models {

// A row as the command line lists it and as it is exported; absent values are null.
[[nodiscard]] nlohmann::json rowJson(const Row& row);
// As the grid shows it: secrets in its error and its further columns are hidden.
[[nodiscard]] Row withoutSecrets(Row row, const Redactor& redactor);
// A value with the credentials of URLs hidden in all of its texts.
[[nodiscard]] nlohmann::json withoutCredentialsInside(nlohmann::json value);

} // namespace fencepost::models

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/redaction.h"
#include "models/page_model.h"

namespace fencepost::models {

enum class CopyFormat { Key, Json, JsonLines, Markdown, Where, Command, Link };

struct CopyFormatEntry {
    CopyFormat format;
    const char* id;
    const char* title;
};

// In the order of the menu.
[[nodiscard]] std::span<const CopyFormatEntry> copyFormats() noexcept;

struct CopyRequest {
    std::vector<Row> rows;
    BindingPtr binding;
    std::vector<Column<Row>> columns; // of the Markdown table: those shown
    Display display; // instants read as in the grid
    std::string databaseUrl; // of the command; contains no password
    std::function<QString(const Row&)> link; // made by the window
    bool withSecrets = false; // nothing is hidden; the caller audits it
};

// Rows as text for the clipboard. Error texts and extra columns are redacted unless secrets are asked for.
[[nodiscard]] Result<QString> copyAs(CopyFormat format, const CopyRequest& request);

} // namespace fencepost::models

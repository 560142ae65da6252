// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/ctl/context.h"

namespace fencepost::app {

// The verbs that every kind of table has: list, count and show. Without a kind, of the table that --binding names.

struct ListOptions {
    std::string filter;
    std::optional<std::int64_t> limit;
    std::string after;
    std::string order;
    bool ascending = false;
};

struct CountOptions {
    std::string filter;
    std::string budget = "20s";
};

void declareList(CLI::App& command, ListOptions& options);
void declareCount(CLI::App& command, CountOptions& options);

// `stuck`: of what the filter finds only what is stuck, with a sentence on why, and the longest first.
int listRows(Context& context, const ListOptions& options, std::optional<Kind> kind, bool stuck);
// One line per state, also where there is no such row.
int countRows(Context& context, const CountOptions& options, std::optional<Kind> kind);
// Named by the parts of its identity, or by its key alone where one row has it.
struct ShowOptions {
    std::vector<std::string> parts; // of the row's identity
    std::string reveal; // why its payloads are shown whole; empty: secrets in them are hidden
};

void declareReveal(CLI::App& command, ShowOptions& options);
int showRow(Context& context, const ShowOptions& options, std::optional<Kind> kind);

} // namespace fencepost::app

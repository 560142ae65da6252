// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "app/ctl/context.h"
#include "core/forensics.h"

namespace fencepost::app {

// The stretch of time that a command asks about, as typed.
struct RangeWords {
    std::string since;
    std::string until;
    std::string last;
    bool sql = false;
};

void declareRange(CLI::App& command, RangeWords& words, const char* standard);
// An instant that is typed, named by its option. One without an offset is UTC, and the answer says so.
[[nodiscard]] Result<Time> instantOf(Context& context, const char* option, const std::string& text);
[[nodiscard]] Result<RangeRequest> rangeOf(Context& context, const RangeWords& words, Duration standard);

// Runs `ask` on every table that --binding leaves, or on all of these kinds. What one of them cannot tell is said and
// the others go on; only where none could is the command a failure.
struct Asked {
    Forensics& forensics;
    const Binding& binding;
    const std::vector<Binding>& all; // also those that are not asked
};
int forEachTable(Context& context, const std::vector<Kind>& kinds, const std::function<Status(const Asked&)>& ask);

// What is said beside every answer: what it does not cover and, where it was asked for, its statements.
void tellBasis(Context& context, const RangeWords& words, const Binding& binding, const Basis& basis);

} // namespace fencepost::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/simulation/scenario_knobs.h"

namespace fencepost::simulation {

// The lists of a world: the phases of its load and its faults. A member of one entry is a setting ("faults[0].for"),
// and so is a whole list, as text ("faults"): "outage from=20s for=30s share=50%; brownout from=1m for=10s factor=4",
// or "from=10s until=20s rate=500"; empty text is an empty list.

// The words of all kinds, in the order of FaultKind.
[[nodiscard]] std::span<const std::string_view> faultKinds() noexcept;
// The members that a fault of that kind has besides it, in the order of a form.
[[nodiscard]] std::vector<std::string_view> membersOf(FaultKind kind);
[[nodiscard]] std::span<const std::string_view> phaseMembers() noexcept;
// As it is written; empty: it has no such member.
[[nodiscard]] std::string shownMember(const Fault& fault, std::string_view member);
[[nodiscard]] std::string shownMember(const Phase& phase, std::string_view member);
// What a member is, in words.
[[nodiscard]] std::string_view meaningOfMember(std::string_view member) noexcept;

// Invalid: the message says what was expected.
[[nodiscard]] Status turnPhase(Phase& phase, std::string_view member, std::string_view value);
[[nodiscard]] Status turnFault(Fault& fault, std::string_view member, std::string_view value);
// Whether a fault of this kind has that member: a factor is a brownout's alone.
[[nodiscard]] Status checkMember(FaultKind kind, std::string_view member);

// The settings that the entries of this world have: "phases[0].rate", "faults[0].for".
[[nodiscard]] std::vector<std::string> memberPaths(const Scenario& scenario);

// Whether a whole list is a setting of that path.
[[nodiscard]] bool isList(std::string_view path) noexcept;
[[nodiscard]] std::string shownList(std::string_view path, const Scenario& scenario);
// Puts another list in the place of the one that is there. Invalid: the message names the entry.
[[nodiscard]] Status turnList(Scenario& scenario, std::string_view path, std::string_view value);

// What is wrong with one entry that says all that it says: a fault that lasts no time, or strikes nobody.
[[nodiscard]] Status checkEntry(const Fault& fault);
[[nodiscard]] Status checkEntry(const Phase& phase);

} // namespace fencepost::simulation

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/contract.h"

namespace fencepost {

// One thing that a contract does wrong, or does not say.
struct Finding {
    std::string_view gate;
    SubjectKind kind = SubjectKind::Route;
    std::string subject; // "POST /v1/refunds", the name of a consumer …
    std::string path; // in the file
    std::string problem;
    std::string remedy;

    bool operator==(const Finding&) const = default;
};

enum class GateOrigin { Checklist, AntiPattern };

[[nodiscard]] std::string_view wordOf(GateOrigin origin) noexcept; // "checklist", "anti_pattern"

struct Gate {
    std::string_view id; // "key_required"
    GateOrigin origin;
    std::string_view title; // what must be so
    // What its rules, each over one member of one subject, cannot say. None: they say all.
    void (*judge)(const Contract& contract, std::vector<Finding>& findings) = nullptr;
};

// The eight gates of the playbook's review checklist, then those of the anti-patterns that none of the eight covers.
[[nodiscard]] std::span<const Gate> gates() noexcept;

// A named anti-pattern and the gate that finds it.
struct AntiPattern {
    std::string_view name;
    std::string_view gate;
};

[[nodiscard]] std::span<const AntiPattern> antiPatterns() noexcept;

// Gate by gate; empty: all of them pass.
[[nodiscard]] std::vector<Finding> lint(const Contract& contract);

} // namespace fencepost

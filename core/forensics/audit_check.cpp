// SPDX-License-Identifier: Apache-2.0
#include "core/forensics/audit_check.h"

#include "core/copier.h"

namespace fencepost {

namespace {

// The rows of a copy are chosen and redacted, which no chain of hashes outlasts: its seal proves it.
Result<bool> isCopy(Inspector& inspector)
{
    auto* copier = inspector.copier();
    if (copier == nullptr)
        return false;
    const auto manifest = copier->manifest();
    if (!manifest)
        return manifest.error();
    return manifest->has_value();
}

} // namespace

Result<Violations> auditViolations(Inspector& inspector)
{
    Violations found;
    const auto kept = inspector.hasAudit();
    if (!kept)
        return kept.error();
    const auto copy = isCopy(inspector);
    if (!copy)
        return copy.error();
    if (*copy)
        found.unjudged.emplace_back("the audit's chain cannot be proven in a copy, whose rows are chosen and redacted: "
                                    "fencepostctl snapshot verify proves the file");
    if (!*kept || *copy)
        return found;
    const auto verdict = inspector.verifyAudit();
    if (!verdict)
        return verdict.error();
    found.basis.cost.rows = verdict->entries;
    if (!verdict->intact) {
        Violation broken;
        broken.invariant = &auditInvariant();
        broken.count = 1;
        broken.rows.push_back(
            { .key = verdict->brokenAt ? "entry " + std::to_string(*verdict->brokenAt) : std::string("chain"),
                .detail = verdict->reason });
        found.violations.push_back(std::move(broken));
    }
    return found;
}

} // namespace fencepost

// SPDX-License-Identifier: Apache-2.0
#include "core/inspector.h"

#include <array>

namespace fencepost {

std::string_view wordOf(Exactness exactness) noexcept
{
    constexpr std::array<std::string_view, 3> words = { "exact", "at_least", "estimate" };
    return words[static_cast<std::size_t>(exactness)];
}

std::string_view wordOf(ItemResult result) noexcept
{
    constexpr std::array<std::string_view, 4> words = { "changed", "already_done", "skipped", "failed" };
    return words[static_cast<std::size_t>(result)];
}

Status forEachEntry(AuditRequest request,
    const std::function<Result<std::vector<AuditEntry>>(const AuditRequest&)>& page,
    const std::function<void(AuditEntry)>& visit)
{
    request.limit = 500;
    while (true) {
        auto entries = page(request);
        if (!entries)
            return entries.error();
        // What is in doubt has no number yet and leads the first page beside its limit.
        int numbered = 0;
        for (auto& entry : *entries) {
            if (entry.seq != 0) {
                ++numbered;
                request.beforeSeq = entry.seq;
            }
            visit(std::move(entry));
        }
        if (numbered < request.limit)
            return {};
    }
}

} // namespace fencepost

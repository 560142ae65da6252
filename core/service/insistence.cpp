// SPDX-License-Identifier: Apache-2.0
#include "core/service/insistence.h"

namespace fencepost {

namespace {

constexpr int insistence = 3; // calls of the store

bool mayHaveHappened(Failure failure)
{
    return failure == Failure::InDoubt || failure == Failure::Unavailable || failure == Failure::TimedOut;
}

} // namespace

Result<Applied> insistently(const std::function<Result<Applied>()>& change)
{
    auto applied = change();
    for (int again = 1; again < insistence && !applied && mayHaveHappened(applied.error().failure); ++again)
        applied = change();
    return applied;
}

} // namespace fencepost

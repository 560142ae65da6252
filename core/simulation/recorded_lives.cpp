// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/recorded_lives.h"

#include <algorithm>

namespace fencepost::simulation {

namespace {

constexpr Duration shortest = std::chrono::milliseconds(1);
// What was done to a record comes at its time, its executions by as much later as the way to a simulated store takes.
constexpr Duration wayToStore = std::chrono::milliseconds(20);

bool needsPastLease(RecordedAct act)
{
    switch (act) {
    case RecordedAct::Come:
    case RecordedAct::Release:
    case RecordedAct::Fail:
    case RecordedAct::Expire:
    case RecordedAct::Reopen:
        return true;
    case RecordedAct::Fence:
    case RecordedAct::Hold:
    case RecordedAct::Succeed:
    case RecordedAct::Retry:
    case RecordedAct::TakeOver:
    case RecordedAct::Unexpire:
        break;
    }
    return false;
}

// How long the lease of an execution can have been for what came behind it to happen; none: however long.
std::optional<Duration> mostLeaseOf(const RecordedRequest& request, std::size_t place)
{
    const auto& attempt = request.attempts[place];
    const auto* next = place + 1 < request.attempts.size() ? &request.attempts[place + 1] : nullptr;
    if (!attempt.at || (next && !next->at))
        return std::nullopt;
    const bool left = attempt.ending == RecordedEnding::Crashed || attempt.silent;
    // A heart that beat did so until its execution was over.
    const auto since = *attempt.at + (left ? Duration(0) : attempt.took);
    std::optional<Duration> most;
    const auto bound = [&](Duration at) { most = std::max(std::min(most.value_or(at - since), at - since), shortest); };
    if (next && attempt.ending == RecordedEnding::Crashed)
        bound(*next->at);
    for (const auto& step : request.steps)
        if (needsPastLease(step.act) && step.at >= *attempt.at && (!next || step.at <= *next->at))
            bound(step.at - wayToStore);
    return most;
}

} // namespace

void guessLeases(RecordedLives& table, Duration usual)
{
    for (auto& life : table.lives) {
        auto& attempts = life.request.attempts;
        for (std::size_t place = 0; place < attempts.size(); ++place) {
            const auto most = mostLeaseOf(life.request, place);
            auto& lease = attempts[place].lease;
            if (!most || (lease > Duration(0) && lease <= *most))
                continue;
            const auto above = table.leases.upper_bound(*most);
            if (usual > Duration(0) && usual <= *most)
                lease = usual;
            else
                lease = above == table.leases.begin() ? *most : std::prev(above)->first;
        }
    }
}

void guessLifetimes(RecordedLives& table, Duration usual)
{
    for (auto& life : table.lives) {
        auto& request = life.request;
        if (!life.anew || request.attempts.empty())
            continue;
        const auto& last = request.attempts.back();
        auto kept = life.at + last.at.value_or(Duration(0)) + last.took;
        if (!request.steps.empty()) {
            const auto& step = request.steps.back();
            if (step.act == RecordedAct::Expire && life.at + step.at >= kept)
                continue;
            kept = std::max(kept, life.at + step.at);
        }
        const auto most = std::max(*life.anew - kept - wayToStore, shortest);
        if (usual == Duration(0) || usual > most)
            request.ttl = most;
    }
}

} // namespace fencepost::simulation

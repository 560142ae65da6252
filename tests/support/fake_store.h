// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store.h"

namespace fencepost::testing {

// A database without Fencepost's own tables: the protocol is Unsupported on it.
class FakeStore final : public Store {
public:
    Result<Reserved> reserve(const Reservation&) override { return refusal(); }
    Result<std::optional<Reserved>> replay(const Reservation&) override { return refusal(); }
    Result<Applied> renew(const Claim&, Duration) override { return refusal(); }
    Result<Applied> advance(const Claim&, const std::string&, const std::optional<std::string>&) override
    {
        return refusal();
    }
    Result<Applied> finalize(const Claim&, const Completion&) override { return refusal(); }
    Result<Applied> fail(const Claim&, const Failing&) override { return refusal(); }
    Result<Applied> hold(const Claim&, const std::string&) override { return refusal(); }
    Result<Applied> reconcile(const RecordId&, Fence, Evidence, const Completion&, const std::string&) override
    {
        return refusal();
    }
    Result<Applied> intervene(const Intervention&) override { return refusal(); }
    Result<Reaped> reap(const ReapRequest&) override { return refusal(); }
    Result<std::vector<Result<Reserved>>> reserveAll(const std::vector<Reservation>&) override { return refusal(); }
    Result<std::vector<Result<Applied>>> finalizeAll(const std::vector<std::pair<Claim, Completion>>&) override
    {
        return refusal();
    }
    Result<std::optional<Record>> find(const RecordId&) override { return refusal(); }
    Result<std::vector<JournalEntry>> journal(const RecordId&) override { return refusal(); }
    Result<std::vector<Conflict>> conflicts(const RecordId&) override { return refusal(); }
    Result<KeyLives> livesOf(const RecordId&) override { return refusal(); }
    Result<Time> now() override { return refusal(); }

private:
    static Error refusal() { return { Failure::Unsupported, "There are no tables of Fencepost.", {} }; }
};

} // namespace fencepost::testing

// SPDX-License-Identifier: Apache-2.0
#include "core/store/creation.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/store/database.h"

namespace fencepost::store {

namespace {

constexpr int concurrentAttempts = 20;
constexpr int lockedAttempts = 4;

// Two processes that create the same table or column at once: one of them gets any of these and finds it done when it
// looks again.
bool isRace(const Error& error)
{
    constexpr std::array<std::string_view, 7> codes = { "23505", "42P07", "42701", "42710", "40P01", "40001", "XX000" };
    return isTransient(error) || std::find(codes.begin(), codes.end(), error.code) != codes.end();
}

// A name that somebody else's table has already is not a race, however often one looks.
Error namesTaken(Error error)
{
    const bool taken = error.code == "42P07" || error.code == "42710" || error.code == "42809"
        || error.detail.find("already exists") != std::string::npos;
    if (!taken)
        return error;
    return { Failure::Unsupported, "The database has a table of another layout under one of Fencepost's names",
        error.detail, error.code };
}

} // namespace

Status creating(const std::function<Status()>& body)
{
    Status done;
    for (int attempt = 0; attempt < concurrentAttempts; ++attempt) {
        done = retrying(concurrentAttempts, body);
        if (done || !isRace(done.error()))
            break;
        // A file that stays locked is no race.
        if (isTransient(done.error()) && attempt >= lockedAttempts)
            break;
    }
    return done ? done : Status(namesTaken(done.error()));
}

} // namespace fencepost::store

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/result.h"

namespace fencepost::test {

inline void giveUp(const char* what, const Error& error)
{
    std::fprintf(stderr, "%s: %s: %s\n", what, error.message.c_str(), error.detail.c_str());
    std::exit(1);
}

// What a measurement cannot go on without.
template <typename T> T require(Result<T> result, const char* what)
{
    if (!result)
        giveUp(what, result.error());
    return std::move(*result);
}

inline void require(const Status& status, const char* what)
{
    if (!status)
        giveUp(what, status.error());
}

} // namespace fencepost::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/store/native.h"

namespace fencepost::store {

// An instant as text, written as its row writes such texts: applications compare them as texts, and in another form one
// that is past can sort as one to come. `samples` are columns that may hold one, the first that does gives separator,
// seconds, digits of the fraction and zone; where none does, it is `standard`. `micros` is the instant in epoch
// microseconds, `local` what a text that names no zone says of it, as if that were UTC.
[[nodiscard]] std::string inFormOf(
    Dialect dialect, const std::vector<std::string>& samples, const std::string& micros, const std::string& local,
    const std::string& standard);

} // namespace fencepost::store

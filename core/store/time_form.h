// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/store/native.h"

namespace fencepost::store {

// Makes an expression of one that gives an instant in epoch microseconds.
using OfMicros = std::function<std::string(const std::string& micros)>;

// An instant as text, written as its row writes such texts: applications compare them as texts, and in another form one
// that is past can sort as one to come. `samples` are columns that may hold one, the first that does gives separator,
// seconds, digits of the fraction and zone; where none does, it is `standard`. `micros` is the instant, `local` what a
// text that names no zone says of it, in microseconds as if that were UTC.
[[nodiscard]] std::string inFormOf(Dialect dialect, const std::vector<std::string>& samples, const std::string& micros,
    const OfMicros& local, const OfMicros& standard);

} // namespace fencepost::store

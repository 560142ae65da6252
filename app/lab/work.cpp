// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/work.h"

#include "core/service/problem.h"

namespace fencepost::app {

Handled refusal(std::string_view code, int status, std::string detail)
{
    Handled handled{ problemResponse({ .code = code, .status = status, .detail = std::move(detail) }) };
    handled.settlement = Settlement::Terminal;
    handled.errorCode = std::string(code);
    return handled;
}

Handled tryLater(const Error& error)
{
    if (error.failure == Failure::Invalid)
        return refusal("VALIDATION.request", 400, sentence(error.message));
    Handled handled{ problemResponse({ .code = "DEPENDENCY.unavailable", .detail = inWords(error) }) };
    handled.settlement = Settlement::Transient;
    handled.errorCode = "DEPENDENCY.unavailable";
    return handled;
}

} // namespace fencepost::app

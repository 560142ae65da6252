// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/problems.h"

#include "core/service/problem.h"

namespace fencepost::app {

HttpResponse notFound()
{
    return problemResponse({ .code = "VALIDATION.not_found", .status = 404, .detail = "There is no such thing here." });
}

HttpResponse notFromHere()
{
    return problemResponse(
        { .code = "AUTH.required", .status = 403, .detail = "That is done from the lab's own computer." });
}

HttpResponse unavailable(const Error& error)
{
    // A name that the database cannot hold is nobody's.
    if (error.failure == Failure::Invalid)
        return notFound();
    return problemResponse(
        { .code = "DEPENDENCY.unavailable", .detail = inWords(error), .retryAfter = std::chrono::seconds(1) });
}

} // namespace fencepost::app

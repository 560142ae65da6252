// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/service/service_parts.h"
#include "core/service/settlement.h"

namespace fencepost {

// The end of an execution: what becomes of its record, and what its caller is told. Lives no longer than what it is
// made of.
class Conclusion {
public:
    Conclusion(const RouteContract& route, const ServiceParts& parts, const Handled& handled);

    // `begun`: the record as the reservation left it.
    HttpResponse reach(const Claim& claim, const Record& begun);

private:
    Result<Applied> write(const Claim& claim) const;
    [[nodiscard]] HttpResponse answer(const RecordId& id, const Applied& applied, bool finished) const;

    const RouteContract& m_route;
    const ServiceParts& m_parts;
    const Handled& m_handled;
    Settlement m_settlement;
    Duration m_delay; // of a transient one
    bool m_heldAsSpent = false;
};

} // namespace fencepost

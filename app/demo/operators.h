// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/demo/agenda.h"
#include "app/demo/service.h"
#include "core/backend.h"
#include "core/operations/plan.h"

namespace fencepost::app {

// The people on call and their nightly jobs. What they change goes through plans and the audit, as in the console.
class Operators {
public:
    Operators(Backend& backend, Service& service, Agenda& agenda, Random& random, const Policy& policy);

    // Writes two days of interventions into the agenda: reaping, reconciling, and what the outage asks for.
    void writeShifts(Time end);

    [[nodiscard]] std::int64_t storeCalls() const { return m_calls; }

private:
    struct Task;
    Status carryOut(const Task& task);
    Result<RunReport> run(const Plan& plan);
    Result<std::vector<std::vector<std::string>>> find(const Binding& binding, const std::string& filter, int limit);
    Result<Binding> records();
    Status reap();
    Status reconcileOverdue();

    Backend& m_backend;
    Service& m_service;
    Agenda& m_agenda;
    Random& m_random;
    const Policy& m_policy;
    std::int64_t m_calls = 0;
};

} // namespace fencepost::app

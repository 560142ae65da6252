// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/demo/operators.h"

#include <array>

#include "core/operations/plan.h"

namespace fencepost::app {

namespace {

using namespace std::chrono_literals;

constexpr auto mara = "mara@ops-1";
constexpr auto jonas = "jonas@ops-2";

} // namespace

// One intervention: rows that match when its time comes, at most so many, and what is done to them.
struct Operators::Task {
    Duration before; // the end
    const char* verb;
    const char* filter;
    int limit;
    std::map<std::string, std::string> parameters;
    const char* actor;
    const char* reason;
    std::optional<Duration> undoneAfter = {};
    const char* undoReason = "";
};

Operators::Operators(Backend& backend, Service& service, Agenda& agenda, Random& random, const Policy& policy)
    : m_backend(backend)
    , m_service(service)
    , m_agenda(agenda)
    , m_random(random)
    , m_policy(policy)
{
}

void Operators::writeShifts(Time end)
{
    const std::vector<Task> tasks = {
        { 31h, "fail", "state = FAILED_RETRYABLE and age > 1h", 2, { { "response_code", "503" } }, jonas,
            "Abandoned by their clients; the customers paid with new keys" },
        { 27h, "release", "stuck and not operation = \"POST /payouts\"", 2, {}, jonas,
            "Worker pay-7 lost its disk; nothing had been sent" },
        { 4h + 36min, "fence", "state = IN_PROGRESS and operation = \"POST /payouts\"", 3, {}, mara,
            "Stripe outage: these workers may still be sending, nobody else may start" },
        { 4h + 10min, "fence", "stuck and operation = \"POST /payments\"", 4, {}, mara,
            "Stripe outage is over; the workers of rack 3 are gone" },
        { 3h + 50min, "release", "stuck and operation = \"POST /refunds\"", 3, {}, mara,
            "Checked with Stripe: no refund was created" },
        { 3h + 20min, "resolve", "held and operation = \"POST /payouts\"", 2,
            { { "as", "succeeded" }, { "evidence", "Bank statement of 14:05 shows both transfers" },
                { "response_code", "201" } },
            mara, "Reconciled by hand with the bank" },
        { 3h + 15min, "resolve", "held and operation = \"POST /payouts\"", 1,
            { { "as", "retryable" }, { "evidence", "The bank has no such transfer, case 88213" } }, mara,
            "Reconciled by hand with the bank" },
        { 3h + 5min, "resolve", "held", 1,
            { { "as", "failed" }, { "evidence", "Provider dashboard shows it as rejected" } }, jonas,
            "Closed after the outage", 15min, "Wrong line of the dashboard: its outcome is still unknown" },
        { 2h + 30min, "fail", "state = FAILED_RETRYABLE and age > 2h", 3, { { "response_code", "503" } }, jonas,
            "Given up after the outage; the clients were told to use new keys" },
        { 2h, "expire", "state = SUCCEEDED and operation = \"POST /customers\"", 1, { { "tombstone", "30d" } }, jonas,
            "Erasure request of the customer" },
        { 1h + 50min, "expire", "state = SUCCEEDED and operation = \"POST /customers\"", 1, {}, jonas,
            "Erasure request of the customer", 6min, "Wrong customer" },
        { 1h + 30min, "expire", "state = FAILED_FINAL and operation = \"POST /payments\"", 1,
            { { "i_know_this_allows_re_execution", "yes" }, { "tombstone", "30d" } }, mara,
            "Asked for by finance: the order was cancelled" },
        { 1h + 10min, "note", "held and operation = \"POST /payouts\"", 1, {}, mara,
            "Asked the bank about this transfer, case 88240; answer expected tomorrow" },
        { 28min, "fence", "stuck and operation = \"POST /payments\"", 1, {}, jonas,
            "Deployment 2117 was rolled back; its workers are gone" },
    };
    for (const auto& task : tasks)
        m_agenda.at(end - task.before, [this, task] { return carryOut(task); });
    for (const Duration before : { 40h, 16h })
        m_agenda.at(end - before, [this] { return reap(); });
    for (const Duration before : { 36h, 24h, 12h, 7h })
        m_agenda.at(end - before, [this] { return reconcileOverdue(); });
}

Result<Binding> Operators::records()
{
    ++m_calls;
    const auto bindings = m_backend.inspector().bindings();
    if (!bindings)
        return bindings.error();
    for (const auto& binding : *bindings)
        if (binding.native && binding.kind == Kind::Idempotency)
            return binding;
    return Error{ Failure::NotFound, "the demo's own table is not recognised", {} };
}

Result<std::vector<std::vector<std::string>>> Operators::find(
    const Binding& binding, const std::string& filter, int limit)
{
    const auto tree = parseFilter(filter);
    if (!tree)
        return tree.error();
    ++m_calls;
    const auto page = m_backend.inspector().page(binding, { .filter = *tree, .descending = false, .limit = limit });
    if (!page)
        return page.error();
    std::vector<std::vector<std::string>> identities;
    for (const auto& row : page->rows)
        identities.push_back(row.identity);
    return identities;
}

Result<RunReport> Operators::run(const Plan& plan)
{
    m_calls += static_cast<std::int64_t>(plan.items.size());
    auto report = applyPlan(
        m_backend.inspector(), plan, plan.actor, [](const ItemReport&, std::size_t, std::size_t) { return true; });
    if (report && report->stoppedBy)
        return *report->stoppedBy;
    return report;
}

Status Operators::carryOut(const Task& task)
{
    const auto binding = records();
    if (!binding)
        return binding.error();
    const auto identities = find(*binding, task.filter, task.limit);
    if (!identities)
        return identities.error();
    // Nothing of the kind happened with this seed.
    if (identities->empty())
        return {};
    ++m_calls;
    const auto plan = makePlan(m_backend.inspector(), *binding,
        { .verb = task.verb,
            .identities = *identities,
            .parameters = task.parameters,
            .reason = task.reason,
            .actor = task.actor },
        m_random);
    if (!plan)
        return plan.error();
    if (const auto report = run(*plan); !report)
        return report.error();
    if (!task.undoneAfter)
        return {};
    m_agenda.in(*task.undoneAfter, [this, requestId = plan->requestId, task]() -> Status {
        ++m_calls;
        const auto undo = makeUndo(m_backend.inspector(), requestId, task.undoReason, task.actor, m_random);
        if (!undo)
            return undo.error();
        const auto report = run(*undo);
        return report ? Status() : Status(report.error());
    });
    return {};
}

Status Operators::reap()
{
    ++m_calls;
    const auto policy = m_policy.forRoute("tenant:northwind", "POST /quotes");
    const auto reaped = m_backend.store().reap({ .grace = policy.grace.value, .tombstone = policy.tombstone.value });
    return reaped ? Status() : Status(reaped.error());
}

Status Operators::reconcileOverdue()
{
    const auto binding = records();
    if (!binding)
        return binding.error();
    const auto overdue = find(*binding, "stuck and operation = \"POST /payouts\"", 20);
    if (!overdue)
        return overdue.error();
    for (const auto& identity : *overdue)
        if (const auto status = m_service.reconcile({ identity[0], identity[1], identity[2] }); !status)
            return status;
    return {};
}

} // namespace fencepost::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/plan_subject.h"

#include "core/operations/operation.h"
#include "core/random.h"
#include "ui/dialogs/plan_dialog.h"
#include "ui/operation_words.h"
#include "ui/words.h"

namespace fencepost::ui {

std::vector<ActionParameter> PlanSubject::askedFor() const
{
    for (const auto& capability : binding().capabilities)
        if (operation && capability.verb == operation->id && !capability.native)
            return capability.parameters;
    return {};
}

QString PlanSubject::title() const
{
    return operation ? titleIn(binding(), *operation) : PlanDialog::tr("Undo");
}

QString PlanSubject::action(std::int64_t count) const
{
    return operation
        ? countedTitleIn(binding(), *operation, count)
        : PlanDialog::tr("Undo %1").arg(counted(count, PlanDialog::tr("change"), PlanDialog::tr("changes")));
}

QString PlanSubject::scope() const
{
    if (source == PlanSource::File)
        return PlanDialog::tr("A plan from a file, request %1.").arg(requestId);
    if (source == PlanSource::Interrupted)
        return PlanDialog::tr("The run of request %1, which did not come to its end.").arg(requestId);
    if (!operation)
        return PlanDialog::tr("Takes back what the request %1 changed.").arg(requestId);
    const auto table = text(binding().name);
    if (selection.all)
        return PlanDialog::tr("Everything in %1 that matches %2 (%3 when it was chosen).")
            .arg(table, selection.filter, countText(selection.matching));
    const auto rows =
        counted(std::int64_t(selection.rows.size()), PlanDialog::tr("chosen row"), PlanDialog::tr("chosen rows"));
    return PlanDialog::tr("%1 of %2.").arg(rows, table);
}

std::function<Result<Plan>(Backend&)> PlanSubject::making(const Asked& asked) const
{
    // Of the plan while it is reviewed: the operator's own reason replaces it when the plan is confirmed.
    const auto reason = std::string(operation ? operation->title : "Undo");
    if (!operation)
        return [id = requestId.toStdString(), reason, actor = asked.actor](Backend& backend) {
            SystemRandom random;
            return makeUndo(backend.inspector(), id, reason, actor, random);
        };
    PlanRequest request;
    request.verb = operation->id;
    request.parameters = asked.parameters;
    request.reason = reason;
    request.actor = asked.actor;
    request.isFinancial = asked.isFinancial;
    if (selection.all)
        request.filter = selection.filter.toStdString();
    for (const auto& row : selection.rows)
        request.identities.push_back(row.identity);
    return [binding = selection.binding, request](Backend& backend) {
        SystemRandom random;
        return makePlan(backend.inspector(), binding, request, random);
    };
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/operations/plan.h"
#include "models/list_model.h"

namespace fencepost::models {

// The rows that a plan will act on, each with its effect in words and what to know before.
class PlanModel final : public ListModel<PlanItem> {
    Q_OBJECT

public:
    explicit PlanModel(QObject* parent = nullptr);
    void setPlan(const Plan& plan) { setRows(plan.items, plan.createdAt); }

protected:
    [[nodiscard]] QVariant mark(const PlanItem& item, int role) const override;
};

// The rows that were asked for and that the operation does not apply to, each with the reason.
class LeftOutModel final : public ListModel<LeftOut> {
    Q_OBJECT

public:
    explicit LeftOutModel(QObject* parent = nullptr);
    void setPlan(const Plan& plan) { setRows(plan.leftOut, plan.createdAt); }
};

// What became of every row of a run. `append` adds what a running one has done.
class ReportModel final : public ListModel<ItemReport> {
    Q_OBJECT

public:
    explicit ReportModel(QObject* parent = nullptr);
    void setReport(const RunReport& report) { setRows(report.items, {}); }

protected:
    [[nodiscard]] QVariant mark(const ItemReport& item, int role) const override;
};

} // namespace fencepost::models

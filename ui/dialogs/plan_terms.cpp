// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/plan_terms.h"

#include <QHBoxLayout>
#include <QLineEdit>

#include "models/run.h"
#include "ui/theme.h"
#include "ui/widgets/pace_field.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/ramp_field.h"
#include "ui/words.h"

namespace fencepost::ui {

PlanTerms::PlanTerms(QWidget* parent)
    : QWidget(parent)
    , m_countLine(new QWidget(this))
    , m_pace(new PaceField(m_countLine))
    , m_ramp(new RampField(this))
    , m_countLabel(new PlainLabel(this))
    , m_count(new QLineEdit(this))
{
    m_count->setMaximumWidth(140);
    m_countLabel->setBuddy(m_count);
    m_ramp->setSettings(models::usualReplay());
    auto* line = new QHBoxLayout(m_countLine);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(m_pace);
    line->addStretch(1);
    line->addWidget(m_countLabel);
    line->addWidget(m_count);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::medium);
    layout->addWidget(m_ramp);
    layout->addWidget(m_countLine);
    connect(m_count, &QLineEdit::textChanged, this, &PlanTerms::changed);
    connect(m_ramp, &RampField::changed, this, &PlanTerms::changed);
    connect(m_pace, &PaceField::paceChosen, this, [this] { m_paceChosen = true; });
}

void PlanTerms::setPlan(const Plan& plan, bool goesOn)
{
    m_rows = plan.items.size();
    m_countLine->setVisible(m_rows > 1);
    m_ramp->setVisible(m_rows > 1 && isStaged(plan) && !goesOn);
    m_pace->setRows(m_rows);
    m_countLabel->setText(tr("Type %1 to confirm that many rows").arg(m_rows));
    m_count->setAccessibleName(m_countLabel->text());
}

void PlanTerms::clearCount()
{
    m_count->clear();
}

QString PlanTerms::missing() const
{
    if (const auto chosen = replay(); !chosen)
        return text(chosen.error().message);
    if (m_rows > 1 && m_count->text().trimmed() != QString::number(m_rows))
        return tr("The count is missing.");
    return {};
}

Result<ReplaySettings> PlanTerms::replay() const
{
    return m_ramp->settings(models::usualReplay());
}

} // namespace fencepost::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/ramp_field.h"

#include <cmath>

#include <QBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

#include "ui/theme.h"
#include "ui/widgets/plain_label.h"

namespace fencepost::ui {

namespace {

constexpr int stagesWidth = 170;
constexpr double percent = 100;

QLabel* nameOf(QWidget* field, const QString& name, QWidget* parent)
{
    auto* label = new PlainLabel(name, parent);
    label->setBuddy(field);
    setTone(label, "muted");
    return label;
}

} // namespace

RampField::RampField(QWidget* parent)
    : QWidget(parent)
    , m_stages(new QLineEdit(this))
    , m_brake(new QSpinBox(this))
{
    m_stages->setObjectName(QStringLiteral("ramp"));
    m_stages->setMaximumWidth(stagesWidth);
    m_stages->setPlaceholderText(tr("all at once"));
    m_stages->setAccessibleName(tr("Rows of the first stages"));
    m_stages->setToolTip(
        tr("Rows of the first stages, the rest follows. What became of a stage is known before the next "
           "begins; without stages nobody looks"));
    m_brake->setObjectName(QStringLiteral("brake"));
    m_brake->setRange(0, int(percent));
    m_brake->setSuffix(tr(" % failures"));
    m_brake->setSpecialValueText(tr("never"));
    m_brake->setAccessibleName(tr("Share of failures that pauses the replay"));
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::small);
    line->addWidget(nameOf(m_stages, tr("Stages"), this));
    line->addWidget(m_stages);
    line->addSpacing(space::medium);
    line->addWidget(nameOf(m_brake, tr("Pause above"), this));
    line->addWidget(m_brake);
    line->addStretch(1);
    connect(m_stages, &QLineEdit::textChanged, this, &RampField::changed);
    connect(m_brake, &QSpinBox::valueChanged, this, &RampField::changed);
}

Result<ReplaySettings> RampField::settings(ReplaySettings base) const
{
    base.ramp.clear();
    auto typed = m_stages->text();
    if (typed.remove(QLatin1Char(' ')); !typed.isEmpty()) {
        auto ramp = parseRamp(typed.toStdString());
        if (!ramp)
            return ramp.error();
        base.ramp = std::move(*ramp);
    }
    // Nobody looks at what came of it where there is no stage.
    base.brake = base.ramp.empty() ? 0 : m_brake->value() / percent;
    if (const auto checked = checkReplay(base); !checked)
        return checked.error();
    return base;
}

void RampField::setSettings(const ReplaySettings& settings)
{
    QStringList stages;
    for (const int rows : settings.ramp)
        stages += QString::number(rows);
    m_stages->setText(stages.join(QStringLiteral(", ")));
    m_brake->setValue(int(std::lround(settings.brake * percent)));
}

} // namespace fencepost::ui

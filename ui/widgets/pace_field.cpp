// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/pace_field.h"

#include <QBoxLayout>
#include <QDoubleSpinBox>
#include <QSignalBlocker>

#include "core/time.h"
#include "models/zone.h"
#include "ui/theme.h"
#include "ui/widgets/plain_label.h"

namespace fencepost::ui {

namespace {

constexpr double fastest = 5000; // rows per second

}

PaceField::PaceField(QWidget* parent)
    : QWidget(parent)
    , m_field(new QDoubleSpinBox(this))
    , m_estimate(new PlainLabel(this))
{
    auto* name = new PlainLabel(tr("At most"), this);
    name->setBuddy(m_field);
    setTone(name, "muted");
    setTone(m_estimate, "muted");
    m_field->setRange(0, fastest);
    m_field->setDecimals(1);
    m_field->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    m_field->setSpecialValueText(tr("as fast as it goes"));
    m_field->setSuffix(tr(" rows/s"));
    m_field->setObjectName(QStringLiteral("pace"));
    m_field->setAccessibleName(tr("Rows per second at most"));
    m_field->setToolTip(tr("0 sets no limit. It can be changed while the plan is carried out"));
    // What is typed counts once it is whole: 5 on the way to 50 would slow a run down.
    m_field->setKeyboardTracking(false);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::small);
    line->addWidget(name);
    line->addWidget(m_field);
    line->addWidget(m_estimate);
    connect(m_field, &QDoubleSpinBox::valueChanged, this, [this] {
        showEstimate();
        Q_EMIT paceChosen(pace());
    });
}

std::optional<double> PaceField::pace() const
{
    // What is being typed counts as well.
    m_field->interpretText();
    return m_field->value() > 0 ? std::optional(m_field->value()) : std::nullopt;
}

void PaceField::setPace(std::optional<double> rowsPerSecond)
{
    const QSignalBlocker quiet(m_field);
    m_field->setValue(rowsPerSecond.value_or(0));
    showEstimate();
}

void PaceField::follow(std::optional<double> rowsPerSecond)
{
    if (!m_field->hasFocus() && pace() != rowsPerSecond)
        setPace(rowsPerSecond);
}

void PaceField::setRows(std::optional<std::size_t> rows)
{
    m_rows = rows;
    showEstimate();
}

QString PaceField::estimate() const
{
    return m_estimate->text();
}

void PaceField::showEstimate()
{
    const auto chosen = pace();
    const bool known = m_rows && chosen;
    m_estimate->setText(known ? tr("takes at least %1")
                                    .arg(models::durationText(Duration(
                                        static_cast<std::int64_t>(static_cast<double>(*m_rows) / *chosen * 1e6))))
                              : QString());
    m_estimate->setVisible(known);
}

} // namespace fencepost::ui
